"""Pseudo-instances of instances on a cluster: each part adds what it has to every one of them.

The rules and the random numbers are those of `palacs.kernel`, whichever worker draws them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from distributed import Future

from palacs.checks import Codes, Features
from palacs.cluster._shard_fit import sharded_reach
from palacs.cluster._shards import Part, Shards
from palacs.compiled import compiled
from palacs.kernel import (
    LOOP_FEATURES,
    MIXED,
    MOST_COMPARED,
    NO_DISTANCE,
    STEPS,
    Noise,
    add_in_all_directions,
    add_noise,
    add_terms,
    bandwidth_of,
    effective_dimensions,
    factor_of,
    noise_blocks,
    pulled_middles,
    unit_directions,
)
from palacs.stream import Stream


class ShardedNoise(NamedTuple):
    """How instances lie around each other, as `palacs.kernel.fitting_noise` finds it.

    Attributes
    ----------
    noise : Noise
        With ``picked``, its directions lie on the workers.
    units : list of Future
        The directions of each part.
    firsts : ndarray of shape (n_parts + 1,)
        How many directions there are before each part, and in all.
    """

    noise: Noise
    units: list[Future]
    firsts: Codes

    @property
    def n_blocks(self) -> int:
        """How many Philox blocks a pseudo-instance takes."""
        return 1 + int(noise_blocks(self.noise))


class Draws(NamedTuple):
    """What to draw: around which rows, with which blocks of which purpose of a stream."""

    parents: Codes
    blocks: Codes
    stream: Stream
    purpose: np.uint64

    def some(self, rows: slice) -> Draws:
        """Return some of them."""
        return self._replace(parents=self.parents[rows], blocks=self.blocks[rows])


def sharded_noise(shards: Shards, y: Codes, n_classes: int) -> ShardedNoise:
    """Return noise that fits all instances."""
    reach = sharded_reach(shards, y)
    units, firsts = _directions(shards, np.bincount(y, minlength=n_classes))
    if firsts[-1] == 0:
        parts = shards.each(_of_one_class)
        alike = Shards(shards.client, parts, np.diff(shards.starts).tolist(), shards.n_features)
        units, firsts = _directions(alike, np.array([len(y)]))
    n_units, length = int(firsts[-1]), float(np.sqrt(reach))
    bandwidth = NO_DISTANCE
    if reach > 0.0:
        step = (n_units - 1) // MOST_COMPARED + 1
        chosen = shards.results(
            [
                shards.submit(_every, unit, -int(first) % step, step)
                for unit, first in zip(units, firsts, strict=False)
            ]
        )
        bandwidth = float(bandwidth_of(reach, effective_dimensions(np.concatenate(chosen))))
    if shards.n_features > LOOP_FEATURES:
        nowhere = np.zeros((0, shards.n_features))
        n_terms = MIXED if n_units else 0
        picked = Noise(bandwidth, nowhere, n_terms, length / float(np.sqrt(float(MIXED))), True)
        return ShardedNoise(picked, units, firsts)
    products = shards.results([shards.submit(_products, unit) for unit in units])
    factor = factor_of(np.sum(products, axis=0) / max(n_units, 1))
    return ShardedNoise(Noise(bandwidth, factor, len(factor), length, False), units, firsts)


def _directions(shards: Shards, counts: Codes) -> tuple[list[Future], Codes]:
    """Have the directions from the middles of the classes found, and count them by part."""
    middles = shards.submit(np.zeros, (len(counts), shards.n_features))
    for step in range(STEPS + 1):
        middles = shards.submit(_merged, middles, shards.each(_pulled, middles, step == 0))
    units = shards.each(_units, counts.astype(np.float64), middles)
    sizes = shards.results([shards.submit(len, unit) for unit in units])
    return units, np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])


def _of_one_class(part: Part) -> Part:
    return part._replace(y=np.zeros_like(part.y))


def _pulled(part: Part, middles: Features, equally: bool) -> tuple[Codes, Features, Features]:
    moved, weights = pulled_middles(part.X, part.y, middles, equally)
    pulled = np.flatnonzero(weights > 0.0)
    return pulled, moved[pulled], weights[pulled]


def _merged(middles: Features, pulls: list[tuple[Codes, Features, Features]]) -> Features:
    merged, total = middles.copy(), np.zeros(len(middles))
    for codes, moved, weights in pulls:
        total[codes] += weights
        merged[codes] += (moved - merged[codes]) * (weights / total[codes])[:, None]
    return merged


def _units(part: Part, counts: Features, middles: Features) -> Features:
    units: Features = unit_directions(part.X, part.y, counts, middles)
    return units


def _every(units: Features, first: int, step: int) -> Features:
    return units[first::step]


def _products(units: Features) -> Features:
    products: Features = units.T @ units
    return products


def draw(shards: Shards, draws: Draws, noise: ShardedNoise | float) -> Future:
    """Have pseudo-instances (n_drawn, n_features) drawn; a bandwidth is the paper's noise."""
    shape = (len(draws.parents), shards.n_features)
    pieces = []
    for p, (part, places) in enumerate(
        zip(shards.parts, shards.places(draws.parents), strict=True)
    ):
        # A part that was drawn itself has no directions.
        if isinstance(noise, ShardedNoise) and noise.noise.picked and p < len(noise.units):
            there = (int(noise.firsts[p]), int(noise.firsts[-1]))
            own = (noise.units[p], noise.noise, there)
            pieces.append(shards.submit(_parents_and_terms, part, places, shape, *own, draws))
        elif len(places[0]):
            pieces.append(shards.submit(_parents, part, places, shape))
    rest = noise if isinstance(noise, float) else noise.noise
    return shards.submit(_drawn, pieces, rest, draws)


def _parents(part: Part, places: tuple[Codes, Codes], shape: tuple[int, int]) -> Features:
    x = np.zeros(shape)
    among, local = places
    x[among] = part.X[local]
    return x


def _parents_and_terms(
    part: Part,
    places: tuple[Codes, Codes],
    shape: tuple[int, int],
    units: Features,
    noise: Noise,
    there: tuple[int, int],
    draws: Draws,
) -> Features:
    x = _parents(part, places, shape)
    _add_terms_to(x, noise._replace(directions=units), there, draws)
    return x


@compiled
def _add_terms_to(x: Features, noise: Noise, there: tuple[int, int], draws: Draws) -> None:
    for r in range(x.shape[0]):
        add_terms(x[r], noise, there, (draws.stream, draws.purpose), draws.blocks[r])


def _drawn(pieces: list[Features], noise: Noise | float, draws: Draws) -> Features:
    x = pieces[0] + sum(pieces[1:])
    if isinstance(noise, float):
        _add_paper_noise(x, noise, draws)
    elif not noise.picked:
        _add_noise_to(x, noise, draws)
    return x


@compiled
def _add_paper_noise(x: Features, bandwidth: float, draws: Draws) -> None:
    for r in range(x.shape[0]):
        add_in_all_directions(x[r], bandwidth, (draws.stream, draws.purpose), draws.blocks[r])


@compiled
def _add_noise_to(x: Features, noise: Noise, draws: Draws) -> None:
    for r in range(x.shape[0]):
        add_noise(x[r], noise, draws.stream, draws.purpose, draws.blocks[r])
