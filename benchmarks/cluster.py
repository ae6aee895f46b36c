"""What a cluster brings: trials and decisions on one and on two workers, and what lies beyond.

Weak scaling: twice the work on twice the workers should take as long. What the machine itself
allows is measured beside it, by processes that only count. Then the arithmetic of a decision over
a hundred thousand classes, and a simulation of the error when only a part is looked at.
Run with ``python benchmarks/cluster.py [--quick]``; parts by ``--only trials`` and so on.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster
from rich.console import Console
from rich.table import Table

import _projection
import _subsampling
from palacs.cluster import query
from palacs.experiments import Execution, paper_experiment, run
from palacs.strategies import PALACS, SpareSettled, Strategy

N_FEATURES, N_CLASSES = 256, 100


def started(workers: int) -> LocalCluster:
    return LocalCluster(
        n_workers=workers, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
    )


def count_to(n: int) -> int:
    total = 0
    for i in range(n):
        total += i
    return total


def counting(client: Client, workers: int) -> float:
    """Return the seconds in which each worker counts."""
    start = time.perf_counter()
    client.gather([client.submit(count_to, 20_000_000, pure=False) for _ in range(workers)])
    return time.perf_counter() - start


def trials(client: Client, workers: int, each: int) -> float:
    """Return the seconds of so many trials of the paper's experiment for each worker."""
    experiment = paper_experiment(["3Clusters", "Spirals"], ["pal-acs"], trials=each * workers)
    execution = Execution(backend="dask", address=client.scheduler.address)
    start = time.perf_counter()
    run(experiment, execution=execution)
    return time.perf_counter() - start


def decision(client: Client, workers: int, strategy: Strategy, each: int) -> float:
    """Return the seconds of one decision over so many embeddings for each worker."""
    n = each * workers
    y = np.arange(n) % N_CLASSES
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, N_FEATURES)) + 0.5 * rng.normal(size=(N_CLASSES, N_FEATURES))[y]
    sharded = client.persist(da.from_array(X, chunks=(each, -1)))  # type: ignore[no-untyped-call]
    label = query(strategy, sharded, y, client=client)
    start = time.perf_counter()
    assert query(strategy, sharded, y, client=client) == label
    return time.perf_counter() - start


def weak_scaling(quick: bool) -> None:
    """Print each kind of work on one worker, twice of it on two, and how they compare."""
    each = 2_000 if quick else 10_000
    points = PALACS(n_pseudo=5, random_state=0)
    work: dict[str, Callable[[Client, int], float]] = {
        "counting, the machine itself": counting,
        "trials, as many for each worker": lambda c, w: trials(c, w, 20 if quick else 60),
        f"PAL-ACS, {each:,} embeddings for each": lambda c, w: decision(c, w, points, each),
        f"Spare settled, {each:,} for each": lambda c, w: decision(
            c, w, SpareSettled(random_state=0), each
        ),
    }
    seconds: dict[str, list[list[float]]] = {name: [[], []] for name in work}
    with started(1) as one, started(2) as two, Client(one) as alone, Client(two) as both:
        for name, do in work.items():
            do(alone, 1), do(both, 2)  # compiles, loads
            for _ in range(3):
                for place, client in enumerate((alone, both)):
                    seconds[name][place].append(do(client, place + 1))
    table = Table(title="weak scaling, best of three", title_justify="left")
    for name in ("work", "1 worker", "twice of it on 2", "efficiency", "beside the machine's"):
        table.add_column(name, justify="right")
    machine = 1.0
    for name, (single, double) in seconds.items():
        efficiency = min(single) / min(double)
        machine = efficiency if name.startswith("counting") else machine
        times = (f"{min(single):.2f} s", f"{min(double):.2f} s", f"{efficiency:.0%}")
        table.add_row(name, *times, f"{efficiency / machine:.0%}")
    Console(width=None if Console().is_terminal else 110).print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--quick", action="store_true", help="a minute or two in all")
    parser.add_argument("--only", choices=("scaling", "projection", "subsampling"))
    options = parser.parse_args()
    if options.only in (None, "scaling"):
        weak_scaling(options.quick)
    if options.only in (None, "projection"):
        _projection.report()
    if options.only in (None, "subsampling"):
        _subsampling.report(8 if options.quick else 30)


if __name__ == "__main__":
    main()
