"""The labelled set grows without moving what a decision is looking at."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palacs.campaign._growing_set import GrowingSet, scale


def row(*values: float) -> bytes:
    return np.array(values, dtype="<f8").tobytes()


@pytest.mark.parametrize("bounds", [None, [[-3.0, 3.0]]])
def test_scaling_bit_by_bit_equals_scaling_at_once(bounds) -> None:
    growing = GrowingSet(bounds)
    X = np.random.default_rng(0).normal(size=(200, 4))
    for i, x in enumerate(X):
        growing.append(row(*x), 0)
        if i % 7 == 0:
            growing.scaled()
    lower, upper = growing.limits()
    assert np.array_equal(growing.scaled(), scale(X, lower, upper))
    growing.remove(17)
    kept = np.delete(X, 17, axis=0)
    assert np.array_equal(growing.X, kept)
    assert np.array_equal(growing.scaled(), scale(kept, *growing.limits()))


@given(
    st.lists(
        st.one_of(st.floats(-10, 10), st.just("look"), st.integers(0, 40)), min_size=1, max_size=60
    )
)
def test_whatever_comes_and_goes_the_rest_is_as_if_it_had_always_been_so(steps) -> None:
    growing, handed_out = GrowingSet(None), []
    kept: dict[int, list[float]] = {}
    for step in steps:
        if isinstance(step, float):
            kept[growing.append(row(step, -step), len(kept) % 3)] = [step, -step]
        elif step == "look":
            handed_out.append((growing.scaled(), growing.scaled().copy()))
        elif kept:
            gone = list(kept)[step % len(kept)]
            growing.remove(gone)
            del kept[gone]
    X = np.array(list(kept.values())).reshape(len(kept), 2 if kept else 0)
    assert growing.rows.tolist() == list(kept)
    assert np.array_equal(growing.X, X)
    if kept:
        assert np.array_equal(growing.scaled(), scale(X, X.min(axis=0), X.max(axis=0)))
    assert all(np.array_equal(now, then) for now, then in handed_out)


def test_what_was_handed_out_does_not_change_when_more_arrives() -> None:
    growing = GrowingSet(None)
    growing.append(row(0.0), 0)
    growing.append(row(1.0), 1)
    scaled, selected = growing.scaled(), growing.selected
    for i in range(100):
        growing.append(row(2.0 + i), 0)
        growing.scaled()
    growing.remove(0)
    assert scaled.tolist() == [[0.0], [1.0]]
    assert selected.matrix().tolist() == [[0.0], [1.0]]


def test_rows_fill_one_block_after_the_other() -> None:
    growing = GrowingSet(None)
    X = np.random.default_rng(0).normal(size=(700, 512))  # 256 of these make a megabyte
    for x in X:
        growing.append(row(*x), 0)
    assert np.array_equal(growing.X, X)
    for gone in range(100, 600):
        growing.remove(gone)
    kept = np.delete(X, np.s_[100:600], axis=0)
    assert np.array_equal(growing.X, kept)
    assert np.array_equal(growing.store.row(300), X[300])


def test_taking_out_the_widest_instance_narrows_the_range() -> None:
    growing = GrowingSet(None)
    for value in [0.0, 1.0, 10.0]:
        growing.append(row(value), 0)
    growing.remove(2)
    assert growing.scaled().tolist() == [[0.0], [1.0]]


def test_before_the_first_instance_there_is_nothing() -> None:
    assert GrowingSet(None).scaled().shape == (0, 0)
    assert GrowingSet([[0.0, 1.0], [0.0, 2.0]]).scaled().shape == (0, 2)


def test_an_emptied_set_takes_another_length_and_leaves_what_it_handed_out() -> None:
    growing = GrowingSet(None)
    bad = growing.append(row(1.0, 2.0, 3.0), 0)
    seen = growing.selected
    growing.remove(bad)
    assert growing.n_features is None
    assert growing.scaled().shape == (0, 0)
    growing.append(row(4.0, 8.0), 1)
    growing.append(row(2.0, 6.0), 1)
    assert growing.X.tolist() == [[4.0, 8.0], [2.0, 6.0]]
    assert growing.scaled().tolist() == [[1.0, 1.0], [0.0, 0.0]]
    assert seen.matrix().tolist() == [[1.0, 2.0, 3.0]]


def test_a_declared_length_stays_when_the_set_is_emptied() -> None:
    growing = GrowingSet([[0.0, 10.0]], n_features=2)
    assert growing.scaled().shape == (0, 2)
    growing.remove(growing.append(row(1.0, 2.0), 0))
    assert growing.n_features == 2
    assert growing.limits()[1].tolist() == [10.0, 10.0]
