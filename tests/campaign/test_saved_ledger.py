"""A ledger that was put away is the one that the events add up to, or it is not used."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palacs import Conditions
from palacs.campaign import Campaign, CampaignError, create_campaign, load_campaign
from palacs.campaign import _reader as reader
from palacs.campaign import _saved_ledger as saved
from palacs.campaign._ledger import Ledger
from palacs.campaign._snapshot import snapshot_of
from palacs.storage import Draft, Storage, StorageDamaged, StorageUnavailable, open_storage

CLASSES = ["rest", "left", "right"]
OPERATIONS = (
    "ask",
    "ask two",
    "tell",
    "tell late",
    "add",
    "fail",
    "performed",
    "renew",
    "retract",
    "retract all",
    "pause",
    "resume",
    "add class",
    "rename class",
    "change lease",
    "clock on",
    "clock back",
    "save",
)


@contextmanager
def begun() -> Iterator[tuple[Campaign, list[float]]]:
    clock = [1000.0]
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/c.db"
        with open_storage(url, create=True, clock=lambda: clock[0]) as storage:
            campaign = create_campaign(
                "c",
                CLASSES,
                strategy="uniform",
                storage=storage,
                seed=0,
                lease=50,
                conditions=Conditions(costs="durations"),
                budget_cost=1e6,
            )
            yield campaign, clock


def folded(storage: Storage, key: int) -> Ledger:
    ledger = Ledger()
    for event in storage.events(key):
        ledger.apply(event)
    return ledger


def taken_out(campaign: Campaign) -> Ledger | None:
    """Return the ledger that was put away, with the events since."""
    ledger = saved.load_ledger(campaign.storage, campaign._stored.key)
    if ledger is not None:
        for event in campaign.storage.events(campaign._stored.key, ledger.seq):
            ledger.apply(event)
    return ledger


def seen(ledger: Ledger, at: float) -> dict[str, Any]:
    """Return everything that anybody can see of a ledger."""
    now = snapshot_of(ledger, at)
    fields = {k: v for k, v in vars(ledger).items() if k not in saved._APART}
    return {
        **fields,
        "settings": ledger.settings,
        "totals": vars(ledger.totals),
        # As text: one that is no number differs from itself.
        "latest_utilities": repr(ledger.latest_utilities),
        "entries": list(map(repr, ledger.entries.values())),
        "open": list(map(repr, ledger.open_requests())),
        "states": ledger.states(at),
        "pending": list(map(repr, ledger.pending(at))),
        "x": [None if (x := ledger.x(e)) is None else x.tolist() for e in ledger.entries.values()],
        "X": now.X.tolist(),
        "scaled": now.scaled.tolist(),
        "limits": [limit.tolist() for limit in now.limits],
        "codes": now.codes.tolist(),
        "ids": now.ids,
        "conditions": now.conditions,
        "spending": now.spending,
    }


def do(campaign: Campaign, clock: list[float], what: str, n: int) -> None:
    pending = campaign.pending()
    delivered = campaign.history().query("state == 'delivered'")["id"].tolist()
    expired = campaign.history().query("state == 'expired'")["id"].tolist()
    x, label = [n / 3, -1.0], campaign.classes[n % len(campaign.classes)]
    match what:
        case "ask" | "ask two":
            campaign.ask_many(1 if what == "ask" else 2)
        case "tell" if pending:
            campaign.tell(pending[n % len(pending)], x, label, duration=n / 7, cost=n / 10)
        case "tell late" if expired:
            campaign.tell(expired[n % len(expired)], x)
        case "add":
            campaign.add(x, label, duration=0.1 * n)
        case "fail" if pending:
            campaign.fail(pending[n % len(pending)], "dropped")
        case "performed" if pending:
            campaign.performed(pending[n % len(pending)])
        case "renew" if pending:
            campaign.renew(pending[n % len(pending)])
        case "retract" if delivered:
            campaign.retract(delivered[n % len(delivered)], "moved")
        case "retract all":
            for id_ in delivered:
                campaign.retract(id_)
        case "pause":
            campaign.pause(label)
        case "resume":
            campaign.resume(label)
        case "add class":
            campaign.add_class(f"new {n} {campaign._ledger.seq}")
        case "rename class":
            campaign.rename_class(label, f"other {n} {campaign._ledger.seq}", "clearer")
        case "change lease":
            campaign.change(lease=10.0 + n, reason="slow")
        case "clock on":
            clock[0] += 10.0 * n
        case "clock back":
            clock[0] -= 10.0 * n
        case "save":
            campaign._refresh()
            assert saved.save_ledger(campaign.storage, campaign._stored.key, campaign._ledger)


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(OPERATIONS), st.integers(0, 9)), max_size=25),
    st.lists(st.tuples(st.sampled_from(OPERATIONS), st.integers(0, 9)), max_size=10),
)
def test_put_away_and_taken_out_is_the_same_as_folded(before: Any, after: Any) -> None:
    with begun() as (campaign, clock):
        for what, n in [("ask two", 0), ("tell", 1), *before, ("save", 0), *after]:
            try:
                do(campaign, clock, what, n)
            except CampaignError:
                continue  # a rule said no; the record is what it was
        ledger = taken_out(campaign)
        assert ledger is not None
        expected = folded(campaign.storage, campaign._stored.key)
        for at in (clock[0], clock[0] - 45, clock[0] + 45):
            assert seen(ledger, at) == seen(expected, at)
        for id_ in expected.entries:
            assert repr(ledger.entries[id_]) == repr(expected.entries[id_])


@pytest.fixture
def long_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the address of a campaign that its next reader puts away."""
    monkeypatch.setattr(reader, "worth_saving", lambda seq, folded: folded > 20)
    url = f"sqlite:///{tmp_path}/c.db"
    rng = np.random.default_rng(0)
    with create_campaign("c", CLASSES, strategy="uniform", storage=url, seed=0) as campaign:
        for _ in range(15):
            campaign.tell(campaign.ask(), rng.normal(size=3))
        campaign.ask()
    load_campaign("c", storage=url).close()
    assert _file(url).execute("SELECT count(*) FROM palacs_snapshots").fetchone() == (3,)
    return url


