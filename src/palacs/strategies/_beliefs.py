"""Any model inside PAL-ACS: what it believes about each class, with the kernel's evidence.

The performance gain needs counts. A model gives proportions, the kernel frequencies say how much
is known nearby: k = n(x) · p̂(y|x), as in McPAL (Kottke et al., 2016). How often classes occur in
use changes the proportions alone: class selection distorted them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from palacs.checks import Codes, Features
from palacs.evidence import LabelledSet, Labels, encode

Model = Any | None


def prior_under(mistakes: Features) -> float:
    """Return the prior count of each class under costs of mistakes (n_classes, n_classes).

    The paper's flat prior adds one instance of each class everywhere. Where a mistake costs r
    times another, 1/r of an instance keeps its say what it is in the paper, where r is 1.
    """
    positive = mistakes[mistakes > 0]
    return float(positive.min() / positive.max())


def embed(classifier: Any, labelled: LabelledSet) -> tuple[LabelledSet, Any]:
    """Return the labelled set as the classifier itself sees it, and that classifier, unfitted.

    The transformers of a Pipeline are fitted on the labelled set and applied.
    """
    # Heavy to import, and whoever passes a Pipeline has imported it already.
    from sklearn.pipeline import Pipeline

    if not isinstance(classifier, Pipeline) or len(classifier.steps) == 1:
        return labelled, classifier
    try:
        X = clone(classifier[:-1]).fit_transform(labelled.X, labelled.classes[labelled.y])
    except ValueError as error:
        raise ValueError(_unfit(classifier[:-1], len(labelled), error)) from error
    X = np.ascontiguousarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
    return replace(labelled, X=X), classifier.steps[-1][1]


def believed_frequencies(
    k: Features,
    points: Features,
    acquired: tuple[Features, Codes, Labels],
    model: Model,
    importance: Features | None,
) -> Features:
    """Return the frequencies on which decisions rest, shape (n_points, n_classes).

    Parameters
    ----------
    k : ndarray of shape (n_points, n_classes)
        Kernel frequencies at ``points`` (n_points, n_features).
    acquired : tuple of ndarray
        Features (n, n_features) and codes (n,) of what was acquired, and all class labels.
    model : classifier or None
        None takes the kernel frequencies' own proportions.
    importance : ndarray of shape (n_classes,) or None
        How often each class occurs in use.
    """
    if model is None and importance is None:
        return k
    evidence = k.sum(axis=1)
    shares = k if model is None else _probabilities(model, points, *acquired, k)
    if importance is not None:
        weights = importance / _counts(acquired[1], k)
        shares = shares * weights
        # Instances that weigh differently say less than as many that weigh the same (Kish).
        spread = k @ weights**2
        evidence = np.divide((k @ weights) ** 2, spread, out=evidence.copy(), where=spread > 0)
    # Dividing by the largest first keeps tiny numbers from losing their digits.
    largest = shares.max(axis=1, keepdims=True)
    shares = np.divide(shares, largest, out=np.zeros_like(shares), where=largest > 0)
    total = shares.sum(axis=1, keepdims=True)
    shares = np.divide(shares, total, out=np.zeros_like(shares), where=total > 0)
    believed: Features = evidence[:, None] * shares
    return believed


def worth_of_classes(k: Features, y: Codes, importance: Features) -> Features:
    """Return what an instance of each class is worth at each point, shape (n_points, n_classes).

    1 is the worth of an average instance there, as in the paper. In a model that corrects for
    the acquired class sizes an instance of class y weighs w_y = importance_y / n_y, and one more
    lowers the variance of the decision by about w_y²: few of a class that is common in use make
    the next one worth more. With equal gains the counts settle where n_y is proportional to
    importance_y / √cost_y, Neyman's allocation.
    """
    weights = (importance / _counts(y, k)) ** 2
    average = k @ weights
    evidence = k.sum(axis=1)
    known = (average > 0) & np.isfinite(evidence / np.where(average > 0, average, 1.0))
    worth = np.ones_like(k)
    worth[known] = weights * (evidence[known] / average[known])[:, None]
    return worth


def _counts(y: Codes, k: Features) -> Features:
    counts: Features = np.maximum(np.bincount(y, minlength=k.shape[1]), 1).astype(np.float64)
    return counts


def _probabilities(
    model: Any, points: Features, X: Features, y: Codes, classes: Labels, k: Features
) -> Features:
    """Return the model's probabilities (n_points, n_classes); 0 for classes it has not seen."""
    proba = np.zeros_like(k)
    seen = np.unique(y)
    if len(seen) == 1:
        # Many classifiers refuse to fit a single class; there is only one answer.
        proba[:, seen[0]] = 1.0
        return proba
    try:
        # The model sees the labels themselves: its parameters may name them.
        fitted = clone(model).fit(X, classes[y])
    except ValueError as error:
        raise ValueError(_unfit(model, len(y), error)) from error
    # Features of any size must give an answer: where numbers run out, the kernel decides.
    with np.errstate(all="ignore"):
        proba[:, encode(fitted.classes_, classes, "the model")] = fitted.predict_proba(points)
    lost = ~np.isfinite(proba).all(axis=1)
    proba[lost] = k[lost]
    return proba


def _unfit(model: Any, n: int, error: ValueError) -> str:
    return (
        f"{model!r} cannot be fitted on {n} instances ({error}); acquire a few of every class "
        "first, or choose a model that learns from one of each."
    )
