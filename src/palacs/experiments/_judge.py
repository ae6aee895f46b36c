"""What is judged after every acquisition: the error rate, or the cost of mistakes in use.

Without conditions it is the paper's error rate. Under conditions the model decides by the
proportions in use (equal ones unless others are given) and the costs of mistakes, for the class
sizes acquired are uneven by design. Its error is the expected cost of a decision in use: every
class weighs as often as it will occur, every mistake what it costs.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from sklearn.base import clone

from palacs.checks import Codes, Features
from palacs.classifier import (
    ParzenWindowClassifier,
    add_instance,
    add_squared,
    expected_error,
    prior_or_none,
    renew_frequencies,
)
from palacs.conditions import Conditions
from palacs.experiments._split import Split
from palacs.kernel import resolve_bandwidth
from palacs.ties import best_of_rows


class Judge(Protocol):
    """Follows a labelled set (n, n_features), (n,) and says how well its model does."""

    def add(self, X: Features, y: Codes, *, wanted: bool) -> float:
        """Take note of one instance more; return the error, which may be NaN if not wanted."""


def make_judge(split: Split, classifier: Any, size: int, conditions: Conditions | None) -> Judge:
    """Return the fastest judge that serves; ``size`` is the final number of instances."""
    if conditions is not None and conditions.weighing:
        return _CostJudge(split, classifier, conditions)
    if type(classifier) is ParzenWindowClassifier:
        return _ParzenJudge(split, classifier, size)
    return _AnyJudge(split, classifier)


class _ParzenJudge:
    """Keeps the test set's kernel frequencies, or its distances, up to date."""

    def __init__(self, split: Split, classifier: ParzenWindowClassifier, size: int) -> None:
        self.split = split
        self.bandwidth = classifier.bandwidth
        self.relative = classifier.nothing_near == "nearest"
        self.renewed = self.relative or self.bandwidth == "auto"
        self.prior = prior_or_none(classifier, split.n_classes)
        self.k = np.zeros((len(split.X_test), split.n_classes))
        self.squared = np.empty((len(split.X_test), size if self.renewed else 0))

    def add(self, X: Features, y: Codes, *, wanted: bool) -> float:
        if self.renewed:
            add_squared(self.squared, self.split.X_test, X[-1], len(y) - 1)
            if wanted:
                bandwidth = resolve_bandwidth(self.bandwidth, X, y)
                renew_frequencies(self.k, self.squared, y, bandwidth, self.relative)
        else:
            add_instance(self.k, self.split.X_test, X[-1], int(y[-1]), float(self.bandwidth))
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


class _CostJudge:
    """Lets the model decide at least expected cost in use, and counts what it costs."""

    def __init__(self, split: Split, classifier: Any, conditions: Conditions) -> None:
        self.split = split
        codes = np.arange(split.n_classes)
        self.shares = conditions.share_of(codes)
        self.mistakes = conditions.mistakes_of(codes)
        # Each class of the test set weighs its share, however many instances it has.
        sizes = np.bincount(split.y_test, minlength=split.n_classes)
        self.weights = (self.shares / np.maximum(sizes, 1))[split.y_test]
        self.classifier = clone(classifier)
        self.corrected = type(classifier) is not ParzenWindowClassifier
        if not self.corrected:
            # It corrects for itself, also where nothing is near.
            self.classifier.set_params(class_prior=self.shares)

    def add(self, X: Features, y: Codes, *, wanted: bool) -> float:
        if not wanted:
            return np.nan
        costs = (self.mistakes[self.split.y_test] * self.decisions(X, y)).sum(axis=1)
        return float(self.weights @ costs)

    def decisions(self, X: Features, y: Codes) -> Features:
        """Return the decisions on the test set, shape (n_test, n_classes); ties are shared."""
        fitted = clone(self.classifier).fit(X, y)
        if not hasattr(fitted, "predict_proba"):
            return _one_hot(fitted.predict(self.split.X_test), self.split.n_classes)
        proba = np.zeros((len(self.split.X_test), self.split.n_classes))
        proba[:, fitted.classes_] = fitted.predict_proba(self.split.X_test)
        if self.corrected:
            proba *= self.shares / np.maximum(np.bincount(y, minlength=len(self.shares)), 1)
            total = proba.sum(axis=1, keepdims=True)
            # Where the model rules out all that occurs in use, it has nothing to say.
            proba = np.where(total > 0, proba / np.where(total > 0, total, 1.0), self.shares)
        return _shared(-(proba @ self.mistakes))


def decisions_of(
    split: Split, classifier: Any, conditions: Conditions | None, X: Features, y: Codes
) -> Features:
    """Return how a model of X (n, n_features), y (n,) decides on a split's test set.

    Returns
    -------
    decisions : ndarray of shape (n_test, n_classes)
        Rows sum to 1; a tie is shared.
    """
    if conditions is not None and conditions.weighing:
        return _CostJudge(split, classifier, conditions).decisions(X, y)
    fitted = clone(classifier).fit(X, y)
    if type(classifier) is ParzenWindowClassifier:
        return _shared(fitted.predict_proba(split.X_test))
    return _one_hot(fitted.predict(split.X_test), split.n_classes)


def _one_hot(codes: Codes, n_classes: int) -> Features:
    decided: Features = np.eye(n_classes)[codes]
    return decided


def _shared(scores: Features) -> Features:
    best = best_of_rows(scores).astype(np.float64)
    shared: Features = best / best.sum(axis=1, keepdims=True)
    return shared
