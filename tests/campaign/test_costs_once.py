"""One state of the record: conditions are read, and costs derived, once."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np
import pytest

from palacs import Conditions
from palacs.campaign import Campaign, create_campaign, load_campaign
from palacs.conditions import costs_from_totals
from palacs.storage import MemoryStorage

CLASSES = ["rest", "left", "right"]
COUNTED = {
    # mypy takes a class method for a function, which has no __func__.
    Conditions.from_dict.__func__.__code__: "read",  # type: ignore[attr-defined]
    Conditions.cost_of.__code__: "derived",
    costs_from_totals.__code__: "learned",
}


def calls_in(action: Callable[[], Any]) -> Counter[str]:
    """Return how often conditions are read and costs derived and learned meanwhile."""
    counted: Counter[str] = Counter()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code in COUNTED:
            counted[COUNTED[frame.f_code]] += 1

    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(None)
    return counted


def begun(conditions: Conditions) -> Campaign:
    storage = MemoryStorage()
    campaign = create_campaign(
        "c", CLASSES, storage=storage, seed=0, conditions=conditions, budget_cost=500.0
    )
    for _ in range(6):
        request = campaign.ask()
        campaign.tell(request, np.random.default_rng(0).normal(size=2), duration=5.0)
    return load_campaign("c", storage=storage)


@pytest.mark.parametrize("costs", [{"rest": 1, "left": 2, "right": 3}, "durations"], ids=str)
def test_one_ask_reads_the_conditions_once_and_adds_costs_up_once(costs: Any) -> None:
    campaign = begun(Conditions(costs=costs, max_repeat=3, caps=dict.fromkeys(CLASSES, 50)))
    counted = calls_in(lambda: campaign.ask_many(2))
    assert counted["read"] == 1
    # Once for what was spent, once by the strategy.
    assert counted["derived"] <= 2
    assert counted["learned"] == (1 if costs == "durations" else 0)
    assert calls_in(campaign.ask)["read"] == 0, "what was read stays read"


def test_the_count_sees_what_it_counts() -> None:
    conditions = Conditions(costs={"a": 1.0})
    counted = calls_in(lambda: Conditions.from_dict(conditions.to_dict()).cost_of(["a", "b"]))
    assert counted == {"read": 1, "derived": 1}
