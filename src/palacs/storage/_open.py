"""From an address to a storage.

The address decides the kind; whether tables may be made decides the caller: only creating a
campaign makes a storage, so a mistyped address never leaves an empty file behind.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable

import sqlalchemy as sa
from sqlalchemy import exc

from palacs.storage._base import Storage
from palacs.storage._sql import SQLStorage, shown
from palacs.storage._sqlite import MemoryStorage, SQLiteStorage

DEFAULT_URL = "sqlite:///palacs.db"
"""Used where neither the caller nor the environment variable PALACS_STORAGE says otherwise."""


def open_storage(
    storage: str | Storage | None = None,
    *,
    create: bool = False,
    clock: Callable[[], float] | None = None,
) -> Storage:
    """Open the storage at an address.

    Parameters
    ----------
    storage : str, Storage or None
        ``"sqlite:///lab.db"``, ``"postgresql+psycopg://user@host/database"``, ``"memory"``
        (new and empty each time), or a storage, which is returned as it is. ``None`` stands
        for the environment variable ``PALACS_STORAGE``, or ``sqlite:///palacs.db``.
    create : bool
        Make the file and the tables if they are not there yet.
    clock : callable or None
        Replaces the storage's clock; for tests and simulations.

    Returns
    -------
    Storage

    Raises
    ------
    ValueError
        The address is not one of the above.
    StorageError
        The storage is missing, foreign, damaged, of another schema, or cannot be reached.

    Examples
    --------
    >>> from palacs.storage import open_storage
    >>> open_storage("memory").campaigns()
    []
    """
    if isinstance(storage, Storage):
        return storage
    opened = _make(storage, clock)
    try:
        if create:
            opened.initialise()
        else:
            opened.open()
    except BaseException:
        opened.close()
        raise
    return opened


def upgrade_storage(storage: str | None = None) -> tuple[str, str]:
    """Bring an older storage to the newest schema, in one transaction.

    Parameters
    ----------
    storage : str or None
        The address, as in :func:`open_storage`.

    Returns
    -------
    tuple of str
        The schema versions before and after; equal when there was nothing to do.
    """
    opened = _make(storage, None)
    try:
        return opened.upgrade()
    finally:
        opened.close()


def _make(storage: str | None, clock: Callable[[], float] | None) -> SQLStorage:
    address = storage or os.environ.get("PALACS_STORAGE") or DEFAULT_URL
    if address in ("memory", "sqlite://", "sqlite:///:memory:"):
        return MemoryStorage(clock)
    try:
        url = sa.make_url(address)
    except (exc.ArgumentError, ValueError):
        # What SQLAlchemy says may quote a part of the password.
        raise ValueError(_advice(address)) from None
    if url.drivername in ("sqlite", "sqlite+pysqlite") and url.database:
        return SQLiteStorage(url, clock)
    if url.drivername in ("postgresql", "postgresql+psycopg"):
        from palacs.storage._postgresql import PostgreSQLStorage

        return PostgreSQLStorage(url.set(drivername="postgresql+psycopg"), clock)
    raise ValueError(_advice(address))


def without_password(address: str) -> str:
    """Return a storage's address as it may be printed and logged.

    Parameters
    ----------
    address : str
        As in :func:`open_storage`; it need not be valid.

    Returns
    -------
    str

    Examples
    --------
    >>> from palacs.storage import without_password
    >>> without_password("postgresql+psycopg://ada:secret@host/lab")
    'postgresql+psycopg://ada:***@host/lab'
    """
    try:
        return shown(sa.make_url(address))
    except (exc.ArgumentError, ValueError):
        return re.sub(r":(?!//).*@", ":***@", address)


def _advice(address: str) -> str:
    address = without_password(address)
    hint = f"; did you mean 'sqlite:///{address}'?" if "://" not in address else "."
    return (
        f"{address!r} is no storage address: use sqlite:///FILE.db, "
        f"postgresql+psycopg://USER@HOST/DATABASE or memory{hint}"
    )
