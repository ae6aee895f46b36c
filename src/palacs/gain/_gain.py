"""The expected performance gain of a label-count vector, exact (the paper's Eq. 3-5).

With α = k + prior and A = Σα, integrating the unknown class probabilities out leaves
``expPerf(k, m) = E[max_y(α_y + l_y)] / (A + m)``, where l counts m draws from a Pólya urn that
starts with α. No label vectors are enumerated and no Gamma function is needed. Since
``E[α_1 + l_1] / (A + m) = α_1 / A`` for the leading class 1, the gain is the expectation of
``max_y(α_y + l_y) - (α_1 + l_1)``, a sum of terms that are never negative: nothing cancels.
"""

from __future__ import annotations

from math import isfinite
from numbers import Real
from typing import NoReturn, cast

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_array

from palacs.arrays import Tensor, is_tensor, like, on_host, torch_of
from palacs.compiled import compiled
from palacs.gain._gain_tensors import gain_tensor
from palacs.gain._mistakes import check_mistakes, check_work, gain_rows_mistakes, zero_one
from palacs.gain._urn import join, levels_of, set_leaf, urn_scale, urn_weights

Array = npt.NDArray[np.float64]

# Beyond this floating point gives out; the paper saw no difference above 3.
MOST_LABELS = 1_000
# So many values are sorted by insertion before runs of them are merged.
_RUN = 24


def perf_gain(
    k: npt.ArrayLike,
    *,
    max_labels: int = 3,
    prior: float = 1.0,
    mistakes: npt.ArrayLike | None = None,
) -> Array:
    """Compute the expected gain in accuracy, per label, of a few more labels near each point.

    Parameters
    ----------
    k : array-like of shape (n_points, n_classes)
        Kernel frequencies: how many instances of each class lie near each point. Real, not
        negative. A torch tensor is computed where it lies; with more than three labels or costs
        of mistakes, on the CPU.
    max_labels : int, default=3
        The paper's M: the gain is the largest over m = 1, ..., M labels of the gain of m labels
        divided by m. Up to 3 the cost is C log C per point, above it C M³ log C.
    prior : float, default=1.0
        Added to every count; 1 is the flat Dirichlet prior.
    mistakes : array-like of shape (n_classes, n_classes) or None, default=None
        Cost of each decision (column) for each true class (row); the gain is then the expected
        fall in cost. None is the paper's: every mistake costs one.

    Returns
    -------
    gain : ndarray of shape (n_points,)
        Finite and never negative; a tensor where ``k`` is one.

    Examples
    --------
    Nothing is known at the first point; the second is settled, the third contested.

    >>> from palacs import perf_gain
    >>> perf_gain([[0.0, 0.0], [9.0, 0.0], [4.0, 4.0]]).round(4)
    array([0.1667, 0.    , 0.0455])
    """
    counts = _check_tensor_counts(k) if is_tensor(k) else _check_counts(k)
    if isinstance(max_labels, bool) or not isinstance(max_labels, (int, np.integer)):
        raise ValueError(f"max_labels must be a whole number, got {max_labels!r}; 3 is usual.")
    if not 1 <= max_labels <= MOST_LABELS:
        raise ValueError(
            f"max_labels must lie between 1 and {MOST_LABELS}, got {max_labels}; 3 is usual."
        )
    if isinstance(prior, bool) or not isinstance(prior, Real):
        raise ValueError(f"prior must be a number, got {prior!r}; 1.0 is the paper's.")
    if not (isfinite(prior) and prior > 0):
        raise ValueError(f"prior must be positive and finite, got {prior!r}; 1.0 is the paper's.")
    if is_tensor(counts):
        if max_labels <= 3 and mistakes is None:
            return cast("Array", gain_tensor(counts, int(max_labels), float(prior)))
        found = perf_gain(
            on_host(counts), max_labels=max_labels, prior=prior, mistakes=on_host(mistakes)
        )
        return cast("Array", like(found, counts))
    if mistakes is not None:
        matrix = check_mistakes(mistakes, counts.shape[1])
        check_work(counts.shape[1], int(max_labels), matrix, len(counts))
        return cost_gain_rows(counts, int(max_labels), float(prior), matrix)
    gains: Array = gain_rows(counts, int(max_labels), float(prior))
    return gains


def _check_tensor_counts(k: Tensor) -> Tensor:
    """Return k as a tensor (n_points, n_classes) of float32 or float64 counts."""
    torch = torch_of(k)
    if k.ndim != 2 or not k.shape[1]:
        raise ValueError(f"k has shape {tuple(k.shape)}; give one row of counts for each point.")
    narrow = k.is_floating_point() and k.dtype != torch.float64
    counts = k.detach().to(torch.float32 if narrow else torch.float64)
    wrong = ~((counts >= 0.0) & (counts < torch.inf))
    if wrong.any():
        _refuse(counts, *wrong.nonzero()[0].tolist())
    return counts


def _refuse(counts: Array | Tensor, row: int, column: int) -> NoReturn:
    raise ValueError(
        f"k holds {float(counts[row, column]):g} in row {row}, column {column}; kernel "
        "frequencies are counts: finite and never negative."
    )


