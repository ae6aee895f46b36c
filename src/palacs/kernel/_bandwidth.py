"""A bandwidth from the data: kernels as wide as the gaps within the classes.

0.05 suits the paper's plane and is far too narrow in many dimensions, where all kernel
frequencies underflow. The rule here follows the labelled set as it grows. It knows distances
alone, so that features rotated or embedded among others change nothing, and neither an outlier
nor one class that is spread out decides for all.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from palacs.arrays import LOOP_FEATURES, on_host
from palacs.checks import (
    Bandwidth,
    Codes,
    Features,
    check_codes,
    check_count,
    check_features,
)
from palacs.compiled import compiled
from palacs.kernel._pseudo import members_by_class
from palacs.kernel._similarity import length_of, parts_of, squared_distance, squared_loop
from palacs.ties import as_good, best_of

# So many instances are enough to average nearest distances over, and to be left out in turn.
MOST_ROWS = 500
# Where all instances lie in one place, data say nothing about a bandwidth: the paper's.
NO_DISTANCE = 0.05
# In more dimensions than these a kernel is so steep that the nearest instance decides anyway.
MOST_DIMENSIONS = 24
# A direction in which instances differ by less than this share of what is usual is rounding,
# and so is what remains of a difference in its last digits.
_FLAT, _LAST_DIGITS = 1e-6, 64.0 * float(np.finfo(np.float64).eps)
# Squared nearest distances count up to so many medians and so many upper deciles; on a line large
# gaps are common and count for more.
_CAPS, _CAPS_ON_A_LINE = (64.0, 6.0), (256.0, 9.0)
# A narrower kernel must err less often by so many standard errors.
_STANDARD_ERRORS = 1.5
HALVINGS = 3
# Similarities below exp(-45) of the nearest decide nothing, not even ten thousand of them.
NEGLIGIBLE = 45.0
TINY = np.exp(-NEGLIGIBLE)
# A product of centred rows loses too many digits of squared distances below this share of norms.
CLOSE = 1e-8


def auto_bandwidth(X: npt.ArrayLike, y: npt.ArrayLike, *, n_classes: int) -> float:
    """Choose the bandwidth that fits a labelled set.

    σ = sqrt(2 · mean r² / d): a kernel in d dimensions reaches a mean squared distance of dσ²,
    and here that is twice the mean squared distance r² from an instance to the nearest of its
    own class, so that neighbours of a class merge into one density while a wider gap remains.
    Instances at the very same place are no neighbours; d, at most 24, counts the dimensions that
    the instances span; no r² counts more than a few times the median and the upper decile. Half,
    a quarter or an eighth of that σ is taken where instances left out in turn are then classified
    better, by more than 1.5 standard errors: classes may be spread out unequally.

    Parameters
    ----------
    X : array-like of shape (n_instances, n_features)
    y : array-like of shape (n_instances,)
        Class codes 0, ..., n_classes - 1.
    n_classes : int

    Returns
    -------
    bandwidth : float
        While no class has instances at two places, half as wide a kernel over the distances to
        the nearest instance of any class; 0.05 where all instances share one place.

    Examples
    --------
    >>> from palacs.kernel import auto_bandwidth
    >>> auto_bandwidth([[0.0], [0.1], [0.9], [1.0]], [0, 0, 1, 1], n_classes=2)
    0.1414213562373095
    """
    instances = check_features(on_host(X))
    codes = check_codes(on_host(y), len(instances), check_count(n_classes, "n_classes"))
    return fitting_bandwidth(instances, codes)


def resolve_bandwidth(bandwidth: Bandwidth, X: Features, y: Codes) -> float:
    """Return a bandwidth as a number: "auto" fits it to X (n, n_features) and codes y (n,)."""
    return fitting_bandwidth(X, y) if bandwidth == "auto" else float(bandwidth)


def fitting_bandwidth(X: Features, y: Codes) -> float:
    """Return `auto_bandwidth` without its checks; X has at least one row."""
    rows = chosen_rows(y)
    squared = squared_exactly(X[rows], X)
    return float(bandwidth_from_squared(squared, rows, y, _spanned(X, rows)))


def fitting_reach(X: Features, y: Codes) -> float:
    """Return how far apart neighbours are, as `reach_from_squared`; X has at least one row."""
    rows = chosen_rows(y)
    on_a_line = _spanned(X, rows) == 1
    return float(reach_from_squared(squared_exactly(X[rows], X), rows, y, on_a_line))


def _spanned(X: Features, rows: Codes) -> int:
    """Return `spanned_dimensions`; of many float32 numbers, that of some rows."""
    return int(spanned_dimensions(X if X.dtype == np.float64 else X[rows].astype(np.float64)))


@compiled
def bandwidth_from_squared(squared: Features, rows: Codes, y: Codes, dimensions: int) -> float:
    """Return the bandwidth from squared distances (n_rows, n) of some instances to all.

    ``rows`` (n_rows,) says which instances the rows are, see `chosen_rows`.
    """
    reach = reach_from_squared(squared, rows, y, dimensions == 1)
    if reach == 0.0:
        return NO_DISTANCE
    widest = bandwidth_of(reach, float(dimensions))
    return float(widest * 0.5 ** _best_halving(squared, rows, y, widest))


@compiled
def bandwidth_of(reach: float, dimensions: float) -> float:
    """Return the bandwidth of a kernel that reaches a squared distance in so many dimensions."""
    return float(min(max(np.sqrt(reach / dimensions), 1e-100), 1e100))


@compiled
def reach_from_squared(squared: Features, rows: Codes, y: Codes, on_a_line: bool) -> float:
    """Return twice the mean squared distance to the nearest of the same class, without extremes.

    While no class has instances at two places, half of that to the nearest of any class; 0 where
    all share one place. Arguments as in `bandwidth_from_squared`.
    """
    nearest = _nearest_squared(squared, rows, y, True)
    if nearest.shape[0] > 0:
        return float(2.0 * robust_mean(nearest, on_a_line))
    nearest = _nearest_squared(squared, rows, y, False)
    # Other classes are what must be kept apart: half as wide a kernel, a quarter squared.
    return float(0.5 * robust_mean(nearest, on_a_line)) if nearest.shape[0] > 0 else 0.0


@compiled
def chosen_rows(y: Codes) -> Codes:
    """Return the instances that a bandwidth rests on: all, or 500 evenly from all classes."""
    n = y.shape[0]
    if n <= MOST_ROWS:
        return np.arange(n)
    _, ordered = members_by_class(y, y.max() + 1)
    return ordered[:: (n - 1) // MOST_ROWS + 1].copy()


@compiled
def spanned_dimensions(X: Features) -> int:
    """Count the dimensions that X (n, n_features) spans, 1 to 24, by orthogonalisation.

    Unlike the number of features it is the same however the instances are rotated or embedded.
    """
    return int(spanned_by_steps(X, steps_between(X)))


@compiled
def spanned_by_steps(X: Features, steps: Features) -> int:
    """Return `spanned_dimensions`, given `steps_between` the instances."""
    n, n_features = X.shape
    most = min(n - 1, n_features, MOST_DIMENSIONS)
    place, usual = usual_step(steps)
    if most < 1:
        return 1
    basis = np.empty((most, n_features))
    return max(int(add_spanned(X, X[place], usual, basis, 0)), 1)


@compiled
def add_spanned(X: Features, origin: Features, usual: float, basis: Features, found: int) -> int:
    """Add the directions that X (n, n_features) spans to the first ``found`` of a basis.

    They start at ``origin``. Returns how many there are now, at most as many as the basis
    (most, n_features) has room for.
    """
    n_features = X.shape[1]
    for i in range(X.shape[0]):
        if found >= basis.shape[0]:
            break
        rest = X[i] - origin
        flat = max(_FLAT * usual, _LAST_DIGITS * length_of(rest))
        # Once more, for what rounding left of the first time.
        for _ in range(2):
            for b in range(found):
                along = 0.0
                for f in range(n_features):
                    along += rest[f] * basis[b, f]
                for f in range(n_features):
                    rest[f] -= along * basis[b, f]
        length = length_of(rest)
        if length > flat:
            for f in range(n_features):
                basis[found, f] = rest[f] / length
            found += 1
    return found


@compiled
def steps_between(X: Features) -> Features:
    """Return how far each instance is from the one before it, shape (n,); 0 for the first."""
    lengths = np.zeros(X.shape[0])
    for i in range(1, X.shape[0]):
        lengths[i] = length_of(X[i] - X[i - 1])
    return lengths


@compiled
def usual_step(lengths: Features) -> tuple[int, float]:
    """Return which of `steps_between` is a usual one, and how long it is.

    Half of the instances that follow each other at another place are no farther apart: few
    outliers, however far away, are neither such an instance nor decide how far.
    """
    apart = np.flatnonzero(lengths > 0.0)
    if apart.shape[0] == 0:
        return 0, 0.0
    ordered = np.sort(lengths[apart])
    usual = ordered[(apart.shape[0] - 1) // 2]
    return int(apart[lengths[apart] == usual][0]), float(usual)


@compiled
def _nearest_squared(squared: Features, rows: Codes, y: Codes, within: bool) -> Features:
    """Return the squared distances to the nearest instance at another place, where there is one.

    ``within`` looks in an instance's own class alone. Sorted, at most (n_rows,).
    """
    nearest = np.empty(rows.shape[0])
    found = 0
    for r in range(rows.shape[0]):
        best = nearest_elsewhere(squared[r], y, y[rows[r]] if within else -1)
        if best < np.inf:
            nearest[found] = best
            found += 1
    return np.sort(nearest[:found])


@compiled
def nearest_elsewhere(squared: Features, y: Codes, own: int) -> float:
    """Return the least of squared distances (n,) that is not 0: to a class, or to any with -1."""
    best = np.inf
    for j in range(y.shape[0]):
        if (own < 0 or y[j] == own) and 0.0 < squared[j] < best:
            best = squared[j]
    return best


@compiled
def robust_mean(nearest: Features, on_a_line: bool) -> float:
    """Return the mean of sorted squared distances, none of which counts excessively."""
    n = nearest.shape[0]
    median = 0.5 * (nearest[(n - 1) // 2] + nearest[n // 2])
    decile = nearest[int(np.ceil(0.9 * n)) - 1]
    medians, deciles = _CAPS_ON_A_LINE if on_a_line else _CAPS
    most = min(medians * median, deciles * decile)
    total = 0.0
    for i in range(n):
        total += min(nearest[i], most)
    return float(total / n)


@compiled
def _best_halving(squared: Features, rows: Codes, y: Codes, bandwidth: float) -> int:
    """Return how often to halve the bandwidth so that instances left out are classified best.

    Classes weigh the same. An improvement counts less 1.5 of its standard errors, as in
    McNemar's test: without evidence the bandwidth stays. Copies of an instance count as one.
    """
    counts = np.zeros(y.max() + 1)
    for j in range(y.shape[0]):
        counts[y[j]] += 1.0
    better, disagreed = np.zeros(HALVINGS), np.zeros(HALVINGS)
    k = np.zeros((HALVINGS + 1, counts.shape[0]))
    for r in range(rows.shape[0]):
        own = y[rows[r]]
        copies = copies_of(squared[r], y, own)
        nearest = nearest_elsewhere(squared[r], y, -1)
        if counts[own] <= copies or nearest == np.inf:
            continue
        k[:] = 0.0
        add_halvings(k, squared[r], y, nearest, bandwidth)
        add_votes(k, counts, (own, copies), better, disagreed)
    return int(best_of_halvings(better, disagreed))


@compiled
def copies_of(squared: Features, y: Codes, own: int) -> float:
    """Count the instances of a class at the very same place, given squared distances (n,)."""
    copies = 0.0
    for j in range(y.shape[0]):
        if y[j] == own and squared[j] == 0.0:
            copies += 1.0
    return copies


@compiled
def add_votes(
    k: Features,
    counts: Features,
    left_out: tuple[int, float],
    better: Features,
    disagreed: Features,
) -> None:
    """Add what each halving does to the decision on one instance, left out with its copies.

    ``k`` is (1 + halvings, n_classes), ``left_out`` its class and how many copies there are,
    itself included; the sums are (halvings,).
    """
    own, copies = left_out
    counts[own] -= copies
    first = misses(k[0], counts, own)
    for h in range(HALVINGS):
        gained = first - misses(k[h + 1], counts, own)
        better[h] += gained / copies
        disagreed[h] += gained * gained / copies
    counts[own] += copies


@compiled
def best_of_halvings(better: Features, disagreed: Features) -> int:
    """Return the halving that is better by most beyond chance, from sums over all rows; or 0."""
    best, most = 0, 0.0
    for h in range(HALVINGS):
        value = better[h] - _STANDARD_ERRORS * np.sqrt(disagreed[h])
        if value > most:
            best, most = h + 1, value
    return best


@compiled
def add_halvings(
    k: Features, squared: Features, y: Codes, nearest: float, bandwidth: float
) -> None:
    """Add frequencies (1 + halvings, n_classes) around one instance, its place left out.

    A copy of it would vouch for any kernel, the narrower the better. ``squared`` (n,) are its
    distances to all; similarities are relative to that of the ``nearest`` at another place.
    """
    scale = -0.5 / bandwidth**2
    furthest = nearest - NEGLIGIBLE / scale
    for j in range(y.shape[0]):
        if 0.0 < squared[j] <= furthest:
            similarity = np.exp(scale * (squared[j] - nearest))
            k[0, y[j]] += similarity
            for h in range(1, HALVINGS + 1):
                # Half the bandwidth is the fourth power of the similarity.
                similarity *= similarity
                similarity *= similarity
                if similarity < TINY:
                    break
                k[h, y[j]] += similarity


@compiled
def misses(k: Features, counts: Features, own: int) -> float:
    """Return the probability that frequencies k (n_classes,) miss the class; ties are guesses."""
    scores = k / np.maximum(counts, 1.0)
    first, ties = best_of(scores)
    return 1.0 - 1.0 / ties if as_good(scores[own], scores[first]) else 1.0


def squared_exactly(queries: Features, X: Features) -> Features:
    """Return squared distances (n_query, n) whatever the bandwidth, exact also for close ones."""
    if X.shape[1] <= LOOP_FEATURES:
        looped: Features = squared_loop(queries, X)
        return looped
    with np.errstate(over="ignore", invalid="ignore"):
        centre = X.mean(axis=0, dtype=np.float64)
        near_queries, norms = queries - centre, np.empty(len(X))
        query_norms = (near_queries**2).sum(axis=1)
        squared: Features = np.empty((len(queries), len(X)))
        for part in parts_of(X):
            near = X[part] - centre
            norms[part] = (near**2).sum(axis=1)
            squared[:, part] = near_queries @ near.T
        # In place: with many instances each of these takes as much memory as they do.
        squared *= -2.0
        _add_norms(squared, (query_norms, norms), queries, X)
    return squared


@compiled
def _add_norms(
    squared: Features, norms: tuple[Features, Features], queries: Features, X: Features
) -> None:
    """Turn -2 q·x (n_query, n) into squared distances, in place; close ones from differences."""
    query_norms, instance_norms = norms
    for r in range(queries.shape[0]):
        for j in range(X.shape[0]):
            both = query_norms[r] + instance_norms[j]
            squared[r, j] += both
            # Also where the product is not a number.
            if not squared[r, j] > both * CLOSE:
                squared[r, j] = squared_distance(queries[r], X[j])
