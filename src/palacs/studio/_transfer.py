"""How answers travel: without a body for HEAD, compressed where that pays, not twice if known.

Only answers to GET are compressed. None of them holds a secret (a new link is answered once, to
POST), so that their length gives nothing away to somebody who can make a browser ask.
"""

from __future__ import annotations

import hashlib

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SMALLEST_COMPRESSED = 1024
_LEVEL = 5  # higher ones take much longer for little


class _Enough(Exception):
    """There is nothing more to send."""


class Transfer:
    """ASGI middleware between the guard and the routes.

    Parameters
    ----------
    app : ASGI application
        Whose routes need to know GET only.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._smaller = GZipMiddleware(app, minimum_size=SMALLEST_COMPRESSED, compresslevel=_LEVEL)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
            await self._app(scope, receive, send)
            return
        # A stream of events is written bit by bit, and must arrive so.
        streams = scope["path"].endswith("/events")
        app = self._app if streams else _Tagged(self._smaller)
        if scope["method"] == "GET":
            await app(scope, receive, send)
            return
        try:
            await app({**scope, "method": "GET"}, receive, _without_body(send))
        except* _Enough:
            pass  # a stream would go on for ever


def _without_body(send: Send) -> Send:
    async def headers_only(message: Message) -> None:
        if message["type"] == "http.response.start":
            await send(message)
            if Headers(scope=message).get("content-type", "").startswith("text/event-stream"):
                await send({"type": "http.response.body", "body": b""})
                raise _Enough
        elif not message.get("more_body", False):
            await send({"type": "http.response.body", "body": b""})

    return headers_only


class _Tagged:
    """Gives JSON a tag by its content, and answers 304 to whoever has that already."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        known = Headers(scope=scope).get("if-none-match", "")
        start: Message = {}

        async def tagging(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                start = message
                if not _is_whole_json(message):
                    start = {}
                    await send(message)
            elif not start:
                await send(message)
            else:
                tag = f'W/"{hashlib.sha256(message["body"]).hexdigest()[:20]}"'
                headers = MutableHeaders(scope=start)
                headers["ETag"] = tag
                if tag in known.split(", "):
                    del headers["Content-Length"]
                    await send({**start, "status": 304})
                    message = {"type": "http.response.body", "body": b""}
                else:
                    await send(start)
                start = {}
                await send(message)

        await self._app(scope, receive, tagging)


def _is_whole_json(start: Message) -> bool:
    headers = Headers(scope=start)
    plain = headers.get("content-type", "").startswith("application/json")
    return start["status"] == 200 and plain and "content-length" in headers
