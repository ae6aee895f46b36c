"""Decisions on one GPU: time beside the arithmetic's floor, memory, accuracy against float64.

``--device cuda`` of `scale.py`. The same decision in float64 on the same device says how exact one
in float32 is (the norm of the utilities' difference over that of the utilities), and small ones
are held against NumPy's. Times are medians of whole calls, from labels to the picked class, with
the device's work awaited; memory is what torch held at most, beyond the instances.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from palacs.arrays import _exponents
from palacs.evidence import ClassEvidence, evidence_of_tensor, halve
from palacs.evidence._held_tensors import HeldTensors
from palacs.kernel import choose_places
from palacs.strategies import PALACS, SpareSettled, Strategy
from palacs.stream import Stream

# What the vendor says of plain float32 arithmetic, per second.
FLOAT32_RATE = 67e12
DEVICE = "cuda"
REPEATS = 5
TELLS = 60
# Utilities of float32 numbers further from float64's than that are wrong.
TOO_FAR = 1e-3

Decision = tuple[Any, npt.NDArray[np.float64]]


class Row(NamedTuple):
    """One line of the table."""

    what: str
    operations: float
    seconds: float
    memory: float
    error: float
    same: str


def report(quick: bool, folder: Path) -> None:
    """Print ceilings, equality with NumPy, and the table; nothing is saved."""
    name = torch.cuda.get_device_name()
    print(f"torch {torch.__version__}, {name}, Python {sys.version.split()[0]}")
    _ceilings()
    _against_numpy()
    n, n_features, n_classes = (20_000, 256, 200) if quick else (100_000, 768, 1_000)
    X, y = embeddings(n, n_features, n_classes)
    rows = list(_decisions(X, y))
    print(f"\n{n:,} x {n_features} float32, {n_classes:,} classes, 25 pseudo-instances per class")
    print(f"{'':44}{'floor':>10}{'time':>10}{'reached':>10}{'memory':>10}{'error':>10}  class")
    for row in rows:
        floor = row.operations / FLOAT32_RATE
        print(
            f"{row.what:44}{_cell(1e3 * floor, '.1f', 'ms')}{_cell(1e3 * row.seconds, '.1f', 'ms')}"
            f"{_cell(floor / row.seconds, '.0%')}{_cell(row.memory / 1e9, '.2f', 'GB')}"
            f"{_cell(row.error, '.1e')}  {row.same}"
        )


def _cell(value: float, form: str, unit: str = "") -> str:
    """Return ten characters; a dash for what was not measured, or has no meaning."""
    return f"{'-' if np.isnan(value) else f'{value:{form}}{unit}':>10}"


def embeddings(n: int, n_features: int, n_classes: int) -> tuple[Any, npt.NDArray[np.int64]]:
    """Return instances like embeddings: directions of unequal weight, classes that overlap."""
    random = torch.Generator(device=DEVICE).manual_seed(1)
    weights = torch.arange(1, n_features + 1, device=DEVICE) ** -0.5
    centres = torch.randn(n_classes, n_features, generator=random, device=DEVICE)
    y = np.random.default_rng(2).permutation(np.arange(n) % n_classes)
    noise = torch.randn(n, n_features, generator=random, device=DEVICE)
    X = (noise + 0.6 * centres[torch.as_tensor(y, device=DEVICE)]) * weights
    return X.contiguous(), y


def _decisions(X: Any, y: npt.NDArray[np.int64]) -> Iterator[Row]:
    n, n_features = X.shape
    n_classes = int(y.max()) + 1
    pseudo = partial(_decide, PALACS(random_state=0))
    exact = pseudo(X.double(), y)
    operations = 2.0 * 25 * n_classes * n * n_features
    work = partial(pseudo, X, y)
    yield _row("PALACS.query", operations, work, _accuracy(work(), exact))
    with _plain_products():
        yield _row("  by plain float32 products", operations, work, _accuracy(work(), exact))

    # From scratch each time: what is kept goes with the strategy.
    def fresh(X: Any = X, y: npt.NDArray[np.int64] = y) -> Decision:
        return _decide(SpareSettled(random_state=0), X, y)

    # An even selection of 50 instances of each class, of which 25 are left out.
    seen = min(n, max(4_000, 50 * n_classes))
    operations = 2.0 * 25 * n_classes * seen * n_features
    exact = fresh(X.double())
    yield _row("SpareSettled.query", operations, fresh, _accuracy(fresh(), exact))
    yield from _tells(X, y, fresh)
    yield from _all_left_out(X, y)


def _decide(strategy: Strategy, X: Any, y: npt.NDArray[np.int64]) -> Decision:
    found: Any
    labels, found = strategy.query(X, y, return_utilities=True)
    return labels[0], found.double().cpu().numpy()


def _tells(X: Any, y: npt.NDArray[np.int64], fresh: Callable[..., Decision]) -> Iterator[Row]:
    """Tell one instance after the other, in a tensor of its own each time; compare the last."""
    asked = SpareSettled(random_state=0)
    before = torch.cuda.memory_allocated()
    seconds = []
    for n in range(len(y) - TELLS, len(y) + 1):
        told = torch.cat([X[: n - 1], X[n - 1 : n]])
        seconds.append(_once(partial(_decide, asked, told, y[:n])))
        if n > len(y) - 5:
            kept, scratch = _decide(asked, told, y[:n]), fresh(told, y[:n])
            if not np.array_equal(kept[1], scratch[1]):
                raise SystemExit(f"after {n} instances what was kept gave other utilities.")
        del told
    held = float(torch.cuda.memory_allocated() - before)
    ordered = sorted(seconds[1:])
    # Nothing of the arithmetic is left: no floor.
    yield Row(
        f"  after one more tell, median of {TELLS}", np.nan, median(ordered), held, 0.0, "same"
    )
    late = ordered[int(0.9 * len(ordered))]
    yield Row("  nine of ten within", np.nan, late, np.nan, np.nan, "")


def _all_left_out(X: Any, y: npt.NDArray[np.int64]) -> Iterator[Row]:
    """Leave all out of all: by blocks, and by classes, of which all but one are kept."""
    (n, n_features), n_classes = X.shape, int(y.max()) + 1
    known = halve(y, np.bincount(y), Stream(np.uint64(0), np.uint64(n)))
    model = (1.0, np.full(n_classes, 1.0 / n_classes))
    some = np.arange(0, n, 10)
    lost, wide = (evidence_of_tensor(each, some, known, model).lost for each in (X, X.double()))
    left_out = partial(evidence_of_tensor, X, np.arange(n), known, model)
    operations = 2.0 * n * n * n_features
    yield _row("all instances left out, all seen", operations, left_out, (_off(lost, wide), ""))
    most = int(np.bincount(y).max())
    held = HeldTensors(X, n_classes, most, most)

    def kept(n: int) -> ClassEvidence | None:
        places = choose_places(y[:n], n_classes, most, most)
        return held.evidence(X[:n], places, *model)

    def scratch() -> ClassEvidence | None:
        # In the same memory: all of it is worked out again.
        held.bandwidth = 0.0
        return kept(n)

    if kept(n) is None:
        raise SystemExit("products of float32 numbers are not exact enough to be kept.")
    yield Row("  class by class", operations, _timed(scratch), _beyond(scratch), np.nan, "")
    seconds = []
    for _ in range(REPEATS):
        kept(n - 1)
        seconds.append(_once(partial(kept, n)))
    yield Row("  after one more tell", np.nan, median(seconds), np.nan, np.nan, "")


def _accuracy(found: Decision, exact: Decision) -> tuple[float, str]:
    """Return how far float32 is off and whether the class is the same; too far ends it all."""
    error = _off(found[1], exact[1])
    if not error < TOO_FAR:
        raise SystemExit(f"float32 is off by {error:.1e} of the utilities, more than {TOO_FAR}.")
    return error, "same" if found[0] == exact[0] else f"{found[0]}, not {exact[0]}"


def _row(what: str, operations: float, work: Callable[[], Any], accuracy: tuple[float, str]) -> Row:
    return Row(what, operations, _timed(work), _beyond(work), *accuracy)


def _off(found: npt.NDArray[np.float64], exact: npt.NDArray[np.float64]) -> float:
    return float(np.linalg.norm(found - exact) / np.linalg.norm(exact))


@contextmanager
def _plain_products() -> Iterator[None]:
    """Take float32 products as torch does them, for comparison."""
    split = _exponents._mixes
    _exponents._mixes = lambda torch: False
    try:
        yield
    finally:
        _exponents._mixes = split


def _timed(work: Callable[[], Any]) -> float:
    """Return the median time of a call."""
    work()
    return median(_once(work) for _ in range(REPEATS))


def _once(work: Callable[[], Any]) -> float:
    torch.cuda.synchronize()
    start = perf_counter()
    work()
    torch.cuda.synchronize()
    return perf_counter() - start


def _beyond(work: Callable[[], Any]) -> float:
    """Return the most bytes held at a time beyond what was there before."""
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    work()
    return float(torch.cuda.max_memory_allocated() - before)


def _ceilings() -> None:
    """Print what this device reaches: copying, and products of each kind."""
    big = torch.randn(2**28, device=DEVICE)
    other = torch.empty_like(big)
    seconds = _timed(partial(other.copy_, big))
    print(f"copy {2 * 4 * len(big) / seconds / 1e12:.2f} TB/s", end="")
    del big, other
    for dtype in (torch.float32, torch.float64, torch.float16):
        a, b = (torch.randn(8192, 8192, device=DEVICE).to(dtype) for _ in range(2))
        seconds = _timed(partial(torch.mm, a, b))
        print(f", {str(dtype)[6:]} product {2 * 8192**3 / seconds / 1e12:.0f} TFLOP/s", end="")
    print()


def _against_numpy() -> None:
    """Hold small decisions on the GPU against NumPy's on the CPU."""
    worst, narrow, same = 0.0, 0.0, True
    for n, n_features, n_classes in ((60, 2, 4), (40, 30, 40), (600, 64, 7), (900, 300, 50)):
        X, y = embeddings(n, n_features, n_classes)
        for strategy in (PALACS(random_state=0), SpareSettled(random_state=0)):
            host = X.double().cpu().numpy()
            expected, exact = strategy.query(host, y, return_utilities=True)
            for tensor in (X.double(), X):
                found: Any
                picked, found = strategy.query(tensor, y, return_utilities=True)
                assert found.device == X.device
                assert found.dtype == tensor.dtype
                error = float(np.abs(found.cpu().numpy() - exact).max() / np.abs(exact).max())
                same = same and bool(picked[0] == expected[0])
                if tensor.dtype == torch.float64:
                    worst = max(worst, error)
                else:
                    narrow = max(narrow, error)
    if not (worst < 1e-10 and same):
        raise SystemExit(f"against NumPy: float64 off by {worst:.1e}, or other classes: {not same}")
    print(
        f"against NumPy: float64 within {worst:.1e}, float32 within {narrow:.1e} of the largest "
        f"utility, the same classes"
    )
