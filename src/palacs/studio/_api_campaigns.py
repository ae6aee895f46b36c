"""Campaigns over REST: create, ask, tell, and everything else that writes to the record.

Thin: parse, call the campaign, answer. The routes are plain functions, which FastAPI runs in
threads, so that a decision or a busy database never holds up other requests.
"""

from __future__ import annotations

import base64
import binascii
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query

from palacs import strategies
from palacs.campaign import (
    CampaignError,
    Instance,
    Notes,
    Recording,
    create_campaign,
    is_confined,
    read_instance,
)
from palacs.storage import StorageError, StoredCampaign
from palacs.studio import _answers as a
from palacs.studio import _models as m
from palacs.studio._campaigns import CampaignBook, StudioCampaign
from palacs.studio._deps import TheBook, TheCampaign, TheOp
from palacs.studio._error_answers import Refused, refusing, without_places
from palacs.studio._listed import shortened
from palacs.studio._paging import Limit, ThePages

router = APIRouter(tags=["campaigns"])

_MOST_NAMES = 12  # of classes, in the list of campaigns


@router.get("/strategies", response_model=a.StrategyList)
def list_strategies() -> dict[str, list[dict[str, Any]]]:
    """List the strategies a campaign can be created with."""
    rows = strategies.available().values()
    listing = [{"name": r.name, "title": r.title, "summary": r.summary} for r in rows]
    return {"strategies": listing}


@router.get("/campaigns", response_model=a.CampaignList)
def list_campaigns(
    book: TheBook,
    pages: ThePages,
    limit: Limit = None,
    after: Annotated[m.Name | None, Query(description="The name of the last one seen.")] = None,
    archived: Annotated[bool, Query(description="Also those archived.")] = False,
) -> dict[str, Any]:
    """List campaigns with their progress, oldest first; without a limit all of them."""
    stored = list(book.storage.campaigns())
    if after is not None:
        book.get(after)
        stored = stored[[each.name for each in stored].index(after) + 1 :]
    rows: list[dict[str, Any]] = []
    for each in stored:
        row = _row(book, each)
        if archived or row["phase"] != "archived":
            if limit is not None and len(rows) == limit:
                return {"campaigns": rows, "next": pages.next(rows[-1]["name"])}
            rows.append(row)
    return {"campaigns": rows, "next": None}


def _row(book: CampaignBook, stored: StoredCampaign) -> dict[str, Any]:
    created_at = datetime.fromtimestamp(stored.created_at, UTC).isoformat()
    row = {"name": stored.name, "created_at": created_at}
    try:
        return {**row, **_progress(book.get(stored.name))}
    except (StorageError, CampaignError) as error:
        # One campaign that cannot be read must not hide the others.
        empty: dict[str, Any] = {
            "classes": [],
            "n_classes": 0,
            "strategy": "",
            "budget": None,
            "phase": "",
        }
        counts = {"acquired": 0, "pending": 0, "awaiting": 0}
        return {**row, **empty, **counts, "error": without_places(error, book.storage)}


def _progress(campaign: StudioCampaign) -> dict[str, Any]:
    now = campaign.snapshot()
    awaiting = sum(request.performed_at is not None for request in now.pending)
    return {
        "title": now.settings.title,
        "classes": now.classes[:_MOST_NAMES],
        "n_classes": len(now.classes),
        "strategy": str(now.settings.strategy["name"]),
        "budget": now.settings.budget,
        "phase": now.phase,
        "acquired": len(now.codes),
        "pending": len(now.pending) - awaiting,
        "awaiting": awaiting,
    }


@router.post(
    "/campaigns",
    status_code=201,
    response_model=a.CampaignOut,
    response_model_exclude_unset=True,
)
def create(body: m.NewCampaign, book: TheBook, op: TheOp = None) -> dict[str, Any]:
    """Start a campaign."""
    with refusing():
        create_campaign(
            body.name,
            body.classes,
            strategy=_strategy(body),
            storage=book.storage,
            budget=body.budget,
            budget_cost=body.budget_cost,
            conditions=body.conditions,
            lease=body.lease,
            bounds=body.bounds,
            seed=body.seed,
            n_features=body.n_features,
            attrs=body.attrs,
            features=None if body.features is None else body.features.model_dump(),
            groups=body.groups,
            op=op,
        )
    return _describe(book.get(body.name))


