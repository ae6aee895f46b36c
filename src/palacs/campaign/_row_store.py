"""Raw feature vectors, each kept once, in blocks.

A row never moves or changes, so that what was handed out stays valid and growing copies
nothing. A block holds about a megabyte; one whose numbers can be had again from elsewhere
need not keep them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from palacs.campaign._values import Vector

Matrix = npt.NDArray[np.float64]

_BLOCK_BYTES = 2**20


class RowStore:
    """Rows numbered 0, 1, 2, ...

    All rows of a block have one length; a row of another length begins a new block, which
    happens where every instance so far was taken back.
    """

    def __init__(self) -> None:
        self._firsts: list[int] = []
        self._blocks: list[Matrix] = []
        self._n = 0

    def __len__(self) -> int:
        return self._n

    @property
    def width(self) -> int | None:
        """Length of the latest row; None before the first."""
        return self._blocks[-1].shape[1] if self._blocks else None

    @property
    def widest(self) -> int:
        """Length of the longest row there has been; 0 before the first."""
        return max((block.shape[1] for block in self._blocks), default=0)

    def append(self, raw: bytes) -> int:
        """Add a row, little-endian float64; return its number."""
        row, size = self._n, len(raw)
        if size == 0 or size % 8:
            raise ValueError(f"a stored instance has {size} bytes, which is no float64 vector.")
        if not self._blocks or self._full(size // 8):
            rows = max(1, _BLOCK_BYTES // size)
            self._blocks.append(np.empty((rows, size // 8)))
            self._firsts.append(row)
        self._blocks[-1][row - self._firsts[-1]] = np.frombuffer(raw, dtype="<f8")
        self._n += 1
        return row

    def _full(self, width: int) -> bool:
        latest = self._blocks[-1]
        return latest.shape[1] != width or self._n - self._firsts[-1] == len(latest)

    def row(self, number: int) -> Vector:
        """Return one row, shape (n_features,); a copy."""
        place = bisect_right(self._firsts, number) - 1
        found: Vector = self._blocks[place][number - self._firsts[place]].copy()
        return found

    def pieces(self, start: int = 0) -> Iterator[tuple[int, Matrix]]:
        """Yield the blocks from the one that holds row `start` on, each with its first row."""
        n = self._n
        for place in range(max(0, bisect_right(self._firsts, start) - 1), len(self._firsts)):
            first = self._firsts[place]
            if first < n:
                yield first, self._blocks[place][: n - first]
