"""What a storage hands out: a campaign's place in it, a writer's turn, a piece of a snapshot."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from hashlib import sha256

from palacs.storage._drafts import Draft, Event


@dataclass(frozen=True, slots=True)
class StoredCampaign:
    """A campaign's place in a storage: its key, name, creation time and last event number.

    ``chain`` stands for all events up to ``head``: it is another one if any of them is. It is
    empty where a storage keeps no chain.
    """

    key: int
    name: str
    created_at: float
    head: int
    chain: bytes = b""


@dataclass(frozen=True, slots=True)
class SnapshotPart:
    """A part of a snapshot: the event it stands at, the form it has, and its bytes."""

    seq: int
    format: str
    data: bytes


def checksum(data: bytes) -> bytes:
    """Return what the bytes of a part of a snapshot are recognised by.

    Examples
    --------
    >>> from palacs.storage import checksum
    >>> checksum(b"palacs").hex()[:8]
    'ded486c6'
    """
    return sha256(data).digest()


class Transaction(ABC):
    """One writer's turn on one campaign; see `Storage.write`.

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

    @abstractmethod
    def erase(self, seqs: Collection[int], tombstone: Draft) -> Event:
        """Take the numbers out of events for good and write what stands in their place.

        An erased event keeps ``seq``, ``at``, ``kind``, ``entry``, ``label`` and ``op``; its
        payload is `palacs.storage.ERASED` and all else is ``None``. What was derived from it
        (snapshots) goes with it. `Storage.purge` removes what deleting leaves on the disk.

        Parameters
        ----------
        seqs : collection of int
            Numbers of the events; those that are erased already stay so.
        tombstone : Draft
            An event of kind ``erased`` that says how many and why, and nothing personal.

        Returns
        -------
        Event
            The tombstone as written.

        Raises
        ------
        ValueError
            The tombstone is of another kind, or a number is not in the record or one's.
        """

    def operation(self, op: str) -> list[Event]:
        """Return the events that an operation wrote, by its client's id, in order.

        A storage that can find them without reading the record should do so.
        """
        return [event for event in self.events(0) if event.op == op]
