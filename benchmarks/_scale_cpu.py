"""The CPU's part of `scale.py`: how one decision grows, how much memory it takes, what is lost.

Each size runs in a process of its own, on float32 numbers, after a small decision that compiles.
Seconds are those of the processor, all threads together, so that other work on the machine hardly
counts; memory is what the decision adds at its peak. Exponents are fitted to the three largest
sizes.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import numpy.typing as npt

import _scale_campaign
import _scale_screen
from _side_by_side import measure, reset_peak, resident
from palacs.strategies import make

STRATEGIES = {"spare-settled": "Spare settled", "pal-acs": "PAL-ACS"}
# Classes, instances and features; one of them grows at a time.
BASE = (100, 10_000, 64)
GROWING: dict[str, Sequence[int]] = {
    "classes": (10, 50, 200, 1_000, 2_000),
    "instances": (1_000, 5_000, 20_000, 50_000, 100_000),
    "features": (16, 64, 256, 1_024, 4_096),
}
CAMPAIGN = (1_000, 100_000, 768)


def embeddings(
    n_classes: int, n: int, n_features: int
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
    """Return n float32 instances, each class around a centre of its own."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % n_classes
    X = rng.standard_normal((n, n_features), dtype=np.float32)
    centres = np.float32(0.7) * rng.standard_normal((n_classes, n_features), dtype=np.float32)
    for first in range(0, n, 1_000):
        X[first : first + 1_000] += centres[y[first : first + 1_000]]
    return X, y


def decision(strategy: str, n_classes: int, n: int, n_features: int) -> tuple[float, float]:
    """Return processor seconds of one decision, and what it adds to memory at its peak."""
    # Few and many, float64 and float32, are compiled apart.
    small = embeddings(3, 4_200 if n > 4_000 else 300, min(n_features, 32))
    make(strategy, random_state=0).query(*small)
    X, y = embeddings(n_classes, n, n_features)
    base, start = reset_peak() or 0, time.process_time()
    make(strategy, random_state=0).query(X, y)
    return time.process_time() - start, (resident("VmHWM") or 0) - base


def exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """Return b of seconds = a * size ** b over the three largest sizes."""
    return float(np.polyfit(np.log(sizes[-3:]), np.log(seconds[-3:]), 1)[0])


def report(quick: bool, folder: Path) -> None:
    """Print the tables and save the picture."""
    figure, axes = plt.subplots(
        1, len(GROWING), figsize=(9.6, 3.2), sharey=True, layout="constrained"
    )
    for axis, (what, sizes) in zip(axes, GROWING.items(), strict=True):
        shown = sizes[:3] if quick else sizes
        place = list(GROWING).index(what)
        print(f"\n{what} grow from {BASE} = (classes, instances, features)")
        print(f"{'':16}" + "".join(f"{size:>18,}" for size in shown) + "  exponent")
        for name, title in STRATEGIES.items():
            found = []
            for size in shown:
                at = [*BASE]
                at[place] = size
                found.append(measure(decision, name, *at, warm=False).result)
            seconds = [s for s, _ in found]
            grows = exponent(shown, seconds)
            cells = "".join(f"{s:>9.2f} s {b / 1e6:>4.0f} MB" for s, b in found)
            print(f"{title:16}{cells}{grows:>10.2f}", flush=True)
            axis.loglog(shown, seconds, marker="o", label=f"{title}, exponent {grows:.2f}")
        axis.set_xlabel(what)
        axis.legend(frameon=False, fontsize="small")
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("processor seconds of a decision")
    figure.savefig(folder / "scale-cpu.svg")
    _scale_screen.report(quick)
    with tempfile.TemporaryDirectory() as place_of_file:
        sizes = (100, 6_000, 64) if quick else CAMPAIGN
        _scale_campaign.report(Path(place_of_file), *sizes)
