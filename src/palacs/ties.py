"""When two numbers are equally good, and what happens then: the one rule for ties.

What differs by rounding only is a tie. A strategy picks among its best classes at random; a
classifier takes the first of its best, and whoever judges it counts such a decision as the guess
that it is, right once in as many.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from palacs.compiled import compiled

__all__ = ["TIE", "as_good", "best_of", "best_of_rows"]

Array = npt.NDArray[np.float64]

TIE = 1e-12
"""The relative difference below which two numbers are equally good."""


@compiled
def as_good(value: float, best: float) -> bool:
    """Whether a value is as good as the best; NaN never is."""
    return bool(value == best or value >= best - TIE * abs(best))


@compiled
def best_of(scores: Array) -> tuple[int, int]:
    """Return the first of the best of scores (n,) and how many there are; NaN is no score."""
    best = -np.inf
    for c in range(scores.shape[0]):
        if scores[c] > best:
            best = scores[c]
    first, ties = -1, 0
    for c in range(scores.shape[0]):
        if as_good(scores[c], best):
            if ties == 0:
                first = c
            ties += 1
    return first, ties


def best_of_rows(scores: Array) -> npt.NDArray[np.bool_]:
    """Return which of the scores (n, n_classes) are as good as the best of their row.

    Examples
    --------
    >>> from palacs.ties import best_of_rows
    >>> best_of_rows([[0.1 + 0.2, 0.3, 0.1]]).tolist()
    [[True, True, False]]
    """
    given = np.asarray(scores, dtype=np.float64)
    best = given.max(axis=1, keepdims=True)
    mask: npt.NDArray[np.bool_] = given >= best - TIE * np.abs(best)
    return mask
