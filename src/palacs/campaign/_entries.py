"""The rows of the history: every request and unsolicited instance, in the order of the record.

An entry is small, because there may be a million: its feature vector is a row of the labelled
set, and the utilities of all classes are kept only while the request is open.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from palacs.storage import Label

STATES = ("pending", "delivered", "failed", "expired", "retracted", "erased")


@dataclass(slots=True)
class Entry:
    """One request or unsolicited instance: one row of the history.

    Times are seconds since the epoch. ``asked`` is ``None`` for an unsolicited instance;
    ``label`` is the class of the instance, once there is one; ``row`` is where its features
    are; ``done`` is the number of the event by which it was performed or delivered last.
    ``number`` is its place in the history and ``seq`` the event that began it; ``utility`` is
    that of the class asked for, ``utilities`` those of all classes while the request is open.
    ``erased`` means that nothing but its class and its times is left.
    """

    id: str
    number: int
    seq: int
    asked: Label | None = None
    asked_at: float | None = None
    expires_at: float | None = None
    performed_at: float | None = None
    label: Label | None = None
    row: int | None = None
    told_at: float | None = None
    failed_at: float | None = None
    retracted_at: float | None = None
    reason: str | None = None
    cost: float | None = None
    duration: float | None = None
    utility: float | None = None
    utilities: tuple[float, ...] | None = None
    done: int = 0
    erased: bool = False

    def state(self, at: float) -> str:
        """Return one of ``STATES``, as of the time `at`."""
        if self.erased:
            return "erased"
        if self.retracted_at is not None:
            return "retracted"
        if self.told_at is not None:
            return "delivered"
        if self.failed_at is not None:
            return "failed"
        return "pending" if self.expires_at is None or at < self.expires_at else "expired"


class Entries(Mapping[str, Entry]):
    """All entries by id, in the order of the record."""

    def __init__(self) -> None:
        self._by_id: dict[str, Entry] = {}
        self._ids: list[str] = []

    def __getitem__(self, id_: str) -> Entry:
        return self._by_id[id_]

    def __contains__(self, id_: object) -> bool:
        return id_ in self._by_id

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_id)

    def __len__(self) -> int:
        return len(self._by_id)

    def enter(self, id_: str, seq: int) -> Entry:
        """Add an entry at the end."""
        entry = self._by_id[id_] = Entry(id_, len(self._ids), seq)
        self._ids.append(id_)
        return entry

    def id_at(self, number: int) -> str:
        """Return the id of the entry at a place in the history."""
        return self._ids[number]

    def at(self, places: Iterable[int]) -> Iterator[Entry]:
        """Yield the entries at some places in the history."""
        for place in places:
            yield self._by_id[self._ids[place]]
