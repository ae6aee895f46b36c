"""What a campaign hands out: requests, instances and its status, as small frozen objects."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from palacs.campaign._campaign_errors import UnknownEntry
from palacs.campaign._values import Vector, brief
from palacs.storage import Label
from palacs.views import html_table, html_view

if TYPE_CHECKING:
    import pandas as pd

    from palacs.campaign._entries import Entry
    from palacs.campaign._recordings import Recording

_MOST_SHOWN = 40  # classes in a notebook
LATEST = 2.5e11  # in the year 9892: calendars end soon after


def to_datetime(at: float | None) -> datetime | None:
    """Return seconds since the epoch as an aware UTC time."""
    # A clock that was wrong must not make a record unreadable.
    return None if at is None else datetime.fromtimestamp(min(max(at, 0.0), LATEST), UTC)


def json_number(value: float | None) -> float | None:
    """Return `value`, or ``None`` where JSON has no number for it (NaN, infinity)."""
    return value if value is not None and math.isfinite(value) else None


ATTRS = "attrs."
"""What columns of attributes begin with in a history."""


def history_to_json(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return rows of ``Campaign.history`` as JSON-able values; what is missing becomes None.

    The columns of attributes become one object, ``attrs``.
    """
    rows = frame.to_dict(orient="records")
    return [_nested({str(key): _jsonable(value) for key, value in row.items()}) for row in rows]


def _nested(row: dict[str, Any]) -> dict[str, Any]:
    attrs = {k.removeprefix(ATTRS): v for k, v in row.items() if k.startswith(ATTRS)}
    plain = {key: value for key, value in row.items() if not key.startswith(ATTRS)}
    return {**plain, "attrs": {key: value for key, value in attrs.items() if value is not None}}


def _jsonable(value: Any) -> Any:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return None
    if hasattr(value, "isoformat"):
        return None if str(value) == "NaT" else value.isoformat()
    return value


