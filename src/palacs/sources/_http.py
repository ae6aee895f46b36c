"""One HTTP exchange: no detours to other addresses, and no proxy to one's own machine."""

from __future__ import annotations

from functools import cache
from http.client import HTTPResponse
from typing import Any
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, ProxyHandler, Request, build_opener

_OWN = ("localhost", "127.0.0.1", "::1")


class _NoDetour(HTTPRedirectHandler):
    """Takes an answer that leads elsewhere for an error: it would be sent the token."""

    def redirect_request(self, *_: Any) -> None:
        """Refuse."""


@cache
def _opener(own: bool) -> OpenerDirector:
    return build_opener(_NoDetour, *([ProxyHandler({})] if own else []))


def send(request: Request, patience: float) -> HTTPResponse:
    """Return the answer to a request; one that is no success raises ``HTTPError``."""
    own = urlsplit(request.full_url).hostname in _OWN
    answer: HTTPResponse = _opener(own).open(request, timeout=patience)
    return answer
