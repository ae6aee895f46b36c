"""From utilities to one class, and what there is to say about it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from palacs.compiled import compiled
from palacs.conditions import ClassConditions
from palacs.evidence import LabelledSet, Labels, encode
from palacs.stream import PICK, Stream, uniform
from palacs.ties import as_good

Utilities = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Pick:
    """One decision, to be put into words.

    Attributes
    ----------
    labelled : LabelledSet
        What was known.
    code : int
        The class that was picked.
    utilities : ndarray of shape (n_classes,)
        NaN for classes that could not be picked.
    conditions : ClassConditions
    stream : Stream
        The random numbers of the decision.
    """

    labelled: LabelledSet
    code: int
    utilities: Utilities
    conditions: ClassConditions
    stream: Stream

    @property
    def open(self) -> list[int]:
        """Codes of the classes that could have been picked."""
        return [int(code) for code in np.flatnonzero(~np.isnan(self.utilities))]

    @property
    def ties(self) -> list[int]:
        """Codes of the classes with the best utility."""
        best = float(np.nanmax(self.utilities))
        return [code for code in self.open if as_good(float(self.utilities[code]), best)]


@compiled
def pick_class(utilities: Utilities, drawn: bool, stream: Stream) -> int:
    """Pick a class code from utilities (n_classes,), NaN where none may be picked."""
    best = -np.inf
    total = 0.0
    for c in range(utilities.shape[0]):
        if not np.isnan(utilities[c]):
            total += utilities[c]
            best = max(best, utilities[c])
    u = uniform(stream, PICK, 0)
    if drawn and 0.0 < total < np.inf:
        mark = u * total
        last = 0
        for c in range(utilities.shape[0]):
            if utilities[c] > 0.0:
                last = c
                mark -= utilities[c]
                if mark < 0.0:
                    break
        return last
    ties = 0
    for c in range(utilities.shape[0]):
        ties += 1 if as_good(utilities[c], best) else 0
    place = int(u * ties)
    for c in range(utilities.shape[0]):
        if as_good(utilities[c], best):
            if place == 0:
                return c
            place -= 1
    return -1


def check_candidates(candidates: npt.ArrayLike | None, classes: Labels) -> npt.NDArray[np.bool_]:
    """Return which classes (n_classes,) may be picked; all where none are named."""
    allowed = np.zeros(len(classes), dtype=np.bool_)
    if candidates is None:
        allowed[:] = True
        return allowed
    codes = encode(candidates, classes, "candidates")
    if len(codes) == 0:
        raise ValueError(
            "candidates is empty; name at least one class, or leave it out to allow them all."
        )
    allowed[codes] = True
    return allowed
