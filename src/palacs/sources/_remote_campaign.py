"""A campaign that another machine's studio serves: asked and told over REST, run like any other.

Every call that writes carries an id, so that one whose answer was lost is repeated and nothing is
recorded twice. Numbers are checked there, before anything is written.
"""

from __future__ import annotations

import base64
import json
import math
import os
from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime
from http.client import HTTPException
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack
from urllib.error import HTTPError, URLError
from urllib.parse import quote, unquote, urlsplit
from urllib.request import Request as Posted

import numpy as np
import numpy.typing as npt

from palacs.campaign import (
    AskAndTell,
    BudgetExhausted,
    CampaignClosed,
    CampaignError,
    ClassStatus,
    Conflict,
    Instance,
    Notes,
    NothingToAsk,
    Recording,
    Request,
    Status,
    UnknownClass,
    UnknownEntry,
    acting_holder,
    author,
    names_of,
)
from palacs.sources._http import send
from palacs.storage import (
    CampaignNotFound,
    Label,
    StorageError,
    StorageFull,
    StorageOutcomeUnknown,
    StorageUnavailable,
)

if TYPE_CHECKING:
    from palacs.evidence import Advice

_ERRORS: dict[str, type[Exception]] = {
    "budget-exhausted": BudgetExhausted,
    "campaign": CampaignError,
    "campaign-closed": CampaignClosed,
    "campaign-not-found": CampaignNotFound,
    "conflict": Conflict,
    "entry-not-found": UnknownEntry,
    "invalid": ValueError,
    "nothing-to-ask": NothingToAsk,
    "outcome-unknown": StorageOutcomeUnknown,
    "storage": StorageUnavailable,
    "storage-full": StorageFull,
    "unknown-class": UnknownClass,
}
_PAGES = ("", "cue", "inside", "session")  # an address may be copied from any of them
_PATIENCE_S = 120.0  # a decision over many classes takes its time


