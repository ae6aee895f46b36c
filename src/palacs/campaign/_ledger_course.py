"""What a ledger knows of a campaign's course: settings, names of classes, and the extractor.

An extraction is one event that names the extractor and one per instance with its new vector.
They are written together and take effect together, with the last of them: whoever reads the
record in parts sees the vectors of before until all are there.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any, Literal

from palacs.campaign._campaign_errors import UnknownClass
from palacs.campaign._entries import Entries, Entry
from palacs.campaign._growing_set import GrowingSet
from palacs.campaign._settings import Settings
from palacs.campaign._values import check_label
from palacs.storage import Event, Label

if TYPE_CHECKING:
    from palacs.conditions import Conditions

Phase = Literal["open", "closed", "archived"]


class CourseOfLedger:
    """The part of a ledger that later events change for all entries; see `Ledger`."""

    settings: Settings
    entries: Entries
    labelled: GrowingSet
    _bringing: array[int]
    _brought_at: array[int]

    def __init__(self) -> None:
        self.classes: list[Label] = []
        self.paused: set[Label] = set()
        self.phase: Phase = "open"
        self.renamed: dict[Label, Label] = {}
        self.asked: dict[Label, int] = {}
        self.latest_utilities: dict[Label, float] = {}
        self._codes: dict[Label, int] = {}
        self._conditions: Conditions | None = None
        self._awaited = 0  # vectors of an extraction that are still to come
        self._staged = array("q")  # rows of those that came
        self._to_be: Settings | None = None  # the settings once all are there

    @property
    def extracting(self) -> bool:
        """Whether an extraction began whose vectors are not all there yet."""
        return self._awaited > 0

    @property
    def conditions(self) -> Conditions | None:
        """The conditions as they were written, read once."""
        # No cached_property: its lock, held by another thread, would stop a forked child.
        if self._conditions is None and self.settings.conditions is not None:
            from palacs.conditions import Conditions

            self._conditions = Conditions.from_dict(self.settings.conditions)
        return self._conditions

    def code(self, label: Any) -> int:
        """Return the position of a class, or raise `UnknownClass`."""
        if type(label) in (str, int) and label in self._codes:
            return self._codes[label]  # what it nearly always is
        known = check_label(label)
        if known not in self._codes:
            names = ", ".join(map(repr, self.classes[:12]))
            if known in self.renamed:
                names = f"it was renamed to {self.renamed[known]!r}; {names}"
            raise UnknownClass(
                f"class {known!r} is not one of this campaign's classes ({names}); "
                "check the spelling, or add it with add_class."
            )
        return self._codes[known]

    def _change(self, settings: Settings) -> None:
        self.settings = settings
        self._conditions = None

    def _fold_class_renamed(self, event: Event) -> None:
        old, new = self.classes[self.code(event.label)], check_label(event.payload["to"])
        self._refuse_as_class(new)

        def now(label: Label) -> Label:
            return new if label == old else label

        self._codes[new] = self._codes.pop(old)
        self.classes = [now(label) for label in self.classes]
        self.paused = {now(label) for label in self.paused}
        self.asked = {now(label): n for label, n in self.asked.items()}
        self.latest_utilities = {now(c): u for c, u in self.latest_utilities.items()}
        for entry in self.entries.to_change():
            entry.asked = None if entry.asked is None else now(entry.asked)
            entry.label = None if entry.label is None else now(entry.label)
        self.renamed = {**{past: now(name) for past, name in self.renamed.items()}, old: new}
        self._change(self.settings.renamed(now, event.payload.get("conditions")))

    def _refuse_as_class(self, label: Label) -> None:
        if type(label) is not type(self.classes[0]):
            raise ValueError(f"class {label!r} is of another type than the others")
        if label in self._codes:
            raise ValueError(f"class {label!r} is already there")

    def _fold_extracted(self, event: Event) -> None:
        if event.entry is None:
            if self.extracting:
                raise ValueError("vectors of an extraction are missing before it")
            self._to_be = self.settings.extracted(event.payload, event.seq)
            self._awaited, self._staged = int(event.payload["instances"]), array("q")
        else:
            self._stage(self.entries[event.entry], event)
        if not self.extracting:
            self._exchange()

    def _stage(self, entry: Entry, event: Event) -> None:
        if not self.extracting or self._to_be is None:
            raise ValueError("it is a vector that no extraction speaks of")
        self._awaited -= 1
        if event.erased:
            return
        raw, n_features = event.x or b"", self._to_be.n_features
        if n_features is None or len(raw) != 8 * n_features:
            raise ValueError(f"{len(raw)} bytes instead of {n_features} features")
        self._staged.append(self.labelled.stage(raw, self.code(entry.label)))
        self._bring(entry, event)

    def _bring(self, entry: Entry, event: Event) -> None:
        self._bringing.append(entry.number)
        self._brought_at.append(event.seq)

    def _exchange(self) -> None:
        """Let the new vectors and their extractor take effect."""
        assert self._to_be is not None
        ids = [self.entries.id_at(self._bringing[row]) for row in self._staged]
        entries = [self.entries[id_] for id_ in ids]
        if [entry.row for entry in entries] != self.labelled.rows.tolist():
            raise ValueError("its vectors are not those of the labelled set, in its order")
        self.labelled.exchange(self._staged, self._to_be.n_features)
        for entry, row in zip(entries, self._staged, strict=True):
            entry.as_told = entry.row if entry.as_told is None else entry.as_told
            entry.row = row
        self._change(self._to_be)
        self._to_be = None
