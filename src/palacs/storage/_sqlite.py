"""The embedded storage: one SQLite file.

WAL so that readers never wait, full synchronisation so that an acknowledged event survives
a power cut, ``BEGIN IMMEDIATE`` so that writers queue instead of failing with "database is
locked" half-way. A file that is not ours is recognised before a single byte is written.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from traceback import walk_tb
from typing import Any, Self

import sqlalchemy as sa
from sqlalchemy import event, exc

from palacs.storage._addresses import parse, refusal
from palacs.storage._clocks import plausible
from palacs.storage._following import End, end_of
from palacs.storage._forking import in_use
from palacs.storage._log import require_sound_log, set_aside
from palacs.storage._sql import SQLStorage
from palacs.storage._sqlite_handle import (
    Handle,
    abandon_inherited,
    beside,
    close_when_given_back,
    make_private,
    refuse_inherited,
    require_same_file,
    require_same_log,
)
from palacs.storage._storage import Clock
from palacs.storage._storage_errors import (
    ForeignStorage,
    StorageDamaged,
    StorageError,
    StorageFull,
    StorageNotFound,
    StorageReadOnly,
    StorageUnavailable,
)

PATIENCE_S = 60.0
"""How long a writer waits for its turn, unless the URL says ``?timeout=SECONDS``."""

# A writer that waits for its turn lets a fork pass after so long.
_ASIDE_S = 1.0

_PAGES_AT_ONCE = 2000


class SQLiteStorage(SQLStorage):
    """A storage in one SQLite file.

    Parameters
    ----------
    url : sqlalchemy.URL
        ``sqlite:///relative.db`` or ``sqlite:////absolute.db``.
    clock : callable or None
        Replaces the machine's clock; for tests and simulations.
    """

    address_form = "sqlite:///FILE.db"
    _has_log = False

    @classmethod
    def from_url(cls, url: str, clock: Clock | None = None) -> Self:
        """Return the storage in a file; nothing is opened yet."""
        parsed = parse(url, cls.address_form)
        if not parsed.database:
            raise refusal(url, cls.address_form)
        return cls(parsed, clock)

    def _connect(self, url: sa.URL) -> sa.Engine:
        self._path = Path(url.database or "")
        self._patience = float(str(url.query.get("timeout", PATIENCE_S)))
        options = {"timeout": self._patience, "factory": Handle}
        engine = sa.create_engine(url, connect_args=options)
        take_over_transactions(engine)
        return engine

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            with super()._translated():
                yield
        except UnicodeDecodeError as error:
            if not _is_of_the_driver(error):
                raise
            raise StorageDamaged(
                f"{str(self._path)!r} is damaged ({error}); restore it from a backup or import "
                "an export."
            ) from error

    @contextmanager
    def _connected(self, *, writes: bool) -> Iterator[sa.Connection]:
        with in_use():
            self._require_own_process()
            refuse_inherited(self._path)
            with super()._connected(writes=writes) as connection:
                self._require_file_still(connection)
                wait = min(_ASIDE_S, self._patience) if writes else self._patience
                raw = connection.connection.driver_connection
                assert raw is not None
                raw.execute(f"PRAGMA busy_timeout = {round(1000 * wait)}")
                yield connection

    @contextmanager
    def _writing(self) -> Iterator[sa.Connection]:
        if not self._has_log:
            self._switch_to_wal()
            self._has_log = True
        with ExitStack() as stack:
            connection = self._take_turn(stack)
            self._require_log(connection)
            yield connection

    def _take_turn(self, stack: ExitStack) -> sa.Connection:
        """Wait for the turn, and step aside now and then: a fork waits for who is inside."""
        deadline = time.monotonic() + self._patience
        while True:
            try:
                return stack.enter_context(super()._writing())
            except StorageUnavailable as error:
                busy = isinstance(error.__cause__, exc.OperationalError)
                if not busy or time.monotonic() >= deadline:
                    raise

    def _require_log(self, connection: sa.Connection) -> None:
        require_same_log(_handle(connection), self._path)

    def _require_file_still(self, connection: sa.Connection) -> None:
        require_same_file(_handle(connection), self._path)

    def before_fork(self) -> None:
        """Close the file: a child that inherits a handle on it damages it."""
        self.close()
        close_when_given_back()

    def after_fork(self) -> None:
        """Leave alone what could not be closed in time."""
        abandon_inherited()
        super().after_fork()

    def schema(self) -> str:
        """Return the version of the schema in the file; write nothing."""
        self._require_file()
        found = super().schema()
        self._refuse_a_torn_page()
        return found

    def _require_file(self) -> None:
        if not self._path.exists():
            raise StorageNotFound(
                f"there is no file {str(self._path)!r}; create a campaign in it first, "
                "or check the --storage address."
            )
        require_sound_log(self._path, self.url)

    def give_up_log(self) -> Path | None:
        """Go on without what a damaged log hides; return where the log is kept, None if sound."""
        kept = set_aside(self._path)
        if kept is not None:
            self._when_free("PRAGMA wal_checkpoint(TRUNCATE)", until=lambda answer: answer[0] == 0)
            self.close()
            require_sound_log(self._path, self.url)
        return kept

    def make(self) -> None:
        """Make the file and its tables, unless another process was faster."""
        folder = self._path.resolve().parent
        if not folder.is_dir():
            raise StorageNotFound(
                f"cannot make {self._path.name!r}: the folder {str(folder)!r} does not exist; "
                "make it first."
            )
        super().make()

    def _refuse_a_torn_page(self) -> None:
        # SQLite notices missing pages but reads the rest of half a page as zeros. The size is
        # asked of the file system: a file that this process opens and closes beside SQLite takes
        # all of SQLite's locks with it (POSIX), and with them what keeps others from writing.
        with self._reading() as connection:
            page = int(connection.exec_driver_sql("PRAGMA page_size").scalar_one())
        if self._path.stat().st_size % page:
            raise StorageDamaged(
                f"{str(self._path)!r} is truncated in the middle of a page; restore it from a "
                "backup or import an export."
            )

    @contextmanager
    def _migrating(self) -> Iterator[sa.Connection]:
        # The journal mode belongs to the file and cannot change inside a transaction. By
        # now the file is known to be empty or ours.
        self._make_file()
        self._switch_to_wal()
        with self._writing() as connection:
            yield connection

    def _make_file(self) -> None:
        make_private(self._path)

    def _switch_to_wal(self) -> None:
        answer = self._when_free("PRAGMA journal_mode = WAL")
        if answer != ("wal",):
            raise StorageUnavailable(
                f"SQLite cannot keep a write-ahead log beside {str(self._path)!r} (it answers "
                f"{answer[0]!r}), so that nothing can be written safely; choose a folder on a "
                "local disk, or PostgreSQL."
            )

    def purge(self) -> None:
        """Write the file anew without what was erased, and empty its log."""
        self._when_free("VACUUM")
        # Answers 1 where another process still reads from the log.
        self._when_free("PRAGMA wal_checkpoint(TRUNCATE)", until=lambda answer: answer[0] == 0)

    def _when_free(
        self, statement: str, until: Callable[[tuple[Any, ...]], bool] = lambda _: True
    ) -> tuple[Any, ...]:
        """Run a statement outside of transactions, when nobody else is in the way."""
        # SQLite does not wait for other users here, whatever the timeout says.
        deadline = time.monotonic() + self._patience
        while True:
            try:
                with self._connected(writes=True) as connection:
                    raw = connection.connection.driver_connection
                    assert raw is not None
                    answer = raw.execute(statement).fetchone() or ()
                if until(answer):
                    return answer
                error = sqlite3.OperationalError("database is locked")
                error.sqlite_errorname = "SQLITE_BUSY"
                raise error
            except sqlite3.OperationalError as error:
                if "locked" in str(error) and time.monotonic() < deadline:
                    time.sleep(0.01)
                    continue
                raise self._translate(exc.OperationalError(statement, None, error)) from error

    @contextmanager
    def _writing_at_once(self) -> Iterator[sa.Connection]:
        with self._connected(writes=True) as connection:
            raw = connection.connection.driver_connection
            assert raw is not None
            raw.execute("PRAGMA busy_timeout = 0")
            with connection.begin():
                yield connection

    def _lock(self, connection: sa.Connection, key: int) -> End | None:
        # BEGIN IMMEDIATE already made this the only writer.
        return end_of(connection, key)

    def _server_now(self, connection: sa.Connection) -> float:
        return time.time()

    def now(self) -> float:
        """Return the machine's clock, in seconds since the epoch."""
        return plausible(time.time() if self._clock is None else self._clock())

    def _leaves_open(self, error: exc.DBAPIError) -> bool:
        return getattr(error.orig, "sqlite_errorname", "") == "SQLITE_IOERR_FSYNC"

    def _verify_database(self) -> list[str]:
        try:
            with self._reading() as connection:
                rows = connection.exec_driver_sql("PRAGMA integrity_check").scalars().all()
        except StorageError as error:
            return [str(error)]
        return [f"{str(self._path)!r}: {said}" for said in rows if said != "ok"]

    def _translate(self, error: exc.DBAPIError) -> StorageError:
        code = getattr(error.orig, "sqlite_errorname", "")
        where, said = str(self._path), f"({error.orig})"
        if code.startswith("SQLITE_FULL"):
            return StorageFull(f"no room left to write {where!r} {said}; free some disk space.")
        if code.startswith(("SQLITE_READONLY", "SQLITE_PERM")):
            return StorageReadOnly(
                f"{where!r} cannot be written {said}; check its permissions and its folder's."
            )
        if code.startswith("SQLITE_CANTOPEN"):
            return StorageReadOnly(
                f"{where!r} cannot be opened {said}; its folder must exist and be writable, "
                "since SQLite keeps its journal beside the file."
            )
        if code == "SQLITE_NOTADB":
            return ForeignStorage(
                f"{where!r} is not a SQLite database {said} and was left untouched; "
                "choose another file."
            )
        unreadable = said.startswith("(Could not decode to UTF-8")
        if code.startswith("SQLITE_CORRUPT") or code == "SQLITE_IOERR_SHORT_READ" or unreadable:
            return StorageDamaged(
                f"{where!r} is truncated or damaged {said}; restore it from a backup "
                "or import an export."
            )
        if code.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            return StorageUnavailable(
                f"{where!r} was locked by another process for {self._patience:g} s {said}; "
                "try again, or wait longer with ?timeout=SECONDS in the address."
            )
        if code.startswith("SQLITE_IOERR"):
            return StorageFull(
                f"the disk refused to read or write {where!r} {said}; it may be full, over its "
                "quota or file-size limit, or failing."
            )
        return StorageError(f"{where!r}: {error.orig}")

    @property
    def path(self) -> Path:
        """The file."""
        return self._path

    def copy_pages(
        self, connection: sa.Connection, path: Path, progress: Callable[[int, int], None] | None
    ) -> None:
        """Copy the file as `connection` sees it; writers go on meanwhile and start nothing anew."""
        raw = connection.connection.driver_connection
        assert raw is not None

        def tell(_status: int, left: int, total: int) -> None:
            if progress is not None:
                progress(total - left, total)

        make_private(path)
        copy = sqlite3.connect(path)
        try:
            raw.backup(copy, pages=_PAGES_AT_ONCE, progress=tell, sleep=0.0)
        except sqlite3.Error as error:
            raise self._translate(exc.DatabaseError("backup", None, error)) from error
        finally:
            copy.close()

    def size(self) -> int | None:
        """Return how many bytes the file and its log take."""
        files = [beside(self._path, end) for end in ("", "-wal", "-shm")]
        return sum(file.stat().st_size for file in files if file.exists())

    def after_copy(self, connection: sa.Connection) -> None:
        """Do nothing: SQLite numbers on from the largest key."""


def _is_of_the_driver(error: BaseException) -> bool:
    # It names the damaged part of the schema in its message, and cannot decode that.
    *_, (frame, _) = walk_tb(error.__traceback__)
    where = str(frame.f_globals.get("__name__", ""))
    return where.startswith(("sqlalchemy.", "palacs.storage."))


def _handle(connection: sa.Connection) -> Handle:
    handle = connection.connection.driver_connection
    assert isinstance(handle, Handle)
    return handle


def take_over_transactions(engine: sa.Engine) -> None:
    """Begin transactions ourselves: the driver would begin them late and without the lock."""

    @event.listens_for(engine, "connect")
    def _on_connect(connection: Any, _record: Any) -> None:
        connection.isolation_level = None
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA secure_delete = ON")  # what is erased is overwritten

    @event.listens_for(engine, "checkin")
    def _on_checkin(connection: Any, _record: Any) -> None:
        # Its pool was given up at a fork; left open, it would spoil the next one.
        if isinstance(connection, Handle) and connection.stale:
            connection.close()

    @event.listens_for(engine, "begin")
    def _on_begin(connection: sa.Connection) -> None:
        writes = connection.get_execution_options().get("palacs_write", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
