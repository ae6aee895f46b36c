"""How often instances of a class arrive near a point, and what more of them are worth.

Class selection chooses the class and is surprised by the place: near a point instances of class
y arrive as a Poisson process with a rate per acquisition, and what is known about the rate is a
Gamma distribution. All expectations are finite sums over the negative binomial; nothing is
sampled and nothing is cut off. The derivation is in ``docs/theory.md``.
"""

from __future__ import annotations

from math import lgamma, log

import numpy as np

from palacs.checks import Codes, Features
from palacs.compiled import compiled

BACKGROUNDS = np.array([0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0])
"""How much of one acquisition may be expected near any point before anything is known."""
# Below this a term no longer changes a sum of doubles.
_ROUNDING = 1e-17
# From this shape on 2 to its power is, or soon will be, too large for a sum that starts at 0.
_LARGE_SHAPE = 900.0


@compiled
def fit_background(k: Features, y: Codes, counts: Codes) -> float:
    """Return the background that makes the classes y (n_rows,) of instances left out likeliest.

    ``k`` (n_rows, n_classes) are their leave-one-out effective counts.
    """
    n_rows, n_classes = k.shape
    best, likeliest = -np.inf, BACKGROUNDS[0]
    for g in range(BACKGROUNDS.shape[0]):
        likelihood = 0.0
        for i in range(n_rows):
            total, true = 0.0, 0.0
            for c in range(n_classes):
                left = counts[c] - 1.0 if c == y[i] else counts[c]
                rate = (k[i, c] + BACKGROUNDS[g]) / (left + 1.0)
                total += rate
                if c == y[i]:
                    true = rate
            likelihood += np.log(true / total)
        if likelihood > best:
            best, likeliest = likelihood, BACKGROUNDS[g]
    return float(likeliest)


@compiled
def expected_shortfall(shape: float, exposure: float, level: float) -> float:
    """Return E[(level - rate')+], rate' being the mean rate once the exposure has doubled.

    The rate is Gamma(shape, exposure); j of as many acquisitions again land near with a negative
    binomial probability, and the mean becomes (shape + j) / (2 exposure). Only j below a
    threshold leave it short of the level: a finite sum.
    """
    after = 2.0 * exposure
    threshold = level * after - shape
    if threshold <= 0.0:
        return 0.0
    start, probability = 0.0, np.exp2(-shape)
    if shape > _LARGE_SHAPE:
        # The sum starts where its terms are largest and runs both ways.
        start = min(np.ceil(threshold) - 1.0, np.floor(shape))
        probability = np.exp(
            lgamma(shape + start) - lgamma(shape) - lgamma(start + 1.0) - (shape + start) * log(2.0)
        )
    total = 0.0
    j, falling = start, probability
    while j > 0.0:
        falling *= j / (0.5 * (shape + j - 1.0))
        j -= 1.0
        term = falling * (level - (shape + j) / after)
        total += term
        if term <= _ROUNDING * total:
            break
    j = start
    while j < threshold:
        term = probability * (level - (shape + j) / after)
        total += term
        # Past the mean the terms only fall; those that no longer change the sum can be left.
        if j > shape and term <= _ROUNDING * total:
            break
        probability *= 0.5 * (shape + j) / (j + 1.0)
        j += 1.0
    return total


@compiled
def two_best(rates: Features) -> tuple[int, int]:
    """Return the classes of the highest and the second highest rate."""
    first, second = 0, 1
    if rates[1] > rates[0]:
        first, second = 1, 0
    for c in range(2, rates.shape[0]):
        if rates[c] > rates[first]:
            first, second = c, first
        elif rates[c] > rates[second]:
            second = c
    return first, second


@compiled
def fill_rates(rates: Features, k: Features, background: float, exposures: Features) -> float:
    """Fill the mean rates (n_classes,) at one point; return their sum."""
    total = 0.0
    for c in range(rates.shape[0]):
        rates[c] = (k[c] + background) / exposures[c]
        total += rates[c]
    return total


@compiled
def values_of_doubling(k: Features, background: float, exposures: Features) -> Features:
    """Return what twice the instances of a class are worth at each point, (n_points, n_classes).

    The knowledge gradient ``E[max(rate'_c, rival)] - max(rate_c, rival)``, the rival being the
    best other class, as a share of all rates: expected accuracy gained.
    """
    n_points, n_classes = k.shape
    values = np.empty((n_points, n_classes))
    rates = np.empty(n_classes)
    for i in range(n_points):
        total = fill_rates(rates, k[i], background, exposures)
        first, second = two_best(rates)
        for c in range(n_classes):
            rival = rates[second] if c == first else rates[first]
            value = expected_shortfall(k[i, c] + background, exposures[c], rival)
            if c != first:
                # E[(r' - rival)+] = E[r'] - rival + E[(rival - r')+], and E[r'] = r.
                value = max(value - (rival - rates[c]), 0.0)
            values[i, c] = value / total
    return values
