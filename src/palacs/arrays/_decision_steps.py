"""What `_decision_kernels` does, in torch's steps; the kernels are held against it."""

from __future__ import annotations

from palacs.arrays._class_cells import Around, Cells, Tables, Wide
from palacs.arrays._tensors import Tensor, torch_of
from palacs.ties import TIE

# Which parts of a class are in all of it, and in each of its four halves: parts count in binary.
_HALVES = ((2, 3), (0, 1), (1, 3), (0, 2))
_WITHIN = ((0, 1, 2, 3), *_HALVES)


def decided(cells: Cells, around: Around, tables: Tables) -> Tensor:
    """Return how surely each left-out instance is right, its rival, and what classes lose.

    In a row: (n_rows,), (n_rows,), -1 for nobody, and (n_classes, 4), what all decisions lose
    with a half of a class missing.
    """
    torch = torch_of(cells.X)
    peak, scores = _own(cells, around, tables)
    unit = torch.maximum(around.sums[:, 0].amax(0), peak)
    unit = torch.where(torch.isfinite(unit), unit, 0.0)
    near = (around.sums[:, 0] - unit).exp().double()
    parts = around.sums[:, 1:].double()
    of_all = parts.sum(1) * near * tables.weights[:, :1]
    first, rival = of_all.max(dim=0)
    second = of_all.scatter(0, rival[None], 0.0).amax(dim=0)
    rival = torch.where(first > 0.0, rival, -1)
    own = scores * (peak - unit).exp().double()[:, None]
    mine = _soft(own, first[:, None])
    classes = torch.arange(len(near), device=unit.device)[:, None]
    strongest = torch.where(classes == rival, second, first)
    lost = (mine[:, :1] - mine[:, 1:]) * tables.share[:, None]
    lost = lost.view(len(near), -1, 4).sum(1)
    for h, (one, other) in enumerate(_HALVES):
        score = (parts[:, one] + parts[:, other]) * near * tables.weights[:, 1 + h, None]
        thinned = _soft(own[:, 0], torch.maximum(score, strongest))
        lost[:, h] += ((mine[:, 0] - thinned) * tables.share).sum(1)
    return torch.cat([mine[:, 0], rival.double(), lost.view(-1)])


def _own(cells: Cells, around: Around, tables: Tables) -> tuple[Tensor, Tensor]:
    """Return what left-out instances see of their own class, without themselves and the one beside.

    The largest exponent (n_rows,) and relative to it scores of the class and its halves
    (n_rows, 5).
    """
    torch, exponents = torch_of(cells.X), around.own
    n_classes, most_left_out, most = exponents.shape
    cell = torch.arange(most, device=exponents.device)
    itself = cell == cells.slots.view(n_classes, most_left_out, 1) % most
    gone = (cell >= cells.counts[:, None, None]) | itself
    exponents = exponents.masked_fill(gone, -torch.inf)
    close = exponents.amax(2, keepdim=True)
    # Of several equally near, the one that was acquired first.
    beside = torch.where(exponents == close, cell, most).amin(2, keepdim=True)
    enough = cells.counts[:, None, None] >= tables.enough
    beside = (cell == beside) & enough & (close > -torch.inf)
    exponents.masked_fill_(beside, -torch.inf)
    peak = exponents.amax(2)
    base = torch.where(torch.isfinite(peak), peak, 0.0)
    similar = exponents.sub_(base[:, :, None]).exp_().double()
    part = cells.part[: n_classes * most].view(n_classes, most)
    within = torch.stack([sum(part == p for p in some) for some in _WITHIN], dim=2).double()
    scores, left = similar @ within, tables.sizes[:, None] - (beside | itself).double() @ within
    scores *= torch.where(left > 0.0, tables.prior[:, None, None] / left, 0.0)
    return peak.view(-1), scores.view(-1, 5)


def _soft(own: Tensor, rival: Tensor) -> Tensor:
    """Return how surely a decision is right, a half for nothing."""
    return torch_of(own).nan_to_num_(own / (own + rival), nan=0.5)


def gained(wide: Wide, counts: Tensor, own: Tensor) -> Tensor:
    """Return by how much less each halving of the bandwidth misses each row's class.

    Of shape (n_scales - 1, n_rows); counts (n_classes,) and the rows' own classes (n_rows,). A row
    is left out with its copies.
    """
    torch = torch_of(wide.logs)
    top = wide.logs.amax(dim=1, keepdim=True)
    k = (wide.logs - torch.where(torch.isfinite(top), top, 0.0)).exp_()
    left = counts.double()[:, None].repeat(1, len(own))
    left.scatter_add_(0, own[None], -wide.nearest[None, :, 1])
    scores = k / left.clamp(min=1.0)
    best = scores.amax(1, keepdim=True)
    good = scores >= best - TIE * best.abs()
    hit = good.gather(1, own.expand(len(good), 1, -1))[:, 0]
    missed = torch.where(hit, 1.0 - 1.0 / good.sum(1), 1.0)
    return torch.where(torch.isfinite(top[0]), missed[:1] - missed[1:], 0.0)
