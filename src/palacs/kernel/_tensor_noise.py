"""Pseudo-instances of tensors, drawn where they lie with the random numbers of `palacs.stream`.

The rules are those of `fitting_noise`, `draw_pseudo_instances` and `draw_along_instances`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from palacs.arrays import LOOP_FEATURES, ByClass, Tensor, draws, like, on_host, torch_of
from palacs.checks import Codes
from palacs.kernel._bandwidth import NO_DISTANCE, bandwidth_of
from palacs.kernel._noise import (
    MIXED,
    MOST_COMPARED,
    STEPS,
    cosine_dimensions,
    factor_of,
    fitting_noise,
)
from palacs.kernel._tensor_fit import lengths_of
from palacs.stream import PENDING, PSEUDO, Stream

# So many blocks of random numbers are drawn at a time.
_BLOCKS = 2**22
# So many instances of few features are looked at by the compiled rule, wherever they lie.
_FEW = 4_000


class TensorNoise(NamedTuple):
    """What `Noise` is for arrays.

    Attributes
    ----------
    bandwidth : float
        Of the kernel.
    directions : tensor of shape (n_directions, n_features) or None
        None is the paper's: the noise goes in every direction.
    places : tensor of shape (n_picked,) or None
        Which directions are drawn from, with replacement, in the order of acquisition; None
        takes all.
    n_terms : int
        How many directions, each times a standard normal, make up a step.
    scale : float
        Of the sum.
    """

    bandwidth: float
    directions: Tensor | None
    places: Tensor | None
    n_terms: int
    scale: float


def noise_in_all_directions(bandwidth: float, n_features: int) -> TensorNoise:
    """Return the paper's noise: that of the kernel."""
    return TensorNoise(bandwidth, None, None, n_features, bandwidth)


def fitting_noise_tensor(known: ByClass, reach: float) -> TensorNoise:
    """Return noise as long as ``reach`` along the instances, as `fitting_noise` does for arrays."""
    torch = torch_of(known.X)
    # Directions are counted in the order of acquisition.
    order = torch.argsort(known.order)
    few = known.X.shape[1] <= LOOP_FEATURES
    if few and (len(known.X) <= _FEW or not known.X.is_cuda):
        # A factor of few directions magnifies rounding: it takes the very same numbers.
        X, y = (on_host(each[order]) for each in (known.X, known.y))
        noise = fitting_noise(X.astype(np.float64), y, len(known.lengths), reach)
        directions = like(noise.directions, known.X)
        return TensorNoise(noise.bandwidth, directions, None, noise.n_terms, noise.scale)
    units, usable = _unit_deviations(known)
    if not usable.any():
        units, usable = _unit_deviations(
            known._replace(
                y=torch.zeros_like(known.y),
                lengths=known.lengths.sum()[None],
                starts=known.starts[:1],
            )
        )
    places = order[usable[order]]
    step = (len(places) - 1) // MOST_COMPARED + 1
    bandwidth = NO_DISTANCE
    if reach > 0.0:
        bandwidth = float(bandwidth_of(reach, _dimensions(units[places[::step]])))
    length = float(np.sqrt(reach))
    if not few:
        n_terms = MIXED if len(places) else 0
        return TensorNoise(bandwidth, units, places, n_terms, length / MIXED**0.5)
    used = units[places].double()
    factor = factor_of(on_host(used.T @ used) / max(len(used), 1))
    return TensorNoise(bandwidth, like(factor, units), None, len(factor), length)


def _dimensions(chosen: Tensor) -> float:
    chosen = chosen.double()
    n, n_features = chosen.shape
    if n < 2:
        return 1.0
    squares = (chosen @ chosen.T).square().sum()
    return float(cosine_dimensions(float(squares), n, n_features))


def _unit_deviations(known: ByClass) -> tuple[Tensor, Tensor]:
    """Return unit vectors (n, n_features) from the middle of the class, and which are any."""
    torch = torch_of(known.X)
    X, y = known.X, known.y
    middles = known.sums(X) / known.lengths.clamp(min=1)[:, None]
    for _ in range(STEPS):
        away = X - middles[y]
        pulls = lengths_of(away)
        pulls = torch.where(pulls > 0.0, 1.0 / pulls, 0.0)
        weights = known.sums(pulls)
        moved = known.sums(away.mul_(pulls[:, None]))
        middles += torch.where((weights > 0.0)[:, None], moved / weights[:, None], 0.0)
    units = X - middles[y]
    largest = units.abs().amax(dim=1)
    # What rounding leaves of equal instances is no direction.
    rounding = 8.0 * torch.finfo(X.dtype).eps * X.abs().amax(dim=1)
    usable = (known.lengths[y] > 1) & (largest > rounding) & torch.isfinite(largest)
    lengths = torch.where(usable, lengths_of(units), 1.0)
    return units.div_(lengths[:, None]), usable


def draw_tensors(
    known: ByClass, n_per_class: int, noise: TensorNoise, stream: Stream
) -> tuple[Tensor, Codes]:
    """Return pseudo-instances (n_drawn, n_features) and the classes (n_drawn,) they come from."""
    counts = on_host(known.lengths)
    present = np.flatnonzero(counts)
    origins = np.repeat(present, n_per_class)
    place = origins * n_per_class + np.tile(np.arange(n_per_class), len(present))
    return _draw(known, origins, (place, PSEUDO), noise, stream), origins


def draw_pending_tensors(
    known: ByClass, pending: Codes, noise: TensorNoise, stream: Stream
) -> Tensor:
    """Draw one pseudo-instance for each pending class, shape (n_pending, n_features)."""
    return _draw(known, pending, (np.arange(len(pending)), PENDING), noise, stream)


def _draw(
    known: ByClass, classes: Codes, numbered: tuple[Codes, Any], noise: TensorNoise, stream: Stream
) -> Tensor:
    """Draw one pseudo-instance of each of the classes; the numbers say which blocks it takes."""
    torch = torch_of(known.X)
    number, purpose = numbered
    n_blocks = (noise.n_terms + 3) // 4
    picks = 0 if noise.places is None else noise.n_terms
    drawn = known.X.new_empty(len(classes), known.X.shape[1])
    # Words of 64 bits, and a dozen of them at work at a time.
    step = max(1, _BLOCKS // (1 + n_blocks + picks))
    for begin in range(0, len(classes), step):
        some = slice(begin, begin + step)
        first = like(number[some], known.X, keep=True) * (1 + n_blocks + picks)
        codes = like(classes[some], known.X, keep=True)
        parent, weights, picked = draws(stream, purpose, first, noise.n_terms, picks)
        within = (parent * known.lengths[codes]).long()
        drawn[some] = known.X[known.starts[codes] + within]
        if noise.n_terms == 0:
            continue
        weights = (weights * noise.scale).to(drawn.dtype)
        if noise.directions is None:
            drawn[some] += weights
        elif noise.places is None:
            drawn[some] += weights @ noise.directions
        else:
            places = noise.places[(picked * len(noise.places)).long()]
            drawn[some] += torch.nn.functional.embedding_bag(
                places, noise.directions, per_sample_weights=weights, mode="sum"
            )
    return drawn
