"""The ceiling: what the best counts in hindsight would bring, judged on other trials."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.neighbors import KNeighborsClassifier

from palacs import ParzenWindowClassifier
from palacs.checks import Codes, Features
from palacs.evidence import default_model
from palacs.experiments import Ceiling, Split, find_ceiling
from palacs.experiments._ceiling import _shifted
from palacs.experiments._climbing import climb, fill_log_scores, gradual_mistakes


def _split(
    rng: np.random.Generator, per_class: tuple[int, int, int] = (40, 40, 40), tested: int = 30
) -> Split:
    """Return a split of "apart" far away and two classes that alternate in stripes."""

    def draw(code: int, n: int) -> Features:
        if code == 0:
            return np.array([20.0, 0.0]) + 0.5 * rng.normal(size=(n, 2))
        stripe = 2 * rng.integers(4, size=n) + code
        return np.column_stack([stripe + rng.uniform(-0.5, 0.5, n), rng.uniform(0, 1, n)])

    return Split(
        np.concatenate([draw(c, n) for c, n in enumerate(per_class)]),
        np.concatenate([[0], np.cumsum(per_class)]),
        rng.permutation(3),
        np.concatenate([draw(c, tested) for c in range(3)]),
        np.repeat(np.arange(3), tested),
    )


def _splits(n: int, per_class: tuple[int, int, int] = (40, 40, 40)) -> list[Split]:
    rng = np.random.default_rng(0)
    return [_split(rng, per_class) for _ in range(n)]


def test_a_class_apart_gives_its_instances_to_those_that_overlap() -> None:
    ceiling = find_ceiling(_splits(30), budget=30)
    assert ceiling.counts.sum() == 33
    assert ceiling.counts[0] <= 4
    assert ceiling.certain
    assert 0.1 < ceiling.low < ceiling.gain < ceiling.high < 0.9


def test_the_best_counts_are_better_than_equal_ones_for_the_classifier_itself() -> None:
    splits = _splits(20)
    found = find_ceiling(splits, budget=30).counts

    def error(counts: Codes) -> float:
        y = np.repeat(np.arange(3), counts)
        wrong = [
            default_model().fit(split.X[split.rows_of(y)], y).predict(split.X_test) != split.y_test
            for split in splits
        ]
        return float(np.mean(wrong))

    assert error(found) < 0.9 * error(np.full(3, 11))


def test_shares_are_of_the_requests_after_the_first_instances() -> None:
    ceiling = Ceiling(np.array([1, 4, 6]), 0.2, 0.1, 0.05, 0.2, 0.1)
    assert ceiling.shares.tolist() == [0.0, 0.375, 0.625]


def test_equal_counts_are_never_certain_to_be_better_than_themselves() -> None:
    assert not Ceiling(np.array([5, 5, 6]), 0.2, 0.1, 0.05, 0.2, 0.1).certain
    assert Ceiling(np.array([4, 6, 6]), 0.2, 0.1, 0.05, 0.2, 0.1).certain


def test_where_a_class_is_scarce_in_some_trials_no_counts_ask_for_more() -> None:
    scarce = [*_splits(5), *_splits(5, (40, 9, 40))]
    ceiling = find_ceiling(scarce, budget=30)
    assert ceiling.counts.sum() == 33
    assert ceiling.counts[1] <= 9


def test_where_all_but_one_class_are_scarce_that_one_gets_the_rest() -> None:
    ceiling = find_ceiling(_splits(4, (60, 3, 3)), budget=50)
    assert ceiling.counts.sum() == 53
    assert ceiling.counts[0] >= 47


def test_a_budget_that_not_every_split_can_serve_is_refused() -> None:
    with pytest.raises(ValueError, match=r"no counts of 33 instances .* at most 24"):
        find_ceiling([*_splits(2), *_splits(2, (8, 8, 8))], budget=30)


def test_it_tells_how_much_is_done_up_to_the_end() -> None:
    for classifier in (None, KNeighborsClassifier(1), ParzenWindowClassifier(0.3)):
        told: list[float] = []
        find_ceiling(_splits(4), 12, classifier, progress=told.append)
        assert told == sorted(told)
        assert told[-1] == 1.0


def test_where_classes_are_alike_there_is_nothing_to_gain_for_certain() -> None:
    rng = np.random.default_rng(1)
    splits = []
    for _ in range(24):
        X, X_test = rng.normal(size=(90, 2)), rng.normal(size=(60, 2))
        start = rng.permutation(3)
        splits.append(Split(X, np.arange(4) * 30, start, X_test, np.repeat(np.arange(3), 20)))
    ceiling = find_ceiling(splits, budget=30)
    assert not ceiling.certain


def test_counts_stay_within_what_each_class_has() -> None:
    ceiling = find_ceiling(_splits(6, (12, 12, 12)), budget=27)
    assert ceiling.counts.sum() == 30
    assert ceiling.counts.max() <= 12
    assert ceiling.counts.min() >= 1


def test_with_refill_a_class_may_be_asked_for_beyond_its_queue() -> None:
    ceiling = find_ceiling(_splits(6, (5, 5, 5)), budget=27, refill=True)
    assert ceiling.counts.sum() == 30


def test_the_same_trials_give_the_same_ceiling() -> None:
    first, again = (find_ceiling(_splits(6), budget=15) for _ in range(2))
    assert np.array_equal(first.counts, again.counts)
    assert (first.gain, first.low, first.high) == (again.gain, again.low, again.high)


def test_any_classifier_is_judged_by_its_own_errors() -> None:
    ceiling = find_ceiling(_splits(8), 15, KNeighborsClassifier(1))
    assert 0.0 < ceiling.equal_error < 0.5
    assert ceiling.counts.sum() == 18


class Demanding(ClassifierMixin, BaseEstimator):
    """Tells the class apart from the others only if it has had 18 of it."""

    def fit(self, X: Features, y: Codes) -> Demanding:
        self.classes_, counts = np.unique(y, return_counts=True)
        self.knows_ = counts[0] >= 18
        return self

    def predict(self, X: Features) -> Codes:
        return np.where((X[:, 0] > 10.0) & self.knows_, 0, 1)


def test_counts_are_searched_with_the_judged_classifier_itself() -> None:
    # The Parzen window would ask for next to nothing of what this classifier needs.
    ceiling = find_ceiling(_splits(12), 30, Demanding())
    assert ceiling.counts[0] >= 18
    assert ceiling.gain == pytest.approx(0.5)
    assert ceiling.certain


class Refusing(Demanding):
    """Refuses fewer than five instances of a class, as many as some folds or covariances take."""

    def fit(self, X: Features, y: Codes) -> Refusing:
        if np.bincount(y).min() < 5:
            raise ValueError("too few instances of a class.")
        super().fit(X, y)
        return self


def test_counts_that_the_classifier_refuses_are_passed_over() -> None:
    # The Parzen window's best counts have fewer than five of the class apart.
    assert find_ceiling(_splits(12), 30).counts[0] < 5
    ceiling = find_ceiling(_splits(12), 30, Refusing())
    assert ceiling.counts[0] >= 18
    assert ceiling.counts.min() >= 5


def test_a_classifier_that_refuses_equal_counts_is_an_error() -> None:
    with pytest.raises(ValueError, match="too few instances of a class"):
        find_ceiling(_splits(4), 6, Refusing())


@given(
    counts=st.lists(st.integers(1, 40), min_size=2, max_size=8),
    room=st.integers(0, 20),
    c=st.integers(0, 7),
    factor=st.sampled_from([0.5, 1 / 1.3, 1.3, 2.0]),
)
def test_a_shift_keeps_the_sum_and_what_each_class_has(
    counts: list[int], room: int, c: int, factor: float
) -> None:
    before = np.array(counts)
    most = before + room
    after = _shifted(before, c % len(before), factor, most)
    assert after.sum() == before.sum()
    assert (after >= 1).all()
    assert (after <= most).all()
    moved = after[c % len(before)] - before[c % len(before)]
    assert moved * (factor - 1.0) >= 0.0


def test_one_trial_is_too_few() -> None:
    with pytest.raises(ValueError, match="at least 2 trials, got 1"):
        find_ceiling(_splits(1), budget=10)


def test_scores_are_those_of_the_classifier() -> None:
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


def test_scores_do_not_underflow_far_away() -> None:
    table = np.empty((2, 2, 1), dtype=np.float32)
    squared = np.array([[[1e6], [2e6]], [[1.1e6], [1.2e6]]], dtype=np.float32)
    fill_log_scores(table, squared, 1.0, np.zeros(0))
    assert np.isfinite(table).all()
    assert table[0, 0, 0] > table[1, 0, 0]


def test_climbing_ends_where_no_exchange_of_one_helps() -> None:
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
