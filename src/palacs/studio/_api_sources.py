"""What a source on another machine needs to know over REST before it asks and tells."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request

from palacs.studio._deps import TheCampaign
from palacs.studio._error_answers import refusing
from palacs.studio._insight import Insights
from palacs.studio._listed import shortened

router = APIRouter(tags=["sources"])


@router.get("/campaigns/{name:path}/pending")
def pending(campaign: TheCampaign) -> dict[str, Any]:
    """Return the requests whose instances are still to come, oldest first."""
    return {"requests": [shortened(request.to_json()) for request in campaign.pending()]}


@router.get("/campaigns/{name:path}/stopping")
def stopping(request: Request, campaign: TheCampaign) -> dict[str, Any]:
    """Say whether to stop asking, and why."""
    insights: Insights = request.app.state.insights
    return insights.stopping(campaign)


@router.get("/campaigns/{name:path}/recordings")
def recordings(campaign: TheCampaign) -> dict[str, Any]:
    """Return where the recordings of all instances are, with size and SHA-256."""
    return {"recordings": [recording.to_json() for recording in campaign.recordings()]}


@router.get("/campaigns/{name:path}/noted")
def noted(
    campaign: TheCampaign,
    attribute: Annotated[str, Query(min_length=1, max_length=100, description="Its name.")],
) -> dict[str, Any]:
    """Return what was noted under one name with instances."""
    with refusing():
        return {"values": campaign.noted_values(attribute)}
