"""An instrument with an address: requests are posted to a real server, its answers are told."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from palacs.campaign import Campaign, SourceFailed, create_campaign
from palacs.sources import Instrument, source_from

Answers = Callable[[dict[str, Any]], tuple[int, str]]


@pytest.fixture
def serve() -> Iterator[Callable[[Answers], str]]:
    servers: list[ThreadingHTTPServer] = []

    def begin(answers: Answers) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status, text = answers(json.loads(body))
                self.send_response(status)
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *args: Any) -> None:
                pass

        servers.append(ThreadingHTTPServer(("127.0.0.1", 0), Handler))
        threading.Thread(target=servers[-1].serve_forever, args=(0.05,), daemon=True).start()
        return f"http://127.0.0.1:{servers[-1].server_address[1]}/record"

    yield begin
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
def c() -> Campaign:
    return create_campaign("demo", ["left", "right"], storage="memory", seed=0)


def failures(c: Campaign) -> list[str]:
    rows = c.history()
    return list(rows["reason"][rows["state"] == "failed"])


def test_its_answers_are_told(c: Campaign, serve: Callable[[Answers], str]):
    asked: list[dict[str, Any]] = []

    def answers(body: dict[str, Any]) -> tuple[int, str]:
        asked.append(body)
        more = {"id": body["id"], "label": body["label"], "recording": "s3://lab/1.edf"}
        text = ["0.5 1", "[0.5, 1]", json.dumps({"x": [0.5, 1], "cost": 2, **more})]
        return 200, text[len(asked) % 3]

    run = c.run(source_from(serve(answers)), until=3, attrs={"subject": "s1"})
    assert run.told == 3
    assert c.labelled_set()[0].tolist() == [[0.5, 1.0]] * 3
    assert {(body["label"], body["attrs"]["subject"]) for body in asked} <= {
        ("left", "s1"),
        ("right", "s1"),
    }
    assert "s3://lab/1.edf" in set(c.history()["recording"])


@pytest.mark.parametrize(
    ("status", "text", "reason"),
    [
        (503, "warming up", "answered 503 Service Unavailable: warming up (2 tries)"),
        (404, "no such class", "answered 404 Not Found: no such class"),
        (200, "", "answered nothing"),
        (200, '{"x": [1, 2], "id": "r0-0000"}', "another request"),
        (200, '{"x": [1, 2], "label": "up"}', "'up'"),
        (200, '{"x": [1, null]}', "None"),
        (200, '{"recording": "/etc/hostname"}', "by a path"),
        (200, '{"failed": "out of film"}', "out of film"),
        (200, "<html>", "<html>"),
    ],
)
def test_what_goes_wrong_is_the_reason_in_the_record(
    c: Campaign, serve: Callable[[Answers], str], status: int, text: str, reason: str
):
    address = serve(lambda body: (status, text))
    with pytest.raises(SourceFailed):
        c.run(Instrument(address), retries=1, backoff=0.01, give_up=1)
    assert reason in failures(c)[0]


def test_one_that_is_not_there_or_hangs_is_the_reason_in_the_record(
    c: Campaign, serve: Callable[[Answers], str]
):
    with pytest.raises(SourceFailed, match="cannot be reached"):
        c.run(Instrument("http://127.0.0.1:9/"), retries=0, give_up=1)
    wait = threading.Event()
    address = serve(lambda body: (wait.wait(20), (200, "1 2"))[1])
    with pytest.raises(SourceFailed, match=r"timed out|reached"):
        c.run(Instrument(address, patience=0.2), retries=0, give_up=1)
    wait.set()
