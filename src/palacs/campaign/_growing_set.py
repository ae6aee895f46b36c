"""The labelled set of a running campaign, kept ready for the next decision.

Instances arrive one at a time and there may be tens of thousands. Arrays grow by doubling,
and only new rows are scaled unless the observed range widened, so that the cost of keeping
the set does not grow with its size. Views handed out stay valid: rows are never overwritten.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from palacs.campaign._values import Vector

Matrix = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]


def scale(X: Matrix, lower: Vector, upper: Vector) -> Matrix:
    """Scale features to [0, 1]; constant ones become 0.

    Parameters
    ----------
    X : ndarray of shape (n, n_features)
        Raw values; those outside the bounds land outside [0, 1].
    lower, upper : ndarray of shape (n_features,)
        The bounds.

    Returns
    -------
    ndarray of shape (n, n_features)
    """
    width = upper - lower
    scaled: Matrix = (X - lower) / np.where(width > 0, width, 1.0)
    return scaled


class GrowingSet:
    """Instances in acquisition order, with their raw and scaled features.

    Parameters
    ----------
    bounds : list of pairs or None
        Declared range of each feature (or one pair for all); ``None`` takes what was seen.
    n_features : int or None
        Declared number of features; ``None`` takes that of the instances that are in.
    """

    def __init__(self, bounds: list[list[float]] | None, n_features: int | None = None) -> None:
        self._bounds = None if bounds is None else np.array(bounds)
        if n_features is None and bounds is not None and len(bounds) > 1:
            n_features = len(bounds)
        self._declared = n_features
        self.n_features = n_features
        self._ids: list[str] = []
        self._allocate(0)

    def _allocate(self, capacity: int) -> None:
        d = self.n_features or 0
        self._X = np.empty((capacity, d))
        self._scaled = np.empty((capacity, d))
        self._codes = np.empty(capacity, dtype=np.intp)
        self._n_scaled = 0
        self._lower: Vector = np.full(d, np.inf)
        self._upper: Vector = np.full(d, -np.inf)

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def ids(self) -> Sequence[str]:
        """Ids of the instances, in acquisition order."""
        return self._ids

    @property
    def X(self) -> Matrix:
        """Raw features, shape (n, n_features)."""
        return self._X[: len(self._ids)]

    @property
    def codes(self) -> Codes:
        """Position of each instance's class, shape (n,)."""
        return self._codes[: len(self._ids)]

    def append(self, id_: str, x: Vector, code: int) -> None:
        """Add an instance at the end."""
        if self.n_features is None:
            self.n_features = x.size
            self._allocate(16)
        n = len(self._ids)
        if n == len(self._X):
            self._grow(max(16, 2 * n))
        self._X[n] = x
        self._codes[n] = code
        self._ids.append(id_)
        if self._bounds is None:
            self._widen(x)

    def _grow(self, capacity: int) -> None:
        n = len(self._ids)
        for name in ("_X", "_scaled", "_codes"):
            old = getattr(self, name)
            new = np.empty((capacity, *old.shape[1:]), dtype=old.dtype)
            new[:n] = old[:n]
            setattr(self, name, new)

    def _widen(self, x: Vector) -> None:
        if (x < self._lower).any() or (x > self._upper).any():
            self._lower = np.minimum(self._lower, x)
            self._upper = np.maximum(self._upper, x)
            self._scaled = np.empty_like(self._X)
            self._n_scaled = 0

    def remove(self, id_: str) -> None:
        """Take an instance out; the others keep their order."""
        place = self._ids.index(id_)
        keep = np.delete(np.arange(len(self._ids)), place)
        X, codes = self.X[keep], self.codes[keep]
        self._ids = [other for other in self._ids if other != id_]
        if not self._ids:
            # Nothing that counts says how long an instance is; the next one may.
            self.n_features = self._declared
            X = X[:, : self.n_features or 0]
        self._allocate(max(16, len(keep)))
        self._X[: len(keep)], self._codes[: len(keep)] = X, codes
        if self._bounds is None and len(keep):
            self._lower, self._upper = X.min(axis=0), X.max(axis=0)

    def limits(self) -> tuple[Vector, Vector]:
        """Return the bounds in force, two arrays of shape (n_features,)."""
        d = self.n_features or 0
        if self._bounds is not None:
            low, high = np.broadcast_to(self._bounds, (d, 2)).T if d else np.empty((2, 0))
            return low.copy(), high.copy()
        if not self._ids:
            return np.zeros(d), np.ones(d)
        return self._lower, self._upper

    def scaled(self) -> Matrix:
        """Return the features scaled to [0, 1], shape (n, n_features)."""
        n = len(self._ids)
        if self._n_scaled < n:
            lower, upper = self.limits()
            fresh = slice(self._n_scaled, n)
            self._scaled[fresh] = scale(self._X[fresh], lower, upper)
            self._n_scaled = n
        return self._scaled[:n]
