"""Left-out decisions on tensors, where they lie: what `palacs.evidence.tally` adds up.

Instances are ordered by class and, within a class, by the halves they are in, so that one sum over
each part gives the sums of classes and halves. What concerns an instance's own class is looked at
apart, for there it is left out itself, and the one beside it with it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from palacs.arrays import (
    ByClass,
    Exponents,
    Tensor,
    by_class,
    like,
    on_host,
    similar_sums,
    torch_of,
)
from palacs.checks import Codes, Features
from palacs.evidence._settled import (
    LEFT_OUT,
    NEGLIGIBLE,
    SPLITS,
    ClassEvidence,
    Halves,
)
from palacs.kernel import ENOUGH


class _Side(NamedTuple):
    """One of the four halves: its parts of a class, its size in each (n_classes,), who is in it."""

    parts: tuple[int, int]
    sizes: Tensor
    members: Tensor


class _Own(NamedTuple):
    """Left-out instances (n_rows,) in their own class: code, place, and the one beside, or -1.

    With the similarities to the others of it (n_own, n_rows), and when those were acquired.
    """

    code: Tensor
    row: Tensor
    beside: Tensor
    similarity: Tensor
    acquired: Tensor


class _Decided(NamedTuple):
    """Decisions on n_rows instances: how surely right, the rival and what a half would change."""

    right: Tensor
    rival: Tensor
    own_lost: Tensor


def evidence_of_tensor(
    X: Tensor, rows: Codes, known: Halves, model: tuple[float, Features]
) -> ClassEvidence:
    """Return what `tally` finds out about the instances ``rows`` (n_rows,) of X (n, n_features).

    ``model`` is (bandwidth, prior) as there.
    """
    bandwidth, prior = model
    part = 2 * known.half[:, 0].astype(np.int64) + known.half[:, 1]
    ordered = by_class(X, known.y, len(known.counts), part)
    window = _Window(ordered, known, prior)
    decided = []
    lost = ordered.X.new_zeros(len(known.counts), 2 * SPLITS)
    for block, exponents, _ in Exponents(ordered.X, bandwidth).blocks(X[like(rows, X, keep=True)]):
        decided.append(window.decide(rows[block], exponents, lost))
    right, rival, own_lost = (
        on_host(torch_of(X).cat([getattr(one, name) for one in decided]).double())
        for name in _Decided._fields
    )
    return _added_up(known, rows, (right, rival.astype(np.int64), own_lost), on_host(lost))


def _added_up(
    known: Halves, rows: Codes, decided: tuple[Features, Codes, Features], lost: Features
) -> ClassEvidence:
    right, rival, own_lost = decided
    own, n_classes = known.y[rows], len(known.counts)
    mistaken = 1.0 - right
    told = rival >= 0
    pairs = (own * n_classes + rival)[told]
    confused = np.bincount(pairs, mistaken[told], minlength=n_classes**2)
    weights = own_lost.T / np.minimum(known.counts[own], LEFT_OUT)
    of_own = [np.bincount(own, each, minlength=n_classes) for each in weights]
    return ClassEvidence(
        np.bincount(own, minlength=n_classes).astype(np.float64),
        np.bincount(own, mistaken, minlength=n_classes).astype(np.float64),
        lost + np.stack(of_own, axis=1),
        confused.astype(np.float64).reshape(n_classes, -1),
    )


class _Window:
    """The Parzen window over instances ordered by class and halves."""

    def __init__(self, ordered: ByClass, known: Halves, prior: Features) -> None:
        X = ordered.X
        self.torch: Any = torch_of(X)
        self.ordered = ordered
        self.y = known.y
        self.counts = like(known.counts, X, keep=True)
        self.starts = ordered.starts[::4]
        self.most = int(known.counts.max())
        self.prior = like(prior, X) if len(prior) else None
        half = like(known.half, X, keep=True)
        in_half = like(known.in_half, X, keep=True)
        self.sides = []
        for split in range(SPLITS):
            # Parts count in binary: which are in the half, and which are not.
            within = (2, 3) if split == 0 else (1, 3)
            without = (0, 1) if split == 0 else (0, 2)
            sizes = in_half[:, split]
            self.sides.append(_Side(within, sizes, half[:, split]))
            self.sides.append(_Side(without, self.counts - sizes, ~half[:, split]))

    def decide(self, rows: Codes, exponents: Tensor, lost: Tensor) -> _Decided:
        """Decide left-out instances ``rows`` from exponents (n, n_rows), which are overwritten.

        What other classes' halves change is added to ``lost`` (n_classes, 4).
        """
        torch = self.torch
        own = self._own(rows, exponents)
        near = similar_sums(self.ordered, exponents, own.similarity.amax(dim=0), NEGLIGIBLE)
        torch.threshold_(own.similarity.sub_(near.nearest), -NEGLIGIBLE, -torch.inf).exp_()
        sums = near.sums.view(len(self.counts), 4, -1)
        k = sums.sum(1)
        scores = self._scores(k, self.counts[:, None], self.prior)
        first, rival = scores.max(dim=0)
        second = scores.scatter(0, rival[None], 0.0).amax(dim=0)
        strongest = first.repeat(len(k), 1).scatter_(0, rival[None], second[None])
        score = self._own_score(own, None)
        right = _soft(score, first)
        weight = 1.0 / self.counts[own.code].clamp(max=LEFT_OUT).to(k.dtype)
        own_lost = []
        for h, side in enumerate(self.sides):
            part = sums[:, side.parts[0]] + sums[:, side.parts[1]]
            thinned = self._scores(part, side.sizes[:, None], self.prior)
            change = right - _soft(score, torch.maximum(thinned, strongest))
            lost[:, h] += torch.where(k > 0.0, change, 0.0) @ weight
            own_lost.append(right - _soft(self._own_score(own, side), first))
        nothing = own.similarity.sum(0) == 0.0
        changes = torch.where(nothing[:, None], 0.0, torch.stack(own_lost, dim=1))
        return _Decided(right, torch.where(first > 0.0, rival, -1), changes)

    def _own(self, rows: Codes, exponents: Tensor) -> _Own:
        """Take what concerns the own class out of exponents (n, n_rows), less those left out.

        Its similarities are still exponents.
        """
        torch = self.torch
        row = like(rows, exponents, keep=True)
        code = like(self.y[rows], exponents, keep=True)
        place = torch.arange(self.most, device=exponents.device)[:, None]
        there = place < self.counts[code]
        places = self.starts[code] + torch.where(there, place, 0)
        acquired = self.ordered.order[places]
        own = exponents.gather(0, places).masked_fill_(~there | (acquired == row), -torch.inf)
        exponents.scatter_(0, places, -torch.inf)
        close = own.amax(dim=0)
        # Of several equally near, the one that was acquired first.
        beside = torch.where(own == close, acquired, len(self.y)).amin(dim=0)
        known = (self.counts[code] >= ENOUGH) & (close > -torch.inf)
        beside = torch.where(known, beside, -1)
        own.masked_fill_(acquired == beside, -torch.inf)
        return _Own(code, row, beside, own, acquired)

    def _own_score(self, own: _Own, side: _Side | None) -> Tensor:
        """Return the score of the own class without those left out, (n_rows,); of a half of it."""
        prior = None if self.prior is None else self.prior[own.code]
        there = own.beside >= 0
        if side is None:
            sizes = self.counts[own.code] - 1 - there.long()
            return self._scores(own.similarity.sum(0), sizes, prior)
        sizes = side.sizes[own.code] - side.members[own.row].long()
        sizes = sizes - (there & side.members[own.beside.clamp(min=0)]).long()
        part = (own.similarity * side.members[own.acquired]).sum(0)
        return self._scores(part, sizes, prior)

    def _scores(self, k: Tensor, sizes: Tensor, prior: Tensor | None) -> Tensor:
        """Return the Parzen window's scores of classes with so many instances."""
        if prior is None:
            return k
        prior = prior if prior.ndim == k.ndim else prior[:, None]
        return self.torch.where(sizes > 0, prior * k / sizes, 0.0)


def _soft(own: Tensor, rival: Tensor) -> Tensor:
    """Return how surely a decision is right, a half for nothing."""
    together = own + rival
    return torch_of(together).where(together > 0.0, own / together, 0.5)
