"""Many at once: instruments that ask and tell, and streams of events that stay open."""

from __future__ import annotations

import http.client
import json
import random
import selectors
import socket
import threading
import time
from typing import Any

from _studio_running import CLASSES, N_FEATURES, TOKEN, Running, row
from palacs.campaign import load_campaign

NAME = "load"


class Client:
    """One instrument: asks, waits for its recording, tells, and again."""

    def __init__(self, port: int, number: int, patience: float = 120) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=patience)
        self._random = random.Random(number)
        self.taken: dict[str, list[float]] = {"ask": [], "tell": []}
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
        """Send a request and note how many milliseconds the answer took."""
        began = time.perf_counter()
        answer = self.post(f"/{NAME}/{action}", body)
        self.taken[action].append(1000 * (time.perf_counter() - began))
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


def clients_at_once(studio: Running, n: int, seconds: float) -> bool:
    """Let many ask and tell; return whether everything that was acknowledged is in the record."""
    first = Client(studio.port, 0, patience=600)
    first.post("", {"name": NAME, "classes": CLASSES, "seed": 0})
    # The first decisions after a change of the code compile, which nobody is to wait for here.
    first.run(time.perf_counter() + 5)
    clients = [Client(studio.port, number) for number in range(n)]
    began = time.perf_counter()
    threads = [threading.Thread(target=client.run, args=(began + seconds,)) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wall = time.perf_counter() - began
    for action in ("ask", "tell"):
        taken = [each for client in clients for each in client.taken[action]]
        row(f"{n} clients: {action} ({len(taken) / wall:.0f}/s)", taken)
    with load_campaign(NAME, storage=studio.storage) as campaign:
        kept = set(campaign.history().query("state == 'delivered'")["id"])
    acknowledged = {id_ for client in clients for id_ in client.acknowledged}
    errors = [error for client in clients for error in client.errors]
    lost = len(acknowledged - kept)
    print(f"{len(acknowledged):,} instances acknowledged, {lost} lost, {len(errors)} errors")
    for error in errors[:5]:
        print(error)
    return not lost and not errors


def streams_open(studio: Running, n: int, times: int) -> None:
    """Open many streams of events, and measure until all have heard of a new instance."""
    teller = Client(studio.port, 0)
    teller.post("", {"name": "streams", "classes": CLASSES})
    before = studio.memory()
    listeners = [_listen(studio.port, "streams") for _ in range(n)]
    _all_hear(listeners, b"event: hello")
    print(
        f"{n} streams take {studio.memory() - before:.0f} MiB of memory more "
        f"({before:.0f} MiB without)"
    )
    took = []
    for i in range(times):
        began = time.perf_counter()
        teller.post("/streams/add", {"label": CLASSES[0], "x": [0.5], "id": f"i{i}"})
        _all_hear(listeners, f'"id": "i{i}"'.encode())
        took.append(1000 * (time.perf_counter() - began))
    row(f"told, and all {n} streams have heard", took)
    for each in listeners:
        each.close()


def _listen(port: int, name: str) -> socket.socket:
    listener = socket.create_connection(("127.0.0.1", port), timeout=60)
    listener.sendall(
        f"GET /api/v1/campaigns/{name}/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
        f"Authorization: Bearer {TOKEN}\r\n\r\n".encode()
    )
    return listener


def _all_hear(listeners: list[socket.socket], words: bytes) -> None:
    heard: dict[socket.socket, bytes] = dict.fromkeys(listeners, b"")
    with selectors.DefaultSelector() as waiting:
        for each in listeners:
            waiting.register(each, selectors.EVENT_READ)
        left = len(listeners)
        while left:
            for key, _ in waiting.select(60):
                listener = key.fileobj
                assert isinstance(listener, socket.socket)
                heard[listener] += listener.recv(65_536)
                if words in heard[listener]:
                    waiting.unregister(listener)
                    left -= 1
