"""A wheel, and empty environments to install it into.

pip installs the wheel; what it needs is linked from the environment of the tests, exactly as far as
the metadata of the wheel and of its dependencies say, so that a forgotten one is noticed and
nothing is downloaded.
"""

from __future__ import annotations

import email
import os
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from collections.abc import Callable
from email.message import Message
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
Run = Callable[..., str]


@pytest.fixture(scope="session")
def run() -> Run:
    """Run a command somewhere, with nothing that would lead it to the source tree."""

    def new(*command: str | Path, cwd: Path, **variables: str) -> str:
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "PALACS_"))}
        done = subprocess.run(
            list(map(str, command)),
            cwd=cwd,
            env={**clean, **variables},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout

    return new


@pytest.fixture(scope="session")
def dist(tmp_path_factory: pytest.TempPathFactory, run: Run) -> Path:
    """A folder with the source archive, and the wheel made from it as an installer would."""
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "hatchling", "build", "-d", str(folder), "-t"]
    run(*build, "sdist", cwd=ROOT)
    unpacked = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(next(folder.glob("*.tar.gz"))) as archive:
        # Not an argument: the first releases of Python 3.11 know none.
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(unpacked)
    run(*build, "wheel", cwd=next(unpacked.iterdir()))
    return folder


@pytest.fixture(scope="session")
def wheel(dist: Path) -> Path:
    return next(dist.glob("*.whl"))


@pytest.fixture(scope="session")
def metadata(wheel: Path) -> Message:
    """What an index reads in the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("dist-info/METADATA"))
        return email.message_from_bytes(archive.read(name))


@pytest.fixture(scope="session")
def install_wheel(wheel: Path, metadata: Message, run: Run) -> Callable[..., Path]:
    """Install the wheel with extras into an empty environment; return its folder of commands."""

    def new(folder: Path, *extras: str) -> Path:
        venv.create(folder, with_pip=False, symlinks=True)
        into = [sys.executable, "-m", "pip", "--python", folder / "bin" / "python"]
        run(*into, "install", "-q", "--no-deps", "--no-index", "--no-compile", wheel, cwd=folder)
        site = next(folder.glob("lib/python*/site-packages"))
        for name in _needed(metadata.get_all("Requires-Dist") or [], extras):
            for top in {file.parts[0] for file in distribution(name).files or []}:
                if top not in ("..", "__pycache__") and not (site / top).exists():
                    (site / top).symlink_to(Path(sysconfig.get_path("purelib")) / top)
        return folder / "bin"

    return new


def _needed(own: list[str], extras: tuple[str, ...]) -> set[str]:
    """Return the distributions that palacs brings with these extras, and those that they bring."""
    found: set[str] = set()
    todo = [("palacs", extra) for extra in ("", *extras)]
    seen = set(todo)
    while todo:
        name, extra = todo.pop()
        for text in own if name == "palacs" else distribution(name).requires or []:
            wanted = Requirement(text)
            if wanted.marker and not wanted.marker.evaluate({"extra": extra}):
                continue
            found.add(canonicalize_name(wanted.name))
            fresh = {(wanted.name, asked) for asked in ("", *wanted.extras)} - seen
            seen |= fresh
            todo += fresh
    return found - {"palacs"}
