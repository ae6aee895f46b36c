"""A quick look at very many classes: which of them a decision should look at closely.

Every class is a mean among means here, and its latest instances are decided by the nearest of
these, found in trees. That is linear in the instances and nearly so in the classes, where left-out
decisions compare everything with everything.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from palacs.arrays import on_host
from palacs.checks import Codes, Features
from palacs.evidence._labelled_set import LabelledSet
from palacs.evidence._settled import latest_of_each

VERY_MANY = 2_000
"""Of more classes than these some are looked at closely."""
# So many of each class are decided, by so many means around, in so many dimensions.
_LATEST, _RIVALS, _DIMENSIONS = 5, 3, 64
# Means are looked for among so many that lie together, in so many ways of dividing all of them.
_LEAF, _TREES = 512, 3
_AT_A_TIME = 2**22


class Screened(NamedTuple):
    """What a quick look says.

    Attributes
    ----------
    mistaken : ndarray of shape (n_classes,)
        Probability that an instance of the class is taken for another; a half where fewer than
        two are known.
    rivals : ndarray of shape (n_classes, 3)
        The classes whose means are nearest; the class itself where there are fewer.
    """

    mistaken: Features
    rivals: Codes


def screen(labelled: LabelledSet) -> Screened:
    """Look at every class of a labelled set quickly.

    Examples
    --------
    >>> from palacs.evidence import check_labelled_set, screen
    >>> X = [[0.0], [0.2], [0.1], [0.3], [9.0], [9.1]]
    >>> seen = screen(check_labelled_set(X, list("ababcc"), None, None))
    >>> seen.mistaken.round(2).tolist(), seen.rivals[:, 0].tolist()
    ([0.21, 0.21, 0.0], [1, 0, 1])
    """
    y, counts, n_classes = labelled.y, labelled.counts, labelled.n_classes
    rows = latest_of_each(y, n_classes, _LATEST)
    sums, latest = _projected(labelled, rows)
    means = sums / np.maximum(counts, 1)[:, None]
    rivals = _nearest_means(means, np.flatnonzero(counts))
    known = rows[counts[y[rows]] > 1]
    x, own = latest[counts[y[rows]] > 1], y[known]
    left = counts[own][:, None]
    # Without the instance itself its class's mean lies elsewhere.
    without = (means[own] * left - x) / (left - 1)
    mine = ((x - without) ** 2).sum(axis=1)
    theirs = np.full(len(known), np.inf)
    for r in range(rivals.shape[1]):
        other = rivals[own, r]
        away = ((x - means[other]) ** 2).sum(axis=1)
        theirs = np.minimum(theirs, np.where(other == own, np.inf, away))
    spread = max(2.0 * mine.mean() / x.shape[1], 1e-300) if len(known) else 1.0
    wrong = 1.0 / (1.0 + np.exp(np.clip((theirs - mine) / spread, -700.0, 700.0)))
    decided = np.bincount(own, minlength=n_classes)
    mistaken = np.bincount(own, wrong, minlength=n_classes) / np.maximum(decided, 1)
    return Screened(np.where(decided > 0, mistaken, 0.5), rivals)


def _projected(labelled: LabelledSet, rows: Codes) -> tuple[Features, Features]:
    """Return the sums of each class and some rows, in few dimensions, part by part."""
    X, y = labelled.X, labelled.y
    n_features = X.shape[1]
    signs: npt.NDArray[np.float64] | None = None
    if n_features > _DIMENSIONS:
        drawn = np.random.Generator(np.random.Philox(0)).integers(0, 2, (n_features, _DIMENSIONS))
        signs = (2.0 * drawn - 1.0) / np.sqrt(_DIMENSIONS)
    width = min(n_features, _DIMENSIONS)
    sums, latest = np.zeros((labelled.n_classes, width)), np.empty((len(rows), width))
    step = max(1, _AT_A_TIME // n_features)
    for first in range(0, len(y), step):
        part = np.asarray(on_host(X[first : first + step]), dtype=np.float64)
        part = part if signs is None else part @ signs
        np.add.at(sums, y[first : first + step], part)
        here = slice(*np.searchsorted(rows, [first, first + step]))
        latest[here] = part[rows[here] - first]
    return sums, latest


def _nearest_means(means: Features, present: Codes) -> Codes:
    """Return the classes with the nearest means (n_classes, 3), looked for in three trees."""
    rivals = np.repeat(np.arange(len(means))[:, None], _RIVALS, axis=1)
    away = np.full(rivals.shape, np.inf)
    generator = np.random.Generator(np.random.Philox(1))
    for _ in range(_TREES if len(present) > _LEAF else 1):
        for leaf in _leaves(means, present, generator):
            squared = _squared(means[leaf], means[leaf])
            np.fill_diagonal(squared, np.inf)
            for r in range(_RIVALS):
                # Who was found in another tree is not found again.
                squared[leaf == rivals[leaf, r][:, None]] = np.inf
            n = min(_RIVALS, len(leaf))
            nearest = np.argpartition(squared, n - 1, axis=1)[:, :n]
            found = np.take_along_axis(squared, nearest, axis=1)
            whom = np.where(np.isfinite(found), leaf[nearest], leaf[:, None])
            both = np.concatenate([away[leaf], found], axis=1)
            order = np.argsort(both, axis=1, kind="stable")[:, :_RIVALS]
            whom = np.concatenate([rivals[leaf], whom], axis=1)
            away[leaf] = np.take_along_axis(both, order, axis=1)
            rivals[leaf] = np.take_along_axis(whom, order, axis=1)
    return rivals


def _leaves(means: Features, present: Codes, generator: np.random.Generator) -> list[Codes]:
    """Return the classes in groups of those that lie together: halved along random directions."""
    waiting, leaves = [present], []
    while waiting:
        some = waiting.pop()
        if len(some) <= _LEAF:
            leaves.append(some)
            continue
        along = means[some] @ generator.standard_normal(means.shape[1])
        order = some[np.argsort(along, kind="stable")]
        waiting += [order[: len(order) // 2], order[len(order) // 2 :]]
    return leaves


def _squared(a: Features, b: Features) -> Features:
    squared: Features = (a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1) - 2.0 * (a @ b.T)
    return squared
