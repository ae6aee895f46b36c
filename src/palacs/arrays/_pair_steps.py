"""What `_pair_kernels` does, in torch's steps: one pair of classes after the other.

The kernels are held against it, and whatever is kept between decisions is tested with it, on any
machine. Of a thousand classes it takes a thousand times as long.
"""

from __future__ import annotations

from palacs.arrays._class_cells import Cells, Codes, Split, Wide
from palacs.arrays._tensors import Tensor, torch_of


def moved(cells: Cells, X: Tensor, rows: Tensor) -> Tensor:
    """Return which classes (n_classes,) hold other instances than rows (n_classes * most,) of X."""
    n_classes = len(cells.counts)
    other = (X[rows] != cells.X[: len(rows)]).any(1).view(n_classes, -1)
    # What empty cells hold is not looked at.
    filled = torch_of(X).arange(cells.most, device=X.device) < cells.counts[:, None]
    return (other & filled).any(1)


def put(cells: Cells, X: Tensor, rows: Tensor, classes: Codes) -> None:
    """Put rows (n_classes * most,) of X into the cells of some classes."""
    for c in classes:
        here = _rows(c, cells.most)
        cells.X[here] = X[rows[here]]


def fill_split(cells: Cells, split: Split, classes: Codes) -> None:
    """Do nothing: differences take no products."""


def fill_pairs(
    cells: Cells, split: Split, classes: Codes, row_classes: Codes, sums: Tensor
) -> None:
    """Fill `Around.sums` of the rows of some classes and some classes."""
    for a in row_classes:
        rows = _rows(a, cells.most_left_out)
        queries = cells.X[cells.slots[rows]]
        for c in classes:
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


def fill_own(cells: Cells, split: Split, classes: Codes, own: Tensor) -> None:
    """Fill `Around.own` of some classes."""
    for c in classes:
        queries = cells.X[cells.slots[_rows(c, cells.most_left_out)]]
        own[c] = _exponents(_instances(cells, c), queries, split.scale).T


def fill_wide(cells: Cells, wide: Wide, classes: Codes, row_classes: Codes, scales: Tensor) -> None:
    """Fill `Wide.logs` of the rows of some classes and some classes, for scales (n_scales,)."""
    torch = torch_of(cells.X)
    for a in row_classes:
        rows = _rows(a // wide.every, wide.each)
        slots = wide.slots[rows]
        for c in classes:
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


def fill_nearest(cells: Cells, wide: Wide, row_classes: Codes) -> None:
    """Fill `Wide.nearest` of the rows of some classes."""
    torch = torch_of(cells.X)
    for a in row_classes:
        rows = _rows(a // wide.every, wide.each)
        size, slots = int(cells.counts[a]), wide.slots[rows]
        squared = _squared(_instances(cells, a)[:size].double(), cells.X[slots].double())
        cell = torch.arange(a * cells.most, a * cells.most + size, device=slots.device)
        other = (squared > 0.0) & (cell[:, None] != slots)
        infinite = squared.new_full((1, len(slots)), torch.inf)
        elsewhere = torch.cat([torch.where(other, squared, torch.inf), infinite])
        wide.nearest[rows, 0] = elsewhere.amin(0)
        wide.nearest[rows, 1] = (~other).sum(0).double()


def _rows(a: int, each: int) -> slice:
    return slice(a * each, (a + 1) * each)


def _instances(cells: Cells, c: int) -> Tensor:
    return cells.X[c * cells.most : (c + 1) * cells.most]


def _exponents(X: Tensor, queries: Tensor, scale: float) -> Tensor:
    return _squared(X, queries).mul_(-0.5 * scale)


def _squared(X: Tensor, queries: Tensor) -> Tensor:
    mode = "donot_use_mm_for_euclid_dist"
    return torch_of(X).cdist(X, queries, compute_mode=mode).square_()
