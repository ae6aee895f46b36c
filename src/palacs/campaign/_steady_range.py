"""The range that features are scaled by: that of all instances, and steady where there are many.

A range that widens changes all scaled features, and all that was worked out about them. Among a
hundred thousand instances of hundreds of features that would happen every few dozen instances, by
hundredths of the range. From 4,000 instances on it is therefore looked at again when their number
has doubled, or at once when an instance lies outside by more than the width of the range.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from palacs.campaign._row_store import Matrix
from palacs.campaign._values import Vector

# As many as `palacs.evidence.MANY`, which takes a second to load.
MANY = 4_000


class SteadyRange:
    """The range in force after some instances, in acquisition order.

    Parameters
    ----------
    many : int
        Up to so many instances it is the range of all.

    Attributes
    ----------
    n : int
        How many instances it knows.
    lower, upper : ndarray of shape (n_features,) or None
        None before the first.

    Examples
    --------
    >>> steady = SteadyRange(many=2)
    >>> [steady.take(np.array([[x]])) for x in (0.0, 1.0, 1.5, 0.5, 5.0)]
    [True, True, False, True, True]
    >>> steady.upper.tolist()
    [5.0]
    """

    def __init__(self, many: int = MANY) -> None:
        self.n, self._many = 0, many
        self.lower: Vector | None = None
        self.upper: Vector | None = None
        self._low: Vector | None = None
        self._high: Vector | None = None

    def take(self, rows: Matrix) -> bool:
        """Look at the next instances (n, n_features); say whether the range in force is another."""
        renewed = False
        while len(rows):
            part = rows[: self._next() - self.n]
            if self.n >= self._many:
                part = part[: self._steady_for(part) + 1]
            steady = self.n >= self._many and self._steady_for(part) == len(part)
            self._see(part)
            rows = rows[len(part) :]
            if not steady or self.n == self._next(reached=True):
                renewed |= self._renew()
        return renewed

    def _next(self, *, reached: bool = False) -> int:
        """Return at how many instances the range is looked at again, or was or is just now."""
        mark = self._many
        while mark < self.n or (mark == self.n and not reached):
            mark *= 2
        return mark

    def _steady_for(self, rows: Matrix) -> int:
        """Return how many of the next instances lie within the range and its width around it."""
        assert self.lower is not None
        assert self.upper is not None
        width = self.upper - self.lower
        outside = ((rows < self.lower - width) | (rows > self.upper + width)).any(axis=1)
        return int(outside.argmax()) if outside.any() else len(rows)

    def _see(self, rows: Matrix) -> None:
        low, high = rows.min(axis=0), rows.max(axis=0)
        self._low = low if self._low is None else np.minimum(self._low, low)
        self._high = high if self._high is None else np.maximum(self._high, high)
        self.n += len(rows)

    def _renew(self) -> bool:
        assert self._low is not None
        assert self._high is not None
        same = self.lower is not None and np.array_equal(self.lower, self._low)
        same = same and self.upper is not None and np.array_equal(self.upper, self._high)
        if not same:
            self.lower, self.upper = self._low.copy(), self._high.copy()
        return not same

    def saved(self) -> list[Any]:
        """Return all of it as plain values."""
        return [
            self.n,
            *(
                None if limit is None else limit.tolist()
                for limit in (self.lower, self.upper, self._low, self._high)
            ),
        ]

    def restore(self, saved: list[Any]) -> None:
        """Take over what `saved` returned."""
        self.n = int(saved[0])
        limits = [None if limit is None else np.array(limit) for limit in saved[1:]]
        self.lower, self.upper, self._low, self._high = limits
