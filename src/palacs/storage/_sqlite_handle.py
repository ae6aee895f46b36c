"""A handle on a SQLite file that knows its process and its files.

SQLite's locks belong to a process, and its log is shared memory: a handle that a forked child
inherits must neither be used nor closed there, and no other one may be opened on the same file
while it is around. Storages close theirs before a fork; what could not be closed is refused.
"""

from __future__ import annotations

import ctypes
import os
import sqlite3
from pathlib import Path
from typing import Any
from weakref import WeakSet

from palacs.storage._storage_errors import StorageUnavailable

Identity = tuple[int, int]
"""Which file this is, whatever it is called: device and number."""

_open: WeakSet[Handle] = WeakSet()
_inherited: dict[Identity, int] = {}  # files with handles of another process, and whose


class Handle(sqlite3.Connection):
    """A connection that does nothing in any process but the one that made it."""

    def __init__(self, database: str, *args: Any, **options: Any) -> None:
        self.process = os.getpid()
        super().__init__(database, *args, **options)
        self.file = identity(Path(database))
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
        if self.process == os.getpid():
            super().close()
            _open.discard(self)


def identity(path: Path) -> Identity | None:
    """Return which file is at a path; asked of the file system, nothing is opened."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def abandon_inherited() -> None:
    """Leave alone the handles of the process that this one was forked from."""
    for handle in list(_open):
        if handle.process != os.getpid() and handle.file is not None:
            _inherited[handle.file] = handle.process
            # Nobody may close it, also not at the end of this process.
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(handle))


def refuse_inherited(path: Path) -> None:
    """Raise where a handle of another process is open on this file."""
    if not _inherited:
        return
    maker = _inherited.get(identity(path) or (0, 0))
    if maker is not None:
        raise StorageUnavailable(
            f"{str(path)!r} cannot be used in this process: process {maker} forked it in the "
            "middle of a turn. Fork between turns, or start processes anew (multiprocessing's "
            "'spawn')."
        )
