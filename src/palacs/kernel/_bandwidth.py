"""A bandwidth from the data: kernels as wide as the gaps within the classes.

0.05 suits the paper's plane and is far too narrow in many dimensions, where all kernel
frequencies underflow. The rule here follows the labelled set as it grows; it has no constant to
tune and gives the same number whatever the order of the instances.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from palacs.checks import (
    Bandwidth,
    Codes,
    Features,
    check_codes,
    check_count,
    check_features,
)
from palacs.compiled import compiled
from palacs.kernel._similarity import squared_distance

# So many instances are enough to average nearest distances over.
_MOST_NEAREST = 1_000
# Where all instances lie in one place, data say nothing about a bandwidth: the paper's.
_NO_DISTANCE = 0.05


def auto_bandwidth(X: npt.ArrayLike, y: npt.ArrayLike, *, n_classes: int) -> float:
    """Choose the bandwidth that fits a labelled set.

    σ = sqrt(2 · mean r² / d): a kernel in d dimensions reaches a mean squared distance of dσ²,
    and here that is twice the mean squared distance r² from an instance to the nearest of its
    own class, so that neighbours of a class merge into one density while a wider gap remains.
    Instances at the very same place are no neighbours, features that do not vary no dimensions.

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
    instances = check_features(X)
    codes = check_codes(y, len(instances), check_count(n_classes, "n_classes"))
    return float(fitting_bandwidth(instances, codes))


def resolve_bandwidth(bandwidth: Bandwidth, X: Features, y: Codes) -> float:
    """Return a bandwidth as a number: "auto" fits it to X (n, n_features) and codes y (n,)."""
    return float(fitting_bandwidth(X, y)) if bandwidth == "auto" else float(bandwidth)


@compiled
def fitting_bandwidth(X: Features, y: Codes) -> float:
    """Return `auto_bandwidth` without its checks; X has at least one row."""
    nearest = np.full(X.shape[0], np.inf)
    for i in range(0, X.shape[0], _stride(X.shape[0])):
        nearest[i] = _nearest_squared(X, i, y, y[i])
    return float(bandwidth_from_nearest(X, nearest))


@compiled
def bandwidth_from_nearest(X: Features, nearest: Features) -> float:
    """Return the bandwidth from squared distances (n,) within classes, infinite where none."""
    n = X.shape[0]
    factor = 2.0
    total, found = _finite_sum(nearest)
    if found == 0:
        # Other classes are what must be kept apart: half as wide a kernel, a quarter squared.
        factor = 0.5
        everything = np.zeros(n, dtype=np.int64)
        others = np.full(n, np.inf)
        for i in range(0, n, _stride(n)):
            others[i] = _nearest_squared(X, i, everything, 0)
        total, found = _finite_sum(others)
    if found == 0:
        return _NO_DISTANCE
    return float(min(max(np.sqrt(factor * total / found / _varying(X)), 1e-100), 1e100))


@compiled
def add_to_nearest(nearest: Features, X: Features, y: Codes, n: int) -> None:
    """Bring the first n + 1 squared distances within classes up to date for instance n."""
    nearest[n] = np.inf
    for j in range(n):
        if y[j] != y[n]:
            continue
        squared = squared_distance(X[n], X[j])
        if squared > 0.0:
            nearest[n] = min(nearest[n], squared)
            nearest[j] = min(nearest[j], squared)


@compiled
def _stride(n: int) -> int:
    return (n - 1) // _MOST_NEAREST + 1


@compiled
def _nearest_squared(X: Features, i: int, y: Codes, c: int) -> float:
    """Return the squared distance from row i to the nearest of class c at another place."""
    best = np.inf
    for j in range(X.shape[0]):
        if y[j] != c:
            continue
        squared = 0.0
        for f in range(X.shape[1]):
            difference = X[i, f] - X[j, f]
            squared += difference * difference
            if squared >= best:
                break
        if 0.0 < squared < best:
            best = squared
    return best


@compiled
def _finite_sum(nearest: Features) -> tuple[float, int]:
    total, found = 0.0, 0
    for i in range(0, nearest.shape[0], _stride(nearest.shape[0])):
        if nearest[i] < np.inf:
            total += nearest[i]
            found += 1
    return total, found


@compiled
def _varying(X: Features) -> int:
    """Count the features that differ between instances."""
    varying = 0
    for f in range(X.shape[1]):
        for i in range(1, X.shape[0]):
            if X[i, f] != X[0, f]:
                varying += 1
                break
    return varying
