"""The Parzen window's compiled loops: scores, decisions, errors, out-of-fold decisions.

Everything that plays, judges or cross-validates a Parzen window does it here, so that a trial, a
campaign and `ParzenWindowClassifier` decide alike.
"""

from __future__ import annotations

import numpy as np

from palacs.checks import Codes, Features
from palacs.compiled import compiled
from palacs.kernel import renew_relative, squared_distance
from palacs.ties import as_good, best_of

NOTHING_NEAR = -1


@compiled
def add_instance(k_test: Features, X_test: Features, x: Features, c: int, bandwidth: float) -> None:
    """Add one instance of class c to the kernel frequencies (n_test, n_classes) in place."""
    scale = -0.5 / bandwidth**2
    for i in range(X_test.shape[0]):
        k_test[i, c] += np.exp(scale * squared_distance(X_test[i], x))


@compiled
def add_squared(squared: Features, X_test: Features, x: Features, n: int) -> None:
    """Fill column n with the squared distances from the test set to instance n."""
    for i in range(X_test.shape[0]):
        squared[i, n] = squared_distance(X_test[i], x)


@compiled
def renew_frequencies(
    k_test: Features, squared: Features, y: Codes, bandwidth: float, relative: bool
) -> None:
    """Fill kernel frequencies (n_test, n_classes) from squared distances (n_test, >= n).

    With ``relative``, in units of the nearest instance's similarity.
    """
    if relative:
        renew_relative(k_test, squared, y, bandwidth)
        return
    scale = -0.5 / bandwidth**2
    k_test[:] = 0.0
    for i in range(k_test.shape[0]):
        for j in range(y.shape[0]):
            k_test[i, y[j]] += np.exp(scale * squared[i, j])


@compiled
def expected_error(k_test: Features, y_test: Codes, counts: Codes, prior: Features) -> float:
    """Return the Parzen window's error rate; equal scores are a guess, right once in as many.

    ``k_test`` is (n_test, n_classes). Where nothing is near, all scores equal the prior.
    """
    n_test, n_classes = k_test.shape
    wrong = 0.0
    score = np.empty(n_classes)
    for i in range(n_test):
        best = 0.0
        for c in range(n_classes):
            score[c] = k_test[i, c]
            if prior.shape[0]:
                score[c] *= prior[c] / max(counts[c], 1)
            best = max(best, score[c])
        if best == 0.0:
            for c in range(n_classes):
                score[c] = prior[c] if prior.shape[0] else 1.0
                best = max(best, score[c])
        first, ties = best_of(score)
        wrong += 1.0 - 1.0 / ties if as_good(score[y_test[i]], score[first]) else 1.0
    return float(wrong / n_test)


@compiled
def parzen_out_of_fold(
    similarity: Features,
    y: Codes,
    n: int,
    folds: tuple[Codes, int],
    model: tuple[Features, bool],
) -> Codes:
    """Return the Parzen window's out-of-fold predictions (n,), -1 where nothing is near.

    ``similarity`` is (>= n, >= n); ``folds`` the fold of each instance (n,) and one that nobody
    sees, or -1; ``model`` is (prior, relative). The prior (n_classes,) corrects for the class
    sizes of each training part, or is empty. If relative, similarities come as logarithms, and
    the nearest instance of the training part has similarity one.
    """
    fold, without = folds
    prior, relative = model
    n_classes = y[:n].max() + 1
    n_folds = fold.max() + 1
    members = np.zeros((n_folds + 1, n_classes))
    for i in range(n):
        if i != without:
            members[fold[i], y[i]] += 1.0
            members[n_folds, y[i]] += 1.0
    predicted = np.full(n, NOTHING_NEAR)
    k = np.empty(n_classes)
    for i in range(n):
        _sum_other_folds(k, similarity[i], y, i, n, folds, relative)
        for c in range(n_classes):
            if prior.shape[0] and k[c] > 0.0:
                k[c] *= prior[c] / (members[n_folds, c] - members[fold[i], c])
        first, _ = best_of(k)
        if k[first] > 0.0:
            predicted[i] = first
    return predicted


@compiled
def _sum_other_folds(
    k: Features,
    similarity: Features,
    y: Codes,
    i: int,
    n: int,
    folds: tuple[Codes, int],
    relative: bool,
) -> None:
    """Fill the frequencies (n_classes,) around instance i from the folds it is not in."""
    fold, without = folds
    nearest = 0.0
    if relative:
        nearest = -np.inf
        for j in range(n):
            if fold[j] != fold[i] and j != without:
                nearest = max(nearest, similarity[j])
    k[:] = 0.0
    for j in range(n):
        if fold[j] != fold[i] and j != without and nearest > -np.inf:
            k[y[j]] += np.exp(similarity[j] - nearest) if relative else similarity[j]
