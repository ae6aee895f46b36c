"""Show that decisions do not depend on the number of features: Spirals in 2 to 4,096 of them.

Spirals is embedded without changing a distance, so that every strategy should request as in the
plane; then it is seen through random ReLU features, as embeddings are. Prints the share of the easy
class, the error against equal counts and the time of a decision.
Run with ``python benchmarks/dimensions.py``.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.progress import track
from rich.table import Table

from palacs.datasets import load
from palacs.evidence import default_model
from palacs.experiments import Split, make_split, normalise, run_trial
from palacs.strategies import Strategy, make

BUDGET, TEST_PER_CLASS = 120, 100
STRATEGIES = ("uniform", "pal-acs", "balanced-gain", "spare-settled")
DIMENSIONS = (2, 16, 64, 256, 1024, 4096)
# Shares of the easy class may differ by this much by chance.
CHANCE = 0.05

Array = npt.NDArray[np.float64]


def embedded(X: Array, d: int, rng: np.random.Generator) -> Array:
    """Return X (n, 2) rotated into d dimensions: all distances stay."""
    basis, _ = np.linalg.qr(rng.standard_normal((d, 2)))
    rotated: Array = X @ basis.T
    return rotated


def through_relu(X: Array, d: int, rng: np.random.Generator) -> Array:
    """Return X (n, 2) through d random ReLU features, scaled to [0, 1]."""
    features = np.maximum((X - 0.5) @ rng.normal(size=(2, d)) * 3 + rng.normal(size=d), 0.0)
    scaled: Array = normalise(features)
    return scaled


def dealt(space: Callable[..., Array], d: int, trial: int) -> Split:
    rng = np.random.default_rng([trial, d])
    dataset = load("Spirals", random_state=trial)
    X = space(normalise(dataset.X), d, rng)
    names = tuple(f"x{f}" for f in range(d))
    return make_split(replace(dataset, X=X, feature_names=names), TEST_PER_CLASS, rng)


def strategy_of(name: str, trial: int) -> Strategy:
    auto = {"bandwidth": "auto"} if name in ("pal-acs", "balanced-gain") else {}
    return make(name, random_state=trial, **auto)


def play(splits: Sequence[Split], name: str) -> tuple[Array, Array, float]:
    """Return shares of the easy class, errors at the end, and milliseconds per decision."""
    shares, errors = [], []
    for trial, split in enumerate(splits):
        done = run_trial(split, strategy_of(name, trial), default_model(), BUDGET)
        shares.append(float((done.requested == 0).mean()))
        errors.append(float(done.errors[-10:].mean()))
    split, n = splits[0], BUDGET // 3
    y = np.repeat(np.arange(split.n_classes), n)
    X = split.X[split.rows_of(y)]
    start, calls = time.perf_counter(), 3
    for _ in range(calls):
        strategy_of(name, 0).query(X, y)
    return np.array(shares), np.array(errors), 1000 * (time.perf_counter() - start) / calls


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--trials", type=int, default=10)
    parser.add_argument("--dimensions", default=",".join(map(str, DIMENSIONS)))
    arguments = parser.parse_args()
    console = Console(width=None if Console().is_terminal else 120, highlight=False)
    kept = True
    sizes = [int(d) for d in arguments.dimensions.split(",")]
    for title, space in (("embedded", embedded), ("random ReLU features", through_relu)):
        table = Table(title=f"Spirals, {title}: {arguments.trials} trials", title_justify="left")
        for column in ("features", "strategy", "easy class", "error", "against Uniform", "ms"):
            table.add_column(column, justify="right")
        plane: dict[str, float] = {}
        for d in track(sizes if space is embedded else sizes[2:], description=title):
            splits = [dealt(space, d, trial) for trial in range(arguments.trials)]
            equal = np.empty(0)
            for name in STRATEGIES:
                shares, errors, ms = play(splits, name)
                equal = errors if name == "uniform" else equal
                gap = errors - equal
                table.add_row(
                    str(d),
                    name,
                    f"{shares.mean():.3f}",
                    f"{errors.mean():.3f}",
                    f"{gap.mean():+.3f} ± {gap.std() / len(gap) ** 0.5:.3f}",
                    f"{ms:.1f}",
                )
                if space is embedded:
                    kept &= abs(shares.mean() - plane.setdefault(name, shares.mean())) <= CHANCE
        console.print(table)
    verdict = "yes" if kept else "no "
    console.print(f"{verdict} embedded, each share is that of {sizes[0]} features up to {CHANCE}")
    return 0 if kept else 1


if __name__ == "__main__":
    raise SystemExit(main())
