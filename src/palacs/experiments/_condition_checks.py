"""Whether a comparison can be played under given conditions: what is wrong is found here.

The conditions themselves are `palacs.conditions`; this holds them against a data set, a budget
and the strategies, before a trial runs.
"""

from __future__ import annotations

from math import floor

from palacs.checks import check_count, check_number
from palacs.conditions import Conditions
from palacs.datasets import Dataset
from palacs.experiments import paper
from palacs.strategies import Strategy


def check_conditions(conditions: Conditions, dataset: Dataset) -> None:
    """Refuse conditions that do not fit the classes of a data set."""
    if not isinstance(conditions, Conditions):
        raise ValueError(
            f"conditions={conditions!r} are no palacs.Conditions; Conditions.from_dict reads a "
            "dictionary."
        )
    names = dataset.class_names
    coded = conditions.relabelled({name: code for code, name in enumerate(names)})
    codes = range(len(names))
    coded.cost_of(codes), coded.share_of(codes), coded.mistakes_of(codes)
    every = conditions.at_least_every
    if every is not None and every < len(names):
        raise ValueError(
            f"at_least_every={every} cannot hold for {len(names)} classes; raise it to at least "
            "the number of classes."
        )


def check_budget(
    budget: int | None,
    budget_cost: float | None,
    conditions: Conditions | None,
    dataset: Dataset,
) -> int:
    """Return the budget in acquisitions."""
    if budget_cost is None:
        if budget is None:
            raise ValueError("no budget is given; give a number of acquisitions, or budget_cost.")
        return check_count(budget, "budget")
    if budget is not None:
        raise ValueError(
            f"both budget={budget!r} and budget_cost={budget_cost!r} are given; give one of them."
        )
    if conditions is None or conditions.costs is None:
        raise ValueError(
            f"budget_cost={budget_cost!r} needs to know what an acquisition costs; give "
            "conditions with costs."
        )
    money = check_number(budget_cost, "budget_cost")
    costs = conditions.cost_of(dataset.class_names)
    if money < costs.max():
        raise ValueError(
            f"budget_cost={money:g} does not pay for one acquisition of every class, the dearest "
            f"costs {costs.max():g}; raise it."
        )
    # Whoever buys the cheapest only gets this many, if the data has as many.
    smallest = min(dataset.class_counts.values())
    test = dataset.n_classes * (min(paper.TEST_PER_CLASS, smallest // 2) + 1)
    return max(min(floor(money / float(costs.min())), len(dataset) - test), 1)


def check_limits(
    conditions: Conditions, dataset: Dataset, test_per_class: int, budget: int
) -> None:
    """Refuse limits under which a trial might come to a halt."""
    sizes = {name: n - test_per_class for name, n in dataset.class_counts.items()}
    caps = conditions.caps or {}
    room = sum(min(n, max(caps.get(name, n), 1)) for name, n in sizes.items())
    wanted = budget + dataset.n_classes
    if wanted > room:
        raise ValueError(
            f"caps={dict(caps)} leave room for {room - dataset.n_classes} acquisitions, but the "
            f"budget is {budget}; raise the caps or lower the budget."
        )
    if conditions.max_repeat is not None:
        usable = [min(n, caps.get(name, n)) for name, n in sizes.items()]
        if wanted > sum(usable) - max(usable):
            raise ValueError(
                f"max_repeat={conditions.max_repeat} may leave nothing to request: a budget of "
                f"{budget} can use up every class but one; use a budget of at most "
                f"{max(sum(usable) - max(usable) - dataset.n_classes, 0)}."
            )


def add_blind(
    named: dict[str, Strategy], conditions: Conditions | None, baseline: str
) -> tuple[str, ...]:
    """Add a twin of the first strategy that knows the limits only; return who is blind."""
    if conditions is None or conditions == conditions.limits_only():
        return ()
    first = next(iter(named))
    if first == baseline:
        return (baseline,)
    twin = f"{first} (blind)"
    named[twin] = named[first]
    return (twin, baseline)
