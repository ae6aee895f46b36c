"""An event as a row of the table, and back.

Labels, payloads, authors and attributes are kept as JSON; a row also carries the salt and the
digest that chain it to the others, which nobody outside the storage sees.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import sqlalchemy as sa

from palacs.storage import _chain
from palacs.storage._drafts import EVENT_FIELDS, Event
from palacs.storage._schema import campaigns, events
from palacs.storage._storage_errors import StorageDamaged

HEAD = sa.select(campaigns.c.head, campaigns.c.chain).where(campaigns.c.id == sa.bindparam("key"))
_SELECT = (
    sa.select(*(events.c[name] for name in EVENT_FIELDS))
    .where(events.c.campaign_id == sa.bindparam("key"), events.c.seq > sa.bindparam("after"))
    .order_by(events.c.seq)
)
_AFTER_SEQ_AND_AT = EVENT_FIELDS[2:]
_JSON = ("payload", "author", "attrs")
_LABEL = _AFTER_SEQ_AND_AT.index("label")
_MAPPINGS = tuple(map(_AFTER_SEQ_AND_AT.index, _JSON))


def read_events(
    connection: sa.Connection, key: int, after: int, limit: int | None = None
) -> list[Event]:
    """Return the events of a campaign numbered above `after`, in order."""
    query = _SELECT if limit is None else _SELECT.limit(limit)
    rows = connection.execute(query, {"key": key, "after": after}).all()
    return [_event(row) for row in rows]


def events_of_operation(connection: sa.Connection, key: int, op: str) -> list[Event]:
    """Return the events of a campaign that one operation wrote, in order."""
    query = _SELECT.where(events.c.op == op)
    return [_event(row) for row in connection.execute(query, {"key": key, "after": 0})]


def to_row(event: Event, key: int) -> dict[str, Any]:
    """Return the columns of an event of campaign `key`, with a new salt and its digest."""
    row = event.as_dict() | {"campaign_id": key, "salt": _chain.new_salt()}
    row["label"] = None if event.label is None else to_json(event.label)
    for name in _JSON:
        row[name] = None if row[name] is None else to_json(dict(row[name]))
    row["digest"] = _chain.digest_of(row)
    return row


def to_json(value: Any) -> str:
    """Return JSON in ASCII only: databases disagree about NUL and lone surrogates in text."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


@lru_cache(maxsize=4096)
def _label(text: str) -> Any:
    # A campaign has few classes and many events.
    return json.loads(text)


def _event(row: Sequence[Any]) -> Event:
    # A newer palacs may have written kinds that this one does not know; whoever folds the
    # events refuses them, so that following a campaign still works.
    seq, at, *values = row
    label = values[_LABEL]
    try:
        values[_LABEL] = None if label is None else _label(label)
        for place in _MAPPINGS:
            text = values[place]
            if text is not None:
                values[place] = json.loads(text) if text != "{}" else {}
    except ValueError as error:
        raise StorageDamaged(
            f"event {seq} is unreadable ({error}); restore the storage from a backup."
        ) from error
    return Event(*values, seq=seq, at=at)
