"""A campaign's record over REST: history, export, files dropped on the page, events, insight."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, File, Form, Header, Query, Request, Response, UploadFile
from fastapi.responses import StreamingResponse

from palacs.campaign import acting_holder, history_to_json, read_instance
from palacs.storage import CampaignNotFound
from palacs.studio import _models as m
from palacs.studio._campaigns import CampaignBook, StudioCampaign
from palacs.studio._deps import TheBook, TheCampaign, TheOp
from palacs.studio._error_answers import Refused, refusing
from palacs.studio._events import EventHub
from palacs.studio._inside_page import look_inside
from palacs.studio._insight import Insights, Part
from palacs.studio._listed import Order, block_of_confusion, page_of_rows
from palacs.studio._maps import MapMethod

router = APIRouter(tags=["record"])

Format = Literal["csv", "json", "parquet"]
_MEDIA_TYPES: dict[str, str] = {
    "csv": "text/csv",
    "json": "application/json",
    "parquet": "application/vnd.apache.parquet",
}
Seq = Annotated[int, Query(ge=0, lt=2**63)]


@router.get("/campaigns/{name:path}/history", response_model=m.Rows)
def history(
    campaign: TheCampaign,
    limit: Annotated[int, Query(ge=1, le=10_000)] = 100,
    offset: Seq = 0,
    newest: Annotated[bool, Query(description="Begin with the latest.")] = False,
    features: Annotated[bool, Query(description="With the columns x0, x1, ...")] = False,
    values: Annotated[
        int, Query(ge=0, le=100, description="With so many values of each instance, as x.")
    ] = 0,
) -> dict[str, Any]:
    """Return requests and unsolicited instances in the order of the record."""
    total = campaign.history_length()
    if newest:
        frame = campaign.history(features=features, rows=_latest(limit, offset)).iloc[::-1]
    else:
        frame = campaign.history(features=features, rows=slice(offset, offset + limit))
    rows = history_to_json(frame)
    if values:
        rows = [{**row, **_values_of(campaign, row, values)} for row in rows]
    return {"rows": rows, "total": total}


def _values_of(campaign: StudioCampaign, row: dict[str, Any], n: int) -> dict[str, Any]:
    """Return the first values of an instance, and how many it has."""
    if row["told_at"] is None or row["state"] == "erased":
        return {"x": None, "n_features": None}
    x = campaign.instance(row["id"]).x
    return {"x": x[:n].tolist(), "n_features": len(x)}


def _latest(limit: int, offset: int) -> slice:
    return slice(-limit - offset, -offset if offset else None)


@router.get(
    "/campaigns/{name:path}/export",
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


@router.post("/campaigns/{name:path}/upload", response_model=m.Told)
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
        found: dict[str, Any] = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Refused(f"attrs={text!r:.60} is no JSON object: {error}.") from error
    return found


@router.get(
    "/campaigns/{name:path}/recording",
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
        where = "has none" if found is None else f"has it at {found.where}"
        raise Refused(f"no recording of {id!r} is kept here; it {where}.", 404, "not-found")
    headers = {"Content-Disposition": 'attachment; filename="recording"'}
    return Response(found.content, media_type="application/octet-stream", headers=headers)


@router.get(
    "/campaigns/{name:path}/events",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}, "description": "Never ends."}},
)
def events(
    request: Request,
    campaign: TheCampaign,
    after: Annotated[Seq | None, Query(description="The last event number seen.")] = None,
    last_event_id: Annotated[str | None, Header()] = None,
) -> StreamingResponse:
    """Stream every new event of the campaign, whoever wrote it."""
    if last_event_id is not None and last_event_id.isascii() and last_event_id.isdecimal():
        after = int(last_event_id[:18])
    hub: EventHub = request.app.state.hub
    return StreamingResponse(hub.stream([campaign], after), media_type="text/event-stream")


@router.get(
    "/events",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}, "description": "Never ends."}},
)
def events_of_several(
    request: Request,
    book: TheBook,
    campaign: Annotated[list[str], Query(description="Names.", min_length=1, max_length=100)],
) -> StreamingResponse:
    """Stream every new event of several campaigns; those that are not there are left out."""
    hub: EventHub = request.app.state.hub
    found = [each for name in dict.fromkeys(campaign) if (each := _find(book, name)) is not None]
    return StreamingResponse(hub.stream(found), media_type="text/event-stream")


def _find(book: CampaignBook, name: str) -> StudioCampaign | None:
    try:
        return book.get(name)
    except CampaignNotFound:
        return None


@router.get("/campaigns/{name:path}/insight")
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


@router.get("/campaigns/{name:path}/classes")
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


@router.get("/campaigns/{name:path}/confusion")
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


@router.get("/campaigns/{name:path}/inside")
def inside(campaign: TheCampaign) -> dict[str, Any]:
    """Return class densities, gain and weighted gain on a grid, for one or two features."""
    return look_inside(campaign.snapshot())
