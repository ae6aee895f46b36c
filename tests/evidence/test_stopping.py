"""Advice to stop rests on the labelled set's error alone, and is withheld where that is thin."""

import inspect

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.naive_bayes import GaussianNB

from palacs.classifier import ParzenWindowClassifier
from palacs.datasets import load
from palacs.evidence import LEAST_PER_CLASS, advise_stopping, learning_curve


def equal_counts(name, n, seed):
    data = load(name, random_state=seed)
    X = (data.X - data.X.min(0)) / np.ptp(data.X, axis=0)
    order = np.random.default_rng(seed).permutation(len(X))
    queues = [order[data.y[order] == c] for c in range(data.n_classes)]
    rows = np.array([queues[i % len(queues)][i // len(queues)] for i in range(n)])
    return X[rows], data.y[rows]


@pytest.mark.parametrize("n", [14, 45, 64, 90, 120, 180])
def test_spirals_are_never_left_while_their_error_still_falls(n):
    assert not any(advise_stopping(*equal_counts("Spirals", n, seed)).stop for seed in range(8))


def test_a_flat_curve_is_left_at_some_time_in_some_cases():
    def ever(seed):
        y = np.arange(1000) % 2
        X = np.random.default_rng(seed).normal(1.5 * y[:, None], 1, (1000, 1))
        return any(advise_stopping(X[:n], y[:n]).stop for n in (320, 640, 1000))

    assert sum(ever(seed) for seed in range(8)) >= 3


def test_what_four_fifths_of_the_instances_did_not_say_is_no_advice_yet():
    rng = np.random.default_rng(0)
    X, y = rng.normal(0, 1, (400, 1)), np.r_[np.zeros(330), np.ones(70)].astype(int)
    late = advise_stopping(X, y, tolerance=2.0)
    assert not late.stop
    assert "the first 320 instances did not say so" in late.reason
    assert advise_stopping(X, rng.permutation(y), tolerance=2.0).stop


def test_of_thousands_the_fall_that_is_already_there_is_seen():
    # Half of the instances lie in small cells, each of one class, that are only slowly filled.
    n, n_cells = 3_000, 6_000
    rng = np.random.default_rng(0)
    owner, y = rng.integers(4, size=n_cells), np.arange(n) % 4
    cell = np.array([rng.choice(np.flatnonzero(owner == c)) for c in y])
    X = np.c_[cell % 100, cell // 100] + rng.uniform(-0.1, 0.1, (n, 2))
    easy = rng.random(n) < 0.5
    X[easy] = np.c_[10.0 * y, np.full(n, -30.0)][easy] + rng.normal(0, 1, (easy.sum(), 2))
    advice = advise_stopping(X / 100, y)
    assert not advice.stop
    assert advice.curve is not None
    assert advice.curve.sizes[-1] == n
    assert advice.curve.errors[-1] < 0.9 * advice.curve.errors[0]


def test_few_instances_of_one_class_are_no_reason_to_stop():
    y = np.r_[np.zeros(200), np.ones(29)].astype(int)
    X = np.random.default_rng(0).normal(0, 1, (229, 1))
    advice = advise_stopping(X, y)
    assert not advice.stop
    assert "a class has 29 of 30 instances" in advice.reason


def test_an_error_near_zero_is_left_only_if_called_good_enough():
    y = np.arange(200) % 2
    X = np.random.default_rng(0).normal(8 * y[:, None], 1, (200, 1))
    assert not advise_stopping(X, y).stop
    assert advise_stopping(X, y, good_enough=0.05).stop


def test_a_class_that_never_occurs_in_use_is_no_reason_to_go_on_or_to_stop():
    rng = np.random.default_rng(0)
    y = np.array(["a", "c"] * 150 + ["b"])
    X = rng.normal(size=(301, 2)) + 9.0 * (y == "b")[:, None]
    assert "a class has 1 of" in advise_stopping(X, y).reason
    assert advise_stopping(X, y, weights=[1, 0, 1], tolerance=0.4).stop
    apart = np.array(["a", "b", "c"] * 60)
    X = rng.normal(size=(180, 2)) + 30.0 * (apart == "a")[:, None]
    assert learning_curve(X, apart).mistakes > 10
    assert learning_curve(X, apart, weights=[1, 0, 0]).mistakes == 0


def test_the_same_labelled_set_gives_the_same_advice():
    X, y = equal_counts("3Clusters", 150, 0)
    assert advise_stopping(X, y).reason == advise_stopping(X.copy(), y.copy()).reason


def test_weights_are_how_often_classes_occur():
    X, y = equal_counts("3Clusters", 150, 0)
    easy = learning_curve(X, y, weights=[1, 0, 0]).errors[-1]
    assert easy < learning_curve(X, y, weights=[0, 1, 1]).errors[-1]


@pytest.mark.parametrize("model", [None, GaussianNB()])
@pytest.mark.parametrize("y", [[0, 1], [0, 0, 1], [0, 1, 2, 2, 2]])
def test_tiny_sets_get_a_sentence_and_no_advice(model, y):
    advice = advise_stopping(np.arange(len(y))[:, None] / 5, y, model=model)
    assert not advice.stop
    assert "nan" not in advice.reason


def test_a_class_without_an_instance_is_a_reason_to_go_on():
    X, y = equal_counts("3Clusters", 150, 0)
    advice = advise_stopping(X, y, classes=[0, 1, 2, 3])
    assert not advice.stop
    assert "no instance of 3 yet" in advice.reason


# -- whatever the labelled set ---------------------------------------------------------------


@st.composite
def labelled_sets(draw):
    counts = draw(st.lists(st.integers(1, 60), min_size=2, max_size=4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    y = rng.permutation(np.repeat(np.arange(len(counts)), counts))
    apart = draw(st.sampled_from([0.0, 0.5, 2.0, 8.0]))
    return rng.normal(apart * y[:, None], 1, (len(y), draw(st.integers(1, 3)))), y


def assert_same(one, other):
    assert one.stop == other.stop
    assert one.reason == other.reason
    assert one.curve.errors == pytest.approx(other.curve.errors)
    assert one.curve.covariance == pytest.approx(other.curve.covariance)


@settings(deadline=None, max_examples=40)
@given(labelled_sets(), st.randoms(use_true_random=False))
def test_what_classes_are_called_does_not_matter(labelled, random):
    X, y = labelled
    names = [f"class {c}" for c in range(y.max() + 1)]
    random.shuffle(names)
    options = {"tolerance": 0.5, "good_enough": 0.05}
    assert_same(advise_stopping(X, y, **options), advise_stopping(X, np.array(names)[y], **options))


@settings(deadline=None, max_examples=40)
@given(labelled_sets(), st.randoms(use_true_random=False))
def test_the_order_of_features_does_not_matter(labelled, random):
    X, y = labelled
    order = list(range(X.shape[1]))
    random.shuffle(order)
    options = {"tolerance": 0.5, "good_enough": 0.05}
    assert_same(advise_stopping(X, y, **options), advise_stopping(X[:, order], y, **options))


@settings(deadline=None, max_examples=40)
@given(labelled_sets(), st.floats(0, 1e6), st.floats(0, 1))
def test_stop_is_never_advised_before_every_class_has_thirty(labelled, tolerance, good_enough):
    X, y = labelled
    if advise_stopping(X, y, tolerance=tolerance, good_enough=good_enough).stop:
        assert np.bincount(y).min() >= LEAST_PER_CLASS == 30


def test_advice_knows_nothing_of_strategies():
    # So it says the same whichever strategy made the labelled set.
    known = set(inspect.signature(advise_stopping).parameters)
    told = {"X", "y", "model", "weights", "classes", "groups", "tolerance", "good_enough"}
    assert known == told


# -- the model -------------------------------------------------------------------------------


def test_the_papers_guess_where_nothing_is_near_is_the_models_own():
    X, y = equal_counts("Spirals", 60, 0)
    nearest, guessed = (
        learning_curve(X, y, model=ParzenWindowClassifier(0.001, nothing_near=rule)).errors[-1]
        for rule in ("nearest", "prior")
    )
    assert guessed > nearest + 0.05


def test_a_prior_may_name_classes_that_have_no_instance():
    X, y = equal_counts("3Clusters", 90, 0)
    plain = ParzenWindowClassifier(class_prior=[0.1, 0.25, 0.15])
    more = ParzenWindowClassifier(class_prior=[0.1, 0.5, 0.25, 0.15], classes=[0, 0.5, 1, 2])
    expected = learning_curve(X, y, model=plain).errors
    assert learning_curve(X, y, model=more).errors == pytest.approx(expected)
