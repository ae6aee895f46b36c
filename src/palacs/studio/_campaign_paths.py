"""Addresses of campaigns: every name fits into one, and none is taken for a page of another.

A name is one part of a path, percent-encoded as a whole: the cue of ``S07`` is at
``/campaigns/S07/cue`` and the bench of ``S07/cue`` at ``/campaigns/S07%2Fcue``. Browsers resolve
the parts ``.`` and ``..`` before they send anything, so these two get a tilde in front.
"""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

from starlette.types import ASGIApp, Receive, Scope, Send

_NAMED = ("/campaigns/", "/api/v1/campaigns/", "/api/v1/demo/digits/")
_DOTS = re.compile(r"~*\.\.?")


def in_address(name: str) -> str:
    """Return a campaign's name as a part of a path; ``pathOf`` in api.js does the same.

    Examples
    --------
    >>> in_address("S07/cue"), in_address(".."), in_address("100 %")
    ('S07%2Fcue', '~..', '100%20%25')
    """
    return quote(f"~{name}" if _DOTS.fullmatch(name) else name, safe="")


def name_in(part: str) -> str:
    """Undo `in_address`.

    Examples
    --------
    >>> name_in("S07%2Fcue"), name_in("~.."), name_in("~~."), name_in("~mine")
    ('S07/cue', '..', '~.', '~mine')
    """
    name = unquote(part)
    return name[1:] if name.startswith("~") and _DOTS.fullmatch(name) else name


def kept_whole(scope: Scope) -> str:
    """Return the path of a request with names as they were sent: a slash in one is no slash."""
    path: str = scope["path"]
    if not path.startswith(_NAMED):
        return path
    sent = scope.get("raw_path") or quote(path).encode()
    parts = sent.decode("ascii", "replace").split("/")
    return "/".join(quote(unquote(part), safe="") for part in parts)


class NamesKeptWhole:
    """ASGI middleware that lets routes see names as they were sent: a slash in one is no slash.

    Parameters
    ----------
    app : ASGI application
        Whose routes decode names with `name_in`.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] == "http":
            scope = {**scope, "path": kept_whole(scope)}
        await self.app(scope, receive, send)
