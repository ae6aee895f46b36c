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
from palacs.ties import TIE

# Numbers of float64 held at a time.
_HELD = {"cuda": 2**26, "cpu": 2**22}
# So many instances are looked at first for the dimensions they span; then eight times as many.
_FIRST_LOOK = 64


def resolve_bandwidth_tensor(bandwidth: Bandwidth, X: Tensor, y: Codes, n_classes: int) -> float:
    """Return a bandwidth as a number, as `resolve_bandwidth` does for arrays."""
    if bandwidth != "auto":
        return float(bandwidth)
    dimensions = spanned_tensor(X)
    known, rows = by_class(X, y, n_classes), chosen_rows(y)
    reach = _reach(known, (X, y, rows), on_a_line=dimensions == 1)
    if reach == 0.0:
        return NO_DISTANCE
    widest = float(bandwidth_of(reach, float(dimensions)))
    votes = sum(
        _halving_votes(squared, known, like(y[some], X, keep=True), widest)
        for some, squared in _compared(known, X, rows)
    )
    return widest * 0.5 ** best_of_halvings(*on_host(votes))


def fitting_reach_tensor(X: Tensor, y: Codes, known: ByClass) -> float:
    """Return how far apart neighbours are, as `fitting_reach` does for arrays."""
    return _reach(known, (X, y, chosen_rows(y)), on_a_line=spanned_tensor(X) == 1)


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


def _compared(known: ByClass, X: Tensor, rows: Codes) -> Iterator[tuple[Codes, Tensor]]:
    """Yield some of the rows and their squared distances (n, n_some), exact also for close ones."""
    torch = torch_of(X)
    for block in _slices(X, len(rows), len(X)):
        chosen = X[like(rows[block], X, keep=True)].double()
        squared = X.new_empty(len(X), len(chosen), dtype=torch.float64)
        centre = X.mean(dim=0, dtype=torch.float64)
        for part in _slices(X, len(X), X.shape[1]):
            squared[part] = _squared(known.X[part].double(), chosen, centre)
        yield rows[block], squared


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


def _reach(known: ByClass, looked_at: tuple[Tensor, Codes, Codes], *, on_a_line: bool) -> float:
    """Return `reach_from_squared` for instances X, codes y and chosen rows."""
    X, y, rows = looked_at
    torch = torch_of(X)
    nearest: list[Features] = []
    for some, squared in _compared(known, X, rows):
        squared[squared == 0.0] = torch.inf
        within = known.y[:, None] == like(y[some], X, keep=True)
        both = [torch.where(within, squared, torch.inf).amin(0), squared.amin(0)]
        nearest.append(on_host(torch.stack(both)))
    same, other = (np.sort(each[np.isfinite(each)]) for each in np.concatenate(nearest, axis=1))
    if len(same):
        return float(2.0 * robust_mean(same, on_a_line))
    return float(0.5 * robust_mean(other, on_a_line)) if len(other) else 0.0


def _halving_votes(squared: Tensor, known: ByClass, own: Tensor, bandwidth: float) -> Tensor:
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