def _strategy(body: m.NewCampaign) -> strategies.Strategy:
    try:
        return strategies.make(body.strategy, **body.params)
    except TypeError as error:
        known = strategies.find(body.strategy).strategy._get_param_names()
        raise Refused(
            f"params {sorted(body.params)} do not fit the strategy {body.strategy!r}; "
            f"it takes {', '.join(known)}."
        ) from error


def _describe(campaign: StudioCampaign) -> dict[str, Any]:
    status = campaign.status().to_json()
    awaiting = _progress(campaign)["awaiting"]
    settings = campaign.settings.to_payload()
    return {
        "name": campaign.name,
        "created_at": campaign.created_at.isoformat(),
        "settings": settings,
        "status": {**status, "awaiting": awaiting},
    }


@router.post("/campaigns/{name}/ask", response_model=a.Requests)
def ask(campaign: TheCampaign, body: m.Ask | None = None, op: TheOp = None) -> dict[str, Any]:
    """Request instances of the classes the strategy chooses."""
    wanted = m.Ask() if body is None else body
    with refusing():
        requests = campaign.ask_many(wanted.n, attrs=wanted.attrs, op=op)
    return {"requests": [shortened(request.to_json()) for request in requests]}


@router.post("/campaigns/{name}/tell", response_model=a.Told, response_model_exclude_unset=True)
def tell(campaign: TheCampaign, body: m.Tell, op: TheOp = None) -> dict[str, Any]:
    """Record the instance that a request brought; telling the same again is harmless."""
    with refusing():
        x = _numbers(campaign, body)
        instance = campaign.tell(body.id, x, body.label, op=op, **_noted(body))
    return {"instance": instance.to_json()}


@router.post("/campaigns/{name}/add", response_model=a.Told, response_model_exclude_unset=True)
def add(campaign: TheCampaign, body: m.Add, op: TheOp = None) -> dict[str, Any]:
    """Record an instance that nobody asked for."""
    with refusing():
        x = _numbers(campaign, body)
        instance = campaign.add(x, body.label, id=body.id, op=op, **_noted(body))
    return {"instance": instance.to_json()}


@router.post(
    "/campaigns/{name}/tell-many", response_model=a.ToldMany, response_model_exclude_unset=True
)
def tell_many(campaign: TheCampaign, body: m.TellMany, op: TheOp = None) -> dict[str, Any]:
    """Record the instances that several requests brought, all or none."""
    rows = []
    for place, each in enumerate(body.answers):
        try:
            with refusing():
                rows.append((each.id, _numbers(campaign, each), each.label, _noted(each)))
        except Refused as error:
            raise Refused(f"answers.{place}: {error}", error.status, error.kind) from error
    with refusing():
        told = campaign.tell_many(rows, attrs=body.attrs, op=op)
    return {"instances": [instance.to_json() for instance in told]}


@router.post("/campaigns/{name}/predict", response_model=a.Prediction)
def predict(campaign: TheCampaign, body: m.Predict) -> dict[str, Any]:
    """Say what the campaign's model takes instances for; nothing is recorded."""
    with refusing():
        return campaign.predict(body.x).to_json()


def _noted(body: m.Noted) -> Notes:
    """Return what was noted with an instance."""
    return {
        "cost": body.cost,
        "duration": body.duration,
        "attrs": body.attrs,
        "recording": None if body.recording is None else _recording(body.recording),
    }


def _recording(given: m.RecordingIn) -> Recording:
    if (given.uri is None) == (given.content is None):
        raise Refused("a recording has either a uri, or content in base64 with a name.")
    if given.content is None:
        if is_confined():
            raise Refused("a recording at an address is for experimenters; send its content.")
        return Recording.of({"uri": given.uri, "size": given.size, "sha256": given.sha256})
    try:
        content = base64.b64decode(given.content, validate=True)
    except binascii.Error as error:
        raise Refused(f"the content of the recording is no base64: {error}.") from error
    name = given.name or "recording"
    return Recording.of(Recording(name, given.size, given.sha256, True, content))


