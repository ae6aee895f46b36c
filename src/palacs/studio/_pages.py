"""The pages: templates without data, which scripts fill over REST and keep up to date.

A page holds nothing of a campaign but its name, so it never shows anything stale, and
everything on it is also there for programs.
"""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from palacs.strategies import DEFAULT_STRATEGY, available
from palacs.studio._deps import TheCampaign
from palacs.studio._page_templates import templates
from palacs.studio._roles import MEANINGS
from palacs.studio._watch import PROBLEMS, WATCHED

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)


def _page(request: Request, page: str, **content: Any) -> HTMLResponse:
    return templates.TemplateResponse(request, f"{page}.html", {"page": page, **content})


@router.get("/")
def home(request: Request) -> HTMLResponse:
    """Show all campaigns, with a form to create one."""
    strategies = available().values()
    return _page(request, "home", strategies=strategies, default_strategy=DEFAULT_STRATEGY)


@router.get("/draw")
def draw(request: Request) -> HTMLResponse:
    """Show the drawing demo."""
    return _page(request, "draw")


@router.get("/watch")
def watch(request: Request) -> HTMLResponse:
    """Show strategies at work on problems in the plane."""
    strategies = [available()[name] for name in WATCHED]
    return _page(request, "watch", problems=PROBLEMS, strategies=strategies)


@router.get("/reports")
def reports(request: Request) -> HTMLResponse:
    """Show the results of experiments."""
    return _page(request, "reports")


@router.get("/people")
def people(request: Request) -> HTMLResponse:
    """Show everybody who was let in."""
    return _page(request, "people", roles=MEANINGS)


@router.get("/campaigns/{name:path}/people")
def campaign_people(request: Request, campaign: TheCampaign) -> HTMLResponse:
    """Show those who were let in to a campaign."""
    return _page(request, "people", name=campaign.name, roles=MEANINGS)


@router.get("/campaigns/{name:path}/cue")
def cue(request: Request, campaign: TheCampaign) -> HTMLResponse:
    """Show what the participant sees."""
    return _page(request, "cue", name=campaign.name)


@router.get("/campaigns/{name:path}/annotate")
def annotate(request: Request, campaign: TheCampaign) -> HTMLResponse:
    """Show what an annotator sees on a phone."""
    return _page(request, "annotate", name=campaign.name)


@router.get("/campaigns/{name:path}/session")
def session(request: Request, campaign: TheCampaign) -> HTMLResponse:
    """Show the participant of a session the cue and nothing else."""
    return _page(request, "session", name=campaign.name)


@router.get("/campaigns/{name:path}/inside")
def inside(request: Request, campaign: TheCampaign) -> HTMLResponse:
    """Show how the utilities come about."""
    return _page(request, "inside", name=campaign.name)


@router.get("/campaigns/{name:path}")
def bench(request: Request, campaign: TheCampaign) -> HTMLResponse:
    """Show what the experimenter sees."""
    return _page(request, "bench", name=campaign.name)
