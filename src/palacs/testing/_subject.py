"""What the contract suite examines, and the labelled set it does most of it with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from palacs.strategies import Strategy

SEEDS = (0, 1, 2, 3, 4)


class Subject:
    """A strategy under examination: makes seeded copies for any set of classes.

    Parameters
    ----------
    strategy : Strategy or callable
        As for `palacs.testing.check_strategy`.
    """

    def __init__(self, strategy: Strategy | Callable[[Any], Strategy]) -> None:
        self.strategy = strategy

    def make(self, classes: npt.ArrayLike, seed: Any) -> Strategy:
        """Return a fresh strategy for these classes, shape (n_classes,), with this seed."""
        if isinstance(self.strategy, Strategy):
            made: Strategy = clone(self.strategy)
        else:
            made = self.strategy(np.asarray(classes))
        if "random_state" in made.get_params(deep=False):
            made.set_params(random_state=seed)
        return made


def three_classes() -> tuple[npt.NDArray[np.float64], npt.NDArray[Any]]:
    """Return X (24, 2) and y (24,): a alone, b and c overlapping, acquired in mixed order."""
    rng = np.random.default_rng(20)
    y = np.array(["a", "b", "c"])[np.arange(24) * 7 % 24 % 3]
    centres = {"a": (0.15, 0.2), "b": (0.70, 0.75), "c": (0.76, 0.78)}
    X = np.array([centres[label] for label in y.tolist()]) + rng.normal(0, 0.05, (24, 2))
    return X, y


def same_answer(first: Strategy, second: Strategy, X: npt.ArrayLike, y: npt.ArrayLike) -> bool:
    """Say whether two strategies request the same classes for the same reasons."""
    one = first.query(X, y, batch_size=4, return_utilities=True)
    other = second.query(X, y, batch_size=4, return_utilities=True)
    return np.array_equal(one[0], other[0]) and np.array_equal(one[1], other[1], equal_nan=True)
