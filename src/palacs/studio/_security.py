"""Who may do what: one guard in front of every route, closed unless it decides otherwise.

Whoever holds the launch token may do everything, others what their links allow (`_roles`). The
dangers are other web pages in the same browser: they can send requests to 127.0.0.1, with our
cookie where they count as the same site (any page on any local port does), and by DNS rebinding
even read answers. So the guard checks, in this order, the Host, who it is, for everything that
writes or streams the Origin and Sec-Fetch-Site, and the table of roles. A route added anywhere is
behind it without doing anything.
"""

from __future__ import annotations

import enum
import logging
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode

from fastapi import HTTPException
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from palacs.studio._campaign_paths import in_address, kept_whole
from palacs.studio._config import StudioConfig
from palacs.studio._error_answers import error_response
from palacs.studio._links import NoLinks
from palacs.studio._roles import PAGES, Visitor, may
from palacs.studio._visitors import Visitors

_log = logging.getLogger("palacs.studio")

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "media-src data:; "
    "connect-src 'self'; font-src 'self'; form-action 'self'; frame-ancestors 'none'; "
    "base-uri 'none'"
)
_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Not no-referrer: under that, browsers send "Origin: null" with our own forms.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
}
_SAFE_METHODS = frozenset({"GET", "HEAD"})
_WITHOUT_TOKEN = (
    "Open the address that palacs studio printed when it started, or the link that you were given; "
    "it ends in ?token=... and lets this browser in. After a restart of the studio it has to be "
    "opened again. Programs send it as the header Authorization: Bearer TOKEN."
)


_OVERHEARD = (
    "the launch token is taken on this machine only, since others on the network could read it: "
    "this address is not encrypted. Make a link for an experimenter, or start the studio with "
    "--certificate and --key."
)

ORIGIN = "palacs.origin"
"""Where a request says, behind the guard, which of our addresses it was sent to."""

VISITOR = "palacs.visitor"
"""Where a request says, behind the guard, whom it comes from."""


class Access(enum.Enum):
    """What a request has to bring besides a correct Host."""

    PUBLIC = "nothing"
    TOKEN = "the token"
    OWN_PAGE = "the token and, from a browser, our own origin"


def access_for(method: str, path: str) -> Access:
    """Decide what a request needs; closed for everything that is not named here.

    Examples
    --------
    >>> access_for("GET", "/static/studio.css").name
    'PUBLIC'
    >>> access_for("GET", "/campaigns/demo").name
    'TOKEN'
    >>> access_for("POST", "/anything").name
    'OWN_PAGE'
    """
    if method in _SAFE_METHODS and path.startswith("/static/"):
        return Access.PUBLIC
    if method in _SAFE_METHODS and not path.startswith("/api/"):
        return Access.TOKEN
    return Access.OWN_PAGE


