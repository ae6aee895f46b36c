"""Which instances a model gets wrong when it is taught by a part of the labelled set.

No instance is judged by a model that saw it, or anything else of its group. The Parzen window
leaves instances out without being fitted anew: one matrix of distances serves all parts. Any other
model is fitted once per part, with groups once per part and fold of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from palacs.checks import Codes, Features
from palacs.classifier import ParzenWindowClassifier, check_class_prior
from palacs.compiled import compiled
from palacs.evidence._labelled_set import Labels
from palacs.kernel import resolve_bandwidth, squared_distances
from palacs.ties import best_of

FOLDS = 10
# Further away than the nearest by this much in the exponent, an instance adds nothing.
_FAR = -50.0


class PartsJudge:
    """Judges instances by models of parts of the labelled set.

    Parameters
    ----------
    X : ndarray of shape (n, n_features)
    y : ndarray of shape (n,)
        Class codes; ``labels[y]`` is what a model is taught.
    labels : ndarray of shape (n_classes,)
    model : scikit-learn classifier
    groups : ndarray of shape (n,) or None
        Codes of who or what each instance belongs to; None is each to itself.
    judged : ndarray of shape (n_judged,) or None
        Rows that are judged; None is all of them.
    """

    def __init__(
        self,
        X: Features,
        y: Codes,
        labels: Labels,
        model: Any,
        groups: Codes | None = None,
        judged: Codes | None = None,
    ) -> None:
        self.X, self.y, self.labels, self.model = X, y, labels, model
        self.judged = np.arange(len(y)) if judged is None else judged
        self.groups = np.arange(len(y)) if groups is None else groups
        self.grouped = groups is not None
        # A subclass may predict differently, and so does the paper's guess where nothing is near.
        self.parzen = type(model) is ParzenWindowClassifier and model.nothing_near == "nearest"
        if self.parzen:
            model._validate_params()
            self.corrected = model.class_prior is not None
            self.prior = _prior_of(model, labels)
            bandwidth = resolve_bandwidth(model.bandwidth, X, y)
            self.squared = squared_distances(X[self.judged], X, bandwidth)

    def whole(self, rng: np.random.Generator) -> Features:
        """Return which judged instances are wrong by models of all others: 1, 0, NaN if unknown.

        Returns
        -------
        wrong : ndarray of shape (n_judged,)
        """
        n = len(self.y)
        if self.parzen:
            return self.part(np.arange(n))
        if self.grouped:
            return self._out_of(self.groups % FOLDS, np.arange(n))
        fold = rng.permutation(n) % min(FOLDS, n)
        return self._out_of(fold, np.arange(n))

    def part(self, rows: Codes) -> Features:
        """Return which judged instances are wrong by a model of these rows, as `whole` does."""
        if not self.parzen:
            return self._out_of(self.groups % FOLDS, rows) if self.grouped else self._fitted(rows)
        bandwidth = resolve_bandwidth(self.model.bandwidth, self.X[rows], self.y[rows])
        wrong: Features = parzen_wrong(
            self.squared,
            (self.y, self.groups, self.judged),
            np.sort(rows),  # distances are read where they lie, one after the other
            bandwidth,
            self.prior,
            self.corrected,
        )
        return wrong

    def _out_of(self, fold: Codes, rows: Codes) -> Features:
        """Judge every instance by a model of those rows that are in another fold (n,) than it."""
        wrong = np.full(len(self.judged), np.nan)
        its = fold[self.judged]
        for f in np.unique(its):
            others = rows[fold[rows] != f]
            if len(others):
                wrong[its == f] = self._fitted(others)[its == f]
        return wrong

    def _fitted(self, rows: Codes) -> Features:
        seen = np.unique(self.y[rows])
        if len(seen) == 1:
            # Many classifiers refuse to fit a single class; there is only one answer.
            answers = np.full(len(self.judged), self.labels[seen[0]])
        else:
            model = clone(self.model).fit(self.X[rows], self.labels[self.y[rows]])
            answers = np.asarray(model.predict(self.X[self.judged]))
        wrong: Features = (answers != self.labels[self.y[self.judged]]).astype(np.float64)
        wrong[np.isin(self.judged, rows)] = np.nan
        return wrong


def _prior_of(model: ParzenWindowClassifier, labels: Labels) -> Features:
    """Return the model's prior of the classes that have instances, (n_classes,)."""
    if model.classes is None:
        return check_class_prior(model.class_prior, len(labels))
    known = np.unique(np.asarray(model.classes))
    prior: Features = check_class_prior(model.class_prior, len(known))[np.isin(known, labels)]
    return prior


@compiled
def parzen_wrong(
    squared: Features,
    known: tuple[Codes, Codes, Codes],
    rows: Codes,
    bandwidth: float,
    prior: Features,
    corrected: bool,
) -> Features:
    """Return whether a Parzen window of ``rows`` errs, (m,); NaN where its class would be gone.

    ``squared`` is (m, n), ``known`` the class and the group of each instance, twice (n,), and the
    rows that are judged (m,), ``prior`` (n_classes,). An instance leaves its own group out.
    """
    y, group, judged = known
    m, n_classes = judged.shape[0], prior.shape[0]
    count = np.zeros(n_classes)
    for j in rows:
        count[y[j]] += 1.0
    own = np.empty(n_classes)
    factor = -0.5 / (bandwidth * bandwidth)
    wrong = np.empty(m)
    k = np.empty(n_classes)
    for i in range(m):
        itself = judged[i]
        nearest = np.inf
        own[:] = 0.0
        for j in rows:
            if group[j] != group[itself]:
                nearest = min(nearest, squared[i, j])
            else:
                own[y[j]] += 1.0
        k[:] = 0.0
        for j in rows:
            exponent = (squared[i, j] - nearest) * factor
            if group[j] != group[itself] and exponent > _FAR:
                k[y[j]] += np.exp(exponent)
        for c in range(n_classes if corrected else 0):
            size = count[c] - own[c]
            k[c] *= prior[c] / size if size > 0.0 else 0.0
        wrong[i] = 0.0 if best_of(k)[0] == y[itself] else 1.0
        if own[y[itself]] > 0.0 and count[y[itself]] == own[y[itself]]:
            wrong[i] = np.nan
    return wrong
