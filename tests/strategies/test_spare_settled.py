"""Spare settled: few requests for settled classes, equal ones for all others."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.cluster import KMeans
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.ensemble import RandomForestClassifier, StackingClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import CategoricalNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import OneClassSVM
from sklearn.tree import DecisionTreeClassifier

from palacs import PALACS, ParzenWindowClassifier
from palacs.conditions import ClassConditions
from palacs.evidence import check_labelled_set
from palacs.evidence._out_of_fold import _supposed, out_of_fold_evidence
from palacs.evidence._settled import (
    LEFT_OUT,
    SPLITS,
    halve,
    latest_of_each,
    no_evidence,
    tally,
)
from palacs.strategies import (
    Conditions,
    InverseAccuracy,
    Needs,
    Pick,
    SpareSettled,
    UniformSelection,
    because,
)
from palacs.strategies._spare_settled import _still_next
from palacs.strategies._weights import REFITTED, RULE, needs_of, needs_of_refitted, overdue_by
from palacs.stream import Stream
from palacs.testing import check_strategy, strategy_checks


def _apart_and_overlapping(per_class=12, n_features=2, seed=0):
    """Return "rest" far away and "left" and "right" overlapping, per_class of each."""
    rng = np.random.default_rng(seed)
    centres = np.zeros((3, n_features))
    centres[0, 0], centres[2, 1] = 20.0, 1.0
    y = np.arange(3 * per_class) % 3
    X = centres[y] + rng.normal(size=(len(y), n_features))
    return X, np.array(["rest", "left", "right"])[y]


def test_it_keeps_the_contract_of_a_strategy():
    check_strategy(SpareSettled())


@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression,
        LinearRegression(),
        make_pipeline(StandardScaler(), LinearRegression()),
        KMeans(3),
        OneClassSVM(),
    ],
)
def test_what_is_no_classifier_is_refused_at_the_first_request(model):
    X, y = _apart_and_overlapping(1)
    with pytest.raises(
        ValueError, match=r"must be a classifier with fit and predict \(made, not only its class\)"
    ):
        SpareSettled(model).query(X, y)


def test_a_classifier_that_predicts_once_it_is_fitted_is_one():
    X, y = _apart_and_overlapping(6)
    stacked = StackingClassifier([("tree", DecisionTreeClassifier())], cv=2)
    assert not hasattr(stacked, "predict")
    SpareSettled(stacked, random_state=0).query(X, y)


# A thousand classes are refitted five thousand times.
_QUICK = [check for check in strategy_checks() if "thousand" not in check.__name__]


@pytest.mark.parametrize("check", _QUICK, ids=lambda check: check.__name__)
def test_it_keeps_the_contract_with_a_classifier_of_its_own(check):
    check(SpareSettled(KNeighborsClassifier(1)))


def test_a_settled_class_is_asked_for_rarely_and_confused_ones_about_equally():
    X, y = _apart_and_overlapping()
    quotas = SpareSettled(random_state=0).quotas(X, y, 60)
    assert quotas["rest"] <= 6
    assert min(quotas["left"], quotas["right"]) >= 20


@pytest.mark.parametrize("n_features", [2, 64, 1024])
def test_in_any_dimension_a_settled_class_is_seen(n_features):
    flat, y = _apart_and_overlapping()
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(n_features, 2)))[0]
    bandwidth = ParzenWindowClassifier(0.4, class_prior="uniform")
    here = SpareSettled(bandwidth, random_state=0).explain(flat, y)
    there = SpareSettled(bandwidth, random_state=0).explain(flat @ turn.T, y)
    np.testing.assert_allclose(there.weights, here.weights, rtol=1e-6)
    assert here.weights[1] < 0.3


@pytest.mark.parametrize("per_class", [(5, 14, 9), (9, 40, 200)])
@pytest.mark.parametrize("many", [1, 25])
def test_what_a_window_counts_as_it_comes_is_no_evidence(per_class, many):
    """A class that was asked for often would look easy, whoever decides by numbers alone."""
    rng = np.random.default_rng(4)
    y = np.repeat(np.arange(3), many * np.array(per_class))
    X = rng.normal(size=(len(y), 2)) + np.array([[0.0, 0.0], [1.0, 0.0], [6.0, 0.0]])[y]
    as_it_comes, even = (
        SpareSettled(ParzenWindowClassifier("auto", class_prior=prior), 0).explain(X, y)
        for prior in (None, "uniform")
    )
    assert np.array_equal(as_it_comes.weights, even.weights)
    assert np.array_equal(as_it_comes.confused, even.confused)


def test_equally_hard_classes_are_asked_for_as_by_uniform():
    rng = np.random.default_rng(2)
    y = np.arange(60) % 3
    X = rng.normal(size=(60, 2))
    asked = SpareSettled(random_state=0).query(X, y, batch_size=30)
    assert np.array_equal(asked, UniformSelection(random_state=0).query(X, y, batch_size=30))


def test_where_nothing_is_ever_mistaken_it_is_uniform():
    X = np.repeat([[0.0], [100.0], [200.0]], 8, axis=0) + np.tile(np.arange(8.0), 3)[:, None] / 9
    y = np.repeat(np.arange(3), 8)
    needs = SpareSettled(random_state=0).explain(X, y)
    assert (needs.weights == 1.0).all()
    assert needs.reason == "All classes are settled, so all should have equally many."


def test_a_class_of_one_instance_is_never_settled():
    X, y = _apart_and_overlapping()
    few = (y != "rest") | (np.arange(len(y)) == 0)
    assert SpareSettled(random_state=0).explain(X[few], y[few]).weights.min() == 1.0


def test_a_class_that_needs_all_its_instances_is_not_settled():
    """Instances of "many" are all right now, but each of its places rests on three of them."""
    rng = np.random.default_rng(3)
    places = 10.0 * np.array([[np.cos(a), np.sin(a)] for a in np.arange(8) * np.pi / 4])
    many = np.repeat(places, 3, axis=0) + 0.05 * rng.normal(size=(24, 2))
    centre = 9.0 * rng.normal(size=(24, 2))
    far = np.array([200.0, 0.0]) + rng.normal(size=(24, 2))
    X, y = np.concatenate([many, centre, far]), np.repeat(["many", "centre", "far"], 24)
    needs = SpareSettled(ParzenWindowClassifier(1.0, class_prior="uniform"), 0).explain(X, y)
    lost = dict(zip(needs.classes.tolist(), needs.lost.tolist(), strict=True))
    weights = dict(zip(needs.classes.tolist(), needs.weights.tolist(), strict=True))
    assert lost["many"] > 0.02
    assert weights["many"] > 0.9
    assert weights["far"] < 0.5
    assert lost["far"] == pytest.approx(0.0, abs=1e-9)


def test_the_sentence_names_who_is_confused_and_who_is_settled():
    X, y = _apart_and_overlapping()
    reason = SpareSettled(random_state=0).explain(X, y).reason
    assert reason == "left and right are still confused; rest is settled."


def test_many_settled_classes_are_not_all_named():
    X, y = _apart_and_overlapping()
    rng = np.random.default_rng(4)
    more = [50.0 * (i + 2) + rng.normal(size=(12, 2)) for i in range(5)]
    X = np.concatenate([X, *more])
    y = np.concatenate([y, np.repeat([f"s{i}" for i in range(5)], 12)])
    reason = SpareSettled(random_state=0).explain(X, y).reason
    assert reason == "left and right are still confused; rest, s0, s1 and 3 others are settled."


def _blobs(centres, names, n=12):
    rng = np.random.default_rng(1)
    X = np.concatenate([rng.normal(centre, 1.0, size=(n, 2)) for centre in centres])
    return X, np.repeat(names, n)


def _needs(mistaken, weights, confused=None, lost=(0.0, 0.0, 0.0)):
    """Return what is known of left, rest and right; as a rule halving them loses nothing."""
    labels, lost = np.array(["left", "rest", "right"]), np.array(lost)
    confused = np.zeros((3, 3)) if confused is None else np.array(confused)
    few = np.zeros(3, dtype=bool)
    return Needs(labels, np.array(mistaken), lost, np.array(weights), confused, few)


def test_a_class_that_is_often_mistaken_needs_fewer_but_is_not_called_settled():
    confused = [[0.0, 0.5, 4.0], [0.5, 0.0, 0.5], [4.0, 0.5, 0.0]]
    needs = _needs([0.6, 0.2, 0.6], [1.0, 0.5, 1.0], confused)
    assert needs.settled.tolist() == [False] * 3
    assert needs.reason == "left and right are still confused; rest needs fewer instances."
    assert needs.because(1) == (
        "although others need more, because it is still asked for now and then"
    )


def test_a_class_is_less_settled_than_settled_ones_only():
    needs = _needs([0.02, 0.4, 0.0], [1.0, 0.7, 0.2], lost=(0.05, 0.0, 0.0))
    assert needs.reason == (
        "left still depends on every instance; right is settled; rest needs fewer instances."
    )
    assert needs.because(0) == "because decisions on it still depend on every instance"


def test_what_halving_costs_nothing_does_not_depend_on_every_instance():
    needs = _needs([0.02, 0.4, 0.0], [1.0, 0.7, 0.2])
    assert needs.reason == "right is settled; rest needs fewer instances."
    assert needs.because(0) == "because right is settled and rest needs fewer instances"


def test_a_class_with_fewer_mistakes_is_not_less_settled():
    """Sparing weighs what halving costs more than `settled` does."""
    needs = _needs([0.04, 0.09, 0.0], [1.0, 0.7, 0.2], lost=(0.01, 0.0, 0.0))
    assert needs.settled.all()
    assert needs.reason == "rest and right are settled."
    assert needs.because(0) == "because rest and right are settled"


def test_a_class_that_is_far_behind_would_be_asked_for_again():
    """Of its final share it will have fewer, and yet it is not asked for now and then."""
    weights = np.array([1.0, 0.5, 1.0])
    assert _still_next(weights, np.array([25, 3, 25]), 1)
    assert not _still_next(weights, np.array([25, 12, 25]), 1)
    assert not _still_next(weights, np.array([25, 12, 25]), 0)


def _why(X, y, candidates=None):
    """Return the sentence about the class that is asked for, and the class."""
    strategy, labelled = SpareSettled(random_state=0), check_labelled_set(X, y, None, None)
    labels, utilities = strategy.query_labelled(labelled, candidates=candidates)
    code = labelled.classes.tolist().index(labels[0])
    stream = Stream(np.uint64(0), np.uint64(len(y)))
    pick = Pick(labelled, code, utilities, ClassConditions(), stream)
    return because(strategy, pick), labels[0]


def test_only_a_class_of_fewer_instances_than_all_others_has_only_so_many():
    rest, left, right = [10, 12, 14, 11, 13], [70, 76, 82, 73, 79], [72, 78, 80, 74, 77]
    X, y = np.array([rest + left + right]).T / 100.0, np.repeat(["rest", "left", "right"], 5)
    why, label = _why(X, y)
    assert label == "left"
    assert why == "because it and right are still confused, while rest is settled"
    why, _ = _why(np.delete(X, 5, axis=0), np.delete(y, 5))
    assert why == "because it has only 4 instances yet, with those under way"


def test_a_class_that_is_asked_for_since_others_may_not_be_says_so():
    X, y = _apart_and_overlapping(12)
    why, label = _why(X, y, candidates=["rest"])
    assert label == "rest"
    assert why == "because it needs an instance the most of those that may be asked for now"


def test_a_class_of_which_no_instance_has_come_is_named():
    X, y = _blobs([(0, 0), (3, 0)], ["a", "b"], 8)
    reason = SpareSettled(random_state=0).explain(X, y, classes=["a", "b", "z"]).reason
    assert reason.endswith("equally many; of z none has come yet.")


def test_a_class_that_everything_is_taken_for_is_not_called_settled():
    """Of rows that are all the same five neighbours name one class, whatever it is."""
    X, y = np.zeros((30, 2)), np.repeat(["a", "b", "c"], 10)
    needs = SpareSettled(KNeighborsClassifier(5), random_state=0).explain(X, y)
    assert needs.mistaken[0] == 0.0
    assert not needs.settled.any()
    assert "settled" not in needs.reason


def test_classes_that_need_nearly_as_much_are_not_said_to_need_fewer():
    needs = _needs([0.5, 0.4, 0.6], [0.9, 0.8, 1.0])
    assert not needs.spared.any()
    assert needs.reason == "No class is settled yet, so all should have about equally many."
    assert needs.because(1) == "because all classes need about as many, and it is its turn"


def test_no_class_is_said_to_be_confused_with_what_is_said_to_need_fewer():
    confused = np.array([[0.0, 3.0, 0.0], [6.0, 0.0, 1.0], [0.1, 0.1, 0.0]])
    shares, weights = np.array([0.3, 0.7, 0.02]), np.array([0.7, 1.0, 0.1])
    few = np.zeros(3, dtype=bool)
    needs = Needs(np.array(["rest", "left", "right"]), shares, np.zeros(3), weights, confused, few)
    assert needs.reason == (
        "left is still taken for rest; right is settled; rest needs fewer instances."
    )
    assert needs.because(1) == (
        "because it is still taken for rest, while right is settled and rest needs fewer instances"
    )


def test_classes_that_are_told_apart_closely_are_not_called_confused():
    """Softly a fifth is mistaken, and yet every left-out decision is right."""
    each = np.linspace(0.0, 2.0, 5)
    X = np.concatenate([each, each + 5.0, each + 90.0])[:, None]
    y = np.repeat(["left", "right", "rest"], 5)
    window = ParzenWindowClassifier(3.0, class_prior="uniform")
    needs = SpareSettled(window, 0).explain(X, y)
    assert needs.mistaken[[0, 2]].min() > 0.1
    assert not needs.confused.any()
    assert needs.reason == "left is still hard to tell from others; rest is settled."
    assert needs.because(2) == "because it is still hard to tell from others, while rest is settled"


@pytest.mark.parametrize("neighbours", [5, 50])
def test_while_a_classifier_refuses_so_few_instances_no_class_needs_fewer(neighbours):
    """With one class left there is one answer, which is no evidence for what is refused else."""
    X, y = [[0.0], [1.0], [2.0]], ["a", "b", "c"]
    needs = SpareSettled(KNeighborsClassifier(neighbours), 0).explain(X, y)
    assert needs.weights.tolist() == [1.0, 1.0, 1.0]
    assert needs.reason == "No class is settled yet, so all should have equally many."


def test_where_hardly_anything_is_mistaken_nothing_is_said_to_be_confused():
    X, y = _blobs([(0, 0), (9, 0), (0, 12)], [0, 1, 2])
    needs = SpareSettled(random_state=0).explain(X, y)
    assert needs.mistaken.max() < 0.01
    assert needs.settled.all()
    assert needs.reason == "All classes are settled, so all should have equally many."
    needs = _needs([0.0, 0.04, 0.0], [0.2, 1.0, 0.2])
    assert needs.reason == "rest is less settled than left and right."
    assert needs.because(1) == "because it is less settled than left and right"


def test_a_class_nobody_has_seen_is_neither_settled_nor_spared():
    X, y = _apart_and_overlapping()
    known = ["left", "new", "rest", "right"]
    needs = SpareSettled(random_state=0).explain(X, y, classes=known, pending=["new"])
    assert np.isnan(needs.mistaken[1])
    assert not needs.settled[1]
    assert not needs.spared[1]
    assert needs.because(1) == "because none of its instances has come yet"


def test_the_fewest_of_those_that_may_be_asked_for_are_not_the_fewest_of_all():
    X, y = [[0.0], [0.1], [0.2], [5.0], [5.1], [9.0]], ["a", "a", "a", "b", "b", "c"]
    labelled = check_labelled_set(X, y, None, None)
    stream = Stream(np.uint64(0), np.uint64(6))
    pick = Pick(labelled, 1, np.array([0.1, 0.2, np.nan]), ClassConditions(), stream)
    assert because(UniformSelection(random_state=0), pick) == (
        "because it has the fewest instances of those that may be asked for now "
        "(2, with those under way)"
    )


@pytest.mark.parametrize(
    "model",
    [
        KNeighborsClassifier(),
        LinearDiscriminantAnalysis(),
        GridSearchCV(LogisticRegression(), {"C": [1.0, 10.0]}),
    ],
)
@pytest.mark.parametrize("per_class", [1, 2])
def test_a_model_that_refuses_few_instances_is_waited_for(model, per_class):
    X, y = _apart_and_overlapping(per_class)
    strategy = SpareSettled(model, random_state=0)
    assert sorted(strategy.query(X, y, batch_size=3)) == ["left", "rest", "right"]
    assert not SpareSettled(KNeighborsClassifier(), 0).explain(X[:3], y[:3]).confused.any()


def test_a_model_that_refuses_many_instances_is_told_and_waited_for():
    X, y = _apart_and_overlapping(20)
    strategy = SpareSettled(KNeighborsClassifier(500), random_state=0)
    with pytest.warns(UserWarning, match=r"\(n_neighbors=500\) refuses .* until it can be"):
        assert strategy.explain(X, y).weights.tolist() == [1.0, 1.0, 1.0]


def test_a_parameter_that_no_instance_can_mend_is_an_error_at_once():
    X, y = _apart_and_overlapping(6)
    with pytest.raises(ValueError, match="The 'C' parameter"):
        SpareSettled(LogisticRegression(C=-1.0), random_state=0).query(X, y)


def test_one_fold_that_is_refused_ends_no_campaign():
    """A fold may lack a category that its model is asked about: 20 of each class, as counts."""
    rng = np.random.default_rng(0)
    X, y = rng.poisson(2.0, (60, 3)), np.arange(60) % 3
    X[0] = 30
    SpareSettled(CategoricalNB(), random_state=0).query(X, y)


@pytest.mark.parametrize("few", [12, 13, 14])
def test_of_a_class_that_cannot_be_halved_an_average_loss_is_supposed(few):
    """Quadratic discriminants refuse half of it, whatever it looks like: it is settled."""
    rng = np.random.default_rng(0)
    centres = np.zeros((3, 5))
    centres[1, 0], centres[2, 1] = 1.2, 12.0
    y = np.repeat([0, 1, 2], [30, 30, few])
    X = centres[y] + rng.normal(size=(len(y), 5))
    needs = SpareSettled(QuadraticDiscriminantAnalysis(), random_state=0).explain(X, y)
    assert needs.mistaken[2] < 0.01
    assert needs.lost[2] < 0.1
    assert needs.weights[2] < needs.weights[:2].max()


def test_where_some_halves_are_refused_the_others_speak_for_them():
    lost = _supposed(np.array([0.2, 0.3, 0.0]), np.array([10.0, 5.0, 0.0]), np.array([0, 5.0, 10]))
    np.testing.assert_allclose(lost, [0.2, 0.6, 0.4])


@pytest.mark.parametrize("strategy", [SpareSettled, PALACS, InverseAccuracy])
def test_chance_of_a_model_without_a_seed_is_that_of_the_strategy(strategy):
    X, y = _apart_and_overlapping(12, n_features=4)
    labelled = check_labelled_set(X, y, None, None)
    stream = Stream(np.uint64(2**63), np.uint64(36))
    asking = strategy(classifier=make_pipeline(StandardScaler(), RandomForestClassifier(3)))
    told = {repr(asking.utilities(labelled, stream).tolist()) for _ in range(4)}
    assert len(told) == 1


def test_costs_move_counts_by_their_square_root():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(60, 2)), np.arange(60) % 3
    costs = Conditions(costs={0: 1.0, 1: 1.0, 2: 4.0})
    quotas = SpareSettled(random_state=0).quotas(X, y, 240, conditions=costs)
    counts = np.array([quotas[c] + 20 for c in range(3)])
    assert counts[2] / counts[0] == pytest.approx(0.5, abs=0.03)


@pytest.mark.parametrize("model", [LogisticRegression(C=100.0), RidgeClassifier()])
def test_any_classifier_finds_the_settled_class(model):
    X, y = _apart_and_overlapping(per_class=15)
    needs = SpareSettled(model, random_state=0).explain(X, y)
    assert needs.weights[1] < 0.5
    assert needs.weights[[0, 2]].min() > 0.6


class _Taught(ClassifierMixin, BaseEstimator):
    """Keeps how many of each class it was fitted to, and decides nothing."""

    seen: ClassVar[list[list[int]]] = []

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.seen.append(np.bincount(y).tolist())
        return self

    def predict_proba(self, X):
        return np.full((len(X), len(self.classes_)), 1.0 / len(self.classes_))

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


@settings(max_examples=30, deadline=None)  # the first call compiles, each fits up to 55 models
@given(st.lists(st.integers(3, 17), min_size=1, max_size=4), st.integers(0, 2**32))
def test_each_fold_leaves_out_the_same_of_each_class_and_halves_what_is_left(counts, seed):
    counts = np.array([*counts, 6])
    y = np.repeat(np.arange(len(counts)), counts)
    labelled = check_labelled_set(np.zeros((len(y), 1)), y, None, None)
    _Taught.seen.clear()
    out_of_fold_evidence(labelled, _Taught(), 5, Stream(np.uint64(seed), np.uint64(len(y))))
    for whole, *thinned in np.array(_Taught.seen).reshape(5, 1 + 2 * len(counts), -1):
        left_out = counts - whole
        assert (left_out >= counts // 5).all()
        assert (left_out <= -(-counts // 5)).all()
        for c in range(len(counts)):
            half = whole.copy()
            half[c] -= whole[c] // 2
            for taught in thinned[2 * c : 2 * c + 2]:
                assert taught.tolist() == half.tolist()


def test_a_wide_class_that_odds_would_give_up_is_not_spared():
    """Between two narrow ones: without half of it these are surer, and it is mistaken more."""
    y = np.arange(600) % 3
    middles = np.array([[0.0, 0.0], [2.0, 0.0], [4.0, 0.0]])
    widths = np.array([[0.3], [3.0], [0.3]])
    X = middles[y] + widths[y] * np.random.default_rng(1).normal(size=(600, 2))
    needs = SpareSettled(LinearDiscriminantAnalysis(), random_state=0).explain(X, y)
    assert needs.lost[1] > 0.0
    assert needs.weights[1] > 0.9


@pytest.mark.parametrize("seed", range(3))
def test_a_class_that_a_linear_model_cannot_hold_is_asked_for_less(seed):
    """It lies all around the two others: more of it only takes from these."""
    rng = np.random.default_rng(seed)
    around = rng.uniform(0.0, 2.0 * np.pi, 25)
    ring = 4.0 * np.column_stack([np.cos(around), np.sin(around)])
    inner = [rng.normal((side, 0.0), 1.0, (25, 2)) for side in (-1.0, 1.0)]
    X, y = np.vstack([*inner, ring]), np.repeat([0, 1, 2], 25)
    needs = SpareSettled(LogisticRegression(), random_state=0).explain(X, y)
    assert needs.mistaken[2] > needs.mistaken[:2].max()
    assert needs.weights[2] < 0.7 < needs.weights[:2].min()


def test_folds_in_which_all_rows_are_the_same_say_nothing():
    """One sensor that was off but once: linear discriminant analysis fails in the other folds."""
    X, y = np.zeros((15, 2)), np.arange(15) % 3
    X[-1] = 1.0
    picks = SpareSettled(LinearDiscriminantAnalysis(), random_state=0).query(X, y, batch_size=6)
    assert np.bincount(picks, minlength=3).min() >= 1


@pytest.mark.parametrize("per_class", [3, 5, 6, 12])
def test_with_a_classifier_no_class_is_spared_before_it_has_six(per_class):
    X, y = _apart_and_overlapping(per_class)
    needs = SpareSettled(KNeighborsClassifier(1), random_state=0).explain(X, y)
    assert needs.spared.any() == (per_class >= 6)


def test_a_class_that_stays_scarce_keeps_no_other_from_being_spared():
    X, y = _apart_and_overlapping(12)
    scarce = np.flatnonzero(y == "left")[2:]
    needs = SpareSettled(KNeighborsClassifier(1), random_state=0).explain(
        np.delete(X, scarce, axis=0), np.delete(y, scarce)
    )
    assert needs.spared[:2].tolist() == [False, True]


def test_a_class_of_few_instances_is_not_said_to_be_less_settled():
    X, y = _apart_and_overlapping(12)
    rest = np.flatnonzero(y == "rest")[3:]
    X, y = np.delete(X, rest, axis=0), np.delete(y, rest)
    needs = SpareSettled(KNeighborsClassifier(1), random_state=0).explain(X, y)
    assert needs.mistaken[1] == 0.0
    assert not needs.settled[1]
    assert needs.because(1) == "because it has too few instances yet to be called settled"
    alone = Needs(
        needs.classes,
        np.zeros(3),
        np.zeros(3),
        np.array([0.2, 1.0, 0.2]),
        np.zeros((3, 3)),
        needs.few,
    )
    assert alone.reason == "rest has too few instances yet; left and right are settled."


def test_a_model_that_refuses_halves_only_is_not_an_error():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 8)), np.arange(40) % 2
    strategy = SpareSettled(QuadraticDiscriminantAnalysis(), random_state=0)
    assert strategy.explain(X, y).weights.tolist() == [1.0, 1.0]


def test_a_hard_class_whose_first_recordings_are_alike_is_asked_for_again():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal((0, 0), 1.0, (24, 2)), rng.normal((2, 0), 1.0, (24, 2))])
    alike = np.array([1.0, 4.5]) + 0.02 * rng.normal(size=(5, 2))
    y = np.repeat([0, 1, 2], [24, 24, 5])
    chosen = SpareSettled(LogisticRegression(C=100.0), 0).query(np.vstack([X, alike]), y)
    assert chosen[0] == 2


@given(st.lists(st.integers(0, 4), min_size=1, max_size=60), st.integers(0, 2**32))
def test_halves_are_halves(codes, seed):
    y = np.array(codes, dtype=np.int64)
    counts = np.bincount(y, minlength=5)
    known = halve(y, counts, Stream(np.uint64(seed), np.uint64(len(y))))
    for s in range(SPLITS):
        taken = np.bincount(y[known.half[:, s]], minlength=5)
        assert np.array_equal(taken, counts // 2)
        assert np.array_equal(taken, known.in_half[:, s])


def test_each_instance_is_in_a_half_as_often_as_any_other():
    y = np.zeros(9, dtype=np.int64)
    chosen = np.zeros(9)
    for step in range(2_000):
        chosen += halve(y, np.array([9]), Stream(np.uint64(1), np.uint64(step))).half[:, 0]
    assert np.abs(chosen / 2_000 - 4 / 9).max() < 0.05


@given(st.lists(st.integers(0, 3), min_size=1, max_size=80), st.integers(1, 6))
def test_the_latest_of_each_class_are_left_out(codes, most):
    y = np.array(codes, dtype=np.int64)
    rows = latest_of_each(y, 4, most)
    expected = sorted(i for c in range(4) for i in np.flatnonzero(y == c)[-most:].tolist())
    assert rows.tolist() == expected


def test_the_compiled_tally_agrees_with_refits_of_the_classifier():
    """Each instance is decided by a model that saw neither it nor the one most like it."""
    X, codes = _apart_and_overlapping(per_class=6)
    labelled = check_labelled_set(X, codes, None, None)
    squared = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    mistaken = np.zeros(3)
    for i, code in enumerate(labelled.y):
        kin = [j for j in np.flatnonzero(labelled.y == code) if j != i]
        beside = min(kin, key=lambda j: squared[i, j])
        seen = np.setdiff1d(np.arange(len(X)), [i, beside])
        model = ParzenWindowClassifier(0.7, classes=[0, 1, 2], class_prior="uniform")
        proba = model.fit(X[seen], labelled.y[seen]).predict_proba(X[[i]])[0]
        rival = np.delete(proba, code).max()
        mistaken[code] += rival / (proba[code] + rival)
    known = halve(labelled.y, labelled.counts, Stream(np.uint64(0), np.uint64(len(labelled))))
    evidence = no_evidence(3)
    tally(squared, np.arange(len(X)), known, (0.7, np.full(3, 1 / 3)), evidence)
    np.testing.assert_allclose(evidence.mistaken, mistaken, atol=1e-9)


def test_recordings_made_in_one_go_do_not_vouch_for_each_other():
    rng = np.random.default_rng(0)
    # Pairs of near-copies, scattered at random over the same region: nothing is known of them.
    base = rng.random((12, 2))
    X = np.repeat(base, 2, axis=0) + 1e-4 * rng.normal(size=(24, 2))
    y = np.repeat(["a", "b", "c"], 8)
    needs = SpareSettled(random_state=0).explain(X, y)
    assert needs.mistaken.min() > 0.3
    assert (needs.weights == 1.0).all()


@given(
    st.lists(st.integers(1, 200), min_size=2, max_size=12),
    st.integers(0, 2**32 - 1),
    st.sampled_from([1e-200, 1.0]),
)
def test_weights_are_shares_and_the_neediest_class_has_all_of_its_own(counts, seed, scale):
    rng = np.random.default_rng(seed)
    sizes = np.array(counts)
    evidence = no_evidence(len(sizes))
    evidence.left_out[:] = sizes
    evidence.mistaken[:] = scale * sizes * rng.random(len(sizes))
    weights, _ = needs_of(evidence, sizes, RULE)
    assert ((weights > 0) & (weights <= 1)).all()
    assert weights.max() == 1.0
    # However settled, a class keeps what two imaginary instances of average need give it.
    assert (weights >= 1.0 / (2.0 + sizes) / len(sizes)).all()


def test_counts_settle_where_need_per_instance_is_equal():
    """With needs that fall like a / n the rule ends near Neyman's shares, ∝ sqrt(a)."""
    a = np.array([100.0, 100.0, 4.0])
    counts = np.ones(3, dtype=np.int64)
    for _ in range(3_000):
        evidence = no_evidence(3)
        evidence.left_out[:] = counts
        evidence.lost[:] = (a / counts)[:, None]
        weights, _ = needs_of(evidence, 10**9 * counts, RULE._replace(chance=0.0, worthless=1e-9))
        counts[overdue_by(weights, counts).argmax()] += 1
    assert counts[0] == pytest.approx(counts[1], abs=2)
    assert counts[2] / counts[0] == pytest.approx(np.sqrt(0.04), rel=0.05)


