"""What a campaign has spent and how long recordings took, added up as events come in.

Sums are exact, as integers in the smallest unit a float64 has: taking something back leaves
no rounding behind, and the order in which instances came makes no difference.
"""

from __future__ import annotations

import math

_UNIT = 1074  # every float64 is a multiple of 2**-1074


def exact(value: float) -> int:
    """Return a float64 in units of 2**-1074.

    Examples
    --------
    >>> rounded(exact(0.1) + exact(0.2) - exact(0.1))
    0.2
    """
    numerator, denominator = float(value).as_integer_ratio()
    return numerator << (_UNIT + 1 - denominator.bit_length())


def rounded(total: int) -> float:
    """Return the float64 nearest to a sum of `exact` values."""
    try:
        return total / (1 << _UNIT)
    except OverflowError:
        return math.inf


class Totals:
    """Sums over the answered requests and the instances that count.

    Attributes
    ----------
    charged : int
        What answered requests have cost where that was recorded, see `exact`.
    uncharged : dict
        Code of a class -> its answered requests without a recorded cost.
    durations : dict
        Code of a class -> number and exact sum of the durations of its instances that count.
    """

    def __init__(self) -> None:
        self.charged = 0
        self.uncharged: dict[int, int] = {}
        self.durations: dict[int, tuple[int, int]] = {}

    def spend(self, code: int, cost: float | None) -> None:
        """Count an answered request, whatever becomes of its instance."""
        if cost is not None:
            self.charged += exact(cost)
        else:
            self.uncharged[code] = self.uncharged.get(code, 0) + 1

    def record(self, code: int, duration: float | None, sign: int = 1) -> None:
        """Count the duration of an instance; one of zero says nothing about costs."""
        if duration:
            n, total = self.durations.get(code, (0, 0))
            self.durations[code] = (n + sign, total + sign * exact(duration))

    def take_back(self, code: int, duration: float | None) -> None:
        """Undo `record`."""
        self.record(code, duration, -1)
