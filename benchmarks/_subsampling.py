"""What it costs to decide from a part of the instances: another class now, more errors in the end.

A hundred classes or a hundred thousand: what a decision rests on is how many instances of each
class it looks at. So that is what varies here, and the full decision is what it is held against.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

from palacs.evidence import check_labelled_set, default_model
from palacs.experiments import paired_t
from palacs.strategies import PALACS, SpareSettled, Strategy

Array = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]

N_CLASSES, N_FEATURES, PER_CLASS = 30, 16, 100
LOOKED_AT = (3, 6, 12, 25, 50)
SESSION, SESSIONS, TEST_PER_CLASS = 120, 12, 40


def world(seed: int, per_class: int) -> tuple[Array, Codes]:
    """Return classes of which some are far from all others and some overlap."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(N_CLASSES, N_FEATURES)) * rng.uniform(0.2, 1.6, (N_CLASSES, 1))
    y = np.arange(per_class * N_CLASSES) % N_CLASSES
    return centres[y] + rng.normal(size=(len(y), N_FEATURES)), y


def part_of(X: Array, y: Codes, each: int) -> tuple[Array, Codes]:
    """Return as many instances of each class, evenly over time, as a cluster would look at."""
    some = check_labelled_set(X, y, None, None).thinned(each * N_CLASSES)
    return some.X, some.y


def weights_of(strategy: Strategy, X: Array, y: Codes) -> Array:
    """Return what is decided by, apart from counts: weights, or PAL-ACS's utilities."""
    if isinstance(strategy, SpareSettled):
        return strategy.explain(X, y).weights
    return np.asarray(strategy.query(X, y, return_utilities=True)[1])


def collected(each: int | None, seed: int) -> tuple[Array, Codes, float]:
    """Return what Spare settled collects that looks at a part (None: all), and the error then."""
    X, y = world(seed, PER_CLASS + TEST_PER_CLASS)
    test = np.arange(len(y)) >= PER_CLASS * N_CLASSES
    queue = [np.flatnonzero((y == c) & ~test).tolist() for c in range(N_CLASSES)]
    rows = [members.pop() for members in queue]
    for _ in range(SESSIONS):
        some = (X[rows], y[rows]) if each is None else part_of(X[rows], y[rows], each)
        weights = weights_of(SpareSettled(random_state=seed), *some)
        counts = np.bincount(y[rows], minlength=N_CLASSES)
        for _ in range(SESSION):
            left = np.array([bool(members) for members in queue])
            code = int(np.where(left, weights / (counts + 0.5), -1.0).argmax())
            counts[code] += 1
            rows.append(queue[code].pop())
    model = default_model().fit(X[rows], y[rows])
    return X[rows], y[rows], float(np.mean(model.predict(X[test]) != y[test]))


def another(strategy: type[Strategy], each: int | None, X: Array, y: Codes) -> tuple[float, float]:
    """Return whether another class is chosen, and how many the full decision puts before it.

    None looks at all, with another seed: what chance alone does.
    """
    per = np.bincount(y) + 0.5 if strategy is SpareSettled else 1.0
    full = weights_of(strategy(random_state=0), X, y) / per
    some = (X, y) if each is None else part_of(X, y, each)
    found = weights_of(strategy(random_state=int(each is None)), *some) / per
    best = int(found.argmax())
    before = int((full > full[best] * (1 + 1e-9)).sum())
    return float(before > 0), float(before)


def report(trials: int) -> None:
    """Print both costs for every number of instances looked at."""
    console = Console(width=None if Console().is_terminal else 110)
    table = Table(
        title=f"deciding from a part: {N_CLASSES} classes, {trials} data sets, "
        f"{SESSION * SESSIONS // N_CLASSES + 1} instances of each class on average",
        title_justify="left",
    )
    for name in (
        "per class",
        "Spare settled: another",
        "its place",
        "PAL-ACS: another",
        "its place",
        "error in the end, %",
    ):
        table.add_column(name, justify="right")
    full = [collected(None, seed) for seed in range(trials)]
    error = np.array([one[2] for one in full])
    for each in (*LOOKED_AT, None):
        cells = [f"{each or 'all, another seed'}"]
        for strategy in (SpareSettled, PALACS):
            found = np.mean([another(strategy, each, X, y) for X, y, _ in full], axis=0)
            cells += [f"{found[0]:.0%}", f"{found[1]:.1f}"]
        if each is not None:
            errors = np.array([collected(each, seed)[2] for seed in range(trials)])
            relative = 100 * (errors - error) / error.mean()
            _, low, high = paired_t(relative)
            cells.append(f"{relative.mean():+.1f} ({low:+.1f} to {high:+.1f})")
        table.add_row(*cells)
    console.print(table)
    console.print(
        f"its place: how many classes the full decision puts before it; the error with all "
        f"instances looked at is {error.mean():.1%} after {SESSION * SESSIONS} requests"
    )
