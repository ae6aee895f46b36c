"""One trial: a strategy plays one split to the end of its budget.

A trial is a pure function of (split, strategy, classifier, seed). The paper's strategies run in
a compiled loop; any other strategy or classifier runs step by step, by the same rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from palacs._validation import Codes, Features
from palacs.classifier import ParzenWindowClassifier, check_class_prior
from palacs.experiments._fused import Arena, add_instance, expected_error, fuse, replay
from palacs.experiments._split import Split
from palacs.kernel import seed_of
from palacs.strategies import Strategy


@dataclass(frozen=True)
class Trial:
    """What happened in one trial.

    Attributes
    ----------
    requested : ndarray of shape (budget,)
        Code of the class requested at each acquisition; the first instance of every class,
        given before, is not counted.
    errors : ndarray of shape (budget,)
        Error rate on the test set after each acquisition.
    """

    requested: Codes
    errors: Features


def run_trial(
    split: Split,
    strategy: Strategy,
    classifier: Any,
    budget: int,
    *,
    refill: bool = False,
    fused: bool = True,
) -> Trial:
    """Play one trial.

    Parameters
    ----------
    split : Split
    strategy : Strategy
        With an integer ``random_state``, the trial's seed.
    classifier : scikit-learn classifier
        What is judged after every acquisition.
    budget : int
        Acquisitions after the first instance of every class.
    refill : bool, default=False
        Whether a class whose instances ran out yields them again from the first. Otherwise it
        is no candidate any more.
    fused : bool, default=True
        False asks the strategy step by step even where a compiled loop exists.

    Returns
    -------
    trial : Trial

    Raises
    ------
    ValueError
        If the split has too few instances for the budget.
    """
    check_supply(split, budget, refill)
    strategy._validate_params()
    parzen = type(classifier) is ParzenWindowClassifier
    if parzen:
        classifier._validate_params()
    plan = fuse(strategy, split.X.shape[1]) if fused and parzen else None
    if plan is None:
        return _step_by_step(split, strategy, classifier, budget, refill)
    arena = Arena(split.X, split.first, split.start, split.X_test, split.y_test)
    requested, errors = replay(
        arena,
        plan,
        float(classifier.bandwidth),
        _judge_prior(classifier, split.n_classes),
        (budget, refill),
        seed_of(strategy.random_state),
    )
    return Trial(requested, errors)


def check_supply(split: Split, budget: int, refill: bool) -> None:
    """Refuse a split that cannot serve a trial to the end."""
    if split.queue_sizes.min() < 1:
        raise ValueError(
            f"no instance of class number {int(split.queue_sizes.argmin())} is left to train on "
            "after splitting; test on fewer instances, or divide the data into more groups."
        )
    left = len(split.X) - split.n_classes
    if budget > left and not refill:
        raise ValueError(
            f"a budget of {budget} is more than the {left} instances that are left after "
            f"splitting and starting; use a budget of at most {left}."
        )


def _step_by_step(
    split: Split, strategy: Strategy, classifier: Any, budget: int, refill: bool
) -> Trial:
    n_classes = split.n_classes
    classes = np.arange(n_classes)
    judge = _judge(split, classifier)
    X = np.empty((n_classes + budget, split.X.shape[1]))
    y = np.empty(n_classes + budget, dtype=np.int64)
    counts = np.zeros(n_classes, dtype=np.int64)
    errors = np.empty(budget)
    for n in range(n_classes + budget):
        if n < n_classes:
            c = int(split.start[n])
        else:
            candidates = None if refill else classes[counts < split.queue_sizes]
            c = int(strategy.query(X[:n], y[:n], classes=classes, candidates=candidates)[0])
        X[n] = split.X[split.first[c] + counts[c] % split.queue_sizes[c]]
        y[n] = c
        counts[c] += 1
        error = judge.add(X[: n + 1], y[: n + 1], wanted=n >= n_classes)
        if n >= n_classes:
            errors[n - n_classes] = error
    return Trial(y[n_classes:], errors)


class _ParzenJudge:
    """Keeps the test set's kernel frequencies up to date: one column sum per acquisition."""

    def __init__(self, split: Split, classifier: ParzenWindowClassifier) -> None:
        self.split = split
        self.bandwidth = float(classifier.bandwidth)
        self.prior = _judge_prior(classifier, split.n_classes)
        self.k = np.zeros((len(split.X_test), split.n_classes))

    def add(self, X: Features, y: Codes, *, wanted: bool) -> float:
        add_instance(self.k, self.split.X_test, X[-1], int(y[-1]), self.bandwidth)
        counts = np.bincount(y, minlength=self.split.n_classes)
        return float(expected_error(self.k, self.split.y_test, counts, self.prior))


class _AnyJudge:
    """Fits any scikit-learn classifier anew after every acquisition."""

    def __init__(self, split: Split, classifier: Any) -> None:
        self.split = split
        self.classifier = classifier

    def add(self, X: Features, y: Codes, *, wanted: bool) -> float:
        if not wanted:
            return np.nan
        predicted = clone(self.classifier).fit(X, y).predict(self.split.X_test)
        return float((predicted != self.split.y_test).mean())


def _judge(split: Split, classifier: Any) -> _ParzenJudge | _AnyJudge:
    if type(classifier) is ParzenWindowClassifier:
        return _ParzenJudge(split, classifier)
    return _AnyJudge(split, classifier)


def _judge_prior(classifier: ParzenWindowClassifier, n_classes: int) -> Features:
    if classifier.class_prior is None:
        return np.zeros(0)
    return check_class_prior(classifier.class_prior, n_classes)
