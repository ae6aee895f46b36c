"""Where strategies look: pseudo-instances of every class, and what is known around them.

A bandwidth given as a number is the paper's rule: noise in every direction, kernel frequencies by
Eq. 1. "auto" is the same in whatever space the instances are embedded: noise along the instances,
and effective counts.
"""

from __future__ import annotations

import numpy as np

from palacs.checks import Bandwidth, Codes, Features
from palacs.compiled import compiled
from palacs.evidence import LabelledSet
from palacs.kernel import (
    Noise,
    draw_along_instances,
    draw_pending,
    draw_pending_along,
    draw_pseudo_instances,
    fitting_noise,
    fitting_reach,
    reach_from_squared,
    spanned_dimensions,
)
from palacs.strategies._compiled_form import AUTO, Acquired, compared
from palacs.stream import Stream


def noise_for(bandwidth: Bandwidth, labelled: LabelledSet) -> Noise | None:
    """Return noise fitted to the labelled set for "auto"; None is the paper's."""
    if bandwidth != "auto":
        return None
    reach = fitting_reach(labelled.X, labelled.y)
    noise: Noise = fitting_noise(labelled.X, labelled.y, labelled.n_classes, reach)
    return noise


def draw_points(
    acquired: tuple[Features, Codes, int],
    n_pseudo: int,
    bandwidth: float,
    noise: Noise | None,
    stream: Stream,
) -> tuple[Features, Codes]:
    """Return pseudo-instances (n_points, n_features) and their classes (n_points,).

    ``acquired`` is (features, codes, number of classes); ``noise`` as `noise_for` returns it.
    """
    X, y, n_classes = acquired
    if noise is None:
        drawn = draw_pseudo_instances(X, y, n_classes, n_pseudo, bandwidth, stream)
    else:
        drawn = draw_along_instances(X, y, n_classes, n_pseudo, noise, stream)
    return drawn


def known_pending(labelled: LabelledSet) -> Codes:
    """Return what is pending, less classes without any instance: no density to draw from."""
    known: Codes = labelled.pending[labelled.counts[labelled.pending] > 0]
    return known


def impute_pending(
    labelled: LabelledSet, bandwidth: float, noise: Noise | None, stream: Stream
) -> tuple[Features, Codes]:
    """Return the labelled set with a pseudo-instance for everything that is pending.

    Where `known_pending` leaves something out, so does this.
    """
    known = known_pending(labelled)
    if len(known) == 0:
        return labelled.X, labelled.y
    if noise is None:
        drawn = draw_pending(labelled.X, labelled.y, known, bandwidth, stream)
    else:
        drawn = draw_pending_along(labelled.X, labelled.y, known, noise, stream)
    together = np.concatenate([labelled.X, drawn.astype(labelled.X.dtype, copy=False)])
    return together, np.concatenate([labelled.y, known])


@compiled
def draw_acquired(
    acquired: Acquired, n: int, n_pseudo: int, bandwidth: float, stream: Stream
) -> tuple[Features, Codes, float]:
    """Return what `draw_points` draws from the first n instances, and the bandwidth in use."""
    X, y, n_classes = acquired.X[:n], acquired.y[:n], acquired.counts.shape[0]
    if bandwidth != AUTO:
        points, origins = draw_pseudo_instances(X, y, n_classes, n_pseudo, bandwidth, stream)
        return points, origins, bandwidth
    squared, rows = compared(acquired, n)
    reach = reach_from_squared(squared, rows, y, spanned_dimensions(X) == 1)
    noise = fitting_noise(X, y, n_classes, reach)
    points, origins = draw_along_instances(X, y, n_classes, n_pseudo, noise, stream)
    return points, origins, noise.bandwidth
