"""A whole trial in one compiled loop, for most strategies and the Parzen window.

Python would spend more time between two decisions than on them. The loop calls the very
functions that the strategies call, with the same random numbers, so that it requests the same
classes as `Strategy.query` would, one by one; a test holds it to that.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from palacs._bandwidth import add_to_nearest, bandwidth_from_nearest, fitting_bandwidth
from palacs._random import Stream
from palacs._validation import Bandwidth, Codes, Features
from palacs.classifier import ParzenWindowClassifier
from palacs.gain import gain_rows_up_to_three
from palacs.kernel import (
    LOOP_FEATURES,
    draw_pseudo_instances,
    frequency_loop,
    similarity_loop,
    squared_loop,
)
from palacs.strategies import (
    PALACS,
    BalancedGain,
    InverseAccuracy,
    RandomSelection,
    Redistricting,
    Strategy,
    UniformSelection,
)
from palacs.strategies._accuracy import inverse_scores, redistricting_scores
from palacs.strategies._balanced_gain import balanced_values, first_left_out
from palacs.strategies._base import Utilities, pick_class
from palacs.strategies._crossval import assign_folds, parzen_out_of_fold
from palacs.strategies._palacs import weighted_sums

RANDOM, UNIFORM, PAL_ACS, BALANCED_GAIN, INVERSE, INVERSE_NO_REPEAT, REDISTRICTING = range(7)
# Stands for a bandwidth that is fitted anew whenever it is needed.
AUTO = 0.0


class FusedStrategy(NamedTuple):
    """A strategy as numbers; what a kind does not use keeps its default."""

    kind: int
    bandwidth: float = 0.05
    corrected: bool = False
    n_pseudo: int = 0
    max_labels: int = 1
    folds: int = 2


class Arena(NamedTuple):
    """What a trial plays on, as compiled code sees it (see `Split`)."""

    X: Features
    first: Codes
    start: Codes
    X_test: Features
    y_test: Codes


class Knowledge(NamedTuple):
    """What the loop keeps up to date instead of computing it anew for every decision."""

    X: Features
    y: Codes
    counts: Codes
    nearest: Features
    similarity: Features
    predicted: Codes


def fuse(strategy: Strategy, n_features: int) -> FusedStrategy | None:
    """Return the strategy's compiled form, or None if it must be asked step by step."""
    if n_features > LOOP_FEATURES:
        return None
    # Exact types: a subclass may decide differently.
    if type(strategy) is RandomSelection:
        return FusedStrategy(RANDOM)
    if type(strategy) is UniformSelection:
        return FusedStrategy(UNIFORM)
    if type(strategy) is PALACS:
        paper = strategy.sampling == "monte-carlo" and strategy.classifier is None
        if not paper or strategy.max_labels > 3:
            return None
        return FusedStrategy(
            PAL_ACS,
            as_number(strategy.bandwidth),
            n_pseudo=int(strategy.n_pseudo),
            max_labels=int(strategy.max_labels),
        )
    if type(strategy) is BalancedGain:
        number = as_number(strategy.bandwidth)
        return FusedStrategy(BALANCED_GAIN, number, n_pseudo=int(strategy.n_pseudo))
    if type(strategy) is InverseAccuracy:
        kind = INVERSE if strategy.allow_repeat else INVERSE_NO_REPEAT
    elif type(strategy) is Redistricting:
        kind = REDISTRICTING
    else:
        return None
    model = ParzenWindowClassifier() if strategy.classifier is None else strategy.classifier
    if type(model) is not ParzenWindowClassifier:
        return None
    model._validate_params()
    corrected = isinstance(model.class_prior, str)
    if model.class_prior is not None and not corrected:
        return None
    return FusedStrategy(kind, as_number(model.bandwidth), corrected, folds=int(strategy.folds))


def as_number(bandwidth: Bandwidth) -> float:
    """Return a bandwidth as compiled code takes it."""
    return AUTO if bandwidth == "auto" else float(bandwidth)


