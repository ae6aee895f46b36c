"""Compare the bandwidth rule with simpler ones: where it wins, and that it loses nowhere.

Equal counts are acquired and the default model is judged with each bandwidth: the plain mean of the
squared nearest distances over the number of features that vary, their median, and `auto_bandwidth`.
On the built-in sets, with outliers, and with unequal spreads.
Run with ``python benchmarks/bandwidth_rules.py``.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.progress import track
from rich.table import Table

from palacs.datasets import DATASETS, load
from palacs.evidence import default_model
from palacs.experiments import make_split, normalise
from palacs.kernel import auto_bandwidth

Array = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]
# Instances per class at which the model is judged.
SIZES = (5, 10, 20, 40)
# The error may be this much above the plain mean's, by two standard errors: robustness is not free.
NO_LOSS = 0.002


def nearest(X: Array, y: Codes) -> Array:
    """Return squared distances to the nearest of the same class at another place."""
    squared = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    squared[(y[:, None] != y[None]) | (squared == 0)] = np.inf
    found: Array = squared.min(axis=1)
    finite: Array = found[np.isfinite(found)]
    return finite


def by_mean(X: Array, y: Codes) -> float:
    return float(np.sqrt(2 * nearest(X, y).mean() / np.ptp(X, axis=0).astype(bool).sum()))


def by_median(X: Array, y: Codes) -> float:
    return float(np.sqrt(2 * np.median(nearest(X, y)) / np.ptp(X, axis=0).astype(bool).sum()))


def by_rule(X: Array, y: Codes) -> float:
    return auto_bandwidth(X, y, n_classes=int(y.max()) + 1)


RULES: dict[str, Callable[[Array, Codes], float]] = {
    "mean": by_mean,
    "median": by_median,
    "auto": by_rule,
}


def with_outliers(rng: np.random.Generator) -> tuple[Array, Codes]:
    X, y = DATASETS["3Clusters"].sample(rng)  # type: ignore[misc]  # it is synthetic
    far = rng.random(len(X)) < 0.03
    return X + far[:, None] * rng.normal(0, 300, X.shape), y


def unequal_spreads(rng: np.random.Generator) -> tuple[Array, Codes]:
    spread = np.repeat([0.2, 0.2, 0.6, 4.0], 300)[:, None]
    centres = np.repeat([[0.0, 0], [1, 0], [0, 2], [6, 6]], 300, axis=0)
    return centres + spread * rng.standard_normal((1200, 2)), np.repeat(np.arange(4), 300)


MADE = {"3Clusters, 3 % outliers": with_outliers, "unequal spreads": unequal_spreads}


def judged(name: str, trial: int) -> Array:
    """Return the mean error over sizes by each rule, shape (n_rules,)."""
    rng = np.random.default_rng([trial, len(name)])
    dataset = load("iris" if name in MADE else name, random_state=0)
    sample = MADE.get(name) or DATASETS[name].sample
    if sample is not None:
        X, y = sample(rng)
        names = tuple(f"class {c}" for c in np.unique(y))
        features = tuple(f"x{f}" for f in range(X.shape[1]))
        dataset = replace(
            dataset, X=X, y=y.astype(np.int64), class_names=names, feature_names=features
        )
    # Outliers decide the scale, so that nothing is scaled where they are.
    X = dataset.X if "outliers" in name else normalise(dataset.X)
    dataset = replace(dataset, X=X, groups=None)
    split = make_split(dataset, min(50, min(dataset.class_counts.values()) // 2), rng)
    errors = np.zeros((len(SIZES), len(RULES)))
    for s, size in enumerate(SIZES):
        counts = np.minimum(size, split.queue_sizes)
        y = np.repeat(np.arange(split.n_classes), counts)
        X = split.X[split.rows_of(y)]
        for r, rule in enumerate(RULES.values()):
            model = default_model(bandwidth=rule(X, y)).fit(X, y)
            errors[s, r] = (model.predict(split.X_test) != split.y_test).mean()
    means: Array = errors.mean(axis=0)
    return means


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    console = Console(width=None if Console().is_terminal else 120, highlight=False)
    table = Table(title="Error of the default model after equal counts", title_justify="left")
    for column in ("data set", *RULES, "auto − mean", "auto − median"):
        table.add_column(column, justify="right" if column != "data set" else "left")
    lost = []
    for name in track([*DATASETS, *MADE], description="data sets"):
        trials = range(arguments.seed * 10_000, arguments.seed * 10_000 + arguments.trials)
        errors = np.array([judged(name, trial) for trial in trials])
        cells = []
        for r in (0, 1):
            gap = errors[:, 2] - errors[:, r]
            se = gap.std(ddof=1) / len(gap) ** 0.5
            cells.append(f"{gap.mean():+.4f} ± {se:.4f}")
            if r == 0 and gap.mean() - 2 * se > NO_LOSS:
                lost.append(f"{name} by {gap.mean():.4f}")
        table.add_row(name, *(f"{e:.3f}" for e in errors.mean(axis=0)), *cells)
    console.print(table)
    word = "no " if lost else "yes"
    console.print(f"{word} nowhere above the plain mean by more than {NO_LOSS} for certain", *lost)
    return 1 if lost else 0


if __name__ == "__main__":
    raise SystemExit(main())
