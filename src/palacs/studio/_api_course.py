"""Changing a campaign's course over REST: settings, names, leases, closing; each with a reason."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from palacs import strategies
from palacs.studio import _answers as a
from palacs.studio import _models as m
from palacs.studio._deps import TheCampaign, TheOp
from palacs.studio._error_answers import refusing

router = APIRouter(tags=["course"])


@router.post(
    "/campaigns/{name}/change", response_model=a.Changed, response_model_exclude_unset=True
)
def change(campaign: TheCampaign, body: m.Change, op: TheOp = None) -> dict[str, Any]:
    """Change budget, lease, conditions or strategy from now on; null is no limit."""
    given = body.model_dump(exclude_unset=True, exclude={"reason", "params"})
    with refusing():
        if body.strategy is not None:
            given["strategy"] = strategies.make(body.strategy, **body.params)
        campaign.change(reason=body.reason, op=op, **given)
    return {"name": campaign.name, "settings": campaign.settings.to_payload()}


@router.post("/campaigns/{name}/rename-class", response_model=a.Done)
def rename_class(campaign: TheCampaign, body: m.RenameClass, op: TheOp = None) -> dict[str, Any]:
    """Give a class another name; its requests and instances stay its own."""
    with refusing():
        campaign.rename_class(body.label, body.to, body.reason, op=op)
    return {"label": body.to, "state": "renamed"}


@router.post("/campaigns/{name}/renew", response_model=a.Requests)
def renew(campaign: TheCampaign, body: m.Renew, op: TheOp = None) -> dict[str, Any]:
    """Let the lease of an open request start anew."""
    with refusing():
        return {"requests": [campaign.renew(body.id, body.reason, op=op).to_json()]}


@router.post("/campaigns/{name}/close", response_model=a.Done)
def close(campaign: TheCampaign, body: m.Why, op: TheOp = None) -> dict[str, Any]:
    """Let nothing new begin; what was asked for can still be told."""
    with refusing():
        campaign.close_campaign(body.reason, op=op)
    return {"state": campaign.status().phase}


@router.post("/campaigns/{name}/reopen", response_model=a.Done)
def reopen(campaign: TheCampaign, body: m.Why, op: TheOp = None) -> dict[str, Any]:
    """Let a closed or archived campaign go on."""
    with refusing():
        campaign.reopen(body.reason, op=op)
    return {"state": campaign.status().phase}


@router.post("/campaigns/{name}/archive", response_model=a.Done)
def archive(campaign: TheCampaign, body: m.Why, op: TheOp = None) -> dict[str, Any]:
    """Close the campaign and leave it out of the list."""
    with refusing():
        campaign.archive(body.reason, op=op)
    return {"state": campaign.status().phase}