def compile_once() -> None:
    """Compile the loop, or load it from the cache, by playing a trial of two instances."""
    X = np.array([[0.0], [1.0]])
    codes = np.arange(2)
    arena = Arena(X, np.arange(3), codes, X, codes)
    replay(arena, FusedStrategy(RANDOM), 0.05, np.zeros(0), (0, True), np.uint64(0))


@njit(cache=True, nogil=True)
def replay(
    arena: Arena,
    strategy: FusedStrategy,
    bandwidth: float,
    prior: Features,
    limits: tuple[int, bool],
    seed: np.uint64,
) -> tuple[Codes, Features]:
    """Play one trial: the classes requested and the error after each, both (budget,).

    ``bandwidth`` and ``prior`` (n_classes,), or empty, are the judged classifier's; ``limits`` is
    (budget, whether a class that ran out begins again).
    """
    budget, refill = limits
    n_classes = arena.start.shape[0]
    size = n_classes + budget
    compared = size if strategy.kind >= INVERSE and strategy.bandwidth != AUTO else 0
    known = Knowledge(
        np.empty((size, arena.X.shape[1])),
        np.empty(size, dtype=np.int64),
        np.zeros(n_classes, dtype=np.int64),
        np.empty(size),
        np.empty((compared, compared)),
        np.empty(size, dtype=np.int64),
    )
    k_test = np.zeros((arena.X_test.shape[0], n_classes))
    squared = np.empty((arena.X_test.shape[0], size if bandwidth == AUTO else 0))
    requested = np.empty(budget, dtype=np.int64)
    errors = np.empty(budget)
    for n in range(size):
        if n < n_classes:
            c = arena.start[n]
        else:
            stream = Stream(seed, np.uint64(n))
            utilities = _utilities(strategy, known, n, n == n_classes, stream)
            for other in range(n_classes):
                spent = known.counts[other] >= arena.first[other + 1] - arena.first[other]
                if spent and not refill:
                    utilities[other] = np.nan
            drawn = strategy.kind == RANDOM or strategy.kind >= INVERSE
            c = pick_class(utilities, drawn, stream)
        queue = arena.first[c + 1] - arena.first[c]
        x = arena.X[arena.first[c] + known.counts[c] % queue]
        known.X[n] = x
        known.y[n] = c
        known.counts[c] += 1
        add_to_nearest(known.nearest, known.X, known.y, n)
        if compared:
            known.similarity[n, : n + 1] = similarity_loop(
                known.X[n : n + 1], known.X[: n + 1], strategy.bandwidth
            )[0]
            known.similarity[: n + 1, n] = known.similarity[n, : n + 1]
        if bandwidth == AUTO:
            add_squared(squared, arena.X_test, x, n)
            if n >= n_classes:
                fitted = bandwidth_from_nearest(known.X[: n + 1], known.nearest[: n + 1])
                renew_frequencies(k_test, squared, known.y[: n + 1], fitted)
        else:
            add_instance(k_test, arena.X_test, x, c, bandwidth)
        if n >= n_classes:
            requested[n - n_classes] = c
            errors[n - n_classes] = expected_error(k_test, arena.y_test, known.counts, prior)
    return requested, errors