class RemoteCampaign(AskAndTell):
    """A campaign in a studio somewhere else.

    Parameters
    ----------
    address : str
        As the studio's pages show it: ``http://HOST:PORT/campaigns/NAME``; that of the REST
        interface, ``http://HOST:PORT/api/v1/campaigns/NAME``, will do as well.
    token : str or None
        The launch token; by default the environment variable ``PALACS_STUDIO_TOKEN``.

    Examples
    --------
    >>> from palacs.sources import RemoteCampaign
    >>> RemoteCampaign("http://lab:8765/campaigns/demo", token="...")
    <RemoteCampaign 'demo' at http://lab:8765>
    """

    def __init__(self, address: str, token: str | None = None) -> None:
        parts = urlsplit(address)
        before, found, after = parts.path.partition("/campaigns/")
        name, _, page = after.partition("/")
        if parts.scheme not in ("http", "https") or not parts.netloc or not (found and name):
            raise ValueError(
                f"{address!r} is no campaign's address; give http://HOST:PORT/campaigns/NAME."
            )
        if page not in _PAGES:
            raise ValueError(f"{address!r}: a slash in a campaign's name is written %2F.")
        base = before.removesuffix("/api/v1").removesuffix("/api")
        self._studio = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{base}"
        self._name = unquote(name)
        self._token = os.environ.get("PALACS_STUDIO_TOKEN", "") if token is None else token

    def __repr__(self) -> str:
        return f"<RemoteCampaign {self._name!r} at {self._studio}>"

    @property
    def name(self) -> str:
        """The campaign's name."""
        return self._name

    @property
    def classes(self) -> list[Label]:
        """All classes, in the order in which they were declared or added."""
        return [row["label"] for row in self._get("status")["classes"]]

    @property
    def n_features(self) -> int | None:
        """How many features an instance has to have; ``None`` until that is known."""
        found: int | None = self._get("status")["n_features"]
        return found

    @property
    def feature_names(self) -> list[str] | None:
        """What the features are called; ``None`` where nobody said."""
        found = self._get("")
        names: list[str] | None = (found["settings"].get("features") or {}).get("names")
        came = found["settings"].get("named") if found["status"]["instances"] else None
        return came if names is None else names

    @property
    def extractor(self) -> str | None:
        """The extractor in force; ``None`` where features are told."""
        known = self._get("")["settings"].get("extractor")
        return None if known is None else str(known["version"])

    def ask_many(
        self, n: int, *, attrs: Mapping[str, Any] | None = None, op: str | None = None
    ) -> list[Request]:
        """Request up to `n` instances at once; fewer where the budget ends."""
        body = {"n": n, **({} if attrs is None else {"attrs": dict(attrs)})}
        return [_request(row) for row in self._post("ask", body, op)["requests"]]

    def tell(
        self,
        request: Request | str,
        x: npt.ArrayLike | Mapping[str, float] | None = None,
        label: Label | None = None,
        *,
        op: str | None = None,
        **notes: Unpack[Notes],
    ) -> Instance:
        """Record the instance that a request brought."""
        body = {"id": _id(request), **_numbers(x), **_noted(notes, whole=x is None)}
        if label is not None:
            body["label"] = label
        return _instance(self._post("tell", body, op)["instance"])

    def add(
        self,
        x: npt.ArrayLike | Mapping[str, float] | None,
        label: Label,
        *,
        id: str | None = None,
        op: str | None = None,
        **notes: Unpack[Notes],
    ) -> Instance:
        """Record an unsolicited instance."""
        body = {"label": label, **_numbers(x), **_noted(notes, whole=x is None)}
        if id is not None:
            body["id"] = id
        return _instance(self._post("add", body, op)["instance"])

    def fail(
        self,
        request: Request | str,
        reason: str = "",
        *,
        attrs: Mapping[str, Any] | None = None,
        op: str | None = None,
    ) -> None:
        """Record that a request will bring no instance, and why."""
        noted = {} if attrs is None else {"attrs": dict(attrs)}
        self._post("fail", {"id": _id(request), "reason": reason, **noted}, op)

    def performed(
        self,
        request: Request | str,
        *,
        attrs: Mapping[str, Any] | None = None,
        op: str | None = None,
    ) -> None:
        """Record that a request was carried out and its data are still to come."""
        noted = {} if attrs is None else {"attrs": dict(attrs)}
        self._post("performed", {"id": _id(request), **noted}, op)

    def renew(self, request: Request | str, reason: str = "", *, op: str | None = None) -> Request:
        """Let the lease of an open request start anew, also after it ended."""
        body = {"id": _id(request), "reason": reason}
        return _request(self._post("renew", body, op)["requests"][0])

    def pause(self, label: Label, *, op: str | None = None) -> None:
        """Stop requesting a class."""
        self._post("pause", {"label": label}, op)

    def status(self) -> Status:
        """Return where the campaign stands."""
        row = self._get("status")
        classes = tuple(ClassStatus(**_known(ClassStatus, one)) for one in row["classes"])
        return Status(**{**_known(Status, row), "classes": classes})

    def pending(self) -> list[Request]:
        """Return the requests whose instances are still to come, oldest first."""
        return [_request(row) for row in self._get("pending")["requests"]]

    def stopping(self) -> Advice:
        """Return whether to stop asking, and why."""
        from palacs.evidence import Advice

        return Advice(**_known(Advice, self._get("stopping")))

    def recordings(self) -> list[Recording]:
        """Return the recordings of all instances, without the content of those kept inside."""
        return [_recording(row) for row in self._get("recordings")["recordings"]]

    def noted_values(self, name: str) -> list[Any]:
        """Return what was noted under this name with instances."""
        found: list[Any] = self._get(f"noted?attribute={quote(name, safe='')}")["values"]
        return found

    # -- the wire ----------------------------------------------------------------------

    def _get(self, what: str) -> dict[str, Any]:
        return self._send(what, None, {})

    def _post(self, what: str, body: Mapping[str, Any], op: str | None) -> dict[str, Any]:
        headers = {} if op is None else {"Idempotency-Key": quote(op, safe="")}
        content = json.dumps(body, allow_nan=False).encode("ascii")
        return self._send(what, content, {**headers, "Content-Type": "application/json"})

    def _send(self, what: str, body: bytes | None, headers: dict[str, str]) -> dict[str, Any]:
        path = f"{self._studio}/api/v1/campaigns/{quote(self._name, safe='')}"
        known = {"Palacs-Person": author()["person"], "Palacs-Holder": acting_holder()}
        for key, value in known.items():
            if value is not None:
                headers[key] = quote(value, safe="")
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        asked = Posted(f"{path}/{what}" if what else path, body, headers)
        try:
            with send(asked, _PATIENCE_S) as answer:
                found: dict[str, Any] = json.load(answer)
                return found
        except HTTPError as error:
            raise _refusal(error.code, error.read()) from None
        except (URLError, HTTPException, OSError, ValueError) as error:
            # Written or not: whoever repeats it with its id need not know.
            raise StorageOutcomeUnknown(f"{self._studio} does not answer: {error}.") from None


