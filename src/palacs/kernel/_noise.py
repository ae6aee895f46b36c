"""Pseudo-instances that lie where instances lie, in any number of dimensions.

The paper adds noise in every direction of its plane. In hundreds of dimensions that leads where no
instance ever is: the expected similarity to the parent is 2^(-d/2). Noise along the differences
within the classes knows distances and angles alone, so that decisions are the same in whatever
space the instances are embedded.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from palacs.arrays import LOOP_FEATURES
from palacs.checks import Codes, Features
from palacs.compiled import compiled
from palacs.kernel._bandwidth import NO_DISTANCE, bandwidth_of
from palacs.kernel._pseudo import pick_parents, pick_pending_parents
from palacs.kernel._similarity import length_of
from palacs.stream import PENDING, PSEUDO, Stream, fill_normal, uniform

# So many directions, drawn anew each time, make up a step where there are many features.
MIXED = 64
# So many directions are compared with each other to count dimensions.
MOST_COMPARED = 500
# So many steps lead from the mean of a class to its middle.
STEPS = 6
_EPSILON = float(np.finfo(np.float64).eps)


class Noise(NamedTuple):
    """How instances of a class lie around each other, as `fitting_noise` finds it.

    Attributes
    ----------
    bandwidth : float
        Of the kernel that says how much an instance tells about a place nearby.
    directions : ndarray of shape (n_directions, n_features)
        All zero, or empty, where all instances share one place.
    n_terms : int
        How many directions, each times a standard normal, make up a step.
    scale : float
        Of the sum.
    picked : bool
        Whether the directions of a step are drawn, with replacement; else it takes all.
    """

    bandwidth: float
    directions: Features
    n_terms: int
    scale: float
    picked: bool


@compiled
def fitting_noise(X: Features, y: Codes, n_classes: int, reach: float) -> Noise:
    """Return noise that is as long as ``reach`` (squared, on average) and along the instances.

    Its covariance is ``reach`` times S, the mean of uu' over the unit vectors u from the middle
    of a class to its instances, so that a pseudo-instance lies where instances lie, whatever space
    they are embedded in. The kernel has that reach in the 1 / tr S² dimensions that S fills:
    where these are all, the noise is the kernel itself. While no class has instances at two
    places, u points away from the middle of all.
    """
    units = _unit_deviations(X, y, n_classes)
    if units.shape[0] == 0:
        units = _unit_deviations(X, np.zeros_like(y), 1)
    bandwidth = NO_DISTANCE
    if reach > 0.0:
        bandwidth = bandwidth_of(reach, effective_dimensions(units))
    length = np.sqrt(reach)
    if X.shape[1] > LOOP_FEATURES:
        n_terms = MIXED if units.shape[0] > 0 else 0
        return Noise(bandwidth, units, n_terms, length / np.sqrt(float(MIXED)), True)
    # Few features: a factor of the covariance needs one term per feature only.
    factor = _factor_rows(units)
    return Noise(bandwidth, factor, factor.shape[0], length, False)


@compiled
def effective_dimensions(units: Features) -> float:
    """Return how many dimensions unit vectors (n, n_features) fill: 1 / tr S², S the mean of uu'.

    tr S² is the mean squared cosine between two vectors. A vector with itself is left out, so
    that the number does not grow with n.
    """
    step = (units.shape[0] - 1) // MOST_COMPARED + 1
    chosen = np.ascontiguousarray(units[::step])
    n, n_features = chosen.shape
    if n < 2:
        return 1.0
    products = chosen.T @ chosen if n_features < n else chosen @ chosen.T
    squares = 0.0
    for a in range(products.shape[0]):
        for b in range(products.shape[1]):
            squares += products[a, b] * products[a, b]
    return float(cosine_dimensions(squares, n, n_features))


@compiled
def cosine_dimensions(squares: float, n: int, n_features: int) -> float:
    """Return `effective_dimensions` from the sum of all n² squared cosines."""
    cosine = (squares - n) / (n * (n - 1.0))
    most = min(float(n), float(n_features))
    return float(1.0 / max(cosine, 1.0 / most))


@compiled
def _unit_deviations(X: Features, y: Codes, n_classes: int) -> Features:
    """Return the directions from the middle of a class to its instances, at most (n, n_features).

    The middle of a class is its mean, and from there a few of Weiszfeld's steps to the place from
    which the sum of distances is least: each takes an outlier's pull down by the number of the
    others.
    """
    counts, middles = np.zeros(n_classes), np.zeros((n_classes, X.shape[1]))
    for i in range(X.shape[0]):
        counts[y[i]] += 1.0
    for step in range(STEPS + 1):
        middles, _ = pulled_middles(X, y, middles, step == 0)
    directions: Features = unit_directions(X, y, counts, middles)
    return directions


@compiled
def pulled_middles(
    X: Features, y: Codes, middles: Features, equally: bool
) -> tuple[Features, Features]:
    """Return where instances pull the middles (n_classes, n_features), and how hard (n_classes,).

    Each pulls with the inverse of its distance, or all ``equally``. What nobody pulls at stays.
    """
    n_classes, n_features = middles.shape
    moved, weights = middles.copy(), np.zeros(n_classes)
    for i in range(X.shape[0]):
        pull = 1.0
        if not equally:
            away = length_of(X[i] - middles[y[i]])
            pull = 1.0 / away if away > 0.0 else 0.0
        if pull > 0.0:
            weights[y[i]] += pull
            share = pull / weights[y[i]]
            for f in range(n_features):
                # A running mean neither overflows nor leaves the values.
                moved[y[i], f] += (X[i, f] - moved[y[i], f]) * share
    return moved, weights


@compiled
def unit_directions(X: Features, y: Codes, counts: Features, middles: Features) -> Features:
    """Return the directions from middles (n_classes, n_features) to instances of their class.

    Unit vectors, at most (n, n_features): neither an outlier nor a class that is spread out
    outweighs the others.
    """
    n, n_features = X.shape
    units = np.empty((n, n_features))
    found = 0
    for i in range(n):
        largest, reach = 0.0, 0.0
        for f in range(n_features):
            units[found, f] = X[i, f] - middles[y[i], f]
            largest = max(largest, abs(units[found, f]))
            reach = max(reach, abs(X[i, f]))
        # What rounding leaves of equal instances is no direction.
        if counts[y[i]] < 2.0 or largest <= 8.0 * _EPSILON * reach or largest == np.inf:
            continue
        squares = 0.0
        for f in range(n_features):
            units[found, f] /= largest
            squares += units[found, f] * units[found, f]
        for f in range(n_features):
            units[found, f] /= np.sqrt(squares)
        found += 1
    # A copy would take as much memory as all instances once more.
    return units if found == n else units[:found].copy()


@compiled
def _factor_rows(units: Features) -> Features:
    """Return rows (n_features, n_features) whose outer products sum to the mean of uu'.

    Cholesky's factor, transposed; directions in which nothing varies stay zero.
    """
    n, n_features = units.shape
    rest = np.zeros((n_features, n_features))
    for i in range(n):
        for f in range(n_features):
            for g in range(n_features):
                rest[f, g] += units[i, f] * units[i, g] / n
    factor: Features = factor_of(rest)
    return factor


@compiled
def factor_of(rest: Features) -> Features:
    """Return the factor of a covariance (n_features, n_features), which is overwritten.

    It has as many rows that are not zero as there are directions: what rounding leaves after the
    last may be larger than rounding, and its root far larger.
    """
    n_features = rest.shape[0]
    rows = np.zeros((n_features, n_features))
    left = _rank(rest.copy())
    for b in range(n_features):
        if left > 0 and rest[b, b] > n_features * _EPSILON:
            _eliminate(rest, b, rows[b], b)
            left -= 1
    return rows


@compiled
def _rank(rest: Features) -> int:
    """Count the directions of a covariance, which is overwritten, the largest first."""
    n_features = rest.shape[0]
    row = np.zeros(n_features)
    for found in range(n_features):
        b = 0
        for f in range(1, n_features):
            if rest[f, f] > rest[b, b]:
                b = f
        if not rest[b, b] > n_features * _EPSILON:
            return found
        _eliminate(rest, b, row, 0)
    return int(n_features)


@compiled
def _eliminate(rest: Features, b: int, row: Features, first: int) -> None:
    """Fill the row of Cholesky's factor for feature b, and take it from the rest, from first on."""
    root = np.sqrt(rest[b, b])
    for f in range(first, rest.shape[0]):
        row[f] = rest[b, f] / root
    for f in range(first, rest.shape[0]):
        for g in range(first, rest.shape[0]):
            rest[f, g] -= row[f] * row[g]


