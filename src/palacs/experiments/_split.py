"""One random split: a test set, and for each class the order in which it yields its instances.

The order is fixed within a trial, as in the paper: strategies that request the same classes get
the same instances, so only what they request tells them apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from palacs.checks import Codes, Features
from palacs.datasets import Dataset


@dataclass(frozen=True)
class Split:
    """What one trial plays on.

    Attributes
    ----------
    X : ndarray of shape (n_train, n_features)
        Training instances, class after class, each class in the order of delivery.
    first : ndarray of shape (n_classes + 1,)
        Where each class begins in ``X``; class c yields rows ``first[c]`` to ``first[c + 1]``.
    start : ndarray of shape (n_classes,)
        The order in which the first instance of every class is acquired.
    X_test : ndarray of shape (n_test, n_features)
    y_test : ndarray of shape (n_test,)
    groups : ndarray of shape (n_train,) or None
        Who or what each row of ``X`` belongs to, where the data set knows it.
    """

    X: Features
    first: Codes
    start: Codes
    X_test: Features
    y_test: Codes
    groups: npt.NDArray[Any] | None = None

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.start)

    def rows_of(self, classes: Codes) -> Codes:
        """Return which rows of ``X`` requests for these classes bring, in order, shape (n,).

        A class that ran out yields its instances again from the first.
        """
        taken = np.zeros(self.n_classes, dtype=np.int64)
        rows = np.empty(len(classes), dtype=np.int64)
        for i, c in enumerate(classes):
            rows[i] = self.first[c] + taken[c] % self.queue_sizes[c]
            taken[c] += 1
        return rows

    @property
    def queue_sizes(self) -> Codes:
        """How many training instances each class has, shape (n_classes,)."""
        return np.diff(self.first)


def make_split(dataset: Dataset, test_per_class: int, rng: np.random.Generator) -> Split:
    """Draw a split of a data set whose features are already scaled.

    Where the data set knows groups (people), none is in both parts: whole groups are put aside
    for testing until they hold enough instances of every class.
    """
    n_classes = dataset.n_classes
    order = rng.permutation(len(dataset))
    start = rng.permutation(n_classes).astype(np.int64)
    if dataset.groups is not None:
        return _split_by_group(dataset, test_per_class, order, start)
    queues, tests = [], []
    for c in range(n_classes):
        members = order[dataset.y[order] == c]
        tests.append(members[:test_per_class])
        queues.append(members[test_per_class:])
    return _assemble(dataset, queues, tests, start)


def _split_by_group(dataset: Dataset, test_per_class: int, order: Codes, start: Codes) -> Split:
    assert dataset.groups is not None
    groups, y = dataset.groups[order], dataset.y[order]
    _, seen = np.unique(groups, return_index=True)
    is_test = np.zeros(len(order), dtype=np.bool_)
    for group in groups[np.sort(seen)]:
        is_test |= groups == group
        if np.bincount(y[is_test], minlength=dataset.n_classes).min() >= test_per_class:
            break
    queues = [order[~is_test & (y == c)] for c in range(dataset.n_classes)]
    tests = [order[is_test & (y == c)][:test_per_class] for c in range(dataset.n_classes)]
    return _assemble(dataset, queues, tests, start)


def _assemble(dataset: Dataset, queues: list[Codes], tests: list[Codes], start: Codes) -> Split:
    first = np.concatenate([[0], np.cumsum([len(queue) for queue in queues])]).astype(np.int64)
    rows, test_rows = np.concatenate(queues), np.concatenate(tests)
    X = np.ascontiguousarray(dataset.X[rows])
    X_test, y_test = np.ascontiguousarray(dataset.X[test_rows]), dataset.y[test_rows]
    groups = None if dataset.groups is None else dataset.groups[rows]
    return Split(X, first, start, X_test, y_test, groups)
