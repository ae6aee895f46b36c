"""The models that benchmarks judge by are scikit-learn's, only quicker."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


@pytest.fixture(scope="module")
def judges(benchmark_module: Callable[[str], ModuleType]) -> ModuleType:
    return benchmark_module("_judges")


def _drawn(n: int, n_features: int, n_classes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng([n, n_features, n_classes])
    y = np.concatenate([np.arange(n_classes), rng.integers(n_classes, size=n - n_classes)])
    means = 2.0 * rng.standard_normal((n_classes, n_features)) / np.sqrt(n_features)
    spread = 10.0 ** rng.uniform(-3, 3, n_features)
    X = 1_000.0 + spread * (means[y] + rng.standard_normal((n, n_features)))
    asked = 1_000.0 + spread * 1.5 * rng.standard_normal((300, n_features))
    return X, np.array(["a", "b", "c", "d", "e"])[y], asked


@pytest.mark.parametrize(
    ("n", "n_features", "n_classes"),
    [(40, 3, 2), (60, 4, 3), (90, 20, 5), (20, 60, 2), (30, 200, 4), (5, 7, 3)],
)
def test_logistic_regression_is_the_optimum_that_scikit_learn_looks_for(
    judges: ModuleType,
    n: int,
    n_features: int,
    n_classes: int,
) -> None:
    X, y, asked = _drawn(n, n_features, n_classes)
    exact = make_pipeline(StandardScaler(), LogisticRegression(max_iter=100_000, tol=1e-9))
    usual = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1_000))
    optimum, looked_for = (m.fit(X, y).predict_proba(asked) for m in (exact, usual))
    found = judges.Logistic().fit(X, y)
    far = np.abs(looked_for - optimum).max()
    assert np.abs(found.predict_proba(asked) - optimum).max() <= 2.0 * far + 1e-6
    assert (found.predict(asked) == exact.predict(asked)).mean() > 0.97
    assert found.classes_.tolist() == sorted(set(y))


@pytest.mark.parametrize(("n", "n_features", "n_classes"), [(40, 3, 2), (90, 20, 5), (6, 2, 3)])
def test_five_neighbours_answer_as_scikit_learns(
    judges: ModuleType, n: int, n_features: int, n_classes: int
) -> None:
    X, y, asked = _drawn(n, n_features, n_classes)
    theirs = KNeighborsClassifier().fit(X, y)
    ours = judges.UpToFiveNeighbours().fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(asked), theirs.predict_proba(asked), atol=1e-12)
    assert (ours.predict(asked) == theirs.predict(asked)).all()
    few = judges.UpToFiveNeighbours().fit(X[:3], y[:3])
    assert few.predict_proba(asked).sum(axis=1) == pytest.approx(1.0)
