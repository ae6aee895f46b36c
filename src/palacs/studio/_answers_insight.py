"""The JSON of what the bench shows: insight, and a look inside."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from palacs.storage import Label
from palacs.studio._answers import Answer, Shown
from palacs.studio._models import Utilities, is_a

Values = list[float] | list[list[float]]
"""On a grid over one or two features."""

Grids = Annotated[dict[str, Values], is_a("Grids")]


class PendingOut(Answer):
    """A request under way."""

    id: str
    label: Label
    asked_at: str
    expires_at: str | None
    performed: bool
    holder: str | None


class RecordedOut(Answer):
    """A recording that waits for features."""

    id: str
    label: Label
    file: str
    why: Annotated[str, Field(description="What the extractor said about it; else empty.")]


class ClassInsight(Answer):
    """One class of the bench."""

    label: Label
    place: int
    count: int
    share: float
    pending: int
    paused: bool
    recall: float | None
    judged: int


class ClassPage(Answer):
    """Some classes, and how many there are."""

    classes: list[ClassInsight]
    total: int


class AccuracyPoint(Answer):
    """Accuracy after so many acquisitions."""

    acquired: int
    accuracy: float
    recall: Utilities


class GroupsOut(Answer):
    """What instances belong to."""

    names: list[str]
    remark: str


class Confusion(Answer):
    """Which classes are taken for which."""

    labels: list[Label]
    matrix: list[list[int]]
    undecided: list[int]


class Mistaken(Answer):
    """How often one class is taken for another."""

    label: Label
    taken_for: Label
    count: int
    of: int


class Block(Answer):
    """A part of the confusion matrix, several classes to a cell where it is large."""

    n_classes: int
    row: int
    column: int
    size: int
    step: int
    rows: list[Label]
    columns: list[Label]
    of: list[int]
    cells: Annotated[list[list[int]], Field(description="Row, column and count of those filled.")]


class MapPoint(Answer):
    """An instance on the map."""

    id: str
    x: float
    y: float
    label: Label
    latest: bool


class MapOut(Answer):
    """Two coordinates for each instance."""

    method: str
    points: list[MapPoint]
    left_out: int


class LastTold(Answer):
    """The instance that came last."""

    id: str
    label: Label
    at: str


class Standing(Answer):
    """Where a campaign stands: the part called now."""

    phase: str = ""
    title: str | None = None
    budget: int | None = None
    budget_cost: float | None = None
    spent: float = 0.0
    strategy: str = ""
    proportions: Annotated[
        bool, Field(description="Whether it is known how often classes occur.")
    ] = False
    n_features: int | None = None
    axes: Annotated[
        list[str] | None, Field(description="What the first two features are called.")
    ] = None
    extractor: Annotated[str | None, Field(description="The one in force.")] = None
    recorded: Annotated[
        list[RecordedOut] | None, Field(description="Recordings that wait for features; the first.")
    ] = None
    n_recorded: int = 0
    labels: list[Label] | None = None
    counts: list[int] | None = None
    paused: list[Label] | None = None
    pending: list[PendingOut] | None = None
    n_pending: int = 0
    asked: Shown | None = None
    ends: Annotated[str, Field(description="Why nothing can be asked for now; else empty.")] = ""
    last_told: LastTold | None = None


class Evidence(Answer):
    """What the labelled set says: the part called evidence."""

    n_classes: int = 0
    classes: list[ClassInsight] | None = None
    judged: int = 0
    accuracy: list[AccuracyPoint] | None = None
    groups: GroupsOut | None = None
    confusion: Confusion | None = None
    confusions: list[Mistaken] | None = None


class Insight(Standing, Evidence):
    """What the bench shows, or a part of it: what was not asked for is left out."""

    seq: int
    map: MapOut | None = None
    utilities: Utilities | None = None
    next: Annotated[Label | None, Field(description="The class to acquire next.")] = None
    why: str = ""


class InsidePoint(Answer):
    """An instance, in raw features."""

    id: str
    x: list[float]
    label: Label


class Inside(Answer):
    """Densities, gain and weighted gain on a grid."""

    seq: int
    n_features: Annotated[int, Field(description="Of the grid: one or two.")]
    of_features: Annotated[int, Field(description="Of the campaign.")]
    projected: Annotated[str, Field(description="Empty for all features, else pair or pca.")]
    names: list[str]
    strategy: str
    classes: Annotated[list[Label], Field(description="Of many the highest utilities.")]
    n_classes: int
    bandwidth: float
    xs: list[float]
    ys: list[float] | None
    densities: Grids
    density: Values
    gain: Values
    weighted_gain: Values
    contributions: Grids
    sums: Utilities
    points: list[InsidePoint]
