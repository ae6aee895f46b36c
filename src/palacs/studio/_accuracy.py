"""How good the campaign's model is by cross-validation, now and after fewer acquisitions.

The Parzen window classifier of ``Campaign.model``, with the strategy's bandwidth where it has
one. One similarity matrix serves the whole curve, so that a page can ask after every event.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from palacs import ParzenWindowClassifier
from palacs._validation import Bandwidth
from palacs.storage import Label
from palacs.strategies._crossval import cross_validator
from palacs.strategies._labelled import LabelledSet
from palacs.studio._campaigns import Snapshot

FOLDS = 10
MOST_POINTS = 30
MOST_INSTANCES = 1500

Codes = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The learning curve and what the latest model confuses.

    Attributes
    ----------
    curve : list of dict
        ``acquired``, ``accuracy`` and ``recall`` by class, at up to 30 places.
    recall : list
        Recall of each class now; ``None`` for classes without instances.
    confusion : list of list of int
        Rows are true classes, columns predicted ones, shape (n_classes, n_classes).
    undecided : list of int
        Instances of each class near which the model knows nothing; they count as wrong.
    """

    curve: list[dict[str, Any]]
    recall: list[float | None]
    confusion: list[list[int]]
    undecided: list[int]


def bandwidth_of(spec: dict[str, Any]) -> Bandwidth:
    """Return the bandwidth a strategy works with, or the default of the classifier."""
    params = spec.get("params", {})
    classifier = params.get("classifier") or {}
    default: Bandwidth = ParzenWindowClassifier().bandwidth
    found: Bandwidth | None = params.get("bandwidth")
    if found is None:
        found = classifier.get("params", {}).get("bandwidth")
    return default if found is None else found


def accuracy_of(snapshot: Snapshot, seed: int) -> Accuracy:
    """Cross-validate the model on the labelled set and on its beginnings.

    Parameters
    ----------
    snapshot : Snapshot
        Where the campaign stands. Of more than 1500 instances an even selection is used.
    seed : int
        Deals the instances into folds.
    """
    classes = snapshot.situation.classes
    n = len(snapshot.codes)
    kept = np.unique(np.linspace(0, n - 1, min(n, MOST_INSTANCES)).round().astype(np.intp))
    y: Codes = snapshot.codes[kept].astype(np.int64)
    if len(y) == 0:
        empty = [[0] * len(classes) for _ in classes]
        return Accuracy([], [None] * len(classes), empty, [0] * len(classes))
    labelled = LabelledSet(
        np.ascontiguousarray(snapshot.situation.X[kept]), y, np.array(classes), y[:0]
    )
    bandwidth = bandwidth_of(snapshot.situation.spec)
    model = ParzenWindowClassifier(bandwidth=bandwidth, class_prior="uniform")
    validator = cross_validator(labelled, model, FOLDS, np.uint64(seed % 2**64))
    curve = []
    for m in _places(len(y), len(classes)):
        right = validator.predict(m) == y[:m]
        recall = dict(zip(map(str, classes), _recall(right, y[:m], len(classes)), strict=True))
        acquired = int(kept[m - 1]) + 1
        curve.append({"acquired": acquired, "accuracy": float(right.mean()), "recall": recall})
    predicted = validator.predict(len(y))
    return Accuracy(
        curve, _recall(predicted == y, y, len(classes)), *_confusion(y, predicted, classes)
    )


def _places(n: int, n_classes: int) -> list[int]:
    """Return at how many instances to look, at most 30 places and always at the last."""
    start = min(max(2, n_classes), n)
    places = np.linspace(start, n, min(MOST_POINTS, n - start + 1))
    return [int(place) for place in np.unique(places.round())]


def _recall(right: npt.NDArray[np.bool_], y: Codes, n_classes: int) -> list[float | None]:
    totals = np.bincount(y, minlength=n_classes)
    hits = np.bincount(y[right], minlength=n_classes)
    return [float(h / t) if t else None for h, t in zip(hits, totals, strict=True)]


def _confusion(
    y: Codes, predicted: Codes, classes: Sequence[Label]
) -> tuple[list[list[int]], list[int]]:
    matrix = np.zeros((len(classes), len(classes)), dtype=np.int64)
    decided = predicted >= 0
    np.add.at(matrix, (y[decided], predicted[decided]), 1)
    undecided = np.bincount(y[~decided], minlength=len(classes))
    return matrix.tolist(), undecided.tolist()
