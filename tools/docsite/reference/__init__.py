"""The reference, read from the code: what ``{reference} NAME`` stands for in a page."""

from __future__ import annotations

from collections.abc import Callable

from docsite.reference._commands import commands
from docsite.reference._files import data_files, recordings
from docsite.reference._record import events, exports
from docsite.reference._results import results
from docsite.reference._routes import routes
from docsite.reference._tables import (
    conditions,
    datasets,
    extractors,
    extras,
    sources,
    strategies,
)

PARTS: dict[str, Callable[[], str]] = {
    "commands": commands,
    "conditions": conditions,
    "data-files": data_files,
    "datasets": datasets,
    "events": events,
    "exports": exports,
    "extractors": extractors,
    "extras": extras,
    "recordings": recordings,
    "results": results,
    "routes": routes,
    "sources": sources,
    "strategies": strategies,
}
