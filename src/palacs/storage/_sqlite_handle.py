"""A handle on a SQLite file that knows its process and its files.

SQLite's locks belong to a process, and its log is shared memory: a handle that a forked child
inherits must neither be used nor closed there, and no other one may be opened on the same file
while it is around. Storages close theirs before a fork; what could not be closed is refused.
"""

from __future__ import annotations

import ctypes
import os
import sqlite3
import stat
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn
from weakref import WeakSet

from palacs.storage._storage_errors import StorageUnavailable

Identity = tuple[int, int]
"""Which file this is, whatever it is called: device and number."""

_open: WeakSet[Handle] = WeakSet()
_refused: dict[Identity, str] = {}  # files that this process must not use any more, and why


class Handle(sqlite3.Connection):
    """A connection that does nothing in any process but the one that made it."""

    def __init__(self, database: str, *args: Any, **options: Any) -> None:
        self.process = os.getpid()
        super().__init__(database, *args, **options)
        self.file = identity(Path(database))
        self.log: tuple[Identity | None, ...] = ()
        self.stale = False  # to be closed when whoever uses it gives it back
        _open.add(self)

    def cursor(self, *args: Any, **options: Any) -> Any:
        """Return a cursor, in the process that made the connection only."""
        if self.process != os.getpid():
            raise sqlite3.ProgrammingError(
                f"this turn was begun by process {self.process}, which forked; only that can "
                "finish it"
            )
        return super().cursor(*args, **options)

    def commit(self) -> None:
        """Commit; elsewhere there is nothing to commit."""
        if self.process == os.getpid():
            super().commit()

    def rollback(self) -> None:
        """Roll back; elsewhere this would reach into what the maker is writing."""
        if self.process == os.getpid():
            super().rollback()

    def close(self) -> None:
        """Close; elsewhere this would reach into what the maker is writing."""
        if self.process == os.getpid() and self.file not in _refused:
            super().close()
            _open.discard(self)


def identity(path: Path) -> Identity | None:
    """Return which file is at a path; asked of the file system, nothing is opened."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def beside(path: Path, suffix: str) -> Path:
    """Return where SQLite keeps a part of a file: beside it, whatever links lead to it."""
    real = path.resolve()
    return real.with_name(real.name + suffix)


def make_private(path: Path) -> None:
    """Make an empty file that its owner alone may read and write; leave one that is there alone.

    SQLite gives the log beside it the same permissions.
    """
    real = path.resolve()
    with suppress(OSError):  # it is there, or SQLite says why it cannot be
        try:
            # Nothing is opened: closing it would take SQLite's locks with it.
            os.mknod(real, stat.S_IFREG | 0o600)
        except (AttributeError, PermissionError):
            os.close(os.open(real, os.O_CREAT | os.O_EXCL, 0o600))


def close_when_given_back() -> None:
    """See that handles in use at a fork do not stay open in a pool that nobody looks into."""
    for handle in list(_open):
        handle.stale = True


def abandon_inherited() -> None:
    """Leave alone the handles of the process that this one was forked from."""
    for handle in list(_open):
        if handle.process != os.getpid() and handle.file is not None:
            _abandon(
                handle,
                f"process {handle.process} forked it in the middle of a turn. Fork between turns, "
                "or start processes anew (multiprocessing's 'spawn').",
            )


def refuse_inherited(path: Path) -> None:
    """Raise where a handle is open on this file that nobody may use or close any more."""
    why = _refused.get(identity(path) or (0, 0)) if _refused else None
    if why is not None:
        raise StorageUnavailable(f"{str(path)!r} cannot be used in this process: {why}")


def require_same_file(handle: Handle, path: Path) -> None:
    """Raise where the file that is open is no longer the one at its path."""
    if handle.file != identity(path):
        _give_up(handle, path, "was removed or replaced")


def require_same_log(handle: Handle, path: Path) -> None:
    """Raise where the log that is open is no longer the one beside the file; in a turn only."""
    log = tuple(identity(beside(path, suffix)) for suffix in ("-wal", "-shm"))
    if None in log or handle.log not in ((), log):
        _give_up(handle, path, "lost its log (-wal, -shm), which was removed or replaced")
    handle.log = log


def _give_up(handle: Handle, path: Path, what: str) -> NoReturn:
    why = f"it {what} while it was open. Nothing was written; stop all programs that use it, "
    why += "see what stands there now (palacs storage check), and start them again."
    # Closing would write to, or remove, what others have put in its place.
    _abandon(handle, why)
    raise StorageUnavailable(f"{str(path)!r} cannot be used in this process: {why}")


def _abandon(handle: Handle, why: str) -> None:
    if handle.file is not None:
        _refused[handle.file] = why
    # Nobody may close it, also not at the end of this process.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(handle))
