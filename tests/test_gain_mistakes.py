"""Costs of mistakes inside `perf_gain`: exact, and the paper's gain where all cost the same."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palacs import PALACS, Conditions, perf_gain
from palacs.gain import check_work
from palacs.gain._mistakes import gain_rows_mistakes

RNG = np.random.default_rng(6)


def zero_one(n_classes):
    return 1.0 - np.eye(n_classes)


def by_enumeration(k, max_labels, mistakes, prior=1.0):
    """Try every sequence of labels, one after the other, as the definition says."""
    alpha = np.asarray(k, dtype=float) + prior
    today = (alpha @ mistakes).min() / alpha.sum()
    gains = []
    for m in range(1, max_labels + 1):
        expected = 0.0
        for sequence in product(range(len(alpha)), repeat=m):
            urn, chance = alpha.copy(), 1.0
            for label in sequence:
                chance *= urn[label] / urn.sum()
                urn[label] += 1.0
            expected += chance * (urn @ mistakes).min() / urn.sum()
        gains.append((today - expected) / m)
    return max(gains)


def random_costs(n_classes, rng):
    costs = rng.exponential(2.0, (n_classes, n_classes))
    np.fill_diagonal(costs, 0.0)
    return costs


@pytest.mark.parametrize("n_classes", [2, 3, 4, 5])
@pytest.mark.parametrize("max_labels", [1, 2, 3, 4])
def test_it_equals_trying_every_sequence_of_labels(n_classes, max_labels):
    costs = random_costs(n_classes, np.random.default_rng(n_classes))
    k = np.vstack(
        [
            RNG.exponential(2.0, (6, n_classes)),
            np.zeros((1, n_classes)),
            np.full((1, n_classes), 2.0),
            np.geomspace(1e-6, 1e4, n_classes)[None],
        ]
    )
    wanted = [by_enumeration(row, max_labels, costs) for row in k]
    found = perf_gain(k, max_labels=max_labels, mistakes=costs)
    assert np.allclose(found, wanted, rtol=0, atol=1e-12)


@pytest.mark.parametrize("n_classes", [1, 2, 3, 6])
@pytest.mark.parametrize("max_labels", [1, 2, 3, 5])
def test_mistakes_that_cost_one_give_the_papers_gain(n_classes, max_labels):
    k = RNG.exponential(3.0, (40, n_classes)) * (RNG.random((40, n_classes)) < 0.7)
    plain = perf_gain(k, max_labels=max_labels)
    general = gain_rows_mistakes(k, max_labels, 1.0, zero_one(n_classes))
    assert np.allclose(general, plain, rtol=0, atol=1e-12)
    if n_classes > 1:
        assert np.array_equal(
            perf_gain(k, max_labels=max_labels, mistakes=zero_one(n_classes)), plain
        )
        doubled = perf_gain(k, max_labels=max_labels, mistakes=2.0 * zero_one(n_classes))
        assert np.allclose(doubled, 2.0 * plain)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(2, 5).flatmap(
        lambda c: st.tuples(
            st.lists(st.floats(0, 1e12), min_size=c, max_size=c),
            st.lists(st.floats(0.01, 1e3), min_size=c * c, max_size=c * c),
        )
    ),
    st.integers(1, 4),
)
def test_it_is_finite_and_never_negative(numbers, max_labels):
    counts, costs = numbers
    matrix = np.array(costs).reshape(len(counts), -1)
    np.fill_diagonal(matrix, 0.0)
    (gain,) = perf_gain([counts], max_labels=max_labels, mistakes=matrix)
    assert np.isfinite(gain)
    assert gain >= 0


def test_the_order_of_the_classes_does_not_matter():
    costs, k = random_costs(4, RNG), RNG.exponential(2.0, (20, 4))
    order = [2, 0, 3, 1]
    turned = perf_gain(k[:, order], mistakes=costs[np.ix_(order, order)])
    assert np.allclose(perf_gain(k, mistakes=costs), turned, atol=1e-14)


def test_a_costly_mistake_keeps_a_doubtful_place_interesting():
    # Nine to one settles a decision, unless missing the one is what costs.
    plain = perf_gain([[9.0, 0.0]], mistakes=[[0, 1], [1, 0]])
    grave = perf_gain([[9.0, 0.0]], mistakes=[[0, 1], [10, 0]])
    assert plain[0] == 0
    assert grave[0] > 0.01


@pytest.mark.parametrize(
    ("mistakes", "message"),
    [
        ([[0, 1]], r"shape \(1, 2\), but there are 2 classes; give one row"),
        ([[0, -1], [1, 0]], r"holds -1.0; costs of mistakes are finite and not negative"),
        ([[0, np.nan], [1, 0]], r"holds nan"),
        ([[3, 1], [1, 0]], r"holds 3.0 on its diagonal; a right decision costs nothing"),
        ([[0, 0], [0, 0]], r"all zero"),
        ([["a", 1], [1, 0]], r"no table of numbers"),
    ],
)
def test_bad_costs_are_refused(mistakes, message):
    with pytest.raises(ValueError, match=message):
        perf_gain([[1.0, 2.0]], mistakes=mistakes)


def test_ties_with_huge_counts_keep_their_digits():
    # Both decisions cost the same to the last digit: only the sum of the counts is huge.
    costs = np.array([[0.0, 0.3, 0.7], [0.3, 0.0, 0.1], [0.7, 0.1, 0.0]])
    for n in (1e3, 1e6, 1e9, 1e12):
        # 0.3 n + 0.7 c = 0.3 n + 0.1 c holds for c = 0 alone, whatever n is.
        gain = gain_rows_mistakes(np.array([[n, n, 0.0]]), 1, 1e-9, costs)[0]
        exact = gain_rows_mistakes(np.array([[1e3, 1e3, 0.0]]), 1, 1e-9, costs)[0] * 1e3 / n
        assert gain == pytest.approx(exact, rel=1e-2)


def test_rational_costs_with_counts_of_a_trillion_agree_with_exact_arithmetic():
    from fractions import Fraction

    costs = np.array([[0.0, 0.1, 0.2], [0.7, 0.0, 0.3], [0.6, 0.3, 0.0]])
    k = np.array([3e12, 1e12 + 3, 2e12 - 7])
    alpha = [Fraction(float(value)) + 1 for value in k]
    exact = [[Fraction(float(value)) for value in row] for row in costs]
    total = sum(alpha)
    today = min(sum(a * row[d] for a, row in zip(alpha, exact, strict=True)) for d in range(3))
    expected = Fraction(0)
    for label in range(3):
        after = [a + (c == label) for c, a in enumerate(alpha)]
        best = min(sum(a * row[d] for a, row in zip(after, exact, strict=True)) for d in range(3))
        expected += alpha[label] / total * best / (total + 1)
    wanted = float(today / total - expected)
    found = perf_gain(k[None], max_labels=1, mistakes=costs)[0]
    assert found == pytest.approx(wanted, rel=1e-9, abs=1e-30)


def test_too_many_classes_are_refused_at_once_and_fewer_labels_are_named():
    costs = random_costs(100, np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"max_labels=3 with 100 classes .* use max_labels=2"):
        perf_gain(np.ones((1, 100)), mistakes=costs)
    assert perf_gain(np.ones((2, 100)), max_labels=2, mistakes=costs).shape == (2,)


def test_a_strategy_refuses_them_before_anything_is_acquired():
    costs = random_costs(100, np.random.default_rng(0))
    with pytest.raises(ValueError, match="use max_labels=2"):
        PALACS().query(
            np.empty((0, 2)), [], classes=list(range(100)), conditions=Conditions(mistakes=costs)
        )


@pytest.mark.parametrize(("n_classes", "max_labels"), [(70, 3), (700, 3), (1_500, 2), (2_000, 1)])
def test_what_the_refusal_names_is_never_refused_itself(n_classes, max_labels):
    costs, n_points = random_costs(n_classes, np.random.default_rng(0)), 25 * n_classes
    with pytest.raises(ValueError, match="costs that depend on the true class alone") as refused:
        check_work(n_classes, max_labels, costs, n_points)
    for fewer in range(1, max_labels):
        if f"use max_labels={fewer}," in str(refused.value):
            check_work(n_classes, fewer, costs, n_points)
            return
    assert "point; use costs" in str(refused.value)


def test_many_points_count_as_work_too():
    costs = random_costs(1_000, np.random.default_rng(0))
    check_work(1_000, 1, costs, 1_000)
    with pytest.raises(ValueError, match="use costs that depend on the true class alone"):
        check_work(1_000, 1, costs, 100_000)
