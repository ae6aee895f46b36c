"""Conditions laid out in the order of the classes, as one decision after the other uses them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from palacs.checks import Features
from palacs.conditions._limits import Limit
from palacs.gain import zero_one


@dataclass(frozen=True)
class ClassConditions:
    """Conditions in the order of the classes.

    Attributes
    ----------
    costs : ndarray of shape (n_classes,) or None
    importance : ndarray of shape (n_classes,) or None
        Expected share in use times the number of classes: 1 on average. Known as soon as classes
        weigh differently for any reason, for class sizes will then be uneven.
    mistakes : ndarray of shape (n_classes, n_classes) or None
    limits : tuple of Limit
    """

    costs: Features | None = None
    importance: Features | None = None
    mistakes: Features | None = None
    limits: tuple[Limit, ...] = ()

    @property
    def weighing(self) -> bool:
        """Whether classes weigh differently, by costs, proportions or mistakes."""
        return self.importance is not None

    def weigh(self, utilities: Features) -> Features:
        """Turn utilities (n_classes,) into utilities in use, per cost."""
        if not self.weighing:
            return utilities
        factor = np.ones(len(utilities))
        if self.importance is not None:
            factor *= self.importance
        if self.mistakes is not None:
            grave = self.mistakes.sum(axis=1)
            factor *= grave / grave.mean()
        return scaled_by(utilities, factor if self.costs is None else factor / self.costs)

    def per_cost(self, utilities: Features) -> Features:
        """Turn utilities (n_classes,) that know the use already into utilities per cost."""
        return utilities if self.costs is None else scaled_by(utilities, 1.0 / self.costs)

    def in_use(self) -> tuple[Features | None, Features | None]:
        """Return importance and mistakes with as much of the mistakes as can be in the importance.

        A class that costs g times as much to miss is the same to every decision as one that
        occurs g times as often (Elkan, 2001). Left as costs, the flat prior of the performance
        gain would outweigh real instances g times; as importance it stays flat. What remains in
        the matrix is how the mistakes about one class differ; None, where they cost the same.
        """
        if self.mistakes is None or self.importance is None:
            return self.importance, self.mistakes
        grave = self.mistakes.mean(axis=1)
        rest = self.mistakes / np.where(grave > 0, grave, 1.0)[:, None]
        importance = self.importance * grave / (self.importance * grave).mean()
        return importance, None if zero_one(rest) else rest


def scaled_by(utilities: Features, factor: Features) -> Features:
    """Return utilities (n_classes,) multiplied so that a larger factor makes each larger."""
    # A negative utility is a loss: the same factor must make it larger, not smaller.
    with np.errstate(divide="ignore"):
        return np.where(utilities < 0, utilities / factor, utilities * factor)
