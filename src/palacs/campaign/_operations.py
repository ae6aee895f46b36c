"""What each operation writes, as a function of the ledger and the clock.

An operation looks at the ledger while it holds the writer's turn, and returns the events to
append: none, where the record already says the same (repeating is harmless), or an error,
where it says something else.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

from palacs.campaign import _values
from palacs.campaign._attrs import Attrs, check_attrs, group_of
from palacs.campaign._author import acting_holder, is_confined
from palacs.campaign._campaign_errors import CampaignClosed, Conflict, DoesNotFit, UnknownEntry
from palacs.campaign._entries import Entry
from palacs.campaign._ledger import Ledger
from palacs.campaign._naming import names_of
from palacs.campaign._noted import noted, recording_of
from palacs.campaign._recordings import Recording
from palacs.campaign._records import id_of
from palacs.storage import Draft, EventKind, Label


@dataclass(frozen=True, slots=True)
class Answer:
    """An instance on its way into the record; ``label`` is ``None`` for the class asked for.

    ``x`` is ``None`` until an extractor has made it from the recording.
    """

    x: _values.Vector | None
    label: Label | None
    cost: float | None
    duration: float | None
    attrs: dict[str, Any] | None = None
    recording: Recording | None = None
    names: tuple[str, ...] | None = None

    @property
    def vector(self) -> _values.Vector:
        """The features, which are there by now."""
        assert self.x is not None
        return self.x


class Extracted(Answer):
    """An answer whose features an extractor has made: the recording says what was told."""

    __slots__ = ()


class Notes(TypedDict, total=False):
    """What can be noted with an instance; see ``Campaign.tell``."""

    cost: float | None
    duration: float | None
    attrs: Mapping[str, Any] | None
    recording: str | os.PathLike[str] | Mapping[str, Any] | Recording | None


def answer(
    x: Any,
    label: Any,
    cost: Any = None,
    duration: Any = None,
    attrs: Any = None,
    recording: Any = None,
) -> Answer:
    """Check an instance as far as that is possible without the record."""
    names = names_of(x)
    if isinstance(x, Mapping):
        x = list(x.values())
    if x is None and recording is None:
        raise ValueError("x is missing; give the features, or a recording to make them from.")
    return Answer(
        None if x is None else _values.check_vector(x),
        None if label is None else _values.check_label(label),
        _values.check_amount(cost, "cost"),
        _values.check_amount(duration, "duration"),
        check_attrs(attrs),
        None if recording is None else Recording.of(recording),
        names,
    )


def numbered_answer(row: Any, attrs: Attrs | None) -> tuple[str, Answer]:
    """Check one of several answers, (request, x), maybe with a label and with notes."""
    if not isinstance(row, (list, tuple)):
        raise ValueError(
            f"{_values.brief(row)} is no answer; give (request, x), a label and notes."
        )
    if not 2 <= len(row) <= 4:
        raise ValueError(f"an answer has {len(row)} parts; give (request, x), a label and notes.")
    label, notes = (*row[2:], None, None)[:2]
    allowed = {"cost", "duration", "attrs", "recording"}
    if notes is not None and not (isinstance(notes, Mapping) and set(notes) <= allowed):
        raise ValueError(
            f"{_values.brief(notes)} are no notes; give a mapping of {', '.join(sorted(allowed))}."
        )
    given = dict(notes or {})
    all_noted = {**(attrs or {}), **(check_attrs(given.pop("attrs", None)) or {})}
    return id_of(row[0]), answer(row[1], label, **given, attrs=all_noted)


def new_id(prefix: str, number: int) -> str:
    """Return a short id: easy to read out and type, hard to mistake for another."""
    return f"{prefix}{number}-{secrets.token_hex(2)}"


def find(ledger: Ledger, id_: str) -> Entry:
    """Return a request or unsolicited instance by its id."""
    entry = ledger.entries.get(id_)
    if entry is None:
        raise UnknownEntry(
            f"no request or instance {_values.brief(id_)} in this campaign; the history lists them."
        )
    return entry


def find_kept(ledger: Ledger, id_: str) -> Entry:
    """Return a request or unsolicited instance that something may still be said about."""
    entry = find(ledger, id_)
    if entry.erased:
        raise Conflict(
            f"{id_!r} was erased, since somebody withdrew, and nothing was written; what was "
            "recorded for it must not be kept."
        )
    return entry


def require_open(ledger: Ledger, what: str) -> None:
    """Refuse to begin something new in a campaign that is closed."""
    if ledger.phase != "open":
        raise CampaignClosed(
            f"this campaign is {ledger.phase}, so {what}; reopen it first. What was asked for "
            "can still be told or failed."
        )


def _find_request(ledger: Ledger, id_: str) -> tuple[Entry, Label]:
    entry = find_kept(ledger, id_)
    _keep_to_own(entry)
    if entry.asked is None:
        raise Conflict(f"{id_!r} is an unsolicited instance, not a request.")
    return entry, entry.asked


def belongs_elsewhere(id_: str) -> str:
    """Return what to say to somebody who acts on another's request."""
    instead = "" if is_confined() else "take it over first, or "
    return (
        f"request {id_!r} belongs to another page or program, so nothing was written; {instead}"
        "ask for one of your own."
    )


