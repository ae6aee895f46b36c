"""The rows of the history: every request and unsolicited instance, in the order of the record.

An entry is small, because there may be a million: its feature vector is a row of the labelled
set, and utilities are kept only while the request is open.
"""

from __future__ import annotations

import json
import zlib
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from palacs.storage import Label

STATES = ("pending", "delivered", "failed", "expired", "retracted", "erased")


@dataclass(slots=True)
class Entry:
    """One request or unsolicited instance: one row of the history.

    Times are seconds since the epoch. ``asked`` is ``None`` for an unsolicited instance;
    ``label`` is the class of the instance, once there is one; ``row`` is where its features
    are; ``done`` is the number of the event by which it was performed or delivered last.
    ``number`` is its place in the history and ``seq`` the event that began it; ``utility`` is
    that of the class asked for, ``utilities`` those recorded, by class, while it is open.
    ``as_told`` is where the features are that it was told with, if an extractor has made others
    since. ``asked_by`` and ``told_by`` are persons; ``attrs`` and ``recording`` are JSON texts.
    ``erased`` means that nothing but its class and its times is left. ``holder`` is the page or
    program it belongs to.
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
    utilities: tuple[tuple[int, float], ...] | None = None
    done: int = 0
    asked_by: str | None = None
    told_by: str | None = None
    attrs: str | None = None
    recording: str | None = None
    erased: bool = False
    holder: str | None = None
    as_told: int | None = None

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
    """All entries by id, in the order of the record.

    Those that were put away (`PackedEntries`) are unpacked when they are asked for by id, and
    kept from then on; going through all of them keeps none.

    Parameters
    ----------
    packed : PackedEntries or None
        The first ones, of a snapshot.
    """

    def __init__(self, packed: PackedEntries | None = None) -> None:
        self._packed = packed or PackedEntries()
        self._by_id: dict[str, Entry] = {}
        self._ids: list[str] = []  # of those that came after the packed ones

    def __getitem__(self, id_: str) -> Entry:
        entry = self._by_id.get(id_)
        if entry is None:
            entry = self._packed.find(id_)
            if entry is None:
                raise KeyError(id_)
            self._by_id[id_] = entry
        return entry

    def __contains__(self, id_: object) -> bool:
        return id_ in self._by_id or (isinstance(id_, str) and self._packed.find(id_) is not None)

    def __iter__(self) -> Iterator[str]:
        return (entry.id for entry in self.values())

    def __len__(self) -> int:
        return len(self._packed) + len(self._ids)

    def values(self) -> Any:
        """Yield all entries in the order of the record; not to be changed."""
        return self.at(range(len(self)))

    def to_change(self) -> Iterator[Entry]:
        """Yield all entries in the order of the record, to be kept as they are left."""
        return (self._by_id.setdefault(entry.id, entry) for entry in self.values())

    def enter(self, id_: str, seq: int) -> Entry:
        """Add an entry at the end."""
        entry = self._by_id[id_] = Entry(id_, self._packed.n + len(self._ids), seq)
        self._ids.append(id_)
        return entry

    def put_back(self, entry: Entry) -> None:
        """Keep an entry that is open, in place of the packed one."""
        self._by_id[entry.id] = entry

    def id_at(self, number: int) -> str:
        """Return the id of the entry at a place in the history."""
        new = number - len(self._packed)
        return self._ids[new] if new >= 0 else self._packed.at(number).id

    def at(self, places: Iterable[int]) -> Iterator[Entry]:
        """Yield the entries at some places in the history; not to be changed."""
        first_new = len(self._packed)
        for place in places:
            if place >= first_new:
                yield self._by_id[self._ids[place - first_new]]
            else:
                packed = self._packed.at(place)
                yield self._by_id.get(packed.id, packed)

    @property
    def at_hand(self) -> int:
        """How many are not put away."""
        return len(self._by_id)

    def put_away(self, but: Iterable[Entry]) -> None:
        """Put all entries away but some, which are kept as they are."""
        self._packed = self.packed()
        self._by_id = {entry.id: entry for entry in but}
        self._ids = []

    def packed(self) -> PackedEntries:
        """Return all of them put away; blocks in which nothing changed are taken over."""
        changed = {entry.number for entry in self._by_id.values()}
        return self._packed.extended(self, changed, len(self))


_BLOCK = 512


class PackedEntries:
    """Entries put away as compressed JSON, in blocks, with an index by id.

    Parameters
    ----------
    n : int
        How many there are.
    blocks : sequence of bytes
        Compressed, ``_BLOCK`` entries each.
    hashes, numbers : ndarray of shape (n,)
        Hashes of the ids in ascending order, and which entries they belong to.
    """

    def __init__(
        self,
        n: int = 0,
        blocks: Sequence[bytes] = (),
        hashes: npt.NDArray[np.uint64] | None = None,
        numbers: npt.NDArray[np.int64] | None = None,
    ) -> None:
        self.n = n
        self.blocks = list(blocks)
        self.hashes = np.empty(0, np.uint64) if hashes is None else hashes
        self.numbers = np.empty(0, np.int64) if numbers is None else numbers
        self._hashes = self.hashes.data  # numbers come out of it faster
        self._open_block: tuple[int, list[Sequence[Any]]] = (-1, [])

    def __len__(self) -> int:
        return self.n

    def at(self, number: int) -> Entry:
        """Return the entry at a place in the history."""
        block, place = divmod(number, _BLOCK)
        latest = self._open_block  # another thread may open another one meanwhile
        if latest[0] != block:
            latest = self._open_block = block, _from_block(self.blocks[block])
        return from_row(latest[1][place])

    def find(self, id_: str) -> Entry | None:
        """Return the entry with an id."""
        if not self.n:
            return None
        wanted = _hash(id_)
        for place in range(bisect_left(self._hashes, wanted), self.n):
            if self._hashes[place] != wanted:
                break
            entry = self.at(int(self.numbers[place]))
            if entry.id == id_:
                return entry
        return None

    def extended(self, entries: Entries, changed: set[int], n: int) -> PackedEntries:
        """Return the first `n` entries put away; only blocks with changes are packed anew."""
        touched = {number // _BLOCK for number in changed}
        touched |= set(range(self.n // _BLOCK, -(-n // _BLOCK)))
        blocks = [*self.blocks, *[b""] * (-(-n // _BLOCK) - len(self.blocks))]
        for block in sorted(touched):
            places = range(block * _BLOCK, min(n, (block + 1) * _BLOCK))
            blocks[block] = _to_block(entries.at(places))
        new = np.array([_hash(entries.id_at(i)) for i in range(self.n, n)], dtype=np.uint64)
        hashes = np.concatenate([self.hashes, new])
        numbers = np.concatenate([self.numbers, np.arange(self.n, n)])
        order = np.argsort(hashes, kind="stable")
        return PackedEntries(n, blocks, hashes[order], numbers[order])


_FIELDS = tuple(field.name for field in fields(Entry))
_values_of = attrgetter(*_FIELDS)


def _to_block(entries: Iterable[Entry]) -> bytes:
    """Return entries column by column; most columns hold one value in all of them."""
    columns = zip(*map(_values_of, entries), strict=True)
    told = [list(column) if len(set(column)) > 1 else column[:1] for column in columns]
    return zlib.compress(json.dumps(told).encode(), 1)


def _from_block(data: bytes) -> list[Sequence[Any]]:
    columns = json.loads(zlib.decompress(data))
    n = max(map(len, columns))
    return list(zip(*(c if len(c) == n else c * n for c in columns), strict=True))


def to_row(entry: Entry) -> list[Any]:
    """Return the fields of an entry as JSON has them."""
    return list(_values_of(entry))


def from_row(row: Sequence[Any]) -> Entry:
    """Undo `to_row`."""
    entry = Entry(*row)
    if entry.utilities is not None:
        entry.utilities = tuple((int(code), float(u)) for code, u in entry.utilities)
    return entry


def _hash(id_: str) -> int:
    # Python's own hash is another one in each process. Where two are the same, ids are compared.
    raw = id_.encode("utf-8", "surrogatepass")
    return zlib.crc32(raw) << 32 | zlib.adler32(raw)
