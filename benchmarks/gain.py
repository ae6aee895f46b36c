"""Measure `perf_gain` against scikit-activeml's `cost_reduction`: time and memory, side by side.

Also how long the first call waits for compilation on a cold machine, and how long later
processes wait. Run with ``python benchmarks/gain.py``.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

import numpy as np
import numpy.typing as npt
from rich.console import Console
from skactiveml.pool import cost_reduction

from _side_by_side import Row, duration, measure, show
from palacs import perf_gain

FIRST_CALL = """
import time
started = time.perf_counter()
import numpy, sklearn.base, numba
libraries = time.perf_counter()
from palacs import PALACS, perf_gain
imported = time.perf_counter()
perf_gain([[1.0, 2.0, 0.5]])
gained = time.perf_counter()
PALACS(random_state=0).query([[0.0], [0.1], [0.2]], ["a", "b", "c"])
decided = time.perf_counter()
print(libraries - started, imported - libraries, gained - imported, decided - gained)
"""


def ours(k: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return perf_gain(k, max_labels=3, prior=1.0)


def peer(k: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    gains: npt.NDArray[np.float64] = cost_reduction(k, m_max=3, prior=1.0)
    return gains


def compare(n_classes: int, n_points: int, required: float) -> Row:
    k = np.random.default_rng(0).gamma(0.7, 2.0, (n_points, n_classes))
    mine, theirs = measure(ours, k), measure(peer, k, warm=False)
    np.testing.assert_allclose(mine.result, theirs.result, rtol=0, atol=1e-10)
    return Row(f"{n_classes} classes × {n_points} points", mine, theirs, required)


def start_up(cache: str) -> list[float]:
    """Seconds in a new process: libraries, `import palacs`, first gain, first decision."""
    done = subprocess.run(
        [sys.executable, "-c", FIRST_CALL],
        env={**os.environ, "NUMBA_CACHE_DIR": cache},
        capture_output=True,
        text=True,
        check=True,
    )
    return [float(value) for value in done.stdout.split()]


def main() -> int:
    rows = [compare(3, 75, 500), compare(10, 250, 10_000)]
    reached = show("perf_gain, max_labels=3; both agree to 1e-10", rows)
    large = np.random.default_rng(0).random((25_000, 1_000))
    alone = measure(ours, large)
    console = Console(soft_wrap=True)
    console.print(
        f"\n1,000 classes × 25,000 points (200 MB of counts): {duration(alone.seconds)}, "
        f"{(alone.peak_bytes or 0) / 1e6:.0f} MB on top; scikit-activeml would list 168 million "
        "label vectors per point."
    )
    with tempfile.TemporaryDirectory() as cache:
        for state in ("cold (compiles)", "cached"):
            libraries, imported, gain, decision = start_up(cache)
            console.print(
                f"First call, {state}: libraries {duration(libraries)}, import palacs "
                f"{duration(imported)}, perf_gain {duration(gain)}, decision {duration(decision)}."
            )
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
