"""What two stages lose: the class they take beside the one that the full decision would take.

Two classes in five lie in confused pairs, the others apart, and settled classes have fewer
instances, as they do after a while of asking. A twentieth of the classes is looked at closely.
"""

from __future__ import annotations

import time

import numpy as np
import numpy.typing as npt

from palacs.evidence import check_labelled_set
from palacs.strategies import SpareSettled, open_classes
from palacs.stream import Stream

SIZES = ((200, 16), (400, 16), (400, 64), (800, 64))
TIMES = 20
VERY_MANY = (100_000, 400_000, 64)


def embeddings(
    n_classes: int, n_features: int, seed: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Return instances of classes apart and in pairs, 8 of those and 16 of these on average."""
    rng = np.random.default_rng(seed)
    centres = 1.2 * rng.standard_normal((n_classes, n_features))
    pairs = rng.permutation(n_classes)[: 2 * (n_classes // 5)].reshape(2, -1)
    centres[pairs[1]] = centres[pairs[0]] + 0.25 * rng.standard_normal((pairs.shape[1], n_features))
    counts = np.full(n_classes, 8)
    counts[pairs] = 16
    y = rng.permutation(np.repeat(np.arange(n_classes), counts + rng.integers(-1, 2, n_classes)))
    return centres[y] + rng.standard_normal((len(y), n_features)), y


def report(quick: bool) -> None:
    """Print how often another class is taken, and what a decision over very many takes."""
    print("\ntwo stages beside the full decision: a twentieth of the classes looked at closely")
    strategy = SpareSettled(random_state=0)
    for n_classes, n_features in SIZES[: 1 if quick else None]:
        other, shares = 0, []
        for seed in range(TIMES):
            labelled = check_labelled_set(*embeddings(n_classes, n_features, seed), None, None)
            stream = Stream(np.uint64(seed), np.uint64(len(labelled)))
            full = strategy.utilities(labelled, stream)
            _, codes = open_classes(labelled, stream, most=n_classes // 20)
            taken = codes[strategy.utilities(labelled.of_classes(codes), stream).argmax()]
            shares.append(full[taken] / full.max())
            other += full[taken] < full.max() * (1.0 - 1e-9)
        print(
            f"  {n_classes:,} classes, {n_features} features: another class in {other} of {TIMES}; "
            f"its utility is {np.mean(shares):.0%} of the best on average, {min(shares):.0%} at "
            "worst",
            flush=True,
        )
    n_classes, n, n_features = (5_000, 20_000, 16) if quick else VERY_MANY
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, n_features), dtype=np.float32)
    y = np.arange(n) % n_classes
    X += rng.standard_normal((n_classes, n_features), dtype=np.float32)[y]
    strategy.query(X, y)
    start = time.process_time()
    strategy.query(X, y)
    print(
        f"  {n_classes:,} classes, {n:,} x {n_features}: a decision takes "
        f"{time.process_time() - start:.1f} s of processor time"
    )