def _evidence(mistaken, decided, lost=0.0):
    """Return evidence of so many decisions on each class, mistaken with these shares."""
    evidence = no_evidence(len(mistaken))
    evidence.left_out[:] = decided
    evidence.mistaken[:] = decided * np.array(mistaken)
    evidence.lost[:] = np.broadcast_to(lost, (2 * SPLITS, len(mistaken))).T
    return evidence


@given(st.floats(0.0, 0.3), st.floats(0.0, 0.3))
def test_what_is_won_without_half_of_a_class_makes_it_needed_less(won, more):
    shares, counts = np.array([0.4, 0.4, 0.4]), np.full(3, 15)
    evidence, further = (
        _evidence(shares, 15, lost=[0.1, 0.1, -each]) for each in (won, won + more)
    )
    # The cap is lower, too, the less halving costs on the whole.
    rule = REFITTED._replace(least_cap=1.0, most_cap=1.0)
    weights, lost = needs_of_refitted(evidence, counts, rule)
    less, _ = needs_of_refitted(further, counts, rule)
    assert lost[2] == 0.0
    assert less[2] <= weights[2] + 1e-12
    # No class is given up for it: its mistakes count by half.
    assert less[2] > 0.25


@given(st.integers(2, 60), st.integers(2, 25), st.integers(0, 2**32 - 1))
def test_allowing_for_chance_spares_no_class_more(n_classes, decided, seed):
    """Whole mistakes with one probability for all classes: their spread is what chance makes it."""
    rng = np.random.default_rng(seed)
    shares = rng.binomial(decided, 0.4, size=n_classes) / decided
    counts = np.full(n_classes, decided)
    drawn, _ = needs_of(_evidence(shares, decided), counts, RULE)
    followed, _ = needs_of(_evidence(shares, decided), counts, RULE._replace(chance=0.0))
    assert (drawn >= followed - 1e-12).all()


