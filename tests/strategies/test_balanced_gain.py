"""Balanced gain is its derivation, written out slowly, and keeps its promises."""

from math import dist, exp, log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import nbinom

from palacs import BalancedGain, Conditions, UniformSelection, sample_pseudo_instances
from palacs.kernel import effective_counts, effective_counts_at, fitting_reach
from palacs.kernel._noise import draw_along_instances, fitting_noise
from palacs.strategies._balanced_gain import hold_together
from palacs.strategies._rates import (
    BACKGROUNDS,
    expected_shortfall,
)
from palacs.stream import Stream

# One class alone, two that overlap.
X = np.array([[0.10], [0.12], [0.14], [0.70], [0.76], [0.82], [0.72], [0.78], [0.80]])
Y = np.array(["rest"] * 3 + ["left"] * 3 + ["right"] * 3)


def counts_near(x, instances, labels, n_classes, sigma):
    """Return the effective counts at one point."""
    similar = [exp(-(dist(x, other) ** 2) / (2 * sigma**2)) for other in instances]
    factor = sum(similar) / sum(s * s for s in similar)
    return [
        factor * sum(s for s, c in zip(similar, labels, strict=True) if c == y)
        for y in range(n_classes)
    ]


def value(y, k, eps, e):
    """Return what doubling class y is worth at a point, by the full negative binomial."""
    n_classes = len(k)
    rate = [(k[c] + eps) / e[c] for c in range(n_classes)]
    rival = max(rate[c] for c in range(n_classes) if c != y)
    j = np.arange(4_000)
    after = (k[y] + eps + j) / (2 * e[y])
    expected = (nbinom.pmf(j, k[y] + eps, 0.5) * np.maximum(after, rival)).sum()
    return (expected - max(rate[y], rival)) / sum(rate)


def posterior(i, k, eps, n, labels):
    """Return class probabilities at instance i from all others."""
    rate = [(k[c] + eps) / (n[c] + 1 - (c == labels[i])) for c in range(len(n))]
    return [r / sum(rate) for r in rate]


def drawn(instances, labels, n_classes, seed, n_pseudo, auto):
    """Return the pseudo-instances and the bandwidth."""
    if auto:
        noise = fitting_noise(instances, labels, n_classes, fitting_reach(instances, labels))
        stream = Stream(np.uint64(seed), np.uint64(len(labels)))
        points = draw_along_instances(instances, labels, n_classes, n_pseudo, noise, stream)[0]
        return points, noise.bandwidth
    points = sample_pseudo_instances(
        instances,
        labels,
        n_classes=n_classes,
        n_per_class=n_pseudo,
        bandwidth=0.15,
        random_state=seed,
    )[0]
    return points, 0.15


def written_out(instances, labels, n_classes, points, sigma):
    """The derivation of docs/theory.md, line by line; labels are codes."""
    n = [labels.count(y) for y in range(n_classes)]
    e = [count + 1 for count in n]
    others = [
        counts_near(
            x,
            [*instances[:i], *instances[i + 1 :]],
            [*labels[:i], *labels[i + 1 :]],
            n_classes,
            sigma,
        )
        for i, x in enumerate(instances)
    ]
    rows = range(len(labels))
    eps = max(
        BACKGROUNDS,
        key=lambda b: sum(log(posterior(i, others[i], b, n, labels)[labels[i]]) for i in rows),
    )
    v = np.array(
        [
            [value(y, counts_near(x, instances, labels, n_classes, sigma), eps, e)
             for y in range(n_classes)]
            for x in points
        ]
    )  # fmt: skip
    u = v.mean(axis=0) + v.mean() / len(points)
    root = np.sqrt(2 * np.array(e) * u)
    z = np.log(root) - np.log(root).mean()
    effect = (v - u) / (2 * u)
    contrast = effect - effect.mean(axis=1, keepdims=True)
    noise = (contrast**2).sum() / len(points) / min(len(points), len(labels)) / (n_classes - 1)
    noise += np.mean([1 / (2 * count) for count in e])
    z = z * max(0.0, 1 - noise / (z @ z / (n_classes - 1)))
    h = np.zeros((n_classes, n_classes))
    for i in rows:
        seen = [others[i][c] / max(n[c] - (c == labels[i]), 1) for c in range(n_classes)]
        p = [s / sum(seen) for s in seen]
        first, second = sorted(range(n_classes), key=lambda c: (-p[c], c))[:2]
        weight = p[first] * p[second] / (p[first] + p[second]) / 2
        h[first, second] += weight / n[labels[i]] / sum(c > 0 for c in n)
    h = h + h.T
    stiff = root * root.sum() / len(labels)
    z = np.linalg.solve(np.diag(stiff + h.sum(axis=1)) - h, stiff * z)
    share = np.exp(z) / np.exp(z).sum()
    return (root.sum() * share / (np.array(n) + 0.5)) ** 2