class Guard:
    """ASGI middleware that makes the decision and adds the protecting headers.

    Parameters
    ----------
    app : ASGI application
        What it protects.
    config : StudioConfig
        The port and the size limit.
    visitors : Visitors
        Who may come in.
    """

    def __init__(self, app: ASGIApp, config: StudioConfig, visitors: Visitors) -> None:
        self.app = app
        self._config = config
        self._visitors = visitors
        self._origins = config.origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a refusal ourselves or pass the request on."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            # There are no web sockets here; refuse the handshake before anything looks at it.
            await receive()
            await send({"type": "websocket.close", "code": 1008})
            return
        try:
            refusal = self._decide(scope)
        except NoLinks as error:
            refusal = error_response(scope, 503, "links", str(error))
        guarded = _with_headers(send, public=access_of(scope) is Access.PUBLIC)
        if refusal is not None:
            await refusal(scope, receive, guarded)
            return
        await self._pass_on(scope, receive, guarded)

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False
        limited = _Limited(receive, self._limit(scope))

        async def noting(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self.app(scope, limited, noting)
        except Exception:
            _log.exception("%s %s failed", scope["method"], scope["path"])
            if started:
                raise
            message = (
                "the studio made a mistake; its terminal says more. Look at the history before "
                "repeating: it may have been written."
            )
            await error_response(scope, 500, "internal", message)(scope, receive, send)

    # -- the decision ------------------------------------------------------------------

    def _decide(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        origin = self._origin_of(headers)
        if origin is None:
            message = f"this studio answers only as {self._config.public_origin}; use that address."
            return error_response(scope, 400, "host", message)
        scope[ORIGIN] = origin
        length, limit = headers.get("content-length", "0"), self._limit(scope)
        if not length.isdecimal() or int(length) > limit:
            return error_response(scope, 413, "too-large", _too_large(limit))
        access = access_of(scope)
        if access is Access.PUBLIC:
            return None
        return self._check_token(scope, headers, access)

    def _limit(self, scope: Scope) -> int:
        brings = scope["method"] == "POST" and scope["path"].endswith("/recording")
        return self._config.largest_recording if brings else self._config.largest_upload

    def _origin_of(self, headers: Headers) -> str | None:
        """Return which of our own addresses a request was sent to; None where it is no such."""
        named = headers.getlist("host")
        if len(named) != 1:
            return None
        forwarded = headers.getlist("x-forwarded-host") if self._config.proxy else []
        origin = self._origins.get((forwarded or named)[-1].strip().lower())
        said = headers.get("x-forwarded-proto") if self._config.proxy else None
        if origin is None or said not in (None, origin.partition(":")[0]):
            return None
        return origin

    def _cookie(self, scope: Scope) -> str:
        # Browsers share cookies between ports; each studio has its own. Over TLS the prefix keeps
        # every other host, and whoever is without TLS, from setting it.
        name = f"palacs-studio-{self._config.port}"
        return f"__Host-{name}" if scope[ORIGIN].startswith("https:") else name

    def _check_token(self, scope: Scope, headers: Headers, access: Access) -> Response | None:
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        if access is Access.TOKEN and any(key == "token" for key, _ in query):
            return self._let_in(scope, query)
        bearer = headers.get("authorization", "")
        visitor = self._by_bearer(bearer) if bearer else self._by_cookie(scope, headers)
        if visitor is None:
            return self._stranger(scope)
        if self._is_overheard(scope, visitor):
            return error_response(scope, 403, "not-encrypted", _OVERHEARD)
        if access is Access.OWN_PAGE:
            foreign = self._check_origin(scope, headers, by_cookie=not bearer)
            if foreign is not None:
                return foreign
        scope[VISITOR] = visitor
        return self._check_role(scope, visitor)

    def _by_bearer(self, header: str) -> Visitor | None:
        scheme, _, given = header.partition(" ")
        return self._visitors.by_secret(given.strip()) if scheme.lower() == "bearer" else None

    def _by_cookie(self, scope: Scope, headers: Headers) -> Visitor | None:
        given = self._cookie_value(headers, self._cookie(scope))
        return None if given is None else self._visitors.by_session(given)

    def _is_overheard(self, scope: Scope, visitor: Visitor) -> bool:
        """Whether the launch token came over a network where others can read it."""
        public = scope[ORIGIN] == self._config.public_origin != self._config.origin
        return public and not self._config.encrypted and visitor.link is None

    def _check_role(self, scope: Scope, visitor: Visitor) -> Response | None:
        if scope["path"] == "/" and visitor.campaign is not None:
            return RedirectResponse(page_of(visitor), status_code=303)
        if may(visitor, scope["method"], kept_whole(scope)):
            return None
        whose = f"{visitor.name}'s link is for one {visitor.role}"
        where = "" if visitor.campaign is None else f" of the campaign {visitor.campaign!r}"
        message = f"{whose}{where}, and this is not part of it."
        return error_response(scope, 403, "role", message)

    def _let_in(self, scope: Scope, query: list[tuple[str, str]]) -> Response:
        given = [value for key, value in query if key == "token"]
        visitor = self._visitors.by_secret(given[0]) if len(set(given)) == 1 else None
        if visitor is None:
            return self._stranger(scope)
        if self._is_overheard(scope, visitor):
            return error_response(scope, 403, "not-encrypted", _OVERHEARD)
        rest = urlencode([(key, value) for key, value in query if key != "token"])
        # As it was sent, so that %2F stays; two slashes in front would name another server.
        path = "/" + scope["raw_path"].decode("ascii", "replace").lstrip("/\\")
        if path == "/":
            path = page_of(visitor)
        response = RedirectResponse(path + ("?" + rest if rest else ""), status_code=303)
        session = self._visitors.enter(visitor)
        secure = scope[ORIGIN].startswith("https:")
        # Not strict: a link that is opened from a mail would be asked for a link. Whatever
        # writes or tells has to come from our own pages in any case.
        response.set_cookie(
            self._cookie(scope), session, httponly=True, samesite="lax", path="/", secure=secure
        )
        return response

    def _cookie_value(self, headers: Headers, name: str) -> str | None:
        for line in headers.getlist("cookie"):
            try:
                jar = SimpleCookie(line)
            except CookieError:
                continue
            if name in jar:
                return jar[name].value
        return None

    def _check_origin(self, scope: Scope, headers: Headers, *, by_cookie: bool) -> Response | None:
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        # Exactly the host of this request: localhost on ::1 may be somebody else's server.
        foreign = origin is not None and origin.lower() != scope[ORIGIN]
        # "same-site" is any page on any local port, so only these two are ours.
        if foreign or site not in (None, "same-origin", "none"):
            message = f"this request comes from another page; only those of {scope[ORIGIN]}"
            return error_response(scope, 403, "origin", message + " may make it.")
        writes = scope["method"] not in _SAFE_METHODS
        if writes and by_cookie and origin is None and site != "same-origin":
            message = (
                "this request has the cookie but does not say which page it comes from; "
                "programs send Authorization: Bearer TOKEN instead."
            )
            return error_response(scope, 403, "origin", message)
        return None

    def _stranger(self, scope: Scope) -> Response:
        response = error_response(scope, 401, "token", _WITHOUT_TOKEN)
        response.headers["WWW-Authenticate"] = 'Bearer realm="palacs studio"'
        return response


def page_of(visitor: Visitor) -> str:
    """Return the address of the page where somebody begins."""
    if visitor.campaign is None:
        return "/"
    return f"/campaigns/{in_address(visitor.campaign)}{PAGES[visitor.role]}"


def access_of(scope: Scope) -> Access:
    """Return what the request in `scope` needs."""
    return access_for(scope["method"], scope["path"])


def _with_headers(send: Send, *, public: bool) -> Send:
    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
            headers.setdefault("Cache-Control", "no-cache" if public else "no-store")
        await send(message)

    return guarded


def _too_large(limit: int) -> str:
    return (
        f"the request is larger than {limit:,} bytes; send one instance at a time, a smaller "
        "picture or a shorter recording."
    )


class _Limited:
    """A request body that ends at the limit."""

    def __init__(self, receive: Receive, limit: int) -> None:
        self._receive = receive
        self._limit = limit
        self._seen = 0

    async def __call__(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.request":
            self._seen += len(message.get("body", b""))
            if self._seen > self._limit:
                # FastAPI takes any other exception here for a malformed body.
                raise HTTPException(413, _too_large(self._limit))
        return message
