"""What `_pair_kernels` does, in torch's steps: one pair of classes after the other.

The kernels are held against it, and whatever is kept between decisions is tested with it, on any
machine. Of a thousand classes it takes a thousand times as long.
"""

from __future__ import annotations

from palacs.arrays._cells import Around, Cells, Split, Wide
from palacs.arrays._tensors import Tensor, torch_of

# Which parts of a class are in each of its four halves: parts count in binary.
HALVES = ((2, 3), (0, 1), (1, 3), (0, 2))


def fill_split(cells: Cells, split: Split, classes: Tensor) -> None:
    """Do nothing: differences take no products."""


def fill_pairs(
    cells: Cells, split: Split, classes: Tensor, row_classes: Tensor, sums: Tensor
) -> None:
    """Fill `Around.sums` of the rows of some classes and some classes."""
    for a in row_classes.tolist():
        rows = _rows(a, cells.most_left_out)
        queries = cells.X[cells.slots[rows]]
        for c in classes.tolist():
            sums[c, 0, rows], sums[c, 1:, rows] = -float("inf"), 0.0
            size = int(cells.counts[c])
            if a == c or size == 0:
                continue
            exponents = _exponents(_instances(cells, c)[:size], queries, split.scale)
            peak = exponents.amax(0)
            similar = (exponents - peak).exp_()
            part = cells.part[c * cells.most : c * cells.most + size]
            sums[c, 0, rows] = peak
            for p in range(4):
                sums[c, 1 + p, rows] = similar[part == p].sum(0)


def fill_own(cells: Cells, split: Split, classes: Tensor, own: Tensor) -> None:
    """Fill `Around.own` of some classes."""
    for c in classes.tolist():
        queries = cells.X[cells.slots[_rows(c, cells.most_left_out)]]
        own[c] = _exponents(_instances(cells, c), queries, split.scale).T


def fill_wide(
    cells: Cells, wide: Wide, classes: Tensor, row_classes: Tensor, scales: Tensor
) -> None:
    """Fill `Wide.logs` of the rows of some classes and some classes, for scales (n_scales,)."""
    torch = torch_of(cells.X)
    for a in row_classes.tolist():
        rows = _rows(a // wide.every, wide.each)
        slots = wide.slots[rows]
        for c in classes.tolist():
            size, first = int(cells.counts[c]), c * cells.most
            if size == 0:
                wide.logs[:, c, rows] = -float("inf")
                continue
            squared = _squared(_instances(cells, c)[:size].double(), cells.X[slots].double())
            cell = torch.arange(first, first + size, device=slots.device)[:, None]
            squared = torch.where((squared > 0.0) & (cell != slots), squared, torch.inf)
            nearest = squared.amin(0)
            base = torch.where(torch.isfinite(nearest), nearest, 0.0)
            similar = (-scales[:, None, None] * (squared - base)).exp_()
            wide.logs[:, c, rows] = similar.sum(1).log() - scales[:, None] * base


def fill_squared(cells: Cells, wide: Wide, row_classes: Tensor) -> None:
    """Fill `Wide.squared` of the rows of some classes."""
    for a in row_classes.tolist():
        rows = _rows(a // wide.every, wide.each)
        queries = cells.X[wide.slots[rows]].double()
        wide.squared[rows] = _squared(_instances(cells, a).double(), queries).T


def two_best(around: Around, unit: Tensor, weights: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the largest score (n_rows,), the second and whose the first is; -1 for nobody's.

    Scores are sums relative to ``unit`` (n_rows,), times weights (n_classes,).
    """
    torch = torch_of(unit)
    near = (around.sums[:, 0] - unit).exp().double()
    scores = around.sums[:, 1:].double().sum(1) * near * weights[:, None]
    first, rival = scores.max(dim=0)
    second = scores.scatter(0, rival[None], 0.0).amax(dim=0)
    return first, second, torch.where(first > 0.0, rival, -1)


def lost_by_class(
    around: Around, unit: Tensor, weights: Tensor, decided: tuple[Tensor, ...]
) -> Tensor:
    """Return what all rows lose with a half of each class missing, (n_classes, 4).

    Weights are those of the halves (n_classes, 4); ``decided`` is (first, second, rival, own
    score, how surely right, weight), each (n_rows,).
    """
    torch = torch_of(unit)
    first, second, rival, own, right, share = decided
    near = (around.sums[:, 0] - unit).exp().double()
    classes = torch.arange(len(near), device=unit.device)[:, None]
    strongest = torch.where(classes == rival, second, first)
    lost = []
    for h, (one, other) in enumerate(HALVES):
        part = around.sums[:, 1 + one].double() + around.sums[:, 1 + other].double()
        both = own + torch.maximum(part * near * weights[:, h, None], strongest)
        thinned = torch.where(both > 0.0, own / both, 0.5)
        lost.append(((right - thinned) * share).sum(1))
    return torch.stack(lost, dim=1)


def _rows(a: int, each: int) -> slice:
    return slice(a * each, (a + 1) * each)


def _instances(cells: Cells, c: int) -> Tensor:
    return cells.X[c * cells.most : (c + 1) * cells.most]


def _exponents(X: Tensor, queries: Tensor, scale: float) -> Tensor:
    return _squared(X, queries).mul_(-0.5 * scale)


def _squared(X: Tensor, queries: Tensor) -> Tensor:
    mode = "donot_use_mm_for_euclid_dist"
    return torch_of(X).cdist(X, queries, compute_mode=mode).square_()
