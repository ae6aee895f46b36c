"""Who gets in: the token, the Host, the Origin, and a decision for every route."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.routing import Route
from starlette.websockets import WebSocket

from palacs.studio import StudioConfig, create_app
from palacs.studio._links import LinkBook
from palacs.studio._roles import Role, Visitor
from palacs.studio._security import Access, access_for
from palacs.studio._visitors import Visitors

from .wire import bearer, cookie, send

EVIL = "http://evil.example"
Through = Callable[..., list[dict[str, Any]]]


@pytest.fixture(scope="module")
def lab(first_studio: Any) -> Any:
    first_studio.post("/campaigns", {"name": "guarded", "classes": ["a", "b"]})
    return first_studio


CREATE = {"name": "by a stranger", "classes": ["a", "b"]}


def created(studio: Any) -> bool:
    names = [row["name"] for row in studio.get("/campaigns")["campaigns"]]
    return CREATE["name"] in names


# -- the token -------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/", "/draw", "/reports", "/campaigns/guarded", "/nowhere"])
def test_a_page_without_the_token_says_how_to_get_in(lab: Any, path: str) -> None:
    answer = send(lab, "GET", path, Accept="text/html")
    assert answer.status == 401
    assert b"palacs studio printed" in answer.body
    assert answer.headers["Set-Cookie"] is None
    assert lab.token.encode() not in answer.body


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer wrong-token-wrong-token"},
        {"Authorization": "Bearer "},
        {"Authorization": "Basic {token}"},
        {"Authorization": "Bearer {token}x"},
        {"Authorization": "Bearer \xe9"},
        {"Cookie": "palacs-studio-{port}=wrong"},
        {"Cookie": "palacs-studio-1={token}"},
        {"Cookie": "=;=;\x01"},
        {"X-Token": "{token}"},
    ],
)
def test_the_interface_needs_the_right_token(lab: Any, headers: dict[str, str]) -> None:
    filled: dict[str, Any] = {
        k: v.format(token=lab.token, port=lab.port) for k, v in headers.items()
    }
    for method, path, body in (
        ("GET", "/api/v1/campaigns", None),
        ("POST", "/api/v1/campaigns", CREATE),
        ("GET", "/api/v1/campaigns/guarded/events", None),
    ):
        answer = send(lab, method, path, body, **filled)
        assert (answer.status, answer.kind) == (401, "token")
    assert not created(lab)


def test_a_wrong_bearer_is_refused_even_with_the_right_cookie(lab: Any) -> None:
    answer = send(
        lab, "GET", "/api/v1/campaigns", Cookie=cookie(lab), Authorization="Bearer " + "x" * 30
    )
    assert answer.status == 401


def test_the_launch_link_gives_a_cookie_and_a_clean_address(lab: Any) -> None:
    answer = send(lab, "GET", f"/campaigns/guarded?token={lab.token}&tab=2")
    assert answer.status == 303
    assert answer.headers["Location"] == "/campaigns/guarded?tab=2"
    set_cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in set_cookie
    assert "SameSite=lax" in set_cookie
    assert "Path=/" in set_cookie
    assert send(lab, "GET", "/draw", Cookie=cookie(lab)).status == 200
    assert send(lab, "GET", "/draw?nottoken=1", Cookie=cookie(lab)).status == 200
    answer = send(lab, "GET", f"/campaigns/a%2Fb?token={lab.token}")
    assert answer.headers["Location"] == "/campaigns/a%2Fb"


def test_what_is_in_a_cookie_means_nothing_to_the_next_studio() -> None:
    links = LinkBook(None)
    first, second = (Visitors("one-token-for-both-of-them", links) for _ in range(2))
    link, secret = links.make(Role.VIEWER, None, "Anna")
    for brought in ("one-token-for-both-of-them", secret):
        visitor = first.by_secret(brought)
        assert visitor is not None
        session = first.enter(visitor)
        assert brought not in session
        assert first.by_session(session) == visitor
        assert second.by_session(session) is None
        assert first.by_secret(session) is None
    # Somebody who comes in again and again crowds out themselves alone.
    owner = first.enter(Visitor())
    for _ in range(250):
        latest = first.enter(link.visitor)
    assert first.by_session(owner) == Visitor()
    assert first.by_session(session) is None
    assert first.by_session(latest) == link.visitor
    links.revoke(link.id)
    assert first.by_session(latest) is None


def test_a_wrong_launch_link_gives_nothing(lab: Any) -> None:
    for query in ("token=wrong", "token=", f"nottoken={lab.token}", f"token={lab.token}&token=x"):
        answer = send(lab, "GET", f"/?{query}", Accept="text/html")
        assert answer.status == 401
        assert answer.headers["Set-Cookie"] is None


def test_the_launch_link_cannot_lead_elsewhere(lab: Any) -> None:
    for path in ("//evil.example/", "/\\evil.example/", "///evil.example"):
        answer = send(lab, "GET", f"{path}?token={lab.token}")
        assert answer.status == 303, path
        assert re.fullmatch(r"/([^/\\].*)?", answer.headers["Location"]), path


def test_the_interface_takes_no_token_from_the_address(lab: Any) -> None:
    assert send(lab, "GET", f"/api/v1/campaigns?token={lab.token}").status == 401


def test_static_files_need_no_token_but_a_correct_host(lab: Any) -> None:
    assert send(lab, "GET", "/static/notice.css").status == 200
    assert send(lab, "GET", "/static/notice.css", Host="evil.example").status == 400
    assert send(lab, "POST", "/static/notice.css").status == 401


@pytest.mark.parametrize(
    "token", ["", "short", "with space in the middle", "semi;colon-semi;colon"]
)
def test_a_weak_or_unusable_token_is_refused_at_the_start(token: str) -> None:
    with pytest.raises(ValueError, match="launch token is not usable"):
        StudioConfig(token=token)


def test_every_launch_has_a_token_of_its_own_that_is_not_printed_by_accident() -> None:
    first, second = StudioConfig(), StudioConfig()
    assert first.token != second.token
    assert len(first.token) >= 40
    assert first.token not in repr(first)


# -- host and origin -------------------------------------------------------------------


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:{port}",
        "127.0.0.1",
        "127.0.0.1:1",
        "127.0.0.1.evil.example:{port}",
        "localhost.evil.example:{port}",
        "user@127.0.0.1:{port}",
        "0.0.0.0:{port}",
        "[::1]:{port}",
        "",
    ],
)
def test_a_rebound_name_is_refused_even_with_the_token(lab: Any, host: str) -> None:
    named = host.format(port=lab.port)
    for path in ("/", "/api/v1/campaigns", "/static/notice.css"):
        answer = send(lab, "GET", path, Host=named, Authorization=bearer(lab))
        assert (answer.status, answer.kind) == (400, "host")


def test_a_request_without_a_host_is_refused(lab: Any) -> None:
    assert send(lab, "GET", "/", bare=True, Authorization=bearer(lab)).status == 400


def test_localhost_is_as_good_as_the_number(lab: Any) -> None:
    host = f"localhost:{lab.port}"
    assert send(lab, "GET", "/api/v1/campaigns", Host=host, Cookie=cookie(lab)).status == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": EVIL},
        {"Origin": "null"},
        {"Origin": "https://127.0.0.1:{port}"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "http://localhost:{port}"},
        {"Origin": "http://127.0.0.1:{port}.evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "http://127.0.0.1:{port}", "Sec-Fetch-Site": "same-site"},
    ],
)
@pytest.mark.parametrize("key", ["Authorization", "Cookie"])
def test_other_pages_can_neither_write_nor_listen(
    lab: Any, headers: dict[str, str], key: str
) -> None:
    filled: dict[str, Any] = {k: v.format(port=lab.port) for k, v in headers.items()}
    filled[key] = bearer(lab) if key == "Authorization" else cookie(lab)
    for method, path, body in (
        ("POST", "/api/v1/campaigns", CREATE),
        ("GET", "/api/v1/campaigns/guarded/events", None),
        ("GET", "/api/v1/campaigns/guarded/export", None),
    ):
        answer = send(lab, method, path, body, **filled)
        assert (answer.status, answer.kind) == (403, "origin")
    assert not created(lab)


def test_a_cookie_alone_does_not_write(lab: Any) -> None:
    answer = send(lab, "POST", "/api/v1/campaigns", CREATE, Cookie=cookie(lab))
    assert (answer.status, answer.kind) == (403, "origin")
    assert not created(lab)


@pytest.mark.parametrize("proof", ["Origin", "Sec-Fetch-Site"])
def test_our_own_pages_write_with_the_cookie(lab: Any, proof: str) -> None:
    value = lab.base_url if proof == "Origin" else "same-origin"
    headers: dict[str, Any] = {"Cookie": cookie(lab), proof: value}
    answer = send(lab, "POST", "/api/v1/campaigns/guarded/pause", {"label": "a"}, **headers)
    assert answer.status == 200


def test_web_sockets_are_refused_before_any_route_sees_them(through: Through) -> None:
    app = create_app(StudioConfig(storage="memory"))

    async def chat(socket: WebSocket) -> None:
        await socket.accept()

    app.add_api_websocket_route("/chat", chat)
    sent = through(app, {"type": "websocket", "path": "/chat", "headers": []})
    assert sent == [{"type": "websocket.close", "code": 1008}]


# -- every route -----------------------------------------------------------------------


def routes_of(app: FastAPI) -> Iterator[tuple[str, str]]:
    """Yield method and path of every route, whatever it is nested in."""
    for route in flat(app.routes):
        path = re.sub(r"{[^}]*}", "x", route.path)
        if hasattr(route, "app") and not getattr(route, "methods", None):
            yield "GET", f"{path}/x"
        for method in getattr(route, "methods", None) or ():
            yield method, path


def flat(routes: Any) -> Iterator[Any]:
    for route in routes:
        nested = getattr(route, "effective_route_contexts", None)
        yield from nested() if nested else (route,)


def without_a_decision(app: FastAPI, through: Through) -> list[str]:
    """Return the routes that answer a stranger although nobody decided that they may."""
    wrong = []
    for method, path in routes_of(app):
        host = [(b"host", b"127.0.0.1:8765")]
        scope = {"type": "http", "method": method, "path": path, "headers": host}
        status = through(app, {**scope, "raw_path": path.encode()})[0]["status"]
        if (status == 401) is (access_for(method, path) is Access.PUBLIC):
            wrong.append(f"{method} {path}")
    return wrong


def test_every_route_has_an_authorisation_decision(through: Through) -> None:
    app = create_app(StudioConfig(storage="memory"))
    found = list(routes_of(app))
    assert ("POST", "/api/v1/campaigns/x/tell") in found
    assert ("GET", "/campaigns/x/cue") in found
    assert len(found) > 25
    assert without_a_decision(app, through) == []
    public = {path for method, path in found if access_for(method, path) is Access.PUBLIC}
    assert public == {"/static/x"}


def test_a_route_that_somebody_adds_is_closed_until_decided_otherwise(through: Through) -> None:
    app = create_app(StudioConfig(storage="memory"))
    app.add_api_route("/open", lambda: "secret", methods=["GET", "DELETE"])
    assert ("DELETE", "/open") in list(routes_of(app))
    assert without_a_decision(app, through) == []


def test_the_check_notices_a_route_in_front_of_the_guard(through: Through) -> None:
    app = create_app(StudioConfig(storage="memory"))
    guarded = app.build_middleware_stack()

    async def open_door(scope: Any, receive: Any, send: Any) -> None:
        if scope["path"] == "/leak":
            await send({"type": "http.response.start", "status": 200, "headers": []})
        else:
            await guarded(scope, receive, send)

    app.middleware_stack = open_door
    app.router.routes.append(Route("/leak", open_door))
    assert sorted(without_a_decision(app, through)) == ["GET /leak", "HEAD /leak"]


# -- in a browser ----------------------------------------------------------------------


def test_another_local_page_cannot_use_the_cookie(lab: Any, page: Any) -> None:
    """A page on another port is the same site to the browser, and it has our cookie."""
    page.goto(lab.launch_url)
    page.route(
        "http://127.0.0.1:1/",
        lambda route: route.fulfill(body="<p>elsewhere</p>", content_type="text/html"),
    )
    page.goto("http://127.0.0.1:1/")
    sent: list[Any] = []
    page.on("request", lambda request: sent.append(request))
    outcome = page.evaluate(
        """([url, body]) =>
            fetch(url, {method: "POST", mode: "no-cors", credentials: "include", body})
                .then(() => "answered", () => "blocked")""",
        [f"{lab.base_url}/api/v1/campaigns", json.dumps(CREATE)],
    )
    assert outcome == "blocked"
    brought = sent[-1].all_headers().get("cookie", "")
    assert f"palacs-studio-{lab.port}=" in brought
    assert lab.token not in brought
    assert not created(lab)
