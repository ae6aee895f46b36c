"""A whole trial in one compiled loop, for strategies that have a compiled form.

Python would spend more time between two decisions than on them. The loop calls the very
functions that the strategies call, with the same random numbers, so that it requests the same
classes as `Strategy.query` would, one by one; a test holds it to that. It knows no strategy:
each brings its own form (`palacs.strategies.decides_for`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from palacs.checks import Codes, Features
from palacs.classifier import add_instance, add_squared, expected_error, renew_frequencies
from palacs.compiled import compiled
from palacs.strategies import (
    AUTO,
    Acquired,
    RandomSelection,
    Strategy,
    Stream,
    bandwidth_for,
    form_utilities,
    pick_class,
)


class CompiledSplit(NamedTuple):
    """A `Split` as compiled code sees it."""

    X: Features
    first: Codes
    start: Codes
    X_test: Features
    y_test: Codes


def compiled_form_of(strategy: Strategy, n_features: int) -> Any | None:
    """Return the strategy's compiled form, or None if it must be asked step by step."""
    # A form is not inherited: a subclass may decide differently.
    if "compiled_form" not in vars(type(strategy)):
        return None
    return strategy.compiled_form(n_features)


def compile_once() -> None:
    """Compile the loop, or load it from the cache, by playing a trial of two instances."""
    X = np.array([[0.0], [1.0]])
    codes = np.arange(2)
    split = CompiledSplit(X, np.arange(3), codes, X, codes)
    form = RandomSelection().compiled_form(1)
    replay(split, (form, True), (0.05, False, np.zeros(0)), (0, True), np.uint64(0))


@compiled
def replay(
    split: CompiledSplit,
    strategy: tuple[Any, bool],
    judged: tuple[float, bool, Features],
    limits: tuple[int, bool],
    seed: np.uint64,
) -> tuple[Codes, Features]:
    """Play one trial: the classes requested and the error after each, both (budget,).

    ``strategy`` is (its compiled form, whether classes are drawn); ``judged`` the classifier's
    (bandwidth, whether the nearest decides where nothing is near, prior), the prior (n_classes,)
    or empty; ``limits`` is (budget, whether a class that ran out begins again).
    """
    form, drawn = strategy
    bandwidth, relative, prior = judged
    budget, refill = limits
    n_classes = split.start.shape[0]
    size = n_classes + budget
    compares = form.compares or bandwidth == AUTO
    acquired = _nothing_acquired(size, split.X.shape[1], n_classes, compares)
    k_test = np.zeros((split.X_test.shape[0], n_classes))
    squared = np.empty((split.X_test.shape[0], size if relative or bandwidth == AUTO else 0))
    requested = np.empty(budget, dtype=np.int64)
    errors = np.empty(budget)
    for n in range(size):
        if n < n_classes:
            c = split.start[n]
        else:
            stream = Stream(seed, np.uint64(n))
            utilities = form_utilities(form, acquired, n, stream)
            if not refill:
                _close_spent(utilities, acquired.counts, split.first)
            c = pick_class(utilities, drawn, stream)
            requested[n - n_classes] = c
        queue = split.first[c + 1] - split.first[c]
        x = split.X[split.first[c] + acquired.counts[c] % queue]
        _acquire(acquired, x, c, n, compares)
        if not (relative or bandwidth == AUTO):
            add_instance(k_test, split.X_test, x, c, bandwidth)
        else:
            add_squared(squared, split.X_test, x, n)
            if n >= n_classes:
                fitted = bandwidth_for(bandwidth, acquired, n + 1)
                renew_frequencies(k_test, squared, acquired.y[: n + 1], fitted, relative)
        if n >= n_classes:
            errors[n - n_classes] = expected_error(k_test, split.y_test, acquired.counts, prior)
    return requested, errors


@compiled
def _nothing_acquired(size: int, n_features: int, n_classes: int, compares: bool) -> Acquired:
    compared = size if compares else 0
    return Acquired(
        np.empty((size, n_features)),
        np.empty(size, dtype=np.int64),
        np.zeros(n_classes, dtype=np.int64),
        np.empty((compared, compared)),
        np.empty((compared, compared)),
        np.empty(size, dtype=np.int64),
    )


@compiled
def _close_spent(utilities: Features, counts: Codes, first: Codes) -> None:
    """Make classes whose instances ran out no candidates any more."""
    for c in range(counts.shape[0]):
        if counts[c] >= first[c + 1] - first[c]:
            utilities[c] = np.nan


@compiled
def _acquire(acquired: Acquired, x: Features, c: int, n: int, compares: bool) -> None:
    """Take in instance x (n_features,) of class c as row n."""
    acquired.X[n] = x
    acquired.y[n] = c
    acquired.counts[c] += 1
    if compares:
        add_squared(acquired.squared[: n + 1], acquired.X[: n + 1], x, n)
        acquired.squared[n, : n + 1] = acquired.squared[: n + 1, n]
