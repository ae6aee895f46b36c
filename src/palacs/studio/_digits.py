"""The drawing demo over REST: a person is the source, and the race is computed from the record.

The drawings are those of a campaign with Spare settled, thirty to the finish; with each one a scan
by another hand comes along, as an instance of its own. How equal counts would have done with the
same hand is worked out beside it (`_race`), from the drawings alone.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, Depends, Query
from pydantic import Field, StrictBool

from palacs.campaign import (
    BudgetExhausted,
    NothingToAsk,
    Request,
    Snapshot,
    acting_holder,
    create_campaign,
    follow_up,
)
from palacs.storage import CampaignExists
from palacs.studio._answers import Answer, RequestOut
from palacs.studio._campaigns import CampaignBook, StudioCampaign
from palacs.studio._deps import TheBook, TheCampaign, TheOp, acting
from palacs.studio._drawn_for_you import drawn_for_you
from palacs.studio._error_answers import Refused, refusing
from palacs.studio._models import Body, Id, Name
from palacs.studio._race import (
    DRAWINGS,
    Drawn,
    companions,
    curves,
    equal_order,
    model,
    outcome,
    strategy,
)
from palacs.studio._scans import GREYS, SYMBOLS, hands_of
from palacs.studio._strokes import to_digit

router = APIRouter(
    prefix="/api/v1/demo/digits", tags=["drawing demo"], dependencies=[Depends(acting)]
)

DEFAULT_NAME = "race"
_FEATURES = 64
_BY_PROGRAM = {"drawn": "by a program"}
_LENT = "lent-"
"""In front of the id of the drawing with which a scan by another hand came along."""


_Place = Annotated[float, Field(strict=True, ge=-1e6, le=1e6)]


class Start(Body):
    """Which race to go on with; without a name the usual one."""

    name: Name | None = None
    afresh: Annotated[StrictBool, Field(description="Begin a new campaign under a free name.")] = (
        False
    )


class Drawing(Body):
    """A drawing that answers a request."""

    id: Id
    strokes: Annotated[
        list[list[Annotated[list[_Place], Field(min_length=2, max_length=2)]]],
        Field(
            max_length=100,
            description="Points (x, y) of each stroke; y points down.",
            json_schema_extra={"contains": {"type": "array", "minItems": 2}},
        ),
    ]
    by_program: Annotated[StrictBool, Field(description="Nobody drew it.")] = False


class NextDrawing(Answer):
    """What to draw, and why; nothing at the finish."""

    next: RequestOut | None
    why: str = ""


class DrawnOut(Answer):
    """A drawing as the classifier sees it: 8 x 8 grey values from 0 to 16."""

    id: str
    label: str
    x: list[float]


class OutcomeOut(Answer):
    """How a race ended."""

    kind: Literal["won", "lost", "tie"]
    saved: int
    sentence: str


class Progress(Answer):
    """How a race stands."""

    seq: int
    symbols: list[str]
    finish: Annotated[int, Field(description="How many drawings there are to the finish.")]
    asked: Annotated[list[float], Field(description="Share misread after each drawing.")]
    equal: Annotated[list[float], Field(description="The same, had it been asked equally.")]
    counts: Annotated[list[int], Field(description="In the order of `symbols`.")]
    equal_counts: list[int]
    stand_ins: Annotated[int, Field(description="Drawings of equal counts that are not yours.")]
    by_program: Annotated[int, Field(description="Drawings that were drawn for the visitor.")]
    judges: Annotated[int, Field(description="How many digits of other hands are read.")]
    drawings: list[DrawnOut]
    outcome: OutcomeOut | None


class Started(Progress, NextDrawing):
    """A race and what to draw."""

    name: str


class DrawingTold(Progress, NextDrawing):
    """How a drawing was understood, how the race stands and what to draw next."""

    label: str
    guess: Annotated[str | None, Field(description="What it was taken for, untold.")]


class StrokesOut(Answer):
    """A drawing by a program, on a canvas of 100 x 100."""

    strokes: list[list[list[float]]]


# -- routes ----------------------------------------------------------------------------


@router.post("/start", response_model=Started)
def start_race(book: TheBook, body: Start | None = None, op: TheOp = None) -> dict[str, Any]:
    """Begin a race or go on with it; the answer holds what to draw."""
    body = body or Start()
    campaign = _open(book, body.name or DEFAULT_NAME, afresh=body.afresh, op=op)
    asked = _next(campaign, follow_up("asked", op))
    return {"name": campaign.name, **asked, **_progress(campaign)}


@router.post("/{name}/drawing", response_model=DrawingTold)
def tell_drawing(campaign: TheCampaign, body: Drawing) -> dict[str, Any]:
    """Tell a drawing; the answer holds how it was understood and what to draw next.

    The same drawing for the same request again is harmless, so that it needs no key.
    """
    _check(campaign)
    with refusing():
        x = to_digit(body.strokes)
        before = campaign.snapshot()
        guessed = _guess(before, x)
        noted = _BY_PROGRAM if body.by_program else None
        label = str(campaign.tell(body.id, x, attrs=noted).label)
        drawn, ids = _drawn(campaign.snapshot())
        if body.id in ids:
            place = ids.index(body.id)
            lent = companions(hands_of(before.settings.seed), drawn.codes[: place + 1])[-1]
            campaign.add(lent, label, id=f"{_LENT}{body.id}", attrs={"hand": "another"})
    return {"label": label, "guess": guessed, **_next(campaign), **_progress(campaign)}


@router.post("/{name}/next", response_model=NextDrawing)
def next_digit(campaign: TheCampaign) -> dict[str, Any]:
    """Return what to draw: the request that waits, or a new one."""
    _check(campaign)
    return _next(campaign)


@router.post("/{name}/undo", response_model=Started)
def undo_drawing(campaign: TheCampaign, op: TheOp = None) -> dict[str, Any]:
    """Take the last drawing back, and the scan that came along with it."""
    _check(campaign)
    with refusing():
        now = campaign.snapshot()
        _, ids = _drawn(now)
        before = [] if op is None else campaign.done_under(op)
        if not ids and not before:
            raise Refused("there is no drawing to take back; draw one first.", 409, "nothing")
        last = (before or ids[-1:])[0]
        campaign.retract(last, "undone while drawing", op=op)
        if f"{_LENT}{last}" in now.ids:
            campaign.retract(f"{_LENT}{last}", "undone while drawing", op=follow_up("lent", op))
    return {"name": campaign.name, **_next(campaign), **_progress(campaign)}


@router.get("/{name}/progress", response_model=Progress)
def race_progress(campaign: TheCampaign) -> dict[str, Any]:
    """Return both sides' errors after each drawing, and the drawings."""
    _check(campaign)
    return _progress(campaign)


