"""Raw feature vectors, each kept once, in blocks.

A row never moves or changes, so that what was handed out stays valid and growing copies
nothing. A block holds about a megabyte; one whose numbers can be had again from elsewhere
need not keep them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from palacs.campaign._values import Vector

Matrix = npt.NDArray[np.float64]

_BLOCK_BYTES = 2**20


@dataclass(frozen=True, slots=True)
class StoredBlock:
    """A block whose numbers are kept elsewhere.

    Attributes
    ----------
    shape : pair of int
        Rows and features.
    known : bytes
        The checksum of its numbers.
    seq : int
        The event that brought its first row.
    fetch : callable
        Returns the numbers.
    """

    shape: tuple[int, int]
    known: bytes
    seq: int
    fetch: Callable[[], Matrix]


class RowStore:
    """Rows numbered 0, 1, 2, ...

    All rows of a block have one length; a row of another length begins a new block, which
    happens where every instance so far was taken back.

    Parameters
    ----------
    stored : sequence of StoredBlock
        The first blocks, where they need not be kept here.
    keep : bool
        False counts and measures rows alone; what is in them is lost.
    """

    def __init__(self, stored: Sequence[StoredBlock] = (), *, keep: bool = True) -> None:
        self._keep = keep
        self._firsts: list[int] = []
        self._blocks: list[Matrix | StoredBlock] = []
        self._n = 0
        self._bytes = memoryview(b"")  # of the latest block, which bytes are copied into
        self._fetched: tuple[int, Matrix] | None = None
        for block in stored:
            self._blocks.append(block)
            self._firsts.append(self._n)
            self._n += block.shape[0]

    def __len__(self) -> int:
        return self._n

    @property
    def width(self) -> int | None:
        """Length of the latest row; None before the first."""
        return self._blocks[-1].shape[1] if self._blocks else None

    def widest(self, rows: npt.NDArray[np.intp]) -> int:
        """Return the length of the longest of some rows, given in ascending order; 0 of none."""
        found = 0
        for first, block in self.blocks():
            if block.shape[1] > found:
                start, stop = np.searchsorted(rows, [first, first + block.shape[0]])
                found = block.shape[1] if stop > start else found
        return found

    def append(self, raw: bytes) -> int:
        """Add a row, little-endian float64; return its number."""
        row, size = self._n, len(raw)
        if size == 0 or size % 8:
            raise ValueError(f"a stored instance has {size} bytes, which is no float64 vector.")
        if not self._blocks or self._full(size // 8):
            rows = max(1, _BLOCK_BYTES // size)
            latest = np.empty((rows, size // 8), dtype="<f8")
            self._blocks.append(latest)
            self._firsts.append(row)
            self._bytes = latest.view(np.uint8).reshape(-1).data
        if self._keep:
            start = (row - self._firsts[-1]) * size
            self._bytes[start : start + size] = raw
        self._n += 1
        return row

    def _full(self, width: int) -> bool:
        latest = self._blocks[-1]
        return (self._n - self._firsts[-1], width) == latest.shape or latest.shape[1] != width

    def _block(self, place: int) -> Matrix:
        block = self._blocks[place]
        if not isinstance(block, StoredBlock):
            return block
        latest = self._fetched
        if latest is None or latest[0] != place:
            latest = self._fetched = place, block.fetch()  # only this one is kept
        return latest[1]

    def row(self, number: int) -> Vector:
        """Return one row, shape (n_features,); a copy."""
        place = bisect_right(self._firsts, number) - 1
        found: Vector = self._block(place)[number - self._firsts[place]].copy()
        return found

    def pieces(self, start: int = 0) -> Iterator[tuple[int, Matrix]]:
        """Yield the blocks from the one that holds row `start` on, each with its first row."""
        n = self._n
        for place in range(max(0, bisect_right(self._firsts, start) - 1), len(self._firsts)):
            first = self._firsts[place]
            last = self._firsts[place + 1] if place + 1 < len(self._firsts) else n
            if first < n:
                yield first, self._block(place)[: last - first]

    def blocks(self) -> Iterator[tuple[int, Matrix | StoredBlock]]:
        """Yield the blocks as they are kept, each with the number of its first row."""
        for place, block in enumerate(self._blocks):
            first = self._firsts[place]
            last = self._firsts[place + 1] if place + 1 < len(self._firsts) else self._n
            yield first, block if isinstance(block, StoredBlock) else block[: last - first]
