"""The REST interface under ``/api/v1``, put together, and what all of it has in common."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any
from urllib.parse import unquote

from fastapi import APIRouter, Depends, Header
from fastapi.security import HTTPBearer

from palacs.campaign import acting_as
from palacs.studio import _api_campaigns, _api_course, _api_record, _api_sources, _reports
from palacs.studio._error_answers import refusing

_TEXT = {"type": "string"}
_ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["message", "kind"],
            "properties": {"message": _TEXT, "kind": _TEXT},
        }
    },
}
_MEANINGS = {
    400: "Wrong Host, or a body that cannot be read.",
    401: "The token is missing or wrong.",
    403: "The request comes from another web page.",
    404: "No such campaign, request or report.",
    409: "The record says otherwise, or nothing can be asked.",
    413: "The request is too large.",
    422: "A value cannot be used.",
    503: "The storage does not answer.",
    507: "The storage has no room left.",
}

ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"description": meaning, "content": {"application/json": {"schema": _ERROR}}}
    for status, meaning in _MEANINGS.items()
}
"""What every operation can answer besides what it is for."""

# For the schema alone: it is the guard that checks.
bearer = HTTPBearer(auto_error=False, description="The launch token.")


async def acting(
    palacs_person: Annotated[
        str | None, Header(description="Who does it, percent-encoded; kept in the record.")
    ] = None,
) -> AsyncIterator[None]:
    """Let what a request writes be by the person it names."""
    # Not in a thread: what is set there would not reach the route.
    with refusing():
        who = acting_as(unquote(palacs_person) if palacs_person else None)
        who.__enter__()
    try:
        yield
    finally:
        who.__exit__(None, None, None)


router = APIRouter(prefix="/api/v1", dependencies=[Depends(acting)])
# The record first: /campaigns/{name} takes everything that no other path took.
for _part in (_api_record, _api_sources, _reports, _api_course, _api_campaigns):
    router.include_router(_part.router)
