"""What a ledger knows of a campaign's course: the settings in force and the names of classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from palacs.campaign._campaign_errors import UnknownClass
from palacs.campaign._entries import Entries
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

    def __init__(self) -> None:
        self.classes: list[Label] = []
        self.paused: set[Label] = set()
        self.phase: Phase = "open"
        self.renamed: dict[Label, Label] = {}
        self.asked: dict[Label, int] = {}
        self.latest_utilities: dict[Label, float] = {}
        self._codes: dict[Label, int] = {}
        self._conditions: Conditions | None = None

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
