"""Where PAL-ACS looks when instances are a tensor: drawn, and looked at, where that lies.

What `palacs.strategies._points` is for arrays.
"""

from __future__ import annotations

import numpy as np

from palacs.arrays import Tensor, by_class, on_host, torch_of
from palacs.checks import Bandwidth, Codes, Features
from palacs.evidence import LabelledSet
from palacs.kernel import (
    draw_pending_tensors,
    draw_tensors,
    effective_tensor,
    fitting_noise_tensor,
    fitting_reach_tensor,
    frequencies_tensor,
    noise_in_all_directions,
    warn_if_vanished,
)
from palacs.strategies._pick import Utilities
from palacs.strategies._points import known_pending
from palacs.stream import Stream


def look_at_tensor(
    labelled: LabelledSet, n_pseudo: int, bandwidth: Bandwidth, stream: Stream
) -> tuple[Tensor, Codes, Tensor]:
    """Return pseudo-instances, their classes and what is known there (n_points, n_classes)."""
    X, y, n_classes = labelled.X, labelled.y, labelled.n_classes
    # Far from the origin float32 has no digits left for a step; nothing depends on the origin.
    centre = X.mean(0) if X.dtype == torch_of(X).float32 else torch_of(X).zeros_like(X[0])
    X = X - centre
    known = by_class(X, y, n_classes)
    if bandwidth == "auto":
        noise = fitting_noise_tensor(known, fitting_reach_tensor(X, y, known))
    else:
        noise = noise_in_all_directions(float(bandwidth), X.shape[1])
    pending = known_pending(labelled)
    if len(pending):
        drawn = draw_pending_tensors(known, pending, noise, stream)
        X, y = torch_of(X).cat([X, drawn]), np.concatenate([y, pending])
        known = by_class(X, y, n_classes)
    points, origins = draw_tensors(known, int(n_pseudo), noise, stream)
    if bandwidth == "auto":
        return points + centre, origins, effective_tensor(points, known, noise.bandwidth)
    k = frequencies_tensor(points, known, noise.bandwidth, wide=True)
    if ((k > 0.0).sum(1) > 1).double().mean() <= 0.5:
        warn_if_vanished(on_host(k), on_host(X[-500:]).astype(np.float64), noise.bandwidth)
    return points + centre, origins, k


def weighted_sums_tensor(k: Tensor, gains: Tensor, origins: Codes) -> Utilities:
    """Sum the gains for each class as `weighted_sums` does, shape (n_classes,), on the host."""
    torch = torch_of(k)
    totals = on_host(k.sum(0, dtype=torch.float64))
    summed: Features = on_host((k * gains[:, None]).sum(0, dtype=torch.float64))
    own = np.bincount(origins, on_host(gains), minlength=len(totals))
    draws = np.bincount(origins, minlength=len(totals))
    # A class too far from its own pseudo-instances for floating point shares equally.
    apart = own / np.maximum(draws, 1)
    shares = np.divide(summed, totals, out=apart, where=totals > 0.0)
    utilities: Utilities = shares / len(k)
    return utilities
