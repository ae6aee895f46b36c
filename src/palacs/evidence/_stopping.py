"""When to stop asking: rules that look at the evidence and say why, and decide nothing.

A rule turns a series of numbers, one per acquisition, into an `Advice`: whether to stop, and a
sentence with the evidence. `GainThreshold` looks at the expected gain per cost that decisions
promised, `Plateau` at the cross-validated accuracy. Nothing is remembered between two questions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from palacs.checks import check_count, check_number
from palacs.evidence._crossval import cross_validator
from palacs.evidence._default_model import default_model
from palacs.evidence._labelled_set import check_labelled_set
from palacs.stream import seed_of

# Of equal means one may come out a hair larger.
_HAIR = 1e-12


@dataclass(frozen=True)
class Advice:
    """Whether to stop, and why or why not.

    Attributes
    ----------
    stop : bool
    reason : str
        One sentence with the evidence.
    """

    stop: bool
    reason: str


@dataclass(frozen=True)
class GainThreshold:
    """Stop when the best expected gain per cost has stayed small.

    Parameters
    ----------
    threshold : float, default=0.1
        A share of the largest gain that was expected so far; with ``absolute`` a gain per cost.
    patience : int, default=5
        For how many decisions in a row.
    absolute : bool, default=False

    Examples
    --------
    >>> from palacs.evidence import GainThreshold
    >>> print(GainThreshold(0.2, patience=2).advise([0.5, 0.3, 0.09, 0.08]).reason)
    The best expected gain per cost was below 0.1 in each of the last 2 decisions, at most 0.09;
    the largest was 0.5.
    """

    threshold: float = 0.1
    patience: int = 5
    absolute: bool = False

    def __post_init__(self) -> None:
        check_number(self.threshold, "threshold")
        check_count(self.patience, "patience")

    def advise(self, gains: Sequence[float] | npt.NDArray[np.float64]) -> Advice:
        """Judge the best expected gain per cost of every decision so far.

        Parameters
        ----------
        gains : sequence of float
            As `expected_gain` finds them in utilities; values that are not finite (no decision
            was needed) are left out.
        """
        series = np.asarray(gains, dtype=np.float64).ravel()
        series = series[np.isfinite(series)]
        if len(series) < self.patience:
            return Advice(
                False,
                f"Only {len(series)} decisions were made by expected gain; {self.patience} in a "
                "row are looked at.",
            )
        largest, recent = float(series.max()), float(series[-self.patience :].max())
        bar = self.threshold if self.absolute else self.threshold * largest
        if recent < bar:
            return Advice(
                True,
                f"The best expected gain per cost was below {bar:.3g} in each of the last "
                f"{self.patience} decisions, at most {recent:.3g}; the largest was {largest:.3g}.",
            )
        return Advice(
            False,
            f"Among the last {self.patience} decisions one still promised a gain per cost of "
            f"{recent:.3g}; below {bar:.3g} would be small.",
        )


@dataclass(frozen=True)
class Plateau:
    """Stop when the estimated accuracy has levelled off.

    Estimates from few instances are noisy and learning has phases: with the defaults nothing is
    said before 59 estimates. Shorter windows save more and err more often.

    Parameters
    ----------
    window : int, default=20
        The mean of so many estimates is compared with that of as many before.
    tolerance : float, default=0.0
        A rise of at most this counts as none.
    patience : int, default=20
        For how many acquisitions in a row there must have been none.

    Examples
    --------
    >>> from palacs.evidence import Plateau
    >>> rule = Plateau(window=2, tolerance=0.01, patience=1)
    >>> rule.advise([0.5, 0.6, 0.7, 0.702, 0.703, 0.7]).stop
    True
    """

    window: int = 20
    tolerance: float = 0.0
    patience: int = 20

    def __post_init__(self) -> None:
        check_count(self.window, "window")
        check_number(self.tolerance, "tolerance", or_zero=True)
        check_count(self.patience, "patience")

    @property
    def needed(self) -> int:
        """How many of the latest estimates the rule looks at."""
        return 2 * self.window + self.patience - 1

    def advise(self, accuracies: Sequence[float] | npt.NDArray[np.float64]) -> Advice:
        """Judge the estimated accuracy after every acquisition so far."""
        series = np.asarray(accuracies, dtype=np.float64).ravel()
        if len(series) < self.needed:
            return Advice(
                False,
                f"The accuracy was estimated {len(series)} times; {self.needed} are needed to see "
                "whether it has levelled off.",
            )
        means = np.convolve(series[-self.needed :], np.full(self.window, 1 / self.window), "valid")
        rises = means[self.window :] - means[: -self.window]
        evidence = (
            f"The cross-validated accuracy averaged {means[-1]:.3f} over the last {self.window} "
            f"acquisitions and {means[-1 - self.window]:.3f} over the {self.window} before"
        )
        if (rises <= self.tolerance + _HAIR).all():
            return Advice(
                True, f"{evidence}, and had not risen for {self.patience}: it has levelled off."
            )
        return Advice(False, f"{evidence}; it rose within the last {self.patience}.")


Rule = GainThreshold | Plateau


def expected_gain(utilities: npt.ArrayLike) -> float:
    """Return the best finite utility of a decision; NaN where there is none.

    Parameters
    ----------
    utilities : array-like of shape (n_classes,)
        As `Strategy.query` returns them, per cost under conditions with costs.

    Examples
    --------
    >>> from palacs.evidence import expected_gain
    >>> expected_gain([0.2, float("nan"), 0.3])
    0.3
    """
    values = np.asarray(utilities, dtype=np.float64)
    # Infinite means that a class has no instance yet: there was nothing to weigh.
    if np.isposinf(values).any() or not np.isfinite(values).any():
        return float("nan")
    return float(values[np.isfinite(values)].max())


def estimated_accuracy(
    X: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    classifier: Any | None = None,
    folds: int = 10,
    random_state: int | np.random.RandomState | None = 0,
) -> float:
    """Estimate the accuracy of a model of the labelled set by cross-validation.

    The accuracies of the classes are averaged, for class selection makes class sizes uneven.

    Parameters
    ----------
    X : array-like of shape (n, n_features)
    y : array-like of shape (n,)
    classifier : scikit-learn classifier or None, default=None
        None is `ParzenWindowClassifier` with a fitting bandwidth, corrected for class sizes.
    folds : int, default=10
    random_state : int, RandomState or None, default=0
        Draws the folds.

    Returns
    -------
    accuracy : float

    Examples
    --------
    >>> from palacs.evidence import estimated_accuracy
    >>> X = [[0.0], [0.1], [0.2], [0.8], [0.9], [1.0]]
    >>> estimated_accuracy(X, ["a", "a", "a", "b", "b", "b"])
    1.0
    """
    labelled = check_labelled_set(X, y, None, None)
    if classifier is None:
        classifier = default_model()
    validator = cross_validator(
        labelled, classifier, check_count(folds, "folds", minimum=2), seed_of(random_state)
    )
    right = validator.predict(len(labelled)) == labelled.y
    return float(np.mean([right[labelled.y == code].mean() for code in np.unique(labelled.y)]))
