"""Cross-validated predictions are pooled, leave no instance to its own model, and are fast."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from palacs import ParzenWindowClassifier
from palacs.evidence import assign_folds, cross_validator
from palacs.strategies import LabelledSet
from palacs.stream import Stream

SEED = np.uint64(3)
NOTHING = np.zeros(0, dtype=np.int64)


class SameParzen(ParzenWindowClassifier):
    """Predicts the same, but is no longer the very class that the fast path knows."""


def labelled_set(n=40, n_classes=3, seed=0, classes=None):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n)
    X = rng.normal(y[:, None], 1.0, (n, 2))
    return LabelledSet(X, y, np.arange(n_classes) if classes is None else classes, NOTHING)


def validator(labelled, model, folds=10):
    return cross_validator(labelled, model, folds, SEED)


@pytest.mark.parametrize("n", [1, 2, 9, 10, 11, 47])
@pytest.mark.parametrize("folds", [2, 10])
def test_folds_differ_by_at_most_one_in_size_and_are_drawn_anew_each_round(n, folds):
    fold = assign_folds(n, folds, Stream(SEED, np.uint64(n)))
    sizes = np.bincount(fold)
    assert len(sizes) == min(n, folds)
    assert sizes.max() - sizes.min() <= 1
    if n > 10:
        assert not np.array_equal(fold, assign_folds(n, folds, Stream(SEED, np.uint64(n + 1))))


@pytest.mark.parametrize("class_prior", [None, "uniform", [0.5, 0.2, 0.3]])
@pytest.mark.parametrize("folds", [2, 10, 100])
def test_the_parzen_fast_path_predicts_what_the_classifier_does(class_prior, folds):
    labelled = labelled_set()
    params = {"bandwidth": 0.8, "class_prior": class_prior}
    fast = validator(labelled, ParzenWindowClassifier(**params), folds)
    general = validator(labelled, SameParzen(**params, classes=[0, 1, 2]), folds)
    assert type(fast) is not type(general)
    for n in (len(labelled), len(labelled) - 1, 15):
        assert np.array_equal(fast.predict(n), general.predict(n))
    for without in (0, 17, 39):
        assert np.array_equal(
            fast.predict(40, without=without), general.predict(40, without=without)
        )


def test_an_array_prior_follows_the_sorted_labels_whatever_the_order_of_the_classes():
    labelled = labelled_set(classes=np.array(["c", "a", "b"]))
    given = ParzenWindowClassifier(bandwidth=0.8, class_prior=[0.2, 0.7, 0.1])  # a, b, c
    same = ParzenWindowClassifier(bandwidth=0.8, class_prior=[0.1, 0.2, 0.7])  # codes: c, a, b
    expected = validator(labelled_set(), same).predict(40)
    assert np.array_equal(validator(labelled, given).predict(40), expected)


@pytest.mark.parametrize("folds", [2, 5, 100])
def test_every_instance_is_predicted_by_a_model_that_did_not_see_it(folds):
    labelled = labelled_set()
    predicted = validator(labelled, ParzenWindowClassifier(bandwidth=0.8), folds).predict(40)
    fold = assign_folds(40, folds, Stream(SEED, np.uint64(40)))
    for i in range(40):
        train = fold != fold[i]
        model = ParzenWindowClassifier(bandwidth=0.8).fit(labelled.X[train], labelled.y[train])
        assert predicted[i] == model.predict(labelled.X[i : i + 1])[0]


@pytest.mark.parametrize("model", [LogisticRegression(), GaussianNB()])
def test_any_scikit_learn_classifier_predicts(model):
    labelled = labelled_set()
    predicted = validator(labelled, model, folds=4).predict(40)
    fold = assign_folds(40, 4, Stream(SEED, np.uint64(40)))
    for f in range(4):
        fitted = model.fit(labelled.X[fold != f], labelled.y[fold != f])
        assert np.array_equal(predicted[fold == f], fitted.predict(labelled.X[fold == f]))


def test_where_nothing_is_near_the_paper_predicts_nothing_and_we_the_nearest():
    y = np.array([0, 1, 0, 1])
    far_apart = LabelledSet(np.arange(4.0)[:, None] * 1e6, y, np.arange(2), NOTHING)
    paper = ParzenWindowClassifier(nothing_near="prior")
    assert validator(far_apart, paper).predict(4).tolist() == [-1] * 4
    assert validator(far_apart, ParzenWindowClassifier(), 4).predict(4).tolist() == [1, 0, 1, 0]


@pytest.mark.parametrize("model", [None, LogisticRegression()])
def test_one_instance_and_none_leave_nothing_to_predict_from(model):
    labelled = labelled_set()
    assert validator(labelled, model).predict(1).tolist() == [-1]
    assert validator(labelled, model).predict(0).shape == (0,)


def test_a_training_part_with_a_single_class_predicts_that_class():
    two = LabelledSet(np.array([[0.0], [1.0]]), np.array([0, 1]), np.arange(2), NOTHING)
    assert validator(two, LogisticRegression()).predict(2).tolist() == [1, 0]


def test_the_model_given_is_neither_fitted_nor_changed():
    model = DummyClassifier()
    before = dict(vars(model))
    validator(labelled_set(), model).predict(40)
    assert vars(model) == before