@njit(cache=True, nogil=True)
def _utilities(
    strategy: FusedStrategy, known: Knowledge, n: int, first_decision: bool, stream: Stream
) -> Utilities:
    """Return the utilities (n_classes,) from the first n instances, as `Strategy.utilities`."""
    n_classes = known.counts.shape[0]
    X, y = known.X[:n], known.y[:n]
    if strategy.kind == RANDOM:
        return np.full(n_classes, 1.0 / n_classes)
    if strategy.kind == UNIFORM:
        overdue: Utilities = 1.0 / n_classes / (known.counts + 0.5)
        return overdue
    bandwidth = _bandwidth(strategy, known, n)
    if strategy.kind == PAL_ACS:
        points, origins = draw_pseudo_instances(
            X, y, n_classes, strategy.n_pseudo, bandwidth, stream
        )
        k = frequency_loop(points, X, y, n_classes, bandwidth)
        gains = gain_rows_up_to_three(k, strategy.max_labels, 1.0)
        summed: Utilities = weighted_sums(k, gains, origins)
        return summed
    if strategy.kind == BALANCED_GAIN:
        points, _ = draw_pseudo_instances(X, y, n_classes, strategy.n_pseudo, bandwidth, stream)
        latest = X[first_left_out(n, n_classes) :]
        counts = (known.counts, known.counts)
        balanced: Utilities = balanced_values(
            squared_loop(points, X), squared_loop(latest, X), y, counts, bandwidth
        )
        return balanced
    prior = np.full(n_classes if strategy.corrected else 0, 1.0 / n_classes)
    if first_decision:
        _predict(strategy, known, n - 1, prior, stream.seed)
    before = known.predicted[: n - 1].copy()
    _predict(strategy, known, n, prior, stream.seed)
    if strategy.kind == REDISTRICTING:
        scores = redistricting_scores(y, n, known.predicted[:n], before, n_classes)
    else:
        scores = inverse_scores(y, n, known.predicted[:n], n_classes)
        if strategy.kind == INVERSE_NO_REPEAT:
            scores[y[n - 1]] = 0.0
    shares: Utilities = scores / scores.sum()
    return shares


@njit(cache=True, nogil=True)
def _predict(
    strategy: FusedStrategy, known: Knowledge, n: int, prior: Features, seed: np.uint64
) -> None:
    """Renew the out-of-fold predictions of the first n instances."""
    fold = assign_folds(n, strategy.folds, Stream(seed, np.uint64(n)))
    similarity = known.similarity
    if strategy.bandwidth == AUTO:
        X = known.X[:n]
        similarity = similarity_loop(X, X, _bandwidth(strategy, known, n))
    known.predicted[:n] = parzen_out_of_fold(similarity, known.y, n, fold, -1, prior)


@njit(cache=True, nogil=True)
def _bandwidth(strategy: FusedStrategy, known: Knowledge, n: int) -> float:
    """Return the strategy's bandwidth when the first n instances are known."""
    if strategy.bandwidth != AUTO:
        return strategy.bandwidth
    # What is kept up to date describes all instances; a look back starts from scratch.
    if n < known.counts.sum():
        return float(fitting_bandwidth(known.X[:n], known.y[:n]))
    return float(bandwidth_from_nearest(known.X[:n], known.nearest[:n]))


@njit(cache=True, nogil=True)
def add_instance(k_test: Features, X_test: Features, x: Features, c: int, bandwidth: float) -> None:
    """Add one instance of class c to the kernel frequencies (n_test, n_classes) in place."""
    scale = -0.5 / bandwidth**2
    for i in range(X_test.shape[0]):
        squared = 0.0
        for f in range(x.shape[0]):
            difference = X_test[i, f] - x[f]
            squared += difference * difference
        k_test[i, c] += np.exp(scale * squared)


@njit(cache=True, nogil=True)
def add_squared(squared: Features, X_test: Features, x: Features, n: int) -> None:
    """Fill column n with the squared distances from the test set to instance n."""
    for i in range(X_test.shape[0]):
        total = 0.0
        for f in range(x.shape[0]):
            difference = X_test[i, f] - x[f]
            total += difference * difference
        squared[i, n] = total


@njit(cache=True, nogil=True)
def renew_frequencies(k_test: Features, squared: Features, y: Codes, bandwidth: float) -> None:
    """Fill kernel frequencies (n_test, n_classes) from squared distances (n_test, >= n)."""
    scale = -0.5 / bandwidth**2
    k_test[:] = 0.0
    for i in range(k_test.shape[0]):
        for j in range(y.shape[0]):
            k_test[i, y[j]] += np.exp(scale * squared[i, j])


@njit(cache=True, nogil=True)
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
        ties = 0
        for c in range(n_classes):
            ties += 1 if score[c] == best else 0
        wrong += 1.0 - 1.0 / ties if score[y_test[i]] == best else 1.0
    return float(wrong / n_test)