def _check_counts(k: npt.ArrayLike) -> Array:
    """Return k as a C-ordered float64 array (n_points, n_classes) of finite counts."""
    counts: Array
    # check_array takes longer than the gains of a usual decision.
    if isinstance(k, np.ndarray) and k.dtype == np.float64 and k.ndim == 2 and k.shape[1]:
        counts = np.ascontiguousarray(k)
    else:
        counts = check_array(
            k,
            dtype=np.float64,
            order="C",
            input_name="k",
            ensure_min_samples=0,
            ensure_all_finite=False,
        )
    # A NaN makes either comparison false.
    if counts.size and not (counts.min() >= 0.0 and counts.max() < np.inf):
        wrong = ~((counts >= 0.0) & (counts < np.inf))
        _refuse(counts, *(int(i) for i in np.argwhere(wrong)[0]))
    return counts


def gain_rows(k: Array, max_labels: int, prior: float) -> Array:
    """Return `perf_gain` without its checks: k (n_points, n_classes), gains (n_points,)."""
    # Two compiled functions, so that the usual case does not wait for the other's compilation.
    rows = gain_rows_up_to_three if max_labels <= 3 else _gain_rows_any
    gains: Array = rows(k, max_labels, prior)
    return gains


def cost_gain_rows(k: Array, max_labels: int, prior: float, mistakes: Array) -> Array:
    """Return `perf_gain` under costs of mistakes (n_classes, n_classes), without its checks."""
    if zero_one(mistakes):
        scaled: Array = gain_rows(k, max_labels, prior) * mistakes.max()
        return scaled
    costly: Array = gain_rows_mistakes(k, max_labels, prior, mistakes)
    return costly


@compiled
def gain_rows_up_to_three(k: Array, max_labels: int, prior: float) -> Array:
    """Return the gains of all rows of k (n_points, n_classes) for max_labels <= 3."""
    n_points, n_classes = k.shape
    gains = np.empty(n_points)
    alpha, behind, suffix = np.empty(n_classes), np.empty(n_classes), np.empty(n_classes + 1)
    for i in range(n_points):
        _prepare(k[i], prior, alpha, behind, suffix)
        gains[i] = _gain_up_to_three(alpha, behind, suffix, max_labels)
    return gains


@compiled
def _gain_rows_any(k: Array, max_labels: int, prior: float) -> Array:
    """Return the gains of all rows of k (n_points, n_classes) for any max_labels."""
    n_points, n_classes = k.shape
    gains = np.empty(n_points)
    alpha, behind, suffix = np.empty(n_classes), np.empty(n_classes), np.empty(n_classes + 1)
    for i in range(n_points):
        _prepare(k[i], prior, alpha, behind, suffix)
        gains[i] = _gain_any(alpha, behind, suffix, max_labels)
    return gains


@compiled
def _prepare(k: Array, prior: float, alpha: Array, behind: Array, suffix: Array) -> None:
    """Fill α sorted downwards, how far each class is behind the leader, and Σ_{z >= c} α_z.

    Which class is which does not matter to the gain.
    """
    n = k.shape[0]
    for c in range(n):
        alpha[c] = k[c]
    _sort_descending(alpha, behind)
    leader = alpha[0]
    suffix[n] = 0.0
    for c in range(n - 1, -1, -1):
        behind[c] = leader - alpha[c]
        alpha[c] += prior
        suffix[c] = suffix[c + 1] + alpha[c]


# Merge sort by hand: NumPy's sort would more than double the time a cold start compiles.
@compiled
def _sort_descending(values: Array, scratch: Array) -> None:
    """Sort in place; both are (n,), and scratch is overwritten."""
    n = values.shape[0]
    for first in range(0, n, _RUN):
        _sort_run(values, first, min(first + _RUN, n))
    width = _RUN
    while width < n:
        for first in range(0, n - width, 2 * width):
            middle, last = first + width, min(first + 2 * width, n)
            if values[middle - 1] < values[middle]:
                _merge(values, scratch, first, middle, last)
        width *= 2


@compiled
def _sort_run(values: Array, first: int, last: int) -> None:
    """Sort values[first:last] downwards by insertion, which is best for a handful."""
    for i in range(first + 1, last):
        value = values[i]
        j = i
        while j > first and values[j - 1] < value:
            values[j] = values[j - 1]
            j -= 1
        values[j] = value


@compiled
def _merge(values: Array, scratch: Array, first: int, middle: int, last: int) -> None:
    """Merge values[first:middle] and values[middle:last], each sorted downwards."""
    for i in range(first, middle):
        scratch[i] = values[i]
    left, right = first, middle
    place = first
    while left < middle and right < last:
        if scratch[left] >= values[right]:
            values[place] = scratch[left]
            left += 1
        else:
            values[place] = values[right]
            right += 1
        place += 1
    while left < middle:
        values[place] = scratch[left]
        left += 1
        place += 1


