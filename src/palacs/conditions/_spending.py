"""What was spent, what is under way and what is left, for one state of a record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor
from typing import Any

# Sums of prices such as 0.1 come out a hair too large.
_HAIR = 1e-9


@dataclass(frozen=True)
class Spending:
    """How a budget in money or minutes stands.

    Parameters
    ----------
    costs : mapping
        Label -> cost of one acquisition.
    spent, under_way : float
        What answered requests have cost, and what those that are out will.
    budget : float or None
        None is no limit.

    Examples
    --------
    >>> from palacs.conditions import Spending
    >>> spending = Spending({"rest": 1.0, "left": 5.0}, spent=6.0, under_way=1.0, budget=10.0)
    >>> spending.left, spending.affordable(["rest", "left"]), spending.at_most(8, ["rest"])
    (3.0, ['rest'], 3)
    """

    costs: Mapping[Any, float]
    spent: float = 0.0
    under_way: float = 0.0
    budget: float | None = None

    @property
    def left(self) -> float | None:
        """What is left after what was spent and is under way; None is no limit."""
        if self.budget is None:
            return None
        return max(self.budget - self.spent - self.under_way, 0.0)

    def affordable(self, labels: Sequence[Any]) -> list[Any]:
        """Return those of the classes that what is left pays for."""
        left = self.left
        if left is None:
            return list(labels)
        return [label for label in labels if self.costs[label] <= left + _HAIR]

    def at_most(self, n: int, labels: Sequence[Any]) -> int:
        """Return how many of ``n`` requests can be paid for, whichever of the classes they get."""
        left = self.left
        if left is None or not labels:
            return n
        dearest = max(self.costs[label] for label in labels)
        return min(n, max(floor((left + _HAIR) / dearest), 1))
