"""The CPU's part of `scale.py`: one decision per process, its seconds and its peak of memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from _side_by_side import Measurement, duration, measure
from palacs.strategies import make


def decision(strategy: str, n_classes: int, n: int, n_features: int) -> int:
    """Make one decision over ``n`` instances, each class around a centre of its own."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % n_classes
    X = rng.standard_normal((n, n_features), dtype=np.float32)
    X += 0.7 * rng.standard_normal((n_classes, n_features), dtype=np.float32)[y]
    found: int = make(strategy, random_state=0).query(X, y)[0]
    return found


def report(quick: bool, folder: Path) -> None:
    """Print one line per size."""
    for size in ((10, 1_000, 16),) if quick else ((10, 1_000, 16), (100, 10_000, 64)):
        found: Measurement = measure(decision, "spare-settled", *size)
        print(size, duration(found.seconds), found.peak_bytes)
