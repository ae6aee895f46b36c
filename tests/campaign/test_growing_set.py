"""The labelled set grows without moving what a decision is looking at."""

from __future__ import annotations

import numpy as np
import pytest

from palacs.campaign._growing_set import GrowingSet, scale


@pytest.mark.parametrize("bounds", [None, [[-3.0, 3.0]]])
def test_scaling_bit_by_bit_equals_scaling_at_once(bounds) -> None:
    growing = GrowingSet(bounds)
    X = np.random.default_rng(0).normal(size=(200, 4))
    for i, x in enumerate(X):
        growing.append(str(i), x, 0)
        if i % 7 == 0:
            growing.scaled()
    lower, upper = growing.limits()
    assert np.array_equal(growing.scaled(), scale(X, lower, upper))
    growing.remove("17")
    kept = np.delete(X, 17, axis=0)
    assert np.array_equal(growing.X, kept)
    assert np.array_equal(growing.scaled(), scale(kept, *growing.limits()))


def test_what_was_handed_out_does_not_change_when_more_arrives() -> None:
    growing = GrowingSet(None)
    growing.append("a", np.array([0.0]), 0)
    growing.append("b", np.array([1.0]), 1)
    scaled = growing.scaled()
    for i in range(100):
        growing.append(f"c{i}", np.array([2.0 + i]), 0)
        growing.scaled()
    growing.remove("a")
    assert scaled.tolist() == [[0.0], [1.0]]


def test_taking_out_the_widest_instance_narrows_the_range() -> None:
    growing = GrowingSet(None)
    for i, value in enumerate([0.0, 1.0, 10.0]):
        growing.append(str(i), np.array([value]), 0)
    growing.remove("2")
    assert growing.scaled().tolist() == [[0.0], [1.0]]


def test_before_the_first_instance_there_is_nothing() -> None:
    assert GrowingSet(None).scaled().shape == (0, 0)
    assert GrowingSet([[0.0, 1.0], [0.0, 2.0]]).scaled().shape == (0, 2)


def test_an_emptied_set_takes_another_length_and_leaves_what_it_handed_out() -> None:
    growing = GrowingSet(None)
    growing.append("bad", np.array([1.0, 2.0, 3.0]), 0)
    seen = growing.X
    growing.remove("bad")
    assert growing.n_features is None
    growing.append("good", np.array([4.0, 8.0]), 1)
    growing.append("next", np.array([2.0, 6.0]), 1)
    assert growing.X.tolist() == [[4.0, 8.0], [2.0, 6.0]]
    assert growing.scaled().tolist() == [[1.0, 1.0], [0.0, 0.0]]
    assert seen.tolist() == [[1.0, 2.0, 3.0]]


def test_a_declared_length_stays_when_the_set_is_emptied() -> None:
    growing = GrowingSet([[0.0, 10.0]], n_features=2)
    assert growing.scaled().shape == (0, 2)
    growing.append("a", np.array([1.0, 2.0]), 0)
    growing.remove("a")
    assert growing.n_features == 2
    assert growing.limits()[1].tolist() == [10.0, 10.0]
