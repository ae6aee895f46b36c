"""A bandwidth and noise fitted to tensors, where they lie: the rules of `auto_bandwidth`.

Distances between a few hundred instances and all others are compared in float64, as for arrays,
whatever the tensor holds; the few numbers that they come down to are weighed by the compiled rules.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from palacs.arrays import LOOP_FEATURES, ByClass, Tensor, by_class, like, on_host, torch_of
from palacs.checks import Bandwidth, Codes, Features
from palacs.kernel._bandwidth import (
    CLOSE,
    HALVINGS,
    MOST_DIMENSIONS,
    NEGLIGIBLE,
    NO_DISTANCE,
    TINY,
    add_spanned,
    bandwidth_of,
    best_of_halvings,
    chosen_rows,
    robust_mean,
)
from palacs.kernel._class_widths import in_steps
from palacs.ties import TIE

# Numbers of float64 held at a time.
_HELD = {"cuda": 2**26, "cpu": 2**22}
# So many instances are looked at first for the dimensions they span; then eight times as many.
_FIRST_LOOK = 64


def resolve_bandwidth_tensor(
    bandwidth: Bandwidth, X: Tensor, y: Codes, n_classes: int, steady_rows: Codes | None = None
) -> float:
    """Return a bandwidth as a number, as `resolve_bandwidth` does for arrays.

    With ``steady_rows`` (n_rows,) it rests on these, and comes in steps: that of many instances.
    """
    if bandwidth != "auto":
        return float(bandwidth)
    steady = steady_rows is not None
    rows = chosen_rows(y) if steady_rows is None else steady_rows
    dimensions = spanned_tensor(X[like(rows, X, keep=True)] if steady else X)
    compared = _Compared(X, (y, rows), by_class(X, y, n_classes))
    reach = _reach(compared, on_a_line=dimensions == 1)
    if reach == 0.0:
        return NO_DISTANCE
    widest = float(bandwidth_of(reach, float(dimensions)))
    widest = in_steps(widest) if steady else widest
    votes = sum(_halving_votes(*each, compared.known, widest) for each in compared)
    return widest * 0.5 ** best_of_halvings(*on_host(votes))


def fitting_reach_tensor(X: Tensor, y: Codes, known: ByClass) -> float:
    """Return how far apart neighbours are, as `fitting_reach` does for arrays."""
    return _reach(_Compared(X, (y, chosen_rows(y)), known), on_a_line=spanned_tensor(X) == 1)


def spanned_tensor(X: Tensor) -> int:
    """Count the dimensions that X (n, n_features) spans, as `spanned_dimensions` does."""
    n, n_features = X.shape
    most = min(n - 1, n_features, MOST_DIMENSIONS)
    first, usual = _usual_pair(X)
    origin = on_host(X[first]).astype(np.float64)
    basis, found, looked, size = np.empty((max(most, 1), n_features)), 0, 0, _FIRST_LOOK
    while found < most and looked < n:
        rows = on_host(X[looked : looked + size]).astype(np.float64)
        found = add_spanned(rows, origin, usual, basis, found)
        looked, size = looked + size, 8 * size
    return max(found, 1)


def _usual_pair(X: Tensor) -> tuple[int, float]:
    """Return an instance's place and how far instances are usually apart."""
    torch = torch_of(X)
    lengths = X.new_zeros(len(X), dtype=torch.float64)
    for rows in _slices(X, len(X) - 1, X.shape[1]):
        after = X[rows.start + 1 : rows.stop + 1].double()
        lengths[rows.start + 1 : rows.stop + 1] = lengths_of(after - X[rows].double())
    apart = lengths[lengths > 0.0]
    if len(apart) == 0:
        return 0, 0.0
    usual = torch.sort(apart).values[(len(apart) - 1) // 2]
    return int(torch.nonzero(lengths == usual)[0]), float(usual)


def lengths_of(rows: Tensor) -> Tensor:
    """Return the length of each row (n, n_features), also where squares would overflow."""
    torch = torch_of(rows)
    largest = rows.abs().amax(dim=1)
    safe = torch.where((largest > 0.0) & torch.isfinite(largest), largest, 1.0)
    return torch.linalg.vector_norm(rows / safe[:, None], dim=1) * safe


def _slices(X: Tensor, n: int, width: int) -> Iterator[slice]:
    """Yield the rows that may be looked at at a time, each of so many float64 numbers."""
    step = max(1, _HELD["cuda" if X.is_cuda else "cpu"] // max(width, 1))
    for first in range(0, n, step):
        yield slice(first, min(first + step, n))


class _Compared:
    """The instances that a bandwidth rests on, compared with all, as often as wanted.

    Yields the classes (n_some,) of some of them and their squared distances (n, n_some) to all
    instances ordered by class, exact also for close ones.
    """

    def __init__(self, X: Tensor, told: tuple[Codes, Codes], known: ByClass) -> None:
        self.X, self.known = X, known
        y, rows = told
        self.chosen = X[like(rows, X, keep=True)].double()
        self.codes = like(y[rows], X, keep=True)
        self.centre = X.mean(dim=0, dtype=self.chosen.dtype)
        self.blocks = list(_slices(X, len(rows), len(X)))
        self.held: Tensor | None = None

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        for block in self.blocks:
            squared = self._squared(block) if self.held is None else self.held
            # One block is all there is, and is kept.
            self.held = squared if len(self.blocks) == 1 else None
            yield self.codes[block], squared

    def _squared(self, block: slice) -> Tensor:
        chosen, X = self.chosen[block], self.known.X
        squared = chosen.new_empty(len(X), len(chosen))
        for part in _slices(X, len(X), X.shape[1]):
            squared[part] = _squared(X[part].double(), chosen, self.centre)
        return squared


def _squared(X: Tensor, chosen: Tensor, centre: Tensor) -> Tensor:
    torch = torch_of(X)
    if X.shape[1] <= LOOP_FEATURES:
        return torch.cdist(X, chosen, compute_mode="donot_use_mm_for_euclid_dist").square_()
    near, near_chosen = X - centre, chosen - centre
    both = near.square().sum(1)[:, None] + near_chosen.square().sum(1)
    squared = torch.addmm(both, near, near_chosen.T, alpha=-2.0)
    # Also where the product is not a number.
    close = torch.nonzero(~(squared > both * CLOSE))
    for some in _slices(X, len(close), X.shape[1]):
        i, r = close[some].T
        squared[i, r] = (X[i] - chosen[r]).square().sum(1)
    return squared


def _reach(compared: _Compared, *, on_a_line: bool) -> float:
    """Return `reach_from_squared` of what was compared."""
    torch = torch_of(compared.X)
    nearest: list[Features] = []
    for codes, squared in compared:
        elsewhere = torch.where(squared == 0.0, torch.inf, squared)
        other = elsewhere.amin(0)
        elsewhere.masked_fill_(compared.known.y[:, None] != codes, torch.inf)
        nearest.append(on_host(torch.stack([elsewhere.amin(0), other])))
    same, any_class = (np.sort(each[np.isfinite(each)]) for each in np.concatenate(nearest, axis=1))
    if len(same):
        return float(2.0 * robust_mean(same, on_a_line))
    return float(0.5 * robust_mean(any_class, on_a_line)) if len(any_class) else 0.0


def _halving_votes(own: Tensor, squared: Tensor, known: ByClass, bandwidth: float) -> Tensor:
    """Return what `_best_halving` sums over rows: (better, disagreed), each per halving."""
    torch = torch_of(squared)
    n_classes = len(known.lengths)
    counts = known.lengths.double()[:, None].expand(n_classes, len(own)).clone()
    elsewhere = torch.where(squared > 0.0, squared, torch.inf)
    copies = (torch.isinf(elsewhere) & (squared == 0.0) & (known.y[:, None] == own)).sum(0)
    copies = copies.clamp_(min=1).double()
    nearest = elsewhere.amin(0)
    asked = (counts.gather(0, own[None])[0] > copies) & torch.isfinite(nearest)
    counts.scatter_add_(0, own[None], -copies[None])
    exponents = (elsewhere - torch.where(asked, nearest, 0.0)) * (-0.5 / bandwidth**2)
    similarity = torch.where(exponents >= -NEGLIGIBLE, exponents, -torch.inf).exp_()
    first, votes = _misses(known.sums(similarity), counts, own), []
    for _ in range(HALVINGS):
        # Half the bandwidth is the fourth power of the similarity.
        similarity = similarity.square_().square_()
        similarity[similarity < TINY] = 0.0
        gained = first - _misses(known.sums(similarity), counts, own)
        gained = torch.where(asked, gained, 0.0)
        votes.append(torch.stack([(gained / copies).sum(), (gained.square() / copies).sum()]))
    return torch.stack(votes, dim=1)


def _misses(k: Tensor, counts: Tensor, own: Tensor) -> Tensor:
    """Return the probability (n_rows,) that frequencies (n_classes, n_rows) miss the class."""
    torch = torch_of(k)
    scores = k / counts.clamp(min=1.0)
    best = scores.amax(0)
    good = scores >= best - TIE * best.abs()
    hit = good.gather(0, own[None])[0]
    return torch.where(hit, 1.0 - 1.0 / good.sum(0), 1.0)
