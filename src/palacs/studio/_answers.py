"""The JSON of the REST interface that goes out: one small model for every answer.

A field that no model names is a mistake of ours and fails at once, rather than being left out in
silence. Clients are told that fields may be added.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from palacs.storage import Label
from palacs.studio._models import Counts, Object, Utilities


def _open(schema: dict[str, Any]) -> None:
    schema.pop("additionalProperties", None)


class Answer(BaseModel):
    """What a route answers."""

    model_config = ConfigDict(extra="forbid", json_schema_extra=_open)


NextPage = Annotated[
    str | None, Field(description="Where the next page is; null at the end, or without a limit.")
]


class StrategyRow(Answer):
    """A strategy that a campaign can be created with."""

    name: str
    title: str
    summary: str


class StrategyList(Answer):
    """All strategies."""

    strategies: list[StrategyRow]


# -- campaigns -------------------------------------------------------------------------


class CampaignRow(Answer):
    """A campaign in the list."""

    name: str
    title: str | None = None
    classes: Annotated[list[Label], Field(description="The first twelve.")]
    n_classes: int
    strategy: str
    budget: int | None
    acquired: int
    pending: int
    awaiting: int
    phase: str
    created_at: str
    error: str | None = None


class CampaignList(Answer):
    """Campaigns, oldest first."""

    campaigns: list[CampaignRow]
    next: NextPage = None


class StrategyUsed(Answer):
    """The strategy in force."""

    name: str
    params: Object = {}


class SettingsOut(Answer):
    """What is in force; what is not used is left out."""

    classes: list[Label]
    strategy: StrategyUsed
    seed: int
    budget: int | None
    lease: float | None
    bounds: list[list[float]] | None
    palacs: str | None = None
    conditions: Object | None = None
    budget_cost: float | None = None
    title: str | None = None
    n_features: int | None = None
    attrs: Object | None = None
    features: Object | None = None
    named: Annotated[
        list[str] | None,
        Field(description="Names that came with instances, if none were declared."),
    ] = None
    groups: list[str] | None = None
    session: Object | None = None
    extractor: Object | None = None


class ClassStatusOut(Answer):
    """Where one class stands."""

    label: Label
    asked: int
    got: int
    pending: int
    share: float
    utility: float | None
    paused: bool


class StatusOut(Answer):
    """Where a campaign stands."""

    name: str
    strategy: str
    phase: str
    budget: int | None
    remaining: int | None
    spent: float
    budget_cost: float | None
    instances: int
    n_features: int | None
    extractor: str | None
    states: Counts
    classes: list[ClassStatusOut]
    awaiting: int


class CampaignOut(Answer):
    """A campaign: what it was made with and where it stands."""

    name: str
    created_at: str
    settings: SettingsOut
    status: StatusOut


class Changed(Answer):
    """The settings in force after a change."""

    name: str
    settings: SettingsOut


# -- requests and instances ------------------------------------------------------------


class RequestOut(Answer):
    """One instance asked for."""

    id: str
    label: Label
    utilities: Utilities
    asked_at: str
    expires_at: str | None
    attrs: Object
    holder: str | None = None


class Requests(Answer):
    """Requests; fewer than asked for where the budget ends."""

    requests: list[RequestOut]


class RecordingOut(Answer):
    """Where a recording is."""

    where: str
    size: int | None = None
    sha256: str | None = None
    kept: Annotated[bool, Field(description="Inside the record.")] = False


class Recordings(Answer):
    """Recordings of instances, in the order of the record."""

    recordings: list[RecordingOut]
    next: NextPage = None


class InstanceOut(Answer):
    """An acquired instance."""

    id: str
    label: Label
    asked: Label | None
    x: list[float]
    told_at: str
    retracted: bool
    attrs: Object
    recording: RecordingOut | None


class Told(Answer):
    """The instance as it is in the record."""

    instance: InstanceOut


class TableTold(Answer):
    """What a table brought."""

    instances: int
    classes: Annotated[Counts, Field(description="Instances of the most frequent ones.")]
    n_classes: int
    features: Annotated[list[str], Field(description="What the features are called, in order.")]


class ToldMany(Answer):
    """The instances as they are in the record, in the order in which they were sent."""

    instances: list[InstanceOut]


class Done(Answer):
    """What was changed: an id or a class, and its state now."""

    id: str | None = None
    label: Label | None = None
    state: str


class Shown(Answer):
    """A request as a cue shows it."""

    id: str
    label: Label


class Cue(Answer):
    """What one holder has to do: its own request, and what it performed."""

    seq: int
    classes: list[Label]
    asked: Shown | None
    free: Annotated[Shown | None, Field(description="One that belongs to nobody, to be claimed.")]
    awaiting: list[Shown]
    ends: Annotated[str, Field(description="Why nothing can be asked for now; else empty.")]


# -- looking ---------------------------------------------------------------------------


class Row(Answer):
    """A request or an unsolicited instance; on request with one field for each feature."""

    model_config = ConfigDict(extra="allow")

    number: Annotated[int, Field(description="Its place in the record: 1, 2, 3, ...")]
    id: str
    request_id: str | None
    asked: Label | None
    label: Label | None
    state: str
    asked_at: str | None
    expires_at: str | None
    performed_at: str | None
    told_at: str | None
    failed_at: str | None
    retracted_at: str | None
    reason: str | None
    cost: float | None
    duration: float | None
    utility: float | None
    asked_by: str | None
    told_by: str | None
    recording: str | None
    attrs: Object
    x: Annotated[list[float] | None, Field(description="The first values.")] = None
    n_features: int | None = None


class Rows(Answer):
    """A part of the history."""

    rows: list[Row]
    total: int
    next: NextPage = None


class EventOut(Answer):
    """One event of the record."""

    seq: int
    kind: str
    at: str
    id: str | None
    label: Label | None
    person: str | None
    holder: str | None
    op: str | None


class Events(Answer):
    """A part of the record, event by event."""

    events: list[EventOut]
    next: NextPage = None


class Prediction(Answer):
    """What the campaign's model takes instances for."""

    classes: Annotated[list[Label], Field(description="In the campaign's order.")]
    labels: Annotated[list[Label], Field(description="The likeliest class of each instance.")]
    probabilities: Annotated[
        list[list[float]], Field(description="Of each instance, one for each class.")
    ]


class AdviceOut(Answer):
    """Whether to stop asking."""

    stop: bool
    reason: str


class NotedOut(Answer):
    """What was noted under one name."""

    values: list[Any]


class ReportRow(Answer):
    """The results of an experiment."""

    id: str
    name: str
    url: str
    written_at: str


class ReportList(Answer):
    """All reports, the newest first."""

    reports: list[ReportRow]


class ClockOut(Answer):
    """The time of the studio's machine."""

    at: Annotated[float, Field(description="Seconds since 1970.")]


class SessionOut(Answer):
    """A campaign's timeline."""

    timeline: Object
    sessions: dict[str, Object]
    classes: list[Label]
