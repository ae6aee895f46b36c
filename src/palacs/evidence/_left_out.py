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
from palacs.evidence._groups import check_groups, too_few_groups
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
    remark : str
        Why there is no curve although there are instances, else empty.
    """

    curve: tuple[CurvePoint, ...]
    recall: tuple[float | None, ...]
    confusion: Codes
    undecided: Codes
    remark: str = ""


def left_out_decisions(
    labelled: LabelledSet, model: Any, seed: int, *, groups: npt.ArrayLike | None = None
) -> LeftOut:
    """Cross-validate a model on the labelled set and on its beginnings.

    Parameters
    ----------
    labelled : LabelledSet
        Of more than 1500 instances an even selection is used.
    model : scikit-learn classifier
    seed : int
        Deals the instances into folds.
    groups : array-like of shape (n,) or None, default=None
        Who or what each instance belongs to, such as its subject: one is left out at a time. The
        curve begins with the first instance of the second group.

    Examples
    --------
    >>> import numpy as np
    >>> from palacs.evidence import check_labelled_set, default_model, left_out_decisions
    >>> y = np.arange(40) % 2
    >>> labelled = check_labelled_set(y[:, None] + np.arange(40)[:, None] / 100, y, None, None)
    >>> found = left_out_decisions(labelled, default_model(), 0, groups=np.arange(40) // 20)
    >>> found.curve[0].acquired, found.recall
    (21, (1.0, 1.0))
    >>> left_out_decisions(labelled, default_model(), 0, groups=["s01"] * 40).remark[:29]
    "all instances belong to 's01'"
    """
    n, n_classes = len(labelled), labelled.n_classes
    codes, names = check_groups(np.arange(n) if groups is None else groups, n)
    lonely = "" if groups is None else too_few_groups(names)
    if n == 0 or lonely:
        nobody = np.zeros(n_classes, dtype=np.int64)
        nothing = np.zeros((n_classes, n_classes), dtype=np.int64)
        return LeftOut((), (None,) * n_classes, nothing, nobody, lonely)
    kept = np.linspace(0, n - 1, min(n, MOST_INSTANCES)).round().astype(np.intp)
    if groups is not None:
        # A group of few instances must not be thinned out altogether.
        kept = np.append(kept, np.unique(codes, return_index=True)[1])
    kept = np.unique(kept)
    y = labelled.y[kept]
    X = labelled.X[kept].astype(np.float64, copy=False)
    some = LabelledSet(np.ascontiguousarray(X), y, labelled.classes, y[:0])
    some_groups = None if groups is None else codes[kept]
    validator = cross_validator(some, model, FOLDS, np.uint64(seed % 2**64), some_groups)
    curve = []
    predicted = y
    for m in _places(len(y), n_classes, some_groups):
        predicted = validator.predict(m)
        right = predicted == y[:m]
        recall = _recall(right, y[:m], n_classes)
        curve.append(CurvePoint(int(kept[m - 1]) + 1, float(right.mean()), recall))
    confusion = np.zeros((n_classes, n_classes), dtype=np.int64)
    decided = predicted >= 0
    np.add.at(confusion, (y[decided], predicted[decided]), 1)
    undecided = np.bincount(y[~decided], minlength=n_classes)
    return LeftOut(tuple(curve), curve[-1].recall, confusion, undecided)


def _places(n: int, n_classes: int, groups: Codes | None) -> list[int]:
    """Return at how many instances to look, at most 30 places and always at the last."""
    start = min(max(2, n_classes), n)
    if groups is not None:
        start = max(start, int(np.argmax(groups != groups[0])) + 1)
    places = np.linspace(start, n, min(MOST_POINTS, n - start + 1))
    return [int(place) for place in np.unique(places.round())]


def _recall(right: npt.NDArray[np.bool_], y: Codes, n_classes: int) -> tuple[float | None, ...]:
    totals = np.bincount(y, minlength=n_classes)
    hits = np.bincount(y[right], minlength=n_classes)
    return tuple(float(h / t) if t else None for h, t in zip(hits, totals, strict=True))
