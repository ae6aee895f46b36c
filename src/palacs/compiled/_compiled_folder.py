"""Where machine code is kept, and for whom: one folder for these sources, numba and Python.

Beside palacs if that can be written, else in the user's cache, else in a temporary folder that is
the user's own, so that a read-only installation without a home directory works too.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

import numba
import numpy as np

_HERE = Path(__file__).parent
_PACKAGE = _HERE.parent
# Nothing is compiled in these, so that nobody waits for reading them.
_WITHOUT = ("campaign", "cli", "datasets", "plots", "storage", "studio", "testing")
_NAME = "compiled-"
_FORGOTTEN_S = 7 * 24 * 3600.0
_FRESH_S = 0.5

_listed: list[tuple[float, frozenset[str]]] = []


@cache
def folder() -> Path | None:
    """Return the folder, made if need be; None where nothing can be written.

    It is below NUMBA_CACHE_DIR if that is set.
    """
    name = _NAME + stamp()
    for root in _roots():
        with suppress(OSError):
            place = root / name
            if not place.is_dir():
                _forget_older(root)
                place.mkdir(parents=True, exist_ok=True)
            # What somebody else compiled ahead is read where it cannot be written.
            if os.access(place, os.W_OK) or any(place.iterdir()):
                return place
    return None


@cache
def stamp() -> str:
    """Return a digest of all that machine code is made from, and by which compiler."""
    digest = hashlib.sha256(f"{numba.__version__} {np.__version__} {sys.version}".encode())
    for path in sources():
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def sources() -> list[Path]:
    """Return the files whose functions are compiled, and those that say how."""
    rooms = [room for room in _PACKAGE.iterdir() if room.name not in _WITHOUT]
    files = [file for room in rooms for file in (room.glob("*.py") if room.is_dir() else [room])]
    return [
        file
        for file in sorted(files)
        if file.suffix == ".py"
        and (file.parent == _HERE or b"palacs.compiled import compiled" in file.read_bytes())
    ]


def kept_functions() -> frozenset[str]:
    """Return the functions that were compiled, by any process, as their files are called."""
    now = time.monotonic()
    if not _listed or now - _listed[-1][0] > _FRESH_S:
        place = folder()
        files: list[str] = []
        with suppress(OSError):
            files = [] if place is None else os.listdir(place)
        names = frozenset(name.rsplit(".", 2)[0] for name in files if name.endswith(".nbc"))
        _listed[:] = [(now, names)]
    return _listed[-1][1]


def _roots() -> Iterator[Path]:
    given = os.environ.get("NUMBA_CACHE_DIR")
    if given:
        yield Path(given) / "palacs"
    yield _PACKAGE / "__pycache__"
    home = Path(os.path.expanduser("~"))  # unlike Path's, it never fails
    if home.is_absolute():  # not for a user without a name, as in some containers
        chosen = Path(os.environ.get("XDG_CACHE_HOME", ""))
        yield (chosen if chosen.is_absolute() else home / ".cache") / "palacs"
    temporary = _own_temporary()
    if temporary is not None:
        yield temporary


def _own_temporary() -> Path | None:
    """Return a temporary folder of the user's own: who writes there could run code as us."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    try:
        place = Path(tempfile.gettempdir()) / f"palacs-{user}"  # fails where there is none
        place.mkdir(mode=0o700, exist_ok=True)
        found = place.lstat()
    except OSError:
        return None
    foreign = hasattr(os, "getuid") and found.st_uid != user
    safe = stat.S_ISDIR(found.st_mode) and not foreign and not found.st_mode & 0o022
    return place if safe else None


def _forget_older(root: Path) -> None:
    """Delete what was compiled from other sources, a week after the last was added."""
    for old in root.glob(f"{_NAME}*"):
        with suppress(OSError):  # another process deletes it too
            if time.time() - old.stat().st_mtime > _FORGOTTEN_S:
                shutil.rmtree(old, ignore_errors=True)
