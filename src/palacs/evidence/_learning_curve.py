"""The learning curve, estimated from the labelled set alone.

Models of random parts of the labelled set tell how the error fell on the way here; each is judged
by instances it did not see. Which strategy chose the classes does not matter: parts keep the class
proportions that were acquired. A straight line in log error over log size, from a quarter of the
set to all of it, projects the error. Curves flatten in these terms, so it leans to going on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from palacs.checks import Codes, Features
from palacs.classifier import ParzenWindowClassifier
from palacs.evidence._default_model import default_model
from palacs.evidence._groups import check_groups, too_few_groups
from palacs.evidence._labelled_set import as_labels, check_labelled_set
from palacs.evidence._parts import PartsJudge

# Each fraction as (parts that a random order is cut into, how many of them are taken).
_CUTS = ((4, 1), (3, 1), (2, 1), (3, 2))
# Of more instances so many are judged, by models that were taught so many, a Parzen window or
# any other: a few seconds, not an hour.
_JUDGED = 1_000
_TAUGHT, _FITTED = 10_000, 4_000


@dataclass(frozen=True)
class LearningCurve:
    """Error as a function of the number of acquisitions.

    Attributes
    ----------
    sizes : ndarray of shape (n_sizes,)
        Instances a model was taught, rising; the last are all that were looked at: the labelled
        set, or about 10,000 of it (4,000 where the model is no Parzen window).
    errors : ndarray of shape (n_sizes,)
        Class errors weighted by how often the classes occur in use.
    covariance : ndarray of shape (n_sizes, n_sizes)
        Of the errors, by chance in instances, or in whole groups, and in parts.
    counts : ndarray of shape (n_in_use,)
        Instances of each class that occurs in use.
    mistakes : float
        How many left-out instances of these were wrong.
    n : int
        Size of the labelled set.
    groups : tuple or None
        Names of the groups that were left out one at a time; None without.
    """

    sizes: Features
    errors: Features
    covariance: Features
    counts: Codes
    mistakes: float
    n: int
    groups: tuple[Any, ...] | None = None

    @property
    def standard_errors(self) -> Features:
        """Standard errors of the errors, shape (n_sizes,)."""
        se: Features = np.sqrt(np.diag(self.covariance))
        return se

    def to_json(self) -> dict[str, list[float]]:
        """Return sizes, errors and their standard errors as plain lists."""
        return {
            "sizes": self.sizes.tolist(),
            "errors": self.errors.tolist(),
            "standard_errors": self.standard_errors.tolist(),
        }

    def projected(self, n: float) -> tuple[float, float]:
        """Return the error expected at n instances, and its standard error."""
        if self.errors[-1] <= 0:
            return 0.0, float(self.standard_errors[-1])
        change, se = self.log_change(n / self.sizes[-1], also_error=True)
        error = self.errors[-1] * np.exp(min(change, 0.0) if n > self.sizes[-1] else change)
        return float(min(error, 1.0)), float(error * se)

    def log_change(self, factor: float, *, also_error: bool = False) -> tuple[float, float]:
        """Return by how much log error changes when the size grows by a factor, with its error.

        Parameters
        ----------
        factor : float
        also_error : bool
            Whether the standard error is that of the new log error, not of the change.
        """
        grown = np.log(self.sizes[-1] / self.sizes[0])
        # A set too small to be divided says nothing about a change.
        t = np.log(factor) / grown if grown > 0 else 0.0
        first, last = np.maximum(self.errors[[0, -1]], 1e-12)
        weights = np.zeros(len(self.errors))
        weights[0] = -t / first
        weights[-1] = (t + also_error) / last
        variance = float(weights @ self.covariance @ weights)
        return float(t * np.log(last / first)), max(variance, 0.0) ** 0.5


def learning_curve(
    X: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    model: Any | None = None,
    weights: npt.ArrayLike | None = None,
    groups: npt.ArrayLike | None = None,
) -> LearningCurve:
    """Estimate the learning curve of a model from a labelled set.

    Parameters
    ----------
    X : array-like of shape (n, n_features)
        Scaled as the model needs it.
    y : array-like of shape (n,)
        Labels of at least two classes.
    model : scikit-learn classifier or None, default=None
        None is `default_model`. Any other than a Parzen window is fitted 34 times, to at most
        4,000 instances.
    weights : array-like of shape (n_classes,) or None, default=None
        How often each class occurs in use, in sorted order; None weighs classes equally.
    groups : array-like of shape (n,) or None, default=None
        Who or what each instance belongs to, such as its subject, at least two. No instance is
        judged by a model that saw its group, parts are of whole groups, and so is chance; any other
        model than a Parzen window is then fitted up to ten times as often.

    Returns
    -------
    curve : LearningCurve
        The same for the same labelled set: chance is seeded by its size.

    Examples
    --------
    >>> import numpy as np
    >>> from palacs.evidence import learning_curve
    >>> y = np.arange(80) % 2
    >>> X = np.random.default_rng(0).normal(2 * y[:, None], 1, (80, 1))
    >>> curve = learning_curve(X, y)
    >>> curve.sizes.round().tolist()
    [20.0, 27.0, 40.0, 53.0, 80.0]
    """
    labelled = check_labelled_set(X, y, np.unique(as_labels(y, "y")), None)
    features, codes, labels = labelled.X, labelled.y, labelled.classes
    features = features.astype(np.float64, copy=False)
    n, shares = len(codes), _check_weights(weights, len(labels))
    if model is None:
        model = default_model()
    belongs, names = _check_groups(groups, n)
    rng = np.random.default_rng(n)
    # The error says nothing of a class that never occurs.
    counts = np.bincount(codes)[shares > 0]
    parzen = isinstance(model, ParzenWindowClassifier)
    kept = _thinned(codes, _TAUGHT if parzen else _FITTED, rng)
    features, codes = features[kept], codes[kept]
    belongs = None if belongs is None else belongs[kept]
    judged = _thinned(codes, _JUDGED, rng)
    judge = PartsJudge(features, codes, labels, model, belongs, judged)
    repeats = int(np.clip(_JUDGED // len(codes), 2, 4)) if judge.parzen else 2
    wrong, sizes = _wrong(judge, rng, repeats)
    codes, belongs = codes[judged], None if belongs is None else belongs[judged]
    errors, covariance = _moments(wrong, codes, shares, belongs)
    mistakes = float(wrong[0, shares[codes] > 0, -1].sum())
    return LearningCurve(sizes, errors, covariance, counts, mistakes, n, names)


def _check_groups(
    groups: npt.ArrayLike | None, n: int
) -> tuple[Codes, tuple[Any, ...]] | tuple[None, None]:
    if groups is None:
        return None, None
    codes, names = check_groups(groups, n)
    lonely = too_few_groups(names)
    if lonely:
        raise ValueError(f"{lonely}. Leave groups out to judge by instances.")
    return codes, tuple(names.tolist())


def _check_weights(weights: npt.ArrayLike | None, n_classes: int) -> Features:
    if weights is None:
        return np.full(n_classes, 1.0 / n_classes)
    shares = np.asarray(weights, dtype=np.float64)
    if shares.shape != (n_classes,) or not (np.isfinite(shares) & (shares >= 0)).all():
        raise ValueError(f"weights={weights!r} must be {n_classes} numbers, none negative.")
    if shares.sum() <= 0:
        raise ValueError("weights are all zero; give at least one class a positive weight.")
    normalised: Features = shares / shares.sum()
    return normalised


def _thinned(codes: Codes, most: int, rng: np.random.Generator) -> Codes:
    """Return about ``most`` random rows in order; of every class its share, but at least two."""
    if len(codes) <= most:
        return np.arange(len(codes))
    rows = []
    for order in _orders(codes, rng):
        rows.append(order[: max(2, round(len(order) * most / len(codes)))])
    return np.sort(np.concatenate(rows))


def _orders(codes: Codes, rng: np.random.Generator) -> list[Codes]:
    """Return each class's rows in random order, the class that came first first."""
    # Drawn in the order of names, chance and so the advice would depend on what they are called.
    first = np.unique(codes, return_index=True)[1]
    return [rng.permutation(np.flatnonzero(codes == codes[i])) for i in np.sort(first)]


