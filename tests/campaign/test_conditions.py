"""Campaigns under conditions: kept in the record, honoured by ask, and replayed."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import palacs
from palacs import PALACS, Conditions
from palacs.campaign import BudgetExhausted, Campaign, NothingToAsk, create_campaign, load_campaign
from palacs.campaign._settings import Settings
from palacs.storage import Label, MemoryStorage

CLASSES = ["rest", "left", "right"]
CENTRES: dict[Label, float] = {"rest": 0.1, "left": 0.6, "right": 0.8, "feet": 0.4}


def start(**options: Any) -> Campaign:
    settings: dict[str, Any] = {"classes": CLASSES, "storage": "memory", "seed": 0, **options}
    return create_campaign("conditions", **settings)


def answer(campaign: Campaign, n: int, **told: Any) -> list[Label]:
    """Answer n requests one after the other; return the classes asked for."""
    rng = np.random.default_rng(campaign.status().instances)
    asked = []
    for _ in range(n):
        request = campaign.ask()
        campaign.tell(request, rng.normal(CENTRES[request.label], 0.1, 2), **told)
        asked.append(request.label)
    return asked


def give(campaign: Campaign, n: int) -> None:
    """Add n instances, equally many of every class."""
    rng = np.random.default_rng(0)
    for i in range(n):
        label = CLASSES[i % 3]
        campaign.add(rng.normal(CENTRES[label], 0.1, 2), label)


def test_conditions_are_kept_and_any_process_honours_them() -> None:
    storage = MemoryStorage()
    conditions = Conditions(
        costs={"rest": 1, "left": 1, "right": 9},
        proportions={"rest": 1, "left": 2, "right": 1},
        mistakes={"left": {"rest": 3}},
        max_repeat=2,
    )
    campaign = start(storage=storage, conditions=conditions, strategy="uniform")
    asked = answer(campaign, 10)
    again = load_campaign("conditions", storage=storage)
    assert again.settings.conditions is not None
    assert Conditions.from_dict(again.settings.conditions) == conditions
    asked += answer(again, 20)
    assert asked.count("right") < asked.count("left")
    assert all(len(set(asked[i : i + 3])) > 1 for i in range(len(asked) - 2))
    replay = again.replay()
    assert replay.ok
    assert replay.checked == 30
    assert replay.largest_difference == 0


def test_a_campaign_survives_export_with_its_conditions(tmp_path) -> None:
    campaign = start(conditions=Conditions(max_repeat=1), budget_cost=40.0)
    answer(campaign, 5)
    again = palacs.campaign.import_campaign(
        campaign.export(tmp_path / "record.json"), storage="memory"
    )
    assert again.settings == campaign.settings
    assert again.replay().ok


def test_records_without_conditions_are_read_as_before() -> None:
    plain = start()
    payload = json.loads(json.dumps(plain.settings.to_payload()))
    assert "conditions" not in payload
    assert "budget_cost" not in payload
    assert Settings.from_payload(payload) == plain.settings


def test_caps_end_a_campaign_with_a_clear_message_and_shorten_a_batch() -> None:
    campaign = start(conditions=Conditions(caps=dict.fromkeys(CLASSES, 2)), strategy="random")
    first = answer(campaign, 4)
    rest = campaign.ask_many(10)
    assert len(rest) == 2
    everything = [*first, *(request.label for request in rest)]
    assert sorted(everything) == sorted(CLASSES * 2)
    with pytest.raises(NothingToAsk, match=r"reached its cap, caps=.*; resume another class"):
        campaign.ask()
    campaign.fail(rest[0])
    assert campaign.ask().label == rest[0].label


def test_repetitions_that_leave_nothing_to_ask_are_said_to() -> None:
    campaign = start(conditions=Conditions(max_repeat=1))
    answer(campaign, 3)
    last = campaign.history()["asked"].iloc[-1]
    for label in CLASSES:
        if label != last:
            campaign.pause(label)
    with pytest.raises(NothingToAsk, match=r"only .* may be requested, .* max_repeat=1"):
        campaign.ask()


def test_a_budget_in_money_counts_what_was_told_and_what_is_under_way() -> None:
    conditions = Conditions(costs={"rest": 1, "left": 1, "right": 5})
    campaign = start(conditions=conditions, budget_cost=12.0, strategy="uniform")
    requests = campaign.ask_many(3)
    assert len(requests) == 2  # whatever comes, each may cost 5
    campaign.tell(requests[0], [0.1, 0.2], cost=4.0)
    assert campaign.status().spent == 4.0
    assert campaign.status().budget_cost == 12.0
    while True:
        try:
            request = campaign.ask()
        except BudgetExhausted as error:
            # How many requests come before it is not the matter.
            assert "budget_cost of 12" in str(error)  # noqa: PT017
            break
        campaign.tell(request, [0.3, 0.4])
    campaign.tell(requests[1], [0.5, 0.6])
    assert campaign.status().spent <= 12.0
    assert campaign.status().to_json()["spent"] == campaign.status().spent
    assert campaign.replay().ok


def test_costs_can_be_learned_from_recorded_durations() -> None:
    campaign = start(conditions=Conditions(costs="durations"), strategy="uniform")
    rng = np.random.default_rng(0)
    asked = []
    for _ in range(40):
        request = campaign.ask()
        slow = 90.0 if request.label == "right" else 10.0
        campaign.tell(request, rng.normal(CENTRES[request.label], 0.1, 2), duration=slow)
        asked.append(request.label)
    assert asked.count("right") < 0.25 * asked.count("left")
    assert campaign.replay().ok


def test_the_model_decides_by_the_proportions_in_use() -> None:
    known = Conditions(proportions={"rest": 1, "left": 1, "right": 8})
    told, plain = start(conditions=known, strategy="uniform"), start(strategy="uniform")
    for campaign in (told, plain):
        for i, label in enumerate(CLASSES * 6):
            campaign.add(np.full(2, CENTRES[label] + 0.02 * (i // 3)), label)
    between = [[0.72, 0.72]]
    right = told.classes.index("right")
    order = np.argsort(told.classes).tolist().index(right)
    assert (
        told.model().predict_proba(between)[0, order]
        > plain.model().predict_proba(between)[0, order]
    )


def test_a_class_can_appear_and_be_dropped_in_the_middle() -> None:
    conditions = Conditions(costs={"rest": 1, "left": 2, "right": 3}, at_least_every=6)
    campaign = start(conditions=conditions)
    answer(campaign, 6)
    campaign.add_class("feet")
    assert answer(campaign, 1) == ["feet"]
    campaign.pause("rest")
    assert "rest" not in answer(campaign, 8)
    assert "rest" in campaign.model().classes_  # what was acquired still counts
    assert campaign.replay().ok


def test_a_class_for_which_there_is_no_room_is_refused() -> None:
    campaign = start(conditions=Conditions(at_least_every=3))
    with pytest.raises(ValueError, match=r"at_least_every=3 cannot hold for 4 classes"):
        campaign.add_class("feet")
    assert campaign.classes == CLASSES


def test_stopping_is_a_suggestion_with_its_evidence() -> None:
    campaign = start(strategy="uniform")
    early = campaign.stopping()
    assert not early.stop
    assert "Fewer than two classes have instances" in early.reason
    answer(campaign, 30)
    assert "a class has 10 of 30 instances" in campaign.stopping(good_enough=1.0).reason
    answer(campaign, 60)
    assert not campaign.stopping(tolerance=0.0).stop
    enough = campaign.stopping(good_enough=0.5)
    assert enough.stop
    assert "at most 0.5, which is good enough" in enough.reason
    campaign.ask()  # nothing is forced


def test_the_error_that_stopping_speaks_of_is_that_in_use() -> None:
    def error(**proportions: float) -> float:
        conditions = Conditions(proportions=proportions)
        campaign = start(strategy="uniform", conditions=conditions)
        give(campaign, 60)
        curve = campaign.stopping().curve
        assert curve is not None
        return float(curve.errors[-1])

    # Rest is apart; left and right overlap.
    assert error(rest=8, left=1, right=1) < error(rest=1, left=1, right=1)


@pytest.mark.parametrize("budget", [15, 60, 120])
def test_the_advice_on_stopping_is_the_same_whichever_strategy_asked(budget: int) -> None:
    def reason(strategy: Any) -> str:
        campaign = start(strategy=strategy)
        give(campaign, budget)
        return campaign.stopping(tolerance=0.5).reason

    assert len({reason(s) for s in ("uniform", "random", PALACS(bandwidth="auto"))}) == 1


@pytest.mark.parametrize("conditions", [None, Conditions(proportions={"left": 3, "feet": 2})])
def test_only_classes_that_are_not_paused_must_have_an_instance(
    conditions: Conditions | None,
) -> None:
    campaign = start(classes=[*CLASSES, "feet"], strategy="uniform", conditions=conditions)
    give(campaign, 90)
    assert "no instance of 'feet' yet" in campaign.stopping(good_enough=0.5).reason
    campaign.pause("feet")
    assert campaign.stopping(good_enough=0.5).stop


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"conditions": Conditions(costs={"feet": 1})}, r"name 'feet', which is not one of"),
        ({"conditions": {"cost": {}}}, r"name 'cost', which is no field"),
        ({"conditions": {"costs": "minutes"}}, r'or be "durations", got \'minutes\''),
        ({"conditions": Conditions(at_least_every=2)}, r"at_least_every=2 cannot hold for 3"),
        ({"budget_cost": -1.0}, r"budget_cost"),
    ],
)
def test_bad_conditions_are_refused_before_anything_is_written(options, message) -> None:
    storage = MemoryStorage()
    with pytest.raises(ValueError, match=message):
        start(storage=storage, **options)
    assert list(storage.campaigns()) == []
