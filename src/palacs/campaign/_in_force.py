"""The conditions of a campaign as of now: learned costs, and what was spent.

All of it follows from the ledger, so that a decision can be made again from the record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from palacs.campaign._entries import Entry
from palacs.campaign._ledger import Ledger
from palacs.campaign._totals import rounded
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
    durations = ledger.totals.durations
    if not any(n for n, _ in durations.values()):
        return None
    from palacs.conditions import costs_from_totals

    per_class = [durations.get(code, (0, 0)) for code in range(len(ledger.classes))]
    overall = rounded(sum(total for _, total in per_class))
    totals = {
        label: (n, rounded(total))
        for label, (n, total) in zip(ledger.classes, per_class, strict=True)
    }
    return costs_from_totals(totals, overall)


def costs_of(ledger: Ledger, conditions: Conditions | None) -> dict[Label, float]:
    """Return what one acquisition of each class costs."""
    if conditions is None:
        return dict.fromkeys(ledger.classes, 1.0)
    import numpy as np

    costs = conditions.cost_of(np.array(ledger.classes))
    return dict(zip(ledger.classes, costs.tolist(), strict=True))


def spent(ledger: Ledger, costs: dict[Label, float]) -> float:
    """Return what the requests that were answered have cost."""
    charged = rounded(ledger.totals.charged)
    uncharged = ledger.totals.uncharged
    return charged + sum(n * costs[ledger.classes[code]] for code, n in sorted(uncharged.items()))


def spending_of(
    ledger: Ledger, conditions: Conditions | None, under_way: Sequence[Entry]
) -> Spending:
    """Return how the budget in money stands, given the conditions in force."""
    from palacs.conditions import Spending

    costs = costs_of(ledger, conditions)
    budget = ledger.settings.budget_cost
    if budget is None:
        return Spending(costs)
    to_come = float(sum(costs[entry.asked] for entry in under_way if entry.asked is not None))
    return Spending(costs, spent(ledger, costs), to_come, budget)
