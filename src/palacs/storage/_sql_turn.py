"""A writer's turn in SQL: lock, look, append, commit, all in one database transaction."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import sqlalchemy as sa

from palacs.storage import _chain
from palacs.storage._drafts import ERASED, Draft, Event
from palacs.storage._following import End, Seen, read_events
from palacs.storage._rows import events_of_operation, to_json, to_row, whole_row
from palacs.storage._schema import campaigns, events, snapshots
from palacs.storage._turn import Transaction

_THIS_EVENT = sa.and_(
    events.c.campaign_id == sa.bindparam("key"), events.c.seq == sa.bindparam("of")
)
_INSERT = sa.insert(events)
_SET_HEAD = (
    sa.update(campaigns)
    .where(campaigns.c.id == sa.bindparam("key"))
    .values(head=sa.bindparam("new_head"), chain=sa.bindparam("new_chain"))
)
_ERASE = (
    sa.update(events)
    .where(_THIS_EVENT)
    .values(dict.fromkeys(_chain.ERASABLE))
    .values(payload=to_json(dict(ERASED)), salt=sa.bindparam("seal"))
)
_FORGET_SNAPSHOTS = sa.delete(snapshots).where(snapshots.c.campaign_id == sa.bindparam("key"))


class SQLTransaction(Transaction):
    """A writer's turn, backed by an open database transaction that holds the lock."""

    def __init__(
        self, connection: sa.Connection, key: int, end: End, seen: Seen | None, now: float
    ) -> None:
        self.head = end.head
        self.now = now
        self.chain = end.chain
        self.seen = seen
        self._connection = connection
        self._key = key
        self._end = end

    def events(self, after: int) -> list[Event]:
        """Return the events numbered above `after`, in order."""
        if after >= self.head:
            return []
        end = replace(self._end, head=self.head, chain=self.chain)
        span = after, self.head
        found, self.seen = read_events(self._connection, self._key, end, span, self.seen)
        return found

    def operation(self, op: str) -> list[Event]:
        """Return the events that an operation wrote, in order."""
        return events_of_operation(self._connection, self._key, op)

    def append(self, drafts: Sequence[Draft]) -> list[Event]:
        """Write events, numbered from ``head + 1``."""
        if not drafts:
            return []
        written = [d.numbered(self.head + i, self.now) for i, d in enumerate(drafts, start=1)]
        rows = [to_row(event, self._key) for event in written]
        self._connection.execute(_INSERT, rows)
        followed = self.seen == Seen(self.head, self.chain)
        self.head = written[-1].seq
        for row in rows:
            self.chain = _chain.extended(self.chain, row["digest"])
        if followed:
            self.seen = Seen(self.head, self.chain)
        end = {"key": self._key, "new_head": self.head, "new_chain": self.chain}
        self._connection.execute(_SET_HEAD, end)
        return written

    def erase(self, seqs: Collection[int], tombstone: Draft) -> Event:
        """Take the numbers out of events for good and write what stands in their place."""
        if tombstone.kind != "erased":
            raise ValueError(f"a tombstone is an event of kind 'erased', not {tombstone.kind!r}.")
        seals = {seq: self._seal(seq) for seq in sorted(set(seqs))}
        # The guards let an event be erased only where a tombstone comes after it.
        [written] = self.append([tombstone])
        for seq, seal in seals.items():
            if seal is not None:
                self._connection.execute(_ERASE, {"key": self._key, "of": seq, "seal": seal})
        self._connection.execute(_FORGET_SNAPSHOTS, {"key": self._key})
        return written

    def _seal(self, seq: int) -> bytes | None:
        row = whole_row(self._connection, self._key, seq)
        if row is None:
            raise ValueError(f"there is no event {seq} to erase; the last one is {self.head}.")
        *_, salt = row
        if len(salt) == _chain.SEAL_BYTES:
            return None  # it is erased already
        return _chain.sealed(row[len(_chain.STAYS) : -1], salt)