@router.get("/{name}/drawn-for-you", response_model=StrokesOut)
def drawn_by_program(
    campaign: TheCampaign, label: Annotated[Literal["0", "3", "7", "9"], Query()]
) -> dict[str, Any]:
    """Return the strokes of a symbol by a made-up hand, for who cannot draw."""
    _check(campaign)
    now = campaign.snapshot()
    number = int((_drawn(now)[0].codes == SYMBOLS.index(label)).sum())
    return {"strokes": drawn_for_you(label, now.settings.seed, number)}


# -- the campaign behind it ------------------------------------------------------------


def _open(book: CampaignBook, base: str, *, afresh: bool, op: str | None) -> StudioCampaign:
    """Return the latest race called `base`, `base`-2, ... or a new one, once for each call."""
    while True:
        taken = {stored.name for stored in book.storage.campaigns()}
        names = [base, *(f"{base}-{number}" for number in range(2, len(taken) + 2))]
        races = [name for name in names if name in taken and _is_race(book.get(name))]
        made = [name for name in races if op and book.get(name).events(limit=1)[0].op == op]
        if made or (races and not afresh):
            return book.get((made or races)[-1])
        free = next(name for name in names if name not in taken)
        try:
            with refusing():
                create_campaign(
                    free,
                    SYMBOLS,
                    strategy=strategy(),
                    storage=book.storage,
                    budget=DRAWINGS,
                    bounds=[[0.0, GREYS]] * _FEATURES,
                    op=op,
                )
        except CampaignExists:
            continue  # somebody was faster
        return book.get(free)


