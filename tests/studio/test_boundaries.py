"""What gets out and in: headers, errors, sizes, files and reports."""

from __future__ import annotations

import asyncio
import json
import re
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from palacs.studio import StudioConfig, create_app
from palacs.studio._server import Stoppable

from .wire import bearer, cookie, send

Through = Callable[..., list[dict[str, Any]]]


@pytest.fixture(scope="module")
def lab(first_studio: Any) -> Any:
    first_studio.post("/campaigns", {"name": "bounded", "classes": ["a", "b"]})
    return first_studio


# -- headers ---------------------------------------------------------------------------


def test_pages_and_errors_carry_the_strict_policy(lab: Any) -> None:
    answers = [
        send(lab, "GET", "/draw", Cookie=cookie(lab)),
        send(lab, "GET", "/draw", Accept="text/html"),
        send(lab, "GET", "/api/v1/campaigns", Authorization=bearer(lab)),
        send(lab, "GET", "/nowhere", Cookie=cookie(lab)),
        send(lab, "GET", "/", Host="evil.example"),
    ]
    for answer in answers:
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert not re.search(r"https?:|\*", policy)
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["Access-Control-Allow-Origin"] is None


def test_the_answer_does_not_say_what_it_was_made_with(lab: Any) -> None:
    assert send(lab, "GET", "/").headers["Server"] is None


def test_a_mistake_of_ours_shows_no_traceback(through: Through) -> None:
    app = create_app(StudioConfig(storage="memory", token="a-token-for-this-test"))

    def broken() -> None:
        raise RuntimeError("secret detail")

    app.add_api_route("/api/v1/broken", broken)
    headers = [(b"host", b"127.0.0.1:8765"), (b"authorization", b"Bearer a-token-for-this-test")]
    scope = {"type": "http", "method": "GET", "path": "/api/v1/broken", "headers": headers}
    start, body = through(app, scope)
    assert start["status"] == 500
    assert b"secret detail" not in body["body"]
    error = json.loads(body["body"])["error"]
    assert error["kind"] == "internal"
    assert "Look at the history before repeating" in error["message"]
    assert b"default-src 'none'" in dict(start["headers"])[b"content-security-policy"]


# -- files and sizes -------------------------------------------------------------------


def test_an_upload_larger_than_the_limit_is_refused_before_it_is_read(lab: Any) -> None:
    path = "/api/v1/campaigns/bounded/upload?id=r1"
    headers: dict[str, Any] = {"Authorization": bearer(lab), "Content-Length": str(9 * 2**20)}
    answer = send(lab, "POST", path, **headers)
    assert (answer.status, answer.kind) == (413, "too-large")


def test_an_upload_that_does_not_say_how_long_it_is_ends_at_the_limit(lab: Any) -> None:
    with socket.create_connection(("127.0.0.1", lab.port), timeout=30) as raw:
        head = (
            f"POST /api/v1/campaigns/bounded/tell HTTP/1.1\r\nHost: 127.0.0.1:{lab.port}\r\n"
            f"Authorization: {bearer(lab)}\r\nContent-Type: application/json\r\n"
            "Transfer-Encoding: chunked\r\n\r\n"
        )
        raw.sendall(head.encode())
        for _ in range(8):
            raw.sendall(b"100000\r\n" + b" " * 2**20 + b"\r\n")
        raw.sendall(b"1\r\n \r\n")
        assert raw.recv(4096).startswith(b"HTTP/1.1 413")


@pytest.mark.parametrize(
    "path",
    [
        "/static/../_config.py",
        "/static/..%2f_config.py",
        "/static/%2e%2e/_config.py",
        "/static/..%5c_config.py",
        "/static//etc/passwd",
        "/static/%2fetc%2fpasswd",
        "/static/notice.css%00.txt",
    ],
)
def test_static_files_are_those_of_their_folder_only(lab: Any, path: str) -> None:
    answer = send(lab, "GET", path, Authorization=bearer(lab))
    assert answer.status in (400, 404)
    assert b"StudioConfig" not in answer.body
    assert b"root:" not in answer.body


