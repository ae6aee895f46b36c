"""A kernel too narrow for the data: nothing is near anything, and nobody would notice."""

from __future__ import annotations

import inspect
import warnings

import numpy as np

from palacs.checks import Features
from palacs.kernel._similarity import squared_distances

# Beyond so many bandwidths a similarity is 0 in floating point.
_UNDERFLOW = (2.0 * 745.0) ** 0.5


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
    widths = _widths_apart(some, bandwidth)
    if widths < _UNDERFLOW:
        return
    low, width = some.min(axis=0), np.ptp(some, axis=0)
    scaled = (some - low) / np.where(width > 0.0, width, 1.0)
    # Only where it helps: not on scaled features, nor with a bandwidth too narrow for these too.
    helps = _widths_apart(scaled, bandwidth) < _UNDERFLOW
    scale = "; features in different units can be scaled: query(..., scale=True)" if helps else ""
    warnings.warn(
        f"half of the instances are {widths:.3g} or more bandwidths of {bandwidth:g} away from "
        "any other, so that kernel frequencies vanish and the decision rests on chance. Use "
        f'bandwidth="auto"{scale}.',
        VanishingKernelWarning,
        stacklevel=_callers_level(),
    )


def _widths_apart(X: Features, bandwidth: float) -> float:
    """Return how many bandwidths the nearest other place is away, for half of the instances."""
    squared = squared_distances(X, X, bandwidth)
    np.fill_diagonal(squared, 0.0)  # a product of rows leaves a trace there
    nearest = np.where(squared > 0.0, squared, np.inf).min(axis=1)
    nearest = nearest[np.isfinite(nearest)]
    return float(np.sqrt(np.median(nearest)) / bandwidth) if len(nearest) else 0.0


def _callers_level() -> int:
    """Return the stack level, for the caller of this, of the first code outside the package."""
    package = __name__.partition(".")[0]
    level, frame = 0, inspect.currentframe()
    while frame and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        level, frame = level + 1, frame.f_back
    return level
