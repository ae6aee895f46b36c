"""Gaussian similarities, kernel frequencies (the paper's Eq. 1) and pseudo-instances.

Pure functions on plain arrays. Classes are codes 0, ..., C - 1 here; strategies and the
classifier translate labels. Low-dimensional data is compared difference by difference, which is
exact; high-dimensional data by matrix products on centred values, which is fast.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit
from sklearn.utils import check_random_state

from palacs._bandwidth import auto_bandwidth
from palacs._random import PSEUDO, Stream, fill_normal, uniform
from palacs._validation import (
    Codes,
    Features,
    check_bandwidth,
    check_codes,
    check_count,
    check_features,
)

__all__ = ["auto_bandwidth", "kernel_frequencies", "sample_pseudo_instances", "similarities"]

# Above this many features a matrix product is faster than the compiled loops.
LOOP_FEATURES = 24
# Similarities held at a time on the matrix route: 32 MB.
_BLOCK = 4_000_000
# The matrix route may err by this much in the kernel's exponent.
_LOST_DIGITS = 1e-6
_EPSILON = float(np.finfo(np.float64).eps)


def similarities(
    X_query: npt.ArrayLike, X: npt.ArrayLike, *, bandwidth: float
) -> npt.NDArray[np.float64]:
    """Gaussian similarity exp(-|x - x'|² / 2σ²) of every query to every instance.

    Parameters
    ----------
    X_query : array-like of shape (n_query, n_features)
    X : array-like of shape (n_instances, n_features)
    bandwidth : float
        The kernel's standard deviation σ.

    Returns
    -------
    similarity : ndarray of shape (n_query, n_instances)

    Examples
    --------
    >>> from palacs.kernel import similarities
    >>> similarities([[0.0]], [[0.0], [0.1]], bandwidth=0.1).round(3)
    array([[1.   , 0.607]])
    """
    queries, instances = _check_pair(X_query, X)
    return similarity_matrix(queries, instances, check_bandwidth(bandwidth))


def kernel_frequencies(
    X_query: npt.ArrayLike,
    X: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    n_classes: int,
    bandwidth: float,
) -> npt.NDArray[np.float64]:
    """How many instances of each class lie near each query, weighted by similarity (Eq. 1).

    Parameters
    ----------
    X_query : array-like of shape (n_query, n_features)
        Where to look.
    X : array-like of shape (n_instances, n_features)
        The labelled set's instances; may be empty.
    y : array-like of shape (n_instances,)
        Their classes, as codes 0, ..., n_classes - 1.
    n_classes : int
        How many classes there are, including those without an instance.
    bandwidth : float
        The kernel's standard deviation σ.

    Returns
    -------
    k : ndarray of shape (n_query, n_classes)

    Examples
    --------
    >>> from palacs import kernel_frequencies
    >>> kernel_frequencies([[0.0]], [[0.0], [0.05], [1.0]], [0, 0, 1],
    ...                    n_classes=2, bandwidth=0.05).round(3)
    array([[1.607, 0.   ]])
    """
    queries, instances = _check_pair(X_query, X)
    n_classes = check_count(n_classes, "n_classes")
    codes = check_codes(y, len(instances), n_classes)
    return frequencies(queries, instances, codes, n_classes, check_bandwidth(bandwidth))


def sample_pseudo_instances(
    X: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    n_classes: int,
    n_per_class: int = 25,
    bandwidth: float = 0.05,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Draw pseudo-instances from the kernel density of each class.

    Parameters
    ----------
    X : array-like of shape (n_instances, n_features)
    y : array-like of shape (n_instances,)
        Class codes 0, ..., n_classes - 1.
    n_classes : int
    n_per_class : int, default=25
        The paper's n_p.
    bandwidth : float, default=0.05
        The kernel's standard deviation σ.
    random_state : int, RandomState or None

    Returns
    -------
    X_pseudo : ndarray of shape (n_drawn, n_features)
        ``n_per_class`` rows for every class that has an instance.
    y_pseudo : ndarray of shape (n_drawn,)
        The class each was drawn from.

    Examples
    --------
    >>> from palacs.kernel import sample_pseudo_instances
    >>> X_pseudo, y_pseudo = sample_pseudo_instances(
    ...     [[0.0], [1.0]], [0, 1], n_classes=2, n_per_class=3, random_state=0)
    >>> X_pseudo.shape, y_pseudo.tolist()
    ((6, 1), [0, 0, 0, 1, 1, 1])
    """
    instances = check_features(X)
    n_classes = check_count(n_classes, "n_classes")
    codes = check_codes(y, len(instances), n_classes)
    n_per_class = check_count(n_per_class, "n_per_class")
    stream = Stream(seed_of(random_state), np.uint64(len(instances)))
    X_pseudo, y_pseudo = draw_pseudo_instances(
        instances, codes, n_classes, n_per_class, check_bandwidth(bandwidth), stream
    )
    return X_pseudo, y_pseudo


def seed_of(random_state: int | np.random.RandomState | None) -> np.uint64:
    """Turn scikit-learn's ``random_state`` into the seed of a `Stream`."""
    if isinstance(random_state, (int, np.integer)):
        return np.uint64(int(random_state) & 0xFFFF_FFFF_FFFF_FFFF)
    words = check_random_state(random_state).randint(0, 2**32, size=2, dtype=np.uint64)
    return np.uint64(words[0] << np.uint64(32) | words[1])


def similarity_matrix(queries: Features, X: Features, bandwidth: float) -> Features:
    """Return `similarities` without its checks."""
    if len(X) == 0 or X.shape[1] <= LOOP_FEATURES:
        looped: Features = similarity_loop(queries, X, bandwidth)
        return looped
    return _similarity_product(queries, X, bandwidth)


def frequencies(
    queries: Features, X: Features, y: Codes, n_classes: int, bandwidth: float
) -> Features:
    """Return `kernel_frequencies` without its checks."""
    if X.shape[1] <= LOOP_FEATURES:
        looped: Features = frequency_loop(queries, X, y, n_classes, bandwidth)
        return looped
    k = np.zeros((len(queries), n_classes))
    if len(X) == 0:
        return k
    order = np.argsort(y, kind="stable")
    present, starts = np.unique(y[order], return_index=True)
    X = X[order]
    step = max(1, _BLOCK // len(X))
    for first in range(0, len(queries), step):
        similarity = _similarity_product(queries[first : first + step], X, bandwidth)
        k[first : first + step, present] = np.add.reduceat(similarity, starts, axis=1)
    return k


def squared_distances(queries: Features, X: Features, bandwidth: float) -> Features:
    """Return squared distances (n_query, n_instances), precise enough for this bandwidth."""
    if X.shape[1] <= LOOP_FEATURES:
        looped: Features = squared_loop(queries, X)
        return looped
    return _squared_product(queries, X, bandwidth)


def _similarity_product(queries: Features, X: Features, bandwidth: float) -> Features:
    squared = _squared_product(queries, X, bandwidth)
    squared *= -0.5 / bandwidth**2
    result: Features = np.exp(squared, out=squared)
    return result


def _squared_product(queries: Features, X: Features, bandwidth: float) -> Features:
    # Far from the origin |q|² + |x|² - 2 q·x would cancel to noise, so the origin moves.
    with np.errstate(over="ignore", invalid="ignore"):
        centre = X.mean(axis=0)
        near_queries, near_X = queries - centre, X - centre
        query_norms, norms = (near_queries**2).sum(axis=1), (near_X**2).sum(axis=1)
        lost = (query_norms.max(initial=0.0) + norms.max()) * _EPSILON / bandwidth**2
    if not lost < _LOST_DIGITS:
        # Spread out this widely, measured in bandwidths, it still would: take differences.
        looped: Features = squared_loop(queries, X)
        return looped
    squared: Features = query_norms[:, None] + norms[None, :]
    squared -= 2.0 * (near_queries @ near_X.T)
    np.maximum(squared, 0.0, out=squared)
    return squared


def _check_pair(X_query: npt.ArrayLike, X: npt.ArrayLike) -> tuple[Features, Features]:
    queries = check_features(X_query, "X_query")
    instances = check_features(X, allow_empty=True)
    if len(instances) == 0:
        return queries, np.zeros((0, queries.shape[1]))
    if queries.shape[1] != instances.shape[1]:
        raise ValueError(
            f"X_query has {queries.shape[1]} features and X has {instances.shape[1]}; "
            "both must describe instances by the same features."
        )
    return queries, instances


@njit(cache=True, nogil=True)
def squared_loop(queries: Features, X: Features) -> Features:
    """Return squared distances (n_query, n_instances), difference by difference."""
    result = np.empty((queries.shape[0], X.shape[0]))
    for q in range(queries.shape[0]):
        for i in range(X.shape[0]):
            squared = 0.0
            for f in range(X.shape[1]):
                difference = queries[q, f] - X[i, f]
                squared += difference * difference
            result[q, i] = squared
    return result


@njit(cache=True, nogil=True)
def similarity_loop(queries: Features, X: Features, bandwidth: float) -> Features:
    """Return similarities (n_query, n_instances), difference by difference."""
    scale = -0.5 / bandwidth**2
    result = np.empty((queries.shape[0], X.shape[0]))
    for q in range(queries.shape[0]):
        for i in range(X.shape[0]):
            squared = 0.0
            for f in range(X.shape[1]):
                difference = queries[q, f] - X[i, f]
                squared += difference * difference
            result[q, i] = np.exp(scale * squared)
    return result


@njit(cache=True, nogil=True)
def frequency_loop(
    queries: Features, X: Features, y: Codes, n_classes: int, bandwidth: float
) -> Features:
    """Return kernel frequencies (n_query, n_classes), difference by difference."""
    scale = -0.5 / bandwidth**2
    k = np.zeros((queries.shape[0], n_classes))
    for q in range(queries.shape[0]):
        for i in range(X.shape[0]):
            squared = 0.0
            for f in range(X.shape[1]):
                difference = queries[q, f] - X[i, f]
                squared += difference * difference
            k[q, y[i]] += np.exp(scale * squared)
    return k


@njit(cache=True, nogil=True)
def _members(y: Codes, n_classes: int) -> tuple[Codes, Codes]:
    """Return how many instances each class has, and all instances ordered by class.

    Counted by hand: NumPy's argsort takes seconds to compile.
    """
    counts = np.zeros(n_classes, dtype=np.int64)
    for i in range(y.shape[0]):
        counts[y[i]] += 1
    place = np.zeros(n_classes, dtype=np.int64)
    for c in range(1, n_classes):
        place[c] = place[c - 1] + counts[c - 1]
    members = np.empty(y.shape[0], dtype=np.int64)
    for i in range(y.shape[0]):
        members[place[y[i]]] = i
        place[y[i]] += 1
    return counts, members


@njit(cache=True, nogil=True)
def draw_pseudo_instances(
    X: Features, y: Codes, n_classes: int, n_per_class: int, bandwidth: float, stream: Stream
) -> tuple[Features, Codes]:
    """Return pseudo-instances (n_drawn, n_features) and the classes (n_drawn,) they come from.

    Each pseudo-instance has Philox blocks of its own: what one class draws does not depend on
    how many instances another has.
    """
    n_features = X.shape[1]
    counts, members = _members(y, n_classes)
    n_present = 0
    for c in range(n_classes):
        n_present += 1 if counts[c] else 0
    X_pseudo = np.empty((n_present * n_per_class, n_features))
    y_pseudo = np.empty(n_present * n_per_class, dtype=np.int64)
    blocks = 1 + (n_features + 3) // 4
    first = 0
    row = 0
    for c in range(n_classes):
        for j in range(n_per_class if counts[c] else 0):
            block = (c * n_per_class + j) * blocks
            parent = members[first + int(uniform(stream, PSEUDO, block) * counts[c])]
            fill_normal(stream, PSEUDO, block + 1, X_pseudo[row])
            for f in range(n_features):
                X_pseudo[row, f] = X[parent, f] + bandwidth * X_pseudo[row, f]
            y_pseudo[row] = c
            row += 1
        first += counts[c]
    return X_pseudo, y_pseudo