def _known(kind: type[Any], row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what this release knows of an answer; a newer studio may say more."""
    names = {field.name for field in fields(kind)}
    return {name: value for name, value in row.items() if name in names}


def _refusal(code: int, content: bytes) -> Exception:
    try:
        error = json.loads(content)["error"]
        message, kind = str(error["message"]), str(error["kind"])
    except (ValueError, LookupError, TypeError):
        # Not the studio's own words: something between us and it.
        return StorageUnavailable(f"the studio's address answered with status {code}.")
    if code in (401, 403):
        return StorageError(f"the studio refuses: {message}")
    return _ERRORS.get(kind, CampaignError)(message)


def _id(request: Request | str) -> str:
    return request.id if isinstance(request, Request) else request


def _numbers(x: npt.ArrayLike | Mapping[str, float] | None) -> dict[str, Any]:
    if x is None:
        return {}  # for the extractor in force there
    names = names_of(x)
    array = np.asarray(list(x.values()) if isinstance(x, Mapping) else x, dtype=float)
    if array.ndim != 1 or not np.isfinite(array).all():
        raise ValueError(f"x of shape {array.shape} must be one row of finite numbers.")
    values = array.tolist()
    return {"x": values if names is None else dict(zip(names, values, strict=True))}


def _noted(notes: Notes, *, whole: bool) -> dict[str, Any]:
    """Return notes as REST takes them; a recording that features are made of goes along."""
    body: dict[str, Any] = {}
    amounts = {"cost": notes.get("cost"), "duration": notes.get("duration")}
    body |= {name: float(value) for name, value in amounts.items() if value is not None}
    if notes.get("attrs") is not None:
        body["attrs"] = dict(notes["attrs"] or {})
    if notes.get("recording") is not None:
        recording = Recording.of(notes["recording"] or "")
        if whole and recording.content is None and "://" not in recording.where:
            recording = Recording.inside(recording.where)
        body["recording"] = _sent(recording)
    return body


def _sent(recording: Recording) -> dict[str, Any]:
    """Return a recording as REST takes it: a path of this machine becomes a URI."""
    known = {"size": recording.size, "sha256": recording.sha256}
    given = {key: value for key, value in known.items() if value is not None}
    if recording.content is not None:
        content = base64.b64encode(recording.content).decode("ascii")
        return {**given, "name": recording.where, "content": content}
    where = recording.where
    return {**given, "uri": where if "://" in where else Path(where).as_uri()}


def _recording(row: Mapping[str, Any]) -> Recording:
    return Recording(row["where"], row.get("size"), row.get("sha256"), bool(row.get("kept")))


def _time(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def _request(row: Mapping[str, Any]) -> Request:
    utilities = {c: math.nan if u is None else u for c, u in row["utilities"].items()}
    return Request(
        row["id"],
        row["label"],
        utilities,
        datetime.fromisoformat(row["asked_at"]),
        _time(row["expires_at"]),
        None,
        row["attrs"],
        row.get("holder"),
    )


def _instance(row: Mapping[str, Any]) -> Instance:
    return Instance(
        row["id"],
        row["label"],
        np.asarray(row["x"], dtype=float),
        row["asked"],
        datetime.fromisoformat(row["told_at"]),
        row["retracted"],
        row["attrs"],
        None if row["recording"] is None else _recording(row["recording"]),
    )
