"""The performance gain where mistakes cost differently, exact (the paper's Eq. 3-5 generalised).

As in `palacs.gain`, α = k + prior and l counts m draws from a Pólya urn started at α. With the
cost L[y, d] of deciding d where y is true, the expected cost of the best decision after m labels
is ``E[min_d Σ_y (α_y + l_y) L[y, d]] / (A + m)``. Its fall against today's best decision d0 is the
expectation of ``max_d Σ_y (α_y + l_y)(L[y, d0] - L[y, d])``, never negative: nothing cancels. The
multisets of labels are enumerated: polynomial in the number of classes for a given M.
"""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt

from palacs.compiled import compiled

Array = npt.NDArray[np.float64]

# Label multisets per point; above this a decision would take minutes.
MOST_MULTISETS = 2_000_000


def check_mistakes(mistakes: Any, n_classes: int, name: str = "mistakes") -> Array:
    """Return a matrix of costs (n_classes, n_classes): finite, not negative, right is free."""
    try:
        matrix = np.ascontiguousarray(mistakes, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"{name}={mistakes!r} is no table of numbers; give the cost of each decision (column) "
            "for each true class (row)."
        ) from None
    if matrix.shape != (n_classes, n_classes):
        raise ValueError(
            f"{name} has shape {matrix.shape}, but there are {n_classes} classes; give one row "
            "per true class and one column per decision."
        )
    if not np.isfinite(matrix).all() or (matrix < 0).any():
        wrong = matrix[~(np.isfinite(matrix) & (matrix >= 0))][0]
        raise ValueError(f"{name} holds {wrong}; costs of mistakes are finite and not negative.")
    if np.diagonal(matrix).any():
        wrong = np.diagonal(matrix)[np.diagonal(matrix) != 0][0]
        raise ValueError(
            f"{name} holds {wrong} on its diagonal; a right decision costs nothing: subtract each "
            "row's diagonal from the row."
        )
    if not matrix.any():
        raise ValueError(f"{name} is all zero, so that nothing can be gained; give some a cost.")
    return matrix


def zero_one(mistakes: Array) -> bool:
    """Whether all mistakes cost the same, up to a factor: then `palacs.gain` is faster."""
    off_diagonal = mistakes[~np.eye(len(mistakes), dtype=np.bool_)]
    return bool((off_diagonal == off_diagonal[0]).all()) if len(off_diagonal) else True


def gain_rows_costly(k: Array, max_labels: int, prior: float, mistakes: Array) -> Array:
    """Return `gain_rows_mistakes`, or refuse what would take minutes per decision."""
    n_classes = len(mistakes)
    wanted = comb(n_classes + max_labels - 1, max_labels)
    if wanted > MOST_MULTISETS:
        raise ValueError(
            f"max_labels={max_labels} with {n_classes} classes and costs of mistakes means "
            f"{wanted:,} sets of labels at every point; use a smaller max_labels."
        )
    gains: Array = gain_rows_mistakes(k, max_labels, prior, mistakes)
    return gains


@compiled
def gain_rows_mistakes(k: Array, max_labels: int, prior: float, mistakes: Array) -> Array:
    """Return the expected fall in cost, per label, for each row of k (n_points, n_classes)."""
    n_points, n_classes = k.shape
    gains = np.zeros(n_points)
    alpha = np.empty(n_classes)
    lead = np.empty(n_classes)
    chosen = np.empty(max_labels, dtype=np.int64)
    for i in range(n_points):
        for c in range(n_classes):
            alpha[c] = k[i, c] + prior
        now = _cheapest(alpha, mistakes)
        # How much cheaper than today's decision each other one already is: never positive.
        for d in range(n_classes):
            lead[d] = 0.0
            for y in range(n_classes):
                lead[d] += alpha[y] * (mistakes[y, now] - mistakes[y, d])
        for m in range(1, max_labels + 1):
            gain = _expected_fall(alpha, lead, mistakes, now, chosen[:m])
            gains[i] = max(gains[i], gain / m)
    return gains


@compiled
def _cheapest(alpha: Array, mistakes: Array) -> int:
    best, cheapest = 0, np.inf
    for d in range(alpha.shape[0]):
        cost = 0.0
        for y in range(alpha.shape[0]):
            cost += alpha[y] * mistakes[y, d]
        if cost < cheapest:
            best, cheapest = d, cost
    return best


@compiled
def _expected_fall(
    alpha: Array, lead: Array, mistakes: Array, now: int, chosen: npt.NDArray[np.int64]
) -> float:
    """Average the fall in cost over all multisets of labels; ``chosen`` (m,) is overwritten."""
    n_classes, m = alpha.shape[0], chosen.shape[0]
    total = 0.0
    for c in range(n_classes):
        total += alpha[c]
    expected = 0.0
    chosen[:] = 0
    while True:
        # Probability of these labels in any order: m!/Πl_y! orders, each with the urn's chance.
        chance, run = 1.0, 0
        for j in range(m):
            run = run + 1 if j > 0 and chosen[j] == chosen[j - 1] else 1
            chance *= (alpha[chosen[j]] + run - 1.0) / (total + j) * (j + 1.0) / run
        fall = 0.0
        for d in range(n_classes):
            cheaper = lead[d]
            for j in range(m):
                cheaper += mistakes[chosen[j], now] - mistakes[chosen[j], d]
            fall = max(fall, cheaper)
        expected += chance * fall
        # The next multiset: raise the last label that can be, and all after it to the same.
        j = m - 1
        while j >= 0 and chosen[j] == n_classes - 1:
            j -= 1
        if j < 0:
            break
        raised = chosen[j] + 1
        for later in range(j, m):
            chosen[later] = raised
    return float(expected / (total + m))
