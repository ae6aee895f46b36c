"""The synthetic data sets have the distributions their docstrings promise."""

import numpy as np
import pytest

from palacs.datasets import sample_bars, sample_line, sample_spirals, sample_three_clusters

SAMPLERS = [sample_three_clusters, sample_spirals, sample_bars, sample_line]
MANY = 40_000


@pytest.mark.parametrize("sample", SAMPLERS)
@pytest.mark.parametrize("seed", range(3))
def test_a_seed_fixes_the_sample_and_another_changes_it(sample, seed):
    X, y = sample(np.random.default_rng(seed))
    again, _ = sample(np.random.default_rng(seed))
    other, _ = sample(np.random.default_rng(seed + 100))
    np.testing.assert_array_equal(X, again)
    assert not np.array_equal(X, other)
    assert X.dtype == np.float64
    assert y.dtype == np.int64
    assert X.flags.c_contiguous


@pytest.mark.parametrize("sample", SAMPLERS)
@pytest.mark.parametrize("n", [1, 7])
def test_every_class_gets_as_many_instances_as_asked_for(sample, n):
    X, y = sample(np.random.default_rng(0), n_per_class=n)
    assert y.tolist() == [0] * n + [1] * n + [2] * n
    assert len(X) == 3 * n


def test_the_papers_sets_have_400_instances_per_class():
    for sample in (sample_three_clusters, sample_spirals, sample_bars):
        X, y = sample(np.random.default_rng(0))
        assert X.shape == (1200, 2)
        assert np.bincount(y).tolist() == [400, 400, 400]


def test_3clusters_has_the_stated_means_and_covariances():
    X, y = sample_three_clusters(np.random.default_rng(0), MANY)
    expected = [((0, 0), (1, 1)), ((15, 2), (2, 4)), ((15, -2), (2, 4))]
    for code, (mean, variances) in enumerate(expected):
        np.testing.assert_allclose(X[y == code].mean(axis=0), mean, atol=0.05)
        np.testing.assert_allclose(np.cov(X[y == code].T), np.diag(variances), atol=0.12)


def test_spirals_has_a_gaussian_beside_two_arms_that_mirror_each_other():
    X, y = sample_spirals(np.random.default_rng(0), MANY)
    np.testing.assert_allclose(X[y == 0].mean(axis=0), (-30, 0), atol=0.05)
    np.testing.assert_allclose(np.cov(X[y == 0].T), 2.5 * np.eye(2), atol=0.1)
    for code, sign in ((1, 1.0), (2, -1.0)):
        radius = np.linalg.norm(X[y == code], axis=1)
        on_the_spiral = np.column_stack([radius * np.cos(radius), radius * np.sin(radius)])
        np.testing.assert_allclose(sign * X[y == code], on_the_spiral, atol=1e-9)
        # Uniform in [2, 14]: mean 8, variance 12.
        assert 2 <= radius.min() < 2.01
        assert 13.99 < radius.max() <= 14
        assert radius.mean() == pytest.approx(8, abs=0.06)
        assert radius.var() == pytest.approx(12, abs=0.2)


def test_the_arms_of_spirals_are_drawn_independently():
    X, y = sample_spirals(np.random.default_rng(0))
    assert not np.allclose(X[y == 1], -X[y == 2])


def test_bars_alternate_and_the_third_class_lies_above():
    X, y = sample_bars(np.random.default_rng(0), MANY)
    for bar in range(6):
        middle = (np.abs(X[:, 0] - (bar + 0.5) / 6) < 0.01) & (y < 2)
        share_of_second = y[middle].mean()
        assert share_of_second == pytest.approx(bar % 2, abs=0.03)
    # A uniform variable of width w has variance w^2 / 12; the noise adds 0.03^2.
    for code, (low, high) in enumerate([(0, 0.3), (0, 0.3), (0.6, 0.8)]):
        heights = X[y == code, 1]
        assert heights.mean() == pytest.approx((low + high) / 2, abs=0.002)
        assert heights.var() == pytest.approx((high - low) ** 2 / 12 + 0.03**2, rel=0.03)
    assert X[y == 2, 0].var() == pytest.approx(1 / 12 + 0.03**2, rel=0.03)


def test_each_bar_of_a_class_gets_a_third_of_its_instances():
    X, y = sample_bars(np.random.default_rng(0), MANY)
    for code in (0, 1):
        thirds = np.clip((3 * (X[y == code, 0] - (code - 0.5) / 6)).astype(int), 0, 2)
        np.testing.assert_allclose(np.bincount(thirds) / MANY, 1 / 3, atol=0.02)


@pytest.mark.parametrize("seed", range(3))
def test_the_line_has_one_class_apart_and_two_that_overlap(seed):
    X, y = sample_line(np.random.default_rng(seed), 500)
    assert X[y == 0].max() < X[y > 0].min()
    assert X[y == 1].max() > X[y == 2].mean()
    assert X[y == 2].min() < X[y == 1].mean()
