"""Many numbers are worked through in parts, float32 stays float32, and decisions stay the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from palacs import PALACS, ParzenWindowClassifier, SpareSettled, kernel_frequencies
from palacs.checks import check_features
from palacs.evidence import check_labelled_set
from palacs.kernel import _similarity, auto_bandwidth

N_CLASSES, N, N_FEATURES = 6, 4_100, 30
_rng = np.random.default_rng(0)
Y = np.arange(N) % N_CLASSES
X = _rng.normal(size=(N, N_FEATURES)) + _rng.normal(size=(N_CLASSES, N_FEATURES))[Y]
SINGLE = X.astype(np.float32)
QUERIES = X[:40] + 0.1


def test_many_float32_numbers_stay_what_they_are_and_few_become_float64() -> None:
    assert check_labelled_set(SINGLE, Y, None, None).X is SINGLE
    assert check_features(SINGLE, single=True) is SINGLE
    assert ParzenWindowClassifier(2.0).fit(SINGLE, Y)._X.dtype == np.float32
    few = check_labelled_set(SINGLE[:4_000], Y[:4_000], None, None)
    assert few.X.dtype == np.float64
    assert check_labelled_set(SINGLE, Y, None, None).thinned().X.dtype == np.float64


def answers(given: npt.NDArray[Any]) -> dict[str, npt.NDArray[np.float64]]:
    model = ParzenWindowClassifier("auto").fit(given, Y)
    paper = PALACS(n_pseudo=3, bandwidth=2.5, random_state=0)
    fitted = PALACS(n_pseudo=3, random_state=0)
    return {
        "kernel frequencies": kernel_frequencies(QUERIES, given, Y, n_classes=6, bandwidth=2.0),
        "bandwidth": np.array([model.bandwidth_, auto_bandwidth(given, Y, n_classes=6)]),
        "probabilities": model.predict_proba(QUERIES),
        "PAL-ACS": fitted.query(given, Y, pending=[1, 4], return_utilities=True)[1],
        "the paper's": paper.query(given, Y, return_utilities=True)[1],
        "Spare settled": SpareSettled(random_state=0).query(given, Y, return_utilities=True)[1],
    }


@pytest.fixture(scope="module")
def at_once() -> dict[str, npt.NDArray[np.float64]]:
    return answers(X)


def test_in_parts_the_answers_are_those_of_the_whole(at_once, monkeypatch) -> None:
    monkeypatch.setattr(_similarity, "WHOLE", 700 * N_FEATURES)
    for name, found in answers(X).items():
        np.testing.assert_allclose(found, at_once[name], rtol=1e-9, atol=1e-14, err_msg=name)


def test_in_single_precision_the_decisions_are_the_same(at_once) -> None:
    for name, found in answers(SINGLE).items():
        np.testing.assert_allclose(found, at_once[name], rtol=2e-3, atol=1e-6, err_msg=name)
        assert found.argmax() == at_once[name].argmax(), name


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_far_from_the_origin_and_close_together_no_digits_are_lost(dtype, monkeypatch) -> None:
    monkeypatch.setattr(_similarity, "WHOLE", 700 * N_FEATURES)
    far = (1e-3 * X + 100.0).astype(dtype)
    exact = far.astype(np.longdouble)
    width = 2e-3
    squared = ((exact[:3, None] - exact[None]) ** 2).sum(axis=2)
    wanted = np.zeros((3, N_CLASSES))
    for c in range(N_CLASSES):
        wanted[:, c] = np.exp(-0.5 * squared[:, c == Y] / width**2).sum(axis=1)
    found = kernel_frequencies(far[:3].astype(float), far, Y, n_classes=6, bandwidth=width)
    np.testing.assert_allclose(found, wanted, rtol=1e-3 if dtype == np.float32 else 1e-7)
