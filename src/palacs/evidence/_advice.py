"""When to stop asking: only where the learning curve shows that more would bring little.

The rule looks at the labelled set alone, never at a strategy's utilities, so it says the same
whoever chose the classes. It is wary: where the evidence is thin it gives no advice to stop.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from palacs.checks import check_number
from palacs.evidence._groups import check_groups, named_groups, too_few_groups
from palacs.evidence._learning_curve import LearningCurve, learning_curve

# Standard errors. Advice is asked for again and again, and the first to say stop is followed; by
# 2 to 3 some replays were left too early (docs/conditions/stopping.md).
_WARY = 4.0
# Fewer instances of a class, or fewer left-out mistakes, say little about a curve.
LEAST_PER_CLASS = 30
LEAST_MISTAKES = 30
# Fewer groups do not show how much one differs from the next.
LEAST_GROUPS = 5
_AHEAD = 3.0
# What is true stays true: these first instances must have said stop as well.
_BEFORE = 0.8


@dataclass(frozen=True)
class Advice:
    """Whether to stop, and why or why not.

    Attributes
    ----------
    stop : bool
    reason : str
        The evidence in one sentence, and what is made of it in another.
    curve : LearningCurve or None
        None while fewer than two classes, or not all that are wanted, have instances.
    """

    stop: bool
    reason: str
    curve: LearningCurve | None = None


def advise_stopping(
    X: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    model: Any | None = None,
    weights: npt.ArrayLike | None = None,
    classes: npt.ArrayLike | None = None,
    groups: npt.ArrayLike | None = None,
    tolerance: float = 0.1,
    good_enough: float = 0.0,
) -> Advice:
    """Say whether to stop acquiring, from evidence about the error alone.

    Stop is advised where the error is within ``tolerance`` of the one at three times as many
    instances: ln e(n) - ln e(3n) + 4 s <= ln(1 + tolerance), where the line from a quarter of the
    set to all of it projects ln e(3n) and s is the standard error of the difference. Every class
    must have 30 instances, and 30 left-out instances must have been wrong: of fewer, no ratio can
    be told. This must hold for the first four fifths of the instances as well, for whoever asks
    often enough is once told yes by chance.

    Parameters
    ----------
    X : array-like of shape (n, n_features)
        In the order of acquisition.
    y : array-like of shape (n,)
    model, weights
        As for `learning_curve`.
    classes : array-like or None, default=None
        The classes that instances are wanted of; None takes those in ``y``.
    groups : array-like of shape (n,) or None, default=None
        Who or what each instance belongs to, such as its subject. The error is then that on a new
        one, and stop is not advised before there are five.
    tolerance : float, default=0.1
        How much higher, relatively, the error may be than at three times as many.
    good_enough : float, default=0.0
        An error that needs no improvement: stop is also advised where the error is at most this,
        by four standard errors. 0 never is.

    Returns
    -------
    advice : Advice

    Examples
    --------
    >>> from palacs.evidence import advise_stopping
    >>> advise_stopping([[0.0], [1.0]], ["a", "b"]).stop
    False
    """
    tolerance = check_number(tolerance, "tolerance", or_zero=True)
    good_enough = check_number(good_enough, "good_enough", or_zero=True)
    if len(np.unique(np.asarray(y))) < 2:
        return Advice(False, "Fewer than two classes have instances; there is no error yet.")
    unseen = [] if classes is None else np.setdiff1d(np.asarray(classes), np.asarray(y)).tolist()
    if unseen:
        return Advice(False, f"No advice to stop: there is no instance of {unseen[0]!r} yet.")
    if groups is not None:
        lonely = too_few_groups(check_groups(groups, len(np.asarray(y)))[1])
        if lonely:
            return Advice(False, f"No advice to stop: {lonely}.")
    curve = learning_curve(X, y, model=model, weights=weights, groups=groups)
    stop, because = _judge(curve, tolerance, good_enough)
    if stop and not _is_good_enough(curve, good_enough):
        first = int(_BEFORE * curve.n)
        earlier = _earlier_curve((X, y, groups), first, model, weights)
        if earlier is None or not _judge(earlier, tolerance, good_enough)[0]:
            stop = False
            because = f"No advice to stop yet: the first {first} instances did not say so."
    return Advice(stop, f"{sentence(curve)} {because}", curve)


def _earlier_curve(
    acquired: tuple[npt.ArrayLike, npt.ArrayLike, npt.ArrayLike | None],
    first: int,
    model: Any | None,
    weights: npt.ArrayLike | None,
) -> LearningCurve | None:
    """Return the curve of the first instances; None where a class in use or groups are missing."""
    X, y = np.asarray(acquired[0])[:first], np.asarray(acquired[1])
    known = np.isin(np.unique(y), y[:first])
    shares = np.ones(len(known)) if weights is None else np.asarray(weights)
    groups = None if acquired[2] is None else np.asarray(acquired[2])[:first]
    if shares[~known].any() or (groups is not None and len(np.unique(groups)) < LEAST_GROUPS):
        return None
    return learning_curve(X, y[:first], model=model, weights=shares[known], groups=groups)


def sentence(curve: LearningCurve) -> str:
    """Say in one sentence what the error is and what as many again are expected to bring."""
    error, se = curve.projected(curve.n)
    again, again_se = curve.projected(2 * curve.n)
    return (
        f"The error is about {100 * error:.0f} % (± {100 * se:.0f}); as many again are expected "
        f"to bring it to {100 * again:.0f} % (± {100 * again_se:.0f})."
    )


def _is_good_enough(curve: LearningCurve, good_enough: float) -> bool:
    error, se = curve.projected(curve.n)
    return error + _WARY * se <= good_enough


def _judge(curve: LearningCurve, tolerance: float, good_enough: float) -> tuple[bool, str]:
    fewest = int(curve.counts.min())
    if fewest < LEAST_PER_CLASS:
        return False, f"No advice to stop: a class has {fewest} of {LEAST_PER_CLASS} instances."
    if curve.groups is not None and len(curve.groups) < LEAST_GROUPS:
        listing = named_groups(np.array(curve.groups))
        return False, f"No advice to stop: of {LEAST_GROUPS} groups there are {listing}."
    if _is_good_enough(curve, good_enough):
        return True, f"Stop: it is at most {good_enough:g}, which is good enough."
    if curve.mistakes < LEAST_MISTAKES:
        return False, (
            f"No advice to stop: {curve.mistakes:.0f} left-out instances were wrong, of fewer than "
            f"{LEAST_MISTAKES} nothing can be projected."
        )
    change, spread = curve.log_change(_AHEAD)
    bound = float(np.exp(-change + _WARY * spread) - 1)
    limit = 100 * tolerance
    if bound > tolerance:
        return False, (
            f"Go on: it may be {100 * bound:.0f} % above that at three times as many; stop is "
            f"advised at {limit:.0f} %."
        )
    return True, f"Stop: it is at most {100 * bound:.0f} % above that at three times as many."
