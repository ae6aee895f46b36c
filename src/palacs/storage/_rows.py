"""An event as a row of the table, and back.

Labels, payloads, authors and attributes are kept as JSON; a row also carries the salt and the
digest that chain it to the others, which nobody outside the storage sees. Every row that is read
is held against its digest.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import sqlalchemy as sa

from palacs.storage import _chain
from palacs.storage._drafts import Event
from palacs.storage._schema import events
from palacs.storage._storage_errors import StorageDamaged

_COLUMNS = (*_chain.CHAINED, "digest")
_KEPT_AS_JSON = ("payload", "author", "attrs")
_SEQ = _COLUMNS.index("seq")
_ROWS_AT_ONCE = 500
_LONG = 500  # characters
_ROWS = (
    # Without types: what a damaged file holds in their place is looked at here.
    sa.select(*(sa.type_coerce(events.c[name], sa.types.NullType()) for name in _COLUMNS))
    .where(events.c.campaign_id == sa.bindparam("key"))
    .order_by(events.c.seq)
)
_SELECT = _ROWS.where(events.c.seq > sa.bindparam("after"), events.c.seq <= sa.bindparam("until"))
# In no order: to have one, SQLite would go through the whole record instead of its index.
BY_OPERATION = _ROWS.order_by(None).where(events.c.op == sa.bindparam("of"))


def read_rows(
    connection: sa.Connection, key: int, after: int, until: int
) -> Iterator[tuple[Event, bytes]]:
    """Yield the events numbered ``after + 1`` to `until` with their digests, all of them.

    Raises
    ------
    StorageDamaged
        One is missing, or is not what was written.
    """
    expected = after + 1
    rows = connection.execute(_SELECT, {"key": key, "after": after, "until": until})
    while some := rows.fetchmany(_ROWS_AT_ONCE):
        for row in some:
            digest: Any = row[-1]
            if row[_SEQ] != expected or not _sound(row):
                raise damaged(f"event {expected}" + _found_instead(row[_SEQ], expected))
            yield _event(row), digest
            expected += 1
    if expected <= until:
        raise damaged(f"event {expected} of {until} is missing")


def events_of_operation(connection: sa.Connection, key: int, op: str) -> list[Event]:
    """Return the events of a campaign that one operation wrote, in order."""
    found = []
    for row in connection.execute(BY_OPERATION, {"key": key, "of": op}):
        if not _sound(row):
            raise damaged(f"event {row[_SEQ]!r} is not what was written")
        found.append(_event(row))
    return sorted(found, key=lambda event: event.seq)


def whole_row(connection: sa.Connection, key: int, seq: int) -> Sequence[Any] | None:
    """Return an event's columns in the order of ``CHAINED``, or None where there is none."""
    row = connection.execute(_SELECT, {"key": key, "after": seq - 1, "until": seq}).first()
    if row is not None and not _sound(row):
        raise damaged(f"event {seq} is not what was written")
    return None if row is None else row[:-1]


def to_row(event: Event, key: int) -> dict[str, Any]:
    """Return the columns of an event of campaign `key`, with a new salt and its digest."""
    row = event.as_dict() | {"campaign_id": key, "salt": _chain.new_salt()}
    row["label"] = None if event.label is None else to_json(event.label)
    for name in _KEPT_AS_JSON:
        row[name] = None if row[name] is None else to_json(dict(row[name]))
    row["digest"] = _chain.digest_of([row[name] for name in _chain.CHAINED])
    return row


def to_json(value: Any) -> str:
    """Return JSON in ASCII only: databases disagree about NUL and lone surrogates in text."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def _sound(row: Sequence[Any]) -> bool:
    try:
        # An index that leads nowhere gives a row of nothing, in which all would fit.
        return row[-1] is not None and _chain.digest_of(row[:-1]) == row[-1]
    except (TypeError, ValueError):
        return False  # a value of another type stands there


def _found_instead(seq: Any, expected: int) -> str:
    return " is not what was written" if seq == expected else f" is missing, {seq!r} follows"


def damaged(what: str) -> StorageDamaged:
    """Return the error that says what is wrong with a record, and what to do."""
    return StorageDamaged(
        f"{what}; the storage is damaged. Look at all of it with: palacs storage check; then "
        "restore it from a backup or import an export."
    )


@lru_cache(maxsize=4096)
def _label(text: str) -> Any:
    # A campaign has few classes and many events.
    return json.loads(text)


@lru_cache(maxsize=256)
def _flat(text: str) -> dict[str, Any]:
    # Many events have one author and the same notes, which differ from event to event in nothing.
    return dict(json.loads(text))


def _mapping(text: str | None) -> Any:
    if text is None:
        return None
    if len(text) > _LONG or "[" in text or text.count("{") > 1:
        return json.loads(text)
    return _flat(text).copy()  # whoever gets it may do with it what he likes


def _event(row: Sequence[Any]) -> Event:
    # A newer palacs may have written kinds that this one does not know; whoever folds the
    # events refuses them, so that following a campaign still works.
    seq, at, kind, entry, label, op, x, payload, cost, duration, author, attrs, _, _ = row
    try:
        return Event(
            kind,
            entry,
            None if label is None else _label(label),
            x,
            cost,
            duration,
            {} if payload == "{}" else json.loads(payload),
            op,
            _mapping(author),
            _mapping(attrs),
            seq=seq,
            at=at,
        )
    except ValueError as error:
        raise damaged(f"event {seq} is unreadable ({error})") from error
