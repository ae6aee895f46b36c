"""The JSON of the REST interface: what comes in, checked strictly, and what goes out.

Types are strict (``"1"`` is no number, ``true`` no class); whether a value makes sense for the
campaign is for the campaign to say.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    StrictStr,
    WithJsonSchema,
)

from palacs.campaign import HISTORY_COLUMNS, SESSIONS
from palacs.strategies import DEFAULT_STRATEGY, available
from palacs.studio._wholes import AS_WHOLE, WITH_WHOLES


def is_a(component: str) -> WithJsonSchema:
    """Let the schema of a type be a component that `palacs.studio._openapi` holds."""
    return WithJsonSchema({"x-is": component})


# What a campaign checks itself, and says better, is only written down here for the schema.
PRINTABLE = {"pattern": r"^ *[^\x00-\x20\x7f-\xa0\xad][^\x00-\x1f\x7f-\xa0\xad]*$"}
_URI = r"^[A-Za-z][A-Za-z0-9+.-]*://[A-Za-z0-9_./-]+$"
_BASE64 = r"^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"
_OF_ONE_KIND = {"not": {"allOf": [{"contains": {"type": kind}} for kind in ("string", "integer")]}}
LARGEST = 1e300
_NUMBERED = "^x[0-9\xb2\xb3\xb9]+$"
FEATURE: dict[str, Any] = {
    "minLength": 1,
    "maxLength": 200,
    **PRINTABLE,
    "not": {"anyOf": [{"enum": sorted(HISTORY_COLUMNS)}, {"pattern": r"^attrs\."}]},
}
Name = Annotated[StrictStr, Field(min_length=1, max_length=200, json_schema_extra=PRINTABLE)]
Key = Annotated[
    StrictStr,
    Field(json_schema_extra={"minLength": 1, "maxLength": 100, **PRINTABLE}),
]
Label = Name | Annotated[StrictInt, Field(ge=-(2**63), lt=2**63), AS_WHOLE]
Number = Annotated[float, Field(strict=True, ge=-LARGEST, le=LARGEST)]
Vector = Annotated[list[Number], Field(min_length=1, description="Raw feature values, finite.")]
NamedVector = Annotated[
    dict[Name, Number],
    Field(
        min_length=1,
        description="Raw feature values by their names, which are put in the campaign's order.",
        json_schema_extra={"propertyNames": FEATURE},
    ),
]
Reason = Annotated[StrictStr, Field(max_length=10_000, description="Why; kept in the record.")]
Id = Annotated[StrictStr, Field(min_length=1, max_length=200)]
Amount = Annotated[float, Field(strict=True, ge=0, le=LARGEST)]
Attrs = Annotated[
    dict[str, Any],
    Field(description="What to note: subject, session, device, operator, units."),
    is_a("Attrs"),
]
Object = Annotated[dict[str, Any], is_a("Object")]
Counts = Annotated[dict[str, int], is_a("Counts")]
Utilities = Annotated[dict[str, float | None], is_a("Utilities")]


NULL, TEXT = {"type": "null"}, {"type": "string"}


Strategy = Annotated[StrictStr, Field(max_length=200, json_schema_extra={"enum": [*available()]})]


class Body(BaseModel):
    """A request body; a field that is not known is a mistake worth reporting."""

    model_config = ConfigDict(extra="forbid")


def never(*cases: dict[str, Any]) -> ConfigDict:
    """Write down which combinations of fields are refused."""
    return ConfigDict(extra="forbid", json_schema_extra={"not": {"anyOf": list(cases)}})


class RecordingIn(Body):
    """The raw material of an instance: by its URI, or small and itself, to be kept inside.

    A path means nothing to another machine: give ``file://`` URIs with size and SHA-256.
    """

    model_config = never(
        {"properties": {"uri": NULL, "content": NULL}},
        {"properties": {"uri": TEXT, "content": TEXT}, "required": ["uri", "content"]},
    )

    uri: (
        Annotated[StrictStr, Field(max_length=2_000, json_schema_extra={"pattern": _URI})] | None
    ) = None
    size: Annotated[StrictInt, Field(ge=0, lt=2**63), AS_WHOLE] | None = None
    sha256: Annotated[StrictStr, Field(pattern="^[0-9a-fA-F]{64}$")] | None = None
    name: Annotated[Name, Field(description="Of what is kept.")] | None = None
    content: (
        Annotated[
            StrictStr,
            Field(
                max_length=349_528,
                description="Base64, 256 KiB at most.",
                json_schema_extra={"pattern": _BASE64},
            ),
        ]
        | None
    ) = None


# Declared names are not numbered, lest they be taken for a column of the history.
_DECLARED = {**FEATURE, "not": {"anyOf": [*FEATURE["not"]["anyOf"], {"pattern": _NUMBERED}]}}
Text = Annotated[
    StrictStr, Field(json_schema_extra={"minLength": 1, "maxLength": 200, **PRINTABLE})
]


class Noted(Body):
    """What can be noted with an instance."""

    cost: Amount | None = None
    duration: Amount | None = None
    attrs: Attrs | None = None
    recording: RecordingIn | None = None


class Features(Body):
    """What the features are."""

    model_config = never(
        {
            "properties": {"units": {"type": "array"}, "names": NULL},
            "required": ["units"],
        }
    )

    names: (
        Annotated[
            list[Annotated[StrictStr, Field(json_schema_extra=_DECLARED)]],
            Field(max_length=1_000_000, json_schema_extra={"minItems": 1, "uniqueItems": True}),
        ]
        | None
    ) = None
    units: (
        Annotated[list[Text] | Text, Field(description="Of each of the names, or of all.")] | None
    ) = None
    sampling_rate: (
        Annotated[float, Field(strict=True, gt=0, le=LARGEST, description="In Hz.")] | None
    ) = None
    pipeline: Annotated[Text, Field(description="What extracts them, its version.")] | None = None


class NewCampaign(Body):
    """What a campaign is created with."""

    name: Annotated[Name, Field(examples=["motor-imagery"])]
    classes: Annotated[
        list[Label],
        Field(
            max_length=10_000,
            examples=[["left", "right"]],
            description="Two or more, each once; all text or all integers.",
            json_schema_extra={"minItems": 2, "uniqueItems": True, **_OF_ONE_KIND},
        ),
    ]
    strategy: Strategy = DEFAULT_STRATEGY
    params: Annotated[Object, Field(description="The strategy's parameters.")] = {}
    budget: Annotated[StrictInt, Field(ge=1, le=10**9), AS_WHOLE] | None = None
    budget_cost: Annotated[Amount, Field(description="In money or minutes.")] | None = None
    conditions: Annotated[dict[str, Any], WITH_WHOLES, is_a("Conditions")] | None = None
    n_features: (
        Annotated[StrictInt, Field(ge=1, le=1_000_000, description="Of every instance."), AS_WHOLE]
        | None
    ) = None
    bounds: (
        Annotated[
            list[Annotated[list[Number], Field(json_schema_extra={"minItems": 2, "maxItems": 2})]],
            Field(
                max_length=1_000_000,
                description="[[low, high]] for all features or for each.",
                json_schema_extra={"minItems": 1},
            ),
        ]
        | None
    ) = None
    seed: Annotated[StrictInt, Field(ge=0, lt=2**63), AS_WHOLE] | None = None
    lease: (
        Annotated[
            float,
            Field(strict=True, gt=0, le=3.15576e9, description="Seconds a request stays pending."),
        ]
        | None
    ) = 3600.0
    attrs: Annotated[Attrs, Field(description="Holds for every instance.")] | None = None
    features: Features | None = None
    groups: (
        Annotated[
            Annotated[list[Key], Field(json_schema_extra={"minItems": 1, "uniqueItems": True})]
            | Key,
            Field(description="The attribute that says what an instance belongs to: subject."),
        ]
        | None
    ) = None


class Ask(Body):
    """How many requests to make."""

    n: Annotated[StrictInt, Field(ge=1, le=1000), AS_WHOLE] = 1
    attrs: Attrs | None = None


class Numbers(Body):
    """The features of one instance, as a list or as they were typed.

    Neither is needed where an extractor is in force and a recording comes with its content.
    """

    model_config = never(
        {
            # Not one list of types: earlier releases of FastAPI do not know those.
            "properties": {"x": {"anyOf": [{"type": "array"}, {"type": "object"}]}, "text": TEXT},
            "required": ["x", "text"],
        },
        {"properties": {"x": NULL, "text": NULL, "recording": {"properties": {"content": NULL}}}},
    )

    x: Vector | NamedVector | None = None
    text: (
        Annotated[
            StrictStr,
            Field(max_length=50_000_000, description="Instead of x: read as a file would be."),
        ]
        | None
    ) = None


class Tell(Numbers, Noted):
    """The instance that a request brought."""

    id: Id
    label: Annotated[Label, Field(description="If not the class asked for.")] | None = None


class TellMany(Body):
    """The instances that several requests brought: all are recorded, or none."""

    answers: Annotated[list[Tell], Field(min_length=1, max_length=1000)]
    attrs: Annotated[Attrs, Field(description="What to note with all of them.")] | None = None


class Predict(Body):
    """Instances to be judged."""

    x: Annotated[
        list[Vector],
        Field(min_length=1, max_length=10_000, description="One row of raw features for each."),
    ]


class Fail(Body):
    """A request that will bring nothing."""

    id: Id
    reason: Reason = ""
    attrs: Attrs | None = None


class Performed(Body):
    """A request that was carried out and whose numbers are still to come."""

    id: Id
    attrs: Attrs | None = None


class Next(Body):
    """What was performed, before the next request."""

    performed: Id | None = None
    attrs: Annotated[Attrs, Field(description="What to note with what was performed.")] | None = (
        None
    )


class Claim(Body):
    """A request that the holder takes as its own."""

    id: Id
    take_over: Annotated[StrictBool, Field(description="Also from another holder.")] = False


class Add(Numbers, Noted):
    """An instance nobody asked for."""

    label: Label
    id: Annotated[Name, Field(description="Your own, to make repeating harmless.")] | None = None


class Retract(Body):
    """An instance to take out of the labelled set."""

    id: Id
    reason: Reason = ""


class Undo(Body):
    """What was done last, to be taken back."""

    reason: Reason = ""
    by: Annotated[Id, Field(description="Only what belongs to this holder.")] | None = None


class OneClass(Body):
    """One class."""

    label: Label


class Why(Body):
    """A reason, for those who read the record later."""

    reason: Annotated[Reason, Field(min_length=1)]


_CHANGEABLE = ("budget", "budget_cost", "lease", "conditions", "strategy", "session", "title")


class Change(Why):
    """Settings that hold from now on; those left out stay as they are."""

    model_config = never(
        {"not": {"anyOf": [{"required": [name]} for name in _CHANGEABLE]}},
        {"properties": {"strategy": NULL}, "required": ["strategy"]},
    )

    budget: Annotated[StrictInt, Field(ge=1, le=10**9), AS_WHOLE] | None = None
    budget_cost: Amount | None = None
    lease: Annotated[float, Field(strict=True, gt=0, le=3.15576e9)] | None = None
    conditions: Annotated[dict[str, Any], WITH_WHOLES, is_a("Conditions")] | None = None
    strategy: Strategy | None = None
    params: Annotated[Object, Field(description="The strategy's parameters.")] = {}
    session: (
        Annotated[
            Annotated[dict[str, Any], WITH_WHOLES, is_a("Timeline")]
            | Annotated[StrictStr, Field(json_schema_extra={"enum": [*SESSIONS]})],
            Field(description="A timeline, or the name of one to begin with."),
        ]
        | None
    ) = None
    title: (
        Annotated[
            StrictStr,
            Field(
                min_length=1,
                max_length=200,
                description="Shown instead of the name.",
                json_schema_extra=PRINTABLE,
            ),
        ]
        | None
    ) = None


class RenameClass(Why):
    """Another name for a class."""

    label: Label
    to: Label


class Renew(Body):
    """A request whose lease starts anew."""

    id: Id
    reason: Reason = ""
