"""What the page of a participant says over REST: what it painted, and what it is to do."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StrictBool, StrictInt, StrictStr, field_validator

from palacs.studio._models import Body, Id, Label
from palacs.studio._wholes import AS_WHOLE


class Painted(Body):
    """What a page painted."""

    phase: Annotated[StrictStr, Field(max_length=40, description="Fixation, cue, performing, ...")]
    at: Annotated[float, Field(strict=True, gt=0, description="When, by this machine's clock.")]
    uncertainty: Annotated[
        float, Field(strict=True, ge=0, description="Of that, in seconds: clocks and one frame.")
    ] = 0.0
    request: Id | None = None
    label: Label | None = None

    @field_validator("label")
    @classmethod
    def _printable(cls, label: str | int | None) -> str | int | None:
        # No campaign looks at it: it goes out with the marker as it is.
        if isinstance(label, str) and not (label.strip() and label.isprintable()):
            raise ValueError("give 1 to 200 printable characters")
        return label


class SessionReport(Painted):
    """What a participant sees."""

    trial: Annotated[StrictInt, Field(ge=0), AS_WHOLE] = 0
    dry: Annotated[StrictBool, Field(description="Nothing is recorded.")] = False


class SessionCommand(Body):
    """What a participant's page is to do."""

    holder: Id
    command: Literal["pause", "go on"]