def _is_race(campaign: StudioCampaign) -> bool:
    settings = campaign.settings
    return settings.classes == SYMBOLS and len(settings.bounds or ()) == _FEATURES


def _check(campaign: StudioCampaign) -> None:
    if not _is_race(campaign):
        raise Refused(
            f"campaign {campaign.name!r} is no drawing race; start one at /draw.", 409, "no-demo"
        )


def _next(campaign: StudioCampaign, op: str | None = None) -> dict[str, Any]:
    """Return the oldest request that waits for this page, or a new one; None at the finish.

    What a page asked for that went to another race would keep this one from its finish: when
    nothing else is left to draw, it is taken over.
    """
    me = acting_holder()
    pending = campaign.pending()
    mine = [request for request in pending if request.holder in (None, me)]
    if not mine and len(_drawn(campaign.snapshot())[1]) >= DRAWINGS:
        return {"next": None}
    try:
        request: Request = mine[0] if mine else _asked(campaign, op)
        request = request if request.holder == me else campaign.claim(request)
    except (BudgetExhausted, NothingToAsk):
        left = [request for request in pending if request.performed_at is None]
        if not left:
            return {"next": None}
        with refusing():
            request = left[0] if me is None else campaign.claim(left[0], take_over=True)
    return {"next": request.to_json(), "why": campaign.why(request).sentence}


def _asked(campaign: StudioCampaign, op: str | None) -> Request:
    """Ask once for each call; anew where what a call asked for is done."""
    request: Request = campaign.ask(op=op)
    waits = op is None or any(request.id == each.id for each in campaign.pending())
    return request if waits else campaign.ask()


def _drawn(now: Snapshot) -> tuple[Drawn, list[str]]:
    """Return the drawings in their order, without what came along, and their ids."""
    # A class somebody added has no digits to be judged on.
    own = [
        row
        for row, (id_, code) in enumerate(zip(now.ids, now.codes, strict=True))
        if not id_.startswith(_LENT) and code < len(SYMBOLS)
    ][:DRAWINGS]
    X = now.X[own].reshape(len(own), _FEATURES)
    return Drawn(X, now.codes[own].astype(np.int64)), [now.ids[row] for row in own]


def _guess(now: Snapshot, x: Any) -> str | None:
    """Return what everything told so far takes a drawing for; None if that is nothing."""
    known = now.codes < len(SYMBOLS)
    if not known.any():
        return None
    fitted = model().fit(now.X[known] / GREYS, now.codes[known])
    return SYMBOLS[int(fitted.predict(x[None, :] / GREYS)[0])]


def _progress(campaign: StudioCampaign) -> dict[str, Any]:
    now = campaign.snapshot()
    drawn, ids = _drawn(now)
    order = equal_order(now.settings.seed)
    seen = curves(hands := hands_of(now.settings.seed), drawn, order)
    ended = outcome(seen.asked, seen.equal) if len(drawn) == DRAWINGS else None
    return {
        "seq": now.seq,
        "symbols": list(SYMBOLS),
        "finish": DRAWINGS,
        "asked": seen.asked.tolist(),
        "equal": seen.equal.tolist(),
        "counts": np.bincount(drawn.codes, minlength=len(SYMBOLS)).tolist(),
        "equal_counts": np.bincount(order[: len(drawn)], minlength=len(SYMBOLS)).tolist(),
        "stand_ins": seen.stand_ins,
        "by_program": sum(campaign.instance(id_).attrs == _BY_PROGRAM for id_ in ids),
        "judges": len(hands.truth),
        "drawings": [
            {"id": id_, "label": SYMBOLS[code], "x": x}
            for id_, code, x in zip(ids, drawn.codes.tolist(), drawn.X.tolist(), strict=True)
        ],
        "outcome": ended and {"kind": ended.kind, "saved": ended.saved, "sentence": ended.sentence},
    }
