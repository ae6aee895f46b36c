"""Measure the paper's whole table, and a trial against one built from scikit-activeml's functions.

The table is what ``palacs reproduce`` plays: six data sets, four strategies, 500 trials. The
reference trial follows the same protocol on the same split, step by step: pseudo-instances from
scikit-learn's KernelDensity, kernel frequencies and predictions from scikit-activeml's
ParzenWindowClassifier, gains from its cost_reduction.
Run with ``python benchmarks/reproduce.py``.
"""

from __future__ import annotations

import multiprocessing
import resource
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from joblib.externals.loky import get_reusable_executor
from rich.console import Console
from skactiveml.classifier import ParzenWindowClassifier
from sklearn.neighbors import KernelDensity

from _side_by_side import Measurement, Row, duration, measure, show
from decision import BANDWIDTH, MAX_LABELS, N_PSEUDO, peer_utilities
from palacs import PALACS
from palacs import ParzenWindowClassifier as OurClassifier
from palacs.experiments import Execution, Split, paper_experiment, run, run_trial
from palacs.experiments.paper import TRIALS

DATASET, BUDGET = "3Clusters", 60
# A data set of the paper with four classes, whose decisions cost the peer more than three.
FOUR_CLASSES, SHORT_BUDGET = "Yeast", 5

Array = npt.NDArray[np.float64]


class Table(NamedTuple):
    """What the whole table cost and how close it came to the paper."""

    seconds: float
    peak_bytes: int
    worker_peak_bytes: int
    difference: float


def whole_table() -> Table:
    """Play the table in this process and its workers, after compilation."""
    run(paper_experiment(["Bars"], trials=1), execution=Execution(jobs=1))
    with tempfile.TemporaryDirectory() as out:
        start = time.perf_counter()
        results = run(paper_experiment(trials=TRIALS), out=out)
        seconds = time.perf_counter() - start
    # The kernel tells the peak of a worker only when it has ended.
    get_reusable_executor().shutdown(wait=True)
    table = results.table()
    return Table(
        seconds,
        _peak(resource.RUSAGE_SELF),
        _peak(resource.RUSAGE_CHILDREN),
        float((table["error"] - table["paper_error"]).abs().mean()),
    )


def _peak(who: int) -> int:
    """Return the highest resident set, of the largest process where there are several."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(who).ru_maxrss * unit


def deal(dataset: str) -> tuple[Split, int]:
    return paper_experiment([dataset], ["pal-acs"], trials=1).deal(dataset, 0)


def our_trial(split: Split, budget: int) -> Array:
    strategy = PALACS(N_PSEUDO, MAX_LABELS, BANDWIDTH, random_state=0)
    return run_trial(split, strategy, OurClassifier(BANDWIDTH), budget, refill=True).errors


def peer_trial(split: Split, budget: int) -> Array:
    """Play the same trial from scikit-activeml's functions."""
    rng = np.random.RandomState(0)
    n_classes = split.n_classes
    y = split.start
    X = split.X[split.first[y]]
    errors = np.empty(budget)
    for step in range(budget):
        points = [
            KernelDensity(bandwidth=BANDWIDTH).fit(X[y == c]).sample(N_PSEUDO, random_state=rng)
            for c in range(n_classes)
        ]
        c = int(peer_utilities(np.vstack(points), X, y).argmax())
        row = split.first[c] + np.sum(y == c) % split.queue_sizes[c]
        X, y = np.vstack([X, split.X[row]]), np.append(y, c)
        errors[step] = peer_error(split, X, y)
    return errors


def peer_error(split: Split, X: Array, y: npt.NDArray[np.int64]) -> float:
    model = ParzenWindowClassifier(
        classes=np.arange(split.n_classes),
        metric="rbf",
        metric_dict={"gamma": 0.5 / BANDWIDTH**2},
    )
    k = model.fit(X, y).predict_freq(split.X_test)
    wrong = (k.argmax(axis=1) != split.y_test).astype(float)
    wrong[~k.any(axis=1)] = 1 - 1 / split.n_classes
    return float(wrong.mean())


def per_decision(split: Split, budget: int) -> Measurement:
    measured = measure(peer_trial, split, budget, warm=False)
    return Measurement(measured.seconds / budget, None)


def show_table(table: Table) -> None:
    largest = max(table.peak_bytes, table.worker_peak_bytes)
    Console(soft_wrap=True, highlight=False).print(
        f"The paper's table, {TRIALS} trials, {multiprocessing.cpu_count()} cores: "
        f"{duration(table.seconds)} once compiled (at most 54 s are wanted), peak "
        f"{table.peak_bytes / 1e6:.0f} MB, largest worker {table.worker_peak_bytes / 1e6:.0f} MB "
        f"(at most 1,000 MB are wanted: {'reached' if largest < 1e9 else 'MISSED'}); mean "
        f"difference to the paper's errors {table.difference:.4f}."
    )


def main() -> int:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=1, mp_context=context) as pool:
        table = pool.submit(whole_table).result()
    show_table(table)
    split, _ = deal(DATASET)
    ours = measure(our_trial, split, BUDGET)
    peer = measure(peer_trial, split, BUDGET, warm=False)
    show(
        "One trial of PAL-ACS, tested after every acquisition",
        [Row(f"{DATASET}, {BUDGET} acquisitions", ours, peer)],
    )
    # Decisions of the table with three classes and with four.
    three, four = peer.seconds / BUDGET, per_decision(deal(FOUR_CLASSES)[0], SHORT_BUDGET).seconds
    hours = TRIALS * ((60 + 120 + 120 + 60) * three + (80 + 60) * four) / 3600
    Console(soft_wrap=True, highlight=False).print(
        f"Mean error of that trial: {ours.result.mean():.3f} and {peer.result.mean():.3f}, with "
        "other random numbers.\n"
        f"PAL-ACS's quarter of the table that way would take about {hours:,.0f} h of one core: "
        f"extrapolated from {three:.2g} s per acquisition with three classes and {four:.2g} s "
        f"with four, times {TRIALS} trials; not run."
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
