"""A timed sitting over REST: its timeline, the clock to compare with, and where it stands.

The participant's page runs the timeline and reports what it painted and when; whoever follows on
the bench hears of it at once, and can let it pause. Nothing of this is in the record but what was
performed, with its onsets.
"""

from __future__ import annotations

import time
from typing import Any

from fastapi import APIRouter, Request

from palacs.campaign import SESSIONS, acting_holder
from palacs.studio import _answers as a
from palacs.studio import _session_models as m
from palacs.studio._cue_markers import CueMarkers
from palacs.studio._deps import TheCampaign
from palacs.studio._error_answers import refusing
from palacs.studio._events import EventHub

router = APIRouter(tags=["session"])

# A cue begins when it is painted; what is performed ends when the participant may rest.
_EVENTS = {"cue": "onset", "performing": "performing", "rest": "offset"}


@router.get("/clock", response_model=a.ClockOut)
def clock() -> dict[str, float]:
    """Return the time of this machine's clock, in seconds since 1970."""
    return {"at": time.time()}


@router.get("/campaigns/{name}/session", response_model=a.SessionOut)
def session(campaign: TheCampaign) -> dict[str, Any]:
    """Return the campaign's timeline, or the first of those to begin with."""
    settings = campaign.settings
    timeline = settings.session or next(iter(SESSIONS.values()))
    return {"timeline": timeline, "sessions": SESSIONS, "classes": campaign.classes}


@router.post("/campaigns/{name}/session/report", response_model=a.Done)
def session_report(
    request: Request, campaign: TheCampaign, body: m.SessionReport
) -> dict[str, Any]:
    """Say what the participant sees, and since when."""
    hub: EventHub = request.app.state.hub
    _mark(request, body)
    hub.announce(campaign.name, {**body.model_dump(), "holder": acting_holder()})
    return {"id": body.request, "label": body.label, "state": body.phase}


@router.post("/campaigns/{name}/painted", response_model=a.Done)
def painted(request: Request, campaign: TheCampaign, body: m.Painted) -> dict[str, Any]:
    """Say when a cue was painted or taken away, for markers."""
    sent = _mark(request, body)
    return {"id": body.request, "label": body.label, "state": "sent" if sent else "no markers"}


def _mark(request: Request, body: m.Painted) -> bool:
    markers: CueMarkers = request.app.state.markers
    event = _EVENTS.get(body.phase)
    if event is None:
        return False
    with refusing():
        return markers.send(event, body.request, body.label, body.at, body.uncertainty)


@router.post("/campaigns/{name}/session/command", response_model=a.Done)
def session_command(
    request: Request, campaign: TheCampaign, body: m.SessionCommand
) -> dict[str, Any]:
    """Let a participant's page pause or go on."""
    hub: EventHub = request.app.state.hub
    hub.announce(campaign.name, {"command": body.command, "to": body.holder})
    return {"state": body.command}
