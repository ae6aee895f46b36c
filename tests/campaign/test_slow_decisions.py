"""A decision that takes its time holds nobody up, and is within the limits when it is written."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import pytest

from palacs import Conditions, strategies
from palacs.campaign import BudgetExhausted, Campaign, NothingToAsk, create_campaign, load_campaign
from palacs.storage import Storage, open_storage
from palacs.studio._campaigns import StudioCampaign

MODULE = '''
"""A strategy that waits, in threads called slow, while a file is there."""

import threading
import time
from pathlib import Path

import numpy as np

from palacs.strategies import Strategy, StrategyInfo


class Waiting(Strategy):
    def __init__(self, folder=".", seconds=0.0, random_state=None):
        self.folder, self.seconds, self.random_state = folder, seconds, random_state

    def utilities(self, labelled, stream):
        if threading.current_thread().name.startswith("slow"):
            (Path(self.folder) / "deciding").touch()
            time.sleep(self.seconds)
            while (Path(self.folder) / "shut").exists():
                time.sleep(0.005)
        return np.arange(labelled.n_classes, dtype=float)


listing = StrategyInfo("waiting", "Waiting", Waiting, "waits")
'''


class Clock:
    """A clock that goes forward when told to."""

    time = 1_000_000.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder; decisions in slow threads wait while ``shut`` is in it."""
    (tmp_path / "waiting.py").write_text(MODULE)
    info = tmp_path / "waiting-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: waiting\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[palacs.strategies]\nwaiting = waiting:listing\n")
    monkeypatch.syspath_prepend(tmp_path)
    strategies.available.cache_clear()
    yield tmp_path
    (tmp_path / "shut").unlink(missing_ok=True)
    strategies.available.cache_clear()


def started(storage: Storage, gate: Path, *, seconds: float = 0.0, **settings: Any) -> Campaign:
    """A campaign with one instance of each class."""
    spec = {"name": "waiting", "params": {"folder": str(gate), "seconds": seconds}}
    campaign = create_campaign("c", ["a", "b"], strategy=spec, storage=storage, **settings)
    campaign.add([0.0], "a")
    campaign.add([1.0], "b")
    return campaign


@pytest.fixture
def slow() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1, thread_name_prefix="slow") as pool:
        yield pool


def asking(pool: ThreadPoolExecutor, campaign: Campaign, gate: Path) -> Future[Any]:
    """Let a slow thread begin to decide, and return when it does."""
    (gate / "shut").touch()
    outcome = pool.submit(campaign.ask)
    while not (gate / "deciding").exists():
        time.sleep(0.005)
    return outcome


def late_answer(campaign: Campaign, requests: list[Any]) -> None:
    campaign.tell(requests[0], [0.5])


def dear_answer(campaign: Campaign, requests: list[Any]) -> None:
    campaign.tell(requests[1], [0.5], cost=9.5)


def one_more(campaign: Campaign, requests: list[Any]) -> None:
    campaign.add([0.5], "a")


def closed_class(campaign: Campaign, requests: list[Any]) -> None:
    campaign.pause("a")
    campaign.pause("b")


@pytest.mark.parametrize(
    ("settings", "meanwhile", "refusal"),
    [
        ({"budget": 2}, late_answer, BudgetExhausted),
        ({"budget_cost": 10.0}, dear_answer, BudgetExhausted),
        ({"conditions": Conditions(caps={"a": 2, "b": 2})}, one_more, NothingToAsk),
        ({}, closed_class, NothingToAsk),
    ],
    ids=["budget", "cost", "caps", "paused"],
)
def test_what_comes_in_during_a_decision_cannot_break_a_limit(
    url: str,
    gate: Path,
    slow: ThreadPoolExecutor,
    settings: dict[str, Any],
    meanwhile: Callable[[Campaign, list[Any]], None],
    refusal: type[Exception],
) -> None:
    clock = Clock()
    with open_storage(url, create=True, clock=clock) as storage:
        campaign = started(storage, gate, lease=60, **settings)
        requests = [campaign.ask()]
        clock.time += 61  # the first one expires, and may still be answered
        requests.append(campaign.ask())
        before = campaign.status().states["pending"]
        outcome = asking(slow, load_campaign("c", storage=storage), gate)
        meanwhile(campaign, requests)
        (gate / "shut").unlink()
        with pytest.raises(refusal):
            outcome.result(30)
        assert campaign.status().states["pending"] <= before
        assert campaign.replay().ok


def test_tells_and_looks_go_on_while_a_decision_is_overtaken_again_and_again(
    url: str, gate: Path, slow: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("palacs.campaign._campaign._PATIENCE_S", 1.0)
    # A turn that lasted as long as the decision would fail every other writer on a file.
    address = f"{url}?timeout=1" if url.startswith("sqlite") else url
    with open_storage(address, create=True) as storage:
        campaign = started(storage, gate, seconds=2.0, lease=None)
        mine = load_campaign("c", storage=storage)
        outcome = slow.submit(mine.ask)
        longest, told = 0.0, 0
        while not outcome.done():
            begun = time.monotonic()
            campaign.tell(campaign.ask(), [0.1])  # decided at once: this thread is not slow
            assert mine.status().instances >= told
            longest, told = max(longest, time.monotonic() - begun), told + 1
            time.sleep(0.05)
        request = outcome.result()
        assert told > 20
        assert longest < 1.5
        asked = next(e for e in campaign.events() if e.entry == request.id)
        assert asked.payload["known"] < asked.seq - 1, "it was kept although others had asked"
        assert campaign.replay().ok
        assert mine.why(request).label == request.label


def test_in_the_studio_tells_and_looks_do_not_wait_for_a_decision_either(
    url: str, gate: Path, slow: ThreadPoolExecutor
) -> None:
    with open_storage(url, create=True) as storage:
        campaign = started(storage, gate)
        requests = campaign.ask_many(2)
        heard = threading.Event()
        shared = StudioCampaign(storage, storage.find("c"), lambda _: heard.set())
        outcome = asking(slow, shared, gate)
        begun = time.monotonic()
        shared.tell(requests[0], [0.1])
        shared.add([0.2], "a")
        assert shared.status().instances == 4
        assert heard.is_set()
        assert time.monotonic() - begun < 1.5
        assert not outcome.done()
        (gate / "shut").unlink()
        assert outcome.result(30).label in ("a", "b")
        assert shared.replay().ok


class Overtaken(Campaign):
    """A campaign in which somebody else always asks between a decision and its turn."""

    def __init__(self, campaign: Campaign) -> None:
        super().__init__(campaign.storage, campaign.storage.find(campaign.name))
        self._faster, self.turns = campaign, 0

    def writing(self) -> AbstractContextManager[None]:
        self._faster.ask()
        self.turns += 1
        return nullcontext()


def test_a_quick_decision_that_is_always_overtaken_is_kept_in_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("palacs.campaign._campaign._PATIENCE_S", 0.3)
    faster = create_campaign("c", ["a", "b", "c"], strategy="uniform", storage="memory")
    mine = Overtaken(faster)
    request = mine.ask()
    assert mine.turns > 4
    [asked] = [e for e in faster.events() if e.entry == request.id]
    assert asked.payload["known"] == asked.seq - 2
    assert faster.replay().ok
