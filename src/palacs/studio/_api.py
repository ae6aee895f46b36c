"""The REST interface under ``/api/v1``, put together, and what all of it has in common."""

from __future__ import annotations

from fastapi import APIRouter, Depends
from fastapi.security import HTTPBearer

from palacs.studio import (
    _api_bring,
    _api_campaigns,
    _api_course,
    _api_cue,
    _api_links,
    _api_record,
    _api_session,
    _api_sources,
    _api_tables,
    _reports,
)
from palacs.studio._deps import acting

# For the schema alone: it is the guard that checks.
bearer = HTTPBearer(auto_error=False, description="The launch token, or that of a link.")


router = APIRouter(prefix="/api/v1", dependencies=[Depends(acting)])
for _part in (
    _api_bring,
    _api_record,
    _api_links,
    _api_sources,
    _api_tables,
    _reports,
    _api_course,
    _api_cue,
    _api_session,
    _api_campaigns,
):
    router.include_router(_part.router)
