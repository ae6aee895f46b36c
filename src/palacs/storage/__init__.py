"""The durable record of campaigns: SQLite by default, PostgreSQL for a lab, or memory.

:func:`open_storage` turns an address into a :class:`Storage`, whose docstring states the
guarantees. Errors are :class:`StorageError` and its subclasses, one per remedy.
"""

from palacs.storage._base import Draft, Event, Label, Storage, StoredCampaign, Transaction
from palacs.storage._errors import (
    CampaignExists,
    CampaignNotFound,
    ForeignStorage,
    StorageConflict,
    StorageDamaged,
    StorageError,
    StorageFull,
    StorageNotFound,
    StorageOutdated,
    StorageReadOnly,
    StorageTooNew,
    StorageUnavailable,
)
from palacs.storage._open import DEFAULT_URL, open_storage, upgrade_storage, without_password
from palacs.storage._sqlite import MemoryStorage

__all__ = [
    "DEFAULT_URL",
    "CampaignExists",
    "CampaignNotFound",
    "Draft",
    "Event",
    "ForeignStorage",
    "Label",
    "MemoryStorage",
    "Storage",
    "StorageConflict",
    "StorageDamaged",
    "StorageError",
    "StorageFull",
    "StorageNotFound",
    "StorageOutdated",
    "StorageReadOnly",
    "StorageTooNew",
    "StorageUnavailable",
    "StoredCampaign",
    "Transaction",
    "open_storage",
    "upgrade_storage",
    "without_password",
]
