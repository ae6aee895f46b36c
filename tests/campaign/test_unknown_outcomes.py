"""Nobody can know whether a call happened whose answer was lost; repeating it is harmless."""

from __future__ import annotations

import select
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import sqlalchemy as sa

from palacs.campaign import Campaign, Request, create_campaign, load_campaign
from palacs.storage import StorageOutcomeUnknown, open_storage

CALLS: dict[str, Callable[[Campaign, str], Any]] = {
    "ask": lambda c, op: c.ask(op=op).id,
    "add": lambda c, op: c.add([1.0, 2.0], "b", op=op).id,
    "undo": lambda c, op: getattr(c.undo(op=op), "id", None),
    "add_class": lambda c, op: c.add_class("d", op=op),
}


class Cutter:
    """A wire to PostgreSQL that breaks once: after something was kept, before the answer comes."""

    def __init__(self, server: sa.URL, folder: str) -> None:
        self.armed = threading.Event()
        self.after = threading.Event()  # break after the answer to the next commit
        self.down = threading.Event()
        self.url = server.set(query={"host": folder}).render_as_string(False)
        self._server = f"{server.query['host']}/.s.PGSQL.5432"
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(f"{folder}/.s.PGSQL.5432")
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._carry, args=(client,), daemon=True).start()

    def _carry(self, client: socket.socket) -> None:
        # Whoever hung up has heard enough.
        with suppress(ConnectionError), client, socket.socket(socket.AF_UNIX) as server:
            server.connect(self._server)
            writes = False
            while True:
                for end in select.select([client, server], [], [])[0]:
                    data = end.recv(65536)
                    if not data or self.down.is_set():
                        return
                    (server if end is client else client).sendall(data)
                    writes |= b"INSERT INTO palacs_events" in data
                    if end is client and b"COMMIT" in data:
                        if writes and self.armed.is_set():
                            self.armed.clear()
                            server.recv(65536)  # it is kept, and nobody hears of it
                            return
                        if writes and self.after.is_set():
                            client.sendall(server.recv(65536))
                            self.down.set()
                            return
                        writes = False

    def close(self) -> None:
        self._listener.close()


@pytest.fixture
def cutter(new_postgresql: Callable[[], str]) -> Iterator[Cutter]:
    with TemporaryDirectory(prefix="palacs-cut-") as folder:
        cutter = Cutter(sa.make_url(new_postgresql()), folder)
        yield cutter
        cutter.close()


@pytest.mark.parametrize("name", CALLS)
def test_a_connection_cut_between_commit_and_answer_does_nothing_twice(
    cutter: Cutter, name: str
) -> None:
    with open_storage(cutter.url, create=True) as storage:
        campaign = create_campaign("c", ["a", "b"], strategy="uniform", storage=storage)
        campaign.add([0.0, 0.0], "a")
        before = len(campaign.events())
        cutter.armed.set()
        with pytest.raises(StorageOutcomeUnknown, match="unknown whether it was kept"):
            CALLS[name](campaign, "op-1")
        assert not cutter.armed.is_set()
        outcome = CALLS[name](campaign, "op-1")
        written = campaign.events(before)
        assert [event.op for event in written] == ["op-1"]
        assert outcome == written[0].entry
        assert CALLS[name](campaign, "op-1") == outcome
        assert campaign.events(before) == written


def test_a_connection_cut_after_the_commit_says_that_it_was_kept(cutter: Cutter) -> None:
    with open_storage(cutter.url, create=True) as storage:
        campaign = create_campaign("c", ["a", "b"], strategy="uniform", storage=storage)
        campaign.performed(campaign.ask())
        before = len(campaign.events())
        cutter.after.set()
        with pytest.raises(StorageOutcomeUnknown, match=r"was kept, .*same id \('op-1'\)"):
            campaign.undo(op="op-1")
        cutter.after.clear()
        cutter.down.clear()
        undone = campaign.undo(op="op-1")
        assert [event.op for event in campaign.events(before)] == ["op-1"]
        assert undone is not None
        assert campaign.pending() == []


def test_without_an_id_the_outcome_can_be_looked_up(cutter: Cutter) -> None:
    with open_storage(cutter.url, create=True) as storage:
        campaign = create_campaign("c", ["a", "b"], strategy="uniform", storage=storage)
        cutter.armed.set()
        with pytest.raises(StorageOutcomeUnknown):
            campaign.ask()
        assert len(campaign.pending()) == 1


DYING = """
import os, sys
from contextlib import contextmanager
from palacs.campaign import Campaign
from palacs.storage import open_storage

class Dying(Campaign):
    @contextmanager
    def writing(self):
        yield
        if len(self.events()) > {before}:
            os._exit(9)  # written, and nobody hears of it

storage = open_storage({url!r})
campaign = Dying(storage, storage.find("c"))
{call}
"""

DEATHS = {
    "ask": "campaign.ask(op='op-1')",
    "add": "campaign.add([1.0, 2.0], 'b', op='op-1')",
    "undo": "campaign.undo(op='op-1')",
    "add_class": "campaign.add_class('d', op='op-1')",
}


@pytest.mark.parametrize("name", DEATHS)
def test_a_process_killed_between_commit_and_answer_can_be_repeated(
    url: str, name: str, warm
) -> None:
    with create_campaign("c", ["a", "b"], strategy="uniform", storage=url) as campaign:
        campaign.add([0.0, 0.0], "a")
        before = len(campaign.events())
    code = DYING.format(before=before, url=url, call=DEATHS[name])
    assert warm(code).returncode == 9
    with load_campaign("c", storage=url) as campaign:
        written = campaign.events(before)
        assert [event.op for event in written] == ["op-1"]
        CALLS[name](campaign, "op-1")
        assert campaign.events(before) == written


def test_a_run_goes_on_over_connections_that_are_cut_and_records_nothing_twice(
    cutter: Cutter,
) -> None:
    with open_storage(cutter.url, create=True) as storage:
        campaign = create_campaign("c", ["a", "b"], strategy="uniform", storage=storage)

        def acquire(request: Request) -> list[float]:
            cutter.armed.set()  # telling it is cut
            return [1.0, 2.0]

        # ... and so is asking for the next.
        run = campaign.run(acquire, until=3, on_told=lambda instance: cutter.armed.set())
        states = list(campaign.history()["state"])
    assert (run.told, run.failed, states) == (3, 0, ["delivered"] * 3)
