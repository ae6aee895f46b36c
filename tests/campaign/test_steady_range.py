"""Among many instances the range of the features holds still, and is the same however it came."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palacs import evidence
from palacs.campaign import _steady_range
from palacs.campaign._growing_set import GrowingSet, scale
from palacs.campaign._steady_range import SteadyRange

few = st.integers(-3, 3).map(float)
rows = st.lists(st.tuples(few, st.one_of(few, st.just(40.0))), min_size=1, max_size=60)


def told(X: list[tuple[float, float]], pieces: list[int]) -> SteadyRange:
    steady, first = SteadyRange(many=5), 0
    for size in [*pieces, len(X)]:
        steady.take(np.array(X[first : first + size]).reshape(-1, 2))
        first += size
    return steady


@given(rows, st.lists(st.integers(1, 9), max_size=9))
def test_it_does_not_matter_in_which_pieces_instances_are_read(X, pieces) -> None:
    at_once, in_pieces = told(X, []), told(X, pieces)
    assert at_once.saved() == in_pieces.saved()
    again = SteadyRange(many=5)
    again.restore(at_once.saved())
    assert again.saved() == at_once.saved()


@given(rows)
def test_it_is_that_of_all_up_to_the_last_time_it_was_looked_at(X) -> None:
    steady, seen = SteadyRange(many=5), np.array(X)
    for n, row in enumerate(seen, start=1):
        before = None if steady.lower is None else (steady.lower, steady.upper)
        renewed = steady.take(row[None])
        low, high = seen[:n].min(axis=0), seen[:n].max(axis=0)
        assert steady.lower is not None
        assert steady.upper is not None
        if n <= 5 or n in (10, 20, 40) or renewed:
            assert np.array_equal(steady.lower, low)
            assert np.array_equal(steady.upper, high)
        else:
            assert before is not None
            assert np.array_equal(steady.lower, before[0])
        # Nothing lies outside by more than the width.
        width = steady.upper - steady.lower
        assert (row >= steady.lower - width).all()
        assert (row <= steady.upper + width).all()


def test_both_rooms_mean_the_same_by_many() -> None:
    assert _steady_range.MANY == evidence.MANY


@pytest.mark.parametrize("gone", [None, 3])
def test_a_growing_set_scales_many_rows_as_if_they_had_come_at_once(gone, monkeypatch) -> None:
    monkeypatch.setattr(_steady_range.SteadyRange.__init__, "__defaults__", (20,))
    X = np.random.default_rng(0).standard_t(3, size=(150, 3))
    growing = GrowingSet(None)
    scalings = []
    for i, x in enumerate(X):
        growing.append(x.astype("<f8").tobytes(), 0)
        if i % 2:
            growing.scaled()
        scalings.append(growing.scaling)
    assert len({id(s) for s in scalings[25:]}) < 10
    kept = X
    if gone is not None:
        growing.remove(gone)
        kept = np.delete(X, gone, axis=0)
    fresh = SteadyRange()
    fresh.take(kept)
    assert fresh.lower is not None
    assert fresh.upper is not None
    assert np.array_equal(growing.scaled(), scale(kept, fresh.lower, fresh.upper))
    assert growing.scaling is growing.scaling