def _file(url: str) -> sqlite3.Connection:
    return sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)


def _uses_it(url: str) -> bool:
    with open_storage(url) as storage:
        return saved.load_ledger(storage, storage.find("c").key) is not None


def test_the_next_process_reads_only_what_is_new(long_record: str) -> None:
    assert _uses_it(long_record)
    with load_campaign("c", storage=long_record) as campaign:
        told = campaign.tell(campaign.pending()[0], [1.0, 2.0, 3.0])
    with load_campaign("c", storage=long_record) as campaign:
        assert campaign.status().instances == 16
        assert campaign.instance(told.id).x.tolist() == [1.0, 2.0, 3.0]
        assert campaign.labelled_set()[0].shape == (16, 3)
        assert campaign.replay().ok


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE palacs_snapshots SET data = data || x'20' WHERE part = 'ledger'",
        "UPDATE palacs_snapshots SET format = '0'",
        "UPDATE palacs_snapshots SET seq = seq - 1 WHERE part = 'ledger'",
        "UPDATE palacs_snapshots SET seq = seq + 1 WHERE part = 'ledger'",
        "UPDATE palacs_snapshots SET chain = zeroblob(32)",
        "UPDATE palacs_campaigns SET chain = zeroblob(32)",
        "UPDATE palacs_snapshots SET data = zeroblob(length(data)) WHERE part = 'entries'",
        "DELETE FROM palacs_snapshots WHERE part = 'entries'",
        "DELETE FROM palacs_snapshots WHERE part = 'ledger'",
        "DELETE FROM palacs_snapshots",
    ],
)
def test_what_is_doubtful_is_not_used(long_record: str, damage: str) -> None:
    _file(long_record).execute(damage)
    assert not _uses_it(long_record)


def test_a_lost_end_is_noticed_although_there_is_a_snapshot(long_record: str) -> None:
    file = _file(long_record)
    file.execute("DROP TRIGGER palacs_no_delete")
    file.execute("DELETE FROM palacs_events WHERE seq = (SELECT max(seq) FROM palacs_events)")
    assert not _uses_it(long_record)
    with pytest.raises(StorageDamaged):
        load_campaign("c", storage=long_record)


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM palacs_snapshots WHERE part = 'x0'",
        "UPDATE palacs_snapshots SET data = zeroblob(length(data)) WHERE part = 'x0'",
        "UPDATE palacs_snapshots SET data = zeroblob(8), checksum = x'00' WHERE part = 'x0'",
    ],
)
def test_features_that_are_doubtful_come_from_the_events(long_record: str, damage: str) -> None:
    with load_campaign("c", storage=long_record) as campaign:
        expected = campaign.labelled_set()[0]
        _file(long_record).execute(damage)
        assert _uses_it(long_record)
    with load_campaign("c", storage=long_record) as campaign:
        assert np.array_equal(campaign.labelled_set()[0], expected)


def test_nothing_is_put_away_for_a_record_that_moved_on(long_record: str) -> None:
    with load_campaign("c", storage=long_record) as behind:
        ledger, key = behind._ledger, behind._stored.key
        with load_campaign("c", storage=long_record) as other:
            other.ask()
        assert not saved.save_ledger(behind.storage, key, ledger)


def test_a_file_that_may_only_be_read_is_read(long_record: str) -> None:
    _file(long_record).execute("DELETE FROM palacs_snapshots")
    writer = _file(long_record)
    writer.execute("BEGIN IMMEDIATE")  # nobody else can write, and nobody waits for it
    with load_campaign("c", storage=long_record) as campaign:
        assert campaign.status().instances == 15
    writer.execute("ROLLBACK")
    assert not _uses_it(long_record)


def test_both_databases_keep_it_until_something_is_erased(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "worth_saving", lambda seq, folded: folded > 20)
    with create_campaign("c", CLASSES, strategy="uniform", storage=url, seed=0) as campaign:
        for i in range(12):
            campaign.tell(campaign.ask(), [i / 7, -1.0])
    load_campaign("c", storage=url).close()
    with load_campaign("c", storage=url) as campaign:
        ledger, key = taken_out(campaign), campaign._stored.key
        assert ledger is not None
        expected = folded(campaign.storage, key)
        assert seen(ledger, campaign.storage.now()) == seen(expected, campaign.storage.now())
        with campaign.storage.write(key) as turn:
            turn.erase([3], Draft("erased", payload={"entries": 1, "reason": "withdrew"}))
        assert campaign.storage.snapshot_parts(key) == {}
        with pytest.raises(StorageUnavailable, match="load the campaign again"):
            saved.save_ledger(campaign.storage, key, ledger)
        assert campaign.storage.snapshot_parts(key) == {}
        assert campaign.status().instances == 11


def test_a_short_record_is_not_put_away() -> None:
    assert not saved.worth_saving(2000, 2000)
    assert saved.worth_saving(2001, 2001)
    assert not saved.worth_saving(100_000, 3000)
    assert saved.worth_saving(100_000, 6000)