def test_a_spread_that_chance_explains_makes_no_difference():
    shares, counts = np.array([0.3, 0.5, 0.55]), np.full(3, 6)
    weights, _ = needs_of(_evidence(shares, 6, lost=0.2 * shares), counts, RULE)
    assert weights.tolist() == [1.0, 1.0, 1.0]
    # A hundred times as many decisions say the same more surely.
    weights, _ = needs_of(_evidence(shares, 600, lost=0.2 * shares), 100 * counts, RULE)
    assert weights[0] < weights[1] <= weights[2] == 1.0


def test_a_spread_that_is_worth_nothing_makes_no_difference_however_sure():
    weights, _ = needs_of(_evidence([0.45, 0.5, 0.55], 10**6), np.full(3, 10**6), RULE)
    assert weights.tolist() == [1.0, 1.0, 1.0]


def test_mistakes_are_followed_as_far_as_there_is_something_to_learn_where_they_are_made():
    """Where halving costs the most in classes that are rarely mistaken, the others are hopeless."""
    shares, counts = np.array([0.1, 0.3, 0.5, 0.6]), np.full(4, 100)
    along, _ = needs_of(_evidence(shares, 100, lost=0.1 * shares), counts, RULE)
    against, _ = needs_of(_evidence(shares, 100, lost=[0.3, 0.05, 0.0, -0.05]), counts, RULE)
    nowhere, _ = needs_of(_evidence(shares, 100, lost=0.0), counts, RULE)
    assert along[0] < 0.35
    assert along[1] < 0.8
    assert against.tolist() == [1.0, 1.0, 1.0, 1.0]
    assert nowhere[0] < 0.35


