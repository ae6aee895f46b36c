"""How good a model of the labelled set is on instances it did not see, now and earlier.

Left-out decisions say how accurate the model is on each class and what it confuses; made again on
the beginnings of the labelled set, they show how that came about.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from palacs.checks import Codes
from palacs.evidence._crossval import cross_validator
from palacs.evidence._labelled_set import LabelledSet

FOLDS = 10
MOST_POINTS = 30
MOST_INSTANCES = 1500


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The accuracy, and that of each class (n_classes,), when so much was acquired."""

    acquired: int
    accuracy: float
    recall: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What left-out decisions say about a model.

    Attributes
    ----------
    curve : tuple of CurvePoint
        At up to 30 places, the last one now; empty for an empty labelled set.
    recall : tuple of shape (n_classes,)
        Accuracy on each class now; None for classes without instances.
    confusion : ndarray of shape (n_classes, n_classes)
        Decisions: rows are true classes, columns decided ones.
    undecided : ndarray of shape (n_classes,)
        Instances of each class near which the model knows nothing; they count as wrong.
    """

    curve: tuple[CurvePoint, ...]
    recall: tuple[float | None, ...]
    confusion: Codes
    undecided: Codes


def left_out_decisions(labelled: LabelledSet, model: Any, seed: int) -> LeftOut:
    """Cross-validate a model on the labelled set and on its beginnings.

    Parameters
    ----------
    labelled : LabelledSet
        Of more than 1500 instances an even selection is used.
    model : scikit-learn classifier
    seed : int
        Deals the instances into folds.
    """
    n, n_classes = len(labelled), labelled.n_classes
    if n == 0:
        nobody = np.zeros(n_classes, dtype=np.int64)
        return LeftOut((), (None,) * n_classes, np.zeros((n_classes, n_classes), int), nobody)
    kept = np.unique(np.linspace(0, n - 1, min(n, MOST_INSTANCES)).round().astype(np.intp))
    y = labelled.y[kept]
    some = LabelledSet(np.ascontiguousarray(labelled.X[kept]), y, labelled.classes, y[:0])
    validator = cross_validator(some, model, FOLDS, np.uint64(seed % 2**64))
    curve = []
    predicted = y
    for m in _places(len(y), n_classes):
        predicted = validator.predict(m)
        right = predicted == y[:m]
        recall = _recall(right, y[:m], n_classes)
        curve.append(CurvePoint(int(kept[m - 1]) + 1, float(right.mean()), recall))
    confusion = np.zeros((n_classes, n_classes), dtype=np.int64)
    decided = predicted >= 0
    np.add.at(confusion, (y[decided], predicted[decided]), 1)
    undecided = np.bincount(y[~decided], minlength=n_classes)
    return LeftOut(tuple(curve), curve[-1].recall, confusion, undecided)


def _places(n: int, n_classes: int) -> list[int]:
    """Return at how many instances to look, at most 30 places and always at the last."""
    start = min(max(2, n_classes), n)
    places = np.linspace(start, n, min(MOST_POINTS, n - start + 1))
    return [int(place) for place in np.unique(places.round())]


def _recall(right: npt.NDArray[np.bool_], y: Codes, n_classes: int) -> tuple[float | None, ...]:
    totals = np.bincount(y, minlength=n_classes)
    hits = np.bincount(y[right], minlength=n_classes)
    return tuple(float(h / t) if t else None for h, t in zip(hits, totals, strict=True))
