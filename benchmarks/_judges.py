"""Logistic regression and 5-NN as scikit-learn has them, quick enough for hundreds of trials.

A strategy that asks such a model fits it about five times per class and decision, millions of times
in a benchmark, on a hundred instances each: there scikit-learn's checks take most of the time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit
from sklearn.base import BaseEstimator, ClassifierMixin

Array = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]

# As scikit-learn's: where the steepest slope of the mean loss is below this, it is the optimum.
_SLOPE = 1e-4
_MOST_STEPS = 1_000
_MEMORY = 10
# Keeps the triangle of a Gram matrix of standardized rows, which sum to nothing, regular.
_JITTER = 1e-10


class _MostProbable(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # untyped bases
    """Answers with the class of the highest probability, of ties the first."""

    def predict(self, X: Array) -> npt.NDArray[Any]:
        """Return classes (n,)."""
        answers: npt.NDArray[Any] = self.classes_[self.predict_proba(X).argmax(axis=1)]
        return answers


class Logistic(_MostProbable):
    """Logistic regression on standardized features, with scikit-learn's penalty.

    The optimum of ``make_pipeline(StandardScaler(), LogisticRegression(max_iter=1_000))``, found
    to the same slope.
    """

    def fit(self, X: Array, y: npt.ArrayLike) -> Logistic:
        """Fit to X (n, n_features) and y (n,)."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.mean_, spread = X.mean(axis=0), X.std(axis=0)
        self.spread_ = np.where(spread > 0.0, spread, 1.0)
        Z = (X - self.mean_) / self.spread_
        # Of two classes scikit-learn penalizes the difference of the weights, not each of them.
        penalty = 2.0 if len(self.classes_) == 2 else 1.0
        few = len(Z) <= Z.shape[1]
        if few:
            # The weights lie in the span of the instances.
            gram = Z @ Z.T
            gram.flat[:: len(gram) + 1] += _JITTER * gram.trace()
            triangle = np.linalg.cholesky(gram)
        weights = descend(triangle if few else Z, codes, len(self.classes_), penalty)
        self.intercept_ = weights[-1]
        self.coef_ = Z.T @ np.linalg.solve(triangle.T, weights[:-1]) if few else weights[:-1]
        return self

    def predict_proba(self, X: Array) -> Array:
        """Return probabilities (n, n_classes)."""
        scores = ((X - self.mean_) / self.spread_) @ self.coef_ + self.intercept_
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        proba: Array = odds / odds.sum(axis=1, keepdims=True)
        return proba


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]  # numba's
def descend(X: Array, y: Codes, n_classes: int, penalty: float) -> Array:
    """Return weights (n_features + 1, n_classes), the last row without penalty, by L-BFGS."""
    n_features = X.shape[1]
    size = (n_features + 1) * n_classes
    weights, slope = np.zeros(size), np.empty(size)
    loss = _loss(X, y, weights, penalty, slope)
    steps, bends = np.zeros((_MEMORY, size)), np.zeros((_MEMORY, size))
    share, ahead = np.empty(_MEMORY), np.empty(size)
    kept = 0
    for _ in range(_MOST_STEPS):
        if np.abs(slope).max() <= _SLOPE:
            break
        towards = -slope
        for k in range(kept - 1, max(kept - _MEMORY, 0) - 1, -1):
            m = k % _MEMORY
            share[m] = (steps[m] @ towards) / (steps[m] @ bends[m])
            towards -= share[m] * bends[m]
        if kept:
            m = (kept - 1) % _MEMORY
            towards *= (steps[m] @ bends[m]) / (bends[m] @ bends[m])
        else:
            towards /= np.sqrt(slope @ slope)
        for k in range(max(kept - _MEMORY, 0), kept):
            m = k % _MEMORY
            towards += (share[m] - (bends[m] @ towards) / (steps[m] @ bends[m])) * steps[m]
        descent, length = towards @ slope, 1.0
        while True:
            there = weights + length * towards
            loss_there = _loss(X, y, there, penalty, ahead)
            if loss_there <= loss + 1e-4 * length * descent or length < 1e-10:
                break
            length *= 0.5
        m = kept % _MEMORY
        steps[m], bends[m] = there - weights, ahead - slope
        kept += 1 if steps[m] @ bends[m] > 0.0 else 0
        weights, loss = there, loss_there
        slope[:] = ahead
    return weights.reshape(n_features + 1, n_classes)


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]  # numba's
def _loss(X: Array, y: Codes, weights: Array, penalty: float, slope: Array) -> float:
    """Return the mean loss with its penalty, and fill its slope."""
    n, n_features = X.shape
    n_classes = weights.shape[0] // (n_features + 1)
    W = weights.reshape(n_features + 1, n_classes)
    scores = X @ W[:n_features]
    loss = 0.0
    for i in range(n):
        highest, total = -np.inf, 0.0
        for c in range(n_classes):
            scores[i, c] += W[n_features, c]
            highest = max(highest, scores[i, c])
        loss -= scores[i, y[i]] - highest
        for c in range(n_classes):
            scores[i, c] = np.exp(scores[i, c] - highest)
            total += scores[i, c]
        loss += np.log(total)
        for c in range(n_classes):
            scores[i, c] /= total
        scores[i, y[i]] -= 1.0
    rows = slope.reshape(n_features + 1, n_classes)
    rows[:n_features] = (X.T @ scores + penalty * W[:n_features]) / n
    rows[n_features] = scores.sum(axis=0) / n
    loss += 0.5 * penalty * (W[:n_features] ** 2).sum()
    mean: float = loss / n
    return mean


class UpToFiveNeighbours(_MostProbable):
    """5-NN, of fewer neighbours while there are fewer instances; of ties the first counts."""

    def fit(self, X: Array, y: npt.ArrayLike) -> UpToFiveNeighbours:
        """Keep X (n, n_features) and y (n,)."""
        self.classes_, self.codes_ = np.unique(y, return_inverse=True)
        self.X_ = X
        return self

    def predict_proba(self, X: Array) -> Array:
        """Return shares of the neighbours (n, n_classes)."""
        # From the middle of the instances, so that large offsets do not cancel.
        middle = self.X_.mean(axis=0)
        known, asked = self.X_ - middle, X - middle
        squared = (known**2).sum(axis=1) - 2.0 * (asked @ known.T)
        proba: Array = _neighbours(squared, self.codes_, len(self.classes_), min(5, len(known)))
        return proba


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]  # numba's
def _neighbours(squared: Array, y: Codes, n_classes: int, most: int) -> Array:
    """Return the classes' shares (n, n_classes) of the nearest, by distances (n, n_known)."""
    shares = np.zeros((squared.shape[0], n_classes))
    nearest, classes = np.empty(most), np.empty(most, dtype=np.int64)
    for i in range(squared.shape[0]):
        found = 0
        for j in range(y.shape[0]):
            if found == most and squared[i, j] >= nearest[most - 1]:
                continue
            place = min(found, most - 1)
            while place > 0 and squared[i, j] < nearest[place - 1]:
                nearest[place], classes[place] = nearest[place - 1], classes[place - 1]
                place -= 1
            nearest[place], classes[place] = squared[i, j], y[j]
            found = min(found + 1, most)
        for k in range(most):
            shares[i, classes[k]] += 1.0 / most
    return shares