def _anothers(entry: Entry) -> bool:
    """Whether a request is not for the one to deal with who acts now."""
    me = acting_holder()
    return me is not None and entry.holder not in (None, me)


def _refuse_before_performed(entry: Entry) -> None:
    """Leave another's request alone; once it is performed, data may come from anywhere."""
    if entry.performed_at is None and _anothers(entry):
        raise Conflict(belongs_elsewhere(entry.id))


def _keep_to_own(entry: Entry) -> None:
    """Refuse those who are kept to what is their own, see `acting_as`."""
    if is_confined() and (entry.holder is None or entry.holder != acting_holder()):
        raise Conflict(belongs_elsewhere(entry.id))


def tell(ledger: Ledger, id_: str, given: Answer) -> list[Draft]:
    """Record the instance a request brought."""
    entry, asked = _find_request(ledger, id_)
    label = ledger.classes[ledger.code(asked if given.label is None else given.label)]
    if entry.retracted_at is not None:
        raise Conflict(
            f"request {id_!r} was told and then retracted, so telling it again would not count; "
            "use add for its instance, or ask again."
        )
    if entry.told_at is not None:
        if _says_the_same(ledger, entry, label, given):
            return []
        raise Conflict(
            f"request {id_!r} was already told with other values, attributes or recording; to "
            "correct it, retract it and add the right instance."
        )
    if entry.failed_at is not None:
        raise Conflict(f"request {id_!r} was reported as failed; use add for its instance.")
    _refuse_before_performed(entry)
    _values.check_vector(given.vector, ledger.labelled.n_features)
    _check_notes(ledger, noted(entry), given)
    return [_instance("told", id_, label, given)]


def tell_all(ledger: Ledger, answers: Sequence[Answer], ids: Sequence[str]) -> list[Draft]:
    """Record the instances that several requests brought."""
    # The first instance fixes the length for the others, as it would one by one.
    n_features = ledger.labelled.n_features or (answers[0].vector.size if answers else None)
    drafts: list[Draft] = []
    for id_, given in zip(ids, answers, strict=True):
        try:
            if len(ids) > 1:
                _values.check_vector(given.vector, n_features)
            drafts += tell(ledger, id_, given)
        except ValueError as error:
            # Which of them it is has to be said.
            raise type(error)(f"request {id_!r}: {error}" if len(ids) > 1 else error) from error
    return drafts


def add(ledger: Ledger, id_: str, given: Answer) -> list[Draft]:
    """Record an unsolicited instance."""
    label = ledger.classes[ledger.code(given.label)]
    entry = ledger.entries.get(id_)
    if entry is not None:
        if entry.retracted_at is not None:
            raise Conflict(
                f"id {id_!r} was retracted, so adding it again would not count; choose another id."
            )
        if entry.asked is None and _says_the_same(ledger, entry, label, given):
            return []
        raise Conflict(f"id {id_!r} is already in use with other values; choose another.")
    require_open(ledger, "nothing is added")
    _values.check_vector(given.vector, ledger.labelled.n_features)
    _check_notes(ledger, {}, given)
    return [_instance("added", id_, label, given)]


def _instance(kind: EventKind, id_: str, label: Label, given: Answer) -> Draft:
    payload: dict[str, Any] = {}
    if given.recording is not None:
        payload["recording"] = given.recording.to_payload()
    if isinstance(given, Extracted):
        payload["extracted"] = True  # so that an extractor can be held against it later
    raw = _values.to_bytes(given.vector)
    return Draft(
        kind, id_, label, raw, given.cost, given.duration, payload=payload, attrs=given.attrs
    )


def _says_the_same(ledger: Ledger, entry: Entry, label: Label, given: Answer) -> bool:
    """Whether an answer and all that is noted with it is in the record already."""
    if isinstance(given, Extracted):
        same = entry.label == label  # another extractor may have been in force
    else:
        same = ledger.has_told(entry, _values.to_bytes(given.vector), label)
    return same and _says_nothing_new(entry, given)


