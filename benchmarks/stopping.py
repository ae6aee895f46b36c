"""Where advice to stop comes, and whether it was right.

Replays every built-in data set with three strategies, asks `advise_stopping` as instances come in,
and compares the test error at the first advice to stop with that at three times as many. Where the
data cannot supply as many, all that they can. Run with ``python benchmarks/stopping.py``.
"""

from __future__ import annotations

import argparse
import zlib
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from rich.console import Console
from rich.table import Table
from sklearn.base import clone

from palacs import ParzenWindowClassifier
from palacs.datasets import DATASETS, load
from palacs.evidence import LEAST_PER_CLASS, advise_stopping
from palacs.experiments import Split, TrialRules, make_split, run_trial
from palacs.strategies import make

MODEL = ParzenWindowClassifier("auto", class_prior="uniform")
# Only what is requested matters of a trial; looking for a bandwidth at every step would take long.
QUICK = ParzenWindowClassifier(0.1)
STRATEGIES = {"uniform": {}, "pal-acs": {"bandwidth": "auto"}, "spare-settled": {}}
# Test instances per class. yeast-all is left out: a class of five cannot be tested.
TESTS = {
    "3Clusters": 500, "Bars": 500, "Spirals": 500, "Rings": 500, "Modes": 500, "line": 500,
    "Vehicle": 40, "Vertebral": 20, "Yeast": 25, "wine": 15, "iris": 15, "breast-cancer": 50,
    "smartwatch": 40, "digits": 50,
}  # fmt: skip
MOST = 940
AHEAD, WITHIN = 3, 1.10
# Advice is asked for whenever the labelled set has grown by a seventh; three times as many is
# eight steps on.
GRID = np.round(20 * 3 ** (np.arange(36) / 8)).astype(int)


@dataclass(frozen=True)
class Replay:
    """The size at which stop was first advised (0: never), and the test errors then and later."""

    stop: int = 0
    later: int = 0
    error: float = np.nan
    error_later: float = np.nan


def deal(name: str, seed: int, trial: int) -> Split:
    rng = np.random.default_rng([seed, zlib.crc32(name.encode()), trial])
    dataset, sample = load(name, random_state=0), DATASETS[name].sample
    if sample is not None:
        drawn = [sample(rng) for _ in range(4 if name != "line" else 16)]
        X, y = (np.concatenate(parts) for parts in zip(*drawn, strict=True))
        dataset = replace(dataset, X=X, y=y)
    low, extent = dataset.X.min(axis=0), np.ptp(dataset.X, axis=0)
    scaled = (dataset.X - low) / np.where(extent > 0, extent, 1.0)
    return make_split(replace(dataset, X=scaled), TESTS[name], rng)


def play(name: str, strategy: str, seed: int, trial: int) -> Replay:
    """Play one trial to the end, then look back at what was known on the way."""
    split = deal(name, seed, trial)
    few = [int(np.flatnonzero(split.y_test == c)[0]) for c in range(split.n_classes)]
    quick = replace(split, X_test=split.X_test[few], y_test=split.y_test[few])
    budget = min(MOST, len(split.X)) - split.n_classes
    # Many features are played step by step, which batches make bearable.
    rules = TrialRules(batch_size=10) if split.X.shape[1] > 24 else None
    chooser = make(strategy, random_state=trial, **STRATEGIES[strategy])
    requested = run_trial(quick, chooser, QUICK, budget, rules=rules).requested
    y = np.concatenate([split.start, requested])
    X = split.X[split.rows_of(y)]
    sizes = np.unique(np.append(GRID[len(y) >= GRID], len(y))).tolist()
    # Beyond, less than half as many again would be left to compare with; before every class has
    # 30 instances no advice is given, which saves asking.
    least = np.minimum.reduce([np.cumsum(y == c) for c in range(split.n_classes)])
    asked = [n for n in sizes if 1.5 * n <= len(y) and least[n - 1] >= LEAST_PER_CLASS]
    stop = next((n for n in asked if advise_stopping(X[:n], y[:n]).stop), 0)
    if not stop:
        return Replay()
    later = min(sizes, key=lambda n: abs(np.log(n / (AHEAD * stop))))
    return Replay(stop, later, *(test_error(split, X[:n], y[:n]) for n in (stop, later)))


def test_error(split: Split, X: np.ndarray, y: np.ndarray) -> float:
    wrong = clone(MODEL).fit(X, y).predict(split.X_test) != split.y_test
    return float(np.mean([wrong[split.y_test == c].mean() for c in range(split.n_classes)]))


def judge(replays: list[Replay]) -> tuple[list[str], bool, float]:
    """Return a row of the table, whether the bar is kept, and the ratio of medians."""
    stopped = [r for r in replays if r.stop]
    if not stopped:
        return ["0", "", "", "", "", "", "no advice"], True, np.nan
    at, later = [r.error for r in stopped], [r.error_later for r in stopped]
    ratio = float(np.median(at) / np.median(later)) if np.median(later) else np.inf
    factor = np.median([r.later / r.stop for r in stopped])
    row = [
        str(len(stopped)),
        f"{np.median([r.stop for r in stopped]):.0f}",
        f"{factor:.1f}",
        f"{np.median(at):.3f}",
        f"{np.median(later):.3f}",
        f"{np.mean(at) / max(float(np.mean(later)), 1e-9):.2f}",
        "yes" if ratio <= WITHIN else "NO",
    ]
    return row, ratio <= WITHIN, ratio


def draw(ratios: dict[tuple[str, str], float], out: Path) -> None:
    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    axes = figure.subplots()
    names = list(dict.fromkeys(name for name, _ in ratios))
    for strategy in dict.fromkeys(strategy for _, strategy in ratios):
        axes.plot(names, [ratios[name, strategy] for name in names], "o", label=strategy, alpha=0.7)
    axes.axhline(WITHIN, color="0.5", lw=1)
    axes.set_ylabel("median error at stop / three times on")
    axes.tick_params(axis="x", rotation=60)
    axes.legend(frameon=False)
    out.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(out, dpi=150)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--trials", type=int, default=50)
    # The rule was chosen on replays of seeds 7 and 11 to 15; another seed confirms it.
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--only", default=",".join(TESTS))
    parser.add_argument("--strategies", default=",".join(STRATEGIES))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("build/stopping.png"))
    arguments = parser.parse_args()
    table = Table(title=f"First advice to stop, {arguments.trials} replays")
    for column in ("data set", "strategy", "advised", "median at", "times", "error", "later",
                   "mean ratio", "within 10 %"):  # fmt: skip
        table.add_column(column)
    ratios, kept = {}, True
    with ProcessPoolExecutor(arguments.jobs) as pool:
        for name in arguments.only.split(","):
            for strategy in arguments.strategies.split(","):
                trials = range(arguments.trials)
                one = partial(play, name, strategy, arguments.seed)
                row, good, ratios[name, strategy] = judge(list(pool.map(one, trials)))
                table.add_row(name, strategy, *row)
                print(name, strategy, *row, sep="\t", flush=True)
                kept &= good
    Console(width=120).print(table)
    draw(ratios, arguments.out)
    return 0 if kept else 1


if __name__ == "__main__":
    raise SystemExit(main())
