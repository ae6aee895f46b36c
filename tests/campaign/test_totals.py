"""What was spent and how long recordings took, without going through the record again."""

from __future__ import annotations

import numpy as np
import pytest

from palacs import Conditions, learn_costs
from palacs.campaign import create_campaign
from palacs.campaign._totals import exact, rounded

CLASSES = ["rest", "left", "right"]


@pytest.mark.parametrize("value", [0.0, 0.1, 5e-324, 2.5, 1e300, 1.7976931348623157e308])
def test_an_exact_sum_gives_back_what_is_left(value: float) -> None:
    assert rounded(exact(value)) == value
    assert rounded(exact(value) + exact(1e17) + exact(0.3) - exact(1e17) - exact(0.3)) == value


def test_learned_costs_are_those_of_the_instances_that_count() -> None:
    campaign = create_campaign(
        "c", CLASSES, storage="memory", seed=0, conditions=Conditions(costs="durations")
    )
    rng = np.random.default_rng(0)
    durations: dict[object, list[float]] = {label: [] for label in CLASSES}
    for i in range(30):
        took = float(rng.uniform(0.1, 9))
        instance = campaign.tell(campaign.ask(), rng.normal(size=2), duration=took)
        if i % 4 == 3:
            campaign.retract(instance)
        else:
            durations[instance.label].append(took)
    conditions = campaign.snapshot().conditions
    assert conditions is not None
    assert conditions.costs == learn_costs(durations)


def test_what_was_spent_counts_every_answered_request_once() -> None:
    campaign = create_campaign(
        "c",
        CLASSES,
        storage="memory",
        seed=0,
        conditions=Conditions(costs={"rest": 2, "left": 2, "right": 2}),
        budget_cost=100.0,
    )
    told = campaign.tell(campaign.ask(), [0.0])
    campaign.tell(campaign.ask(), [1.0], cost=0.25)
    campaign.add([2.0], "rest", cost=50.0)
    campaign.fail(campaign.ask())
    campaign.ask()
    campaign.retract(told)
    assert campaign.status().spent == 2.25
    assert campaign.snapshot().spending.under_way == 2.0