def test_small_differences_are_followed_only_where_something_can_be_learned():
    """Of thousands of decisions each: chance explains nothing here."""
    shares, counts = np.array([0.3, 0.5, 0.55]), np.full(3, 10**4)
    learned, _ = needs_of(_evidence(shares, 10**4, lost=0.2 * shares), counts, RULE)
    nowhere, _ = needs_of(_evidence(shares, 10**4), counts, RULE)
    assert learned[0] < 0.9
    assert nowhere.tolist() == [1.0, 1.0, 1.0]


def test_of_classes_that_are_mistaken_alike_no_slope_is_taken_seriously():
    """One of two loses much by halving; which is mistaken a hundredth more makes no difference."""
    counts, lost = np.full(2, 20), [0.02, 0.3]
    up, _ = needs_of(_evidence([0.30, 0.31], 20, lost), counts, RULE)
    down, _ = needs_of(_evidence([0.31, 0.30], 20, lost), counts, RULE)
    hopeless, _ = needs_of(
        _evidence([0.68, 0.70, 0.0], 20, [-0.05, -0.06, 0.02]), counts[:1].repeat(3), RULE
    )
    assert up[1] == down[1] == 1.0
    assert up[0] > 0.3
    assert hopeless[2] < 0.6


def test_left_out_instances_per_class_are_bounded():
    rng = np.random.default_rng(6)
    y = np.arange(300) % 3
    evidence = SpareSettled(random_state=0)._evidence(
        check_labelled_set(rng.normal(size=(300, 2)), y, None, None),
        Stream(np.uint64(0), np.uint64(300)),
    )
    assert evidence.left_out.tolist() == [LEFT_OUT] * 3