@pytest.fixture(scope="module")
def report_id(lab: Any) -> str:
    """Id of a report with a script in it, in the folder given with ``--reports``."""
    folder = lab.folder / "results" / "paper"
    folder.mkdir()
    page = "<title>Findings</title><script>fetch('/api/v1/campaigns')</script>"
    (folder / "report.html").write_text(page)
    (lab.folder / "secret").mkdir()
    (lab.folder / "secret" / "report.html").write_text("not for you")
    (lab.folder / "results" / "link").symlink_to(lab.folder / "secret")
    listed = lab.get("/reports")["reports"]
    assert [row["name"] for row in listed] == ["results/paper"]
    id_: str = listed[0]["id"]
    return id_


def get_report(through: Through, folder: Path, path: str) -> tuple[int, dict[str, Any]]:
    """Return status and answer of a studio whose reports are in `folder`."""
    token = "a-token-for-this-test"
    app = create_app(StudioConfig(storage="memory", token=token, reports=(folder,)))
    headers = [(b"host", b"127.0.0.1:8765"), (b"authorization", f"Bearer {token}".encode())]
    scope = {"type": "http", "method": "GET", "path": f"/api/v1{path}", "headers": headers}
    start, *rest = through(app, scope)
    answer: dict[str, Any] = json.loads(b"".join(message["body"] for message in rest))
    return start["status"], answer


def test_a_report_deleted_while_reports_are_listed_is_left_out(
    through: Through, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("kept", "deleted", "loop"):
        (tmp_path / name).mkdir()
    for name in ("kept", "deleted"):
        (tmp_path / name / "report.html").write_text(name)
    (tmp_path / "loop" / "report.html").symlink_to(tmp_path / "loop" / "report.html")
    is_file = Path.is_file

    def seen_for_the_last_time(path: Path) -> bool:
        found = is_file(path)
        if path.parent.name == "deleted":
            path.unlink(missing_ok=True)
        return found

    monkeypatch.setattr(Path, "is_file", seen_for_the_last_time)
    status, answer = get_report(through, tmp_path, "/reports")
    assert status == 200
    assert [row["name"] for row in answer["reports"]] == [f"{tmp_path.name}/kept"]


def test_a_report_deleted_before_it_is_read_is_not_found(
    through: Through, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "report.html").write_text("findings")
    _, listed = get_report(through, tmp_path, "/reports")
    read_bytes = Path.read_bytes

    def too_late(path: Path) -> bytes:
        path.unlink()
        return read_bytes(path)

    monkeypatch.setattr(Path, "read_bytes", too_late)
    status, answer = get_report(through, tmp_path, f"/reports/{listed['reports'][0]['id']}")
    assert (status, answer["error"]["kind"]) == (404, "not-found")


@pytest.mark.parametrize(
    "bad",
    [
        "..%2f..%2fsecret",
        "..",
        "%2e%2e%2fsecret%2freport.html",
        "..%5csecret",
        "link",
        "results%2fpaper",
        "%2fetc%2fpasswd",
        "paper%00",
        "",
    ],
)
def test_only_reports_that_were_found_can_be_opened(lab: Any, report_id: str, bad: str) -> None:
    answer = send(lab, "GET", f"/api/v1/reports/{bad}", Authorization=bearer(lab))
    assert answer.status in (404, 307)
    assert b"not for you" not in answer.body


def test_a_report_runs_no_scripts_and_reaches_nothing(lab: Any, report_id: str, page: Any) -> None:
    page.goto(lab.launch_url)
    page.goto("about:blank")
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    answer = page.goto(f"{lab.base_url}/api/v1/reports/{report_id}")
    assert answer.headers["content-security-policy"].startswith("sandbox;")
    assert page.title() == "Findings"
    assert requested == [f"{lab.base_url}/api/v1/reports/{report_id}"]


def test_whoever_waits_when_the_studio_stops_is_told_so() -> None:
    sent: list[Any] = []

    async def busy(scope: Any, receive: Any, send: Any) -> None:
        await asyncio.Event().wait()

    async def note(message: Any) -> None:
        sent.append(message)

    async def stop() -> None:
        scope = {"type": "http", "path": "/api/v1/campaigns", "headers": []}
        waiting = asyncio.create_task(Stoppable(busy)(scope, asyncio.Queue().get, note))
        await asyncio.sleep(0)
        waiting.cancel()
        await waiting

    # In a thread of its own: the browser's driver keeps an event loop in this one.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, stop()).result()
    assert sent[0]["status"] == 503
    assert b"start it and ask again" in sent[1]["body"]
