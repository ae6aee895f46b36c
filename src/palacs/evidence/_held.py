"""What was worked out about the pairs of classes of one labelled set, kept for its next decision.

Held is only what would be computed again. An instance is known by its number in a store whose
rows never change: a class whose selected numbers are the same is the same, and any other is
worked out anew. Held things go with their store, and the least used go where there are too many.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np

from palacs.checks import Codes, Features
from palacs.evidence._labelled_set import LabelledSet, Origin
from palacs.evidence._settled import ClassEvidence
from palacs.kernel import Members, Sums, Widths

MOST_BYTES = 1_700_000_000
"""So much is held in a process at most; what takes more is worked out anew each time."""

_NOBODY: Codes = np.zeros(0, dtype=np.int64)


class Held:
    """Sums and widths that were filled for one labelled set, and which classes they lack.

    Attributes
    ----------
    centre : ndarray of shape (n_features,)
        What instances are centred on: the first of them, so that it rarely changes.
    widths, widest, lacks_widths
        What the bandwidth rests on, for which widest one, and the classes to be filled.
    sums, bandwidth, lacks_sums
        The sums of similarities, for which bandwidth, and the classes to be filled.
    evidence
        What followed from them, and for which model.
    """

    def __init__(self) -> None:
        self.lock = Lock()
        self.centre: Features = np.zeros(0)
        self._ids, self._starts = _NOBODY, _NOBODY
        self.forget()

    def forget(self) -> None:
        """Hold nothing any more."""
        self.widths: Widths | None = None
        self.sums: Sums | None = None
        self.widest = self.bandwidth = 0.0
        self.lacks_widths = self.lacks_sums = _NOBODY
        self.evidence: tuple[object, ClassEvidence] | None = None

    @property
    def n_bytes(self) -> int:
        """How much memory it takes."""
        arrays = [*(self.widths or ()), *((self.sums or (0,))[1:])]
        return sum(array.nbytes for array in arrays)

    def look(self, labelled: LabelledSet, chosen: Members) -> None:
        """Find out which classes are other ones than before."""
        X, rows = labelled.X, np.arange(len(labelled))
        numbers = rows if labelled.origin is None else labelled.origin.rows
        ids, starts, centre = numbers[chosen.members], chosen.starts, X[chosen.members[0]]
        if len(starts) != len(self._starts) or not np.array_equal(centre, self.centre):
            self.forget()
            self.centre = centre.copy()
        else:
            changed = [
                c
                for c in range(len(starts) - 1)
                if not np.array_equal(
                    ids[starts[c] : starts[c + 1]], self._ids[self._starts[c] : self._starts[c + 1]]
                )
            ]
            if changed:
                self.evidence = None
            self.lacks_widths = np.union1d(self.lacks_widths, changed).astype(np.int64)
            self.lacks_sums = np.union1d(self.lacks_sums, changed).astype(np.int64)
        self._ids, self._starts = ids, starts


class _Shelf:
    """All that is held in this process, by the store it belongs to."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.held: WeakKeyDictionary[object, Held] = WeakKeyDictionary()
        self.used: list[Held] = []

    def take(self, origin: Origin) -> Held:
        with self.lock:
            held = self.held.setdefault(origin.store, Held())
            living = [one for one in self.used if one in self.held.values() and one is not held]
            self.used = [*living, held]
            return held

    def tidy(self) -> None:
        """Let go of the least used where there is too much."""
        with self.lock:
            kept = 0
            for held in reversed(self.used):
                kept += held.n_bytes
                if kept > MOST_BYTES and held.lock.acquire(blocking=False):
                    held.forget()
                    held.lock.release()


_shelf = _Shelf()


def _clear() -> None:
    global _shelf
    _shelf = _Shelf()


if hasattr(os, "register_at_fork"):
    # A child has no thread that would ever let go of a lock.
    os.register_at_fork(after_in_child=_clear)


@contextmanager
def held_for(origin: Origin | None) -> Iterator[Held]:
    """Yield what is held for a store, for this thread alone; nothing where there is no store."""
    if origin is None:
        yield Held()
        return
    held = _shelf.take(origin)
    with held.lock:
        yield held
    _shelf.tidy()
