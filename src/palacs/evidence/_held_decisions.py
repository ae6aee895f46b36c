"""Decisions on left-out instances from what they see of each class, in cells of a tensor."""

from __future__ import annotations

import numpy as np

from palacs.arrays import Around, Cells, Tensor, like, on_host, pair_steps, torch_of
from palacs.checks import Codes, Features
from palacs.evidence._settled import SPLITS, ClassEvidence
from palacs.kernel import ENOUGH

# Whether a part of a class is in all of it, and in each of its four halves: they count in binary.
_WITHIN = [[1, p >> 1, 1 - (p >> 1), p & 1, 1 - (p & 1)] for p in range(4)]


class HeldDecisions:
    """Decides on left-out instances; what sizes and prior say is made once.

    Parameters
    ----------
    cells : Cells
    counts, left_out : ndarray of shape (n_classes,)
        Of the cells: this holds as long as these do.
    prior : ndarray of shape (n_classes,) or (0,)
        Corrects for class sizes, or is empty.
    """

    def __init__(self, cells: Cells, counts: Codes, left_out: Codes, prior: Features) -> None:
        torch, X = torch_of(cells.X), cells.X
        n_classes, most, most_left_out = len(counts), cells.most, cells.most_left_out
        self.prior = prior
        self.valid = np.arange(most_left_out) < left_out[:, None]
        share = np.where(self.valid, 1.0 / np.maximum(left_out, 1)[:, None], 0.0)
        self.share = like(share.ravel(), X, keep=True)
        self.sizes = like(_sizes(counts), X, keep=True)
        self.each = like(prior, X, keep=True)[:, None] if len(prior) else None
        weights = self._weights(self.sizes, self.each)
        self.weights = weights[:, 0].contiguous()
        self.half_weights = weights[:, 1:].contiguous()
        self.cell = torch.arange(most, device=X.device)
        self.itself = self.cell == cells.slots.view(n_classes, most_left_out, 1) % most
        self.gone = (self.cell >= cells.counts[:, None, None]) | self.itself
        self.enough = cells.counts[:, None, None] >= ENOUGH
        part = cells.part[: n_classes * most].view(n_classes, most)
        # Empty cells are in part -1, which may be any: nothing is similar to them.
        self.within = like(np.array(_WITHIN, dtype=np.float64), X, keep=True)[part]

    @staticmethod
    def _weights(sizes: Tensor, prior: Tensor | None) -> Tensor:
        """Return what sums over so many instances count."""
        torch = torch_of(sizes)
        if prior is None:
            return torch.ones_like(sizes)
        return torch.where(sizes > 0.0, prior / sizes, 0.0)

    def decide(self, cells: Cells, around: Around) -> ClassEvidence:
        """Return what follows from left-out decisions, as `decide_rows` adds it up."""
        torch, steps = torch_of(cells.X), pair_steps(cells.X)
        similar, peak, without = self._own(around.own)
        unit = torch.maximum(around.sums[:, 0].amax(0), peak)
        unit = torch.where(torch.isfinite(unit), unit, 0.0)
        first, second, rival = steps.two_best(around, unit, self.weights)
        left = self.sizes[:, None] - without.double() @ self.within
        prior = None if self.each is None else self.each[:, None]
        scores = (similar.double() @ self.within) * self._weights(left, prior)
        scores = scores.view(len(unit), -1) * (peak - unit).exp_().double()[:, None]
        score = scores[:, 0].contiguous()
        # Of all of the own class, and of its halves.
        mine = _soft(scores, first[:, None])
        right = mine[:, 0].contiguous()
        decided = (first, second, rival, score, right, self.share)
        lost = steps.lost_by_class(around, unit, self.half_weights, decided)
        of_own = (mine[:, :1] - mine[:, 1:]) * self.share[:, None]
        lost = lost + of_own.view(len(lost), -1, 2 * SPLITS).sum(1)
        return self._added_up(on_host(torch.cat([right, rival.double(), lost.view(-1)])))

    def _own(self, exponents: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return similarities to the own class, in units of the largest, and who is left out."""
        torch = torch_of(exponents)
        exponents = exponents.masked_fill(self.gone, -torch.inf)
        close = exponents.amax(2, keepdim=True)
        # Of several equally near, the one that was acquired first.
        beside = torch.where(exponents == close, self.cell, len(self.cell)).amin(2, keepdim=True)
        beside = (self.cell == beside) & self.enough & (close > -torch.inf)
        exponents.masked_fill_(beside, -torch.inf)
        peak = exponents.amax(2)
        base = torch.where(torch.isfinite(peak), peak, 0.0)
        return exponents.sub_(base[:, :, None]).exp_(), peak.view(-1), beside | self.itself

    def _added_up(self, told: Features) -> ClassEvidence:
        """Return the evidence from (how surely right, rivals, lost) in a row."""
        valid, n_classes, n_rows = self.valid, len(self.valid), self.valid.size
        mistaken = np.where(valid, 1.0 - told[:n_rows].reshape(valid.shape), 0.0)
        rival = told[n_rows : 2 * n_rows].astype(np.int64).reshape(valid.shape)
        counted = valid & (rival >= 0)
        pairs = (np.arange(n_classes)[:, None] * n_classes + rival)[counted]
        confused = np.zeros(n_classes**2)
        np.add.at(confused, pairs, mistaken[counted])
        return ClassEvidence(
            valid.sum(1).astype(np.float64),
            mistaken.sum(1),
            told[2 * n_rows :].reshape(n_classes, -1),
            confused.reshape(n_classes, -1),
        )


def _sizes(counts: Codes) -> Features:
    """Return the sizes of each class and of its halves, (n_classes, 5)."""
    half = counts // 2
    return np.stack([counts, *([half, counts - half] * SPLITS)], axis=1).astype(np.float64)


def _soft(own: Tensor, rival: Tensor) -> Tensor:
    """Return how surely a decision is right, a half for nothing."""
    return torch_of(own).nan_to_num_(own / (own + rival), nan=0.5)