@compiled
def _gain_up_to_three(alpha: Array, behind: Array, suffix: Array, max_labels: int) -> float:
    """Gain for M <= 3 from sorted α: one pass over the classes that one to three labels promote.

    ``suffix[c]`` is Σ_{z >= c} α_z. A draw that promotes no class over the leader adds nothing,
    so the outcomes that count are: one class drawn m times; for m = 2, two challengers; for
    m = 3, a pair with the leader or another challenger, and three challengers.
    """
    n = alpha.shape[0]
    total = suffix[0]
    # Multiplying by these is several times faster than dividing each term.
    per_first, per_second, per_third = 1.0 / total, 1.0 / (total + 1.0), 1.0 / (total + 2.0)
    one = two = three = 0.0
    first_third = 0.0  # Σ α_z (1 - behind_z) over z < prefix, those that beat a pair of y
    prefix = 1
    pairs_after = np.float64(0.0)
    # Σ_{y<z} α_y α_z over the challengers after c, wanted for three different challengers.
    if max_labels == 3:
        for c in range(n - 1, 0, -1):
            if behind[c] < 1.0:
                three += 6.0 * (alpha[c] * per_first) * (1.0 - behind[c]) * pairs_after
            pairs_after += (alpha[c] * per_second) * (suffix[c + 1] * per_third)
    for c in range(1, n):
        first = alpha[c] * per_first
        second = first * ((alpha[c] + 1.0) * per_second)
        if behind[c] < 1.0:
            lead = 1.0 - behind[c]
            one += first * lead
            two += 2.0 * first * lead * (suffix[c + 1] * per_second)
            three += 3.0 * second * lead * (alpha[0] * per_third)
        if behind[c] < 2.0:
            two += second * (2.0 - behind[c])
        if behind[c] < 3.0:
            three += second * ((alpha[c] + 2.0) * per_third) * (3.0 - behind[c])
        if max_labels == 3:
            # y twice and z once: z decides if it is more than one label ahead of y.
            while prefix < n and behind[prefix] < min(behind[c] - 1.0, 1.0):
                first_third += alpha[prefix] * (1.0 - behind[prefix])
                prefix += 1
            three += 3.0 * second * (first_third * per_third)
            if behind[c] < 2.0:
                others = (suffix[prefix] - suffix[c]) + suffix[c + 1]
                three += 3.0 * second * (2.0 - behind[c]) * (others * per_third)
    gain = one / (total + 1.0)
    if max_labels >= 2:
        gain = max(gain, two / (2.0 * (total + 2.0)))
    if max_labels >= 3:
        gain = max(gain, three / (3.0 * (total + 3.0)))
    return float(gain)


@compiled
def _gain_any(alpha: Array, behind: Array, suffix: Array, max_labels: int) -> float:
    """Gain for any M, by truncated generating functions.

    The urn gives l_y labels to class y with weight w_y(l) = Π_{i<l} (α_y + i) / (i + 1); the
    weights of the whole are coefficients of a product of polynomials. The lead over class 1 is
    integrated over its level t: between two levels at which some class needs one label more,
    the probability that a challenger is ahead is constant. A tree of products changes in
    M² log C when one class does.
    """
    n = alpha.shape[0]
    total = suffix[0]
    size = max_labels + 1
    n_challengers = 0
    while 1 + n_challengers < n and behind[1 + n_challengers] < max_labels:
        n_challengers += 1
    if n_challengers == 0:
        return 0.0
    scale = urn_scale(total, max_labels)
    weights = np.empty((n_challengers, size))
    for c in range(n_challengers):
        urn_weights(alpha[1 + c], scale, weights[c])
    leader = np.empty(size)
    urn_weights(alpha[0], scale, leader)
    rest = np.empty(size)
    urn_weights(suffix[1 + n_challengers], scale, rest)

    n_leaves = 1
    while n_leaves < n_challengers:
        n_leaves *= 2
    calm = np.zeros((2 * n_leaves, size))  # no class below this node is ahead
    ahead = np.zeros((2 * n_leaves, size))  # at least one is
    calm[:, 0] = 1.0
    for c in range(n_challengers):
        set_leaf(calm, ahead, n_leaves + c, weights[c], int(np.floor(behind[1 + c])))
    for node in range(n_leaves - 1, 0, -1):
        join(calm, ahead, node)

    levels, who, labels = levels_of(behind[1 : 1 + n_challengers], max_labels)
    # Mass of everyone who is no challenger; the leader may have at most `level` labels itself.
    bystanders = rest * leader[0]
    excess = np.zeros(size)
    level = 0.0
    for e in np.argsort(levels):
        step = levels[e] - level
        if step > 0.0:
            for m in range(1, size):
                mass = 0.0
                for j in range(1, m + 1):
                    mass += ahead[1, j] * bystanders[m - j]
                excess[m] += step * mass
            level = levels[e]
        if who[e] < 0:
            for j in range(labels[e], size):
                bystanders[j] += leader[labels[e]] * rest[j - labels[e]]
        else:
            node = n_leaves + who[e]
            set_leaf(calm, ahead, node, weights[who[e]], labels[e])
            while node > 1:
                node //= 2
                join(calm, ahead, node)
    urn_weights(total, scale, rest)
    gain = 0.0
    for m in range(1, size):
        gain = max(gain, excess[m] / (rest[m] * m * (total + m)))
    return gain
