"""Strategies that judge classes by cross-validation: Lomasky's family.

Inverse, Accuracy Improvement and Redistricting follow Lomasky et al. (2007) as the paper
describes them, Risk and Sensitivity (Lomasky, 2009) are reconstructed from one sentence each. All
draw the next class with probability proportional to its utility.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, NamedTuple

import numpy as np

from palacs.checks import ClassifierWith, Codes, Whole
from palacs.classifier import ParzenWindowClassifier, parzen_out_of_fold
from palacs.compiled import compiled
from palacs.evidence import (
    CrossValidator,
    LabelledSet,
    assign_folds,
    cross_validator,
    default_model,
)
from palacs.kernel import LOOP_FEATURES
from palacs.strategies._base import Strategy
from palacs.strategies._compiled_form import AUTO, Acquired, as_number, bandwidth_for, decides_for
from palacs.strategies._pick import Utilities
from palacs.stream import Stream


class _CrossValidated(Strategy):
    """A strategy whose utilities come from out-of-fold predictions."""

    drawn = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "folds": [Whole(2)],
        "classifier": [ClassifierWith("fit", "predict"), None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        folds: int = 10,
        classifier: Any | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.folds = folds
        self.classifier = classifier
        self.random_state = random_state

    def utilities(self, labelled: LabelledSet, stream: Stream) -> Utilities:
        """Return the probability of each class to be requested, shape (n_classes,)."""
        labelled = labelled.thinned()
        validator = cross_validator(labelled, self.classifier, int(self.folds), stream.seed)
        scores = self._scores(labelled, validator)
        shares: Utilities = scores / scores.sum()
        return shares

    def _parzen_form(self, form: type[Any], n_features: int, *more: Any) -> Any | None:
        """Return a form where the Parzen window is the model, as it is or corrected; else None."""
        model = default_model() if self.classifier is None else self.classifier
        if type(model) is not ParzenWindowClassifier or n_features > LOOP_FEATURES:
            return None
        model._validate_params()
        corrected = isinstance(model.class_prior, str)
        if model.class_prior is not None and not corrected:
            return None
        bandwidth = as_number(model.bandwidth)
        relative = model.nothing_near == "nearest"
        return form(True, bandwidth, corrected, relative, int(self.folds), *more)

    @abstractmethod
    def _scores(self, labelled: LabelledSet, validator: CrossValidator) -> Utilities:
        """Return a score per class, shape (n_classes,), none negative, not all zero."""


class InverseAccuracy(_CrossValidated):
    """Request a class the more often the less accurately it is predicted: *Inverse*.

    The accuracy of class y is estimated as (correct + 1) / (n_y + C) from pooled out-of-fold
    predictions; the next class is drawn with probability ∝ 1 / accuracy.

    Parameters
    ----------
    folds : int, default=10
        At most as many folds as instances are made; they are drawn anew for each decision.
    allow_repeat : bool, default=True
        False never requests the same class twice in a row (unless no other may be requested):
        the incremental form of Wu, Lance and Parsons (2013).
    classifier : scikit-learn classifier or None, default=None
        None is `palacs.evidence.default_model`, with the data's bandwidth.
    random_state : int, RandomState or None, default=None

    Examples
    --------
    >>> from palacs import InverseAccuracy
    >>> X = [[0.1], [0.12], [0.14], [0.70], [0.76], [0.82], [0.72], [0.78], [0.80]]
    >>> y = ["rest"] * 3 + ["left"] * 3 + ["right"] * 3
    >>> strategy = InverseAccuracy(random_state=0)
    >>> _, chances = strategy.query(X, y, classes=["rest", "left", "right"], return_utilities=True)
    >>> bool(chances[0] < chances[1])
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **_CrossValidated._parameter_constraints,
        "allow_repeat": ["boolean"],
    }

    def __init__(
        self,
        folds: int = 10,
        allow_repeat: bool = True,
        classifier: Any | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        super().__init__(folds, classifier, random_state)
        self.allow_repeat = allow_repeat

    def _scores(self, labelled: LabelledSet, validator: CrossValidator) -> Utilities:
        n = len(labelled)
        scores: Utilities = inverse_scores(labelled.y, n, validator.predict(n), labelled.n_classes)
        if not self.allow_repeat and labelled.last_requested is not None:
            scores[labelled.last_requested] = 0.0
        return scores

    def compiled_form(self, n_features: int) -> Any | None:
        """Return the form for compiled loops, where the Parzen window is the model."""
        return self._parzen_form(InverseForm, n_features, bool(self.allow_repeat))


class InverseForm(NamedTuple):
    """Inverse for compiled loops."""

    compares: bool
    bandwidth: float
    corrected: bool
    relative: bool
    folds: int
    allow_repeat: bool


@decides_for(InverseForm)
@compiled
def _inverse_utilities(form: InverseForm, acquired: Acquired, n: int, stream: Stream) -> Utilities:
    _decide_left_out(form, acquired, n, stream.seed)
    scores = inverse_scores(acquired.y[:n], n, acquired.predicted[:n], acquired.counts.shape[0])
    if not form.allow_repeat:
        scores[acquired.y[n - 1]] = 0.0
    shares: Utilities = scores / scores.sum()
    return shares


class AccuracyImprovement(_CrossValidated):
    """Request a class the more often the more its accuracy rose with the last instance.

    Compares the smoothed out-of-fold accuracy of each class now with that before the most recent
    acquisition; falls count as no improvement. The worth of a single instance, 1 / (n + C), is
    added, so that every class keeps a chance.

    Parameters
    ----------
    folds : int, default=10
    classifier : scikit-learn classifier or None, default=None
        None is `palacs.evidence.default_model`, with the data's bandwidth.
    random_state : int, RandomState or None, default=None

    Examples
    --------
    >>> from palacs import AccuracyImprovement
    >>> X, y = [[0.1], [0.7], [0.8], [0.12]], ["a", "b", "c", "a"]
    >>> AccuracyImprovement(random_state=0).query(X, y).shape
    (1,)
    """

    def _scores(self, labelled: LabelledSet, validator: CrossValidator) -> Utilities:
        n, n_classes = len(labelled), labelled.n_classes
        now = accuracies(labelled.y, n, validator.predict(n), n_classes)
        before = accuracies(labelled.y, n - 1, validator.predict(n - 1), n_classes)
        scores: Utilities = np.maximum(now - before, 0.0) + 1.0 / (n + n_classes)
        return scores


class Redistricting(_CrossValidated):
    """Request a class the more often the more predictions of its instances flipped.

    Counts, per true class, the instances whose out-of-fold prediction changed with the most
    recent acquisition, and adds one.

    Parameters
    ----------
    folds : int, default=10
    classifier : scikit-learn classifier or None, default=None
        None is `palacs.evidence.default_model`, with the data's bandwidth.
    random_state : int, RandomState or None, default=None

    Examples
    --------
    >>> from palacs import Redistricting
    >>> X, y = [[0.1], [0.7], [0.8], [0.12]], ["a", "b", "c", "a"]
    >>> Redistricting(random_state=0).query(X, y).shape
    (1,)
    """

    def _scores(self, labelled: LabelledSet, validator: CrossValidator) -> Utilities:
        n = len(labelled)
        scores: Utilities = redistricting_scores(
            labelled.y, n, validator.predict(n), validator.predict(n - 1), labelled.n_classes
        )
        return scores

    def compiled_form(self, n_features: int) -> Any | None:
        """Return the form for compiled loops, where the Parzen window is the model."""
        return self._parzen_form(RedistrictingForm, n_features)


class RedistrictingForm(NamedTuple):
    """Redistricting for compiled loops."""

    compares: bool
    bandwidth: float
    corrected: bool
    relative: bool
    folds: int


@decides_for(RedistrictingForm)
@compiled
def _redistricting_utilities(
    form: RedistrictingForm, acquired: Acquired, n: int, stream: Stream
) -> Utilities:
    if n == acquired.counts.shape[0]:
        # The first decision of a trial: nothing is remembered yet.
        _decide_left_out(form, acquired, n - 1, stream.seed)
    before = acquired.predicted[: n - 1].copy()
    _decide_left_out(form, acquired, n, stream.seed)
    scores = redistricting_scores(
        acquired.y[:n], n, acquired.predicted[:n], before, acquired.counts.shape[0]
    )
    shares: Utilities = scores / scores.sum()
    return shares


class Risk(_CrossValidated):
    """Request a class the more often the more the error reacts to its instances.

    A reconstruction: the paper gives one sentence on it, naming the error's sensitivity to
    further instances of a class. Here the most recent instance of each class is taken away, and
    the utility is one plus the absolute change in the number of wrong out-of-fold predictions
    (same folds) for all other instances.

    Parameters
    ----------
    folds : int, default=10
    classifier : scikit-learn classifier or None, default=None
        None is `palacs.evidence.default_model`, with the data's bandwidth.
    random_state : int, RandomState or None, default=None

    Examples
    --------
    >>> from palacs import Risk
    >>> X, y = [[0.1], [0.7], [0.8], [0.12]], ["a", "b", "c", "a"]
    >>> Risk(random_state=0).query(X, y).shape
    (1,)
    """

    def _scores(self, labelled: LabelledSet, validator: CrossValidator) -> Utilities:
        scores = np.ones(labelled.n_classes)
        for code, others, with_it, without_it in _without_latest(labelled, validator):
            truth = labelled.y[others]
            change = (with_it != truth).sum() - (without_it != truth).sum()
            scores[code] += abs(int(change))
        return scores


class Sensitivity(_CrossValidated):
    """Request a class the more often the more decisions react to its instances.

    A reconstruction: the paper gives half a sentence on it, naming the stability of decisions.
    Here the most recent instance of each class is taken away, and the utility is one plus the
    number of other instances whose out-of-fold prediction (same folds) changes.

    Parameters
    ----------
    folds : int, default=10
    classifier : scikit-learn classifier or None, default=None
        None is `palacs.evidence.default_model`, with the data's bandwidth.
    random_state : int, RandomState or None, default=None

    Examples
    --------
    >>> from palacs import Sensitivity
    >>> X, y = [[0.1], [0.7], [0.8], [0.12]], ["a", "b", "c", "a"]
    >>> Sensitivity(random_state=0).query(X, y).shape
    (1,)
    """

    def _scores(self, labelled: LabelledSet, validator: CrossValidator) -> Utilities:
        scores = np.ones(labelled.n_classes)
        for code, _, with_it, without_it in _without_latest(labelled, validator):
            scores[code] += (with_it != without_it).sum()
        return scores


def _without_latest(
    labelled: LabelledSet, validator: CrossValidator
) -> list[tuple[int, Codes, Codes, Codes]]:
    """List, for each class with an instance: (code, the others, predictions with, and without).

    What is taken away is the class's most recent instance.
    """
    n = len(labelled)
    with_all = validator.predict(n)
    rows = []
    for code in np.flatnonzero(labelled.counts):
        latest = int(np.flatnonzero(labelled.y == code)[-1])
        others = np.delete(np.arange(n), latest)
        without = validator.predict(n, without=latest)
        rows.append((int(code), others, with_all[others], without[others]))
    return rows


@compiled
def _decide_left_out(form: Any, acquired: Acquired, n: int, seed: np.uint64) -> None:
    """Renew the out-of-fold predictions of the first n instances."""
    n_classes = acquired.counts.shape[0]
    prior = np.full(n_classes if form.corrected else 0, 1.0 / n_classes)
    fold = assign_folds(n, form.folds, Stream(seed, np.uint64(n)))
    scale = -0.5 / bandwidth_for(form.bandwidth, acquired, n) ** 2
    similarity = acquired.similarity
    # With a fixed bandwidth only the latest instance is new, after a trial's first decision.
    kept = form.bandwidth != AUTO and n > n_classes
    for i in range(n - 1 if kept else 0, n):
        for j in range(i + 1):
            exponent = scale * acquired.squared[i, j]
            similarity[i, j] = exponent if form.relative else np.exp(exponent)
            similarity[j, i] = similarity[i, j]
    model = (prior, form.relative)
    acquired.predicted[:n] = parzen_out_of_fold(similarity, acquired.y, n, (fold, -1), model)


@compiled
def accuracies(y: Codes, n: int, predicted: Codes, n_classes: int) -> Utilities:
    """Return (correct + 1) / (n_y + C) for each class, shape (n_classes,).

    Where nothing is near the decision is a uniform guess, right once in C times.
    """
    correct = np.ones(n_classes)
    total = np.full(n_classes, float(n_classes))
    for i in range(n):
        total[y[i]] += 1.0
        if predicted[i] == y[i]:
            correct[y[i]] += 1.0
        elif predicted[i] < 0:
            correct[y[i]] += 1.0 / n_classes
    shares: Utilities = correct / total
    return shares


@compiled
def inverse_scores(y: Codes, n: int, predicted: Codes, n_classes: int) -> Utilities:
    """Return 1 / accuracy of each class, shape (n_classes,)."""
    scores: Utilities = 1.0 / accuracies(y, n, predicted, n_classes)
    return scores


@compiled
def redistricting_scores(y: Codes, n: int, now: Codes, before: Codes, n_classes: int) -> Utilities:
    """Return one plus the number of flipped predictions of each class, shape (n_classes,)."""
    scores = np.ones(n_classes)
    for i in range(n - 1):
        if now[i] != before[i]:
            scores[y[i]] += 1.0
    return scores
