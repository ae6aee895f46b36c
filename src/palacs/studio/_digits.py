"""The drawing demo: a person is the source, scikit-learn's digits are the hold-out.

A campaign asks for digits, drawings come in as strokes and become instances in scikit-learn's
8 x 8 format, and after each one the pages show how well the 1,797 scanned digits, none of which
the campaign ever sees, are recognised.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from fastapi import APIRouter, Depends
from pydantic import Field
from sklearn.base import clone

from palacs.campaign import (
    BudgetExhausted,
    NothingToAsk,
    Snapshot,
    acting_holder,
    create_campaign,
)
from palacs.evidence import default_model
from palacs.storage import CampaignExists
from palacs.studio._campaigns import CampaignBook, StudioCampaign
from palacs.studio._deps import TheBook, TheCampaign, acting
from palacs.studio._error_answers import Refused, refusing
from palacs.studio._models import Body, Id, Number
from palacs.studio._strokes import to_digit

router = APIRouter(
    prefix="/api/v1/demo/digits", tags=["drawing demo"], dependencies=[Depends(acting)]
)

Features = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]

CLASSES = tuple("0123456789")
DEFAULT_NAME = "digits"
_WHITE_TO_BLACK = 16.0
_BANDWIDTH = 0.3
"""Of the Parzen window, for grey values scaled to [0, 1]: where few instances go furthest."""
_MOST_DRAWINGS = 60
_MOST_STAGES = 60


class Start(Body):
    """Which demo to go on with; without a name the usual one."""

    name: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    afresh: Annotated[bool, Field(description="Begin a new campaign under a free name.")] = False


class Drawing(Body):
    """A drawing that answers a request."""

    id: Id
    strokes: Annotated[
        list[list[Annotated[list[Number], Field(min_length=2, max_length=2)]]],
        Field(max_length=100, description="Points (x, y) of each stroke; y points down."),
    ]


@dataclass(frozen=True, slots=True)
class Curve:
    """How well the hold-out is recognised.

    Attributes
    ----------
    stages : ndarray of shape (n_stages,)
        After how many acquisitions; the last is now.
    accuracy : ndarray of shape (n_stages,)
        Then.
    recall : ndarray of shape (10,)
        Of each digit, with all instances.
    """

    stages: Codes
    accuracy: Features
    recall: Features


@cache
def hold_out() -> tuple[Features, Codes]:
    """Return scikit-learn's digits: grey values from 0 to 16 (1797, 64), and digits (1797,)."""
    from sklearn.datasets import load_digits

    bunch = load_digits()
    return np.asarray(bunch.data, dtype=np.float64), np.asarray(bunch.target, dtype=np.int64)


def hold_out_curve(X: Features, codes: Codes, model: Any) -> Curve:
    """Judge a labelled set and its beginnings on the hold-out.

    Parameters
    ----------
    X : ndarray of shape (n, 64)
        Grey values from 0 to 16, in acquisition order.
    codes : ndarray of shape (n,)
        The digits.
    model : scikit-learn classifier
        The campaign's, for grey values scaled to [0, 1].

    Returns
    -------
    Curve

    Examples
    --------
    >>> from palacs.evidence import default_model
    >>> X, digits = hold_out()
    >>> model = default_model(bandwidth=0.3, classes=CLASSES)
    >>> bool(hold_out_curve(X[:100], digits[:100], model).accuracy[-1] > 0.8)
    True
    """
    held, truth = hold_out()
    hits = np.zeros(len(held), dtype=np.bool_)
    stages = np.unique(np.linspace(1, len(X), min(len(X), _MOST_STAGES)).round().astype(np.int64))
    accuracy = np.zeros(len(stages))
    for place, stage in enumerate(stages):
        hits = _read(X[:stage], codes[:stage], model, held) == truth
        accuracy[place] = hits.mean()
    sizes = np.bincount(truth, minlength=len(CLASSES))
    return Curve(stages, accuracy, np.bincount(truth, hits, minlength=len(CLASSES)) / sizes)


def _read(X: Features, codes: Codes, model: Any, drawn: Features) -> Codes:
    """Return the digits (m,) that the model of a labelled set takes drawings (m, 64) for."""
    fitted = clone(model).fit(X / _WHITE_TO_BLACK, np.array(CLASSES)[codes])
    read: Codes = fitted.predict(drawn / _WHITE_TO_BLACK).astype(np.int64)
    return read


def guess(X: Features, codes: Codes, x: Features, model: Any) -> str | None:
    """Return which digit the labelled set takes `x` for; None if that is empty."""
    return None if len(X) == 0 else CLASSES[int(_read(X, codes, model, x[None, :])[0])]


# -- REST ------------------------------------------------------------------------------