def _says_nothing_new(entry: Entry, given: Answer) -> bool:
    known, recording = noted(entry), recording_of(entry)
    if {**known, **(given.attrs or {})} != known:
        return False
    return given.recording is None or (
        recording is not None and given.recording.to_json() == recording.to_json()
    )


def _check_notes(ledger: Ledger, attrs: dict[str, Any], given: Answer) -> None:
    """Refuse what nobody could say the group of."""
    settings = ledger.settings
    if settings.groups is not None:
        group_of({**(settings.attrs or {}), **attrs, **(given.attrs or {})}, settings.groups)


def fail(ledger: Ledger, id_: str, reason: str, attrs: dict[str, Any] | None = None) -> list[Draft]:
    """Record that a request will bring nothing."""
    entry, _ = _find_request(ledger, id_)
    if entry.failed_at is not None:
        return []
    if entry.told_at is not None:
        raise Conflict(f"request {id_!r} was already told; to take it back, retract it.")
    _refuse_before_performed(entry)
    return [Draft("failed", id_, entry.asked, payload={"reason": reason}, attrs=attrs)]


def performed(
    ledger: Ledger, id_: str, attrs: Attrs | None = None, recording: Recording | None = None
) -> list[Draft]:
    """Record that a request was carried out and its data, or its features, are on their way."""
    entry, _ = _find_request(ledger, id_)
    if _anothers(entry):
        raise Conflict(belongs_elsewhere(id_))
    known = recording_of(entry)
    if recording is not None and known is not None and recording.to_json() != known.to_json():
        raise Conflict(f"request {id_!r} has another recording already; undo it first.")
    # Performing again is harmless; a note that came with a recording must not get lost.
    new = recording is not None and {**noted(entry), **(attrs or {})} != noted(entry)
    if entry.told_at is not None:
        if new:
            raise Conflict(
                f"request {id_!r} was already told with other attributes; to correct it, "
                "retract it and add the right instance."
            )
        return []
    if entry.performed_at is not None and not new and (recording is None or known is not None):
        return []
    if entry.failed_at is not None:
        raise Conflict(f"request {id_!r} was already reported as failed.")
    payload: dict[str, Any] = {"lease": ledger.settings.lease}
    if recording is not None and known is None:
        payload["recording"] = recording.to_payload()
    return [Draft("performed", id_, entry.asked, payload=payload, attrs=attrs)]


def retract(ledger: Ledger, id_: str, reason: str) -> list[Draft]:
    """Take an instance out of the labelled set, keeping it in the history."""
    entry = find_kept(ledger, id_)
    _keep_to_own(entry)
    if entry.retracted_at is not None:
        return []
    if entry.told_at is None:
        raise Conflict(f"request {id_!r} has brought no instance that could be retracted.")
    return [Draft("retracted", id_, entry.label, payload={"reason": reason})]


def undo(ledger: Ledger, at: float, reason: str, by: str | None = None) -> list[Draft]:
    """Take back what was done last: an instance, or a performance whose data never came."""
    last: Entry | None = None
    for entry in ledger.entries.values():
        if by is not None and entry.holder != by:
            continue
        state = entry.state(at)
        undoable = state == "delivered" or (state == "pending" and entry.performed_at is not None)
        if undoable and (last is None or entry.done > last.done):
            last = entry
    if last is None:
        return []
    return (fail if last.told_at is None else retract)(ledger, last.id, reason)


def pause(ledger: Ledger, label: Any) -> list[Draft]:
    """Stop requesting a class."""
    known = ledger.classes[ledger.code(label)]
    return [] if known in ledger.paused else [Draft("paused", label=known)]


def resume(ledger: Ledger, label: Any) -> list[Draft]:
    """Request a paused class again."""
    known = ledger.classes[ledger.code(label)]
    return [Draft("resumed", label=known)] if known in ledger.paused else []


def add_class(ledger: Ledger, label: Any) -> list[Draft]:
    """Declare one more class."""
    require_open(ledger, "its classes stay")
    new = _values.check_label(label)
    if new in ledger.classes:
        raise Conflict(f"class {new!r} is already in this campaign.")
    if type(new) is not type(ledger.classes[0]):
        raise DoesNotFit(
            f"class {new!r} must be {type(ledger.classes[0]).__name__} like the others."
        )
    return [Draft("class_added", label=new)]
