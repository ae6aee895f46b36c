"""Following a record: what a process has seen of it must still be there the next time.

A campaign's row says how many events there are and which chain they make. Reading holds the
events against both; a process remembers how far it has followed the chain, so that each event
is added once and a record that was cut off or exchanged is noticed at the next look.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from palacs.storage import _chain
from palacs.storage._drafts import Event
from palacs.storage._rows import damaged, read_rows
from palacs.storage._schema import campaigns, events

END = sa.select(
    *(
        sa.type_coerce(campaigns.c[name], sa.types.NullType())
        for name in ("head", "chain", "name", "created_at")
    )
).where(campaigns.c.id == sa.bindparam("key"))
_PAGE = 2000
LAST = sa.select(sa.func.max(events.c.seq)).where(events.c.campaign_id == sa.bindparam("key"))


@dataclass(frozen=True, slots=True)
class Seen:
    """The number of an event up to which the chain was followed, and the chain there."""

    seq: int
    chain: bytes


@dataclass(frozen=True, slots=True)
class End:
    """What a campaign's row says about its events."""

    head: int
    chain: bytes
    name: str
    created_at: float

    @classmethod
    def of(cls, row: Sequence[Any] | None) -> End | None:
        """Return the end that a row of ``END`` describes, or None where there is none."""
        if row is None:
            return None
        head, chain, name, created_at = row
        sound = isinstance(head, int) and isinstance(chain, bytes) and isinstance(name, str)
        if not (sound and isinstance(created_at, float | int)):
            raise damaged(f"the end of campaign {name!r} is unreadable")
        return cls(head, chain, name, created_at)

    def require_all_of(self, seen: Seen | None) -> None:
        """Raise where the record has lost or changed what was seen of it."""
        if seen is None or seen.seq < self.head or seen == Seen(self.head, self.chain):
            return
        raise damaged(
            f"the record of campaign {self.name!r} was cut off or exchanged: it ends at event "
            f"{self.head} with another content than event {seen.seq} had when it was read"
        )

    def require_last(self, last: int) -> None:
        """Raise unless the last event there is is the one that the campaign's row names."""
        if last != self.head:
            raise damaged(
                f"campaign {self.name!r} should end at event {self.head}, but the last one is "
                f"{last}"
            )

    def chain_at(self, after: int, seen: Seen | None) -> bytes | None:
        """Return the chain up to an event, where it is known."""
        if after == 0:
            return _chain.anchor(self.name, self.created_at)
        return seen.chain if seen is not None and seen.seq == after else None


def end_of(connection: sa.Connection, key: int) -> End | None:
    """Return the end of a campaign, or None where there is no such campaign."""
    return End.of(connection.execute(END, {"key": key}).first())


def last_of(connection: sa.Connection, key: int) -> int:
    """Return the number of the last event there is."""
    return connection.execute(LAST, {"key": key}).scalar() or 0


def verify(connection: sa.Connection, key: int) -> None:
    """Raise unless every event of a campaign is there and as it was written."""
    end = end_of(connection, key)
    if end is None:
        return
    end.require_last(last_of(connection, key))
    seen: Seen | None = None
    for after in range(0, end.head, _PAGE):
        span = after, min(end.head, after + _PAGE)
        _, seen = read_events(connection, key, end, span, seen)


def read_events(
    connection: sa.Connection, key: int, end: End, span: tuple[int, int], seen: Seen | None
) -> tuple[list[Event], Seen | None]:
    """Return the events of a span and how far the chain was followed with them.

    Parameters
    ----------
    connection : sqlalchemy.Connection
        Only read from.
    key : int
        The campaign.
    end : End
        Its end, read before; events that came in later are not looked at.
    span : tuple of int
        The number above which they start and the last one.
    seen : Seen or None
        How far the chain was followed before.
    """
    after, until = span
    chain, found = end.chain_at(after, seen), []
    for event, digest in read_rows(connection, key, after, until):
        found.append(event)
        if chain is not None:
            chain = _chain.extended(chain, digest)
    if chain is None:
        return found, seen
    if until == end.head and chain != end.chain:
        raise damaged(f"the events of campaign {end.name!r} are not those that were written")
    return found, Seen(until, chain)
