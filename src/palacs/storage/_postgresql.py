"""The laboratory's storage: PostgreSQL, many machines, one record.

A campaign's row is the lock that writers queue for; the server's clock is the one everybody's
leases are measured with. Sessions ask the server to notice dead clients quickly, so that a
machine that lost power in the middle of an ask does not hold the others up.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self
from weakref import WeakSet

import sqlalchemy as sa
from sqlalchemy import event, exc

from palacs.extras import remedy
from palacs.storage._addresses import parse
from palacs.storage._clocks import plausible
from palacs.storage._following import END, LAST, End
from palacs.storage._schema import events, metadata, snapshots
from palacs.storage._sql import SQLStorage
from palacs.storage._storage import Clock
from palacs.storage._storage_errors import (
    StorageError,
    StorageFull,
    StorageNotFound,
    StorageReadOnly,
    StorageUnavailable,
)

_SESSION = """
SET lock_timeout = '60s';
SET idle_in_transaction_session_timeout = '5min';
SET tcp_keepalives_idle = 30;
SET tcp_keepalives_interval = 10;
SET tcp_keepalives_count = 3;
SELECT set_config('synchronous_commit', 'on', false)
 WHERE current_setting('synchronous_commit') = 'off'
"""

_LOCK = END.with_for_update()
_NOW_AND_LAST = sa.select(
    sa.literal_column("extract(epoch FROM clock_timestamp())::double precision"),
    LAST.scalar_subquery(),
)
_NOW = sa.text("SELECT extract(epoch FROM clock_timestamp())::double precision")

_sessions: WeakSet[Any] = WeakSet()  # psycopg's connections, in this process or its parent

_SCHEMA_LOCK = 0x70616C616373  # "palacs", as the key of an advisory lock


class PostgreSQLStorage(SQLStorage):
    """A storage in a PostgreSQL database, which it may share with other programs.

    Parameters
    ----------
    url : sqlalchemy.URL
        ``postgresql+psycopg://user:password@host/database``.
    clock : callable or None
        Replaces the server's clock; for tests and simulations.
    """

    address_form = "postgresql+psycopg://USER@HOST/DATABASE"
    shared = True

    @classmethod
    def from_url(cls, url: str, clock: Clock | None = None) -> Self:
        """Return the storage in a database; nothing is opened yet."""
        return cls(parse(url, cls.address_form).set(drivername="postgresql+psycopg"), clock)

    def _connect(self, url: sa.URL) -> sa.Engine:
        try:
            engine = sa.create_engine(
                url,
                pool_pre_ping=True,  # a server that was restarted is met with a new connection
                isolation_level="READ COMMITTED",
                connect_args={"connect_timeout": 10},
            )
        except ModuleNotFoundError as error:
            raise StorageUnavailable(
                f"PostgreSQL needs {error.name!r}, which is not installed; "
                f"run: {remedy('postgres')}"
            ) from error

        @event.listens_for(engine, "connect")
        def _on_connect(connection: Any, _record: Any) -> None:
            connection.execute(_SESSION)
            connection.commit()
            _sessions.add(connection)

        return engine

    def after_fork(self) -> None:
        """Cut this process off from its parent's sessions and open new ones."""
        _leave_sessions()
        super().after_fork()

    @contextmanager
    def _migrating(self) -> Iterator[sa.Connection]:
        with self._writing() as connection:
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_SCHEMA_LOCK)))
            yield connection

    def purge(self) -> None:
        """Write the tables anew without older versions of their rows.

        The server's own write-ahead log, its archive, standbys and backups still hold what was
        erased until they are recycled; only who runs the server can shorten that.
        """
        with self._connected(writes=True) as connection:
            alone = connection.execution_options(isolation_level="AUTOCOMMIT")
            for table in (events, snapshots):
                alone.exec_driver_sql(f"VACUUM (FULL) {table.name}")

    @contextmanager
    def _writing_at_once(self) -> Iterator[sa.Connection]:
        with self._writing() as connection:
            connection.exec_driver_sql("SET LOCAL lock_timeout = '10ms'")
            yield connection

    def _lock(self, connection: sa.Connection, key: int) -> End | None:
        return End.of(connection.execute(_LOCK, {"key": key}).first())

    def _now_and_last(self, connection: sa.Connection, key: int) -> tuple[float, int]:
        # One way to the server and back instead of two, while others wait for the turn.
        now, last = connection.execute(_NOW_AND_LAST, {"key": key}).one()
        return plausible(float(now) if self._clock is None else self._clock()), last or 0

    def _server_now(self, connection: sa.Connection) -> float:
        return float(connection.execute(_NOW).scalar_one())

    def _leaves_open(self, error: exc.DBAPIError) -> bool:
        # The server's own words mean that it refused; without any, or when it was ended from
        # outside, the commit may have been done before.
        state = getattr(error.orig, "sqlstate", None) or ""
        return isinstance(error, exc.OperationalError) and state[:2] in ("", "08", "57")

    def _translate(self, error: exc.DBAPIError) -> StorageError:
        state = getattr(error.orig, "sqlstate", None) or ""
        said = " ".join(str(error.orig).split())
        where = f"{self.url}: {said}"
        if state == "53100" or "File too large" in said or "No space left" in said:
            return StorageFull(f"{where}; the server has no room left, free some disk space.")
        if state in ("25006", "42501"):
            return StorageReadOnly(f"{where}; this user or server may not write.")
        if state == "3D000" or ("database" in said and "does not exist" in said):
            return StorageNotFound(f"{where}; create the database first.")
        if state in ("55P03", "40P01"):
            return StorageUnavailable(f"{where}; another process held the campaign, try again.")
        if isinstance(error, exc.OperationalError) or error.connection_invalidated:
            return StorageUnavailable(
                f"{where}; the server cannot be reached or went away, try again."
            )
        return StorageError(where)

    @contextmanager
    def frozen(self) -> Iterator[sa.Connection]:
        """Show one moment of everything, whoever writes meanwhile."""
        with self._connected(writes=False) as connection:
            connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                yield connection

    @contextmanager
    def alone(self) -> Iterator[sa.Connection]:
        """Keep everybody from writing, in any campaign; the others wait."""
        with self._writing() as connection:
            # Writers lock their campaign's row, which this mode does not allow.
            connection.execute(sa.text("LOCK TABLE palacs_campaigns IN EXCLUSIVE MODE"))
            yield connection

    def size(self) -> int:
        """Return how many bytes our tables take, indexes included."""
        query = " + ".join(f"pg_total_relation_size('{name}')" for name in metadata.tables)
        with self._reading() as connection:
            return int(connection.execute(sa.text(f"SELECT {query}")).scalar_one())

    def after_copy(self, connection: sa.Connection) -> None:
        """Let new campaigns get keys beyond those that were copied."""
        connection.execute(
            sa.text(
                "SELECT setval(pg_get_serial_sequence('palacs_campaigns', 'id'), max(id)) "
                "FROM palacs_campaigns HAVING max(id) IS NOT NULL"
            )
        )


def _leave_sessions() -> None:
    """Let nothing that is said on an inherited session reach the server, nor end it."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for session in list(_sessions):
        if not session.closed:
            os.dup2(nowhere, session.fileno())
    _sessions.clear()
    os.close(nowhere)