def _numbers(
    campaign: StudioCampaign, body: m.Tell | m.Add
) -> list[float] | dict[str, float] | None:
    """Return the feature values of a body, typed text read as a file would be.

    None leaves them to the extractor in force, where a recording comes with its content.
    """
    if body.x is None and body.text is None and body.recording is not None:
        if body.recording.content is None:
            # Else whoever may tell could have any file of this machine read.
            raise Refused(
                "a recording at an address is not read here; send its content, or the numbers."
            )
        return None
    if body.x is None and body.text is None and isinstance(body, m.Tell):
        if campaign.recording(body.id) is not None:
            return None  # it came when the request was performed
        raise Refused(
            f"no recording came for request {body.id!r:.60} that its features could be made of; "
            "give the numbers as x, a list, or as text.",
            409,
        )
    if (body.x is None) == (body.text is None):
        raise Refused("give the numbers either as x, a list, or as text.")
    if body.text is None:
        return body.x or []
    return read_instance(body.text, "these numbers", campaign.n_features, campaign.feature_names)


@router.post("/campaigns/{name}/fail", response_model=a.Done)
def fail(campaign: TheCampaign, body: m.Fail, op: TheOp = None) -> dict[str, Any]:
    """Record that a request will bring no instance."""
    with refusing():
        campaign.fail(body.id, body.reason, attrs=body.attrs, op=op)
    return {"id": body.id, "state": "failed"}


@router.post("/campaigns/{name}/performed", response_model=a.Done)
def performed(campaign: TheCampaign, body: m.Performed, op: TheOp = None) -> dict[str, Any]:
    """Record that a request was carried out and its numbers are still to come."""
    with refusing():
        campaign.performed(body.id, attrs=body.attrs, op=op)
    return {"id": body.id, "state": "performed"}


@router.post("/campaigns/{name}/retract", response_model=a.Done)
def retract(campaign: TheCampaign, body: m.Retract, op: TheOp = None) -> dict[str, Any]:
    """Take an instance out of the labelled set; the history keeps it."""
    with refusing():
        campaign.retract(body.id, body.reason, op=op)
    return {"id": body.id, "state": "retracted"}


@router.post("/campaigns/{name}/undo", response_model=a.Done)
def undo(campaign: TheCampaign, body: m.Undo | None = None, op: TheOp = None) -> dict[str, Any]:
    """Take back what was done last: an instance, or a performance whose data never came."""
    wanted = m.Undo() if body is None else body
    with refusing():
        undone = campaign.undo(wanted.reason, by=wanted.by, op=op)
    if undone is None:
        return {"state": "nothing"}
    state = "retracted" if isinstance(undone, Instance) else "failed"
    return {"id": undone.id, "label": undone.label, "state": state}


@router.post("/campaigns/{name}/pause", response_model=a.Done)
def pause(campaign: TheCampaign, body: m.OneClass, op: TheOp = None) -> dict[str, Any]:
    """Stop requesting a class."""
    with refusing():
        campaign.pause(body.label, op=op)
    return {"label": body.label, "state": "paused"}


@router.post("/campaigns/{name}/resume", response_model=a.Done)
def resume(campaign: TheCampaign, body: m.OneClass, op: TheOp = None) -> dict[str, Any]:
    """Request a paused class again."""
    with refusing():
        campaign.resume(body.label, op=op)
    return {"label": body.label, "state": "resumed"}


@router.post("/campaigns/{name}/classes", response_model=a.Done)
def add_class(campaign: TheCampaign, body: m.OneClass, op: TheOp = None) -> dict[str, Any]:
    """Declare one more class."""
    with refusing():
        campaign.add_class(body.label, op=op)
    return {"label": body.label, "state": "added"}


@router.get("/campaigns/{name}/status", response_model=a.StatusOut)
def status(campaign: TheCampaign) -> dict[str, Any]:
    """Say where a campaign stands, class by class."""
    found: dict[str, Any] = _describe(campaign)["status"]
    return found


@router.get("/campaigns/{name}", response_model=a.CampaignOut, response_model_exclude_unset=True)
def describe(campaign: TheCampaign) -> dict[str, Any]:
    """Return a campaign's settings and status."""
    return _describe(campaign)
