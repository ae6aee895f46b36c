"""REST as programs use it: in pages, in bulk, repeated, compressed, and asked for headers alone."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from palacs.campaign import create_campaign, load_campaign
from palacs.studio import StudioConfig, create_app
from palacs.studio._links import LinkBook
from palacs.studio._roles import Role

from .wire import bearer, send


def pages(studio: Any, path: str, what: str) -> list[Any]:
    """Follow a list to its end."""
    found: list[Any] = []
    while path:
        answer = studio.get(path.removeprefix("/api/v1"))
        found += answer[what]
        path = answer["next"]
    return found


@pytest.fixture
def full(shared_studio: Any, name: str) -> str:
    """A campaign with seven instances, three of them with a recording."""
    with load_campaign(name.replace("%20", " "), storage=shared_studio.storage) as campaign:
        for i in range(7):
            kept = {"recording": f"s3://lab/{i}.edf"} if i % 2 else {}
            campaign.add([i / 7, 0.5], ["left", "right"][i > 3], id=f"i{i}", **kept)  # type: ignore[arg-type]
    return name


def test_long_lists_come_in_pages_that_hold_everything_once(shared_studio: Any, full: str) -> None:
    path = f"/campaigns/{full}"
    ids = [f"i{i}" for i in range(7)]
    rows = pages(shared_studio, f"{path}/history?limit=3", "rows")
    assert [(row["number"], row["id"]) for row in rows] == list(enumerate(ids, 1))
    latest = pages(shared_studio, f"{path}/history?limit=3&newest=true&values=1", "rows")
    assert [row["id"] for row in latest] == ids[::-1]
    assert latest[0]["x"] == [6 / 7]
    events = pages(shared_studio, f"{path}/record?limit=3", "events")
    assert [event["seq"] for event in events] == list(range(1, 9))
    assert [event["kind"] for event in events] == ["created"] + ["added"] * 7
    recordings = pages(shared_studio, f"{path}/recordings?limit=2", "recordings")
    assert [recording["where"] for recording in recordings] == [
        f"s3://lab/{i}.edf" for i in (1, 3, 5)
    ]
    assert shared_studio.get(f"{path}/recordings") == {"recordings": recordings, "next": None}
    names = [row["name"] for row in pages(shared_studio, "/campaigns?limit=1", "campaigns")]
    assert names == [row["name"] for row in shared_studio.get("/campaigns")["campaigns"]]
    assert shared_studio.call("GET", "/campaigns?after=nobody")[0] == 404


def test_a_page_stays_where_it_is_while_others_write(shared_studio: Any, full: str) -> None:
    first = shared_studio.get(f"/campaigns/{full}/history?limit=4&newest=true")
    shared_studio.post(f"/campaigns/{full}/add", {"x": [1, 2], "label": "left"})
    second = shared_studio.get(first["next"].removeprefix("/api/v1"))
    assert [row["number"] for row in first["rows"] + second["rows"]] == [7, 6, 5, 4, 3, 2, 1]


def test_many_are_told_in_one_request_all_or_none(shared_studio: Any, name: str) -> None:
    path = f"/campaigns/{name}"
    asked = shared_studio.post(f"{path}/ask", {"n": 3})["requests"]
    answers = [{"id": each["id"], "x": [0.5, i]} for i, each in enumerate(asked)]
    wrong = [*answers[:2], {"id": asked[2]["id"], "x": [1]}]
    status, answer = shared_studio.call("POST", f"{path}/tell-many", {"answers": wrong})
    assert (status, asked[2]["id"] in answer["error"]["message"]) == (409, True)
    unread = [answers[0], {"id": asked[1]["id"], "text": "1 two"}]
    status, answer = shared_studio.call("POST", f"{path}/tell-many", {"answers": unread})
    assert (status, answer["error"]["message"][:10]) == (422, "answers.1:")
    assert shared_studio.get(f"{path}/status")["instances"] == 0
    body, key = {"answers": answers, "attrs": {"day": 1}}, {"Idempotency-Key": "all three"}
    told = [shared_studio.call("POST", f"{path}/tell-many", body, headers=key) for _ in range(2)]
    assert told[0] == told[1]
    assert [each["id"] for each in told[0][1]["instances"]] == [each["id"] for each in asked]
    assert told[0][1]["instances"][0]["attrs"] == {"day": 1}
    assert shared_studio.get(f"{path}/status")["instances"] == 3


def test_the_model_says_what_it_takes_instances_for(shared_studio: Any, full: str) -> None:
    answer = shared_studio.post(f"/campaigns/{full}/predict", {"x": [[0, 0.5], [0.9, 0.5]]})
    assert answer["labels"] == ["left", "right"]
    with load_campaign(full.replace("%20", " "), storage=shared_studio.storage) as campaign:
        assert campaign.predict([[0, 0.5], [0.9, 0.5]]).to_json() == answer
        assert campaign.model().predict([[0.9, 0.5]]).tolist() == ["right"]
    assert sum(answer["probabilities"][0]) == pytest.approx(1)
    for x, status in (([[1]], 409), ([], 422), ([1, 2], 422)):
        assert shared_studio.call("POST", f"/campaigns/{full}/predict", {"x": x})[0] == status
    shared_studio.post("/campaigns", {"name": "unknowing", "classes": ["a", "b"]})
    assert shared_studio.call("POST", "/campaigns/unknowing/predict", {"x": [[1]]})[0] == 409


def test_creating_again_with_its_key_is_harmless_and_with_another_body_refused(
    shared_studio: Any,
) -> None:
    body, key = {"name": "once", "classes": ["a", "b"], "seed": 1}, {"Idempotency-Key": "mine"}
    made = [shared_studio.call("POST", "/campaigns", body, headers=key) for _ in range(2)]
    assert made[0] == made[1]
    assert made[0][0] == 201
    for other in ({**body, "budget": 3}, {**body, "classes": ["a", "c"]}):
        status, answer = shared_studio.call("POST", "/campaigns", other, headers=key)
        assert (status, answer["error"]["kind"]) in ((409, "conflict"), (409, "campaign-exists"))


def test_a_recording_that_comes_late_is_on_a_later_page(shared_studio: Any) -> None:
    shared_studio.post("/campaigns", {"name": "late", "classes": ["a", "b"], "seed": 1})
    ids = [one["id"] for one in shared_studio.post("/campaigns/late/ask", {"n": 3})["requests"]]

    def tell(id_: str) -> None:
        recording = {"uri": f"https://lab.example/{id_}"}
        body = {"id": id_, "x": [1, 2], "recording": recording}
        shared_studio.post("/campaigns/late/tell", body)

    tell(ids[1])
    tell(ids[2])
    page = shared_studio.get("/campaigns/late/recordings?limit=1")
    tell(ids[0])  # asked for before the others
    seen = [page["recordings"][0]]
    while page["next"]:
        page = shared_studio.get(page["next"].removeprefix("/api/v1"))
        seen += page["recordings"]
    assert [row["where"].rpartition("/")[2] for row in seen] == [ids[1], ids[2], ids[0]]


def test_head_answers_as_get_does_but_without_a_body(shared_studio: Any, full: str) -> None:
    token: dict[str, Any] = {"Authorization": bearer(shared_studio)}
    paths = ["/", "/static/studio.css", "/api/v1/openapi.json", f"/campaigns/{full}"]
    paths += [f"/api/v1/campaigns/{full}{end}" for end in ("", "/history", "/insight", "/export")]
    for path in paths:
        known = send(shared_studio, "GET", path, **token)
        asked = send(shared_studio, "HEAD", path, **token)
        assert (asked.status, asked.body) == (200, b""), path
        assert asked.headers["Content-Type"] == known.headers["Content-Type"]
        assert asked.headers["Content-Length"] == str(len(known.body))
    stream = send(shared_studio, "HEAD", f"/api/v1/campaigns/{full}/events", **token)
    assert (stream.status, stream.headers.get_content_type()) == (200, "text/event-stream")
    assert send(shared_studio, "HEAD", "/api/v1/nothing", **token).status == 404


def test_what_is_long_is_compressed_and_what_is_known_not_sent(
    shared_studio: Any, full: str
) -> None:
    def get(path: str, method: str = "GET", **more: Any) -> Any:
        token = bearer(shared_studio)
        headers: dict[str, Any] = {"Authorization": token, "Accept-Encoding": "gzip", **more}
        body = {"n": 2} if method == "POST" else None
        return send(shared_studio, method, f"/api/v1{path}", body, **headers)

    schema = get("/openapi.json")
    assert schema.headers["Content-Encoding"] == "gzip"
    plain = gzip.decompress(schema.body)
    assert json.loads(plain)["info"]["title"] == "palacs studio"
    assert len(schema.body) < len(plain) / 5
    assert get("/clock").headers["Content-Encoding"] is None
    assert get(f"/campaigns/{full}/events").headers["Content-Encoding"] is None
    assert get(f"/campaigns/{full}/ask", "POST").headers["Content-Encoding"] is None
    history = get(f"/campaigns/{full}/history")
    again = get(f"/campaigns/{full}/history", If_None_Match=history.headers["ETag"])
    assert (again.status, again.body) == (304, b"")
    shared_studio.post(f"/campaigns/{full}/add", {"x": [1, 2], "label": "left"})
    news = get(f"/campaigns/{full}/history", If_None_Match=history.headers["ETag"])
    assert (news.status, len(news.body) > 0) == (200, True)


def test_no_error_names_a_file_of_the_studio(
    tmp_path: Path, through: Any, shared_studio: Any, name: str
) -> None:
    file = tmp_path / "secret-place" / "lab.db"
    file.parent.mkdir()
    with create_campaign("gone", ["a", "b"], storage=f"sqlite:///{file}"):
        app = create_app(StudioConfig(storage=f"sqlite:///{file}", token="a-known-token-for-it"))
    host = [(b"host", b"127.0.0.1:8765"), (b"authorization", b"Bearer a-known-token-for-it")]
    file.unlink()
    for path in ("/api/v1/campaigns/gone/status", "/api/v1/campaigns"):
        scope = {"type": "http", "method": "GET", "path": path, "headers": host}
        body = b"".join(message.get("body", b"") for message in through(app, scope)).decode()
        assert "the storage's file" in body
        assert "secret-place" not in body
        assert "lab.db" not in body
    path = f"/campaigns/{name}"
    shared_studio.post(
        f"{path}/add", {"x": [1], "label": "left", "id": "i", "recording": {"uri": "file:///s/1"}}
    )
    status, answer = shared_studio.call("GET", f"{path}/recording?id=i")
    assert (status, "/s/1" in answer["error"]["message"]) == (404, False)


def test_refusals_say_what_to_do_in_words_of_rest(shared_studio: Any, full: str) -> None:
    path = f"/campaigns/{full}"
    id_ = shared_studio.ask(full)["id"]
    for body, status, says in (
        ({"id": id_}, 409, "no recording came for request"),
        ({"id": "nobody"}, 404, "the history lists them"),
        ({"id": id_, "x": [1e308, 0]}, 422, "leave out what is no measurement"),
    ):
        found, answer = shared_studio.call("POST", f"{path}/tell", body)
        assert (found, says in answer["error"]["message"]) == (status, True), answer
    found, answer = shared_studio.call("POST", f"{path}/predict", {"x": [[1e308, 0]]})
    assert found == 422
    assert "leave out" in answer["error"]["message"]
    many = {"answers": [{"id": "nobody", "x": [1, 2]}]}
    assert "()" not in shared_studio.call("POST", f"{path}/tell-many", many)[1]["error"]["message"]


def again(studio: Any, path: str, body: Any, key: str) -> tuple[int, Any]:
    return studio.call("POST", path, body, headers={"Idempotency-Key": key})  # type: ignore[no-any-return]


def test_a_link_made_twice_is_one_link(shared_studio: Any, name: str) -> None:
    path, body = f"/campaigns/{name}/links", {"role": "viewer", "name": "Anna", "days": 2}
    first = again(shared_studio, path, body, f"{name} 1")
    assert first[0] == 201
    assert again(shared_studio, path, body, f"{name} 1") == first
    assert again(shared_studio, path, {**body, "days": 3}, f"{name} 1")[0] == 409
    assert again(shared_studio, path, body, f"{name} 2")[1]["id"] != first[1]["id"]
    assert len(shared_studio.get(path)["links"]) == 2
    shared_studio.post(f"{path}/revoke", {"id": first[1]["id"]})
    status, answer = again(shared_studio, path, body, f"{name} 1")
    assert (status, "is revoked; make a new one" in answer["error"]["message"]) == (409, True)


def test_a_link_made_again_after_a_restart_has_a_new_address(tmp_path: Path) -> None:
    books = [LinkBook(tmp_path / "lab.db.links") for _ in range(2)]
    (first, one), (second, other) = (book.make(Role.VIEWER, None, "Anna", op="k") for book in books)
    assert first == second
    assert [books[0].by_secret(secret) for secret in (one, other)] == [None, first]


def test_races_and_their_drawings_are_begun_and_undone_once(shared_studio: Any) -> None:
    start = {"name": "twice", "afresh": True}
    race = again(shared_studio, "/demo/digits/start", start, "s1")[1]
    assert again(shared_studio, "/demo/digits/start", start, "s1")[1]["name"] == race["name"]
    assert again(shared_studio, "/demo/digits/start", start, "s2")[1]["name"] != race["name"]
    path, asked = f"/demo/digits/{race['name']}", race["next"]
    for _ in range(2):
        strokes = shared_studio.get(f"{path}/drawn-for-you?label={asked['label']}")["strokes"]
        told = shared_studio.post(f"{path}/drawing", {"id": asked["id"], "strokes": strokes})
        asked = told["next"]
    for _ in range(2):
        assert sum(again(shared_studio, f"{path}/undo", None, "u1")[1]["counts"]) == 1
    assert sum(again(shared_studio, f"{path}/undo", None, "u2")[1]["counts"]) == 0
    assert again(shared_studio, f"{path}/undo", None, "u3")[0] == 409


def test_an_undo_that_found_nothing_takes_nothing_back_later(shared_studio: Any, name: str) -> None:
    path = f"/campaigns/{name}"
    assert again(shared_studio, f"{path}/undo", {}, "u1")[1]["state"] == "nothing"
    shared_studio.post(f"{path}/add", {"label": "left", "x": [1, 2]})
    assert again(shared_studio, f"{path}/undo", {}, "u1")[1]["state"] == "nothing"
    assert shared_studio.get(f"{path}/status")["instances"] == 1
    assert again(shared_studio, f"{path}/undo", {}, "u2")[1]["state"] == "retracted"
