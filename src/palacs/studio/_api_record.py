"""A campaign's record over REST: history, export, files dropped on the page, events, insight."""

from __future__ import annotations

import json
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, File, Form, Header, Query, Request, Response, UploadFile
from fastapi.responses import StreamingResponse

from palacs.campaign import acting_holder, history_to_json, read_instance
from palacs.storage import CampaignNotFound, Event
from palacs.studio import _answers as a
from palacs.studio._answers_insight import Block, ClassPage, Inside, Insight
from palacs.studio._campaigns import CampaignBook, StudioCampaign
from palacs.studio._deps import TheBook, TheCampaign, TheOp, TheVisitor
from palacs.studio._error_answers import Refused, refusing
from palacs.studio._events import Ear, EventHub
from palacs.studio._inside_page import look_inside
from palacs.studio._insight import Insights, Part
from palacs.studio._listed import Order, block_of_confusion, page_of_rows
from palacs.studio._maps import MapMethod
from palacs.studio._paging import LARGEST_PAGE, After, ThePages

router = APIRouter(tags=["record"])

Format = Literal["csv", "json", "parquet"]
_MEDIA_TYPES: dict[str, str] = {
    "csv": "text/csv",
    "json": "application/json",
    "parquet": "application/vnd.apache.parquet",
}
Seq = Annotated[int, Query(ge=0, lt=2**63)]


@router.get("/campaigns/{name}/history", response_model=a.Rows, response_model_exclude_unset=True)
def history(
    campaign: TheCampaign,
    pages: ThePages,
    limit: Annotated[int, Query(ge=1, le=LARGEST_PAGE, description="Rows at most.")] = 100,
    after: After = None,
    offset: Annotated[Seq, Query(description="How many to leave out; better: after.")] = 0,
    newest: Annotated[bool, Query(description="Begin with the latest.")] = False,
    features: Annotated[bool, Query(description="With the columns x0, x1, ...")] = False,
    values: Annotated[
        int, Query(ge=0, le=100, description="With so many values of each instance, as x.")
    ] = 0,
) -> dict[str, Any]:
    """Return requests and unsolicited instances in the order of the record."""
    total = campaign.history_length()
    if newest:
        last = max(0, min(total, total if after is None else after - 1) - offset)
        first = max(0, last - limit)
    else:
        first = min(total, (after or 0) + offset)
        last = min(total, first + limit)
    found = history_to_json(campaign.history(features=features, rows=slice(first, last)))
    rows = [{"number": first + place, **row} for place, row in enumerate(found, 1)]
    if values:
        rows = [{**row, **_values_of(campaign, row, values)} for row in rows]
    if newest:
        more = pages.next(first + 1) if first > 0 else None
        return {"rows": rows[::-1], "total": total, "next": more}
    return {"rows": rows, "total": total, "next": pages.next(last) if last < total else None}


def _values_of(campaign: StudioCampaign, row: dict[str, Any], n: int) -> dict[str, Any]:
    """Return the first values of an instance, and how many it has."""
    if row["told_at"] is None or row["state"] == "erased":
        return {"x": None, "n_features": None}
    x = campaign.instance(row["id"]).x
    return {"x": x[:n].tolist(), "n_features": len(x)}


@router.get("/campaigns/{name}/record", response_model=a.Events)
def record(
    campaign: TheCampaign,
    pages: ThePages,
    limit: Annotated[int, Query(ge=1, le=LARGEST_PAGE, description="Events at most.")] = 1000,
    after: After = None,
) -> dict[str, Any]:
    """Return the events of the record, in their order."""
    found = campaign.events(after or 0, limit=limit + 1)
    more = pages.next(found[limit - 1].seq) if len(found) > limit else None
    return {"events": [_event(event) for event in found[:limit]], "next": more}


def _event(event: Event) -> dict[str, Any]:
    author = event.author or {}
    return {
        "seq": event.seq,
        "kind": event.kind,
        "at": datetime.fromtimestamp(event.at, UTC).isoformat(),
        "id": event.entry,
        "label": event.label,
        "person": author.get("person"),
        "holder": author.get("holder"),
        "op": event.op,
    }


@router.get(
    "/campaigns/{name}/export",
    response_class=Response,
    responses={
        200: {"content": {kind: {} for kind in _MEDIA_TYPES.values()}, "description": "A file."}
    },
)
def export(campaign: TheCampaign, format: Format = "csv") -> Response:
    """Return the whole record as a file; formulas in texts are neutralised in CSV."""
    with tempfile.TemporaryDirectory(prefix="palacs-") as folder:
        # The file on disk has a name of ours; the campaign's name is only a suggestion.
        content = campaign.export(Path(folder) / f"export.{format}").read_bytes()
    disposition = f'attachment; filename="{suggested_name(campaign.name)}.{format}"'
    headers = {"Content-Disposition": disposition}
    return Response(content, media_type=_MEDIA_TYPES[format], headers=headers)


def suggested_name(campaign: str) -> str:
    """Return a campaign's name as a part of a file's name."""
    return "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "_" for c in campaign)


@router.post("/campaigns/{name}/upload", response_model=a.Told, response_model_exclude_unset=True)
def upload(
    campaign: TheCampaign,
    id: Annotated[str, Query(min_length=1, max_length=200, description="The request.")],
    file: Annotated[UploadFile, File(description="One instance, as CSV, JSON or NPY.")],
    attrs: Annotated[str, Form(description="What to note, as a JSON object.")] = "{}",
    label: Annotated[str | None, Form(description="Its class, if not the one asked for.")] = None,
    op: TheOp = None,
) -> dict[str, Any]:
    """Tell a request with the numbers in a file."""
    with refusing():
        name, names = file.filename or "the file", campaign.feature_names
        x = read_instance(file.file.read(), name, campaign.n_features, names)
        # A form has texts only, a class may be a number.
        known = (each for each in campaign.classes if str(each) == label)
        instance = campaign.tell(id, x, next(known, label), attrs=object_of(attrs), op=op)
    return {"instance": instance.to_json()}


