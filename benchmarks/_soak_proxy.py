"""A TCP proxy in front of a PostgreSQL server that cuts connections, also in the middle of COMMIT.

A cut in COMMIT comes before it reaches the server, right after it was sent, or when the server
has answered and the answer is withheld: not kept, unknown, and kept without anybody knowing.
"""

from __future__ import annotations

import random
import socket
import struct
import threading
from collections import Counter
from contextlib import suppress
from types import TracebackType
from typing import Self

import sqlalchemy as sa

_COMMIT = b"COMMIT"
_RESET = struct.pack("ii", 1, 0)  # closing sends a reset, as a machine does that went away


class Link:
    """One connection through the proxy."""

    def __init__(self, client: socket.socket, server: socket.socket) -> None:
        self.client = client
        self.server = server
        self.withhold = False

    def cut(self, *, reset: bool) -> None:
        """End both sides at once."""
        for side in (self.client, self.server):
            with suppress(OSError):
                if reset and side.family == socket.AF_INET:
                    side.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
                side.shutdown(socket.SHUT_RDWR)
            with suppress(OSError):
                side.close()


class CuttingProxy:
    """Passes everything on, and cuts.

    Parameters
    ----------
    url : str
        Address of the real server.
    in_commit : float
        Share of COMMITs in which the connection is cut.
    seed : int
        Of which and how.

    Attributes
    ----------
    url : str
        Address by which clients go through the proxy.
    cuts : Counter
        How many there were, by kind.
    """

    def __init__(self, url: str, *, in_commit: float, seed: int) -> None:
        self._server = sa.make_url(url)
        self._share = in_commit
        self._rng = random.Random(seed)
        self._links: set[Link] = set()
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.cuts: Counter[str] = Counter()
        port = self._listener.getsockname()[1]
        through = self._server.set(host="127.0.0.1", port=port, query={"sslmode": "disable"})
        self.url = through.render_as_string(hide_password=False)

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # Closing alone does not wake the thread that waits in accept.
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._lock:
            links = list(self._links)
        for link in links:
            link.cut(reset=False)

    def cut_one(self) -> bool:
        """Cut a random connection, whatever it does; return whether there was one."""
        with self._lock:
            links = list(self._links)
        if not links:
            return False
        self._cut(self._rng.choice(links), "anywhere")
        return True

    def _cut(self, link: Link, kind: str) -> None:
        with self._lock:
            if link not in self._links:
                return
            self._links.remove(link)
            self.cuts[kind] += 1
        link.cut(reset=self._rng.random() < 0.5)

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            link = Link(client, self._connect())
            with self._lock:
                self._links.add(link)
            for pump in (self._to_server, self._to_client):
                threading.Thread(target=pump, args=(link,), daemon=True).start()

    def _connect(self) -> socket.socket:
        folder = self._server.query.get("host", self._server.host)
        port = self._server.port or 5432
        if str(folder).startswith("/"):
            server = socket.socket(socket.AF_UNIX)
            server.connect(f"{folder}/.s.PGSQL.{port}")
            return server
        return socket.create_connection((str(folder), port))

    def _to_server(self, link: Link) -> None:
        with suppress(OSError):
            while data := link.client.recv(65536):
                if _COMMIT in data and self._rng.random() < self._share:
                    how = self._rng.choice(("before COMMIT", "in COMMIT", "after COMMIT"))
                    if how != "before COMMIT":
                        link.withhold = True
                        link.server.sendall(data)
                    if how == "after COMMIT":
                        continue  # the answer's way back is where it is cut
                    self._cut(link, how)
                    return
                link.server.sendall(data)
        self._gone(link)

    def _to_client(self, link: Link) -> None:
        with suppress(OSError):
            while data := link.server.recv(65536):
                if link.withhold:
                    self._cut(link, "after COMMIT")
                    return
                link.client.sendall(data)
        self._gone(link)

    def _gone(self, link: Link) -> None:
        with self._lock:
            self._links.discard(link)
        link.cut(reset=False)
