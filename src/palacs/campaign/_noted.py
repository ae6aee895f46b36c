"""What an entry keeps of who did it and of what was noted, shared where it is the same.

There may be a million entries and a dozen subjects, so texts are interned: equal ones are one.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import Any

from palacs.campaign._attrs import attrs_text, group_of
from palacs.campaign._entries import Entry
from palacs.campaign._recordings import Recording
from palacs.campaign._settings import Settings
from palacs.storage import Event, EventKind

_BY_WHOM: dict[EventKind, str] = {
    "asked": "asked_by",
    "told": "told_by",
    "added": "told_by",
    "failed": "told_by",
}
_BEGIN: frozenset[EventKind] = frozenset({"asked", "performed", "told", "added"})


def note(entry: Entry, event: Event) -> None:
    """Keep who did it and what was noted, where an event asks for, brings or fails an instance."""
    _belong(entry, event)
    by = _BY_WHOM.get(event.kind)
    if by is not None and event.author is not None and event.author.get("person") is not None:
        setattr(entry, by, sys.intern(str(event.author["person"])))
    if event.attrs:
        entry.attrs = sys.intern(attrs_text({**noted(entry), **event.attrs}))
    recording = event.payload.get("recording")
    if recording is not None:
        # The content of one that is kept inside stays in the record alone.
        found = Recording.from_payload({**recording, "content": None})
        entry.recording = json.dumps(found.to_json())


def _belong(entry: Entry, event: Event) -> None:
    """Let an entry be its first holder's, or that of whoever claimed it last."""
    claimed = event.kind == "renewed" and event.payload.get("claimed") is True
    if event.author is None or not (claimed or (event.kind in _BEGIN and entry.holder is None)):
        return
    holder = event.author.get("holder")
    if holder is not None:
        entry.holder = sys.intern(str(holder))


def noted(entry: Entry) -> dict[str, Any]:
    """Return what was noted about an entry itself, without what holds for the campaign."""
    attrs: dict[str, Any] = {} if entry.attrs is None else json.loads(entry.attrs)
    return attrs


def attrs_of(entry: Entry, settings: Settings) -> dict[str, Any]:
    """Return what holds for an entry: the campaign's attributes, then its own."""
    return {**(settings.attrs or {}), **noted(entry)}


def belongings(entries: Iterable[Entry], settings: Settings) -> list[str]:
    """Return what some entries belong to, such as their subjects."""
    seen: dict[str | None, str] = {}
    found = []
    for entry in entries:
        if entry.attrs not in seen:
            seen[entry.attrs] = group_of(attrs_of(entry, settings), settings.groups or [])
        found.append(seen[entry.attrs])
    return found


def recording_of(entry: Entry) -> Recording | None:
    """Return the recording of an entry, without the content of one that is kept inside."""
    if entry.recording is None:
        return None
    return Recording.from_payload(json.loads(entry.recording))