def object_of(text: str) -> dict[str, Any]:
    """Return the JSON object that a field of a form holds."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Refused(f"attrs={text!r:.60} is no JSON object: {error}.") from error
    if not isinstance(found, dict):
        raise Refused(f'attrs={text!r:.60} is no JSON object; write {{"subject": "s01"}}.')
    return found


@router.get(
    "/campaigns/{name}/recording",
    response_class=Response,
    responses={200: {"content": {"application/octet-stream": {}}, "description": "The recording."}},
)
def recording(
    campaign: TheCampaign,
    id: Annotated[str, Query(min_length=1, max_length=200, description="The instance.")],
) -> Response:
    """Return a recording that is kept inside the record."""
    with refusing():
        found = campaign.recording(id)
    if found is None or found.content is None:
        where = "has none" if found is None else "has it elsewhere; recordings says where"
        raise Refused(f"no recording of {id!r} is kept here; it {where}.", 404, "not-found")
    headers = {"Content-Disposition": 'attachment; filename="recording"'}
    return Response(found.content, media_type="application/octet-stream", headers=headers)


@router.get(
    "/campaigns/{name}/events",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}, "description": "Never ends."}},
)
def events(
    request: Request,
    campaign: TheCampaign,
    visitor: TheVisitor,
    after: Annotated[Seq | None, Query(description="The last event number seen.")] = None,
    last_event_id: Annotated[str | None, Header()] = None,
) -> StreamingResponse:
    """Stream every new event of the campaign, whoever wrote it."""
    if last_event_id is not None and last_event_id.isascii() and last_event_id.isdecimal():
        after = int(last_event_id[:18])
    hub: EventHub = request.app.state.hub
    ear = Ear(visitor, request.app.state.visitors)
    return StreamingResponse(hub.stream([campaign], ear, after), media_type="text/event-stream")


@router.get(
    "/events",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}, "description": "Never ends."}},
)
def events_of_several(
    request: Request,
    book: TheBook,
    visitor: TheVisitor,
    campaign: Annotated[list[str], Query(description="Names.", min_length=1, max_length=100)],
) -> StreamingResponse:
    """Stream every new event of several campaigns; those that are not there are left out."""
    hub: EventHub = request.app.state.hub
    found = [each for name in dict.fromkeys(campaign) if (each := _find(book, name)) is not None]
    ear = Ear(visitor, request.app.state.visitors)
    return StreamingResponse(hub.stream(found, ear), media_type="text/event-stream")


def _find(book: CampaignBook, name: str) -> StudioCampaign | None:
    try:
        return book.get(name)
    except CampaignNotFound:
        return None


@router.get("/campaigns/{name}/insight", response_model=Insight, response_model_exclude_unset=True)
def insight(
    request: Request,
    campaign: TheCampaign,
    map: Annotated[MapMethod, Query(description="For three and more features.")] = "auto",
    part: Annotated[Part, Query(description="Only this; now takes no time.")] = "all",
) -> dict[str, Any]:
    """Return what the bench shows: the next request and why, accuracy, confusion, a map.

    Of more than 50 classes those with the worst recall, and the highest utilities.
    """
    insights: Insights = request.app.state.insights
    return insights.of(campaign, map, acting_holder(), part)


@router.get("/campaigns/{name}/classes", response_model=ClassPage)
def classes(
    request: Request,
    campaign: TheCampaign,
    search: Annotated[str, Query(max_length=200, description="Part of the name.")] = "",
    order: Order = "worst",
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    offset: Seq = 0,
) -> dict[str, Any]:
    """Return classes with their counts and recall, a page at a time."""
    insights: Insights = request.app.state.insights
    now = campaign.snapshot()
    page = slice(offset, offset + limit)
    return page_of_rows(now, insights.left_out(campaign, now), search, order, page)


@router.get("/campaigns/{name}/confusion", response_model=Block)
def confusion(
    request: Request,
    campaign: TheCampaign,
    row: Annotated[int, Query(ge=0, lt=2**31, description="The first class's place.")] = 0,
    column: Annotated[int, Query(ge=0, lt=2**31, description="The first decision's.")] = 0,
    size: Annotated[int, Query(ge=1, lt=2**31, description="How many classes.")] = 2**31 - 1,
) -> dict[str, Any]:
    """Return a part of the confusion matrix, at most 40 cells wide; cells sum several classes."""
    insights: Insights = request.app.state.insights
    now = campaign.snapshot()
    return block_of_confusion(now, insights.left_out(campaign, now), row, column, size)


@router.get("/campaigns/{name}/inside", response_model=Inside)
def inside(
    campaign: TheCampaign,
    across: Annotated[int | None, Query(ge=0, lt=10**6, description="A feature, from 0.")] = None,
    up: Annotated[int | None, Query(ge=0, lt=10**6, description="Another one.")] = None,
) -> dict[str, Any]:
    """Return densities, gain and weighted gain on a grid, over one or two features.

    More features are seen along their principal components, or two of them alone.
    """
    if (across is None) != (up is None):
        raise Refused("across and up go together; give two features, or none for components.")
    pair = None if across is None or up is None else (across, up)
    return look_inside(campaign.snapshot(), pair)
