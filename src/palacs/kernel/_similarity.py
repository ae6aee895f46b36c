"""Gaussian similarities and kernel frequencies (the paper's Eq. 1).

Pure functions on plain arrays. Classes are codes 0, ..., C - 1 here; strategies and the
classifier translate labels. Low-dimensional data is compared difference by difference, which is
exact; high-dimensional data by matrix products on centred values, which is fast.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import numpy as np
import numpy.typing as npt

from palacs.arrays import (
    LOOP_FEATURES,
    LOST_DIGITS,
    by_class,
    check_tensor,
    is_tensor,
    like,
    on_host,
)
from palacs.checks import (
    Codes,
    Features,
    check_bandwidth,
    check_codes,
    check_count,
    check_features,
)
from palacs.compiled import compiled, inlined
from palacs.kernel._tensor_sums import frequencies_tensor, similarity_tensor

# Similarities held at a time on the matrix route: 32 MB.
BLOCK = 4_000_000
# So many features of instances are centred at once; where there are more, a part of them.
WHOLE = 2**23
# Squared distances held at a time where there are many instances: half a gigabyte.
_MANY_BLOCK, _MOST_ROWS = 2**26, 512
# In single precision the matrix route may err by this much in the kernel's exponent.
_LOST_SINGLE = 1e-3
_EPSILON = float(np.finfo(np.float64).eps)


def similarities(
    X_query: npt.ArrayLike, X: npt.ArrayLike, *, bandwidth: float
) -> npt.NDArray[np.float64]:
    """Gaussian similarity exp(-‖x - x'‖² / 2σ²) of every query to every instance.

    Parameters
    ----------
    X_query : array-like of shape (n_query, n_features)
    X : array-like of shape (n_instances, n_features)
    bandwidth : float
        The kernel's standard deviation σ.

    Returns
    -------
    similarity : ndarray of shape (n_query, n_instances)
        A tensor where ``X_query`` is one.

    Examples
    --------
    >>> from palacs.kernel import similarities
    >>> similarities([[0.0]], [[0.0], [0.1]], bandwidth=0.1).round(3)
    array([[1.   , 0.607]])
    """
    queries, instances = _check_pair(X_query, X)
    find = similarity_tensor if is_tensor(queries) else similarity_matrix
    return find(queries, instances, check_bandwidth(bandwidth))


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
        Where to look. A torch tensor is computed where it lies; ``X`` then comes to it.
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
        A tensor where ``X_query`` is one.

    Examples
    --------
    >>> from palacs import kernel_frequencies
    >>> kernel_frequencies([[0.0]], [[0.0], [0.05], [1.0]], [0, 0, 1],
    ...                    n_classes=2, bandwidth=0.05).round(3)
    array([[1.607, 0.   ]])
    """
    queries, instances = _check_pair(X_query, X)
    n_classes = check_count(n_classes, "n_classes")
    codes = check_codes(on_host(y), len(instances), n_classes)
    bandwidth = check_bandwidth(bandwidth)
    if is_tensor(queries):
        known = by_class(instances, codes, n_classes)
        return cast("Features", frequencies_tensor(queries, known, bandwidth))
    return frequencies(queries, instances, codes, n_classes, bandwidth)


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
    if X.size > WHOLE or X.dtype != np.float64:
        for some in query_blocks(len(queries), X):
            squared = _squared_product(queries[some], X, bandwidth)
            squared *= -0.5 / bandwidth**2
            sum_by_class(np.exp(squared, out=squared), y, k[some])
        return k
    order = np.argsort(y, kind="stable")
    present, starts = np.unique(y[order], return_index=True)
    X = X[order]
    step = max(1, BLOCK // len(X))
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


def query_blocks(n_queries: int, X: Features) -> Iterator[slice]:
    """Yield which queries are compared with all of X (n, n_features) at a time."""
    step = BLOCK // max(len(X), 1)
    if X.size > WHOLE:
        # Each block centres all of X anew, part by part.
        step = max(step, min(_MOST_ROWS, _MANY_BLOCK // len(X)))
    step = max(1, step)
    for first in range(0, n_queries, step):
        yield slice(first, first + step)


def parts_of(X: Features) -> Iterator[slice]:
    """Yield which rows of X (n, n_features) are centred at a time."""
    step = max(1, WHOLE // X.shape[1])
    for first in range(0, len(X), step):
        yield slice(first, first + step)


def _squared_in_parts(queries: Features, X: Features, bandwidth: float) -> Features:
    """Return squared distances as `_squared_product` does, with little memory beside them.

    In the precision of X, float32 or float64, as long as that is enough for this bandwidth.
    """
    squared: Features = np.empty((len(queries), len(X)))
    centre = X.mean(axis=0, dtype=np.float64).astype(X.dtype)
    near_queries = queries - centre
    query_norms = (near_queries**2).sum(axis=1)
    for part in parts_of(X):
        near = X[part] - centre
        norms = np.einsum("ij,ij->i", near, near, dtype=np.float64)
        reach = (query_norms.max(initial=0.0) + norms.max()) / bandwidth**2
        if near.dtype == np.float32 and not reach * np.finfo(np.float32).eps < _LOST_SINGLE:
            near = X[part].astype(np.float64) - centre
        if not reach * _EPSILON < LOST_DIGITS:
            squared[:, part] = squared_loop(queries, X[part])
            continue
        squared[:, part] = near_queries.astype(near.dtype) @ near.T
        squared[:, part] *= -2.0
        squared[:, part] += query_norms[:, None]
        squared[:, part] += norms
    np.maximum(squared, 0.0, out=squared)
    return squared


def _squared_product(queries: Features, X: Features, bandwidth: float) -> Features:
    if X.size > WHOLE or X.dtype != np.float64:
        return _squared_in_parts(queries, X, bandwidth)
    # Far from the origin |q|² + |x|² - 2 q·x would cancel to noise, so the origin moves.
    with np.errstate(over="ignore", invalid="ignore"):
        centre = X.mean(axis=0)
        near_queries, near_X = queries - centre, X - centre
        query_norms, norms = (near_queries**2).sum(axis=1), (near_X**2).sum(axis=1)
        lost = (query_norms.max(initial=0.0) + norms.max()) * _EPSILON / bandwidth**2
    if not lost < LOST_DIGITS:
        # Spread out this widely, measured in bandwidths, it still would: take differences.
        looped: Features = squared_loop(queries, X)
        return looped
    squared: Features = query_norms[:, None] + norms[None, :]
    squared -= 2.0 * (near_queries @ near_X.T)
    np.maximum(squared, 0.0, out=squared)
    return squared


def _check_pair(X_query: npt.ArrayLike, X: npt.ArrayLike) -> tuple[Features, Features]:
    if is_tensor(X_query):
        queries = check_tensor(X_query, "X_query")
        instances = X if is_tensor(X) else like(check_features(X, allow_empty=True), queries)
        instances = check_tensor(instances.to(queries), allow_empty=True)
    else:
        queries = check_features(X_query, "X_query")
        instances = check_features(on_host(X), allow_empty=True, single=True)
    if len(instances) == 0:
        return queries, instances.reshape(0, queries.shape[1])
    if queries.shape[1] != instances.shape[1]:
        raise ValueError(
            f"X_query has {queries.shape[1]} features and X has {instances.shape[1]}; "
            "both must describe instances by the same features."
        )
    return queries, instances


@inlined
def squared_distance(a: Features, b: Features) -> float:
    """Return ‖a - b‖² of two rows (n_features,): the one place where it is summed."""
    squared = 0.0
    for f in range(a.shape[0]):
        difference = a[f] - b[f]
        squared += difference * difference
    return squared


@compiled
def length_of(x: Features) -> float:
    """Return the length of x (n_features,), also where squares would overflow."""
    largest = 0.0
    for f in range(x.shape[0]):
        largest = max(largest, abs(x[f]))
    if largest == 0.0 or largest == np.inf:
        return largest
    total = 0.0
    for f in range(x.shape[0]):
        total += (x[f] / largest) ** 2
    return float(largest * np.sqrt(total))


@compiled
def sum_by_class(values: Features, y: Codes, k: Features) -> None:
    """Fill the sums (n_query, n_classes) of values (n_query, n) by the classes y (n,)."""
    k[:] = 0.0
    for q in range(k.shape[0]):
        for i in range(y.shape[0]):
            k[q, y[i]] += values[q, i]


@compiled
def squared_loop(queries: Features, X: Features) -> Features:
    """Return squared distances (n_query, n_instances), difference by difference."""
    result = np.empty((queries.shape[0], X.shape[0]))
    for q in range(queries.shape[0]):
        for i in range(X.shape[0]):
            result[q, i] = squared_distance(queries[q], X[i])
    return result


@compiled
def similarity_loop(queries: Features, X: Features, bandwidth: float) -> Features:
    """Return similarities (n_query, n_instances), difference by difference."""
    scale = -0.5 / bandwidth**2
    result = np.empty((queries.shape[0], X.shape[0]))
    for q in range(queries.shape[0]):
        for i in range(X.shape[0]):
            result[q, i] = np.exp(scale * squared_distance(queries[q], X[i]))
    return result


@compiled
def frequency_loop(
    queries: Features, X: Features, y: Codes, n_classes: int, bandwidth: float
) -> Features:
    """Return kernel frequencies (n_query, n_classes), difference by difference."""
    scale = -0.5 / bandwidth**2
    k = np.zeros((queries.shape[0], n_classes))
    for q in range(queries.shape[0]):
        for i in range(X.shape[0]):
            k[q, y[i]] += np.exp(scale * squared_distance(queries[q], X[i]))
    return k
