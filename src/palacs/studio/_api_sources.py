"""What a source on another machine needs to know over REST before it asks and tells."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request

from palacs.studio import _answers as a
from palacs.studio._deps import TheCampaign
from palacs.studio._error_answers import refusing
from palacs.studio._insight import Insights
from palacs.studio._listed import shortened
from palacs.studio._paging import After, Limit, ThePages

router = APIRouter(tags=["sources"])


@router.get("/campaigns/{name}/pending", response_model=a.Requests)
def pending(campaign: TheCampaign) -> dict[str, Any]:
    """Return the requests whose instances are still to come, oldest first."""
    return {"requests": [shortened(request.to_json()) for request in campaign.pending()]}


@router.get("/campaigns/{name}/stopping", response_model=a.AdviceOut)
def stopping(request: Request, campaign: TheCampaign) -> dict[str, Any]:
    """Say whether to stop asking, and why."""
    insights: Insights = request.app.state.insights
    return insights.stopping(campaign)


@router.get(
    "/campaigns/{name}/recordings",
    response_model=a.Recordings,
    response_model_exclude_unset=True,
)
def recordings(
    campaign: TheCampaign, pages: ThePages, limit: Limit = None, after: After = None
) -> dict[str, Any]:
    """Return where the recordings of instances are, with size and SHA-256; without a limit all."""
    found = campaign.recordings_since(after or 0)
    page = found if limit is None else found[:limit]
    more = pages.next(page[-1][0]) if len(page) < len(found) else None
    return {"recordings": [recording.to_json() for _, recording in page], "next": more}


@router.get("/campaigns/{name}/noted", response_model=a.NotedOut)
def noted(
    campaign: TheCampaign,
    attribute: Annotated[str, Query(min_length=1, max_length=100, description="Its name.")],
) -> dict[str, Any]:
    """Return what was noted under one name with instances."""
    with refusing():
        return {"values": campaign.noted_values(attribute)}
