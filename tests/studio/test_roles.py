"""Every route with every role: a link does what its role allows, and nothing else."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fastapi import FastAPI

from palacs.campaign import create_campaign
from palacs.storage import MemoryStorage
from palacs.studio import StudioConfig, create_app
from palacs.studio._roles import TABLE, Role

from .test_security import flat

PERFORM = {
    "GET /",
    "GET /campaigns/{name}/cue",
    "GET /campaigns/{name}/session",
    "GET /api/v1/clock",
    "GET /api/v1/events",
    "GET /api/v1/campaigns/{name}/events",
    "GET /api/v1/campaigns/{name}/cue",
    "POST /api/v1/campaigns/{name}/next",
    "POST /api/v1/campaigns/{name}/performed",
    "POST /api/v1/campaigns/{name}/fail",
    "POST /api/v1/campaigns/{name}/undo",
    "GET /api/v1/campaigns/{name}/session",
    "POST /api/v1/campaigns/{name}/session/report",
    "POST /api/v1/campaigns/{name}/painted",
}
ANNOTATE = PERFORM | {
    "POST /api/v1/campaigns/{name}/claim",
    "POST /api/v1/campaigns/{name}/tell",
    "POST /api/v1/campaigns/{name}/upload",
    "POST /api/v1/campaigns/{name}/recording",
    "GET /api/v1/campaigns/{name}/mine",
    "GET /campaigns/{name}/annotate",
    "POST /api/v1/campaigns/{name}/tell-many",
}
READ_BY_POST = {"POST /api/v1/campaigns/{name}/predict"}  # numbers do not fit into an address
WITHOUT_A_CAMPAIGN = {
    "GET /",
    "GET /api/v1/clock",
    "GET /api/v1/events",
    "GET /api/v1/strategies",
    "GET /api/v1/docs",
    "GET /api/v1/openapi.json",
    "GET /watch",
    "GET /api/v1/watch",
}


def routes_of(app: FastAPI) -> Iterator[str]:
    """Yield every route as the table names it: a method and a template."""
    for route in flat(app.routes):
        template = re.sub(r"{(\w+):path}", r"{\1}", route.path)
        for method in getattr(route, "methods", None) or ():
            if method != "HEAD":
                yield f"{method} {template}"


class Lab:
    """A studio with the campaigns mine and other, and the status that each request gets."""

    def __init__(self) -> None:
        storage = MemoryStorage()
        for name in ("mine", "other"):
            create_campaign(name, ["a", "b"], storage=storage)
        self.app = create_app(StudioConfig(storage=storage))
        self.links = self.app.state.links
        self.routes = sorted(set(routes_of(self.app)))

    def statuses(self, secret: str, campaign: str = "mine") -> dict[str, int]:
        """Return what every route answers to whoever has this secret."""

        async def walk() -> dict[str, int]:
            self.app.state.hub.open()
            return {route: await self._call(route, secret, campaign) for route in self.routes}

        # In a thread of its own: the browser's driver keeps an event loop in this one.
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(lambda: asyncio.run(walk())).result()

    async def _call(self, route: str, secret: str, campaign: str) -> int:
        method, template = route.split()
        path = template.replace("{name}", campaign).replace("{id}", "x")
        # No problem of that name: what computes for seconds need not do so here.
        query = b"problem=none&campaign=" + campaign.encode()
        headers = [(b"host", b"127.0.0.1:8765"), (b"authorization", f"Bearer {secret}".encode())]
        begun = asyncio.get_running_loop().create_future()

        body = [{"type": "http.request", "body": b"", "more_body": False}]

        async def receive() -> dict[str, Any]:
            if body:
                return body.pop()
            await begun  # nobody waits for the end of an answer that has none
            return {"type": "http.disconnect"}

        async def send(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start" and not begun.done():
                begun.set_result(message["status"])

        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": query,
            "headers": headers,
        }
        await self.app(scope, receive, send)  # type: ignore[arg-type]
        return int(begun.result())

    def open_to(self, secret: str, campaign: str = "mine") -> set[str]:
        """Return the routes that do not turn somebody away."""
        answers = self.statuses(secret, campaign)
        assert not {route for route, status in answers.items() if status == 401}
        return {route for route, status in answers.items() if status != 403}


@pytest.fixture(scope="module")
def lab() -> Lab:
    return Lab()


def test_the_table_names_every_route_and_no_other(lab: Lab) -> None:
    missing = set(lab.routes) - set(TABLE)
    assert not missing, f"say in palacs/studio/_roles.py who may use {sorted(missing)}"
    assert not set(TABLE) - set(lab.routes), "the table names routes that are not there"
    assert len(TABLE) > 50


def test_participants_and_annotators_reach_what_is_theirs_and_nothing_else(lab: Lab) -> None:
    for role, expected in ((Role.PARTICIPANT, PERFORM), (Role.ANNOTATOR, ANNOTATE)):
        _, secret = lab.links.make(role, "mine", "Anna")
        assert lab.open_to(secret) == expected
        # Nor anything of another campaign, whether or not it is there.
        for name in ("other", "not-there"):
            assert lab.open_to(secret, name) == expected & WITHOUT_A_CAMPAIGN


def test_viewers_read_and_experimenters_do_everything_in_their_campaign(lab: Lab) -> None:
    of_campaigns = {route for route in lab.routes if "{name}" in route} | WITHOUT_A_CAMPAIGN
    _, secret = lab.links.make(Role.EXPERIMENTER, "mine", "Ben")
    assert lab.open_to(secret) == of_campaigns
    assert lab.open_to(secret, "other") == WITHOUT_A_CAMPAIGN
    _, secret = lab.links.make(Role.VIEWER, "mine", "Cleo")
    read = {route for route in of_campaigns if route.startswith("GET ")} | READ_BY_POST
    own = re.compile("/(cue|session|links|people|mine|annotate)$")
    assert lab.open_to(secret) == {route for route in read if not own.search(route)}
    assert lab.open_to(secret, "other") == WITHOUT_A_CAMPAIGN


def test_a_link_to_the_whole_studio_is_as_good_as_its_role(lab: Lab) -> None:
    _, secret = lab.links.make(Role.EXPERIMENTER, None, "Dora")
    assert lab.open_to(secret, "other") == set(lab.routes)
    _, secret = lab.links.make(Role.VIEWER, None, "Emil")
    allowed = lab.open_to(secret, "other")
    assert all(route.startswith("GET ") for route in allowed - READ_BY_POST)
    assert {"GET /reports", "GET /api/v1/campaigns", "GET /campaigns/{name}"} <= allowed


def test_revoked_expired_and_made_up_links_open_nothing(lab: Lab) -> None:
    revoked, first = lab.links.make(Role.EXPERIMENTER, None, "gone")
    _, second = lab.links.make(Role.EXPERIMENTER, None, "late", days=1e-9)
    _, third = lab.links.make(Role.VIEWER, "mine", "by the first", maker=revoked.id)
    lab.links.revoke(revoked.id)
    for secret in (first, second, third, revoked.id, "", "x" * 32):
        answers = lab.statuses(secret)
        assert set(answers.values()) == {401}, answers
