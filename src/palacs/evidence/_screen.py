"""A quick look at very many classes: which of them a decision should look at closely.

Every class is a mean among means here, and its latest instances are decided by the nearest of
these. That is linear in the instances and costs C times its square root for C classes, where
left-out decisions compare everything with everything.
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
# Means are looked for among those that lie in so many cells around.
_CELLS = 4
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
    """Return the classes with the nearest means (n_classes, 3), looked for in cells around."""
    rivals = np.repeat(np.arange(len(means))[:, None], _RIVALS, axis=1)
    here = means[present]
    centres = here[:: max(1, int(np.sqrt(len(here))))]
    cell = np.empty(len(here), dtype=np.int64)
    step = max(1, _AT_A_TIME // len(centres))
    for first in range(0, len(here), step):
        cell[first : first + step] = _squared(here[first : first + step], centres).argmin(axis=1)
    around = np.argsort(_squared(centres, centres), axis=1, kind="stable")[:, :_CELLS]
    members = np.split(np.argsort(cell, kind="stable"), np.cumsum(np.bincount(cell))[:-1])
    for c, rows in enumerate(members):
        if not len(rows):
            continue
        others = np.concatenate([members[q] for q in around[c] if q < len(members)])
        squared = _squared(here[rows], here[others])
        squared[rows[:, None] == others] = np.inf
        n = min(_RIVALS, len(others) - 1)
        nearest = np.argsort(squared, axis=1, kind="stable")[:, :n]
        rivals[present[rows], :n] = present[others[nearest]]
    return rivals


def _squared(a: Features, b: Features) -> Features:
    squared: Features = (a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1) - 2.0 * (a @ b.T)
    return squared
