"""The labelled set of a running campaign, kept ready for the next decision.

Instances arrive one at a time and there may be a million. Rows are kept once, in blocks that
never move: taking one out marks it, and what is scaled for a decision is made again only where
the range or the selection changed. Whatever was handed out stays as it was.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from palacs.campaign._row_store import Matrix, RowStore
from palacs.campaign._steady_range import SteadyRange
from palacs.campaign._values import Vector

Codes = npt.NDArray[np.intp]

# What a row is: taken out; in the labelled set; or an instance's vector under another extractor.
_OUT, _IN, _OTHER = range(3)


def scale(X: Matrix, lower: Vector, upper: Vector) -> Matrix:
    """Scale features to [0, 1]; constant ones become 0.

    Parameters
    ----------
    X : ndarray of shape (n, n_features)
        Raw values; those outside the bounds land outside [0, 1].
    lower, upper : ndarray of shape (n_features,)
        The bounds.

    Returns
    -------
    ndarray of shape (n, n_features)
    """
    width = upper - lower
    scaled: Matrix = (X - lower) / np.where(width > 0, width, 1.0)
    return scaled


@dataclass(frozen=True, eq=False)
class Scaling:
    """One way of scaling the rows of one store: what was found out about scaled rows goes with it.

    Attributes
    ----------
    lower, upper : ndarray of shape (n_features,)
    """

    lower: Vector
    upper: Vector

    def same(self, lower: Vector, upper: Vector) -> bool:
        """Say whether these bounds scale rows to the same bits."""
        return np.array_equal(self.lower, lower) and np.array_equal(self.upper, upper)


@dataclass(frozen=True, slots=True)
class Selected:
    """Some rows of a store, as they were selected: what a snapshot holds on to.

    Attributes
    ----------
    store : RowStore
    rows : ndarray of shape (n,)
        Numbers of the rows, ascending.
    n_features : int
    """

    store: RowStore
    rows: Codes
    n_features: int

    def pieces(self) -> Iterator[Matrix]:
        """Yield the raw features in parts that follow each other; not to be written to."""
        if not len(self.rows):
            return
        for first, block in self.store.pieces(int(self.rows[0])):
            start, stop = np.searchsorted(self.rows, [first, first + len(block)])
            if stop - start == len(block):
                yield block
            elif start < stop:
                yield block[self.rows[start:stop] - first]

    def matrix(self) -> Matrix:
        """Return the raw features, shape (n, n_features); a copy."""
        X = np.empty((len(self.rows), self.n_features))
        done = 0
        for piece in self.pieces():
            X[done : done + len(piece)] = piece
            done += len(piece)
        return X


class GrowingSet:
    """Instances in acquisition order, with their raw and scaled features.

    Parameters
    ----------
    bounds : list of pairs or None
        Declared range of each feature (or one pair for all); ``None`` takes what was seen.
    n_features : int or None
        Declared number of features; ``None`` takes that of the instances that are in.
    """

    def __init__(self, bounds: list[list[float]] | None, n_features: int | None = None) -> None:
        self._declare(bounds, n_features)
        self.store = RowStore()
        self._codes = array("q")
        self._counts = bytearray()
        self._n = 0
        self._width: int | None = None
        self._scaling: Scaling | None = None
        self._forget()

    def _declare(self, bounds: list[list[float]] | None, n_features: int | None) -> None:
        self._bounds = None if bounds is None else np.array(bounds)
        if n_features is None and bounds is not None and len(bounds) > 1:
            n_features = len(bounds)
        self._declared = n_features

    def _forget(self) -> None:
        self._rows: Codes | None = None
        self._range = SteadyRange()
        self._forget_scaled()

    def _forget_scaled(self) -> None:
        self._scaled: Matrix = np.empty((0, 0))
        self._n_scaled = 0

    def restore(self, store: RowStore, saved: Mapping[str, Any]) -> None:
        """Take over rows and what `saved` returned about them."""
        self.store = store
        self._codes, self._counts = saved["codes"], bytearray(saved["counts"])
        self._n, self._width = self._counts.count(_IN), store.width
        if not len(store) == len(self._codes) == len(self._counts):
            raise ValueError("a snapshot's rows do not fit each other")
        if saved["range"] is not None:
            self._range.restore(saved["range"])

    def saved(self) -> dict[str, Any]:
        """Return everything but the rows, as plain values and arrays."""
        known = None
        if self._bounds is None and self._n:
            self.limits()
            known = self._range.saved()
        counts = array("B", self._counts)
        return {"codes": self._codes, "counts": counts, "range": known}

    def __len__(self) -> int:
        return self._n

    @property
    def n_features(self) -> int | None:
        """Length of the instances: declared, or that of those that count; None while unknown."""
        if self._declared is not None:
            return self._declared
        return self._width if self._n else None

    @property
    def widest(self) -> int:
        """Length of the longest vector that an instance has, retracted ones included."""
        shown = np.flatnonzero(np.frombuffer(bytes(self._counts), dtype=np.uint8) != _OTHER)
        return max(self.n_features or 0, self.store.widest(shown))

    @property
    def bounded(self) -> bool:
        """Whether the range of the features was declared."""
        return self._bounds is not None

    @property
    def rows(self) -> Codes:
        """Numbers of the rows that count, in acquisition order, shape (n,)."""
        if self._rows is None or len(self._rows) != self._n:
            counts = np.frombuffer(bytes(self._counts), dtype=np.uint8)
            self._rows = np.flatnonzero(counts == _IN)
        return self._rows

    @property
    def selected(self) -> Selected:
        """The rows that count, in a form that later changes leave alone."""
        return Selected(self.store, self.rows, self.n_features or 0)

    @property
    def X(self) -> Matrix:
        """Raw features, shape (n, n_features); a copy."""
        return self.selected.matrix()

    @property
    def codes(self) -> Codes:
        """Position of each instance's class, shape (n,)."""
        return np.array(self._codes, dtype=np.intp)[self.rows]

    def append(self, raw: bytes, code: int) -> int:
        """Add an instance at the end, as stored bytes; return the number of its row."""
        row = self.store.append(raw)
        self._codes.append(code)
        self._counts.append(_IN)
        self._n += 1
        self._width = len(raw) // 8
        return row

    def stage(self, raw: bytes, code: int) -> int:
        """Add the vector that an instance is going to have; return the number of its row."""
        row = self.store.append(raw)
        self._codes.append(code)
        self._counts.append(_OTHER)
        return row

    def exchange(self, rows: Sequence[int], n_features: int | None) -> None:
        """Let staged rows, in acquisition order, take the place of those that count.

        Parameters
        ----------
        rows : sequence of int
            As many as count.
        n_features : int or None
            Their length. Bounds that were declared for other features are given up.
        """
        if len(rows) != self._n:
            raise ValueError(f"{len(rows)} vectors for {self._n} instances")
        counts = np.frombuffer(bytes(self._counts), dtype=np.uint8).copy()
        counts[self.rows] = _OTHER
        counts[np.array(rows, dtype=np.intp)] = _IN
        self._counts = bytearray(counts.tobytes())
        self._width = n_features
        self._declare(None, n_features)
        self._forget()

    def remove(self, row: int) -> None:
        """Take an instance out; the others keep their order."""
        if self._counts[row] != _IN:
            raise ValueError(f"row {row} was taken out before")
        self._counts[row] = _OUT
        self._n -= 1
        self._forget()

    def limits(self) -> tuple[Vector, Vector]:
        """Return the bounds in force, two arrays of shape (n_features,)."""
        d = self.n_features or 0
        if self._bounds is not None:
            low, high = np.broadcast_to(self._bounds, (d, 2)).T if d else np.empty((2, 0))
            return low.copy(), high.copy()
        if not self._n:
            return np.zeros(d), np.ones(d)
        new = Selected(self.store, self.rows[self._range.n :], d)
        for piece in new.pieces():
            if self._range.take(piece):
                self._forget_scaled()
        assert self._range.lower is not None
        assert self._range.upper is not None
        return self._range.lower, self._range.upper

    @property
    def scaling(self) -> Scaling:
        """What stands for the rows as `scaled` returns them; another one where they differ."""
        lower, upper = self.limits()
        if self._scaling is None or not self._scaling.same(lower, upper):
            self._scaling = Scaling(lower, upper)
        return self._scaling

    def scaled(self) -> Matrix:
        """Return the features scaled to [0, 1], shape (n, n_features)."""
        n, d = self._n, self.n_features or 0
        lower, upper = self.limits()
        if n > len(self._scaled) or self._scaled.shape[1] != d:
            # Pages beyond the last row take no memory until they are written.
            larger = np.empty((max(16, n + n // 2), d))
            if self._n_scaled:
                larger[: self._n_scaled] = self._scaled[: self._n_scaled]
            self._scaled = larger
        new = Selected(self.store, self.rows[self._n_scaled :], d)
        for piece in new.pieces():
            there = slice(self._n_scaled, self._n_scaled + len(piece))
            self._scaled[there] = scale(piece, lower, upper)
            self._n_scaled = there.stop
        return self._scaled[:n]
