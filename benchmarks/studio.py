"""Fifty instruments at once for a minute, then one participant in a large campaign.

    python benchmarks/studio.py [--clients 50] [--seconds 60] [--instances 10000]

Starts a real ``palacs studio`` on a SQLite file of its own. Prints how long requests took (50th,
95th and 99th percentile) and fails if an acknowledged instance is missing from the record. Then a
real browser shows the cue of a campaign with many instances: prints how long it takes from the key
to the next word on the screen, and how far the page's clock is from the studio's.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from palacs.campaign import create_campaign, load_campaign

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))

TOKEN = "benchmark-benchmark"
NAME = "load"
CLASSES = ["rest", "left", "right", "feet"]
N_FEATURES = 8


@contextmanager
def running_studio(storage: str) -> Iterator[int]:
    """Run ``palacs studio`` on a free port and yield the port."""
    palacs = str(Path(sys.executable).with_name("palacs"))
    process = subprocess.Popen(
        [palacs, "studio", "--no-browser", "--port", "0", "--storage", storage],
        env={**os.environ, "PALACS_STUDIO_TOKEN": TOKEN},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    found = re.search(r":(\d+)/", process.stdout.readline())
    assert found, "the studio did not start"
    try:
        yield int(found[1])
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)


class Client:
    """One instrument: asks, waits for its recording, tells, and again."""

    def __init__(self, port: int, number: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self._random = random.Random(number)
        self.seconds: dict[str, list[float]] = {"ask": [], "tell": []}
        self.acknowledged: list[str] = []
        self.errors: list[str] = []

    def post(self, path: str, body: dict[str, Any]) -> Any:
        """Send a request; anything but success is an error."""
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
        self._connection.request("POST", f"/api/v1/campaigns{path}", json.dumps(body), headers)
        answer = self._connection.getresponse()
        content = json.loads(answer.read())
        if answer.status >= 300:
            raise RuntimeError(f"{answer.status} {content}")
        return content

    def timed(self, action: str, body: dict[str, Any]) -> Any:
        """Send a request and note how long the answer took."""
        began = time.perf_counter()
        answer = self.post(f"/{NAME}/{action}", body)
        self.seconds[action].append(time.perf_counter() - began)
        return answer

    def run(self, until: float) -> None:
        """Take part until the time is over."""
        try:
            while time.perf_counter() < until:
                request = self.timed("ask", {"n": 1})["requests"][0]
                centre = CLASSES.index(request["label"]) / len(CLASSES)
                x = [self._random.gauss(centre, 0.2) for _ in range(N_FEATURES)]
                self.timed("tell", {"id": request["id"], "x": x})
                self.acknowledged.append(request["id"])
        except (RuntimeError, OSError, http.client.HTTPException) as error:
            self.errors.append(repr(error))


def report(clients: list[Client], wall: float) -> None:
    for action in ("ask", "tell"):
        taken = np.array([s for client in clients for s in client.seconds[action]]) * 1000
        p50, p95, p99 = np.percentile(taken, [50, 95, 99])
        print(
            f"{action:5} {len(taken):7,} requests  {len(taken) / wall:7.1f}/s   "
            f"50th {p50:7.1f} ms   95th {p95:7.1f} ms   99th {p99:7.1f} ms"
        )


# From the key to the frame after the one in which the word changed.
WATCH = """() => {
  window.took = [];
  let pressed = 0;
  document.addEventListener("keydown", () => { pressed = performance.now(); }, true);
  new MutationObserver(() => requestAnimationFrame(() => requestAnimationFrame((at) => {
    if (pressed) took.push(at - pressed);
    pressed = 0;
  }))).observe(document.querySelector("[data-word]"), { childList: true });
}"""
COMPARE = """async () => {
  const { Clock } = await import("/static/timing.js");
  const clock = new Clock(async () => (await fetch("/api/v1/clock")).json());
  await clock.compare(20);
  return [clock.offset, clock.uncertainty - clock.frame, clock.frame];
}"""


def participant(instances: int, presses: int) -> None:
    """Let somebody perform in a large campaign, a second for each word."""
    from playwright.sync_api import sync_playwright

    import browser

    chaos = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        storage = f"sqlite:///{folder}/lab.db"
        small = create_campaign("small", CLASSES, storage="memory")
        for i in range(instances):
            small.add(chaos.normal(i % len(CLASSES), 2.0, N_FEATURES), CLASSES[i % len(CLASSES)])
        create_campaign(NAME, continue_from=small, storage=storage, seed=0).close()
        with running_studio(storage) as port, sync_playwright() as playwright:
            window = playwright.chromium.launch(
                executable_path=browser.find(), args=["--headless", "--no-sandbox"]
            )
            page = window.new_page()
            page.goto(f"http://127.0.0.1:{port}/?token={TOKEN}")
            page.goto(f"http://127.0.0.1:{port}/campaigns/{NAME}/cue")
            page.locator("[data-connection][data-state=live]").wait_for()
            page.wait_for_timeout(5000)
            page.evaluate(WATCH)
            for _ in range(presses):
                page.keyboard.press("Space")
                page.wait_for_timeout(1000)
            took = np.array(page.evaluate("took"))
            offset, uncertainty, frame = page.evaluate(COMPARE)
            window.close()
    p50, p95 = np.percentile(took, [50, 95])
    print(
        f"{instances:,} instances, {len(took)} words: from the key to the next word "
        f"50th {p50:.0f} ms   95th {p95:.0f} ms   longest {took.max():.0f} ms"
    )
    print(
        f"the page's clock: {1000 * offset:+.2f} ms from the studio's, known to "
        f"{1000 * uncertainty:.2f} ms; one frame is {1000 * frame:.1f} ms"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--instances", type=int, default=10_000)
    parser.add_argument("--presses", type=int, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        storage = f"sqlite:///{folder}/lab.db"
        with running_studio(storage) as port:
            Client(port, 0).post("", {"name": NAME, "classes": CLASSES, "seed": 0})
            clients = [Client(port, number) for number in range(options.clients)]
            began = time.perf_counter()
            until = began + options.seconds
            threads = [threading.Thread(target=client.run, args=(until,)) for client in clients]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            wall = time.perf_counter() - began
        with load_campaign(NAME, storage=storage) as campaign:
            kept = set(campaign.history().query("state == 'delivered'")["id"])
    acknowledged = {id_ for client in clients for id_ in client.acknowledged}
    errors = [error for client in clients for error in client.errors]
    print(f"{options.clients} clients for {wall:.1f} s")
    report(clients, wall)
    lost = acknowledged - kept
    print(f"{len(acknowledged):,} instances acknowledged, {len(lost)} lost, {len(errors)} errors")
    for error in errors[:5]:
        print(error)
    participant(options.instances, options.presses)
    return 1 if lost or errors else 0


if __name__ == "__main__":
    raise SystemExit(main())
