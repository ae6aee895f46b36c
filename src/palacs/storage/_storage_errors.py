"""What can go wrong with the durable record, one exception per remedy.

Drivers raise dozens of errors; a user can do only a handful of things about them. Every
driver error is translated into one of these before it leaves the room, so that a message
always says what happened and what to do, and scripts can tell the cases apart.
"""

from __future__ import annotations


class StorageError(Exception):
    """The record could not be read or written; nothing of the failed operation was kept.

    The one exception is `StorageOutcomeUnknown`.
    """


class StorageNotFound(StorageError):
    """There is no palacs storage at this address."""


class StorageUnavailable(StorageError):
    """The storage exists but does not answer: server down, or locked for too long."""


class StorageOutcomeUnknown(StorageUnavailable):
    """The connection broke while the end of a turn was written: it may or may not be kept."""


class StorageReadOnly(StorageError):
    """The storage can be read but not written: permissions, or a read-only server."""


class StorageFull(StorageError):
    """There is no room left to write."""


class StorageDamaged(StorageError):
    """The file is truncated or its content is no longer consistent."""


class ForeignStorage(StorageError):
    """The file or database belongs to another program; it was left untouched."""


class StorageOutdated(StorageError):
    """The storage was made by an older palacs and has to be upgraded first."""


class StorageTooNew(StorageError):
    """The storage was made by a newer palacs than this one."""


class StorageConflict(StorageError):
    """The database refused a second event where the record allows only one."""


class StorageExists(StorageError):
    """Something is already kept where a copy should go; nothing was overwritten."""


class CampaignExists(StorageError):
    """A campaign of this name is already in the storage."""


class CampaignNotFound(StorageError):
    """No campaign of this name is in the storage."""
