"""Seals: a storage that can be read, while the database itself refuses every event.

One that was moved is sealed for good and says where to go instead; the copy that a move makes is
sealed until the old one is. So at no moment, whoever is killed, can both be written.
"""

from __future__ import annotations

import sqlalchemy as sa

from palacs.storage._storage_errors import StorageReadOnly

MOVED, COPY = "palacs: moved to ", "palacs: copy of "
"""What the database says, before an address, when somebody writes to a storage that is sealed."""

_TABLES = ("palacs_campaigns", "palacs_events")
_OF_SQLITE = "SELECT sql FROM sqlite_master WHERE type = 'trigger' AND name = 'palacs_events_moved'"
_OF_POSTGRESQL = (
    "SELECT tgargs FROM pg_trigger WHERE tgname = 'palacs_events_moved' "
    "AND tgrelid = to_regclass('palacs_events')"
)
_BEFORE, _AFTER = "RAISE(ABORT, '", "'); END"


def seal(connection: sa.Connection, message: str) -> None:
    """Let the database refuse every further event and campaign with a message."""
    quoted = message.replace("'", "''")
    if connection.dialect.name != "sqlite":
        _run(
            connection,
            "CREATE FUNCTION palacs_moved() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION USING MESSAGE = TG_ARGV[0]; END $$",
        )
    for table in _TABLES:
        trigger = f"CREATE TRIGGER {table}_moved BEFORE INSERT ON {table} "
        if connection.dialect.name == "sqlite":
            _run(connection, f"{trigger}BEGIN SELECT {_BEFORE}{quoted}{_AFTER}")
        else:
            _run(
                connection,
                f"{trigger}FOR EACH STATEMENT EXECUTE FUNCTION palacs_moved('{quoted}')",
            )


def unseal(connection: sa.Connection) -> None:
    """Let a storage be written again."""
    for table in _TABLES:
        on = "" if connection.dialect.name == "sqlite" else f" ON {table}"
        _run(connection, f"DROP TRIGGER {table}_moved{on}")
    if connection.dialect.name != "sqlite":
        _run(connection, "DROP FUNCTION palacs_moved()")


def seal_of(connection: sa.Connection) -> str | None:
    """Return the message that a storage is sealed with; None where it can be written."""
    sqlite = connection.dialect.name == "sqlite"
    found = connection.execute(sa.text(_OF_SQLITE if sqlite else _OF_POSTGRESQL)).scalar()
    if found is None:
        return None
    if sqlite:
        return str(found).partition(_BEFORE)[2].removesuffix(_AFTER).replace("''", "'")
    return bytes(found).rstrip(b"\0").decode()


def refusal_of(message: str, address: str) -> StorageReadOnly | None:
    """Return the error that a seal stands for, or None where a message is of something else."""
    for sealed in (MOVED, COPY):
        if sealed in message:
            where = message.partition(sealed)[2].splitlines()[0].strip()
            break
    else:
        return None
    if sealed == MOVED:
        return StorageReadOnly(f"{address} was moved and is kept for reading only; use {where}")
    return StorageReadOnly(
        f"{address} is the copy of a move that was not finished, and can only be read; go on at "
        f"{where}, or finish it: palacs storage move {where} {address}"
    )


def _run(connection: sa.Connection, statement: str) -> None:
    # Without parameters: a colon is one, in an address as well.
    connection.execute(sa.text(statement.replace(":", r"\:")))
