"""Which requests are out of the question now: caps, repetitions, and classes that are due.

Pure functions of the counts and the order of the requests, so that a decision under limits can
be made again from the record like any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from palacs.strategies._labelled import LabelledSet

Mask = npt.NDArray[np.bool_]


class LimitReached(ValueError):
    """The limits leave no class to request now."""


@dataclass(frozen=True)
class Limits:
    """Limits by class code; see `Conditions` for their meaning."""

    caps: Mapping[int, int] = field(default_factory=dict)
    max_repeat: int | None = None
    at_least_every: int | None = None

    def apply(self, labelled: LabelledSet, allowed: Mask) -> Mask:
        """Return which of the ``allowed`` classes (n_classes,) may be requested next."""
        if not self.caps and self.max_repeat is None and self.at_least_every is None:
            return allowed
        open_ = self._below_cap(labelled, allowed)
        requests = np.concatenate([labelled.y, labelled.pending])
        return self._due(requests, self._varied(requests, open_, labelled), labelled, open_)

    def _below_cap(self, labelled: LabelledSet, allowed: Mask) -> Mask:
        below = allowed.copy()
        for code, cap in self.caps.items():
            below[code] &= bool(labelled.counts_with_pending[code] < cap)
        if not below.any():
            named = {labelled.classes[code].item(): cap for code, cap in self.caps.items()}
            raise LimitReached(
                f"every class that may be requested has reached its cap, caps={named}; raise a "
                "cap, or end the acquisition here."
            )
        return below

    def _varied(
        self, requests: npt.NDArray[np.int64], allowed: Mask, labelled: LabelledSet
    ) -> Mask:
        r = self.max_repeat
        if r is None or len(requests) < r or (requests[-r:] != requests[-1]).any():
            return allowed
        varied = allowed.copy()
        varied[requests[-1]] = False
        if not varied.any():
            label = labelled.classes[requests[-1]].item()
            raise LimitReached(
                f"only {label!r} may be requested, and it was requested {r} times in a row, "
                f"max_repeat={r}; allow another class, or raise max_repeat."
            )
        return varied

    def _due(
        self,
        requests: npt.NDArray[np.int64],
        allowed: Mask,
        labelled: LabelledSet,
        open_: Mask,
    ) -> Mask:
        n = self.at_least_every
        if n is None:
            return allowed
        if open_.sum() > n:
            raise ValueError(
                f"at_least_every={n} cannot hold for {int(open_.sum())} classes: so many do not "
                "fit into that many requests; raise it to at least the number of classes."
            )
        # Within how many of the next requests each class must come.
        deadlines = np.full(labelled.n_classes, 1)
        for code in np.flatnonzero(open_):
            at = np.flatnonzero(requests == code)
            if len(at):
                deadlines[code] = max(n - (len(requests) - 1 - int(at[-1])), 1)
        order = np.sort(deadlines[open_])
        tight = np.flatnonzero(order <= np.arange(1, len(order) + 1))
        if len(tight) == 0:
            return allowed
        # Any of these may come now, and the others of them still come in time.
        due: Mask = allowed & (deadlines <= order[tight[0]])
        return due if due.any() else allowed
