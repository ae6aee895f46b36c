"""perf_gain is the paper's Eq. 3-5, exactly, for any counts and any number of classes."""

import subprocess
import sys
from fractions import Fraction
from itertools import combinations_with_replacement
from math import factorial, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from skactiveml.pool import cost_reduction

from palacs import perf_gain
from palacs.gain._gain import _gain_rows_any

COUNTS = st.one_of(
    st.just(0.0),
    st.integers(0, 6).map(float),
    st.floats(0, 5),
    st.floats(0, 1e3),
    st.sampled_from([1e-300, 1e-9, 1e6, 1e12]),
)
VECTORS = st.integers(2, 6).flatmap(lambda n: st.lists(COUNTS, min_size=n, max_size=n))


def rising(start, n):
    return prod((start + i for i in range(n)), start=Fraction(1))


def expected_performance(k, m, prior):
    """Eq. 4-5 in exact fractions: every label vector l, the posterior's moments in closed form."""
    alpha = [Fraction(count) + Fraction(prior) for count in k]
    total = Fraction(0)
    for labels in combinations_with_replacement(range(len(k)), m):
        l_vector = [labels.count(y) for y in range(len(k))]
        after = [Fraction(count) + new for count, new in zip(k, l_vector, strict=True)]
        decision = after.index(max(after))
        arrangements = factorial(m) // prod(factorial(new) for new in l_vector)
        # E[p_decision · Π p_y^l_y] under the Dirichlet posterior
        exponents = [new + (y == decision) for y, new in enumerate(l_vector)]
        moment = prod(rising(a, e) for a, e in zip(alpha, exponents, strict=True))
        total += arrangements * moment / rising(sum(alpha), m + 1)
    return total


def brute_force_gain(k, max_labels, prior=1.0):
    now = expected_performance(k, 0, prior)
    return float(
        max((expected_performance(k, m, prior) - now) / m for m in range(1, max_labels + 1))
    )


@pytest.mark.parametrize("max_labels", [1, 2, 3, 4, 5])
@settings(max_examples=60, deadline=None)
@given(k=VECTORS)
def test_equals_brute_force_enumeration(max_labels, k):
    assert perf_gain([k], max_labels=max_labels)[0] == pytest.approx(
        brute_force_gain(k, max_labels), rel=0, abs=1e-12
    )


