"""A decision follows from the distances between instances, not from the number of features."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palacs import PALACS, BalancedGain, Strategy
from palacs.datasets import load
from palacs.kernel._bandwidth import fitting_reach
from palacs.kernel._noise import draw_along_instances, fitting_noise
from palacs.stream import Stream

DIMENSIONS = [2, 24, 64, 1_024]


def embedded(X, n_features):
    """The same instances in another space: turned, shifted, all distances kept."""
    rng = np.random.default_rng(n_features)
    axes = np.linalg.qr(rng.standard_normal((n_features, X.shape[1])))[0]
    return X @ axes.T + rng.random(n_features)


def spirals(seed, n):
    """n instances of one easy class and two that wind around each other."""
    dataset = load("Spirals", random_state=seed)
    X = (dataset.X - dataset.X.min(axis=0)) / np.ptp(dataset.X, axis=0)
    order = np.random.default_rng(seed).permutation(len(X))
    rows = np.concatenate([order[dataset.y[order] == c][: n // 3] for c in range(3)])
    return X[rows], dataset.y[rows]


def normalised(strategy: Strategy, X, y):
    _, utilities = strategy.query(X, y, return_utilities=True)
    return utilities / utilities.sum()


@pytest.mark.parametrize("kind", [PALACS, BalancedGain])
@pytest.mark.parametrize("pending", [None, [1, 2]])
def test_utilities_are_the_same_in_any_space_up_to_chance(kind, pending):
    X, y = spirals(0, 45)
    for n_features in DIMENSIONS:
        shares = np.zeros(3)
        for seed in range(12):
            strategy = kind(bandwidth="auto", random_state=seed)
            points = embedded(X, n_features)
            utilities = strategy.query(points, y, pending=pending, return_utilities=True)[1]
            shares += utilities / utilities.sum() / 12
        if n_features == DIMENSIONS[0]:
            expected = shares
        np.testing.assert_allclose(shares, expected, atol=0.08)


@pytest.mark.parametrize("kind", [PALACS, BalancedGain])
def test_the_easy_class_is_worth_little_in_any_space(kind):
    X, y = spirals(1, 60)
    for n_features in DIMENSIONS:
        shares = normalised(kind(bandwidth="auto", random_state=0), embedded(X, n_features), y)
        assert shares[0] < 0.2


def test_the_easy_class_is_worth_little_where_every_dimension_is_filled():
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    centres = np.zeros((3, 40))
    centres[0, 0], centres[1, 1], centres[2, 1] = 12, 1, -1
    X = centres[y] + rng.standard_normal((90, 40))
    for kind in (PALACS, BalancedGain):
        shares = normalised(kind(n_pseudo=200, bandwidth="auto", random_state=0), X, y)
        assert shares[0] < 0.3


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 1_000), n_features=st.sampled_from([2, 10, 30, 300]))
def test_pseudo_instances_lie_where_instances_lie(seed, n_features):
    rng = np.random.default_rng(seed)
    plane, y = rng.normal(size=(20, 2)) * [3.0, 1.0], np.arange(20) % 2
    X = embedded(plane, n_features)
    reach = fitting_reach(X, y)
    noise = fitting_noise(X, y, 2, reach)
    stream = Stream(np.uint64(seed), np.uint64(0))
    points, origins = draw_along_instances(X, y, 2, 2_000, noise, stream)
    assert np.bincount(origins).tolist() == [2_000, 2_000]
    centre = X.mean(axis=0)
    axes = np.linalg.svd(X - centre)[2][:2]
    away = (points - centre) - (points - centre) @ axes.T @ axes
    assert np.abs(away).max() < 1e-9
    # The mean squared length of the noise: what the class itself does not explain.
    spread = sum(np.var(points[origins == c], axis=0).sum() for c in (0, 1))
    own = sum(np.var(X[y == c], axis=0).sum() for c in (0, 1))
    assert spread - own == pytest.approx(2 * reach, rel=0.3, abs=0.2 * own)


@pytest.mark.parametrize("n_features", [1, 3, 40])
@pytest.mark.parametrize("kind", [PALACS, BalancedGain])
def test_there_is_a_decision_however_little_is_known(kind, n_features):
    strategy = kind(bandwidth="auto", random_state=0)
    rng = np.random.default_rng(0)
    for X, y in (
        (np.full((1, n_features), 0.3), [0]),
        (np.full((4, n_features), 0.3), [0, 1, 0, 1]),
        (rng.random((3, n_features)), [0, 1, 2]),
        (np.repeat(rng.random((2, n_features)), 3, axis=0), [0, 0, 0, 1, 1, 1]),
        (1e200 * rng.random((4, n_features)), [0, 1, 0, 1]),
    ):
        _, utilities = strategy.query(X, y, classes=[0, 1, 2], return_utilities=True)
        assert np.isfinite(utilities[np.unique(y)]).all()


@pytest.mark.parametrize("far", [1e3, 1e8])
@pytest.mark.parametrize("n_features", [10, 64])
def test_one_outlier_turns_neither_the_noise_nor_the_kernel_of_its_class(n_features, far):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, n_features)), np.repeat([0, 1, 2], 20)
    outlier = X.copy()
    outlier[0, -1] = far
    usual = fitting_noise(X, y, 3, fitting_reach(X, y)).bandwidth
    assert fitting_noise(outlier, y, 3, fitting_reach(outlier, y)).bandwidth < 1.2 * usual


@pytest.mark.parametrize("where", [0, 45])
def test_pal_acs_decides_alike_with_one_outlier(where):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 64)), np.repeat([0, 1, 2], 20)
    X[20:40, 0] += 3.0
    X[40:, 1] += 12.0
    outlier = X.copy()
    outlier[where, -1] = 1e3
    strategy = PALACS(n_pseudo=200, bandwidth="auto", random_state=0)
    found = normalised(strategy, outlier, y)
    np.testing.assert_allclose(found, normalised(strategy, X, y), atol=0.05)
