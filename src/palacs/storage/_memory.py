"""A storage for notebooks and tests: SQLite in memory, with the tables and rules of the file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import sqlalchemy as sa
from sqlalchemy.pool import StaticPool

from palacs.storage._addresses import refusal
from palacs.storage._forking import ForkSafeLock, in_use
from palacs.storage._sqlite import PATIENCE_S, SQLiteStorage, take_over_transactions
from palacs.storage._storage import Clock
from palacs.storage._storage_errors import StorageUnavailable


class MemoryStorage(SQLiteStorage):
    """A storage in memory, for notebooks and tests; it ends with its process.

    The same tables and rules as the file, on one connection that threads take in turn. A forked
    child has a copy, which it may read; what it wrote there would be lost, so it is refused.

    Examples
    --------
    >>> from palacs.storage import MemoryStorage
    >>> MemoryStorage().campaigns()
    []
    """

    address_form = "memory"

    def __init__(self, clock: Clock | None = None) -> None:
        self._torn = False
        self._turn = ForkSafeLock(self._tear)
        super().__init__(sa.make_url("sqlite://"), clock)
        self.url = "memory"
        self.initialise()

    @classmethod
    def from_url(cls, url: str, clock: Clock | None = None) -> Self:
        """Return a storage of its own, empty and ready."""
        if url != "memory":
            raise refusal(url, cls.address_form)
        return cls(clock)

    def _begin(self) -> None:
        self._writers = self._readers = self._connect(self._where)
        self._process = os.getpid()

    def _connect(self, url: sa.URL) -> sa.Engine:
        self._path = Path(":memory:")
        self._patience = PATIENCE_S
        engine = sa.create_engine(
            url, poolclass=StaticPool, connect_args={"check_same_thread": False}
        )
        take_over_transactions(engine)
        return engine

    def _require_file(self) -> None:
        return  # there is none

    def _require_file_still(self, connection: sa.Connection) -> None:
        return

    def _make_file(self) -> None:
        return

    def _switch_to_wal(self) -> None:
        return

    def _require_log(self, connection: sa.Connection) -> None:
        return

    def _refuse_a_torn_page(self) -> None:
        return  # nor pages on a disk

    @contextmanager
    def _connected(self, *, writes: bool) -> Iterator[sa.Connection]:
        if self._torn or (writes and self._process != os.getpid()):
            raise StorageUnavailable(
                f"this campaign is in the memory of process {self._process}; a forked process "
                "has only a copy, and what it wrote there would be lost. Use a file "
                "(sqlite:///FILE.db), or create the campaign in the process that writes it."
            )
        # In this order: who waits for its turn is waited for by a fork.
        with in_use(), self._turn, super()._connected(writes=writes) as connection:
            yield connection

    def _tear(self) -> None:
        self._torn = True  # forked in the middle of another thread's turn

    def before_fork(self) -> None:
        """Do nothing: the child gets a copy of the memory."""

    def after_fork(self) -> None:
        """Do nothing: reading goes on in the copy."""

    def save_snapshot(self, *args: Any, **options: Any) -> bool:
        """Keep none: whoever asks for it would have to live longer than this process."""
        return False

    def close(self) -> None:
        """Do nothing: there is no other copy to come back to."""