def labelled_set(seed, n_features, n_classes):
    rng = np.random.default_rng(seed)
    y = np.r_[np.arange(n_classes), rng.integers(0, n_classes, 12)]
    return rng.normal(y[:, None] ** 2 * 0.1, 0.1, (len(y), n_features)), y


@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 1000),
    n_features=st.sampled_from([1, 2, 30]),
    n_classes=st.integers(2, 4),
    auto=st.booleans(),
)
def test_utilities_are_those_of_the_derivation(seed, n_features, n_classes, auto):
    features, labels = labelled_set(seed, n_features, n_classes)
    points, sigma = drawn(features, labels, n_classes, seed, 4, auto)
    strategy = BalancedGain(4, "auto" if auto else sigma, random_state=seed)
    _, utilities = strategy.query(features, labels, return_utilities=True)
    literal = written_out(features, labels.tolist(), n_classes, points, sigma)
    np.testing.assert_allclose(utilities, literal, rtol=1e-6)


@settings(max_examples=200, deadline=None)
@given(
    shape=st.floats(1e-3, 300), exposure=st.floats(1, 2_000), level=st.floats(1e-6, 1.5)
)  # fmt: skip
def test_the_expected_shortfall_is_a_sum_over_the_negative_binomial(shape, exposure, level):
    j = np.arange(20_000)
    short = np.maximum(level - (shape + j) / (2 * exposure), 0)
    expected = (nbinom.pmf(j, shape, 0.5) * short).sum()
    ours = expected_shortfall(shape, exposure, level)
    assert ours == pytest.approx(expected, rel=1e-8, abs=1e-12)


@pytest.mark.parametrize("shape", [899.0, 901.0, 1_075.0, 3_000.0, 50_000.0])
@pytest.mark.parametrize("ratio", [0.96, 1.0, 1.03, 1.5])
def test_the_expected_shortfall_stays_exact_with_thousands_of_instances(shape, ratio):
    exposure = 1_000.0
    level = ratio * shape / exposure
    j = np.arange(int(2 * shape))
    short = np.maximum(level - (shape + j) / (2 * exposure), 0)
    expected = (nbinom.pmf(j, shape, 0.5) * short).sum()
    assert expected_shortfall(shape, exposure, level) == pytest.approx(expected, rel=1e-8)


def test_thousands_of_points_are_compared_in_blocks_as_at_once():
    rng = np.random.default_rng(0)
    instances, y = rng.random((3_000, 3)), np.arange(3_000) % 4
    points, nobody = rng.random((2_000, 3)), np.full(2_000, -1)
    k = effective_counts_at(points, instances, (y, 4), 0.1, nobody)
    some = [0, 1_332, 1_333, 1_334, 1_999]
    np.testing.assert_array_equal(
        k[some], effective_counts_at(points[some], instances, (y, 4), 0.1, nobody[:5])
    )


def test_effective_counts_do_not_depend_on_how_far_away_everything_is():
    y, nobody = np.array([0, 0, 1]), np.array([-1])
    near = effective_counts(np.array([[0.0, 1.0, 2.0]]), y, 2, 1.0, nobody)
    far = effective_counts(np.array([[1e6, 1e6 + 1, 1e6 + 2]]), y, 2, 1.0, nobody)
    np.testing.assert_allclose(near, far, rtol=1e-9)
    assert 1 < near.sum() < 3
    equal = effective_counts(np.full((1, 3), 7.0), y, 2, 1.0, nobody)
    np.testing.assert_allclose(equal, [[2.0, 1.0]])


