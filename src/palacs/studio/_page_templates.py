"""The templates of the pages, and what all of them know: whom they are shown to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi import Request
from fastapi.templating import Jinja2Templates

from palacs.studio._campaign_paths import in_address
from palacs.studio._deps import visitor_of
from palacs.studio._roles import may


def _shown_to(request: Request) -> dict[str, Any]:
    visitor = visitor_of(request)
    return {"visitor": visitor, "may": lambda path: may(visitor, "GET", path)}


templates = Jinja2Templates(Path(__file__).parent / "templates", context_processors=[_shown_to])
templates.env.filters["in_address"] = in_address
