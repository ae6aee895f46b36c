"""An event as exported files hold it, and what shows that none of them was lost or changed.

Every format writes the features in its own way and the rest of an event as one JSON object.
Whatever the format, a file is sealed by the number of its events and a checksum of what they
say, so that a table that was cut at the end of a row, or a value that was edited, is noticed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from palacs.campaign import _values
from palacs.campaign._attrs import check_attrs
from palacs.campaign._author import check_author
from palacs.storage import ERASED, Event, EventKind

VERSION = 2
"""Of the format; files of version 1 have no seal."""

_BRINGING: frozenset[EventKind] = frozenset({"told", "added", "extracted"})  # a vector
_LATEST = 1e11  # seconds since the epoch, as for clocks


def record_of(event: Event) -> dict[str, Any]:
    """Return an event without its vector, which each format writes in its own way."""
    values = {**event.as_dict(), "payload": dict(event.payload)}
    del values["x"]
    return values


def brings(row: Any) -> bool:
    """Whether the row of an event has features."""
    of_an_instance = row["kind"] in _BRINGING and row.get("entry") is not None
    return of_an_instance and row.get("payload") != ERASED


def event_of(row: Any, x: Any) -> Event:
    """Return the event of a row, everything checked that a record could not be read with."""
    if not isinstance(row, dict):
        raise ValueError(f"{_values.brief(row)} is no event")
    at = row["at"]
    if isinstance(at, bool) or not isinstance(at, (int, float)) or not 0 <= at <= _LATEST:
        raise ValueError(f"{_values.brief(at)} is no time of an event")
    # Its kind may be one that only a newer palacs knows: the ledger refuses it by name.
    checked: dict[str, Any] = {
        "seq": _values.check_count(row["seq"], "seq", maximum=2**31 - 1),
        "at": float(at),
        "kind": str(row["kind"]),
        "entry": _name(row, "entry"),
        "label": None if row.get("label") is None else _values.check_label(row["label"]),
        "x": None if x is None else _values.to_bytes(_values.check_vector(x)),
        "cost": _values.check_amount(row.get("cost"), "cost"),
        "duration": _values.check_amount(row.get("duration"), "duration"),
        "payload": _mapping(row, "payload") or {},
        "op": _name(row, "op"),
        "author": check_author(row.get("author")),
        "attrs": check_attrs(row.get("attrs")),
    }
    event = Event(**checked)
    if event.kind == "asked" and not event.erased:
        _check_asked(event)
    return event


def _name(row: Mapping[str, Any], name: str) -> str | None:
    value = row.get(name)
    return None if value is None else _values.check_name(value, name)


def _mapping(row: Mapping[str, Any], name: str) -> dict[str, Any] | None:
    value = row.get(name)
    if value is not None and not isinstance(value, dict):
        raise ValueError(f"its {name} {_values.brief(value)} is no JSON object")
    return value


def _check_asked(event: Event) -> None:
    """Refuse a request that could not be decided again later."""
    payload = event.payload
    batch = _values.check_count(payload["batch"], "batch")
    place = _values.check_count(payload["place"], "place", minimum=0, maximum=batch - 1)
    _values.check_count(payload["known"], "known", maximum=event.seq - 1 - place)
    _values.check_amount(payload["decided_at"], "decided_at")


def seal_of(events: Iterable[Event]) -> dict[str, Any]:
    """Return what a file of these events, in order, is sealed by."""
    digest, count = hashlib.sha256(), 0
    for event in events:
        said = record_of(event) | {"x": None if event.x is None else event.x.hex()}
        for name in ("author", "attrs"):
            said[name] = said[name] or None
        digest.update(json.dumps(said, sort_keys=True, allow_nan=False).encode("ascii") + b"\n")
        count += 1
    return {"version": VERSION, "count": count, "checksum": digest.hexdigest()}


def check_seal(seal: Mapping[str, Any], events: list[Event]) -> None:
    """Raise unless a file holds the events that were exported; those before 2 have no seal."""
    version = seal.get("version", 1)
    if version == 1 and not {"count", "checksum"} & set(seal):
        return
    if version != VERSION:
        if version == 1:
            raise ValueError("it says version 1 but is sealed as later ones are; export it again")
        raise ValueError(f"its version {_values.brief(version)} is newer than {VERSION}")
    count = _values.check_count(seal["count"], "count", minimum=0)
    if len(events) != count:
        wrong = "a part of it is missing" if len(events) < count else "rows were added to it"
        raise ValueError(
            f"it holds {len(events)} of {_values.brief(count)} events, so {wrong}; export it again"
        )
    if seal_of(events)["checksum"] != seal["checksum"]:
        raise ValueError(
            "its checksum does not fit, so a value was changed after it was exported; import the "
            "file as it was, then retract what is wrong and add what is right"
        )
