"""Limits hold over the order of asking, whoever answers first and whatever gets lost."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest

from palacs import Conditions
from palacs.campaign import Campaign, Request, create_campaign, import_campaign, load_campaign
from palacs.storage import MemoryStorage

CLASSES = ["rest", "left", "right"]
RECORDS = Path(__file__).parent / "records"


class Laboratory:
    """Three people work at a time; some are slow, some fail, some never come back."""

    def __init__(self, seed: int, conditions: Conditions, strategy: str = "random") -> None:
        self.time = 1e9
        self.rng = np.random.default_rng(seed)
        self.storage = MemoryStorage(lambda: self.time)
        self.campaign = create_campaign(
            "lab",
            CLASSES,
            strategy=strategy,
            storage=self.storage,
            seed=seed,
            lease=60.0,
            conditions=conditions,
        )
        self.under_way: list[Request] = []

    def work(self, turns: int, *, losses: float = 0.0) -> list[object]:
        """Answer in random order; return the classes in the order of the record."""
        for _ in range(turns):
            self.time += self.rng.uniform(1, 10)
            while len(self.under_way) < 3:
                self.under_way.append(self.campaign.ask())
            request = self.under_way.pop(int(self.rng.integers(3)))
            fate = self.rng.uniform()
            if fate < losses / 2:
                self.campaign.fail(request, "lost")
            elif fate >= losses:  # in between nobody says a word and the lease ends
                self.campaign.tell(request, self.rng.normal(size=2))
        return order_of(self.campaign)


def order_of(campaign: Campaign) -> list[object]:
    return [event.label for event in campaign.events() if event.kind in ("asked", "added")]


def longest_run(order: Sequence[object]) -> int:
    return max(len(list(run)) for _, run in groupby(order))


def longest_wait(order: Sequence[object]) -> int:
    """Return the smallest number of requests in a row that always hold every class."""
    waits = []
    for label in CLASSES:
        at = [-1, *(i for i, asked in enumerate(order) if asked == label), len(order)]
        waits.append(int(np.diff(at).max()))
    return max(waits)


@pytest.mark.parametrize("losses", [0.0, 0.5], ids=["all answered", "half of them lost"])
@pytest.mark.parametrize("seed", range(30))
def test_limits_hold_with_three_requests_under_way(seed: int, losses: float) -> None:
    repeated = Laboratory(seed, Conditions(max_repeat=1)).work(30, losses=losses)
    assert longest_run(repeated) == 1
    due = Laboratory(seed, Conditions(at_least_every=5)).work(30, losses=losses)
    assert longest_wait(due) <= 5


def test_without_limits_the_same_laboratory_would_break_them() -> None:
    orders = [Laboratory(seed, Conditions(caps={"rest": 99})).work(30) for seed in range(5)]
    assert all(longest_run(order) > 1 for order in orders)
    assert all(longest_wait(order) > 5 for order in orders)


def test_an_unsolicited_instance_counts_where_it_was_recorded() -> None:
    lab = Laboratory(0, Conditions(max_repeat=1))
    for label in [*CLASSES, *CLASSES] * 3:
        lab.campaign.add(lab.rng.normal(size=2), label)
        assert lab.campaign.ask().label != label


def test_both_limits_hold_in_batches_and_after_loading() -> None:
    lab = Laboratory(3, Conditions(max_repeat=2, at_least_every=6), "uniform")
    for _ in range(8):
        batch = load_campaign("lab", storage=lab.storage).ask_many(4)
        for place in lab.rng.permutation(4)[:3]:
            lab.campaign.tell(batch[place], lab.rng.normal(size=2))
    order = order_of(lab.campaign)
    assert longest_run(order) <= 2
    assert longest_wait(order) <= 6
    assert lab.campaign.replay().ok


@pytest.mark.parametrize("strategy", ["uniform", "balanced-gain", "inverse"])
def test_what_was_decided_by_the_order_of_asking_replays(strategy: str) -> None:
    lab = Laboratory(1, Conditions(max_repeat=1, at_least_every=4), strategy)
    lab.work(20, losses=0.3)
    replay = load_campaign("lab", storage=lab.storage).replay()
    assert replay.ok
    assert replay.checked == lab.campaign.snapshot().n_asked
    assert replay.largest_difference == 0.0


def test_a_record_decided_by_the_order_of_telling_still_replays_and_goes_on() -> None:
    old = import_campaign(RECORDS / "order-of-telling.json", storage="memory")
    # It was made by three people at a time under max_repeat=2, which it broke.
    assert longest_run(order_of(old)) > 2
    before = old.replay()
    assert (before.ok, before.checked, before.largest_difference) == (True, 42, 0.0)
    fresh = [old.ask() for _ in range(9)]
    after = [request.label for request in fresh]
    assert longest_run(after) <= 2
    assert old.replay().ok
    asked = [event for event in old.events() if event.kind == "asked"]
    assert "because" in old.why(asked[20].entry).sentence


def test_read_by_the_order_of_asking_the_old_record_does_not_come_out(tmp_path: Path) -> None:
    text = (RECORDS / "order-of-telling.json").read_text()
    forged = tmp_path / "forged.json"
    forged.write_text(text.replace('"batch": 1', '"order": "asked", "batch": 1'))
    assert not import_campaign(forged, storage="memory").replay().ok


def test_strategies_are_told_the_order_only_where_it_is_another() -> None:
    campaign = create_campaign("c", CLASSES, storage="memory", seed=0)
    for i in range(5):
        campaign.tell(campaign.ask(), [float(i)])
    first, second = campaign.ask_many(2)
    assert campaign.snapshot().unusual_order() is None
    campaign.tell(second, [7.0])
    campaign.tell(first, [8.0])
    now = campaign.snapshot()
    order = now.unusual_order()
    if first.label == second.label:
        assert order is None
    else:
        assert order is not None
        assert [now.classes[code] for code in order] == order_of(campaign)


def test_a_snapshot_keeps_its_ids_when_more_arrives() -> None:
    campaign = create_campaign("c", CLASSES, storage="memory", seed=0)
    for i in range(3):
        campaign.add([float(i)], "rest", id=str(i))
    before = campaign.snapshot()
    campaign.add([3.0], "left", id="3")
    assert before.ids == ("0", "1", "2")
    campaign.retract("1")
    assert before.ids == ("0", "1", "2")
    assert campaign.snapshot().ids == ("0", "2", "3")
