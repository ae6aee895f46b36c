"""A bandwidth from the data: the rule itself, its edges, and everybody who uses it."""

from math import ceil, dist, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palacs import PALACS, InverseAccuracy, ParzenWindowClassifier, kernel_frequencies
from palacs.checks import check_bandwidth_or_auto
from palacs.datasets import load
from palacs.kernel import auto_bandwidth, spanned_dimensions


def widest(X, y):
    """The rule as it is written down, before any halving, for classes with two instances."""
    squares = []
    for i, x in enumerate(X):
        others = [dist(x, X[j]) for j in range(len(X)) if y[j] == y[i]]
        apart = [d for d in others if d > 0]
        if apart:
            squares.append(min(apart) ** 2)
    spanned = min(np.linalg.matrix_rank(X - X.mean(axis=0)), 24)
    decile = sorted(squares)[ceil(0.9 * len(squares)) - 1]
    medians, deciles = (256, 9) if spanned == 1 else (64, 6)
    most = min(medians * np.median(squares), deciles * decile)
    return sqrt(2 * np.mean(np.minimum(squares, most)) / spanned)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(4, 40),
    n_features=st.integers(1, 30),
    n_classes=st.integers(1, 4),
)
def test_it_is_twice_the_mean_squared_nearest_distance_within_classes_or_half_that_wide(
    seed, n, n_features, n_classes
):
    rng = np.random.default_rng(seed)
    X, y = rng.random((n, n_features)), rng.integers(0, n_classes, n)
    y[:2] = 0
    halvings = np.log2(widest(X, y) / auto_bandwidth(X, y, n_classes=n_classes))
    assert halvings == pytest.approx(round(halvings), abs=1e-6)
    assert round(halvings) in (0, 1, 2, 3)


def embedded(X, n_features, seed=0):
    """The same instances in another space: turned, shifted, all distances kept."""
    rng = np.random.default_rng(seed)
    axes = np.linalg.qr(rng.standard_normal((n_features, X.shape[1])))[0]
    return X @ axes.T + rng.random(n_features)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 1_000), n_features=st.sampled_from([3, 24, 25, 64, 700]))
def test_it_is_the_same_in_whatever_space_the_instances_are_embedded(seed, n_features):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(25, 3)), np.arange(25) % 3
    expected = auto_bandwidth(X, y, n_classes=3)
    assert auto_bandwidth(embedded(X, n_features), y, n_classes=3) == pytest.approx(expected)


@pytest.mark.parametrize("n_features", [1, 2, 5, 40])
def test_one_outlier_hardly_moves_it(n_features):
    rng = np.random.default_rng(0)
    X, y = rng.random((60, n_features)), np.arange(60) % 3
    alone = auto_bandwidth(X, y, n_classes=3)
    outlier = np.full((1, n_features), 1000.0)
    joined = auto_bandwidth(np.vstack([X, outlier]), np.append(y, 0), n_classes=3)
    assert joined == pytest.approx(alone, rel=0.2)


def rings(rng, n_per_class):
    """Rings of radius 0, 1, 2 and 8: the outermost is spread out widely."""
    y = np.repeat(np.arange(4), n_per_class)
    angle = rng.uniform(0, 2 * np.pi, len(y))
    radius = np.array([0.0, 1.0, 2.0, 8.0])[y]
    points = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return points + rng.normal(0, 0.2, (len(y), 2)), y


def test_one_class_that_is_spread_out_does_not_blur_the_others():
    errors = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        model = ParzenWindowClassifier("auto", class_prior="uniform").fit(*rings(rng, 20))
        X, y = rings(rng, 100)
        errors.append(np.mean(model.predict(X) != y))
    # Kernels as wide as the outermost ring needs give 0.4.
    assert np.mean(errors) < 0.2


def test_instances_that_repeat_exactly_are_no_neighbours_in_many_dimensions_either():
    rng = np.random.default_rng(6)
    X, y = 1e3 + rng.random((20, 100)), np.arange(20) % 2
    twice = auto_bandwidth(np.vstack([X, X]), np.append(y, y), n_classes=2)
    assert twice == pytest.approx(auto_bandwidth(X, y, n_classes=2), rel=1e-6)


def test_it_follows_the_unit_of_the_features():
    rng = np.random.default_rng(0)
    X, y = rng.random((30, 3)), np.arange(30) % 3
    narrow = auto_bandwidth(X, y, n_classes=3)
    assert auto_bandwidth(1000 * X - 7, y, n_classes=3) == pytest.approx(1000 * narrow)


def test_it_does_not_depend_on_the_order_or_on_names_of_the_classes():
    rng = np.random.default_rng(1)
    X, y = rng.random((30, 3)), np.arange(30) % 3
    order = rng.permutation(30)
    expected = auto_bandwidth(X, y, n_classes=3)
    assert auto_bandwidth(X[order], y[order], n_classes=3) == pytest.approx(expected)
    assert auto_bandwidth(X, 2 - y, n_classes=5) == pytest.approx(expected)


def test_features_that_do_not_vary_are_no_dimensions():
    rng = np.random.default_rng(2)
    X, y = rng.random((20, 2)), np.arange(20) % 2
    padded = np.hstack([X, np.full((20, 6), 0.3)])
    expected = auto_bandwidth(X, y, n_classes=2)
    assert auto_bandwidth(padded, y, n_classes=2) == pytest.approx(expected)


def test_the_same_instance_again_is_no_neighbour():
    X, y = np.array([[0.0], [0.1], [0.5]]), np.array([0, 0, 1])
    twice = auto_bandwidth(np.vstack([X, X]), np.append(y, y), n_classes=2)
    assert twice == pytest.approx(auto_bandwidth(X, y, n_classes=2))


