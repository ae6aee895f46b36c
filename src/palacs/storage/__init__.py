"""The durable record of campaigns: SQLite by default, PostgreSQL for a lab, or memory.

`open_storage` turns an address into a `Storage`, whose docstring states the guarantees; a third
party brings one for another scheme through an entry point of the group ``palacs.storages``.
Errors are `StorageError` and its subclasses, one per remedy.
"""

from palacs.extras import need

need("campaign", "palacs.storage")

from palacs.storage._addresses import without_password
from palacs.storage._copying import Progress, backup_storage, move_storage, restore_storage
from palacs.storage._drafts import (
    ERASED,
    EVENT_FIELDS,
    EVENT_KINDS,
    EVENT_MEANINGS,
    ONCE,
    Draft,
    Event,
    EventKind,
    Label,
)
from palacs.storage._forking import ForkSafeLock
from palacs.storage._memory import MemoryStorage
from palacs.storage._opening import DEFAULT_URL, give_up_log, open_storage, upgrade_storage
from palacs.storage._storage import Clock, Storage
from palacs.storage._storage_errors import (
    CampaignExists,
    CampaignNotFound,
    ForeignStorage,
    StorageConflict,
    StorageDamaged,
    StorageError,
    StorageExists,
    StorageFull,
    StorageNotFound,
    StorageOutcomeUnknown,
    StorageOutdated,
    StorageReadOnly,
    StorageTooNew,
    StorageUnavailable,
)
from palacs.storage._turn import SnapshotPart, StoredCampaign, Transaction, checksum

__all__ = [
    "DEFAULT_URL",
    "ERASED",
    "EVENT_FIELDS",
    "EVENT_KINDS",
    "EVENT_MEANINGS",
    "ONCE",
    "CampaignExists",
    "CampaignNotFound",
    "Clock",
    "Draft",
    "Event",
    "EventKind",
    "ForeignStorage",
    "ForkSafeLock",
    "Label",
    "MemoryStorage",
    "Progress",
    "SnapshotPart",
    "Storage",
    "StorageConflict",
    "StorageDamaged",
    "StorageError",
    "StorageExists",
    "StorageFull",
    "StorageNotFound",
    "StorageOutcomeUnknown",
    "StorageOutdated",
    "StorageReadOnly",
    "StorageTooNew",
    "StorageUnavailable",
    "StoredCampaign",
    "Transaction",
    "backup_storage",
    "checksum",
    "give_up_log",
    "move_storage",
    "open_storage",
    "restore_storage",
    "upgrade_storage",
    "without_password",
]
