"""Kernel frequencies and effective counts of tensors, where they lie.

The same sums as the compiled ones: relative to the nearest instance, a block of queries at a time.
"""

from __future__ import annotations

from palacs.arrays import ByClass, Exponents, Tensor, torch_of


def similarity_tensor(queries: Tensor, X: Tensor, bandwidth: float) -> Tensor:
    """Return similarities (n_query, n) as `palacs.kernel.similarity_matrix` does."""
    similarity = queries.new_empty(len(queries), len(X))
    if len(X):
        for block, exponents, added in Exponents(X, bandwidth).blocks(queries):
            similarity[block] = exponents.add_(added).clamp_(max=0.0).exp_().T
    return similarity


def frequencies_tensor(
    queries: Tensor,
    known: ByClass,
    bandwidth: float,
    *,
    relative: bool = False,
    wide: bool = False,
    weights: Tensor | None = None,
) -> Tensor:
    """Return kernel frequencies (n_query, n_classes), or those relative to the nearest instance.

    ``known`` are instances ordered by class, and each counts as its weight (n,). With ``wide`` the
    frequencies are float64, which holds far smaller ones.
    """
    torch = torch_of(queries)
    dtype = torch.float64 if wide else queries.dtype
    k = queries.new_zeros(len(queries), len(known.lengths), dtype=dtype)
    if len(known.X) == 0:
        return k
    for block, exponents, added in Exponents(known.X, bandwidth).blocks(queries):
        nearest = relative_to_nearest(exponents)
        if weights is not None:
            exponents *= weights[known.order][:, None]
        sums = known.sums(exponents).to(dtype)
        if not relative:
            sums *= (nearest + added).to(dtype).clamp_(max=0.0).exp_()
        k[block] = sums.T
    return k


def effective_tensor(points: Tensor, known: ByClass, bandwidth: float) -> Tensor:
    """Return `effective_counts` at points (n_points, n_features) of instances ordered by class."""
    torch = torch_of(points)
    k = points.new_empty(len(points), len(known.lengths))
    for block, exponents, _ in Exponents(known.X, bandwidth).blocks(points):
        relative_to_nearest(exponents)
        sums = known.sums(exponents)
        squares = torch.linalg.vector_norm(exponents, dim=0).square_()
        each = torch.where(squares > 0.0, sums.sum(0) / squares, 0.0)
        k[block] = sums.mul_(each).T
    return k


def relative_to_nearest(exponents: Tensor) -> Tensor:
    """Turn exponents (n, n_query) into similarities, the nearest one's is one; return its exponent.

    Where all distances are too large for floating point, all are zero.
    """
    torch = torch_of(exponents)
    nearest = exponents.amax(dim=0)
    exponents.sub_(torch.where(torch.isfinite(nearest), nearest, 0.0)).exp_()
    return nearest