def test_before_any_class_has_two_instances_other_classes_measure_the_distance():
    X = [[0.0, 0.0], [3.0, 4.0]]
    # Half of sqrt(2 * 25), on a line: the classes have to be kept apart.
    assert auto_bandwidth(X, [0, 1], n_classes=2) == pytest.approx(sqrt(12.5))


@pytest.mark.parametrize("n", [1, 3])
def test_where_all_instances_share_one_place_it_is_the_papers(n):
    assert auto_bandwidth(np.full((n, 2), 0.4), np.arange(n) % 2, n_classes=2) == 0.05


@pytest.mark.parametrize("size", [1e-200, 1e-30, 1e30, 1e200])
def test_it_is_a_bandwidth_for_numbers_of_any_size(size):
    X = size * np.random.default_rng(3).random((12, 3))
    assert 1e-100 <= auto_bandwidth(X, np.arange(12) % 3, n_classes=3) <= 1e100


def test_thousands_of_instances_are_averaged_over_hundreds_of_them():
    rng = np.random.default_rng(4)
    X, y = rng.random((2_500, 2)), np.arange(2_500) % 2
    assert auto_bandwidth(X, y, n_classes=2) == pytest.approx(widest(X, y), rel=0.1)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="class code 2; with n_classes=2"):
        auto_bandwidth([[0.0], [1.0]], [0, 2], n_classes=2)
    with pytest.raises(ValueError, match=r"X holds nan in row 1"):
        auto_bandwidth([[0.0], [np.nan]], [0, 1], n_classes=2)


@pytest.mark.parametrize("wrong", ["Auto", "0.05", ""])
def test_no_other_word_is_a_bandwidth(wrong):
    with pytest.raises(ValueError, match=f'a number or "auto", got {wrong!r}'):
        check_bandwidth_or_auto(wrong)
    with pytest.raises(ValueError, match="'bandwidth' parameter"):
        ParzenWindowClassifier(bandwidth=wrong).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="'bandwidth' parameter"):
        PALACS(bandwidth=wrong).query([[0.0], [1.0]], [0, 1])
    assert check_bandwidth_or_auto("auto") == "auto"
    assert check_bandwidth_or_auto(1) == 1.0


def overlapping(n_features=4):
    rng = np.random.default_rng(5)
    y = np.array(["a", "b", "c"])[np.arange(30) % 3]
    return rng.normal((np.arange(30) % 3)[:, None] * 0.1, 0.1, (30, n_features)), y


def test_the_classifier_says_which_bandwidth_it_fitted_and_uses_it():
    X, y = overlapping()
    fitted = ParzenWindowClassifier(bandwidth="auto").fit(X, y)
    assert fitted.bandwidth_ == auto_bandwidth(X, np.arange(30) % 3, n_classes=3)
    fixed = ParzenWindowClassifier(bandwidth=fitted.bandwidth_).fit(X, y)
    np.testing.assert_array_equal(fitted.predict_proba(X), fixed.predict_proba(X))
    assert ParzenWindowClassifier(bandwidth=0.2).fit(X, y).bandwidth_ == 0.2


def test_cross_validation_fits_it_to_what_was_known_at_the_time():
    X, y = overlapping()
    number = auto_bandwidth(X, np.arange(30) % 3, n_classes=3)
    shares = [
        InverseAccuracy(classifier=ParzenWindowClassifier(bandwidth), random_state=0).query(
            X, y, return_utilities=True
        )[1]
        for bandwidth in ("auto", number)
    ]
    np.testing.assert_array_equal(shares[0], shares[1])


def test_in_eighteen_dimensions_the_neighbourhood_is_no_longer_empty():
    vehicle = load("vehicle")
    X = (vehicle.X - vehicle.X.min(axis=0)) / np.ptp(vehicle.X, axis=0)
    seen, unseen = X[:60], X[60:260]
    fitted = auto_bandwidth(seen, vehicle.y[:60], n_classes=4)
    near, far = (
        kernel_frequencies(unseen, seen, vehicle.y[:60], n_classes=4, bandwidth=bandwidth)
        for bandwidth in (fitted, 0.05)
    )
    assert (near.sum(axis=1) > 0.01).mean() > 0.85
    assert (far.sum(axis=1) > 0.01).mean() < 0.2


@pytest.mark.parametrize("far", [1e3, 1e8, 1e30, 1e200])
@pytest.mark.parametrize("row", [0, 1, 30, 59])
def test_no_outlier_however_far_changes_how_many_dimensions_are_spanned(far, row):
    rng = np.random.default_rng(0)
    X = embedded(rng.normal(size=(60, 5)), 40)
    outlier = X.copy()
    outlier[row, 3] = far
    assert spanned_dimensions(X) == 5
    assert spanned_dimensions(outlier) == 6


def test_one_instance_at_two_places_or_at_one_spans_one_dimension():
    assert spanned_dimensions(np.ones((1, 4))) == 1
    assert spanned_dimensions(np.ones((6, 4))) == 1
    assert spanned_dimensions(np.repeat([[0.0, 0.0], [1.0, 2.0]], 5, axis=0)) == 1


@pytest.mark.parametrize("n_features", [3, 40])
@pytest.mark.parametrize("seed", range(5))
def test_instances_that_come_twice_are_no_evidence_for_a_narrow_kernel(n_features, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(20, n_features)), np.arange(20) % 2
    once = auto_bandwidth(X, y, n_classes=2)
    twice = auto_bandwidth(np.repeat(X, 2, axis=0), np.repeat(y, 2), n_classes=2)
    assert twice == pytest.approx(once)