def _parts(
    codes: Codes, groups: Codes | None, rng: np.random.Generator, cuts: int, taken: int
) -> list[Codes]:
    """Return as many random parts as there are cuts, each with every class."""
    orders = _orders(codes, rng)
    # Classes start at different parts, or all that is left over would fall to the first.
    starts = rng.integers(cuts, size=len(orders))
    # Who goes on records further groups, so a part has fewer of them, not less of each.
    places = None if groups is None else rng.permutation(int(groups.max()) + 1)[groups]
    parts = []
    for p in range(cuts):
        rows = []
        for order, start in zip(orders, starts, strict=True):
            where = np.arange(len(order)) + start if places is None else places[order]
            chosen = order[(where + p) % cuts < taken]
            rows.append(chosen if len(chosen) else order[[p % len(order)]])
        parts.append(np.concatenate(rows))
    return parts


def _wrong(judge: PartsJudge, rng: np.random.Generator, repeats: int) -> tuple[Features, Features]:
    """Return how often judged instances are wrong and the sizes.

    Returns
    -------
    wrong : ndarray of shape (repeats, n_judged, n_sizes)
    sizes : ndarray of shape (n_sizes,)
    """
    n, n_classes = len(judge.y), len(judge.labels)
    guess = 1.0 - 1.0 / n_classes  # what is known of an instance that no model could judge
    wrong = np.empty((repeats, len(judge.judged), len(_CUTS) + 1))
    sizes = np.full(len(_CUTS) + 1, float(n))
    alone = len(np.unique(judge.groups)) == n
    groups = None if alone else judge.groups
    whole = judge.whole(rng)
    wrong[:, :, -1] = np.where(np.isnan(whole), guess, whole)
    for r in range(repeats):
        for s, (cuts, taken) in enumerate(_CUTS):
            parts = _parts(judge.y, groups, rng, cuts, taken)
            sizes[s] = np.mean([len(part) for part in parts])
            seen = np.array([judge.part(part) for part in parts])
            known = ~np.isnan(seen)
            total = np.where(known, seen, 0.0).sum(axis=0)
            wrong[r, :, s] = np.where(known.any(0), total / np.maximum(known.sum(0), 1), guess)
    return wrong, sizes


