"""Small data sets and splits to play on."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from palacs.datasets import Dataset
from palacs.experiments import Split

MakeDataset = Callable[..., Dataset]


@pytest.fixture
def make_dataset() -> MakeDataset:
    """Makes Gaussian data sets, class after class, the last two overlapping."""

    def make(
        sizes: tuple[int, ...] = (20, 20, 20),
        *,
        n_features: int = 2,
        name: str = "gauss",
        groups: np.ndarray | None = None,
        seed: int = 0,
    ) -> Dataset:
        rng = np.random.default_rng(seed)
        y = np.repeat(np.arange(len(sizes)), sizes)
        centres = np.minimum(np.arange(len(sizes)), len(sizes) - 1.7) / len(sizes)
        X = centres[y, None] + rng.normal(0, 0.08, (len(y), n_features))
        return Dataset(
            name=name,
            X=X,
            y=y,
            class_names=tuple("abcdefghijkl"[: len(sizes)]),
            feature_names=tuple(f"x{i}" for i in range(n_features)),
            description="Made for a test.",
            source="a test",
            license="CC0",
            groups=groups,
        )

    return make


@pytest.fixture
def shorten() -> Callable[[Split, tuple[int, ...]], Split]:
    """Cuts the queues of a split to the given lengths."""

    def cut(split: Split, sizes: tuple[int, ...]) -> Split:
        rows = [np.arange(a, a + n) for a, n in zip(split.first, sizes, strict=False)]
        first = np.concatenate([[0], np.cumsum(sizes)])
        return Split(split.X[np.concatenate(rows)], first, split.start, split.X_test, split.y_test)

    return cut
