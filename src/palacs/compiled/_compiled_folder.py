"""Where machine code is kept, and for whom: one folder for these sources, numba and Python.

Beside palacs if that can be written, else in the user's cache, else in a temporary folder that is
the user's own, so that a read-only installation without a home directory works too. What is kept
is run: a folder that others may write to is left alone, unless palacs itself lies there.
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
_BESIDE = _PACKAGE / "__pycache__"
# Nothing is compiled in these, so that nobody waits for reading them.
_WITHOUT = ("campaign", "cli", "datasets", "plots", "storage", "studio", "testing")
_NAME = "compiled-"
_FORGOTTEN_S = 7 * 24 * 3600.0
_FRESH_S = 0.5

_listed: list[tuple[float, frozenset[str]]] = []


def folder() -> Path | None:
    """Return the folder that is written to, made if need be; None where nothing can be written.

    It is below NUMBA_CACHE_DIR if that is set.
    """
    found = places()
    return found[-1] if found and os.access(found[-1], os.W_OK) else None


@cache
def places() -> tuple[Path, ...]:
    """Return all folders that are read, the one that is written to last.

    What somebody else compiled ahead is read where it cannot be written.
    """
    name = _NAME + stamp()
    found: list[Path] = []
    for root in _roots():
        with suppress(OSError):
            place = root / name
            if not place.is_dir():
                _forget_older(root)
                place.mkdir(parents=True, exist_ok=True)
            if root != _BESIDE and not _own(place, root, root.parent):
                continue
            if os.access(place, os.W_OK):
                return (*found, place)
            if any(place.iterdir()):
                found.append(place)
    return tuple(found)


def distrusted() -> Path | None:
    """Return NUMBA_CACHE_DIR where it is set and left alone, since others may write to it."""
    given = os.environ.get("NUMBA_CACHE_DIR")
    root = Path(given, "palacs") if given else None
    with suppress(OSError):
        if root is not None and not _own(root, root.parent):
            return root.parent
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
        files: list[str] = []
        for place in places():
            with suppress(OSError):
                files += os.listdir(place)
        names = frozenset(name.rsplit(".", 2)[0] for name in files if name.endswith(".nbc"))
        _listed[:] = [(now, names)]
    return _listed[-1][1]


def _roots() -> Iterator[Path]:
    given = os.environ.get("NUMBA_CACHE_DIR")
    if given:
        yield Path(given) / "palacs"
    yield _BESIDE
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
        return place if _own(place) and not place.is_symlink() else None
    except OSError:
        return None


def _own(*folders: Path) -> bool:
    """Tell whether nobody but the user and the superuser can put files there, or replace them."""
    if not hasattr(os, "getuid"):
        return True
    for folder in folders:
        found = folder.stat()
        # Where many may write, a sticky folder lets nobody replace what is another's.
        shared = found.st_mode & stat.S_ISVTX and folder is not folders[0]
        group = found.st_mode & stat.S_IWGRP and found.st_gid != os.getgid()
        if found.st_uid not in (0, os.getuid()):
            return False
        if (group or found.st_mode & stat.S_IWOTH) and not shared:
            return False
    return True


def _forget_older(root: Path) -> None:
    """Delete what was compiled from other sources, a week after the last was added."""
    for old in root.glob(f"{_NAME}*"):
        with suppress(OSError):  # another process deletes it too
            if time.time() - old.stat().st_mtime > _FORGOTTEN_S:
                shutil.rmtree(old, ignore_errors=True)