def _moments(
    wrong: Features, codes: Codes, shares: Features, belongs: Codes | None
) -> tuple[Features, Features]:
    """Return errors (n_sizes,) and their covariance, by chance in instances and in parts.

    With groups ``belongs`` (n,) the chance is that in groups: what instances of one have in common
    does not average out.
    """
    n_sizes = wrong.shape[2]
    rates = wrong.mean(axis=0)
    by_repeat = np.zeros((len(wrong), n_sizes))
    covariance = np.zeros((n_sizes, n_sizes))
    centred = np.zeros_like(rates)
    for c, share in enumerate(shares):
        of_class = codes == c
        size = int(of_class.sum())
        by_repeat += share * wrong[:, of_class].mean(axis=1)
        centred[of_class] = share / size * (rates[of_class] - rates[of_class].mean(axis=0))
        # A class without a mistake is not certain to be without: one half of one is added.
        unseen = np.eye(n_sizes) * 0.5 / (size + 1)
        covariance += share**2 * unseen / (size * max(size - 1, 1))
        if belongs is None:
            inside = centred[of_class]
            covariance += inside.T @ inside * size / max(size - 1, 1)
    if belongs is not None:
        _, group = np.unique(belongs, return_inverse=True)
        n_groups = int(group.max()) + 1
        together = np.zeros((n_groups, n_sizes))
        np.add.at(together, group, centred)
        covariance += together.T @ together * n_groups / max(n_groups - 1, 1)
    covariance += np.cov(by_repeat.T) / len(wrong)
    return by_repeat.mean(axis=0), covariance
