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

# Sums of costs compared at one point, and in one decision: above these it would take minutes.
MOST_COMPARED = 3_000_000
MOST_IN_ALL = 300_000_000_000
# What a decision costs before any label is a sum that keeps its digits: as dear as ten others.
_DIGITS = 10


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


def check_work(n_classes: int, max_labels: int, mistakes: Array, n_points: int = 1) -> None:
    """Refuse what would take minutes per decision, and name what would not."""
    if zero_one(mistakes) or _bearable(n_classes, max_labels, n_points):
        return
    fewer = max_labels - 1
    while fewer > 0 and not _bearable(n_classes, fewer, n_points):
        fewer -= 1
    remedy = f"max_labels={fewer}, or " if fewer else ""
    raise ValueError(
        f"max_labels={max_labels} with {n_classes} classes and costs of mistakes that differ "
        f"within a class means {compared(n_classes, max_labels):,} sums at every point; use "
        f"{remedy}costs that depend on the true class alone."
    )


def _bearable(n_classes: int, max_labels: int, n_points: int) -> bool:
    sums = compared(n_classes, max_labels)
    in_all = n_points * (sums + _DIGITS * n_classes**2)
    return sums <= MOST_COMPARED and in_all <= MOST_IN_ALL


def compared(n_classes: int, max_labels: int) -> int:
    """Return how many sums of costs are compared at one point: decisions times label multisets."""
    return n_classes * comb(n_classes + max_labels - 1, max_labels)


@compiled
def gain_rows_mistakes(k: Array, max_labels: int, prior: float, mistakes: Array) -> Array:
    """Return the expected fall in cost, per label, for each row of k (n_points, n_classes)."""
    n_points, n_classes = k.shape
    gains = np.zeros(n_points)
    alpha = np.empty(n_classes)
    costs = np.empty((2, n_classes))
    saved = np.empty((n_classes, n_classes))
    reached = np.empty((max_labels + 1, n_classes))
    chances = np.empty(max_labels + 1)
    chosen = np.empty(max_labels, dtype=np.int64)
    for i in range(n_points):
        for c in range(n_classes):
            alpha[c] = k[i, c] + prior
        _fill_costs(alpha, mistakes, costs)
        now = _cheapest(costs)
        n_rivals = _rivals(costs, mistakes, now, max_labels, saved, reached[0])
        for m in range(1, max_labels + 1):
            fall = _expected_fall(alpha, saved, n_rivals, chosen[:m], reached, chances)
            gains[i] = max(gains[i], fall / m)
    return gains


@compiled
def _fill_costs(alpha: Array, mistakes: Array, costs: Array) -> None:
    """Fill (2, n_classes) with what each decision costs, Σ_y α_y L[y, d], and what that lost.

    Products and sums carry their rounding errors along (Ogita, Rump and Oishi, 2005): with counts
    of 1e12, decisions that cost the same would otherwise differ by 1e-4. Decisions are the inner
    loop: they are independent and lie side by side.
    """
    costs[:] = 0.0
    totals, lost = costs[0], costs[1]
    for y in range(alpha.shape[0]):
        a_high = _upper_half(alpha[y])
        a_low = alpha[y] - a_high
        for d in range(alpha.shape[0]):
            cost = mistakes[y, d]
            product = alpha[y] * cost
            b_high = _upper_half(cost)
            b_low = cost - b_high
            error = a_high * b_high - product
            error = a_low * b_low + (a_low * b_high + (a_high * b_low + error))
            sum_ = totals[d] + product
            part = sum_ - totals[d]
            lost[d] += (totals[d] - (sum_ - part)) + (product - part) + error
            totals[d] = sum_


@compiled
def _cheaper(costs: Array, now: int, d: int) -> float:
    """Return by how much d is cheaper than now, to full precision although large sums cancel."""
    return float((costs[0, now] - costs[0, d]) + (costs[1, now] - costs[1, d]))


@compiled
def _cheapest(costs: Array) -> int:
    best = 0
    for d in range(1, costs.shape[1]):
        if _cheaper(costs, best, d) > 0.0:
            best = d
    return best


@compiled
def _upper_half(value: float) -> float:
    """Return the upper half of a number's digits (Veltkamp)."""
    shifted = 134217729.0 * value
    return shifted - (shifted - value)


@compiled
def _rivals(
    costs: Array, mistakes: Array, now: int, max_labels: int, saved: Array, lead: Array
) -> int:
    """Gather the decisions that labels could make the cheapest; return how many there are.

    Fills ``lead`` with how much cheaper than today's each of them already is, never positive,
    and the rows of ``saved`` (class of a label, rival) with what one label adds to that.
    """
    n_classes = costs.shape[1]
    most = np.zeros(n_classes)
    for c in range(n_classes):
        for d in range(n_classes):
            most[d] = max(most[d], mistakes[c, now] - mistakes[c, d])
    rivals = np.empty(n_classes, dtype=np.int64)
    n_rivals = 0
    for d in range(n_classes):
        ahead = min(_cheaper(costs, now, d), 0.0)
        if d != now and ahead + max_labels * most[d] > 0.0:
            lead[n_rivals] = ahead
            rivals[n_rivals] = d
            n_rivals += 1
    for c in range(n_classes):
        for r in range(n_rivals):
            saved[c, r] = mistakes[c, now] - mistakes[c, rivals[r]]
    return n_rivals


@compiled
def _expected_fall(
    alpha: Array,
    saved: Array,
    n_rivals: int,
    chosen: npt.NDArray[np.int64],
    reached: Array,
    chances: Array,
) -> float:
    """Average the fall in cost over all multisets of labels; ``chosen`` (m,) is overwritten.

    Row j of ``reached`` holds each rival's lead after the first j labels, ``chances[j]`` their
    probability in any order; both are kept while only later labels change.
    """
    n_classes, m = alpha.shape[0], chosen.shape[0]
    total = alpha.sum()
    if n_rivals == 0:
        return 0.0
    expected = 0.0
    chances[0] = 1.0
    chosen[:] = 0
    changed = 0
    while True:
        for j in range(changed, m):
            c = chosen[j]
            run = 1
            while run <= j and chosen[j - run] == c:
                run += 1
            # m!/Πl_y! orders, each with the urn's chance.
            chances[j + 1] = chances[j] * (alpha[c] + run - 1.0) / (total + j) * (j + 1.0) / run
            if j < m - 1:
                for d in range(n_rivals):
                    reached[j + 1, d] = reached[j, d] + saved[c, d]
        best = _largest_sum(reached[m - 1], saved[chosen[m - 1]], n_rivals)
        expected += float(chances[m]) * best
        # The next multiset: raise the last label that can be, and all after it to the same.
        changed = m - 1
        while changed >= 0 and chosen[changed] == n_classes - 1:
            changed -= 1
        if changed < 0:
            break
        raised = chosen[changed] + 1
        for later in range(changed, m):
            chosen[later] = raised
    return float(expected / (total + m))


@compiled
def _largest_sum(a: Array, b: Array, n: int) -> float:
    """Return the largest of a + b (n,), not below 0; four at a time, which are independent."""
    first = second = third = fourth = 0.0
    for d in range(0, n - 3, 4):
        first = max(first, a[d] + b[d])
        second = max(second, a[d + 1] + b[d + 1])
        third = max(third, a[d + 2] + b[d + 2])
        fourth = max(fourth, a[d + 3] + b[d + 3])
    for d in range(n - n % 4, n):
        first = max(first, a[d] + b[d])
    return max(max(first, second), max(third, fourth))
