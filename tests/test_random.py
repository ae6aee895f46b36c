"""Random numbers are a function of (seed, step, purpose) and bit for bit NumPy's Philox."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kstest

from palacs.stream import (
    FOLDS,
    PENDING,
    PICK,
    PSEUDO,
    THIRD_PARTY,
    Stream,
    fill_normal,
    permutation,
    philox,
    to_unit,
    uniform,
)

WORDS = st.integers(0, 2**64 - 1)


def stream(seed=7, step=3):
    return Stream(np.uint64(seed), np.uint64(step))


def normals(n, *, seed=7, step=3, purpose=PSEUDO, block=0):
    out = np.empty(n)
    return out, fill_normal(stream(seed, step), purpose, block, out)


@settings(deadline=None)  # the first call compiles
@given(seed=WORDS, step=WORDS, purpose=WORDS, block=st.integers(0, 2**62))
def test_philox_gives_the_words_of_numpys_philox(seed, step, purpose, block):
    counter = np.array([block, step, purpose, 0], dtype=np.uint64)
    key = np.array([seed, 0], dtype=np.uint64)
    ours = philox(np.uint64(seed), np.uint64(step), np.uint64(purpose), block)
    assert list(ours) == np.random.Philox(key=key, counter=counter).random_raw(4).tolist()


def test_the_generator_for_third_parties_has_a_stream_of_its_own():
    raw = stream().generator().bit_generator.random_raw(4)
    assert raw.tolist() == list(philox(np.uint64(7), np.uint64(3), THIRD_PARTY, 0))


def test_uniform_numbers_are_uniform_and_below_one():
    numbers = np.array([uniform(stream(), PICK, i) for i in range(5_000)])
    assert numbers.min() >= 0
    assert numbers.max() < 1
    assert kstest(numbers, "uniform").pvalue > 0.001


@pytest.mark.parametrize("seed", range(5))
def test_normals_pass_a_kolmogorov_smirnov_test(seed):
    numbers, _ = normals(20_000, seed=seed)
    assert np.isfinite(numbers).all()
    assert kstest(numbers, "norm").pvalue > 0.001


def test_neighbouring_normals_are_uncorrelated():
    numbers, _ = normals(40_000)
    for lag in range(1, 5):
        assert abs(np.corrcoef(numbers[lag:], numbers[:-lag])[0, 1]) < 4 / np.sqrt(40_000)


@settings(deadline=None)  # the first call compiles
@given(n=st.integers(0, 40))
def test_normals_come_four_to_a_block_and_a_shorter_vector_is_a_prefix(n):
    numbers, next_block = normals(n, block=5)
    assert next_block == 5 + -(-n // 4)
    assert np.array_equal(numbers, normals(60, block=5)[0][:n])


@settings(deadline=None)  # the first call compiles
@given(seed=WORDS, n=st.integers(0, 200))
def test_a_permutation_holds_every_place_once(seed, n):
    assert sorted(permutation(stream(seed), FOLDS, n)) == list(range(n))


def test_every_permutation_of_three_is_equally_likely():
    orders = [tuple(permutation(stream(seed), FOLDS, 3)) for seed in range(6_000)]
    _, counts = np.unique(orders, axis=0, return_counts=True)
    assert len(counts) == 6
    assert ((counts - 1_000) ** 2 / 1_000).sum() < 20.5  # chi-square, 5 degrees, p = 0.001


def test_other_seeds_steps_and_purposes_give_unrelated_streams():
    base, _ = normals(10_000)
    others = [
        normals(10_000, seed=8),
        normals(10_000, step=4),
        normals(10_000, purpose=FOLDS),
        normals(10_000, purpose=PENDING),
        normals(10_000, block=2_500),
    ]
    for other, _ in others:
        assert abs(np.corrcoef(base, other)[0, 1]) < 0.04


def test_python_may_hand_words_to_machine_code() -> None:
    # A first decision may run in Python while what it calls was compiled before.
    filled: Any = fill_normal
    drawn: Any = uniform
    word: Any = 5
    to_unit(word)
    numbers = stream()
    by_machine, by_python = np.empty(40), np.empty(40)
    fill_normal(numbers, PSEUDO, 0, by_machine)
    filled.py_func(numbers, PSEUDO, 0, by_python)
    np.testing.assert_allclose(by_python, by_machine, rtol=1e-12)
    for i in range(20):
        assert drawn.py_func(numbers, PSEUDO, i) == uniform(numbers, PSEUDO, i)
