"""The promise every storage keeps: an append-only record of events per campaign.

A campaign is nothing but its events in order. A storage gives them consecutive numbers,
never changes or loses one it has acknowledged, and lets one writer at a time decide what
comes next. Everything else (what is pending, the labelled set) is derived by the campaign.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import ClassVar, Self

from palacs.storage._drafts import Draft, Event
from palacs.storage._storage_errors import (
    StorageError,
    StorageNotFound,
    StorageOutdated,
    StorageTooNew,
)
from palacs.storage._turn import SnapshotPart, StoredCampaign, Transaction

Clock = Callable[[], float]
"""Tells the time in seconds since the epoch."""


class Storage(ABC):
    """Where campaigns are kept.

    A subclass says where its addresses lead, which schema it finds there and how one is made;
    opening, initialising and upgrading are then the same for all.

    Guarantees, checked for every storage by `palacs.testing.check_storage`:

    Durability
        When `create` or a `write` block returns, its events are on stable storage (SQLite:
        WAL with full synchronisation; PostgreSQL: synchronous commit) and survive the death
        of the process, the machine or its power supply. A block that raises, or whose process
        is killed inside it, leaves nothing behind. The in-memory storage keeps everything
        else of this contract but ends with its process.
    Order
        Events of one campaign are numbered 1, 2, 3, ... without gaps and never change:
        the database itself refuses to update or delete one. The only exception is erasing
        (`Transaction.erase`), which takes numbers out, adds none and leaves a tombstone.
    Exclusiveness
        At most one `write` block per campaign is active at any time, across threads,
        processes and machines. The others wait, up to the storage's time limit (60 s),
        then raise `StorageUnavailable`. Readers of a file or server never wait.
    Uniqueness
        A request is asked once and closed (told or failed) once; an instance enters once
        and is retracted once (`palacs.storage.ONCE`). A violation raises `StorageConflict`;
        it is the database that says no, so it holds for any number of writers.
    Thread-safety
        All methods may be called from any thread and after a fork.
    Ownership
        A storage opened from a URL by a campaign is closed with it; a storage object that
        was handed in belongs to the caller.

    Promises of opening, which hold for every address and are tested for each database:

    Looking first
        A foreign, damaged, older or newer storage is refused before anything is written.
        Only `initialise` makes one, so a mistyped address leaves nothing behind.
    All or nothing
        A process killed while it makes or upgrades a storage leaves what was there before.
    """

    url: str
    """Address of the storage, without the password."""

    address_form: ClassVar[str] = "SCHEME://..."
    """How its addresses look, for messages."""

    schemas: ClassVar[tuple[str, ...]] = ("1",)
    """Every schema there has been, oldest first; the last one is what this class reads."""

    package: ClassVar[str] = "palacs"
    """The package that brings the class: what to upgrade when a record is too new for it."""

    @classmethod
    @abstractmethod
    def from_url(cls, url: str, clock: Clock | None = None) -> Self:
        """Return the storage at an address without looking at what is there.

        Parameters
        ----------
        url : str
            With the scheme under which the class is registered.
        clock : callable or None
            Replaces the storage's clock; for tests and simulations.

        Raises
        ------
        ValueError
            The address does not have the right form; the message shows no password.
        """

    @classmethod
    def open(cls, url: str, *, create: bool = False, clock: Clock | None = None) -> Self:
        """Open the storage at an address; `palacs.storage.open_storage` finds the class.

        Parameters
        ----------
        url : str
            Its address.
        create : bool
            Make it if it is not there yet.
        clock : callable or None
            Replaces the storage's clock; for tests and simulations.
        """
        opened = cls.from_url(url, clock)
        try:
            if create:
                opened.initialise()
            else:
                opened.check()
        except BaseException:
            opened.close()
            raise
        return opened

    @abstractmethod
    def schema(self) -> str:
        """Return the version of the schema found at the address; write nothing.

        Raises
        ------
        StorageNotFound
            There is nothing yet; the message says how to make it.
        StorageError
            What is there is foreign or damaged, or cannot be reached.
        """

    @abstractmethod
    def make(self) -> None:
        """Make an empty storage, unless another process was faster; all of it or nothing."""

    def migrate(self) -> None:
        """Bring an older schema to the newest; all of it or nothing.

        Called only where `schema` returned an older one of ``schemas``, so a storage that has
        had one schema only does not need it.
        """
        raise NotImplementedError(
            f"{type(self).__name__} lists the older schemas {self.schemas[:-1]} but has no "
            "migrate(); implement it."
        )

    def check(self) -> None:
        """Raise unless a storage of the newest schema is there; write nothing."""
        self._require_newest(self.schema())

    def initialise(self) -> None:
        """Make the storage if it is not there yet, else check it."""
        try:
            found = self.schema()
        except StorageNotFound:
            self.make()
            found = self.schema()
        self._require_newest(found)

    def upgrade(self) -> tuple[str, str]:
        """Bring an older schema to the newest; return the versions before and after."""
        try:
            before = self.schema()
        except StorageNotFound as error:
            raise StorageNotFound(f"there is no palacs storage to upgrade: {error}") from error
        try:
            self._require_newest(before)
        except StorageOutdated:
            self.migrate()
        return before, self.schemas[-1]

    def _require_newest(self, found: str) -> None:
        newest = self.schemas[-1]
        if found == newest:
            return
        if found in self.schemas:
            raise StorageOutdated(
                f"{self.url} was made by an older {self.package} (schema {found}, now {newest}); "
                f"run: palacs storage upgrade --storage {self.url}"
            )
        raise StorageTooNew(
            f"{self.url} was made by a newer {self.package} (schema {found}, this one reads up "
            f"to {newest}); run: pip install --upgrade {self.package}"
        )

    @abstractmethod
    def create(self, name: str, drafts: Sequence[Draft]) -> StoredCampaign:
        """Make a campaign together with its first events, or raise `CampaignExists`."""

    @abstractmethod
    def find(self, name: str) -> StoredCampaign:
        """Return the campaign called `name`, or raise `CampaignNotFound`."""

    @abstractmethod
    def campaigns(self) -> list[StoredCampaign]:
        """Return all campaigns, oldest first."""

    @abstractmethod
    def events(self, key: int, after: int = 0, limit: int | None = None) -> list[Event]:
        """Return events of campaign `key` numbered above `after`, in order.

        This is also the cursor with which a page or another process follows a campaign:
        remember the last number seen and ask for what came after it.
        """

    @abstractmethod
    def write(self, key: int) -> AbstractContextManager[Transaction]:
        """Take the writer's turn on campaign `key`; leaving the block commits it."""

    # -- snapshots: a cache that a storage may do without ----------------------------------

    def load_snapshot(self, key: int, part: str, known: bytes | None = None) -> SnapshotPart | None:
        """Return a part of a campaign's snapshot, or None where there is none or any doubt.

        Parameters
        ----------
        key : int
            The campaign.
        part : str
            Name of the part.
        known : bytes or None
            The `checksum` it must have. By default its own must hold, and so must its place:
            the chain it was made at, extended by the events since, is the record's.

        Returns
        -------
        SnapshotPart or None
        """
        return None

    def save_snapshot(
        self,
        key: int,
        seq: int,
        form: str,
        parts: Mapping[str, bytes],
        *,
        keep: Collection[str] | None = None,
    ) -> bool:
        """Write parts of a snapshot, unless the record has moved on or somebody is writing.

        Parameters
        ----------
        key, seq : int
            The campaign, and the event up to which the parts add it up.
        form : str
            Which form they have.
        parts : mapping
            Bytes by name; those there are of the same name are replaced.
        keep : collection of str or None
            Names of all parts that stay, the new ones included; None leaves the others alone.

        Returns
        -------
        bool
            Whether they were written; a storage that keeps no snapshots says no.
        """
        return False

    def snapshot_parts(self, key: int) -> dict[str, bytes]:
        """Return the checksums of the parts of a campaign's snapshot, by name."""
        return {}

    def size(self) -> int | None:
        """Return how many bytes the storage takes, logs included; None where nobody knows."""
        return None

    def verify(self) -> list[str]:
        """Read everything there is and return what is wrong with it, one sentence each.

        Opening and writing look at the end of a record and at what they read of it; this looks
        at all of it, whatever was seen before, and takes as long as reading the storage once.

        Examples
        --------
        >>> from palacs.storage import MemoryStorage
        >>> MemoryStorage().verify()
        []
        """
        found = []
        for campaign in self.campaigns():
            try:
                seqs = [event.seq for event in self.events(campaign.key)]
            except StorageError as error:
                found.append(f"campaign {campaign.name!r}: {error}")
                continue
            if seqs != list(range(1, campaign.head + 1)):
                found.append(f"campaign {campaign.name!r}: events are missing")
        return found

    @abstractmethod
    def purge(self) -> None:
        """Overwrite what erased events left behind: free pages, logs, older row versions.

        Takes as long as writing the whole storage once and waits for everybody else's turn to
        end. A storage that leaves nothing behind has nothing to do here.
        """

    @abstractmethod
    def now(self) -> float:
        """Return the clock that leases are measured with, in seconds since the epoch."""

    @abstractmethod
    def close(self) -> None:
        """Give back connections; the storage can be used again afterwards."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
