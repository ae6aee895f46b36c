"""From an address to a storage: its scheme says which class, and the class does the rest.

A third party adds a storage through an entry point of the group ``palacs.storages`` whose name
is the scheme and whose value is the subclass of `Storage`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import MappingProxyType

from palacs.storage._addresses import without_password
from palacs.storage._memory import MemoryStorage
from palacs.storage._postgresql import PostgreSQLStorage
from palacs.storage._sqlite import SQLiteStorage
from palacs.storage._storage import Clock, Storage
from palacs.storage._storage_errors import StorageUnavailable

DEFAULT_URL = "sqlite:///palacs.db"
"""Used where neither the caller nor the environment variable PALACS_STORAGE says otherwise."""

ENTRY_POINT_GROUP = "palacs.storages"

_BUILT_IN: Mapping[str, type[Storage]] = {
    "sqlite": SQLiteStorage,
    "sqlite+pysqlite": SQLiteStorage,
    "postgresql": PostgreSQLStorage,
    "postgresql+psycopg": PostgreSQLStorage,
    "memory": MemoryStorage,
}

# How SQLAlchemy spells a database in memory.
_MEMORY = ("sqlite://", "sqlite:///:memory:")


def open_storage(
    storage: str | Storage | None = None,
    *,
    create: bool = False,
    clock: Clock | None = None,
) -> Storage:
    """Open the storage at an address.

    Parameters
    ----------
    storage : str, Storage or None
        ``"sqlite:///lab.db"``, ``"postgresql+psycopg://user@host/database"``, ``"memory"``
        (new and empty each time), an address of a third party's storage, or a storage, which
        is returned as it is. ``None`` stands for the environment variable ``PALACS_STORAGE``,
        or ``sqlite:///palacs.db``.
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
    address = _address(storage)
    return storage_class(address).open(address, create=create, clock=clock)


def upgrade_storage(storage: str | None = None) -> tuple[str, str]:
    """Bring an older storage to the newest schema, in one transaction.

    Parameters
    ----------
    storage : str or None
        The address, as in `open_storage`.

    Returns
    -------
    tuple of str
        The schema versions before and after; equal when there was nothing to do.
    """
    with storage_at(storage) as found:
        return found.upgrade()


def give_up_log(storage: str | None = None) -> Path | None:
    """Go on with a SQLite file whose log is damaged, without what stands behind the damage.

    Parameters
    ----------
    storage : str or None
        The address, as in `open_storage`; no program may be using the file.

    Returns
    -------
    Path or None
        Where the damaged log is kept; None where there was nothing wrong with it.
    """
    with storage_at(storage) as found:
        return found.give_up_log() if isinstance(found, SQLiteStorage) else None


def storage_at(storage: str | None) -> Storage:
    """Return the storage at an address without looking at what is there."""
    address = _address(storage)
    return storage_class(address).from_url(address)


def storage_class(address: str) -> type[Storage]:
    """Return the class that keeps what is at an address.

    Parameters
    ----------
    address : str
        Only its scheme matters.

    Returns
    -------
    type[Storage]

    Raises
    ------
    ValueError
        There is no storage for this scheme.
    StorageUnavailable
        There is one, but the package that brings it is broken.
    """
    scheme = address.partition("://")[0]
    found = _schemes().get(scheme)
    if found is None:
        raise ValueError(_advice(address))
    return _load(found) if isinstance(found, EntryPoint) else found


def _address(storage: str | None) -> str:
    address = storage or os.environ.get("PALACS_STORAGE") or DEFAULT_URL
    return "memory" if address in _MEMORY else address


@cache
def _schemes() -> Mapping[str, type[Storage] | EntryPoint]:
    """Return every known scheme; third parties' classes are imported when they are needed."""
    table: dict[str, type[Storage] | EntryPoint] = dict(_BUILT_IN)
    for point in entry_points(group=ENTRY_POINT_GROUP):
        if point.name in table:
            raise ValueError(
                f"entry point {point.value!r} brings a storage for the scheme {point.name!r}, "
                "which is taken; rename it."
            )
        table[point.name] = point
    return MappingProxyType(table)


def _load(point: EntryPoint) -> type[Storage]:
    try:
        loaded = point.load()
    except (ImportError, AttributeError) as error:
        raise StorageUnavailable(
            f"the storage for {point.name}:// cannot be loaded from {point.value!r} ({error}); "
            "install the package that brings it again."
        ) from error
    if not (isinstance(loaded, type) and issubclass(loaded, Storage)):
        raise TypeError(
            f"entry point {point.value!r} gives {loaded!r}; it must point to a subclass of "
            "palacs.storage.Storage."
        )
    return loaded


def _advice(address: str) -> str:
    forms = [
        f"{scheme}://..." if isinstance(found, EntryPoint) else found.address_form
        for scheme, found in _schemes().items()
    ]
    *others, last = dict.fromkeys(forms)
    address = without_password(address)
    hint = (
        "; for another scheme, install the package that brings its storage."
        if "://" in address
        else f"; did you mean 'sqlite:///{address}'?"
    )
    return f"{address!r} is no storage address: use {', '.join(others)} or {last}{hint}"
