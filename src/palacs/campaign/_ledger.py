"""What the events of a campaign add up to.

A ledger is folded from events, one after the other, and is the only place that says what
they mean; a process that reads a campaign, one that replays it and one that imports it all
use the same fold. An event that does not fit is refused, whoever wrote it.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import assert_never

from palacs.campaign._entries import STATES, Entries, Entry
from palacs.campaign._growing_set import GrowingSet
from palacs.campaign._ledger_course import CourseOfLedger
from palacs.campaign._noted import attrs_of, belongings, note, recording_of
from palacs.campaign._open_requests import OpenRequests
from palacs.campaign._records import Instance, Request, to_instance, to_request
from palacs.campaign._settings import Settings
from palacs.campaign._told_utilities import from_record
from palacs.campaign._totals import Totals
from palacs.campaign._values import (
    Vector,
    check_label,
    stored_lease,
    to_bytes,
)
from palacs.storage import EVENT_KINDS, Event, Label, StorageDamaged

_KINDS = frozenset(EVENT_KINDS)
_AT_HAND = 2**14  # entries in memory as objects, before those that are closed are put away


class Ledger(CourseOfLedger):
    """The state of a campaign after its first ``seq`` events.

    Attributes
    ----------
    seq : int
        Number of the last event folded in.
    settings : Settings
        Those in force: from the first event, and what was changed since.
    classes : list of str or int
        In the order in which they were declared or added.
    paused : set
        Classes that are not requested for the time being.
    phase : str
        "open"; "closed", where nothing new begins; "archived", closed and out of sight.
    entries : Entries
        Every request and unsolicited instance by id, in the order of the record.
    labelled : GrowingSet
        The instances that were delivered or added and not retracted.
    order : array of int
        Codes of all classes in the order in which they were requested, whatever became of it,
        and of unsolicited instances at the place where they were recorded.
    totals : Totals
        What was spent and how long recordings took, class by class.
    """

    def __init__(self) -> None:
        super().__init__()
        self.seq = 0
        self.entries = Entries()
        self.n_asked = 0
        self.n_delivered = 0
        self.n_erased = 0
        self.order = array("q")
        self.totals = Totals()
        self._open = OpenRequests()
        self._ended = dict.fromkeys(("delivered", "failed", "retracted", "erased"), 0)
        self._bringing = array("q")  # the entry whose vector each row is,
        self._brought_at = array("q")  # and the event that brought it

    @classmethod
    def begin(cls, settings: Settings, added: Sequence[Label] = ()) -> Ledger:
        """Return the ledger of a campaign in which nothing happened but classes being added."""
        ledger = cls()
        ledger._start(settings)
        for label in added:
            ledger._declare(label)
        return ledger

    def apply(self, event: Event) -> None:
        """Fold in the next event."""
        if event.seq != self.seq + 1:
            raise StorageDamaged(
                f"event {event.seq} follows event {self.seq}; the record has a gap, "
                "restore it from a backup."
            )
        if event.kind not in _KINDS or (self.seq == 0) != (event.kind == "created"):
            raise StorageDamaged(
                f"event {event.seq} of kind {event.kind!r} is not known to this palacs here; "
                "it may have been written by a newer one."
            )
        try:
            if self.extracting and event.kind != "extracted":
                raise ValueError("vectors of an extraction are missing before it")
            self._fold(event)
            if event.entry is not None and (event.payload or event.author or event.attrs):
                note(self.entries[event.entry], event)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise StorageDamaged(
                f"event {event.seq} ({event.kind}) contradicts the record: {error}."
            ) from error
        self.seq = event.seq

    # -- questions ---------------------------------------------------------------------

    def pending(self, at: float) -> list[Entry]:
        """Return the requests whose instances are still to come, oldest first."""
        return self._open.pending(at)

    def states(self, at: float) -> dict[str, int]:
        """Return how many entries are in each of ``STATES``."""
        pending = len(self.pending(at))
        counts = {**self._ended, "pending": pending, "expired": len(self._open) - pending}
        return {state: counts[state] for state in STATES}

    def open_requests(self) -> list[Entry]:
        """Return the requests that were neither told nor failed, oldest first."""
        return self._open.values()

    def put_away(self) -> None:
        """Put closed entries away where many are at hand; they are there all the same."""
        if self.entries.at_hand > max(_AT_HAND, len(self.entries) // 4):
            self.entries.put_away(self._open.values())

    def reopen(self, entry: Entry) -> None:
        """Take over an open request of a ledger that was put away."""
        self.entries.put_back(entry)
        self._open.open(entry)

    def event_of_row(self, row: int) -> int:
        """Return the number of the event that brought a row of the labelled set."""
        return self._brought_at[row]

    def ids(self, rows: Iterable[int]) -> tuple[str, ...]:
        """Return the ids of the instances in some rows of the labelled set."""
        return tuple(self.entries.id_at(self._bringing[row]) for row in rows)

    def x(self, entry: Entry) -> Vector | None:
        """Return the raw features of an entry, shape (n_features,); None without an instance."""
        return None if entry.row is None else self.labelled.store.row(entry.row)

    def bringing(self, rows: Iterable[int]) -> Iterator[Entry]:
        """Yield the entries whose vectors some rows are; not to be changed."""
        return self.entries.at(self._bringing[row] for row in rows)

    def groups(self, rows: Iterable[int]) -> list[str]:
        """Return what the instances in some rows of the labelled set belong to."""
        return belongings(self.bringing(rows), self.settings)

    def request(self, entry: Entry) -> Request:
        """Return an open request as it is handed out."""
        utilities = {self.classes[code]: u for code, u in entry.utilities or ()}
        return to_request(entry, utilities, attrs_of(entry, self.settings))

    def instance(self, entry: Entry) -> Instance:
        """Return an instance as it is handed out."""
        attrs = attrs_of(entry, self.settings)
        return to_instance(entry, self.x(entry), attrs, recording_of(entry))

    def has_told(self, entry: Entry, raw: bytes, label: Label) -> bool:
        """Say whether an entry was told just this instance, given as stored bytes."""
        rows = [row for row in (entry.row, entry.as_told) if row is not None]
        said = any(to_bytes(self.labelled.store.row(row)) == raw for row in rows)
        return said and entry.label == label

    @property
    def names(self) -> list[str] | None:
        """What the features are called; names that came with instances hold while there are any."""
        came = self.settings.named if len(self.labelled) else None
        declared = (self.settings.features or {}).get("names")
        return came if declared is None else list(declared)

    def remaining(self, at: float) -> int | None:
        """Return how many more requests the budget allows; ``None`` is no limit."""
        if self.settings.budget is None:
            return None
        return max(0, self.settings.budget - self.n_delivered - len(self.pending(at)))

    def candidates(self) -> list[Label]:
        """Return the classes that may be requested."""
        return [label for label in self.classes if label not in self.paused]

    # -- one method per kind of event --------------------------------------------------

    def _fold(self, event: Event) -> None:
        match event.kind:  # those that there are most of first
            case "asked":
                self._fold_asked(event)
            case "told":
                self._fold_told(event)
            case "added":
                self._fold_added(event)
            case "performed":
                self._fold_performed(event)
            case "failed":
                self._fold_failed(event)
            case "retracted":
                self._fold_retracted(event)
            case "paused":
                self._fold_paused(event)
            case "resumed":
                self._fold_resumed(event)
            case "class_added":
                self._fold_class_added(event)
            case "created":
                self._fold_created(event)
            case "class_renamed":
                self._fold_class_renamed(event)
            case "changed":
                self._change(self.settings.changed(event.payload))
            case "renewed":
                self._fold_renewed(event)
            case "extracted":
                self._fold_extracted(event)
            case "closed":
                self.phase = "archived" if event.payload.get("archived") else "closed"
            case "reopened":
                self.phase = "open"
            case "erased":
                # What is gone is gone from the events before it.
                self.n_erased += int(event.payload["entries"])
            case unknown:
                assert_never(unknown)

    def _fold_created(self, event: Event) -> None:
        self._start(Settings.from_payload(event.payload))

    def _start(self, settings: Settings) -> None:
        self.settings = settings
        for label in settings.classes:
            self._declare(label)
        self.labelled = GrowingSet(settings.bounds, settings.n_features)

    def _declare(self, label: Label) -> None:
        self._codes[label] = len(self.classes)
        self.classes.append(label)
        self.asked[label] = 0

    def _fold_asked(self, event: Event) -> None:
        label = self.classes[self.code(event.label)]
        told = {} if event.erased else from_record(event.payload["utilities"])
        entry = self._enter(event)
        entry.asked, entry.asked_at = label, event.at
        if event.erased:
            self._erase(entry)
        else:
            entry.expires_at = _end_of_lease(event)
            entry.utilities = tuple(told.items())
            self.latest_utilities = {self.classes[code]: u for code, u in told.items()}
            entry.utility = self.latest_utilities.get(label)
            self._open.open(entry)
        self.order.append(self._codes[label])
        self.asked[label] += 1
        self.n_asked += 1

    def _erase(self, entry: Entry) -> None:
        entry.erased = True
        self._ended["erased"] += 1

    def _fold_performed(self, event: Event) -> None:
        entry = self.entries[event.entry or ""]
        entry.performed_at, entry.done = event.at, event.seq
        if not entry.erased:
            self._renew(entry, event)

    def _fold_renewed(self, event: Event) -> None:
        entry = self.entries[event.entry or ""]
        if not entry.erased:
            self._renew(entry, event)

    def _renew(self, entry: Entry, event: Event) -> None:
        entry = self._open[entry.id]
        entry.expires_at = _end_of_lease(event)
        self._open.open(entry)

    def _fold_told(self, event: Event) -> None:
        entry = self.entries[event.entry or ""]
        if event.erased:
            if not entry.erased:
                self._erase(self._close(entry.id))
            # The money was spent, though how much is known no more.
            self.totals.spend(self._brought_nothing(entry, event), None)
            return
        entry = self._open[entry.id]
        code = self._deliver(entry, event)
        self._close(entry.id)
        self.n_delivered += 1
        self.totals.spend(code, entry.cost)

    def _fold_added(self, event: Event) -> None:
        self.code(event.label)
        entry = self._enter(event)
        if event.erased:
            self._erase(entry)
            self.order.append(self._brought_nothing(entry, event))
        else:
            self.order.append(self._deliver(entry, event))

    def _brought_nothing(self, entry: Entry, event: Event) -> int:
        code = self.code(event.label)
        entry.label, entry.told_at = self.classes[code], event.at
        return code

    def _fold_failed(self, event: Event) -> None:
        entry = self.entries[event.entry or ""]
        entry.failed_at = event.at
        if entry.erased:
            return
        self._close(entry.id)
        self._ended["failed"] += 1
        entry.reason = str(event.payload.get("reason", ""))

    def _fold_retracted(self, event: Event) -> None:
        entry = self.entries[event.entry or ""]
        if entry.told_at is None or entry.retracted_at is not None:
            raise ValueError(f"{entry.id!r} has no instance to retract")
        if entry.erased:
            entry.retracted_at = event.at
            return
        assert entry.row is not None
        self.labelled.remove(entry.row)
        self.totals.take_back(self.code(entry.label), entry.duration)
        self._ended["delivered"] -= 1
        self._ended["retracted"] += 1
        if entry.asked is not None:
            self.n_delivered -= 1
        entry.retracted_at = event.at
        entry.reason = str(event.payload.get("reason", ""))

    def _fold_paused(self, event: Event) -> None:
        self.paused.add(self.classes[self.code(event.label)])

    def _fold_resumed(self, event: Event) -> None:
        self.paused.discard(self.classes[self.code(event.label)])

    def _fold_class_added(self, event: Event) -> None:
        label = check_label(event.label)
        self._refuse_as_class(label)
        self._declare(label)

    def _enter(self, event: Event) -> Entry:
        if not event.entry or event.entry in self.entries:
            raise ValueError(f"id {event.entry!r} is missing or already in use")
        return self.entries.enter(event.entry, event.seq)

    def _close(self, id_: str) -> Entry:
        entry = self._open.close(id_)
        entry.utilities = None
        return entry

    def _deliver(self, entry: Entry, event: Event) -> int:
        code = self.code(event.label)
        raw = event.x or b""
        n_features = self.labelled.n_features
        if n_features is not None and len(raw) != 8 * n_features:
            raise ValueError(f"{len(raw)} bytes instead of {n_features} features")
        entry.row = self.labelled.append(raw, code)
        self._bring(entry, event)
        entry.label, entry.told_at = self.classes[code], event.at
        entry.cost, entry.duration, entry.done = event.cost, event.duration, event.seq
        self._ended["delivered"] += 1
        self.totals.record(code, entry.duration)
        return code


def _end_of_lease(event: Event) -> float | None:
    lease = stored_lease(event.payload["lease"])
    return None if lease is None else event.at + lease
