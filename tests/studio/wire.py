"""Requests sent exactly as they are written, as neither browsers nor libraries would."""

from __future__ import annotations

import http.client
import json
import os
from typing import Any


class Answer:
    """A response, read to the end unless it is an event stream."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self.headers = response.headers
        stream = self.headers.get_content_type() == "text/event-stream"
        self.body = b"" if stream else response.read()

    @property
    def kind(self) -> str:
        kind: str = json.loads(self.body)["error"]["kind"]
        return kind


def send(
    studio: Any, method: str, path: str, body: Any = None, *, bare: bool = False, **headers: str
) -> Answer:
    """Send exactly these headers; ``Sec_Fetch_Site`` stands for ``Sec-Fetch-Site``."""
    connection = http.client.HTTPConnection("127.0.0.1", studio.port, timeout=30)
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    if not bare:
        named.setdefault("Host", f"127.0.0.1:{studio.port}")
    content = b"" if body is None else json.dumps(body).encode()
    if body is not None:
        named |= {"Content-Type": "application/json", "Content-Length": str(len(content))}
    for name, value in named.items():
        connection.putheader(name, value)
    connection.endheaders(content)
    answer = Answer(connection.getresponse())
    connection.close()
    return answer


def bearer(studio: Any) -> str:
    return f"Bearer {studio.token}"


_sessions: dict[tuple[int, str, str], str] = {}


def cookie(studio: Any, token: str | None = None) -> str:
    """Return the cookie of a session that began with the launch link, or with another.

    Each test has its own: a studio lets go of the oldest sessions.
    """
    key = (studio.port, token or studio.token, os.environ.get("PYTEST_CURRENT_TEST", ""))
    if key not in _sessions:
        answer = send(studio, "GET", f"/?token={key[1]}")
        _sessions[key] = str(answer.headers["Set-Cookie"]).partition(";")[0]
    return _sessions[key]
