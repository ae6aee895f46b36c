"""The arithmetic of one decision over very many classes and embeddings: bytes, operations, network.

Nothing is measured here but the pace of this machine's own products; the rest follows from sizes.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.table import Table

from _side_by_side import duration
from palacs.evidence import LEFT_OUT, SPLITS

# Of each class so many are selected by Spare settled, at most.
OF_EACH = 50
POINTS = 25
WORKERS = 64
# 25 Gbit/s into and out of each worker.
NETWORK = 25e9 / 8


@dataclass(frozen=True)
class Size:
    """How many classes, embeddings and features there are."""

    n_classes: float
    n: float
    n_features: float = 768

    @property
    def selected(self) -> float:
        """How many instances Spare settled looks at."""
        return min(self.n, OF_EACH * self.n_classes)


SIZES = {
    "10^3 classes, 10^5 embeddings": Size(1e3, 1e5),
    "10^4 classes, 10^7 embeddings": Size(1e4, 1e7),
    "10^5 classes, 10^8 embeddings": Size(1e5, 1e8),
}


def pace() -> float:
    """Return the operations per second of float64 products on this machine."""
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(500, 768)), rng.normal(size=(768, 4_000))
    best = np.inf
    for _ in range(5):
        start = time.perf_counter()
        a @ b
        best = min(best, time.perf_counter() - start)
    return 2 * 500 * 768 * 4_000 / best


def lines(size: Size, here: float) -> list[tuple[str, str]]:
    """Return what a decision takes, with the products that say so."""
    c, n, d, m = size.n_classes, size.n, size.n_features, size.selected
    points, rows = POINTS * c, LEFT_OUT * c
    palacs, spare = 2 * points * n * d, 2 * rows * m * d
    dense_k, dense_halves = 8 * points * c, 8 * (1 + SPLITS) * rows * c
    return [
        ("embeddings in float32", amount(4 * n * d, "B")),
        ("labels and row numbers here", amount(16 * n, "B")),
        ("PAL-ACS: points to each worker", amount(8 * points * d, "B")),
        ("  2 · points · n · features", amount(palacs, "flop")),
        ("  on this machine", duration(palacs / here)),
        (f"  on {WORKERS} like it", duration(palacs / here / WORKERS)),
        ("  class sums out of each worker", amount(dense_k, "B")),
        ("  through its network", duration(dense_k / NETWORK)),
        ("Spare settled: selected", amount(8 * m * d, "B")),
        ("  2 · rows · selected · features", amount(spare, "flop")),
        ("  on this machine", duration(spare / here)),
        (f"  on {WORKERS} like it", duration(spare / here / WORKERS)),
        ("  sums of classes and halves out of each", amount(dense_halves, "B")),
        ("  through its network", duration(dense_halves / NETWORK)),
        (f"  if each class were on one of {WORKERS}", duration(dense_halves / NETWORK / WORKERS)),
    ]


def amount(value: float, unit: str) -> str:
    """Write a number with the prefix that fits."""
    for prefix, size in (("E", 1e18), ("P", 1e15), ("T", 1e12), ("G", 1e9), ("M", 1e6)):
        if value >= size:
            return f"{value / size:.3g} {prefix}{unit}"
    return f"{value:,.0f} {unit}"


def report() -> None:
    """Print the table."""
    here = pace()
    console = Console(width=None if Console().is_terminal else 110)
    table = Table(
        title=f"one decision from scratch; this machine's products: {amount(here, 'flop/s')}",
        title_justify="left",
    )
    table.add_column("what")
    columns = [lines(size, here) for size in SIZES.values()]
    for name in SIZES:
        table.add_column(name, justify="right")
    for row in zip(*columns, strict=True):
        table.add_row(row[0][0], *(value for _, value in row))
    console.print(table)
