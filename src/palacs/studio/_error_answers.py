"""Errors as the studio reports them: one JSON shape, a status that fits, never a traceback.

``{"error": {"message": "...", "kind": "..."}}`` for programs, a small page for people. What a
campaign or storage refuses already says what was wrong and what to do; that text is passed on.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.types import Scope

from palacs import campaign as cp
from palacs import storage as st
from palacs.studio._links import NoLinks
from palacs.studio._models import LARGEST

# From the special to the general: the first that fits decides.
_STATUS: tuple[tuple[type[Exception], int, str], ...] = (
    (st.CampaignNotFound, 404, "campaign-not-found"),
    (cp.UnknownEntry, 404, "entry-not-found"),
    (cp.BudgetExhausted, 409, "budget-exhausted"),
    (cp.CampaignClosed, 409, "campaign-closed"),
    (cp.NothingToAsk, 409, "nothing-to-ask"),
    (st.CampaignExists, 409, "campaign-exists"),
    (cp.Conflict, 409, "conflict"),
    (st.StorageConflict, 409, "conflict"),
    (cp.CampaignError, 409, "campaign"),
    (cp.UnknownClass, 409, "unknown-class"),
    (NoLinks, 503, "links"),
    (st.StorageFull, 507, "storage-full"),
    (st.StorageOutcomeUnknown, 503, "outcome-unknown"),
    (st.StorageError, 503, "storage"),
)

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title} · palacs studio</title>
<link rel="stylesheet" href="/static/notice.css">
</head>
<body>
<main>
<h1>{title}</h1>
<p>{message}</p>
{extra}
</main>
</body>
</html>
"""


class StudioJSON(JSONResponse):
    """JSON in plain ASCII: every text survives, also halves of surrogate pairs."""

    def render(self, content: Any) -> bytes:
        """Return the body."""
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode("ascii")


class Refused(Exception):
    """A request whose content cannot be used; nothing was written.

    Parameters
    ----------
    message : str
        What was wrong and what to do.
    status : int
        HTTP status.
    kind : str
        For programs.
    """

    def __init__(self, message: str, status: int = 422, kind: str = "invalid") -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind


@contextmanager
def refusing() -> Iterator[None]:
    """Turn what a campaign says about bad values into a refusal.

    Only around calls that take values from the request: a ``ValueError`` from anywhere else
    is our mistake and must not be blamed on the client.
    """
    try:
        yield
    except (st.StorageError, cp.CampaignError, cp.UnknownClass):
        raise
    except cp.DoesNotFit as error:
        raise Refused(str(error), 409) from error
    except (ValueError, TypeError) as error:
        raise Refused(str(error)) from error


def error_response(scope: Scope, status: int, kind: str, message: str) -> Response:
    """Return an error as the client wants it: a page for a browser's address bar, else JSON."""
    if wants_page(scope):
        return notice_page(status, _TITLES.get(status, "That did not work"), message)
    return StudioJSON({"error": {"message": message, "kind": kind}}, status)


_TITLES = {
    401: "This studio needs its launch link",
    403: "Not from here",
    404: "Nothing here",
    503: "The storage does not answer",
}


def wants_page(scope: Scope) -> bool:
    """Whether a person is going to look at the answer."""
    if scope["path"].startswith("/api/"):
        return False
    accept = next((v for k, v in scope["headers"] if k == b"accept"), b"")
    return b"text/html" in accept


def notice_page(status: int, title: str, message: str) -> HTMLResponse:
    """Return a small page that says one thing."""
    extra = '<p><a href="/">To the campaigns</a></p>' if status not in (400, 401, 403) else ""
    page = _PAGE.format(title=html.escape(title), message=html.escape(message), extra=extra)
    return HTMLResponse(page.encode("utf-8", "replace"), status)


def without_places(error: Exception, storage: st.Storage) -> str:
    """Return what an error says, but not where on this machine the storage is."""
    said = " ".join(str(error).split())
    path = getattr(storage, "path", None)
    for place in (path and path.resolve(), path):
        if place is not None:
            said = re.sub(rf"'?(sqlite:/+)?{re.escape(str(place))}'?", "the storage's file", said)
    return said.replace(storage.url, "the storage")


def install_error_handlers(app: FastAPI) -> None:
    """Let every error of a route leave in the studio's shape."""

    def known(status: int, kind: str) -> Any:
        def handler(request: Request, error: Exception) -> Response:
            message = without_places(error, request.app.state.book.storage)
            return error_response(request.scope, status, kind, message)

        return handler

    for error_type, status, kind in _STATUS:
        app.add_exception_handler(error_type, known(status, kind))
    app.add_exception_handler(Refused, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)


def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    message = " ".join(str(error).split())
    return error_response(request.scope, error.status, error.kind, message)


_OURS = re.compile(r"body$|constrained-|function-|(str|int|float|list|dict)(\[.*)?$")


def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    parts = []
    for problem in error.errors()[:5]:
        # Of a choice between types, their names mean nothing to whoever sent it.
        steps = (step for step in map(str, problem["loc"]) if not _OURS.match(step))
        place = ".".join(steps)
        said = str(problem["msg"])
        if LARGEST in map(abs, _limits(problem)):
            said += "; leave out what is no measurement, or give it in another unit"
        parts.append(f"{place}: {said}" if place else said)
    return error_response(request.scope, 422, "invalid", "; ".join(dict.fromkeys(parts)) + ".")


def _limits(problem: dict[str, Any]) -> list[float]:
    return [each for each in problem.get("ctx", {}).values() if isinstance(each, (int, float))]


def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    kinds = {404: "not-found", 405: "method-not-allowed", 413: "too-large"}
    messages = {
        404: f"there is nothing at {request.url.path}; a slash in a name is sent as %2F.",
        405: f"{request.method} is not possible here.",
    }
    message = messages.get(error.status_code, str(error.detail))
    kind = kinds.get(error.status_code, "http")
    response = error_response(request.scope, error.status_code, kind, message)
    response.headers.update(error.headers or {})
    if error.status_code == 405:
        response.headers["Allow"] = ", ".join(_methods(request))
    return response


def _methods(request: Request) -> list[str]:
    """Return what is possible at an address, by all routes and not the first alone."""
    schema = request.app.openapi()["paths"]
    found: set[str] = set()
    for template, methods in schema.items():
        if re.fullmatch(re.sub(r"\{[^}]*\}", "[^/]+", template), request.url.path):
            found |= {method.upper() for method in methods}
    return sorted(found | ({"HEAD"} if "GET" in found else set())) or ["GET", "HEAD"]
