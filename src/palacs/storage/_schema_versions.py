"""Which schema a database has, and how it gets to the newest one.

Looking writes nothing; a foreign database is refused. Making and upgrading run alembic
inside one transaction, so that a process killed in the middle leaves the database as it was.
"""

from __future__ import annotations

import sqlalchemy as sa

from palacs.storage._schema import REVISIONS, VERSION_TABLE, metadata
from palacs.storage._storage_errors import ForeignStorage


def inspect(connection: sa.Connection, url: str, *, shared: bool) -> str | None:
    """Return the schema version of a database, or ``None`` where it is empty.

    Parameters
    ----------
    connection : sqlalchemy.Connection
        Only read from.
    url : str
        For messages.
    shared : bool
        Whether other programs' tables may live beside ours. A server's database may be
        shared; a file is either ours or not.
    """
    tables = set(sa.inspect(connection).get_table_names())
    if VERSION_TABLE not in tables:
        others = tables & set(metadata.tables) if shared else tables
        if others:
            raise ForeignStorage(
                f"{url} holds tables of another program ({', '.join(sorted(others)[:3])}) and is "
                "no palacs storage; it was left untouched. Choose another file or database."
            )
        return None
    versions = connection.execute(sa.text(f"SELECT version_num FROM {VERSION_TABLE}")).scalars()
    found = list(versions)
    if len(found) != 1:
        raise ForeignStorage(
            f"{url} does not say which schema it has ({found!r}); restore it from a backup."
        )
    return str(found[0])


def migrate(connection: sa.Connection) -> None:
    """Bring the database to the newest schema, inside the caller's transaction."""
    migrate_to(connection, REVISIONS[-1])


def migrate_to(connection: sa.Connection, revision: str) -> None:
    """Bring the database to a given schema; older ones are made in tests only."""
    # alembic takes a third of a second to import; only making and upgrading need it.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "palacs.storage:migrations")
    config.attributes["connection"] = connection
    command.upgrade(config, revision)
