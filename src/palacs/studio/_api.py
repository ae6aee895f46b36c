"""The REST interface under ``/api/v1``, put together, and what all of it has in common."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Depends
from fastapi.security import HTTPBearer

from palacs.studio import (
    _api_campaigns,
    _api_course,
    _api_cue,
    _api_record,
    _api_session,
    _api_sources,
    _api_tables,
    _reports,
)
from palacs.studio._deps import acting

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


router = APIRouter(prefix="/api/v1", dependencies=[Depends(acting)])
# The record first: /campaigns/{name} takes everything that no other path took.
for _part in (
    _api_record,
    _api_sources,
    _api_tables,
    _reports,
    _api_course,
    _api_cue,
    _api_session,
    _api_campaigns,
):
    router.include_router(_part.router)
