"""What a record is made of: an event is a draft with a number.

The kinds of events are one type, so that a misspelt one does not pass the type checker, and
the fields are listed once; tables, queries and files take their order from here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Literal, get_args

Label = str | int
"""A class label: text or an integer, kept as it was given."""

EventKind = Literal[
    "created",
    "asked",
    "performed",
    "told",
    "failed",
    "added",
    "retracted",
    "paused",
    "resumed",
    "class_added",
    "class_renamed",
    "changed",
    "renewed",
    "extracted",
    "closed",
    "reopened",
    "erased",
]
"""What can happen in a campaign."""

EVENT_MEANINGS: Mapping[EventKind, str] = MappingProxyType(
    {
        "created": "the campaign begins, with the settings in its payload",
        "asked": "a class was requested, with the utilities that decided it",
        "performed": "a request was carried out; its instance is still to come",
        "told": "the instance that a request brought",
        "failed": "a request brought nothing",
        "added": "an instance that nobody requested",
        "retracted": "an instance no longer counts",
        "paused": "a class is not requested for now",
        "resumed": "a paused class is requested again",
        "class_added": "one more class",
        "class_renamed": "a class has another name from here on",
        "changed": "other settings are in force from here on",
        "renewed": "the lease of a request starts anew, maybe with another holder",
        "extracted": "all features were made anew by an extractor: a head, then each instance",
        "closed": "nothing new begins; archived, it leaves the list too",
        "reopened": "requests begin again",
        "erased": "the numbers of some entries were erased for good",
    }
)
"""What each kind of event says, in a line."""

EVENT_KINDS: tuple[EventKind, ...] = get_args(EventKind)
"""Every kind of event; a record made by a newer palacs may hold others."""

ONCE: tuple[tuple[EventKind, ...], ...] = (
    ("asked",),
    ("told", "failed"),
    ("told", "added"),
    ("retracted",),
)
"""Groups of kinds of which one entry has at most one event."""


ERASED: Mapping[str, Any] = MappingProxyType({"erased": True})
"""All that is left of the payload of an event whose numbers were erased."""


@dataclass(frozen=True, slots=True)
class Draft:
    """An event that has not been written yet.

    Attributes
    ----------
    kind : EventKind
        What happened: ``asked``, ``told``, ``failed``, ``added``, ``retracted``, ...
    entry : str or None
        Id of the request or unsolicited instance it is about.
    label : str, int or None
        The class it is about.
    x : bytes or None
        Raw feature vector, little-endian float64.
    cost, duration : float or None
        What the acquisition cost and how many seconds it took, where recorded.
    payload : mapping
        Everything else, as JSON-able values without NaN or infinity.
    at : float or None
        Seconds since the epoch; ``None`` means the moment of writing.
    op : str or None
        The client's id of the operation; all events that one operation wrote have the same.
    author : mapping or None
        Who did it: host, process, person, as JSON-able values.
    attrs : mapping or None
        What the laboratory noted about it, as JSON-able values.
    """

    kind: EventKind
    entry: str | None = None
    label: Label | None = None
    x: bytes | None = None
    cost: float | None = None
    duration: float | None = None
    payload: Mapping[str, Any] = field(default_factory=dict)
    at: float | None = None
    op: str | None = None
    author: Mapping[str, Any] | None = None
    attrs: Mapping[str, Any] | None = None

    def numbered(self, seq: int, now: float) -> Event:
        """Return the event that this draft becomes.

        Parameters
        ----------
        seq : int
            Its number in the campaign.
        now : float
            Its time, unless the draft brings its own.

        Returns
        -------
        Event

        Examples
        --------
        >>> from palacs.storage import Draft
        >>> event = Draft("paused", label="left").numbered(7, now=12.5)
        >>> event.seq, event.at, event.kind, event.label
        (7, 12.5, 'paused', 'left')
        """
        at = now if self.at is None else self.at
        return Event(*_what_happened_in(self), seq=seq, at=at)


@dataclass(frozen=True, slots=True, kw_only=True)
class Event(Draft):
    """A written event: a draft with its number and its time.

    Attributes
    ----------
    seq : int
        Its number in the campaign: 1, 2, 3, ...
    at : float
        Seconds since the epoch.
    """

    seq: int
    at: float

    @property
    def erased(self) -> bool:
        """Whether its numbers were erased: only what happened when, to which entry, is left."""
        return self.payload == ERASED

    def as_dict(self) -> dict[str, Any]:
        """Return the fields by name, in the order of ``EVENT_FIELDS``.

        Examples
        --------
        >>> from palacs.storage import Event
        >>> event = Event("failed", "r1", seq=3, at=12.5)
        >>> Event(**event.as_dict()) == event
        True
        """
        return dict(zip(EVENT_FIELDS, _all_of(self), strict=True))


_WHAT_HAPPENED = tuple(f.name for f in fields(Draft) if f.name != "at")

EVENT_FIELDS: tuple[str, ...] = ("seq", "at", *_WHAT_HAPPENED)
"""The fields of an event, in the order in which queries and exports list them.

The number and the time come first; the others follow in the order in which `Event` takes them.
"""

_what_happened_in = attrgetter(*_WHAT_HAPPENED)
_all_of = attrgetter(*EVENT_FIELDS)
