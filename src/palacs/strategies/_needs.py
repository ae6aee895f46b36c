"""What Spare settled knows of each class, and the sentences it says about it.

A class may get fewer requests without being settled, and several may be settled without any of
them getting fewer: sentences say "settled" only where decisions are right.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from palacs.checks import Codes, Features
from palacs.evidence import Labels
from palacs.strategies._words import listing, named

# So few decisions on a settled class are mistaken, counted softly, also with half of it missing.
_SETTLED = 0.1
# Who should have at most so much of the requests of a class that needs the most is said to need
# fewer; what differs by less is hardly noticed.
_FEWER = 0.75
# A rival is named where it takes at least this part of the mistakes on a class.
_NAMED = 0.25

Marks = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Needs:
    """Why Spare settled asks as it does.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
    mistaken : ndarray of shape (n_classes,)
        Share of left-out decisions on each class that are mistaken, softly counted; a half where
        the model knows nothing yet, NaN for a class without an instance.
    lost : ndarray of shape (n_classes,)
        How much that share, over all classes, would rise if half of the class were missing.
    weights : ndarray of shape (n_classes,)
        The share of requests each class should have, relative to a class that needs the most.
    confused : ndarray of shape (n_classes, n_classes)
        Mistakes by what was taken for what: row true, column taken for. Decisions that are right,
        however closely, are not in it.
    few : ndarray of shape (n_classes,)
        Which classes have too few instances to be spared, whatever decisions on them are.
    """

    classes: Labels
    mistaken: Features
    lost: Features
    weights: Features
    confused: Features
    few: Marks

    @property
    def settled(self) -> Marks:
        """Whether at most a tenth of decisions is mistaken, also with half of the class missing.

        Nor are others taken for it more often than that: a model that answers everything with one
        class is never mistaken on it. A class of too few instances is not settled.
        """
        known = ~np.isnan(self.mistaken)
        all_of_them = self.confused.sum(axis=1)
        per_mistake = np.where(known & (all_of_them > 0.0), self.mistaken, 0.0)
        taken_for_it = (per_mistake / np.where(all_of_them > 0.0, all_of_them, 1.0)) @ self.confused
        alone: Marks = self._without_half <= _SETTLED
        settled: Marks = alone & (taken_for_it <= _SETTLED) & ~self.few
        return settled

    @property
    def _without_half(self) -> Features:
        """Mistakes if half of each class were missing, all of them its own, (n_classes,)."""
        mistakes: Features = self.mistaken + int((~np.isnan(self.mistaken)).sum()) * self.lost
        return mistakes

    @property
    def equal(self) -> bool:
        """Whether all classes should have equally many instances."""
        return bool((self.weights == 1.0).all())

    @property
    def spared(self) -> Marks:
        """Whether a class is known to need clearly fewer instances than others, (n_classes,)."""
        spared: Marks = (self.weights <= _FEWER) & ~np.isnan(self.mistaken)
        return spared

    @property
    def reason(self) -> str:
        """One sentence for the person who is asked."""
        if not self.spared.any():
            about = "" if self.equal else "about "
            missing = np.isnan(self.mistaken)
            none_yet = f"; of {self._listed(missing)} none has come yet" if missing.any() else ""
            return f"{self._no_difference()}, so all should have {about}equally many{none_yet}."
        open_ = ~self.spared & ~np.isnan(self.mistaken)
        hard = np.flatnonzero(open_ & ~self.few)
        if len(hard) == 0:
            verb = "has" if open_.sum() == 1 else "have"
            too_few = f"{self._listed(open_)} {verb} too few instances yet"
            return "; ".join([too_few, *self._less_needed()]) + "."
        worst = int(hard[np.argsort(-self.mistaken[hard], kind="stable")][0])
        if self._less_settled(hard):
            verb = "is" if len(hard) == 1 else "are"
            return f"{self._listed(hard)} {verb} less settled than {self._listed(self.spared)}."
        if self.mistaken[worst] <= _SETTLED:
            return "; ".join([*self._depending(hard), *self._less_needed()]) + "."
        return "; ".join([self._mistakes_on(worst), *self._less_needed()]) + "."

    def because(self, code: int) -> str:
        """Say why a class is asked for, where not all should have equally many."""
        if np.isnan(self.mistaken[code]):
            return "because none of its instances has come yet"
        if self.spared[code] and self.settled[code]:
            return "although it is settled, because a settled class is still asked for now and then"
        if self.spared[code]:
            return "although others need more, because it is still asked for now and then"
        if self.few[code]:
            return "because it has too few instances yet to be called settled"
        if not self.spared.any():
            return "because all classes need about as many, and it is its turn"
        if self._less_settled(np.array([code])):
            return f"because it is less settled than {self._listed(self.spared)}"
        others = " and ".join(self._less_needed())
        if self.mistaken[code] <= _SETTLED < self._without_half[code]:
            return "because decisions on it still depend on every instance"
        if self.mistaken[code] <= _SETTLED:
            return f"because {others}"
        return f"because {self._mistakes_on(code, 'it')}, while {others}"

    def _depending(self, codes: Codes) -> list[str]:
        """Say which of these, hardly ever mistaken, would be without half of their instances."""
        depending = codes[self._without_half[codes] > _SETTLED]
        if len(depending) == 0:
            return []
        verb = "depends" if len(depending) == 1 else "depend"
        return [f"{self._listed(depending)} still {verb} on every instance"]

    def _less_settled(self, codes: Codes) -> bool:
        """Whether these are hardly ever mistaken, but more than the settled ones that get fewer."""
        rarely = self.mistaken[codes].max() <= _SETTLED and self.settled[self.spared].all()
        more = self._without_half[codes].min() > self._without_half[self.spared].max()
        return bool(rarely and more)

    def _no_difference(self) -> str:
        if self.settled.all():
            return "All classes are settled"
        if self.settled.any():
            return "No class would clearly gain more from further instances than the others"
        return "No class is settled yet"

    def _mistakes_on(self, code: int, name: str | None = None) -> str:
        rival = rival_of(code, self.confused)
        labels = self.classes.tolist()
        subject = name or named(labels[code])
        taken = self.confused[code] > 0
        if not taken.any() and (rival is None or self.spared[rival]):
            return f"{subject} is still hard to tell from others"
        if rival is None:
            return f"{subject} is still taken for others"
        if self.spared[rival]:
            return f"{subject} is still taken for {named(labels[rival])}"
        if name is not None:
            return f"{name} and {named(labels[rival])} are still confused"
        return f"{listing([labels[c] for c in sorted((code, rival))])} are still confused"

    def _less_needed(self) -> list[str]:
        settled, others = self.spared & self.settled, self.spared & ~self.settled
        said = []
        if settled.any():
            said.append(f"{self._listed(settled)} {'is' if settled.sum() == 1 else 'are'} settled")
        if others.any():
            verb = "needs" if others.sum() == 1 else "need"
            said.append(f"{self._listed(others)} {verb} fewer instances")
        return said

    def _listed(self, which: Marks | npt.NDArray[np.int64]) -> str:
        return listing(self.classes[which].tolist())


def rival_of(code: int, confused: Features) -> int | None:
    """Return the class that a class is confused with most, if one stands out."""
    pairs = confused[code] + confused[:, code]
    rival = int(pairs.argmax())
    stands_out = pairs[rival] > 0 and confused[code, rival] >= _NAMED * confused[code].sum()
    return rival if stands_out else None