@dataclass(frozen=True, slots=True)
class Request:
    """One instance asked for.

    Attributes
    ----------
    id : str
        Under which to tell or fail it, from any process.
    label : str or int
        The class to acquire.
    utilities : dict
        Utility of every class when it was decided: NaN for classes that could not be
        requested, infinite for those without an instance and none pending. Of more than 50
        classes the 50 largest and that of the class itself, see `Campaign.utilities` for all.
    asked_at : datetime
        When it was made, UTC.
    expires_at : datetime or None
        When it stops counting as pending, UTC; it can still be answered afterwards.
    performed_at : datetime or None
        When it was carried out, UTC, if its data are still to come.
    attrs : dict
        What was noted about it when asking, and what holds for the campaign.
    holder : str or None
        The page or program it belongs to, see `acting_as`.
    """

    id: str
    label: Label
    utilities: dict[Label, float]
    asked_at: datetime
    expires_at: datetime | None
    performed_at: datetime | None = None
    attrs: dict[str, Any] = field(default_factory=dict)
    holder: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return a JSON-able form; utilities that are no finite number become ``None``."""
        return {
            "id": self.id,
            "label": self.label,
            "asked_at": self.asked_at.isoformat(),
            "expires_at": None if self.expires_at is None else self.expires_at.isoformat(),
            "utilities": {str(c): json_number(u) for c, u in self.utilities.items()},
            "attrs": self.attrs,
            "holder": self.holder,
        }


@dataclass(frozen=True, slots=True)
class Instance:
    """One acquired feature vector.

    Attributes
    ----------
    id : str
        Under which to retract it; the request's id where it was asked for.
    label : str or int
        Its class.
    x : ndarray of shape (n_features,)
        Raw values.
    asked : str, int or None
        The class that was asked for; ``None`` if it was unsolicited.
    told_at : datetime
        When it was recorded, UTC.
    retracted : bool
        Whether it was taken out of the labelled set again.
    attrs : dict
        What was noted about it: by the campaign, when asking, and when telling.
    recording : Recording or None
        Its raw material, without the content of one that is kept inside.
    """

    id: str
    label: Label
    x: npt.NDArray[np.float64]
    asked: Label | None
    told_at: datetime
    retracted: bool
    attrs: dict[str, Any] = field(default_factory=dict)
    recording: Recording | None = None

    def to_json(self) -> dict[str, Any]:
        """Return a JSON-able form."""
        return {
            "id": self.id,
            "label": self.label,
            "asked": self.asked,
            "x": self.x.tolist(),
            "told_at": self.told_at.isoformat(),
            "retracted": self.retracted,
            "attrs": self.attrs,
            "recording": None if self.recording is None else self.recording.to_json(),
        }


@dataclass(frozen=True, slots=True)
class ClassStatus:
    """One class of a campaign.

    Attributes
    ----------
    label : str or int
        The class.
    asked : int
        Requests made for it, whatever became of them.
    got : int
        Its instances in the labelled set.
    pending : int
        Requests under way.
    share : float
        Its part of the labelled set; 0 while that is empty.
    utility : float or None
        At the latest request; ``None`` before the first.
    paused : bool
        Whether it is currently not requested.
    """

    label: Label
    asked: int
    got: int
    pending: int
    share: float
    utility: float | None
    paused: bool


@dataclass(frozen=True, slots=True)
class Status:
    """Where a campaign stands.

    Attributes
    ----------
    name : str
        The campaign.
    strategy : str
        The strategy's registered name.
    budget, remaining : int or None
        Instances that requests may bring in, altogether and still; ``None`` is no limit.
    instances : int
        Size of the labelled set, unsolicited instances included.
    n_features : int or None
        ``None`` until known.
    states : dict
        Number of history rows per state.
    classes : tuple of ClassStatus
        In the campaign's order.
    spent : float
        What requests have cost so far.
    budget_cost : float or None
        What they may cost altogether; ``None`` is no limit.
    phase : str
        "open"; "closed", where nothing new begins; "archived", closed and out of sight.
    extractor : str or None
        The one in force, which makes features of recordings, with its parameters; else None.
    """

    name: str
    strategy: str
    budget: int | None
    remaining: int | None
    instances: int
    n_features: int | None
    states: dict[str, int]
    classes: tuple[ClassStatus, ...]
    spent: float = 0.0
    budget_cost: float | None = None
    phase: str = "open"
    extractor: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return a JSON-able form; utilities that are no finite number become ``None``."""
        return {
            "name": self.name,
            "strategy": self.strategy,
            "phase": self.phase,
            "budget": self.budget,
            "remaining": self.remaining,
            "spent": self.spent,
            "budget_cost": self.budget_cost,
            "instances": self.instances,
            "n_features": self.n_features,
            "extractor": self.extractor,
            "states": self.states,
            "classes": [
                {
                    "label": c.label,
                    "asked": c.asked,
                    "got": c.got,
                    "pending": c.pending,
                    "share": c.share,
                    "utility": json_number(c.utility),
                    "paused": c.paused,
                }
                for c in self.classes
            ],
        }

    def _repr_html_(self) -> str:
        budget = "none" if self.budget is None else f"{self.budget}, {self.remaining} left"
        rows: list[tuple[str, Any]] = [
            ("state", self.phase),
            ("strategy", self.strategy),
            ("instances", self.instances),
            ("budget", budget),
            ("open requests", sum(c.pending for c in self.classes)),
        ]
        if self.budget_cost is not None:
            rows.append(("spent", f"{self.spent:g} of {self.budget_cost:g}"))
        classes = [
            (f"{c.label} (paused)" if c.paused else c.label, c.got, c.pending, c.asked)
            for c in self.classes
        ]
        shown = html_table(["class", "instances", "pending", "asked"], classes[:_MOST_SHOWN])
        more = len(classes) - _MOST_SHOWN
        rows += [("classes", f"{len(classes)}, the first {_MOST_SHOWN} below")] if more > 0 else []
        return html_view(f"Campaign {self.name}", rows, shown)


def to_request(entry: Entry, utilities: dict[Label, float], attrs: dict[str, Any]) -> Request:
    """Return a request as it is handed out."""
    asked_at = to_datetime(entry.asked_at)
    if entry.asked is None or asked_at is None:
        raise UnknownEntry(f"{entry.id!r} is an unsolicited instance, no request.")
    expires_at, performed_at = to_datetime(entry.expires_at), to_datetime(entry.performed_at)
    holder = entry.holder
    return Request(
        entry.id, entry.asked, utilities, asked_at, expires_at, performed_at, attrs, holder
    )


def to_instance(
    entry: Entry, x: Vector | None, attrs: dict[str, Any], recording: Recording | None
) -> Instance:
    """Return an instance as it is handed out."""
    told_at = to_datetime(entry.told_at)
    if entry.erased:
        raise UnknownEntry(f"{entry.id!r} was erased; nothing is left of its instance.")
    if entry.label is None or x is None or told_at is None:
        raise UnknownEntry(f"request {entry.id!r} has brought no instance yet.")
    retracted = entry.retracted_at is not None
    return Instance(entry.id, entry.label, x, entry.asked, told_at, retracted, attrs, recording)


def id_of(thing: Request | Instance | str) -> str:
    """Return the id of what a caller names."""
    if isinstance(thing, (Request, Instance)):
        return thing.id
    if isinstance(thing, str) and thing:
        return thing
    raise ValueError(f"{brief(thing)} is neither a request nor an id; pass what ask() returned.")
