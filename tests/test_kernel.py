"""Kernel frequencies are Eq. 1, and pseudo-instances follow each class's kernel density."""

from math import exp
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kstest, norm

from palacs import kernel_frequencies, sample_pseudo_instances
from palacs.kernel import LOOP_FEATURES, similarities
from palacs.stream import seed_of

WIDE = LOOP_FEATURES + 1


def naive_frequencies(X_query, X, y, n_classes, bandwidth):
    k = [[0.0] * n_classes for _ in X_query]
    for row, query in zip(k, X_query, strict=True):
        for instance, code in zip(X, y, strict=True):
            squared = sum((a - b) ** 2 for a, b in zip(query, instance, strict=True))
            row[code] += exp(-squared / (2 * bandwidth**2))
    return np.array(k)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_features=st.sampled_from([1, 2, LOOP_FEATURES, WIDE, 60]),
    n_classes=st.integers(1, 5),
    n=st.integers(0, 12),
    bandwidth=st.floats(0.05, 2),
)
def test_frequencies_equal_a_naive_sum_of_similarities(seed, n_features, n_classes, n, bandwidth):
    rng = np.random.default_rng(seed)
    queries, X = rng.random((4, n_features)), rng.random((n, n_features))
    y = rng.integers(0, n_classes, n)
    k = kernel_frequencies(queries, X, y, n_classes=n_classes, bandwidth=bandwidth)
    expected = naive_frequencies(queries, X, y, n_classes, bandwidth)
    np.testing.assert_allclose(k, expected, rtol=1e-9, atol=1e-300)


@pytest.mark.parametrize("n_features", [3, WIDE])
def test_similarities_summed_by_class_are_the_frequencies(n_features):
    rng = np.random.default_rng(0)
    queries, X, y = rng.random((5, n_features)), rng.random((9, n_features)), np.arange(9) % 3
    k = kernel_frequencies(queries, X, y, n_classes=3, bandwidth=0.7)
    similarity = similarities(queries, X, bandwidth=0.7)
    assert similarity.shape == (5, 9)
    np.testing.assert_allclose(k, [[row[y == c].sum() for c in range(3)] for row in similarity])


def test_the_loop_and_the_matrix_product_agree():
    rng = np.random.default_rng(1)
    queries, X, y = rng.random((6, LOOP_FEATURES)), rng.random((8, LOOP_FEATURES)), np.arange(8) % 3
    padding = [(0, 0), (0, 10)]  # features that are all zero change no distance
    np.testing.assert_allclose(
        kernel_frequencies(
            np.pad(queries, padding), np.pad(X, padding), y, n_classes=3, bandwidth=0.5
        ),
        kernel_frequencies(queries, X, y, n_classes=3, bandwidth=0.5),
        rtol=1e-12,
    )


@pytest.mark.parametrize("n_features", [2, WIDE])
def test_far_from_the_origin_distances_keep_their_digits(n_features):
    rng = np.random.default_rng(2)
    steps = rng.integers(-3, 4, (10, n_features)) / 64.0  # exact also after the shift
    y = np.arange(10) % 2
    near = kernel_frequencies(steps, steps, y, n_classes=2, bandwidth=0.1)
    far = kernel_frequencies(steps + 2.0**30, steps + 2.0**30, y, n_classes=2, bandwidth=0.1)
    np.testing.assert_allclose(far, near, rtol=1e-6)


@pytest.mark.parametrize("distance", [1e3, 1e7, 1e150, 1e200])
def test_clusters_however_far_apart_keep_their_frequencies(distance):
    rng = np.random.default_rng(3)
    cluster = rng.integers(0, 2, (4, WIDE)) * 0.0625
    X, y = np.vstack([cluster, np.full((4, WIDE), distance)]), np.repeat([0, 1], 4)
    k = kernel_frequencies(cluster, X, y, n_classes=2, bandwidth=0.1)
    alone = naive_frequencies(cluster, cluster, [0] * 4, 2, 0.1)
    np.testing.assert_allclose(k, alone, rtol=1e-5)


def test_many_queries_are_answered_in_blocks_as_one():
    rng = np.random.default_rng(4)
    X, y = rng.random((3_000, WIDE)), rng.integers(0, 4, 3_000)
    queries = rng.random((2_000, WIDE))
    k = kernel_frequencies(queries, X, y, n_classes=5, bandwidth=0.5)
    some = [0, 1_332, 1_333, 1_334, 1_999]
    np.testing.assert_allclose(
        k[some], kernel_frequencies(queries[some], X, y, n_classes=5, bandwidth=0.5), rtol=1e-9
    )
    assert (k[:, 4] == 0).all()


@pytest.mark.parametrize("n_features", [2, WIDE])
@pytest.mark.parametrize("empty", [[], np.zeros((0, 7))])
def test_an_empty_labelled_set_gives_frequencies_of_zero(n_features, empty):
    k = kernel_frequencies(np.ones((3, n_features)), empty, [], n_classes=4, bandwidth=0.1)
    assert k.tolist() == [[0.0] * 4] * 3