@pytest.mark.parametrize("n_classes", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("max_labels", [1, 2, 3, 4, 5])
def test_equals_brute_force_on_ties_nothing_and_very_unequal_counts(n_classes, max_labels):
    rows = [
        [0.0] * n_classes,
        [2.5] * n_classes,
        [3.0, 3.0, *[0.0] * (n_classes - 2)],
        [1e12, *[0.0] * (n_classes - 1)],
        [1e9, 1e9 - 2, *[7.25] * (n_classes - 2)],
        [4.0 - 0.9 * y / n_classes for y in range(n_classes)],
    ]
    expected = [brute_force_gain(row, max_labels) for row in rows]
    np.testing.assert_allclose(
        perf_gain(rows, max_labels=max_labels), expected, rtol=1e-9, atol=1e-300
    )


@settings(max_examples=30, deadline=None)
@given(k=VECTORS, prior=st.floats(0.01, 10), max_labels=st.integers(1, 4))
def test_equals_brute_force_for_any_prior(k, prior, max_labels):
    assert perf_gain([k], max_labels=max_labels, prior=prior)[0] == pytest.approx(
        brute_force_gain(k, max_labels, prior), rel=0, abs=1e-12
    )


@pytest.mark.parametrize(("n_classes", "max_labels"), [(2, 1), (2, 5), (3, 3), (4, 2), (5, 3)])
def test_equals_scikit_activeml(n_classes, max_labels):
    rng = np.random.default_rng(n_classes)
    k = np.vstack([rng.random((4, n_classes)) * 8, rng.integers(0, 3, (3, n_classes))])
    theirs = cost_reduction(k, m_max=max_labels, prior=1.0)
    np.testing.assert_allclose(perf_gain(k, max_labels=max_labels), theirs, rtol=0, atol=1e-10)


@pytest.mark.parametrize("n_classes", [1, 2, 3, 24, 25, 100, 2_000])
@pytest.mark.parametrize("max_labels", [1, 2, 3, 5])
def test_finite_and_never_negative_from_nothing_to_a_trillion_counts(n_classes, max_labels):
    rng = np.random.default_rng(0)
    shapes = [
        np.zeros((1, n_classes)),
        np.full((1, n_classes), 1e12),
        *(rng.random((4, n_classes)) * scale for scale in (1e-12, 1, 1e3, 1e12)),
        10 ** rng.uniform(-12, 12, (4, n_classes)),
        rng.integers(0, 3, (4, n_classes)) + 1e12,
    ]
    gains = perf_gain(np.vstack(shapes), max_labels=max_labels)
    assert np.isfinite(gains).all()
    assert (gains >= 0).all()


@pytest.mark.parametrize("n_classes", [1, 2, 3, 7, 30, 300])
@pytest.mark.parametrize("max_labels", [1, 2, 3])
def test_the_closed_form_equals_the_general_route(n_classes, max_labels):
    rng = np.random.default_rng(1)
    k = np.vstack(
        [
            rng.random((20, n_classes)),
            rng.random((20, n_classes)) * 4,
            rng.integers(0, 4, (20, n_classes)),
            10 ** rng.uniform(-6, 9, (20, n_classes)),
        ]
    ).astype(float)
    np.testing.assert_allclose(
        perf_gain(k, max_labels=max_labels),
        _gain_rows_any(k, max_labels, 1.0),
        rtol=1e-9,
        atol=1e-15,
    )


def test_hundreds_of_labels_and_hundreds_of_thousands_of_counts_keep_their_digits():
    few = perf_gain([[1e5, 1e5], [0.0, 0.0]], max_labels=5)
    np.testing.assert_allclose(
        perf_gain([[1e5, 1e5], [0.0, 0.0]], max_labels=1_000), few, rtol=1e-9
    )
    # Only many labels can change this decision, so that the gain comes from the last of them.
    assert perf_gain([[100.0, 0.0]], max_labels=100)[0] == 0
    assert 0 < perf_gain([[100.0, 0.0]], max_labels=300)[0] < 1e-20


@settings(deadline=None)
@given(k=VECTORS, max_labels=st.integers(1, 5), seed=st.integers(0, 99))
def test_which_class_is_which_does_not_matter(k, max_labels, seed):
    shuffled = np.random.default_rng(seed).permutation(k)
    assert perf_gain([k], max_labels=max_labels) == perf_gain([shuffled], max_labels=max_labels)


@settings(deadline=None)
@given(k=VECTORS)
def test_looking_further_ahead_never_lowers_the_gain(k):
    gains = [perf_gain([k], max_labels=m)[0] for m in range(1, 7)]
    assert (np.diff(gains) >= -1e-15).all()


def test_a_single_class_leaves_nothing_to_gain():
    assert perf_gain([[0.0], [3.0]]).tolist() == [0, 0]


def test_a_decision_that_max_labels_cannot_change_has_no_gain():
    assert perf_gain([[9.0, 0.0, 1.0]], max_labels=8)[0] == 0
    assert perf_gain([[9.0, 0.0, 1.0]], max_labels=9)[0] > 0


def test_no_points_give_no_gains():
    assert perf_gain(np.zeros((0, 3))).shape == (0,)


def test_a_thousand_classes_and_25000_points_stay_below_a_gigabyte():
    # The high-water mark of this one process: ru_maxrss would begin with its parent's.
    code = """
import re
import numpy as np
from palacs import perf_gain
k = np.random.default_rng(0).random((25_000, 1_000))
gains = perf_gain(k, max_labels=3)
assert gains.shape == (25_000,) and np.isfinite(gains).all()
try:
    print(int(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1]) * 1024)
except OSError:
    import resource
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 1e9


@pytest.mark.parametrize(
    ("k", "options", "message"),
    [
        ([[1.0, np.nan]], {}, r"k holds nan in row 0, column 1; .* finite and never negative"),
        ([[1.0, 2.0], [np.inf, 0.0]], {}, r"k holds inf in row 1, column 0"),
        ([[1.0, -0.5]], {}, r"k holds -0.5 in row 0, column 1; .* never negative"),
        ([1.0, 2.0], {}, r"(?s)Expected 2D array, got 1D array.*Reshape"),
        ([[1.0, 2.0]], {"max_labels": 0}, r"between 1 and 1000, got 0; 3 is usual"),
        ([[1.0, 2.0]], {"max_labels": 1001}, r"between 1 and 1000, got 1001; 3 is usual"),
        ([[1.0, 2.0]], {"max_labels": 2.5}, r"max_labels must be a whole number, got 2.5; 3"),
        ([[1.0, 2.0]], {"max_labels": True}, r"max_labels must be a whole number, got True"),
        ([[1.0, 2.0]], {"prior": 0}, r"prior must be positive and finite, got 0; 1.0 is"),
        ([[1.0, 2.0]], {"prior": np.nan}, r"prior must be positive and finite, got nan"),
        ([[1.0, 2.0]], {"prior": "flat"}, r"prior must be a number, got 'flat'; 1.0 is"),
    ],
)
def test_bad_input_is_refused_with_the_value_and_the_remedy(k, options, message):
    with pytest.raises(ValueError, match=message):
        perf_gain(k, **options)
