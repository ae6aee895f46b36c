"""Cross-validated predictions on the labelled set, pooled over the folds.

The accuracy-based strategies judge a class by predictions for instances that the model did not
see. Predictions of all folds are pooled before anything is counted: a class that happens to be
missing from a fold is not scored as zero there. Any scikit-learn classifier can predict; for the
Parzen window one similarity matrix serves all folds and rounds.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from palacs.checks import Codes, Features
from palacs.classifier import (
    NOTHING_NEAR,
    ParzenWindowClassifier,
    parzen_out_of_fold,
    prior_or_none,
)
from palacs.compiled import compiled
from palacs.evidence._default_model import default_model
from palacs.evidence._groups import check_groups
from palacs.evidence._labelled_set import LabelledSet, encode
from palacs.kernel import resolve_bandwidth, similarity_matrix, squared_distances
from palacs.objects import seeded
from palacs.stream import FOLDS, Stream, permutation


class CrossValidator(ABC):
    """Out-of-fold predictions for the first n instances of a labelled set."""

    def __init__(self, labelled: LabelledSet, folds: int, seed: np.uint64) -> None:
        self.labelled = labelled
        self.folds = folds
        self.seed = seed
        self.groups: Codes | None = None

    def predict(self, n: int, *, without: int | None = None) -> Codes:
        """Predict each of the first n instances by a model that did not see it.

        Parameters
        ----------
        n : int
            How many instances, in acquisition order, are taken to be known. The folds follow
            from the seed and n, so that an earlier round can be looked at again.
        without : int or None
            An instance that no model sees. Its own prediction is still made.

        Returns
        -------
        codes : ndarray of shape (n,)
            Predicted class codes; -1 where the model has nothing to go by.
        """
        if n == 0:
            return np.zeros(0, dtype=np.int64)
        return self._predict(n, self._fold(n), -1 if without is None else without)

    def _fold(self, n: int) -> Codes:
        if self.groups is None:
            fold: Codes = assign_folds(n, self.folds, Stream(self.seed, np.uint64(n)))
            return fold
        return np.unique(self.groups[:n], return_inverse=True)[1].astype(np.int64).reshape(-1)

    @abstractmethod
    def _predict(self, n: int, fold: Codes, without: int) -> Codes: ...


class _ParzenValidator(CrossValidator):
    def __init__(
        self, labelled: LabelledSet, folds: int, seed: np.uint64, model: ParzenWindowClassifier
    ) -> None:
        super().__init__(labelled, folds, seed)
        self.bandwidth = model.bandwidth
        self.relative = model.nothing_near == "nearest"
        self.similarity = self._similarity(len(labelled))
        self.prior = parzen_prior(model, labelled)

    def _predict(self, n: int, fold: Codes, without: int) -> Codes:
        similarity = self.similarity
        if self.bandwidth == "auto" and n < len(self.labelled):
            similarity = self._similarity(n)
        predicted: Codes = parzen_out_of_fold(
            similarity, self.labelled.y, n, (fold, without), (self.prior, self.relative)
        )
        return predicted

    def _similarity(self, n: int) -> Features:
        # One bandwidth, that of all instances known at the time, serves all folds.
        X, y = self.labelled.X[:n], self.labelled.y[:n]
        bandwidth = resolve_bandwidth(self.bandwidth, X, y)
        if self.relative:
            return squared_distances(X, X, bandwidth) * (-0.5 / bandwidth**2)
        return similarity_matrix(X, X, bandwidth)


class _AnyValidator(CrossValidator):
    def __init__(self, labelled: LabelledSet, folds: int, seed: np.uint64, model: Any) -> None:
        super().__init__(labelled, folds, seed)
        self.model = model

    def _predict(self, n: int, fold: Codes, without: int) -> Codes:
        X, y = self.labelled.X[:n], self.labelled.y[:n]
        # The model sees the labels themselves: its parameters may name them.
        labels = self.labelled.classes[y]
        predicted = np.full(n, NOTHING_NEAR, dtype=np.int64)
        for f in range(fold.max() + 1):
            train = fold != f
            if without >= 0:
                train[without] = False
            seen = np.unique(y[train])
            if len(seen) == 1:
                # Many classifiers refuse to fit a single class; there is only one answer.
                predicted[fold == f] = seen[0]
            elif len(seen) > 1:
                model = clone(self.model).fit(X[train], labels[train])
                answers = model.predict(X[fold == f])
                predicted[fold == f] = encode(answers, self.labelled.classes, "the predictions")
        return predicted


def cross_validator(
    labelled: LabelledSet,
    model: Any | None,
    folds: int,
    seed: np.uint64,
    groups: npt.ArrayLike | None = None,
) -> CrossValidator:
    """Return the fast validator for the Parzen window (the default model), else the general one.

    With ``groups`` (n,), such as subjects, each group is a fold of its own, whatever ``folds`` and
    ``seed`` say: one subject is left out at a time.
    """
    if model is None:
        model = default_model()
    validator: CrossValidator
    # A subclass may predict differently, so only the class itself takes the fast path.
    if type(model) is ParzenWindowClassifier:
        model._validate_params()
        validator = _ParzenValidator(labelled, folds, seed, model)
    else:
        validator = _AnyValidator(labelled, folds, seed, seeded(model, int(seed)))
    if groups is not None:
        validator.groups = check_groups(groups, len(labelled))[0]
    return validator


def parzen_prior(model: ParzenWindowClassifier, labelled: LabelledSet) -> Features:
    """Return the model's class prior in the order of the classes; empty for the paper's None."""
    classes = labelled.classes
    if labelled.chosen_from is not None and not isinstance(model.class_prior, str):
        # It has a number for each class, also for those that are not looked at.
        classes = labelled.chosen_from
    in_order = prior_or_none(model, len(classes))
    # The classifier counts classes in sorted order.
    prior = np.empty(len(in_order))
    if len(in_order):
        prior[np.argsort(classes)] = in_order
        prior = prior[np.isin(classes, labelled.classes)]
    return prior


def prior_of_evidence(model: ParzenWindowClassifier, labelled: LabelledSet) -> Features:
    """Return the class prior (n_classes,) of left-out decisions: the model's, or an even one.

    Where the model counts instances as they come, a class would look easy because it was asked
    for often, and hard because one or two of its few instances are left out.
    """
    prior = parzen_prior(model, labelled)
    return prior if len(prior) else np.full(labelled.n_classes, 1.0 / labelled.n_classes)


@compiled
def assign_folds(n: int, folds: int, stream: Stream) -> Codes:
    """Return the fold of each of n instances, shape (n,): sizes differ by at most one."""
    fold = np.empty(n, dtype=np.int64)
    order = permutation(stream, FOLDS, n)
    for i in range(n):
        fold[order[i]] = i % min(folds, n)
    return fold
