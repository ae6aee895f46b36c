"""A connection that breaks while a turn ends: nobody knows, all are told, repeating is safe."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import sqlalchemy as sa

from palacs.campaign import create_campaign, load_campaign
from palacs.storage import Draft, StorageOutcomeUnknown, StorageUnavailable, open_storage


class Proxy:
    """Stands between a client and the server, and cuts the connection where it is told to."""

    def __init__(self, server: str) -> None:
        self.cut: str | None = None  # "before" or "after" the server has got the commit
        self._server = server
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(self._server)
            threading.Thread(target=self._upwards, args=(client, server), daemon=True).start()
            threading.Thread(target=self._downwards, args=(server, client), daemon=True).start()

    def _upwards(self, client: socket.socket, server: socket.socket) -> None:
        wrote = False
        while data := _received(client):
            wrote = wrote or b"INSERT" in data
            commits = wrote and b"COMMIT\0" in data
            if commits and self.cut == "before":
                break
            if commits and self.cut == "after":
                # The server commits; its answer does not come back.
                _hang_up(client)
                _send(server, data)
                threading.Event().wait(0.3)
                break
            _send(server, data)
        _hang_up(client)
        _hang_up(server)

    def _downwards(self, server: socket.socket, client: socket.socket) -> None:
        while data := _received(server):
            _send(client, data)
        _hang_up(client)

    def close(self) -> None:
        self._listening.close()


def _send(end: socket.socket, data: bytes) -> None:
    with suppress(OSError):
        end.sendall(data)


def _hang_up(end: socket.socket) -> None:
    # Closing alone would wait for the other thread, which is listening.
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)


def _received(end: socket.socket) -> bytes:
    try:
        return end.recv(65536)
    except OSError:
        return b""


@pytest.fixture
def proxied(new_postgresql) -> Iterator[tuple[Proxy, str, str]]:
    """A proxy, the address through it, and the address past it."""
    direct = new_postgresql()
    url = sa.make_url(direct)
    folder = str(url.query.get("host") or url.host)
    proxy = Proxy(str(next(Path(folder).glob(".s.PGSQL.*[0-9]"))))
    through = url.set(host="127.0.0.1", port=proxy.port).difference_update_query(["host"])
    yield proxy, through.render_as_string(False), direct
    proxy.close()


@pytest.mark.parametrize("cut", ["before", "after"])
def test_a_connection_cut_at_the_commit_leaves_the_outcome_unknown(
    proxied: tuple[Proxy, str, str], cut: str
) -> None:
    proxy, through, direct = proxied
    with open_storage(through, create=True) as storage:
        key = storage.create("c", [Draft("created")]).key

        def write() -> None:
            with storage.write(key) as turn:
                turn.append([Draft("told", "r1", "a", b"12345678", op="mine")])

        proxy.cut = cut
        with pytest.raises(StorageOutcomeUnknown, match="unknown whether it was kept") as caught:
            write()
        assert "same operation id" in str(caught.value)
        assert isinstance(caught.value, StorageUnavailable)
        proxy.cut = None
        with open_storage(direct) as past:
            assert [e.kind for e in past.events(key)[1:]] == ([] if cut == "before" else ["told"])
        # The storage goes on, with a new connection.
        with storage.write(key) as turn:
            if not turn.operation("mine"):
                turn.append([Draft("told", "r1", "a", b"12345678", op="mine")])
        assert [event.op for event in storage.events(key)] == [None, "mine"]


@pytest.mark.parametrize("cut", ["before", "after"])
def test_repeating_with_the_same_id_adds_once(proxied: tuple[Proxy, str, str], cut: str) -> None:
    proxy, through, direct = proxied
    with create_campaign("c", ["a", "b"], strategy="uniform", storage=through) as campaign:
        proxy.cut = cut
        with pytest.raises(StorageOutcomeUnknown):
            campaign.add([1.0], "a", op="o-1")
        with pytest.raises(StorageOutcomeUnknown):
            campaign.ask(op="o-2")
        proxy.cut = None
        campaign.add([1.0], "a", op="o-1")
        asked = campaign.ask(op="o-2")
    with load_campaign("c", storage=direct) as found:
        assert found.status().instances == 1
        assert [request.id for request in found.pending()] == [asked.id]


def test_a_connection_cut_before_the_end_is_plainly_unavailable(
    proxied: tuple[Proxy, str, str],
) -> None:
    _, through, direct = proxied
    with open_storage(through, create=True) as storage:
        key = storage.create("c", [Draft("created")]).key
        engine = sa.create_engine(direct, isolation_level="AUTOCOMMIT")

        def write() -> None:
            with storage.write(key) as turn, engine.connect() as admin:
                admin.exec_driver_sql(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
                turn.append([Draft("paused")])

        with pytest.raises(StorageUnavailable) as caught:
            write()
        engine.dispose()
        assert not isinstance(caught.value, StorageOutcomeUnknown)
        assert len(storage.events(key)) == 1


def test_too_many_threads_for_the_connections_is_unavailable(new_postgresql) -> None:
    with open_storage(new_postgresql(), create=True) as storage:
        campaigns = [storage.create(f"c{i}", [Draft("created")]).key for i in range(15)]
        storage._writers.pool._timeout = 0.2  # type: ignore[attr-defined]
        started = threading.Barrier(16)
        done = threading.Event()

        def hold(key: int) -> None:
            with storage.write(key):
                started.wait()
                done.wait()

        threads = [threading.Thread(target=hold, args=(key,)) for key in campaigns]
        for thread in threads:
            thread.start()
        started.wait()
        with (
            pytest.raises(StorageUnavailable, match="too many threads"),
            storage.write(campaigns[0]),
        ):
            pass
        # Readers have connections of their own.
        assert len(storage.campaigns()) == 15
        done.set()
        for thread in threads:
            thread.join()
