"""The conditions of a campaign as of now: learned costs, and what was spent.

All of it follows from the ledger, so that a decision can be made again from the record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from palacs.campaign._ledger import Entry, Ledger
from palacs.storage import Label

if TYPE_CHECKING:
    from palacs.conditions import Conditions, Spending


def conditions_of(ledger: Ledger) -> Conditions | None:
    """Return the conditions in force, with costs learned from the durations recorded so far."""
    conditions = ledger.conditions
    if conditions is None:
        return None
    from palacs.conditions import DURATIONS

    if conditions.costs != DURATIONS:
        return conditions
    return replace(conditions, costs=_learned(ledger))


def _learned(ledger: Ledger) -> dict[Label, float] | None:
    """Return the cost of each class by its durations; None while none is known."""
    recorded: dict[Label, list[float]] = {label: [] for label in ledger.classes}
    for entry in ledger.entries.values():
        if entry.label is not None and entry.duration and entry.retracted_at is None:
            recorded[entry.label].append(entry.duration)
    if not any(recorded.values()):
        return None
    from palacs.conditions import learn_costs

    return learn_costs(recorded)


def costs_of(ledger: Ledger, conditions: Conditions | None) -> dict[Label, float]:
    """Return what one acquisition of each class costs."""
    if conditions is None:
        return dict.fromkeys(ledger.classes, 1.0)
    import numpy as np

    costs = conditions.cost_of(np.array(ledger.classes))
    return dict(zip(ledger.classes, costs.tolist(), strict=True))


def spent(ledger: Ledger, costs: dict[Label, float]) -> float:
    """Return what the requests that were answered have cost."""
    told = [e for e in ledger.entries.values() if e.asked is not None and e.told_at is not None]
    return _sum(told, costs)


def spending_of(
    ledger: Ledger, conditions: Conditions | None, under_way: Sequence[Entry]
) -> Spending:
    """Return how the budget in money stands, given the conditions in force."""
    from palacs.conditions import Spending

    costs = costs_of(ledger, conditions)
    budget = ledger.settings.budget_cost
    if budget is None:
        # Adding up a long record takes its time, and nobody asks.
        return Spending(costs)
    return Spending(costs, spent(ledger, costs), _sum(under_way, costs), budget)


def _sum(entries: Sequence[Entry], costs: dict[Label, float]) -> float:
    return float(sum(_cost(entry, costs) for entry in entries))


def _cost(entry: Entry, costs: dict[Label, float]) -> float:
    if entry.cost is not None:
        return entry.cost
    label = entry.asked if entry.label is None else entry.label
    return costs[label] if label is not None else 0.0