@compiled
def noise_blocks(noise: Noise) -> int:
    """Return how many Philox blocks a step takes."""
    return (noise.n_terms + 3) // 4 + (noise.n_terms if noise.picked else 0)


@compiled
def add_noise(x: Features, noise: Noise, stream: Stream, purpose: np.uint64, block: int) -> None:
    """Take one step of the noise from x (n_features,), in place."""
    add_terms(x, noise, (0, noise.directions.shape[0]), (stream, purpose), block)


@compiled
def add_terms(
    x: Features,
    noise: Noise,
    part: tuple[int, int],
    drawn_from: tuple[Stream, np.uint64],
    block: int,
) -> None:
    """Take those terms of a step from x (n_features,) whose directions are in a part of them.

    ``part`` is (the first direction that is there, how many there are in all); terms of all parts
    make the step. ``drawn_from`` is (stream, purpose).
    """
    first, n_directions = part
    stream, purpose = drawn_from
    weights = np.empty(noise.n_terms)
    block = fill_normal(stream, purpose, block, weights)
    for t in range(noise.n_terms):
        b = t
        if noise.picked:
            b = int(uniform(stream, purpose, block + t) * n_directions)
        b -= first
        if 0 <= b < noise.directions.shape[0]:
            weight = noise.scale * weights[t]
            for f in range(x.shape[0]):
                x[f] += weight * noise.directions[b, f]


@compiled
def draw_along_instances(
    X: Features, y: Codes, n_classes: int, n_per_class: int, noise: Noise, stream: Stream
) -> tuple[Features, Codes]:
    """Return what `draw_pseudo_instances` does, with noise fitted to the instances."""
    parents, y_pseudo, blocks = pick_parents(
        y, n_classes, n_per_class, 1 + noise_blocks(noise), stream
    )
    X_pseudo = X[parents]
    for row in range(parents.shape[0]):
        add_noise(X_pseudo[row], noise, stream, PSEUDO, blocks[row])
    return X_pseudo, y_pseudo


@compiled
def draw_pending_along(
    X: Features, y: Codes, pending: Codes, noise: Noise, stream: Stream
) -> Features:
    """Draw one pseudo-instance for each pending class, shape (n_pending, n_features)."""
    parents, blocks = pick_pending_parents(y, pending, 1 + noise_blocks(noise), stream)
    drawn = X[parents]
    for i in range(pending.shape[0]):
        add_noise(drawn[i], noise, stream, PENDING, blocks[i])
    return drawn
