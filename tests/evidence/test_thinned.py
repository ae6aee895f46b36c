"""Of very many instances an even selection is looked at, and it is always the same one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palacs.evidence import LabelledSet, check_labelled_set
from palacs.strategies import SpareSettled


def labelled(y: list[int], n_classes: int = 4) -> LabelledSet:
    X = np.arange(len(y), dtype=float)[:, None]
    return check_labelled_set(X, y, list(range(n_classes)), [1, 2])


@given(st.lists(st.integers(0, 3), min_size=1, max_size=80), st.integers(4, 60))
def test_a_selection_keeps_order_latest_and_small_classes(y: list[int], most: int) -> None:
    whole = labelled(y)
    some = whole.thinned(most)
    assert len(some) <= max(most, 4)
    assert (np.diff(some.X[:, 0]) > 0).all()
    assert np.array_equal(some.y, np.array(y)[some.X[:, 0].astype(int)])
    assert some.requested.tolist() == whole.requested.tolist()
    for code in set(y):
        assert (some.y == code).any()
        assert some.X[some.y == code][-1] == whole.X[whole.y == code][-1]
    given_up = whole.counts - some.counts
    kept_all = [c for c in range(4) if given_up[c] == 0]
    for c in np.flatnonzero(given_up):
        assert all(some.counts[c] >= some.counts[k] for k in kept_all)


@pytest.mark.parametrize(("n_classes", "most"), [(4, 4_000), (100, 5_000)])
def test_up_to_a_few_thousand_all_are_looked_at(n_classes: int, most: int) -> None:
    whole = labelled([i % n_classes for i in range(most)], n_classes)
    assert whole.thinned() is whole
    more = labelled([i % n_classes for i in range(most + 1)], n_classes)
    assert len(more.thinned()) == most


@pytest.mark.parametrize("n", [3_999, 6_000])
def test_counts_of_all_instances_decide_who_is_behind(n: int) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((n, 2)), np.arange(n) % 3
    y[-1] = y[-2]
    counts = np.bincount(y)
    utilities = SpareSettled(random_state=0).query(X, y, return_utilities=True)[1]
    assert counts.max() - counts.min() <= 2
    assert np.argmax(utilities) == np.argmin(counts)
