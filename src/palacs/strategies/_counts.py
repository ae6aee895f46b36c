"""Strategies that look at class counts alone: Random, Uniform and Original Proportion.

They are what any cleverer strategy must beat.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from palacs.compiled import compiled
from palacs.evidence import LabelledSet, Labels
from palacs.strategies._base import Strategy
from palacs.strategies._compiled_form import Acquired, decides_for
from palacs.strategies._pick import Pick, Utilities
from palacs.stream import Stream


class RandomSelection(Strategy):
    """Request each class with equal probability: the paper's baseline *Random*.

    Parameters
    ----------
    random_state : int, RandomState or None, default=None

    Examples
    --------
    >>> from palacs import RandomSelection
    >>> X, y = [[0.0], [1.0]], ["left", "right"]
    >>> len(RandomSelection(random_state=0).query(X, y, batch_size=5))
    5
    """

    drawn = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"random_state": ["random_state"]}

    def __init__(self, random_state: int | np.random.RandomState | None = None) -> None:
        self.random_state = random_state

    def utilities(self, labelled: LabelledSet, stream: Stream) -> Utilities:
        """Return the same for every class, shape (n_classes,)."""
        return np.full(labelled.n_classes, 1.0 / labelled.n_classes)

    def compiled_form(self, n_features: int) -> Any | None:
        """Return the form for compiled loops."""
        return RandomForm(False)


class RandomForm(NamedTuple):
    """Random for compiled loops."""

    compares: bool


@decides_for(RandomForm)
@compiled
def _random_utilities(form: RandomForm, acquired: Acquired, n: int, stream: Stream) -> Utilities:
    n_classes = acquired.counts.shape[0]
    return np.full(n_classes, 1.0 / n_classes)


class ProportionalSelection(Strategy):
    """Keep the class counts in given proportions: *Original Proportion*.

    Like a Sainte-Laguë election: the next request goes to the class for which
    ``proportion / (count + 1/2)`` is largest, ties at random.

    Parameters
    ----------
    proportions : array-like of shape (n_classes,) or dict
        How often each class occurs, in the order of ``classes``, or by label. They need not sum
        to one.
    random_state : int, RandomState or None, default=None

    Examples
    --------
    >>> from palacs import ProportionalSelection
    >>> strategy = ProportionalSelection({"common": 3, "rare": 1}, random_state=0)
    >>> picks = strategy.query([[0.0], [1.0]], ["common", "rare"], batch_size=6).tolist()
    >>> picks.count("common")
    5
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "proportions": ["array-like", dict],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        proportions: npt.ArrayLike | Mapping[Any, float],
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.proportions = proportions
        self.random_state = random_state

    def utilities(self, labelled: LabelledSet, stream: Stream) -> Utilities:
        """Return how overdue each class is, shape (n_classes,)."""
        return _overdue(self._proportions(labelled.classes), labelled)

    def _check_classes(self, classes: Labels) -> None:
        self._proportions(classes)

    def _proportions(self, classes: Labels) -> Utilities:
        """Return the proportions in the order of the classes."""
        given = self.proportions
        if isinstance(given, Mapping):
            if set(given) != set(classes.tolist()):
                raise ValueError(
                    f"proportions names {sorted(map(str, given))}, but the classes are "
                    f"{sorted(map(str, classes.tolist()))}; give one number for each class."
                )
            given = [given[label] for label in classes.tolist()]
        proportions = np.asarray(given, dtype=np.float64)
        if proportions.shape != classes.shape:
            raise ValueError(
                f"proportions has shape {proportions.shape}, but there are {len(classes)} "
                "classes; give one number per class."
            )
        if not np.isfinite(proportions).all() or (proportions < 0).any() or not proportions.any():
            raise ValueError(
                f"proportions={proportions.tolist()} must be finite, none negative and not all "
                "zero."
            )
        return proportions


class UniformSelection(Strategy):
    """Keep the counts of all classes equal, ties at random.

    Parameters
    ----------
    random_state : int, RandomState or None, default=None

    Examples
    --------
    >>> from palacs import UniformSelection
    >>> UniformSelection().query([[0.0], [0.1], [1.0]], ["a", "a", "b"]).tolist()
    ['b']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"random_state": ["random_state"]}

    def __init__(self, random_state: int | np.random.RandomState | None = None) -> None:
        self.random_state = random_state

    def utilities(self, labelled: LabelledSet, stream: Stream) -> Utilities:
        """Return how overdue each class is, shape (n_classes,)."""
        return _overdue(np.ones(labelled.n_classes), labelled)

    def reason(self, pick: Pick) -> str | None:
        """Say how few there are."""
        if pick.conditions.weighing:
            return None
        return fewest(pick)

    def compiled_form(self, n_features: int) -> Any | None:
        """Return the form for compiled loops."""
        return UniformForm(False)


class UniformForm(NamedTuple):
    """Uniform for compiled loops."""

    compares: bool


@decides_for(UniformForm)
@compiled
def _uniform_utilities(form: UniformForm, acquired: Acquired, n: int, stream: Stream) -> Utilities:
    overdue: Utilities = 1.0 / acquired.counts.shape[0] / (acquired.counts + 0.5)
    return overdue


def fewest(pick: Pick) -> str:
    """Return the reason of a class that has the fewest instances of all that may be picked."""
    counts = pick.labelled.counts_with_pending
    count = int(counts[pick.code])
    among = "" if counts.min() == count else " of those that may be asked for now"
    return f"because it has the fewest instances{among} ({count}, with those under way)"


def _overdue(proportions: Utilities, labelled: LabelledSet) -> Utilities:
    overdue: Utilities = proportions / proportions.sum() / (labelled.counts_with_pending + 0.5)
    return overdue
