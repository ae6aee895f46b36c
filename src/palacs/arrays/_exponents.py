"""The kernel's exponents -|x - q|² / 2σ², a block of queries at a time, where tensors lie.

Few features are compared difference by difference; many by matrix products of centred values. On
a GPU a float32 product is made of float16 products: each number is split into a high and a low
half, and high · high + high · low + low · high, summed in float32, has float32's accuracy at a
multiple of its pace (Ootomo and Yokota, 2022). Where a product would lose too many digits of the
exponents, the same is done in float64, and where that would not do, by differences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from palacs.arrays._tensors import Tensor, like, torch_of
from palacs.compiled import LOOP_FEATURES

# A product in float64 may err by this much in an exponent, one in float32 by what that can.
LOST_DIGITS = 1e-6
_LOST_IN_FLOAT32 = 1e-3
# Bytes of exponents held at a time, on a GPU and on a CPU.
_BYTES = {"cuda": 2**30, "cpu": 2**26}
_TILE = 256
# Three float16 numbers hold all digits of a float32.
_ADDED = 3

# From queries (n_queries, n_features) to what `Exponents.blocks` yields of them.
Compare = Callable[[Tensor], tuple[Tensor, Tensor]]


class Exponents:
    """Exponents of a Gaussian kernel between instances X (n, n_features) and queries.

    Parameters
    ----------
    X : tensor of shape (n, n_features), n > 0
    bandwidth : float
    """

    def __init__(self, X: Tensor, bandwidth: float) -> None:
        self.X = X
        self.torch: Any = torch_of(X)
        self.scale = 1.0 / bandwidth / bandwidth

    def blocks(
        self, queries: Tensor, rows: npt.NDArray[np.int64] | None = None
    ) -> Iterator[tuple[slice, Tensor, Tensor]]:
        """Yield (which queries, exponents, what is added to them) for a block at a time.

        The exponents are (n, n_block), less a number (n_block,) for each query: a tensor that
        may be overwritten. What is relative to the nearest instance does without that number.
        With ``rows`` the queries are these rows of the tensor, in this order.
        """
        compare, element_size = self._way(queries)
        for block in self._slices(len(queries if rows is None else rows), element_size):
            if rows is None:
                yield block, *compare(queries[block])
            else:
                yield block, *compare(queries[like(rows[block], queries, keep=True)])

    def _slices(self, n_queries: int, element_size: int) -> Iterator[slice]:
        held = _BYTES["cuda" if self.X.is_cuda else "cpu"] // element_size
        step = max(1, held // len(self.X))
        # Whole tiles of a matrix unit: other sizes take several times as long.
        step -= step % _TILE if step > _TILE else 0
        for first in range(0, n_queries, step):
            yield slice(first, min(first + step, n_queries))

    def _way(self, queries: Tensor) -> tuple[Compare, int]:
        """Return what compares a block of queries, and the bytes of its numbers."""
        torch, X = self.torch, self.X
        if X.shape[1] <= LOOP_FEATURES:
            return self._differences, X.element_size()
        centre = X.mean(dim=0)
        near = X - centre
        norms = _squares(near)
        largest = norms.max(), _squares(queries - centre).max()
        lost = float(sum(largest)) * self.scale * torch.finfo(X.dtype).eps
        if X.dtype == torch.float64:
            few = lost < LOST_DIGITS
            way = partial(self._product, near, norms, centre) if few else self._differences
            return way, 8
        if not lost < _LOST_IN_FLOAT32:
            return Exponents(X.double(), self.scale**-0.5)._way(queries)
        if not X.is_cuda or not _mixes(torch):
            return partial(self._product, near, norms, centre), 4
        # A power of two changes no digit, and makes both sides equally large.
        ratio = torch.log2(largest[1].sqrt() * self.scale) - torch.log2(largest[0].sqrt())
        shift = float(torch.exp2(torch.round(0.5 * ratio)))
        shift = shift if 0.0 < shift < float("inf") else 1.0
        operand = split_instances(near * shift, -0.5 * self.scale * norms)
        return partial(self._split_product, operand, centre, shift), 4

    def _differences(self, queries: Tensor) -> tuple[Tensor, Tensor]:
        mode = "donot_use_mm_for_euclid_dist"
        apart = self.torch.cdist(self.X, queries.to(self.X.dtype), compute_mode=mode)
        return apart.square_().mul_(-0.5 * self.scale), apart.new_zeros(apart.shape[1])

    def _product(
        self, near: Tensor, norms: Tensor, centre: Tensor, queries: Tensor
    ) -> tuple[Tensor, Tensor]:
        queries = queries - centre
        less = (-0.5 * self.scale * norms)[:, None].expand(len(near), len(queries))
        exponents = self.torch.addmm(less, near, queries.T, alpha=self.scale)
        return exponents, -0.5 * self.scale * _squares(queries)

    def _split_product(
        self, operand: Tensor, centre: Tensor, shift: float, queries: Tensor
    ) -> tuple[Tensor, Tensor]:
        torch = self.torch
        queries = queries - centre
        other = split_queries(queries * (self.scale / shift), operand.shape[1])
        exponents = torch.mm(operand, other.T, out_dtype=torch.float32)
        return exponents, -0.5 * self.scale * _squares(queries)


def split_instances(X: Tensor, added: Tensor) -> Tensor:
    """Return float16 numbers (n, m), whose product with `split_queries` is x · q + added.

    It has float32's accuracy where it is summed in float32. ``added`` is (n,).
    """
    torch = torch_of(X)
    high, low = _halves(X)
    # Rows of sixteen bytes, as the matrix units like them; the last numbers are for what is added.
    parts = X.new_zeros(len(X), _ADDED + -(3 * X.shape[1] + _ADDED) % 8, dtype=torch.float16)
    for place in range(_ADDED):
        # Each takes what the one before it left.
        parts[:, place] = added.to(torch.float16)
        added = added - parts[:, place].to(torch.float32)
    return torch.cat([high, high, low, parts], dim=1)


def split_queries(queries: Tensor, width: int) -> Tensor:
    """Return float16 numbers (n_queries, width) to multiply `split_instances` with."""
    torch = torch_of(queries)
    high, low = _halves(queries)
    ones = high.new_ones(len(queries), width - 3 * queries.shape[1])
    return torch.cat([high, low, high, ones], dim=1)


def _halves(values: Tensor) -> tuple[Tensor, Tensor]:
    torch = torch_of(values)
    high = values.to(torch.float16)
    return high, (values - high.to(torch.float32)).to(torch.float16)


def _squares(values: Tensor) -> Tensor:
    torch = torch_of(values)
    return torch.linalg.vector_norm(values, dim=1).square_()


def _mixes(torch: Any) -> bool:
    """Whether this torch sums products of float16 numbers into float32 ones."""
    return tuple(int(part) for part in torch.__version__.split(".")[:2]) >= (2, 8)
