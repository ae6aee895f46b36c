"""A campaign's record over REST: files dropped on it, exports, and the stream of events."""

from __future__ import annotations

import io
import json
import re
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import palacs.campaign
from palacs.campaign import read_instance


def upload(studio: Any, name: str, id_: str, filename: str, content: bytes) -> tuple[int, Any]:
    status, answer = studio.upload(f"/campaigns/{name}/upload?id={id_}", filename, content)
    return status, answer


# -- files -----------------------------------------------------------------------------


def npy(array: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


@pytest.mark.parametrize(
    ("filename", "content"),
    [
        ("trial.csv", b"0.5,1.25,-3"),
        ("trial.csv", b"alpha;beta;gamma\r\n0.5;1.25;-3\r\n"),
        ("trial.txt", b"0.5\n1.25\n-3\n"),
        ("trial.json", b"[0.5, 1.25, -3]"),
        ("trial.json", b'{"x": [0.5, 1.25, -3]}'),
        ("trial.npy", npy(np.array([[0.5, 1.25, -3.0]]))),
    ],
)
def test_a_file_answers_a_request(
    shared_studio: Any, name: str, filename: str, content: bytes
) -> None:
    id_ = shared_studio.ask(name)["id"]
    status, answer = upload(shared_studio, name, id_, filename, content)
    assert status == 200, answer
    assert answer["instance"]["x"] == [0.5, 1.25, -3.0]


@pytest.mark.parametrize(
    ("filename", "content", "says"),
    [
        ("a.csv", b"", "empty"),
        ("a.csv", b"1,two,3", "'two' at position 1"),
        ("a.csv", b"1.5,2\n3,4\n", "shape (2, 2)"),
        ("a.csv", b"0,5;1,25", "0, 5, 1, 25 or as 0.5, 1.25"),
        ("a.csv", b"\xff\xfe\x00", "neither text nor NPY"),
        ("a.json", b"{]", "no JSON"),
        ("a.json", b"[" * 100_000, "no JSON"),
        ("a.json", b'{"y": [1]}', "no flat list"),
        ("a.json", b"[true]", "no flat list"),
        ("a.npy", b"\x93NUMPY", "no NPY array"),
        ("a.npy", npy(np.zeros((2, 2))), "shape (2, 2)"),
        ("a.npy", npy(np.array([{"a": 1}], dtype=object)), "object"),
        ("a.npy", npy(np.zeros(3)).replace(b"(3,)", b"(9**99,)"), "NPY"),
        ("a.npy", npy(np.zeros(3)).replace(b"(3,)", b"(3, "), "no NPY array"),
        ("a.npy", npy(np.zeros(3)).replace(b"(3,)", b"(-3,)"), "shape (-3,)"),
        ("a.npy", npy(np.zeros(1)).replace(b"(1,)", b"(True,)"), "shape (True,)"),
        ("a.npy", npy(np.zeros(0)).replace(b"(0,)", b"(0, 10000000000000000000)"), "shape (0, 1"),
        ("a.npy", npy(np.zeros(3)).replace(b"{'descr'", b" {\ndescr"), "no NPY array"),
        ("a.npy", npy(np.zeros(3)).replace(b"(3,), }     ", b"(3000000,), }"), "(3000000,)"),
    ],
)
def test_a_file_without_one_instance_is_refused(filename: str, content: bytes, says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        read_instance(content, filename)


def test_exports_can_be_read_back(shared_studio: Any, name: str, tmp_path: Path) -> None:
    id_ = shared_studio.ask(name)["id"]
    shared_studio.post(f"/campaigns/{name}/tell", {"id": id_, "x": [0.1, 0.2]})
    for format_ in ("csv", "json", "parquet"):
        request = urllib.request.Request(
            f"{shared_studio.base_url}/api/v1/campaigns/{name}/export?format={format_}",
            headers={"Authorization": f"Bearer {shared_studio.token}"},
        )
        with urllib.request.urlopen(request) as answer:
            disposition = answer.headers["Content-Disposition"]
            file = tmp_path / f"copy.{format_}"
            file.write_bytes(answer.read())
        assert disposition == f'attachment; filename="{name.replace("%20", "_")}.{format_}"'
        storage = f"sqlite:///{tmp_path}/{format_}.db"
        with palacs.campaign.import_campaign(file, storage=storage) as copy:
            assert copy.instance(id_).x.tolist() == [0.1, 0.2]


def test_formulas_in_an_exported_table_are_neutralised(shared_studio: Any, name: str) -> None:
    bad = '=HYPERLINK("http://example.org")'
    shared_studio.post(f"/campaigns/{name}/classes", {"label": bad})
    shared_studio.post(f"/campaigns/{name}/add", {"x": [1.0], "label": bad, "id": "@cmd"})
    shared_studio.post(f"/campaigns/{name}/retract", {"id": "@cmd", "reason": "+1+1"})
    _, content = shared_studio.call("GET", f"/campaigns/{name}/export?format=csv")
    table = pd.read_csv(io.BytesIO(content), dtype=str)
    texts = table[["id", "request_id", "asked", "label", "reason"]].to_numpy().ravel()
    for text in texts[~pd.isna(texts)]:
        assert not text.startswith(("=", "+", "-", "@", "\t", "\r"))
    assert "'" + bad in texts


# -- events ----------------------------------------------------------------------------


class Listener:
    """Reads an event stream in a thread."""

    def __init__(self, studio: Any, path: str, **headers: str) -> None:
        request = urllib.request.Request(
            f"{studio.base_url}/api/v1{path}",
            headers={"Authorization": f"Bearer {studio.token}", **headers},
        )
        self.answer = urllib.request.urlopen(request, timeout=30)
        self.events: list[tuple[float, str, Any]] = []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        kind = ""
        try:
            for raw in self.answer:
                line = raw.decode().rstrip("\n")
                if line.startswith("event: "):
                    kind = line[7:]
                elif line.startswith("data: "):
                    self.events.append((time.monotonic(), kind, json.loads(line[6:])))
        except (OSError, ValueError, AttributeError):
            return

    def changes(self) -> list[str]:
        return [data["kind"] for _, kind, data in self.events if kind == "changed"]


def test_listeners_hear_of_everything_whoever_wrote_it(
    shared_studio: Any, name: str, wait_until: Callable[..., None]
) -> None:
    listeners = [Listener(shared_studio, f"/campaigns/{name}/events") for _ in range(2)]
    wait_until(lambda: all(listener.events for listener in listeners))
    asked = time.monotonic()
    id_ = shared_studio.ask(name)["id"]
    wait_until(lambda: all(listener.changes() == ["asked"] for listener in listeners))
    assert listeners[0].events[-1][0] - asked < 2.0
    plain = name.replace("%20", " ")
    with palacs.campaign.load_campaign(plain, storage=shared_studio.storage) as elsewhere:
        elsewhere.tell(id_, [1.0])
    wait_until(lambda: all(listener.changes() == ["asked", "told"] for listener in listeners))
    assert listeners[1].events[-1][2] == {
        "seq": 3,
        "kind": "told",
        "id": id_,
        "label": elsewhere.request(id_).label,
        "campaign": plain,
    }


def test_a_listener_that_comes_back_gets_what_it_missed(
    shared_studio: Any, name: str, wait_until: Callable[..., None]
) -> None:
    shared_studio.ask(name)
    shared_studio.post(f"/campaigns/{name}/pause", {"label": "left"})
    by_query = Listener(shared_studio, f"/campaigns/{name}/events?after=1")
    by_header = Listener(shared_studio, f"/campaigns/{name}/events", **{"Last-Event-ID": "2"})
    wait_until(lambda: by_query.changes() == ["asked", "paused"])
    wait_until(lambda: by_header.changes() == ["paused"])


def test_a_killed_studio_lost_nothing_and_one_with_listeners_stops_at_once(
    studio: Any, wait_until: Callable[..., None]
) -> None:
    studio.post("/campaigns", {"name": "durable", "classes": ["a", "b"]})
    id_ = studio.ask("durable")["id"]
    told = studio.post("/campaigns/durable/tell", {"id": id_, "x": [0.5]})
    studio.kill()
    studio.start()
    assert studio.get("/campaigns/durable/status")["instances"] == 1
    assert studio.post("/campaigns/durable/tell", {"id": id_, "x": [0.5]}) == told
    listener = Listener(studio, "/campaigns/durable/events")
    wait_until(lambda: bool(listener.events))
    began = time.monotonic()
    studio.stop()
    assert time.monotonic() - began < 8.0, "it waited for the streams to end by themselves"