def test_classes_that_compete_are_held_together_and_others_are_not():
    wanted, stiffness = np.array([-1.0, 0.2, 0.8]), np.ones(3)
    confusion = np.zeros((3, 3))
    confusion[1, 2] = confusion[2, 1] = 1e6
    np.testing.assert_allclose(
        hold_together(wanted, confusion, stiffness), [-1.0, 0.5, 0.5], atol=1e-5
    )
    np.testing.assert_allclose(hold_together(wanted, np.zeros((3, 3)), stiffness), wanted)


@pytest.mark.parametrize("seed", range(5))
def test_a_class_apart_is_requested_less_often_than_those_that_overlap(seed):
    picks = BalancedGain(random_state=seed).query(X, Y, batch_size=30).tolist()
    assert picks.count("rest") < 8
    assert abs(picks.count("left") - picks.count("right")) <= 4


def test_classes_of_one_kind_are_requested_as_by_uniform_seed_by_seed():
    rng = np.random.default_rng(0)
    features, labels = rng.random((24, 2)), np.arange(24) % 4
    for seed in range(10):
        ours, uniform = BalancedGain(random_state=seed), UniformSelection(random_state=seed)
        for n in (4, 9, 15, 24):
            assert ours.query(features[:n], labels[:n]) == uniform.query(features[:n], labels[:n])


def test_what_is_pending_counts_as_if_it_had_arrived():
    strategy = BalancedGain(random_state=0)
    classes = ["left", "rest", "right"]
    few = strategy.query(X, Y, classes=classes, pending=["left"], return_utilities=True)[1]
    many = strategy.query(X, Y, classes=classes, pending=["left"] * 5, return_utilities=True)[1]
    assert many[0] < few[0]


def test_a_dearer_class_is_requested_less_often_by_the_root_of_its_cost():
    rng = np.random.default_rng(1)
    features, labels = rng.random((8, 2)), np.arange(8) % 2
    dear = Conditions(costs={0: 1.0, 1: 4.0})
    picks = BalancedGain(random_state=0).query(features, labels, conditions=dear, batch_size=292)
    got = np.bincount(np.r_[labels, picks])
    assert got[0] / got[1] == pytest.approx(sqrt(4.0), rel=0.1)


@pytest.mark.parametrize("n_features", [40, 10_000])
def test_values_do_not_underflow_in_many_dimensions(n_features):
    rng = np.random.default_rng(2)
    labels = np.arange(24) % 3
    features = rng.normal(0, 1, (24, n_features)) + np.minimum(labels, 1)[:, None]
    _, utilities = BalancedGain(random_state=0).query(features, labels, return_utilities=True)
    assert np.isfinite(utilities).all()
    assert (utilities > 0).all()


def test_instances_all_in_one_place_are_a_case_for_equal_counts():
    labels = np.array([0, 0, 1, 2])
    for seed in range(5):
        pick = BalancedGain(random_state=seed).query(np.zeros((4, 3)), labels)
        assert pick[0] in (1, 2)


def test_a_class_that_is_only_pending_is_waited_for():
    picks, utilities = BalancedGain(random_state=0).query(
        X, Y, classes=["rest", "left", "right", "new"], pending=["new"] * 9, return_utilities=True
    )
    assert np.isfinite(utilities).all()
    assert picks[0] != "new"


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_pseudo": 0}, r"'n_pseudo' .* in the range \[1, inf\). Got 0 instead"),
        ({"bandwidth": 0.0}, r"'bandwidth' .* in the range .* Got 0.0 instead"),
        ({"bandwidth": "wide"}, r"'bandwidth' .*'auto'.* Got 'wide' instead"),
        ({"random_state": "seed"}, r"'random_state' .* Got 'seed' instead"),
    ],
)
def test_bad_parameters_are_refused_when_asked(params, message):
    with pytest.raises(ValueError, match=message):
        BalancedGain(**params).query(X, Y)
