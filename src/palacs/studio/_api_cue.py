"""What a cue needs over REST: one holder's own request, light at any size of the campaign.

The accuracy, the map and everything else that takes its time is for the bench (`_insight`).
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from fastapi import APIRouter, BackgroundTasks

from palacs.campaign import (
    CampaignError,
    Conflict,
    NothingToAsk,
    Request,
    acting_holder,
    follow_up,
)
from palacs.storage import StorageError
from palacs.studio import _answers as a
from palacs.studio import _models as m
from palacs.studio._campaigns import StudioCampaign
from palacs.studio._deps import TheCampaign, TheOp
from palacs.studio._error_answers import refusing

router = APIRouter(tags=["cue"])


@router.get("/campaigns/{name}/cue", response_model=a.Cue)
def cue(campaign: TheCampaign, later: BackgroundTasks) -> dict[str, Any]:
    """Return what the holder has to do now."""
    seen = _to_do(campaign)
    if acting_holder() is not None and not seen["ends"]:
        # While somebody performs or rests, so that the next word is there at once.
        later.add_task(_prepare, campaign)
    return seen


def _prepare(campaign: StudioCampaign) -> None:
    with suppress(CampaignError, StorageError):
        campaign.prepare()


@router.post("/campaigns/{name}/next", response_model=a.Cue)
def next_request(campaign: TheCampaign, body: m.Next, op: TheOp = None) -> dict[str, Any]:
    """Record what was performed, if anything, and return what the holder has to do next.

    That is its own open request, or one that belongs to nobody, or a new one.
    """
    with refusing():
        if body.performed is not None:
            campaign.performed(body.performed, attrs=body.attrs, op=op)
        return _with_request(campaign, follow_up("next", op))


def _with_request(campaign: StudioCampaign, op: str | None) -> dict[str, Any]:
    seen = _to_do(campaign)
    if seen["asked"] is not None or (seen["free"] is None and seen["ends"]):
        return seen
    if seen["free"] is not None and acting_holder() is not None:
        try:
            request = campaign.claim(seen["free"]["id"])
        except Conflict:  # somebody was faster
            return _with_request(campaign, op)
    else:
        try:
            request = campaign.ask(op=op)
        except NothingToAsk as error:
            return {**_to_do(campaign), "ends": str(error)}
    return {**seen, "asked": _shown([request]), "free": None}


def _to_do(campaign: StudioCampaign) -> dict[str, Any]:
    now, me = campaign.snapshot(), acting_holder()
    waiting = [request for request in now.pending if request.performed_at is None]
    performed = [request for request in now.pending if request.performed_at is not None]
    mine = [request for request in waiting if request.holder == me]
    free = [request for request in waiting if request.holder is None]
    return {
        "seq": now.seq,
        "classes": now.classes,
        "asked": _shown(mine),
        "free": _shown(free),
        "awaiting": [_shown([each]) for each in performed if me is None or each.holder == me],
        "ends": now.why_nothing(),
    }


def _shown(requests: list[Request]) -> dict[str, Any] | None:
    return {"id": requests[0].id, "label": requests[0].label} if requests else None


@router.post("/campaigns/{name}/claim", response_model=a.Requests)
def claim(campaign: TheCampaign, body: m.Claim, op: TheOp = None) -> dict[str, Any]:
    """Let an open request be the holder's own; its lease starts anew."""
    with refusing():
        claimed = campaign.claim(body.id, take_over=body.take_over, op=op)
    return {"requests": [claimed.to_json()]}
