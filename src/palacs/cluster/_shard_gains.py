"""PAL-ACS over instances on a cluster: sums over each part around points that all know."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from distributed import Future

from palacs.checks import Codes, Features
from palacs.cluster._shard_noise import Draws, ShardedNoise, draw, sharded_noise
from palacs.cluster._shards import Part, Shards
from palacs.compiled import compiled
from palacs.evidence import SPLITS, LabelledSet
from palacs.gain import gain_rows
from palacs.kernel import frequencies, pick_parents, pick_pending_parents, squared_distances
from palacs.strategies import PALACS, Utilities
from palacs.stream import PENDING, PSEUDO, Stream


class _Around(NamedTuple):
    """What a part knows around points: the least squared distance, Σ s, Σ s², Σ s by class."""

    nearest: Features
    total: Features
    squares: Features
    k: Features


def sharded_gains(
    strategy: PALACS, shards: Shards, labelled: LabelledSet, stream: Stream
) -> Utilities:
    """Return what `PALACS.utilities` returns of all instances together, shape (n_classes,)."""
    n_classes = labelled.n_classes
    noise: ShardedNoise | float
    if strategy.bandwidth == "auto":
        noise = sharded_noise(shards, labelled.y, n_classes)
        bandwidth, n_blocks = noise.noise.bandwidth, noise.n_blocks
    else:
        bandwidth = noise = float(strategy.bandwidth)
        n_blocks = 1 + (shards.n_features + 3) // 4
    shards, y = _with_pending(shards, labelled, noise, n_blocks, stream)
    drawn = pick_parents(y, n_classes, int(strategy.n_pseudo), n_blocks, stream)
    parents, origins, blocks = drawn
    draws = Draws(parents, blocks, stream, PSEUDO)
    look = (bandwidth, n_classes, strategy.bandwidth == "auto")

    def asked() -> Iterator[Future]:
        for rows in shards.blocks(len(parents), n_classes):
            points = draw(shards, draws.some(rows), noise)
            around = shards.each(_look_around, points, look)
            yield shards.submit(_gained, around, origins[rows], bandwidth, int(strategy.max_labels))

    worth, totals, own, n_drawn = (sum(each) for each in zip(*shards.in_turn(asked()), strict=True))
    # As in `weighted_sums`: draws share a class's density, equally where nothing of it is near.
    near = totals > 0.0
    shared = np.where(near, worth / np.where(near, totals, 1.0), own / np.maximum(n_drawn, 1.0))
    utilities: Utilities = shared / len(parents)
    return utilities


def _with_pending(
    shards: Shards,
    labelled: LabelledSet,
    noise: ShardedNoise | float,
    n_blocks: int,
    stream: Stream,
) -> tuple[Shards, Codes]:
    """Return the labelled set with a pseudo-instance for everything that is pending."""
    known = labelled.pending[labelled.counts[labelled.pending] > 0]
    if len(known) == 0:
        return shards, labelled.y
    parents, blocks = pick_pending_parents(labelled.y, known, n_blocks, stream)
    drawn = draw(shards, Draws(parents, blocks, stream, PENDING), noise)
    part = shards.submit(_imagined, drawn, known)
    return shards.and_part(part, len(known)), np.concatenate([labelled.y, known])


def _imagined(X: Features, y: Codes) -> Part:
    return Part(X, y, np.zeros((len(y), SPLITS), dtype=np.bool_))


def _look_around(part: Part, points: Features, look: tuple[float, int, bool]) -> _Around:
    bandwidth, n_classes, relative = look
    if not relative:
        k = frequencies(points, part.X, part.y, n_classes, bandwidth)
        nothing = np.zeros(len(points))
        return _Around(nothing, nothing, nothing, k)
    squared = squared_distances(points, part.X, bandwidth)
    total, squares = np.zeros((2, len(points)))
    k = np.zeros((len(points), n_classes))
    around = _Around(squared.min(axis=1), total, squares, k)
    _add_relative(squared, part.y, bandwidth, around)
    return around


@compiled
def _add_relative(squared: Features, y: Codes, bandwidth: float, around: _Around) -> None:
    """Add similarities relative to the nearest instance of the part, as `effective_counts` does."""
    scale = -0.5 / bandwidth**2
    for i in range(squared.shape[0]):
        for j in range(y.shape[0]):
            similarity = np.exp(scale * (squared[i, j] - around.nearest[i]))
            around.total[i] += similarity
            around.squares[i] += similarity * similarity
            around.k[i, y[j]] += similarity


def _gained(
    parts: list[_Around], origins: Codes, bandwidth: float, max_labels: int
) -> tuple[Features, Features, Features, Features]:
    """Return, by class, Σ gain · k, Σ k, and the gains and numbers of its own draws."""
    k = _merged_counts(parts, bandwidth)
    gains = gain_rows(k, max_labels, 1.0)
    n_classes = k.shape[1]
    own: Features = np.zeros(n_classes)
    np.add.at(own, origins, gains)
    drawn = np.bincount(origins, minlength=n_classes).astype(np.float64)
    return gains @ k, k.sum(axis=0), own, drawn


def _merged_counts(parts: list[_Around], bandwidth: float) -> Features:
    """Return the frequencies around points from those of the parts, (n_points, n_classes)."""
    if not parts[0].total.any():
        k: Features = np.sum([part.k for part in parts], axis=0)
        return k
    nearest = np.min([part.nearest for part in parts], axis=0)
    total, squares, k = np.zeros(len(nearest)), np.zeros(len(nearest)), np.zeros_like(parts[0].k)
    for part in parts:
        # In units of the nearest of all; a part that is far away counts for nothing.
        factor = np.exp(-0.5 / bandwidth**2 * (part.nearest - nearest))
        total += factor * part.total
        squares += factor**2 * part.squares
        k += factor[:, None] * part.k
    return k * (total / squares)[:, None]
