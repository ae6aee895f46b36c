"""The ceiling: what the best counts in hindsight would bring, judged on other trials."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from palacs import ParzenWindowClassifier
from palacs.experiments import Split, find_ceiling
from palacs.experiments._climbing import climb, fill_log_scores, gradual_mistakes


def _split(rng, spread, per_class=40, tested=30):
    """Return a split of "apart" far away and two classes that overlap by ``spread``."""
    centres = np.array([[9.0, 0.0], [0.0, 0.0], [1.0, 0.0]])
    queues = [c + spread * rng.normal(size=(per_class, 2)) for c in centres]
    tests = [c + spread * rng.normal(size=(tested, 2)) for c in centres]
    return Split(
        np.concatenate(queues),
        np.arange(4) * per_class,
        rng.permutation(3),
        np.concatenate(tests),
        np.repeat(np.arange(3), tested),
    )


def _splits(n, spread=0.5, **sizes):
    rng = np.random.default_rng(0)
    return [_split(rng, spread, **sizes) for _ in range(n)]


def test_a_class_apart_gives_its_instances_to_those_that_overlap():
    ceiling = find_ceiling(_splits(30), budget=18)
    assert ceiling.counts.sum() == 21
    assert ceiling.counts[0] <= 4
    assert ceiling.gain > 0.02
    assert ceiling.low < ceiling.gain < ceiling.high


def test_where_classes_are_alike_there_is_nothing_to_gain_for_certain():
    rng = np.random.default_rng(1)
    splits = []
    for _ in range(24):
        X, X_test = rng.normal(size=(90, 2)), rng.normal(size=(60, 2))
        start = rng.permutation(3)
        splits.append(Split(X, np.arange(4) * 30, start, X_test, np.repeat(np.arange(3), 20)))
    ceiling = find_ceiling(splits, budget=30)
    assert not ceiling.certain


def test_counts_stay_within_what_each_class_has():
    ceiling = find_ceiling(_splits(6, per_class=12), budget=27)
    assert ceiling.counts.sum() == 30
    assert ceiling.counts.max() <= 12
    assert ceiling.counts.min() >= 1


def test_with_refill_a_class_may_be_asked_for_beyond_its_queue():
    ceiling = find_ceiling(_splits(6, per_class=5), budget=27, refill=True)
    assert ceiling.counts.sum() == 30


def test_the_same_trials_give_the_same_ceiling():
    first, again = (find_ceiling(_splits(6), budget=15) for _ in range(2))
    assert np.array_equal(first.counts, again.counts)
    assert (first.gain, first.low, first.high) == (again.gain, again.low, again.high)


def test_any_classifier_is_judged_by_its_own_errors():
    ceiling = find_ceiling(_splits(8), 15, KNeighborsClassifier(1))
    assert 0.0 < ceiling.equal_error < 0.5
    assert ceiling.counts.sum() == 18


def test_one_trial_is_too_few():
    with pytest.raises(ValueError, match="at least 2 trials, got 1"):
        find_ceiling(_splits(1), budget=10)


def test_scores_are_those_of_the_classifier():
    rng = np.random.default_rng(2)
    X, X_test, y = rng.normal(size=(12, 3)), rng.normal(size=(7, 3)), np.repeat([0, 1, 2], 4)
    squared = ((X[:, None] - X_test[None]) ** 2).sum(axis=2).reshape(3, 4, 7)
    table = np.empty((3, 4, 7), dtype=np.float32)
    fill_log_scores(table, squared.astype(np.float32), 0.6, np.full(3, 1 / 3))
    counts = np.array([2, 4, 1])
    kept = np.concatenate([np.arange(4 * c, 4 * c + counts[c]) for c in range(3)])
    model = ParzenWindowClassifier(0.6, class_prior="uniform").fit(X[kept], y[kept])
    scores = np.exp(table[np.arange(3), counts - 1].T.astype(float))
    np.testing.assert_allclose(
        scores / scores.sum(axis=1, keepdims=True), model.predict_proba(X_test), atol=1e-5
    )


def test_scores_do_not_underflow_far_away():
    table = np.empty((2, 2, 1), dtype=np.float32)
    squared = np.array([[[1e6], [2e6]], [[1.1e6], [1.2e6]]], dtype=np.float32)
    fill_log_scores(table, squared, 1.0, np.zeros(0))
    assert np.isfinite(table).all()
    assert table[0, 0, 0] > table[1, 0, 0]


def test_climbing_ends_where_no_exchange_of_one_helps():
    rng = np.random.default_rng(3)
    tables = rng.normal(size=(5, 3, 10, 20)).cumsum(axis=2).astype(np.float32)
    y_test = rng.integers(3, size=(5, 20))
    most = np.full(3, 10)
    start = np.array([4, 4, 4])
    counts = climb(tables, y_test, start, most)
    assert counts.sum() == 12
    found = gradual_mistakes(tables, y_test, counts)
    assert found <= gradual_mistakes(tables, y_test, start)
    for giver, taker in itertools.permutations(range(3), 2):
        moved = counts.copy()
        moved[giver] -= 1
        moved[taker] += 1
        if moved.min() >= 1 and moved.max() <= 10:
            assert gradual_mistakes(tables, y_test, moved) >= found
