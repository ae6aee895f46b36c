"""The kernel's exponents -|x - q|² / 2σ², a block of queries at a time, where tensors lie.

Few features are compared difference by difference; many by matrix products of centred values. On
a GPU a float32 product is made of float16 products: each number is split into a high and a low
half, and high · high + high · low + low · high, summed in float32, has float32's accuracy at a
multiple of its pace (Ootomo and Yokota, 2022). Where a product would lose too many digits of the
exponents, the same is done in float64, and where that would not do, by differences.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from palacs.arrays._tensors import Tensor, torch_of

# Up to so many features differences are taken: exact, and faster than a product for compiled loops.
LOOP_FEATURES = 24
# A product in float64 may err by this much in an exponent, one in float32 by what that can.
LOST_DIGITS = 1e-6
_LOST_IN_FLOAT32 = 1e-3
# Bytes of exponents held at a time, on a GPU and on a CPU.
_BYTES = {"cuda": 2**30, "cpu": 2**26}


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

    def blocks(self, queries: Tensor) -> Iterator[tuple[slice, Tensor, Tensor]]:
        """Yield (which queries, exponents, what is added to them) for a block at a time.

        The exponents are (n, n_block), less a number (n_block,) for each query: a tensor that
        may be overwritten. What is relative to the nearest instance does without that number.
        """
        torch, X = self.torch, self.X
        if X.shape[1] <= LOOP_FEATURES:
            yield from self._differences(X, queries)
            return
        centre = X.mean(dim=0)
        near, near_queries = X - centre, queries - centre
        norms, query_norms = _squares(near), _squares(near_queries)
        spread = float(norms.max() + query_norms.max()) * self.scale
        may_lose = LOST_DIGITS if X.dtype == torch.float64 else _LOST_IN_FLOAT32
        if spread * torch.finfo(X.dtype).eps < may_lose:
            exact = X.dtype == torch.float64 or not X.is_cuda or not _mixes(torch)
            multiply = self._products if exact else self._split_products
            yield from multiply((near, norms), (near_queries, query_norms))
        elif X.dtype == torch.float32:
            del near, near_queries
            yield from Exponents(X.double(), self.scale**-0.5).blocks(queries.double())
        else:
            yield from self._differences(X, queries)

    def _slices(self, n_queries: int, element_size: int) -> Iterator[slice]:
        held = _BYTES["cuda" if self.X.is_cuda else "cpu"] // element_size
        step = max(1, held // len(self.X))
        for first in range(0, n_queries, step):
            yield slice(first, min(first + step, n_queries))

    def _differences(self, X: Tensor, queries: Tensor) -> Iterator[tuple[slice, Tensor, Tensor]]:
        mode = "donot_use_mm_for_euclid_dist"
        for block in self._slices(len(queries), X.element_size()):
            apart = self.torch.cdist(X, queries[block], compute_mode=mode)
            nothing = X.new_zeros(apart.shape[1])
            yield block, apart.square_().mul_(-0.5 * self.scale), nothing

    def _products(
        self, near: tuple[Tensor, Tensor], queries: tuple[Tensor, Tensor]
    ) -> Iterator[tuple[slice, Tensor, Tensor]]:
        X, norms = near
        less = (-0.5 * self.scale * norms)[:, None]
        for block in self._slices(len(queries[0]), X.element_size()):
            rows = queries[0][block]
            own = less.expand(len(X), len(rows))
            exponents = self.torch.addmm(own, X, rows.T, alpha=self.scale)
            yield block, exponents, -0.5 * self.scale * queries[1][block]

    def _split_products(
        self, near: tuple[Tensor, Tensor], queries: tuple[Tensor, Tensor]
    ) -> Iterator[tuple[slice, Tensor, Tensor]]:
        torch = self.torch
        left, right = split_operands(near, queries[0], self.scale)
        for block in self._slices(len(right), 4):
            exponents = torch.mm(left, right[block].T, out_dtype=torch.float32)
            yield block, exponents, -0.5 * self.scale * queries[1][block]


def split_operands(
    near: tuple[Tensor, Tensor], queries: Tensor, scale: float
) -> tuple[Tensor, Tensor]:
    """Return float16 matrices whose product is scale · (x · q - |x|² / 2) with float32's accuracy.

    ``near`` is (instances (n, d), their squared norms (n,)). Both sides are given the same range,
    so that neither halves nor products leave that of float16.
    """
    X, norms = near
    torch = torch_of(X)
    largest = torch.stack([X.abs().max(), queries.abs().max() * scale])
    # A power of two changes no digit; 0.5 log2 of the ratio makes both sides equally large.
    shift = float(torch.exp2(torch.round(0.5 * torch.log2(largest[1] / largest[0]))))
    shift = shift if 0.0 < shift < float("inf") else 1.0
    high, low = _halves(X * shift)
    q_high, q_low = _halves(queries * (scale / shift))
    # The norms as three numbers, each what the one before it left.
    # In rows of sixteen bytes, as the matrix units like them.
    columns = 3 + -(3 * X.shape[1] + 3) % 8
    parts = torch.zeros(len(X), columns, dtype=torch.float16, device=X.device)
    rest = -0.5 * scale * norms
    for place in range(3):
        parts[:, place] = rest.to(torch.float16)
        rest = rest - parts[:, place].to(torch.float32)
    ones = torch.ones(len(queries), columns, dtype=torch.float16, device=X.device)
    return torch.cat([high, high, low, parts], dim=1), torch.cat([q_high, q_low, q_high, ones], 1)


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
