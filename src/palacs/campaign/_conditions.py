"""A campaign's conditions as of now: what was spent, what is affordable, how much room is left.

All of it follows from the ledger, so that a decision can be made again from the record.
"""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING, Any

import numpy as np

from palacs.campaign._errors import BudgetExhausted, NothingToAsk
from palacs.campaign._ledger import Entry, Ledger
from palacs.storage import Label

if TYPE_CHECKING:
    from palacs.strategies import Conditions

_DURATIONS = "durations"
# Sums of prices such as 0.1 come out a hair too large.
_HAIR = 1e-9


def before_any(conditions: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return the conditions as they are while no duration is known."""
    if conditions is None or conditions.get("costs") != _DURATIONS:
        return conditions
    return {key: value for key, value in conditions.items() if key != "costs"}


def in_force(ledger: Ledger) -> dict[str, Any] | None:
    """Return the conditions with costs learned from the durations recorded so far."""
    conditions = ledger.settings.conditions
    if conditions is None or conditions.get("costs") != _DURATIONS:
        return conditions
    recorded: dict[Label, list[float]] = {label: [] for label in ledger.classes}
    for entry in ledger.entries.values():
        if entry.label is not None and entry.duration and entry.retracted_at is None:
            recorded[entry.label].append(entry.duration)
    if not any(recorded.values()):
        return before_any(conditions)
    from palacs.strategies import learn_costs

    return {**conditions, "costs": [[c, cost] for c, cost in learn_costs(recorded).items()]}


def spent(ledger: Ledger) -> float:
    """Return what the requests that were answered have cost."""
    costs = _costs(ledger)
    told = [e for e in ledger.entries.values() if e.asked is not None and e.told_at is not None]
    return float(sum(_cost(entry, costs) for entry in told))


def affordable(ledger: Ledger, at: float) -> list[Label]:
    """Return the candidates that what is left of the money pays for."""
    candidates = ledger.candidates()
    left = _left(ledger, at)
    if left is None:
        return candidates
    costs = _costs(ledger)
    return [label for label in candidates if costs[label] <= left + _HAIR]


def room(ledger: Ledger, at: float, n: int) -> int:
    """Return how many of `n` requests caps and money allow, or say why none."""
    labels = affordable(ledger, at)
    left = _left(ledger, at)
    if left is not None:
        if not labels:
            raise BudgetExhausted(
                f"of the budget_cost of {ledger.settings.budget_cost:g} only {left:g} is left "
                "after what was spent and is under way, which pays for no class that may be "
                "requested; end the campaign here."
            )
        costs = _costs(ledger)
        # Whichever classes are picked, the money must do.
        n = min(n, max(floor((left + _HAIR) / max(costs[label] for label in labels)), 1))
    caps = _read(ledger).caps if ledger.settings.conditions else None
    if not caps or any(label not in caps for label in labels):
        return n
    counts: list[int] = np.bincount(ledger.labelled.codes, minlength=len(ledger.classes)).tolist()
    for entry in ledger.pending(at):
        counts[ledger.code(entry.asked)] += 1
    space: int = sum(max(caps[label] - counts[ledger.code(label)], 0) for label in labels)
    if space == 0:
        raise NothingToAsk(
            f"every class that may be requested has reached its cap, caps={dict(caps)}; resume "
            "another class, or end the campaign here."
        )
    return min(n, space)


def class_prior(ledger: Ledger) -> Any:
    """Return how often each class occurs in use, in sorted order, for the classifier."""
    conditions = _read(ledger)
    if conditions.proportions is None:
        return "uniform"
    return conditions.share_of(np.sort(np.array(ledger.classes)))


def _read(ledger: Ledger) -> Conditions:
    from palacs.strategies import Conditions

    return Conditions.from_dict(in_force(ledger) or {})


def _costs(ledger: Ledger) -> dict[Label, float]:
    if not ledger.settings.conditions:
        return dict.fromkeys(ledger.classes, 1.0)
    costs = _read(ledger).cost_of(np.array(ledger.classes))
    return dict(zip(ledger.classes, costs.tolist(), strict=True))


def _cost(entry: Entry, costs: dict[Label, float]) -> float:
    if entry.cost is not None:
        return entry.cost
    label = entry.asked if entry.label is None else entry.label
    return costs[label] if label is not None else 0.0


def _left(ledger: Ledger, at: float) -> float | None:
    """Return what is left after what was spent and is under way; ``None`` is no limit."""
    budget = ledger.settings.budget_cost
    if budget is None:
        return None
    costs = _costs(ledger)
    under_way = sum(_cost(entry, costs) for entry in ledger.pending(at))
    return max(budget - spent(ledger) - under_way, 0.0)
