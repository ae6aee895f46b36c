"""A kernel too narrow for the data: nothing is near anything, and nobody would notice."""

from __future__ import annotations

import warnings

import numpy as np

from palacs.checks import Features
from palacs.kernel._similarity import squared_distances

# Beyond so many squared bandwidths a similarity is 0 in floating point.
_UNDERFLOW = 2.0 * 745.0


class VanishingKernelWarning(UserWarning):
    """Most kernel frequencies between different places are 0: the bandwidth does not fit."""


def warn_if_vanished(k: Features, X: Features, bandwidth: float) -> None:
    """Warn where most instances of X (n, n_features) have no other near them.

    ``k`` (n_points, n_classes) are kernel frequencies around them: while several classes count in
    most places, there is no need to look at distances.
    """
    if np.mean((k > 0.0).sum(axis=1) > 1) > 0.5:
        return
    # As many as a decision is quick with.
    some = X[-500:]
    squared = squared_distances(some, some, bandwidth)
    np.fill_diagonal(squared, 0.0)  # a product of rows leaves a trace there
    nearest = np.where(squared > 0.0, squared, np.inf).min(axis=1)
    nearest = nearest[np.isfinite(nearest)]
    if not len(nearest) or np.median(nearest) < _UNDERFLOW * bandwidth**2:
        return
    widths = np.sqrt(np.median(nearest)) / bandwidth
    warnings.warn(
        f"half of the instances are {widths:.3g} or more bandwidths of {bandwidth:g} away from "
        "any other, so that kernel frequencies vanish and the decision rests on chance. Use "
        'bandwidth="auto"; features in different units can be scaled: query(..., scale=True).',
        VanishingKernelWarning,
        stacklevel=6,
    )
