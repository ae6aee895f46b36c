"""Sums of similarities over classes, from exponents: the innermost loop of every decision.

Exponents are turned into similarities relative to the nearest instance, so that nothing that
matters underflows, and summed over each segment. On a GPU one kernel does both and writes no
similarity; anywhere else, and in float64, exponents are overwritten step by step.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from math import inf
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
    negligible: float = inf,
) -> SimilarSums:
    """Sum similarities over the segments, from exponents (n, n_query), which may be overwritten.

    Parameters
    ----------
    nearer : tensor of shape (n_query,) or None
        Exponents of something else; the nearest is that, where it is nearer.
    negligible : float, default=inf
        Similarities up to exp(-negligible) count nothing.
    """
    torch = torch_of(exponents)
    nearest = exponents.amax(dim=0)
    nearest = nearest if nearer is None else torch.maximum(nearest, nearer)
    nearest = torch.where(torch.isfinite(nearest), nearest, 0.0)
    if exponents.is_cuda and exponents.dtype == torch.float32 and fused().AVAILABLE:
        segments = known.starts, known.lengths
        sums, squares = fused().sums_of_segments(exponents, segments, nearest, negligible)
        return SimilarSums(nearest, sums, squares.sum(0))
    exponents.sub_(nearest)
    if negligible < torch.inf:
        torch.threshold_(exponents, -negligible, -torch.inf)
    sums = known.sums(exponents.exp_())
    squares = torch.linalg.vector_norm(exponents, dim=0).square_()
    return SimilarSums(nearest, sums, squares)


@cache
def fused() -> Any:
    """Return the kernel's module, imported where it is wanted: Triton takes its time."""
    return import_module("palacs.arrays._fused_sums")
