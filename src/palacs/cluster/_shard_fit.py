"""The bandwidth that fits instances on a cluster: each part says what it knows of a few of them.

The rules are those of `palacs.kernel`; only where a sum or a least distance goes over all
instances, it goes over parts first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from distributed import Future

from palacs.checks import Bandwidth, Codes, Features
from palacs.cluster._shards import Part, Shards
from palacs.compiled import compiled
from palacs.evidence import MANY, latest_of_each
from palacs.kernel import (
    BLOCK,
    HALVINGS,
    MOST_DIMENSIONS,
    NO_DISTANCE,
    add_halvings,
    add_spanned,
    add_votes,
    bandwidth_of,
    best_of_halvings,
    chosen_rows,
    copies_of,
    fitting_bandwidth,
    in_steps,
    nearest_elsewhere,
    robust_mean,
    spanned_dimensions,
    squared_exactly,
    steps_between,
    usual_step,
)


class _Chosen(NamedTuple):
    """The instances that a bandwidth rests on, and what is around them.

    Their rows lie on a worker; classes (n_rows,); squared distances to the nearest of the same
    class and of any at another place (n_rows,), and how many are at the same place (n_rows,).
    """

    rows: Future
    codes: Codes
    within: Features
    anywhere: Features
    copies: Features


def resolve_sharded(
    bandwidth: Bandwidth, shards: Shards, known: tuple[Codes, int], steady_rows: Codes | None
) -> float:
    """Return a bandwidth as a number, as `palacs.kernel.resolve_bandwidth` does.

    ``known`` is (classes of the instances, number of classes). With ``steady_rows`` (n_rows,) it
    rests on these, and comes in steps: that of many instances, as `evidence_of_many` has it.
    """
    y, n_classes = known
    if bandwidth != "auto":
        return float(bandwidth)
    chosen = _look_around(shards, y, chosen_rows(y) if steady_rows is None else steady_rows)
    if steady_rows is None:
        dimensions = _spanned(shards)
    else:
        dimensions = int(spanned_dimensions(shards.result(chosen.rows)))
        if not np.isfinite(chosen.within).any():
            return _without_neighbours(shards, y)
    reach = _reach(chosen, on_a_line=dimensions == 1)
    if reach == 0.0:
        return NO_DISTANCE
    widest = float(bandwidth_of(reach, float(dimensions)))
    widest = widest if steady_rows is None else float(in_steps(widest))
    asked = (chosen.codes, chosen.copies, chosen.anywhere)
    sums = shards.each(_halvings, chosen.rows, chosen.anywhere, widest, n_classes)
    counts = np.bincount(y, minlength=n_classes).astype(np.float64)
    halvings: int = shards.result(shards.submit(_best_halving, sums, counts, asked))
    return float(widest * 0.5**halvings)


def _without_neighbours(shards: Shards, y: Codes) -> float:
    """Return the bandwidth where no class is at two places: the latest of each say."""
    last = latest_of_each(y, int(y.max()) + 1, 1)
    last = last[np.argsort(y[last])][-MANY:]
    return fitting_bandwidth(shards.result(shards.take(last)), np.arange(len(last)))


def sharded_reach(shards: Shards, y: Codes) -> float:
    """Return how far apart neighbours are, as `palacs.kernel.fitting_reach` does."""
    return _reach(_look_around(shards, y, chosen_rows(y)), on_a_line=_spanned(shards) == 1)


def _spanned(shards: Shards) -> int:
    """Count the dimensions that all instances span, as `spanned_dimensions` does."""
    most = min(len(shards) - 1, shards.n_features, MOST_DIMENSIONS)
    if most < 1:
        return 1
    ends = shards.results(shards.each(_steps))
    for (_, last), (steps, rows) in zip(
        [(None, None), *((s, rows[1:]) for s, rows in ends[:-1])], ends, strict=True
    ):
        if last is not None:
            steps[0] = steps_between(np.concatenate([last, rows[:1]]))[1]
    place, usual = usual_step(np.concatenate([steps for steps, _ in ends]))
    origin = shards.result(shards.take(np.array([place])))[0]
    basis, found = np.empty((most, shards.n_features)), 0
    for part in shards.parts:
        if found >= most:
            break
        basis, found = shards.result(
            shards.submit(_more_spanned, part, origin, usual, basis, found)
        )
    return max(found, 1)


def _steps(part: Part) -> tuple[Features, Features]:
    return steps_between(part.X), part.X[[0, -1]]


def _more_spanned(
    part: Part, origin: Features, usual: float, basis: Features, found: int
) -> tuple[Features, int]:
    basis = basis.copy()
    return basis, int(add_spanned(part.X, origin, usual, basis, found))


def _look_around(shards: Shards, y: Codes, rows: Codes) -> _Chosen:
    taken = shards.take(rows)
    seen = shards.results(shards.each(_seen, taken, y[rows]))
    within, anywhere = (np.min([each[i] for each in seen], axis=0) for i in range(2))
    return _Chosen(taken, y[rows], within, anywhere, np.sum([each[2] for each in seen], axis=0))


def _seen(part: Part, rows: Features, codes: Codes) -> Features:
    seen = np.empty((3, len(rows)))
    step = max(1, BLOCK // len(part.y))
    for first in range(0, len(rows), step):
        squared = squared_exactly(rows[first : first + step], part.X)
        _see(squared, part.y, codes[first : first + step], seen[:, first : first + step])
    return seen


@compiled
def _see(squared: Features, y: Codes, codes: Codes, seen: Features) -> None:
    for r in range(codes.shape[0]):
        seen[0, r] = nearest_elsewhere(squared[r], y, codes[r])
        seen[1, r] = nearest_elsewhere(squared[r], y, -1)
        seen[2, r] = copies_of(squared[r], y, codes[r])


def _reach(chosen: _Chosen, *, on_a_line: bool) -> float:
    """Return `reach_from_squared` of what was seen."""
    within = np.sort(chosen.within[np.isfinite(chosen.within)])
    if len(within):
        return 2.0 * float(robust_mean(within, on_a_line))
    anywhere = np.sort(chosen.anywhere[np.isfinite(chosen.anywhere)])
    return 0.5 * float(robust_mean(anywhere, on_a_line)) if len(anywhere) else 0.0


def _halvings(
    part: Part, rows: Features, nearest: Features, bandwidth: float, n_classes: int
) -> Features:
    k = np.zeros((len(rows), 1 + HALVINGS, n_classes))
    step = max(1, BLOCK // len(part.y))
    for first in range(0, len(rows), step):
        block = slice(first, first + step)
        _add_all(k[block], squared_exactly(rows[block], part.X), part.y, nearest[block], bandwidth)
    return k


@compiled
def _add_all(k: Features, squared: Features, y: Codes, nearest: Features, bandwidth: float) -> None:
    for r in range(squared.shape[0]):
        if nearest[r] < np.inf:
            add_halvings(k[r], squared[r], y, nearest[r], bandwidth)


def _best_halving(
    sums: list[Features], counts: Features, asked: tuple[Codes, Features, Features]
) -> int:
    k = sums[0] + sum(sums[1:])
    codes, copies, nearest = asked
    better, disagreed = np.zeros(HALVINGS), np.zeros(HALVINGS)
    for r in np.flatnonzero((counts[codes] > copies) & (nearest < np.inf)):
        add_votes(k[r], counts, (int(codes[r]), float(copies[r])), better, disagreed)
    return int(best_of_halvings(better, disagreed))
