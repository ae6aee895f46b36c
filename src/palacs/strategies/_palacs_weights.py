"""The two weights of the paper's Eq. 6: how much a place matters, and to which class.

Drawn from each class's density, pseudo-instances carry the first weight themselves (Fig. 3); on a
grid both are explicit.
"""

from __future__ import annotations

import numpy as np

from palacs.checks import Codes, Features
from palacs.compiled import compiled
from palacs.strategies._beliefs import worth_of_classes
from palacs.strategies._pick import Utilities

_GRID_FEATURES = 3
_GRID_MARGIN = 3.0


@compiled
def class_weights(k: Features, origins: Codes) -> Features:
    """Return how the draws share each class's density: k over its column sum (Fig. 3, line 10).

    In thousands of dimensions even a class's own pseudo-instances are too far from it for
    floating point; they then share equally.
    """
    n_points, n_classes = k.shape
    totals, draws = np.zeros(n_classes), np.zeros(n_classes)
    for i in range(n_points):
        if origins[i] >= 0:
            draws[origins[i]] += 1.0
        for c in range(n_classes):
            totals[c] += k[i, c]
    weights = np.zeros((n_points, n_classes))
    for i in range(n_points):
        for c in range(n_classes):
            if totals[c] > 0.0:
                weights[i, c] = k[i, c] / totals[c]
            elif origins[i] == c:
                weights[i, c] = 1.0 / draws[c]
    return weights


@compiled
def weighted_sums(k: Features, gains: Features, origins: Codes) -> Utilities:
    """Sum the gains for each class, weighted (Fig. 3, lines 5-10), shape (n_classes,)."""
    weights = class_weights(k, origins)
    utilities = np.zeros(k.shape[1])
    for i in range(k.shape[0]):
        for c in range(k.shape[1]):
            utilities[c] += gains[i] / k.shape[0] * weights[i, c]
    return utilities


def grid(X: Features, n_points: int, bandwidth: float) -> Features:
    """Spread points evenly over the labelled set, shape (n_points ** n_features, n_features)."""
    if X.shape[1] > _GRID_FEATURES:
        raise ValueError(
            f'sampling="grid" is for up to {_GRID_FEATURES} features and X has {X.shape[1]}; '
            'use sampling="monte-carlo".'
        )
    margin = _GRID_MARGIN * bandwidth
    axes = [
        np.linspace(low - margin, high + margin, n_points)
        for low, high in zip(X.min(axis=0), X.max(axis=0), strict=True)
    ]
    mesh = np.meshgrid(*axes, indexing="ij")
    return np.ascontiguousarray(np.stack([axis.ravel() for axis in mesh], axis=1))


def grid_weights(k: Features, y: Codes, importance: Features | None) -> tuple[Features, Features]:
    """Return the density weight (n_points,) and the class weights (n_points, n_classes).

    All classes weigh the same in the density, as they do when the same number of
    pseudo-instances is drawn from each, or by how often they occur in use. ``y`` are the classes
    of what was acquired or is pending.
    """
    totals = k.sum(axis=0)
    weights = np.divide(k, totals, out=np.zeros_like(k), where=totals > 0)
    n_present = max(int((totals > 0).sum()), 1)
    if importance is None:
        return weights.sum(axis=1) / n_present, weights
    density: Features = (weights * importance).sum(axis=1) / n_present
    return density, weights * worth_of_classes(k, y, importance)


def draw_weights(
    k: Features, origins: Codes, y: Codes, importance: Features | None
) -> tuple[Features, Features]:
    """Return both weights of Eq. 6 for draws, as `grid_weights` does for a grid."""
    if importance is None:
        return np.full(len(k), 1.0 / len(k)), class_weights(k, origins)
    density: Features = importance[origins] / len(k)
    return density, class_weights(k, origins) * worth_of_classes(k, y, importance)
