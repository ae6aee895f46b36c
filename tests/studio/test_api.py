"""The REST interface, as an instrument or a script meets it."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import palacs.campaign
from palacs.campaign import create_campaign
from palacs.studio import StudioConfig, create_app

CLIENTS = Path(__file__).parents[2] / "examples" / "clients"


# -- campaigns -------------------------------------------------------------------------


def test_a_campaign_made_over_rest_is_the_one_that_python_loads(shared_studio: Any) -> None:
    made = shared_studio.post(
        "/campaigns",
        {
            "name": "shared",
            "classes": [3, 5],
            "strategy": "uniform",
            "budget": 4,
            "n_features": 3,
            "bounds": [[-1, 1]],
            "seed": 7,
        },
    )
    assert made["settings"]["bounds"] == [[-1.0, 1.0]]
    assert made["status"]["n_features"] == 3
    with palacs.campaign.load_campaign("shared", storage=shared_studio.storage) as campaign:
        assert campaign.classes == [3, 5]
        assert campaign.settings.budget == 4
        campaign.tell(campaign.ask(), [0.1, 0.2, 0.3])
        campaign.performed(campaign.ask())
    row = next(r for r in shared_studio.get("/campaigns")["campaigns"] if r["name"] == "shared")
    assert (row["acquired"], row["pending"], row["awaiting"]) == (1, 0, 1)
    assert row["strategy"] == "uniform"
    assert row["classes"] == [3, 5]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"classes": ["only"]}, "at least two classes"),
        ({"classes": ["a", "a"]}, "named twice"),
        ({"classes": ["a", 1]}, "mix text and integers"),
        ({"strategy": "pal-asc"}, "did you mean 'pal-acs'"),
        ({"params": {"bandwith": 1}}, "no parameter 'bandwith'; it has: classifier"),
        ({"strategy": "pal-acs", "params": {"bandwidth": -1}}, "bandwidth"),
        ({"budget": 0}, "budget"),
        ({"n_features": 0}, "n_features"),
        ({"n_features": 3, "bounds": [[0, 1], [0, 1]]}, "2 pairs for n_features=3"),
        ({"bounds": [[1, 0]]}, "low < high"),
        ({"colour": "red"}, "colour"),
        ({"name": "\n"}, "printable"),
    ],
)
def test_settings_that_make_no_sense_are_refused_with_a_remedy(
    shared_studio: Any, change: dict[str, Any], says: str
) -> None:
    body = {"name": "refused", "classes": ["a", "b"], **change}
    status, answer = shared_studio.call("POST", "/campaigns", body)
    assert status == 422
    assert says in answer["error"]["message"]
    names = [row["name"] for row in shared_studio.get("/campaigns")["campaigns"]]
    assert body["name"] not in names


def test_a_name_is_given_once(shared_studio: Any, name: str) -> None:
    body = {"name": name.replace("%20", " "), "classes": ["a", "b"]}
    status, answer = shared_studio.call("POST", "/campaigns", body)
    assert (status, answer["error"]["kind"]) == (409, "campaign-exists")


def test_a_name_with_a_slash_is_reachable(shared_studio: Any) -> None:
    shared_studio.post("/campaigns", {"name": "monday/first", "classes": ["a", "b"]})
    assert shared_studio.ask("monday%2Ffirst")["label"] in ("a", "b")
    assert shared_studio.get("/campaigns/monday%2Ffirst")["name"] == "monday/first"


def test_what_does_not_exist_is_not_found(shared_studio: Any, name: str) -> None:
    for path in ("/campaigns/nobody", "/campaigns/nobody/insight", "/nothing"):
        status, answer = shared_studio.call("GET", path)
        assert status == 404
        assert answer["error"]["message"]
    status, answer = shared_studio.call("POST", f"/campaigns/{name}/tell", {"id": "r9", "x": [1]})
    assert (status, answer["error"]["kind"]) == (404, "entry-not-found")


# -- ask and tell ----------------------------------------------------------------------


def test_ask_and_tell(shared_studio: Any, name: str) -> None:
    requests = shared_studio.post(f"/campaigns/{name}/ask", {"n": 2})["requests"]
    assert sorted(r["label"] for r in requests) == ["left", "right"]
    assert requests[0]["utilities"] == {"left": None, "right": None}
    told = shared_studio.post(
        f"/campaigns/{name}/tell", {"id": requests[0]["id"], "x": [0.25, -3], "label": "right"}
    )["instance"]
    assert told["x"] == [0.25, -3.0]
    assert told["label"] == "right"
    assert told["asked"] == requests[0]["label"]
    status = shared_studio.get(f"/campaigns/{name}/status")
    assert status["instances"] == 1
    assert status["states"]["pending"] == 1


def test_telling_twice_is_harmless_and_telling_otherwise_is_a_conflict(
    shared_studio: Any, name: str
) -> None:
    id_ = shared_studio.ask(name)["id"]
    first = shared_studio.post(f"/campaigns/{name}/tell", {"id": id_, "x": [1.0]})
    assert shared_studio.post(f"/campaigns/{name}/tell", {"id": id_, "x": [1.0]}) == first
    status, answer = shared_studio.call("POST", f"/campaigns/{name}/tell", {"id": id_, "x": [2.0]})
    assert (status, answer["error"]["kind"]) == (409, "conflict")
    assert shared_studio.get(f"/campaigns/{name}/status")["instances"] == 1


@pytest.mark.parametrize(
    "x", [[], ["1"], [None], [[1.0]], [True], [1e301], "1,2", None, float("nan"), [float("nan")]]
)
def test_values_that_are_no_instance_are_refused(shared_studio: Any, name: str, x: Any) -> None:
    id_ = shared_studio.ask(name)["id"]
    status, answer = shared_studio.call("POST", f"/campaigns/{name}/tell", {"id": id_, "x": x})
    # Without numbers it depends on whether a recording came before.
    assert status == (409 if x is None else 422), answer
    assert shared_studio.get(f"/campaigns/{name}/status")["instances"] == 0


def test_everything_else_a_campaign_can_do(shared_studio: Any, name: str) -> None:
    def post(action: str, **body: Any) -> Any:
        return shared_studio.post(f"/campaigns/{name}/{action}", body)

    failed, performed = (r["id"] for r in post("ask", n=2)["requests"])
    assert post("fail", id=failed, reason="moved")["state"] == "failed"
    assert post("performed", id=performed)["state"] == "performed"
    added = post("add", x=[1.0, 2.0], label="left", id="mine")["instance"]
    assert post("retract", id=added["id"], reason="wrong")["state"] == "retracted"
    assert post("classes", label="feet")["state"] == "added"
    assert post("pause", label="left")["state"] == "paused"
    assert post("pause", label="right")["state"] == "paused"
    assert shared_studio.ask(name)["label"] == "feet"
    assert post("resume", label="left")["state"] == "resumed"
    post("pause", label="feet")
    post("pause", label="left")
    status, answer = shared_studio.call("POST", f"/campaigns/{name}/ask", {})
    assert (status, answer["error"]["kind"]) == (409, "nothing-to-ask")
    status, answer = shared_studio.call("POST", f"/campaigns/{name}/pause", {"label": "nose"})
    assert (status, answer["error"]["kind"]) == (409, "unknown-class")
    rows = shared_studio.get(f"/campaigns/{name}/history?features=true")["rows"]
    states = {row["id"]: (row["state"], row["reason"]) for row in rows}
    assert states[failed] == ("failed", "moved")
    assert states["mine"] == ("retracted", "wrong")
    assert next(row for row in rows if row["id"] == "mine")["x1"] == 2.0


def test_undo_takes_back_what_was_done_last(shared_studio: Any, name: str) -> None:
    path = f"/campaigns/{name}"
    assert shared_studio.post(f"{path}/undo")["state"] == "nothing"
    shared_studio.post(f"{path}/add", {"x": [1.0], "label": "left", "id": "told"})
    request = shared_studio.ask(name)
    shared_studio.post(f"{path}/performed", {"id": request["id"]})
    undone = shared_studio.post(f"{path}/undo", {"reason": "slipped"})
    assert undone == {"id": request["id"], "label": request["label"], "state": "failed"}
    undone = shared_studio.post(f"{path}/undo")
    assert undone == {"id": "told", "label": "left", "state": "retracted"}
    rows = shared_studio.get(f"{path}/history")["rows"]
    assert [row["reason"] for row in rows] == ["", "slipped"]


def test_the_history_comes_in_pages_from_either_end(shared_studio: Any, name: str) -> None:
    path = f"/campaigns/{name}"
    for i in range(7):
        shared_studio.post(f"{path}/add", {"x": [1.0], "label": "left", "id": str(i)})

    def ids(query: str) -> list[str]:
        answer = shared_studio.get(f"{path}/history?{query}")
        assert answer["total"] == 7
        return [row["id"] for row in answer["rows"]]

    assert ids("limit=3") == ["0", "1", "2"]
    assert ids("limit=3&offset=5") == ["5", "6"]
    assert ids("limit=3&newest=true") == ["6", "5", "4"]
    assert ids("limit=3&offset=5&newest=true") == ["1", "0"]
    assert ids("limit=3&offset=9&newest=true") == []


def test_the_budget_ends_the_campaign(shared_studio: Any) -> None:
    shared_studio.post("/campaigns", {"name": "short", "classes": ["a", "b"], "budget": 1})
    assert len(shared_studio.post("/campaigns/short/ask", {"n": 5})["requests"]) == 1
    status, answer = shared_studio.call("POST", "/campaigns/short/ask", {})
    assert (status, answer["error"]["kind"]) == (409, "budget-exhausted")


def test_the_history_comes_in_pages(shared_studio: Any, name: str) -> None:
    for i in range(5):
        shared_studio.post(
            f"/campaigns/{name}/add", {"x": [float(i)], "label": "left", "id": f"i{i}"}
        )
    first = shared_studio.get(f"/campaigns/{name}/history?limit=2&offset=1")
    assert first["total"] == 5
    assert [row["id"] for row in first["rows"]] == ["i1", "i2"]
    latest = shared_studio.get(f"/campaigns/{name}/history?limit=1&newest=true")
    assert [row["id"] for row in latest["rows"]] == ["i4"]


def test_fifty_clients_at_once_lose_nothing(shared_studio: Any) -> None:
    shared_studio.post("/campaigns", {"name": "crowd", "classes": ["a", "b", "c"]})

    def take_part(client: int) -> list[str]:
        told = []
        for _ in range(3):
            id_ = shared_studio.ask("crowd")["id"]
            shared_studio.post("/campaigns/crowd/tell", {"id": id_, "x": [client / 50, 0.5]})
            told.append(id_)
        return told

    with ThreadPoolExecutor(50) as clients:
        acknowledged = {id_ for ids in clients.map(take_part, range(50)) for id_ in ids}
    assert len(acknowledged) == 150
    rows = shared_studio.get("/campaigns/crowd/history?limit=1000")["rows"]
    assert {row["id"] for row in rows if row["state"] == "delivered"} == acknowledged


def test_a_busy_database_holds_up_its_writers_only(shared_studio: Any, name: str) -> None:
    id_ = shared_studio.ask(name)["id"]
    path = shared_studio.storage.removeprefix("sqlite:///")
    with sqlite3.connect(path, isolation_level=None) as other, ThreadPoolExecutor(1) as thread:
        other.execute("BEGIN IMMEDIATE")
        telling = thread.submit(
            shared_studio.post, f"/campaigns/{name}/tell", {"id": id_, "x": [0.5]}
        )
        time.sleep(0.3)
        began = time.monotonic()
        assert shared_studio.get(f"/campaigns/{name}/status")["instances"] == 0
        assert shared_studio.get("/strategies")["strategies"]
        assert time.monotonic() - began < 2.0
        assert not telling.done()
        other.execute("ROLLBACK")
        assert telling.result(30)["instance"]["id"] == id_
    other.close()


def test_a_storage_that_does_not_answer_is_said_to(
    tmp_path: Path, through: Callable[..., list[dict[str, Any]]]
) -> None:
    token = "a-token-for-this-test"
    storage = f"sqlite:///{tmp_path}/lab.db?timeout=0.1"
    app = create_app(StudioConfig(storage=storage, token=token))
    create_campaign("held", ["a", "b"], storage=app.state.book.storage)
    headers = {"host": "127.0.0.1:8765", "authorization": f"Bearer {token}"}
    raw = [(key.encode(), value.encode()) for key, value in headers.items()]
    scope = {"type": "http", "method": "POST", "path": "/api/v1/campaigns/held/ask"}
    with sqlite3.connect(tmp_path / "lab.db", isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        start, body = through(app, {**scope, "headers": raw})
    other.close()
    assert start["status"] == 503
    assert "locked by another process" in json.loads(body["body"])["error"]["message"]


# -- clients and documentation ---------------------------------------------------------


@pytest.mark.parametrize("client", ["instrument.py", "instrument.sh"])
def test_the_example_clients_run(shared_studio: Any, name: str, client: str) -> None:
    program = [sys.executable] if client.endswith(".py") else ["sh"]
    assert len((CLIENTS / client).read_text().splitlines()) <= 30
    ran = subprocess.run(
        [*program, str(CLIENTS / client), shared_studio.base_url, _for(client, name), "4"],
        env={**os.environ, "PALACS_STUDIO_TOKEN": shared_studio.token},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert len(ran.stdout.splitlines()) == 4
    assert shared_studio.get(f"/campaigns/{name}/status")["instances"] == 4


def _for(client: str, name: str) -> str:
    # Shell has no function to quote a name for a URL, so it takes the quoted one.
    return name.replace("%20", " ") if client.endswith(".py") else name


def test_the_schema_page_lists_every_operation_without_foreign_resources(
    shared_studio: Any, page: Any
) -> None:
    schema = shared_studio.get("/openapi.json")
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    page.goto(shared_studio.launch_url)
    page.goto(f"{shared_studio.base_url}/api/v1/docs")
    listed = page.locator(".api-operation > summary").all_inner_texts()
    assert len(listed) == sum(len(methods) for methods in schema["paths"].values())
    assert any("POST" in text and "/api/v1/campaigns/{name}/tell" in text for text in listed)
    assert all(url.startswith(shared_studio.base_url) for url in requested)


def test_numbers_as_text_are_read_as_a_file_would_be(shared_studio: Any) -> None:
    shared_studio.post("/campaigns", {"name": "texts", "classes": ["a", "b"]})
    (request,) = shared_studio.post("/campaigns/texts/ask")["requests"]
    tell, add = "/campaigns/texts/tell", "/campaigns/texts/add"
    for body, says in (
        ({"text": "0,5;1,25"}, "can be read as 0, 5, 1, 25 or as 0.5, 1.25"),
        ({"text": "0,5"}, "can be read as 0, 5 or as 0.5"),
        ({"text": "[" * 10_000}, "no JSON"),
        ({"text": "1 2", "x": [1, 2]}, "either as x, a list, or as text"),
        ({}, "as x, a list, or as text"),
    ):
        for path, more in ((tell, {"id": request["id"]}), (add, {"label": "a"})):
            status, answer = shared_studio.call("POST", path, {**body, **more})
            assert status == (422 if body or path == add else 409)
            assert says in answer["error"]["message"]
    told = shared_studio.post(tell, {"id": request["id"], "text": "0.5; 1.25"})
    assert told["instance"]["x"] == [0.5, 1.25]
    added = shared_studio.post(add, {"label": "b", "text": "0,5"})
    assert added["instance"]["x"] == [0.0, 5.0]


def keyed(studio: Any, path: str, body: dict[str, Any], key: str) -> tuple[int, Any]:
    """POST with an ``Idempotency-Key``, as a client that may have to repeat does."""
    request = urllib.request.Request(
        f"{studio.base_url}/api/v1{path}",
        data=json.dumps(body).encode(),
        headers={
            "Authorization": f"Bearer {studio.token}",
            "Content-Type": "application/json",
            "Idempotency-Key": key,
        },
        method="POST",
    )
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def test_a_post_that_is_repeated_with_its_key_happens_once(shared_studio: Any) -> None:
    made = {"name": "keyed", "classes": ["a", "b"], "budget": 9}
    assert keyed(shared_studio, "/campaigns", made, "k0")[0] == 201
    path = "/campaigns/keyed"
    _, asked = keyed(shared_studio, f"{path}/ask", {"n": 2}, "k1")
    first, second = (request["id"] for request in asked["requests"])
    calls: list[tuple[str, dict[str, Any], str]] = [
        ("", made, "k0"),
        ("/ask", {"n": 2}, "k1"),
        ("/tell", {"id": first, "text": "0.5 1.5"}, "k2"),
        ("/add", {"x": [1, 2], "label": "a"}, "k3"),
        ("/performed", {"id": second}, "k4"),
        ("/fail", {"id": second, "reason": "gone"}, "k5"),
        ("/retract", {"id": first}, "k6"),
        ("/undo", {"reason": "oops"}, "k7"),
        ("/pause", {"label": "a"}, "k8"),
        ("/resume", {"label": "a"}, "k9"),
        ("/classes", {"label": "c"}, "k10"),
        ("/change", {"budget": 12, "reason": "more"}, "k11"),
        ("/close", {"reason": "done"}, "k12"),
        ("/reopen", {"reason": "not yet"}, "k13"),
    ]

    def post(end: str, body: dict[str, Any], key: str) -> tuple[int, Any]:
        return keyed(shared_studio, f"{path}{end}" if end else "/campaigns", body, key)

    outcomes = [post(*call) for call in calls]
    assert {status for status, _ in outcomes} <= {200, 201}
    with palacs.campaign.load_campaign("keyed", storage=shared_studio.storage) as campaign:
        before = campaign.events()
        again = [post(*call) for call in calls]
        assert [status for status, _ in again] == [status for status, _ in outcomes]
        assert [request["id"] for request in again[1][1]["requests"]] == [first, second]
        assert campaign.events() == before
    status, answer = post("/add", {"x": [1, 3], "label": "a"}, "k3")
    assert (status, answer["error"]["kind"]) == (409, "conflict")
    assert post("/ask", {"n": 1}, "k" * 201)[0] == 422
