"""Kernel frequencies and effective counts of tensors, where they lie.

The same sums as the compiled ones: relative to the nearest instance, a block of queries at a time.
"""

from __future__ import annotations

from palacs.arrays import ByClass, Exponents, Tensor, similar_sums, torch_of


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
        if weights is not None:
            exponents += weights[known.order].log()[:, None]
        nearest, sums, _ = similar_sums(known, exponents)
        sums = sums.to(dtype)
        if not relative:
            sums *= (nearest + added).to(dtype).exp_()
        k[block] = sums.T
        del exponents  # before the next are made
    return k


def effective_tensor(points: Tensor, known: ByClass, bandwidth: float) -> Tensor:
    """Return `effective_counts` at points (n_points, n_features) of instances ordered by class."""
    torch = torch_of(points)
    k = points.new_empty(len(points), len(known.lengths))
    for block, exponents, _ in Exponents(known.X, bandwidth).blocks(points):
        _, sums, squares = similar_sums(known, exponents)
        each = torch.where(squares > 0.0, sums.sum(0) / squares, 0.0)
        k[block] = sums.mul_(each).T
        del exponents  # before the next are made
    return k