def test_every_class_with_an_instance_yields_the_same_number_of_pseudo_instances():
    X, y = np.zeros((6, 3)), [4, 1, 1, 1, 4, 1]
    X_pseudo, y_pseudo = sample_pseudo_instances(X, y, n_classes=6, n_per_class=7, random_state=0)
    assert X_pseudo.shape == (14, 3)
    assert y_pseudo.tolist() == [1] * 7 + [4] * 7


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_pseudo_instances_follow_the_kernel_density_of_their_class(seed):
    parents = np.array([0.0, 1.0, 1.0, 5.0])
    X, y = np.append(parents, 100.0)[:, None], [0, 0, 0, 0, 1]
    drawn, origin = sample_pseudo_instances(
        X, y, n_classes=2, n_per_class=4_000, bandwidth=0.5, random_state=seed
    )

    def density_below(x):
        return norm.cdf(x[:, None], parents, 0.5).mean(axis=1)

    assert kstest(drawn[origin == 0, 0], density_below).pvalue > 0.001
    assert kstest(drawn[origin == 1, 0], norm(100.0, 0.5).cdf).pvalue > 0.001


def test_pseudo_instances_have_the_bandwidth_in_every_direction():
    drawn, _ = sample_pseudo_instances(
        [[1.0, 2.0, 3.0]], [0], n_classes=1, n_per_class=20_000, bandwidth=0.2, random_state=0
    )
    np.testing.assert_allclose(drawn.mean(axis=0), [1, 2, 3], atol=0.006)
    np.testing.assert_allclose(np.cov(drawn.T), 0.04 * np.eye(3), atol=0.002)


def test_the_same_seed_draws_the_same_and_another_seed_draws_others():
    X, y = np.random.default_rng(5).random((8, 2)), np.arange(8) % 2

    def draw(random_state):
        return sample_pseudo_instances(X, y, n_classes=2, random_state=random_state)[0]

    assert np.array_equal(draw(3), draw(3))
    assert np.array_equal(draw(np.random.RandomState(3)), draw(np.random.RandomState(3)))
    assert not np.isclose(draw(3), draw(4)).any()
    assert not np.isclose(draw(None), draw(None)).any()


def test_what_a_class_draws_does_not_depend_on_where_others_are():
    X, y = np.random.default_rng(6).random((8, 2)), np.arange(8) % 2
    moved = np.where((y == 1)[:, None], X + 10.0, X)
    first, origin = sample_pseudo_instances(X, y, n_classes=2, random_state=0)
    second, _ = sample_pseudo_instances(moved, y, n_classes=2, random_state=0)
    assert np.array_equal(first[origin == 0], second[origin == 0])


def test_a_random_state_is_read_once_and_gives_64_bits():
    state = np.random.RandomState(0)
    assert seed_of(state) != seed_of(state)
    assert max(int(seed_of(np.random.RandomState(i))) for i in range(20)) > 2**60
    five: Any = np.int64(5)
    assert seed_of(5) == seed_of(five) == 5


ONE = [[0.0]]
TWO = [[0.0], [1.0]]


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([[np.nan]], TWO, [0, 1]), {}, r"X_query holds nan in row 0, column 0; remove or repair"),
        ((ONE, [[0.0], [np.inf]], [0, 1]), {}, r"X holds inf in row 1, column 0; remove or repair"),
        (([0.0], TWO, [0, 1]), {}, r"X_query has shape \(1,\); give one row of features per"),
        ((ONE, [[[0.0]]], [0]), {}, r"X has shape \(1, 1, 1\); give one row of features per"),
        ((ONE, [[0.0], [1.0, 2.0]], [0, 1]), {}, r"X has rows of different lengths; give every"),
        ((ONE, [["red"]], [0]), {}, r"X holds the text 'red'; features are numbers: encode"),
        ((ONE, [[0.0, 1.0]], [0]), {}, r"X_query has 1 features and X has 2; both must"),
        ((ONE, TWO, [0]), {}, r"y has shape \(1,\), but X has 2 rows; give one class code per"),
        ((ONE, TWO, [0, 2]), {}, r"class code 2; with n_classes=2 the codes run from 0 to 1"),
        ((ONE, TWO, [-1, 1]), {}, r"class code -1; with n_classes=2 the codes run from 0 to 1"),
        ((ONE, TWO, [0.0, 1.0]), {}, r"y holds float64 values; give whole class codes"),
        ((ONE, TWO, ["a", "b"]), {}, r"y holds <U1 values; give whole class codes .*numpy.unique"),
        ((ONE, TWO, [0, 1]), {"bandwidth": 0}, r"positive and finite, got 0; the paper's is 0.05"),
        ((ONE, TWO, [0, 1]), {"bandwidth": -1.0}, r"positive and finite, got -1.0; the paper's"),
        ((ONE, TWO, [0, 1]), {"bandwidth": np.nan}, r"positive and finite, got nan; the paper's"),
        ((ONE, TWO, [0, 1]), {"bandwidth": np.inf}, r"positive and finite, got inf; the paper's"),
        ((ONE, TWO, [0, 1]), {"bandwidth": 1e-200}, r"bandwidth must be .*, got 1e-200"),
        ((ONE, TWO, [0, 1]), {"bandwidth": "wide"}, r"bandwidth must be a number, got 'wide'"),
        ((ONE, TWO, [0, 1]), {"n_classes": 0}, r"n_classes must be .* at least 1, got 0"),
        ((ONE, TWO, [0, 1]), {"n_classes": 2.0}, r"n_classes must be a whole number.*, got 2.0"),
    ],
)
def test_bad_input_is_refused_with_the_value_and_the_remedy(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        kernel_frequencies(*arguments, **{"n_classes": 2, "bandwidth": 0.1, **options})


def test_pseudo_instances_cannot_be_drawn_from_nothing():
    with pytest.raises(ValueError, match=r"X has shape \(0,\); give one row of features"):
        sample_pseudo_instances([], [], n_classes=2)
    with pytest.raises(ValueError, match=r"n_per_class must be .* at least 1, got 0"):
        sample_pseudo_instances(TWO, [0, 1], n_classes=2, n_per_class=0)
