"""Measure a whole PAL-ACS decision against the same one built from scikit-activeml's functions.

The peer's decision draws pseudo-instances with scikit-learn's KernelDensity, takes kernel
frequencies from scikit-activeml's ParzenWindowClassifier and gains from its cost_reduction.
Run with ``python benchmarks/decision.py``.
"""

from __future__ import annotations

import sys
from math import comb

import numpy as np
import numpy.typing as npt
from rich.console import Console
from skactiveml.classifier import ParzenWindowClassifier
from skactiveml.pool import cost_reduction
from sklearn.neighbors import KernelDensity

from _side_by_side import Measurement, Row, measure, show
from palacs import PALACS

BANDWIDTH, N_PSEUDO, MAX_LABELS = 0.05, 25, 3
# Up to here the peer finishes; it lists all label vectors of all points at once.
MOST_PEER_CLASSES = 10
# What it is asked for where it cannot: one point with this many classes.
PROBE_CLASSES = 24

Array = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]


def labelled_set(n_classes: int, n: int) -> tuple[Array, Codes]:
    """Return n instances in the plane, each class around a centre of its own."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % n_classes
    return rng.normal(rng.random((n_classes, 2))[y], 0.08), y


def ours(X: Array, y: Codes) -> Array:
    strategy = PALACS(N_PSEUDO, MAX_LABELS, BANDWIDTH, random_state=0)
    return strategy.query(X, y, return_utilities=True)[1]


def peer(X: Array, y: Codes) -> Array:
    drawn = [
        KernelDensity(bandwidth=BANDWIDTH).fit(X[y == c]).sample(N_PSEUDO, random_state=int(c))
        for c in np.unique(y)
    ]
    return peer_utilities(np.vstack(drawn), X, y)


def peer_utilities(points: Array, X: Array, y: Codes) -> Array:
    """Fig. 3 of the paper from scikit-activeml's functions, given the pseudo-instances."""
    model = ParzenWindowClassifier(
        classes=np.unique(y), metric="rbf", metric_dict={"gamma": 0.5 / BANDWIDTH**2}
    )
    k: Array = model.fit(X, y).predict_freq(points)
    utilities: Array = (peer_gains(k) / len(points)) @ (k / k.sum(axis=0))
    return utilities


def peer_gains(k: Array) -> Array:
    gains: Array = cost_reduction(k, m_max=MAX_LABELS, prior=1.0)
    return gains


def compare(n_classes: int, n: int, required: float | None = None) -> Row:
    X, y = labelled_set(n_classes, n)
    n_points = N_PSEUDO * n_classes
    work = f"{n_classes} classes, {n} labelled, {n_points:,} points"
    mine = measure(ours, X, y)
    if n_classes <= MOST_PEER_CLASSES:
        return Row(work, mine, measure(peer, X, y, warm=False), required)
    probe = measure(peer_gains, np.ones((1, PROBE_CLASSES)), warm=False)
    growth = n_points * vectors(n_classes) / vectors(PROBE_CLASSES)
    peak = None if probe.peak_bytes is None else probe.peak_bytes * growth
    note = (
        f"not run, it cannot finish. Extrapolated from one point with {PROBE_CLASSES} classes "
        f"({probe.seconds:.2g} s), in proportion to the label vectors it lists; their growing "
        "length is left out, so that this is a lower bound."
    )
    return Row(work, mine, Measurement(probe.seconds * growth, peak), required, note)


def vectors(n_classes: int) -> int:
    """Count what cost_reduction lists per point: label vectors of 0 to M labels, per class."""
    return n_classes * sum(comb(n_classes + m - 1, m) for m in range(MAX_LABELS + 1))


def largest_difference(n_classes: int, n: int) -> float:
    """Compare utilities for the same pseudo-instances: the largest relative difference."""
    X, y = labelled_set(n_classes, n)
    told = PALACS(N_PSEUDO, MAX_LABELS, BANDWIDTH, random_state=0).explain(X, y)
    theirs = peer_utilities(told.pseudo_instances, X, y)
    return float(np.max(np.abs(told.utilities - theirs) / theirs))


def main() -> int:
    rows = [compare(3, 60, required=100), compare(10, 200), compare(100, 2_000)]
    reached = show("One PAL-ACS decision: 25 pseudo-instances per class, M = 3", rows)
    for n_classes, n in ((3, 60), (10, 200)):
        difference = largest_difference(n_classes, n)
        Console(soft_wrap=True).print(
            f"Same pseudo-instances, {n_classes} classes: utilities differ by {difference:.1e} "
            "(relative)."
        )
        assert difference < 1e-8, "the two no longer compute the same"
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
