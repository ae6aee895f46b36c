"""Sums of similarities over classes, from exponents: the innermost loop of every decision.

Exponents are turned into similarities relative to the nearest instance, so that nothing that
matters underflows, and summed over each segment. On a GPU one kernel does both and reads the
exponents once; anywhere else, and in float64, they are overwritten step by step.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

from palacs.arrays._by_class import ByClass
from palacs.arrays._tensors import Tensor, torch_of


class SimilarSums(NamedTuple):
    """What is near each of n_query places.

    Attributes
    ----------
    nearest : tensor of shape (n_query,)
        The exponent of the nearest instance, whose similarity is one; 0 where all distances are
        too large for floating point.
    sums : tensor of shape (n_segments, n_query)
        Of similarities, relative to the nearest.
    squares : tensor of shape (n_query,)
        The sum of all squared similarities.
    """

    nearest: Tensor
    sums: Tensor
    squares: Tensor


def similar_sums(
    known: ByClass,
    exponents: Tensor,
    nearer: Tensor | None = None,
    negligible: float | None = None,
) -> SimilarSums:
    """Sum similarities over the segments, from exponents (n, n_query), which may be overwritten.

    Parameters
    ----------
    nearer : tensor of shape (n_query,) or None
        Exponents of something else; the nearest is that, where it is nearer.
    negligible : float or None
        Similarities up to exp(-negligible) count nothing. In float32 they cannot be seen anyway.
    """
    torch = torch_of(exponents)
    if exponents.is_cuda and exponents.dtype == torch.float32 and _fused().AVAILABLE:
        highest, sums, squares = _fused().sums_of_segments(exponents, known.starts, known.lengths)
        nearest = _nearest(highest.amax(dim=0), nearer)
        # Each segment's sums are relative to its own nearest.
        unit = highest.sub_(nearest).exp_()
        return SimilarSums(nearest, sums.mul_(unit), squares.mul_(unit.square_()).sum(0))
    nearest = _nearest(exponents.amax(dim=0), nearer)
    exponents.sub_(nearest)
    if negligible is not None:
        torch.threshold_(exponents, -negligible, -torch.inf)
    sums = known.sums(exponents.exp_())
    squares = torch.linalg.vector_norm(exponents, dim=0).square_()
    return SimilarSums(nearest, sums, squares)


def _nearest(highest: Tensor, nearer: Tensor | None) -> Tensor:
    torch = torch_of(highest)
    highest = highest if nearer is None else torch.maximum(highest, nearer)
    return torch.where(torch.isfinite(highest), highest, 0.0)


@cache
def _fused() -> Any:
    """Return the kernel's module, imported where it is wanted: Triton takes its time."""
    return import_module("palacs.arrays._fused_sums")
