"""A real studio in a process of its own, and a real browser to look at it."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

import browser as browser_finder

TOKEN = "a-known-token-for-the-tests"
# A name that browsers do not take for this machine, so that its pages count as not encrypted.
NETWORK_HOST = "lab.test"
ON_NETWORK = f"--host-resolver-rules=MAP {NETWORK_HOST} 127.0.0.2"
_START_S = 60.0
_numbers = itertools.count()


@dataclass
class Studio:
    """A running ``palacs studio``.

    ``base_url`` has no slash at the end; ``launch_url`` lets a browser in.
    """

    storage: str
    folder: Path
    port: int
    token: str = TOKEN
    options: tuple[str, ...] = ()
    scheme: str = "http"
    _process: subprocess.Popen[str] | None = field(default=None, repr=False)

    @property
    def base_url(self) -> str:
        host = "127.0.0.1" if self.scheme == "http" else "localhost"
        return f"{self.scheme}://{host}:{self.port}"

    @property
    def launch_url(self) -> str:
        return f"{self.base_url}/?token={self.token}"

    def start(self) -> None:
        """Start it, also again after :meth:`kill`, on the same port and storage."""
        palacs = Path(sys.executable).with_name("palacs")
        options = ["--no-browser", "--port", str(self.port), "--storage", self.storage]
        self._process = subprocess.Popen(
            [
                *(str(palacs), "studio", *options, *self.options),
                *("--reports", str(self.folder / "results")),
            ],
            env={**os.environ, "PALACS_STUDIO_TOKEN": self.token},
            cwd=self.folder,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert self.launch_url in line, f"the studio said {line!r} instead of its address"

    def kill(self) -> None:
        """End it without warning, as a power cut would."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """End it as Ctrl+C does."""
        self._end(signal.SIGINT)

    def _end(self, how: signal.Signals) -> None:
        if self._process is None:
            return
        self._process.send_signal(how)
        try:
            self._process.wait(_START_S)
        finally:
            self._process.kill()
            assert self._process.stdout is not None
            self._process.stdout.close()
            self._process = None

    def call(
        self, method: str, path: str, body: Any = None, *, headers: dict[str, str] | None = None
    ) -> tuple[int, Any]:
        """Send a REST request with the token; return status and decoded JSON (or bytes)."""
        request = urllib.request.Request(
            f"{self.base_url}/api/v1{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={
                "Authorization": f"Bearer {self.token}",
                "Content-Type": "application/json",
                **(headers or {}),
            },
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, _decode(answer)
        except urllib.error.HTTPError as error:
            return error.code, _decode(error)

    def get(self, path: str) -> Any:
        """Return what a GET on the REST interface answers; it must succeed."""
        status, answer = self.call("GET", path)
        assert status == 200, answer
        return answer

    def post(self, path: str, body: Any = None) -> Any:
        """Return what a POST on the REST interface answers; it must succeed."""
        status, answer = self.call("POST", path, {} if body is None else body)
        assert status in (200, 201), answer
        return answer

    def upload(self, path: str, filename: str, content: bytes) -> tuple[int, Any]:
        """Send a file; return status and decoded JSON."""
        border = "----numbers"
        head = f'--{border}\r\nContent-Disposition: form-data; name="file"; filename="{filename}"'
        request = urllib.request.Request(
            f"{self.base_url}/api/v1{path}",
            data=head.encode() + b"\r\n\r\n" + content + f"\r\n--{border}--\r\n".encode(),
            headers={
                "Authorization": f"Bearer {self.token}",
                "Content-Type": f"multipart/form-data; boundary={border}",
            },
        )
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def ask(self, name: str) -> dict[str, Any]:
        """Make one request in a campaign, whose name is quoted for a URL."""
        request: dict[str, Any] = self.post(f"/campaigns/{name}/ask")["requests"][0]
        return request


def _decode(answer: Any) -> Any:
    content = answer.read()
    if answer.headers.get_content_type() == "application/json":
        return json.loads(content)
    return content


def free_port() -> int:
    """Return a port on 127.0.0.1 that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture(scope="session")
def new_studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Studio]]:
    """Starts studios, each on its own port and storage, and stops them at the end."""
    running: list[Studio] = []

    def new(*options: str, scheme: str = "http") -> Studio:
        folder = tmp_path_factory.mktemp("studio")
        (folder / "results").mkdir()
        port = free_port()
        given = tuple(option.format(port=port) for option in options)
        studio = Studio(f"sqlite:///{folder}/lab.db", folder, port, options=given, scheme=scheme)
        studio.start()
        running.append(studio)
        return studio

    yield new
    for studio in running:
        studio.stop()


@pytest.fixture(scope="session")
def first_studio(new_studio: Callable[..., Studio]) -> Studio:
    """The studio that tests share."""
    return new_studio()


@pytest.fixture
def shared_studio(
    request: pytest.FixtureRequest, first_studio: Studio, new_studio: Callable[..., Studio]
) -> Studio:
    """One studio for all tests that use campaigns of their own names and leave it running.

    In a second try the names are taken, so that it has another one.
    """
    tries: int = getattr(request.node, "execution_count", 1)
    return first_studio if tries == 1 else new_studio()


@pytest.fixture
def name(shared_studio: Studio) -> str:
    """A new campaign in the shared studio, of two classes; its name as a URL has it."""
    chosen = f"bench {next(_numbers)}"
    shared_studio.post("/campaigns", {"name": chosen, "classes": ["left", "right"], "seed": 1})
    return chosen.replace(" ", "%20")


@pytest.fixture
def studio(new_studio: Callable[..., Studio]) -> Iterator[Studio]:
    """A studio for one test alone, which may kill and start it again."""
    fresh = new_studio()
    yield fresh
    fresh.stop()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium or Chrome, without a window and without any network use of its own."""
    chromium = browser_finder.find()
    assert chromium, "these tests need a browser; tools/setup dev gets one"
    quiet = ["background-networking", "component-update", "sync"]
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(
            executable_path=chromium,
            args=["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", ON_NETWORK]
            + [f"--disable-{what}" for what in quiet],
        )
        yield opened
        opened.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page of its own, with no cookies; it fails the test on script errors."""
    context = browser.new_context()
    context.set_default_timeout(30_000)
    fresh = context.new_page()
    errors: list[str] = []
    fresh.on("pageerror", lambda error: errors.append(str(error)))
    yield fresh
    context.close()
    assert errors == [], f"scripts failed on the page: {errors}"


def through(app: Any, scope: dict[str, Any], body: bytes = b"") -> list[dict[str, Any]]:
    """Pass one connection through an ASGI application and return the messages it sent."""
    sent: list[dict[str, Any]] = []
    opening = "websocket.connect" if scope["type"] == "websocket" else "http.request"

    async def receive() -> dict[str, Any]:
        return {"type": opening, "body": body, "more_body": False}

    async def note(message: dict[str, Any]) -> None:
        sent.append(message)

    connection = {"query_string": b"", "http_version": "1.1", **scope}
    # In a thread of its own: the browser's driver keeps an event loop in this one.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, app(connection, receive, note)).result()
    return sent


@pytest.fixture(scope="session", name="through")
def _through() -> Callable[..., list[dict[str, Any]]]:
    """Talk to an application without a server, to break it in ways a real one is not broken."""
    return through


@pytest.fixture(scope="session")
def wait_until() -> Callable[..., None]:
    """Wait until something becomes true, or fail."""

    def wait(condition: Callable[[], bool], seconds: float = 10.0) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, f"did not happen within {seconds} s"
            time.sleep(0.05)

    return wait
