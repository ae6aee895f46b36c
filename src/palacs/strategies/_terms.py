"""Conditions laid out in the order of the classes, as a decision uses them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from palacs._validation import Features
from palacs.strategies._condition_values import places_of, plain_labels
from palacs.strategies._conditions import Conditions
from palacs.strategies._labelled import Labels
from palacs.strategies._limits import Limits


@dataclass(frozen=True)
class Terms:
    """Conditions in the order of the classes, ready for one decision after the other.

    Attributes
    ----------
    costs : ndarray of shape (n_classes,) or None
    importance : ndarray of shape (n_classes,) or None
        Expected share in use times the number of classes: 1 on average. Known as soon as classes
        weigh differently for any reason, for class sizes will then be uneven.
    mistakes : ndarray of shape (n_classes, n_classes) or None
    limits : Limits
    """

    costs: Features | None
    importance: Features | None
    mistakes: Features | None
    limits: Limits

    def weigh(self, utilities: Features, own: frozenset[str]) -> Features:
        """Turn utilities (n_classes,) into utilities per cost.

        ``own`` names what the strategy has already taken into account itself.
        """
        if self.costs is None and self.importance is None and self.mistakes is None:
            return utilities
        factor = np.ones(len(utilities))
        if self.importance is not None and "proportions" not in own:
            factor *= self.importance
        if self.mistakes is not None and "mistakes" not in own:
            grave = self.mistakes.sum(axis=1)
            factor *= grave / grave.mean()
        if self.costs is not None:
            factor /= self.costs
        # A negative utility is a loss: the same factor must make it larger, not smaller.
        with np.errstate(divide="ignore"):
            return np.where(utilities < 0, utilities / factor, utilities * factor)


def make_terms(conditions: Conditions | None, classes: Labels) -> Terms:
    """Lay conditions out in the order of the classes."""
    if conditions is None:
        return Terms(None, None, None, Limits())
    if not isinstance(conditions, Conditions):
        raise ValueError(
            f"conditions={conditions!r} are no palacs.Conditions; Conditions.from_dict reads a "
            "dictionary."
        )
    labels = plain_labels(classes)
    caps = conditions.caps or {}
    places = places_of(caps, labels, "caps")
    coded = {places[label]: cap for label, cap in caps.items()}
    return Terms(
        None if conditions.costs is None else conditions.cost_of(classes),
        conditions.share_of(classes) * len(labels) if conditions.weighing else None,
        None if conditions.mistakes is None else conditions.mistakes_of(classes),
        Limits(coded, conditions.max_repeat, conditions.at_least_every),
    )
