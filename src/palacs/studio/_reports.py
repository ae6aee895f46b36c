"""The results of ``reproduce`` and ``compare``, found and shown.

Reports are looked for only in the folders the studio was started with, and a request names one
by an id that is looked up in the list of those found: no text from a request becomes a path.
A report is a file somebody may have sent, so it is shown in a sandbox that runs no scripts and
cannot reach the studio.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from palacs.studio._answers import ReportList
from palacs.studio._deps import TheConfig
from palacs.studio._error_answers import Refused

router = APIRouter(tags=["reports"])

REPORT = "report.html"
_DEEPEST = 3
_MOST_FOLDERS = 2000
_SANDBOX = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)


@dataclass(frozen=True, slots=True)
class Report:
    """A report that was found: its id, the folder's name, its file and when it was written."""

    id: str
    name: str
    path: Path
    written: float


def find_reports(folders: Sequence[Path]) -> list[Report]:
    """Return the reports in or below the given folders, the newest first."""
    found: dict[Path, Report] = {}
    for folder in folders:
        root = folder.resolve()
        for path in _below(root, _DEEPEST):
            try:
                inside = path.resolve()
                # A link may lead out of the folder that was opened up.
                if not inside.is_relative_to(root) or not inside.is_file():
                    continue
                written = inside.stat().st_mtime
            except (OSError, RuntimeError):
                # It was deleted meanwhile, or is a link to itself.
                continue
            name = str(inside.parent.relative_to(root.parent))
            digest = hashlib.sha256(str(inside).encode("utf-8", "surrogateescape"))
            found.setdefault(inside, Report(digest.hexdigest()[:16], name, inside, written))
    return sorted(found.values(), key=lambda report: -report.written)


def _below(root: Path, depth: int) -> Iterator[Path]:
    folders, seen = [(root, 0)], 0
    while folders and seen < _MOST_FOLDERS:
        folder, level = folders.pop(0)
        seen += 1
        try:
            entries = sorted(folder.iterdir())
        except OSError:
            continue
        for entry in entries:
            if entry.name == REPORT:
                yield entry
            elif level < depth and entry.is_dir() and not entry.name.startswith("."):
                folders.append((entry, level + 1))


@router.get("/reports", response_model=ReportList)
def list_reports(config: TheConfig) -> dict[str, list[dict[str, Any]]]:
    """List the reports in the studio's report folders, the newest first."""
    rows = []
    for report in find_reports(config.reports):
        written = datetime.fromtimestamp(report.written, UTC)
        url = f"/api/v1/reports/{report.id}"
        row = {"id": report.id, "name": report.name, "url": url}
        rows.append({**row, "written_at": written.isoformat()})
    return {"reports": rows}


@router.get("/reports/{id}", response_class=HTMLResponse)
def show_report(id: str, config: TheConfig) -> HTMLResponse:
    """Return a report, sandboxed."""
    for report in find_reports(config.reports):
        if report.id == id:
            try:
                content = report.path.read_bytes()
            except OSError:
                break  # deleted since it was found
            return HTMLResponse(content, headers={"Content-Security-Policy": _SANDBOX})
    raise Refused(f"there is no report {id[:40]!r}; /api/v1/reports lists them.", 404, "not-found")
