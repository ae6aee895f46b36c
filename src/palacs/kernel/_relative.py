"""Kernel frequencies in units of the nearest instance, which no dimension makes vanish.

In hundreds of dimensions all similarities are too small for floating point, and yet one instance is
nearer than another. Relative to the nearest one nothing that matters underflows.
"""

from __future__ import annotations

import numpy as np

from palacs.checks import Codes, Features
from palacs.compiled import compiled
from palacs.kernel._similarity import query_blocks, squared_distances


def relative_frequencies(
    queries: Features, X: Features, y: Codes, n_classes: int, bandwidth: float
) -> Features:
    """Return kernel frequencies (n_query, n_classes), each row in units of its own.

    The nearest instance of a row has similarity one: in any dimension, with any bandwidth, some
    frequency is at least one. Zero only where distances are too large for floating point.
    """
    k = np.zeros((len(queries), n_classes))
    for some in query_blocks(len(queries), X):
        renew_relative(k[some], squared_distances(queries[some], X, bandwidth), y, bandwidth)
    return k


@compiled
def renew_relative(k: Features, squared: Features, y: Codes, bandwidth: float) -> None:
    """Fill `relative_frequencies` (n_query, n_classes) from squared distances (n_query, >= n)."""
    scale = -0.5 / bandwidth**2
    k[:] = 0.0
    for i in range(k.shape[0]):
        nearest = np.inf
        for j in range(y.shape[0]):
            nearest = min(nearest, squared[i, j])
        if nearest == np.inf:
            continue
        for j in range(y.shape[0]):
            k[i, y[j]] += np.exp(scale * (squared[i, j] - nearest))


def effective_counts_at(
    points: Features, X: Features, known: tuple[Codes, int], bandwidth: float, own: Codes
) -> Features:
    """Return `effective_counts` at points (n_points, n_features), a block of them at a time.

    ``known`` is (classes of the instances X, number of classes).
    """
    y, n_classes = known
    k = np.empty((len(points), n_classes))
    for block in query_blocks(len(points), X):
        squared = squared_distances(points[block], X, bandwidth)
        k[block] = effective_counts(squared, y, n_classes, bandwidth, own[block])
    return k


@compiled
def effective_counts(
    squared: Features, y: Codes, n_classes: int, bandwidth: float, own: Codes
) -> Features:
    """Return how many instances of each class speak for each point, shape (n_points, n_classes).

    ``k_y = Σ_{i∈y} s_i · Σ s / Σ s²``: as many as if all had the same similarity. Similarities
    are taken relative to the nearest instance, so that nothing underflows in any dimension.
    ``squared`` is (n_points, n); ``own`` (n_points,) an instance to leave out, or -1.
    """
    n_points, n = squared.shape
    scale = -0.5 / bandwidth**2
    k = np.zeros((n_points, n_classes))
    for i in range(n_points):
        nearest = np.inf
        for j in range(n):
            if j != own[i]:
                nearest = min(nearest, squared[i, j])
        total, squares = 0.0, 0.0
        for j in range(n):
            if j != own[i]:
                similarity = np.exp(scale * (squared[i, j] - nearest))
                total += similarity
                squares += similarity * similarity
                k[i, y[j]] += similarity
        if squares > 0.0:
            for c in range(n_classes):
                k[i, c] *= total / squares
    return k
