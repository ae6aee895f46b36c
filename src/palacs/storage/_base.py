"""The promise every storage keeps: an append-only record of events per campaign.

A campaign is nothing but its events in order. A storage gives them consecutive numbers,
never changes or loses one it has acknowledged, and lets one writer at a time decide what
comes next. Everything else (what is pending, the labelled set) is derived by the campaign.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

Label = str | int
"""A class label: text or an integer, kept as it was given."""


@dataclass(frozen=True, slots=True)
class Draft:
    """An event that has not been written yet.

    Attributes
    ----------
    kind : str
        What happened: ``asked``, ``told``, ``failed``, ``added``, ``retracted``, ...
    entry : str or None
        Id of the request or unsolicited instance it is about.
    label : str, int or None
        The class it is about.
    x : bytes or None
        Raw feature vector, little-endian float64.
    cost, duration : float or None
        What the acquisition cost and how many seconds it took, where recorded.
    payload : mapping
        Everything else, as JSON-able values without NaN or infinity.
    at : float or None
        Seconds since the epoch; ``None`` means the moment of writing.
    """

    kind: str
    entry: str | None = None
    label: Label | None = None
    x: bytes | None = None
    cost: float | None = None
    duration: float | None = None
    payload: Mapping[str, Any] = field(default_factory=dict)
    at: float | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """A written event: a :class:`Draft` with its number and its time."""

    seq: int
    at: float
    kind: str
    entry: str | None = None
    label: Label | None = None
    x: bytes | None = None
    cost: float | None = None
    duration: float | None = None
    payload: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StoredCampaign:
    """A campaign's place in a storage: its key, name, creation time and last event number."""

    key: int
    name: str
    created_at: float
    head: int


class Transaction(ABC):
    """One writer's turn on one campaign; see :meth:`Storage.write`.

    Attributes
    ----------
    head : int
        Number of the last event; no other writer can move it during the turn.
    now : float
        The storage's clock at the start of the turn, seconds since the epoch.
    """

    head: int
    now: float

    @abstractmethod
    def events(self, after: int) -> list[Event]:
        """Return the events numbered above `after`, in order."""

    @abstractmethod
    def append(self, drafts: Sequence[Draft]) -> list[Event]:
        """Write events, numbered from ``head + 1``; visible to others when the turn ends."""


class Storage(ABC):
    """Where campaigns are kept.

    Guarantees, checked for every storage by :func:`palacs.testing.check_storage`:

    Durability
        When :meth:`create` or a :meth:`write` block returns, its events are on stable
        storage (SQLite: WAL with full synchronisation; PostgreSQL: synchronous commit) and
        survive the death of the process, the machine or its power supply. A block that
        raises, or whose process is killed inside it, leaves nothing behind. The in-memory
        storage keeps everything else of this contract but ends with its process.
    Order
        Events of one campaign are numbered 1, 2, 3, ... without gaps and never change:
        the database itself refuses to update or delete one.
    Exclusiveness
        At most one :meth:`write` block per campaign is active at any time, across threads,
        processes and machines. The others wait, up to the storage's time limit (60 s),
        then raise :class:`StorageUnavailable`. Readers of a file or server never wait.
    Uniqueness
        A request is asked once and closed (told or failed) once; an instance enters once
        and is retracted once. A violation raises :class:`StorageConflict`; it is the
        database that says no, so it holds for any number of writers.
    Thread-safety
        All methods may be called from any thread and after a fork.
    Ownership
        A storage opened from a URL by a campaign is closed with it; a storage object that
        was handed in belongs to the caller.
    """

    url: str
    """Address of the storage, without the password."""

    @abstractmethod
    def create(self, name: str, drafts: Sequence[Draft]) -> StoredCampaign:
        """Make a campaign together with its first events, or raise :class:`CampaignExists`."""

    @abstractmethod
    def find(self, name: str) -> StoredCampaign:
        """Return the campaign called `name`, or raise :class:`CampaignNotFound`."""

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
