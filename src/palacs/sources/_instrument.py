"""An instrument with an address: every request is posted to it, and its answer is the instance."""

from __future__ import annotations

import json
from http.client import HTTPException
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request as Posted

from palacs.campaign import Acquired, NotAcquired, Request
from palacs.sources._http import send
from palacs.sources._reply import reply_of

_MOST_BYTES = 64 << 20


class Instrument:
    """Posts requests to an address.

    The body is JSON with ``id``, ``label`` and ``attrs``; the answer is numbers as text, a JSON
    list, or an object as from a `Program`, whose recordings are URIs. An answer for another
    ``id`` or ``label`` fails the request. A status from 400 to 499 does so at once, any other
    failure is tried again.

    Parameters
    ----------
    address : str
        ``http://`` or ``https://``.
    patience : float
        Seconds to wait for its answer.
    """

    def __init__(self, address: str, patience: float = 600.0) -> None:
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise ValueError(f"{address!r} is no address; give http://HOST:PORT/PATH.")
        self.address, self.patience = address, patience

    def __repr__(self) -> str:
        return f"Instrument({self.address!r})"

    def acquire(self, request: Request) -> Acquired:
        """Post it and wait."""
        body = {"id": request.id, "label": request.label, "attrs": request.attrs}
        headers = {"Content-Type": "application/json", "Idempotency-Key": request.id}
        posted = Posted(self.address, json.dumps(body).encode("ascii"), headers)
        where = urlsplit(self.address).netloc.rpartition("@")[2]
        try:
            with send(posted, self.patience) as answer:
                content = answer.read(_MOST_BYTES + 1)
        except HTTPError as error:
            said = " ".join(error.read(500).decode("utf-8", "replace").split())
            why = f"{where} answered {error.code} {error.reason}: {said}"
            raise (NotAcquired if 400 <= error.code < 500 else OSError)(why) from None
        except (URLError, HTTPException) as error:
            raise OSError(f"{where} cannot be reached: {error}") from None
        if len(content) > _MOST_BYTES:
            raise NotAcquired(f"{where} answered more than {_MOST_BYTES} bytes.")
        brought = reply_of(content.decode("utf-8", "replace"), where, request.id)
        if isinstance(brought.recording, str) and "://" not in brought.recording:
            raise NotAcquired(f"{where} named a recording by a path; its place here is unknown.")
        return brought