@router.post("/start")
def start(book: TheBook, body: Start | None = None) -> dict[str, Any]:
    """Begin the demo or go on with it; the answer holds what to draw."""
    body = body or Start()
    base = body.name or DEFAULT_NAME
    campaign = _open(book, base, afresh=body.afresh)
    return {"name": campaign.name, "next": _next(campaign), **_progress(campaign)}


@router.post("/{name}/drawing")
def drawing(campaign: TheCampaign, body: Drawing) -> dict[str, Any]:
    """Tell a drawing; the answer holds how it was understood and what to draw next."""
    _check(campaign)
    with refusing():
        x = to_digit(body.strokes)
        now = campaign.snapshot()
        X, codes, _ = _labelled(now)
        guessed = guess(X, codes, x, _model(now))
        instance = campaign.tell(body.id, x)
    return {
        "id": instance.id,
        "label": instance.label,
        "x": x.tolist(),
        "guess": guessed,
        "next": _next(campaign),
        **_progress(campaign),
    }


@router.post("/{name}/next")
def next_digit(campaign: TheCampaign) -> dict[str, Any]:
    """Return what to draw: the request that waits, or a new one."""
    _check(campaign)
    return {"next": _next(campaign)}


@router.get("/{name}/progress")
def progress(campaign: TheCampaign) -> dict[str, Any]:
    """Return the accuracy on the hold-out over the acquisitions, and the drawings."""
    _check(campaign)
    return _progress(campaign)


def _open(book: CampaignBook, base: str, *, afresh: bool) -> StudioCampaign:
    """Return the latest demo called `base`, `base`-2, ... or a new one."""
    while True:
        taken = {stored.name for stored in book.storage.campaigns()}
        names = [base, *(f"{base}-{number}" for number in range(2, len(taken) + 2))]
        demos = [name for name in names if name in taken and _is_demo(book.get(name))]
        if demos and not afresh:
            return book.get(demos[-1])
        free = next(name for name in names if name not in taken)
        try:
            _create(book, free)
        except CampaignExists:
            continue  # somebody was faster
        return book.get(free)


def _create(book: CampaignBook, name: str) -> None:
    from palacs import InverseAccuracy

    # Cross-validation rather than densities: those say nothing in 64 dimensions.
    model = default_model(bandwidth=_BANDWIDTH)
    with refusing():
        create_campaign(
            name,
            CLASSES,
            strategy=InverseAccuracy(allow_repeat=False, classifier=model),
            storage=book.storage,
            bounds=[[0.0, _WHITE_TO_BLACK]] * hold_out()[0].shape[1],
        )


def _is_demo(campaign: StudioCampaign) -> bool:
    settings = campaign.settings
    return settings.classes == CLASSES and len(settings.bounds or ()) == hold_out()[0].shape[1]


def _check(campaign: StudioCampaign) -> None:
    if not _is_demo(campaign):
        raise Refused(
            f"campaign {campaign.name!r} is no drawing demo; start one at /draw.", 409, "no-demo"
        )


def _next(campaign: StudioCampaign) -> dict[str, Any] | None:
    """Return the oldest request that waits for this page, or a new one; None at the end."""
    me = acting_holder()
    mine = [request for request in campaign.pending() if request.holder in (None, me)]
    try:
        request = mine[0] if mine else campaign.ask()
        return (request if request.holder == me else campaign.claim(request)).to_json()
    except (BudgetExhausted, NothingToAsk):
        return None


def _model(now: Snapshot) -> Any:
    # A class somebody added has no digits to be judged on.
    return now.model().set_params(classes=list(CLASSES))


def _labelled(now: Snapshot) -> tuple[Features, Codes, list[str]]:
    """Return the digits drawn so far, (n, 64) and (n,), and their ids."""
    known = now.codes < len(CLASSES)  # a class somebody added has no digits to be judged on
    ids = [id_ for id_, is_digit in zip(now.ids, known, strict=True) if is_digit]
    return now.X[known], now.codes[known].astype(np.int64), ids


def _progress(campaign: StudioCampaign) -> dict[str, Any]:
    now = campaign.snapshot()
    X, codes, ids = _labelled(now)
    curve = hold_out_curve(X, codes, _model(now))
    counts = np.bincount(codes, minlength=len(CLASSES))
    latest = list(zip(ids, codes.tolist(), X.tolist(), strict=True))[-_MOST_DRAWINGS:]
    return {
        "seq": now.seq,
        "acquired": len(X),
        "accuracy": float(curve.accuracy[-1]) if len(X) else None,
        "recall": dict(zip(CLASSES, curve.recall.tolist(), strict=True)),
        "counts": dict(zip(CLASSES, counts.tolist(), strict=True)),
        "curve": [
            {"acquired": stage, "accuracy": accuracy}
            for stage, accuracy in zip(curve.stages.tolist(), curve.accuracy.tolist(), strict=True)
        ],
        "drawings": [{"id": id_, "label": CLASSES[code], "x": x} for id_, code, x in latest],
    }
