"""Left-out decisions on tensors, where they lie: what `palacs.evidence.tally` adds up.

Instances are ordered by class and, within a class, by the halves they are in, so that one sum over
each part gives the sums of classes and halves. What concerns an instance's own class is looked at
apart, for there it is left out itself, and the one beside it with it.
"""

from __future__ import annotations

from collections.abc import Iterator
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
    TAKEN,
    ClassEvidence,
    Halves,
)
from palacs.kernel import ENOUGH

# Sums of so many classes, halves and instances are decided on together.
_TOGETHER = 2**26


class _Side(NamedTuple):
    """One of the four halves: its parts of a class, its size in each (n_classes,), who is in it."""

    parts: tuple[int, int]
    sizes: Tensor
    members: Tensor


class _LeftOut(NamedTuple):
    """What left-out instances (n_rows,) see: of their own class apart, and of the others.

    Their code and place, the one beside each or -1, the similarities (n_own, n_rows) to others of
    the class and when those were acquired; sums over the four parts of the others (4 C, n_rows).
    """

    code: Tensor
    row: Tensor
    beside: Tensor
    similarity: Tensor
    acquired: Tensor
    sums: Tensor


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
    torch = torch_of(X)
    bandwidth, prior = model
    part = 2 * known.half[:, 0].astype(np.int64) + known.half[:, 1]
    ordered = by_class(X, known.y, len(known.counts), part)
    window = _Window(ordered, known, prior)
    lost = like(np.zeros((len(known.counts), 2 * SPLITS)), X, keep=True)
    decided = [window.decide(seen, lost) for seen in window.left_out(X, rows, bandwidth)]
    right, rival, own_lost = (on_host(torch.cat(each)) for each in zip(*decided, strict=True))
    return _added_up(known, rows, (right, rival, own_lost), on_host(lost))


def _added_up(
    known: Halves, rows: Codes, decided: tuple[Features, Codes, Features], lost: Features
) -> ClassEvidence:
    right, rival, own_lost = decided
    own, n_classes = known.y[rows], len(known.counts)
    mistaken = 1.0 - right
    taken = (rival >= 0) & (right < TAKEN)
    pairs = (own * n_classes + rival)[taken]
    confused = np.bincount(pairs, mistaken[taken], minlength=n_classes**2)
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
        self.prior = like(prior, X, keep=True)
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

    def left_out(self, X: Tensor, rows: Codes, bandwidth: float) -> Iterator[_LeftOut]:
        """Yield what the instances ``rows`` of X see, as many together as may be decided on."""
        together = max(1, _TOGETHER // len(self.ordered.lengths))
        seen: list[_LeftOut] = []
        for block, exponents, _ in Exponents(self.ordered.X, bandwidth).blocks(X, rows):
            seen.append(self._look(rows[block], exponents))
            del exponents  # before the next are made
            if block.stop == len(rows) or sum(len(one.row) for one in seen) >= together:
                yield _LeftOut(*(self.torch.cat(each, dim=-1) for each in zip(*seen, strict=True)))
                seen = []

    def _look(self, rows: Codes, exponents: Tensor) -> _LeftOut:
        """Return what is seen in exponents (n, n_rows), which are overwritten."""
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
        near = similar_sums(self.ordered, exponents, own.amax(dim=0), NEGLIGIBLE)
        torch.threshold_(own.sub_(near.nearest), -NEGLIGIBLE, -torch.inf).exp_()
        return _LeftOut(code, row, beside, own, acquired, near.sums)

    def decide(self, seen: _LeftOut, lost: Tensor) -> _Decided:
        """Decide on left-out instances; what others' halves change adds to ``lost`` (n_classes, 4).

        A class of which nothing is near changes nothing, nor does the own among the others.
        """
        torch = self.torch
        # What is left of one, where a decision is all but sure, takes float64's digits.
        sums = seen.sums.double().view(len(self.counts), 4, -1)
        scores = self._weighed(sums.sum(1), self.counts)
        first, rival = scores.max(dim=0)
        second = scores.scatter_(0, rival[None], 0.0).amax(dim=0)
        strongest = first.repeat(len(scores), 1)
        strongest.scatter_(0, rival[None], second[None])
        score = self._own_score(seen, None)
        right = _soft(score, first)
        weight = 1.0 / self.counts[seen.code].clamp(max=LEFT_OUT).double()
        own_lost = []
        for h, side in enumerate(self.sides):
            part = self._weighed(sums[:, side.parts[0]] + sums[:, side.parts[1]], side.sizes)
            change = right - _soft(score, torch.maximum(part, strongest))
            lost[:, h] += change @ weight
            own_lost.append(right - _soft(self._own_score(seen, side), first))
        nothing = seen.similarity.sum(0) == 0.0
        changes = torch.stack(own_lost, dim=1).masked_fill_(nothing[:, None], 0.0)
        return _Decided(right, torch.where(first > 0.0, rival, -1), changes)

    def _own_score(self, seen: _LeftOut, side: _Side | None) -> Tensor:
        """Return the score of the own class without those left out, (n_rows,); of a half of it."""
        there = seen.beside >= 0
        if side is None:
            sizes = self.counts[seen.code] - 1 - there.long()
            part = seen.similarity
        else:
            sizes = side.sizes[seen.code] - side.members[seen.row].long()
            sizes = sizes - (there & side.members[seen.beside.clamp(min=0)]).long()
            part = seen.similarity * side.members[seen.acquired]
        k = part.sum(0, dtype=self.torch.float64)
        return k * self.torch.where(sizes > 0, self.prior[seen.code] / sizes, 0.0)

    def _weighed(self, k: Tensor, sizes: Tensor) -> Tensor:
        """Return the scores (n_classes, n_rows) of classes with so many instances."""
        return k * self.torch.where(sizes > 0, self.prior / sizes, 0.0)[:, None]


def _soft(own: Tensor, rival: Tensor) -> Tensor:
    """Return how surely a decision is right, a half for nothing."""
    return torch_of(own).nan_to_num_(own / (own + rival), nan=0.5)
