"""The accuracy-based strategies, held against a literal recomputation of what they say."""

import itertools

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from palacs import (
    AccuracyImprovement,
    InverseAccuracy,
    ParzenWindowClassifier,
    Redistricting,
    Risk,
    Sensitivity,
)
from palacs.evidence import assign_folds, check_labelled_set, cross_validator
from palacs.stream import Stream

ALL = [InverseAccuracy, AccuracyImprovement, Redistricting, Risk, Sensitivity]
CLASSES = np.array(["a", "b", "c"])
MODEL = ParzenWindowClassifier(bandwidth=0.5)


def labelled_set(n=30, seed=0):
    rng = np.random.default_rng(seed)
    y = np.r_[[0, 1, 2], rng.integers(0, 3, n - 3)]
    X = rng.normal(np.array([0.0, 2.0, 2.6])[y, None], 0.5, (n, 2))
    return X, CLASSES[y]


def out_of_fold(X, y, seed, folds, removed=None):
    """Predict every instance by a model of the other folds, and without the one removed."""
    fold = assign_folds(len(X), folds, Stream(np.uint64(seed), np.uint64(len(X))))
    predicted = []
    for i in range(len(X)):
        train = [j for j in range(len(X)) if fold[j] != fold[i] and j != removed]
        predicted.append(MODEL.fit(X[train], y[train]).predict(X[i : i + 1])[0])
    return np.array(predicted)


def accuracy(y, predicted, label):
    return (sum((y == label) & (predicted == label)) + 1) / (sum(y == label) + 3)


def inverse(X, y, seed):
    predicted = out_of_fold(X, y, seed, 10)
    return [1 / accuracy(y, predicted, label) for label in CLASSES]


def improvement(X, y, seed):
    now, before = out_of_fold(X, y, seed, 10), out_of_fold(X[:-1], y[:-1], seed, 10)
    return [
        max(accuracy(y, now, label) - accuracy(y[:-1], before, label), 0) + 1 / (len(y) + 3)
        for label in CLASSES
    ]


def redistricting(X, y, seed):
    now, before = out_of_fold(X, y, seed, 10), out_of_fold(X[:-1], y[:-1], seed, 10)
    return [1 + sum((now[:-1] != before) & (y[:-1] == label)) for label in CLASSES]


def _without_each_classes_latest(X, y, seed):
    with_all = out_of_fold(X, y, seed, 10)
    for label in CLASSES:
        latest = max(i for i in range(len(y)) if y[i] == label)
        rest = np.arange(len(y)) != latest
        yield y[rest], with_all[rest], out_of_fold(X, y, seed, 10, removed=latest)[rest]


def risk(X, y, seed):
    return [
        1 + abs(sum(with_it != truth) - sum(without_it != truth))
        for truth, with_it, without_it in _without_each_classes_latest(X, y, seed)
    ]


def sensitivity(X, y, seed):
    return [
        1 + sum(with_it != without_it)
        for _, with_it, without_it in _without_each_classes_latest(X, y, seed)
    ]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("strategy", "literal"),
    [
        (InverseAccuracy, inverse),
        (AccuracyImprovement, improvement),
        (Redistricting, redistricting),
        (Risk, risk),
        (Sensitivity, sensitivity),
    ],
)
def test_chances_are_those_of_a_literal_recomputation(strategy, literal, seed):
    X, y = labelled_set(seed=seed)
    _, chances = strategy(classifier=MODEL, random_state=seed).query(X, y, return_utilities=True)
    expected = np.array(literal(X, y, seed), dtype=float)
    np.testing.assert_allclose(chances, expected / expected.sum(), rtol=1e-12)


@pytest.mark.parametrize("literal", [redistricting, risk, sensitivity])
def test_the_recomputations_see_reactions_at_all(literal):
    scores = [literal(*labelled_set(seed=seed), seed) for seed in range(4)]
    assert max(max(row) for row in scores) > 1


def test_inverse_draws_the_class_in_proportion_to_its_chance():
    X, y = labelled_set()
    strategy = InverseAccuracy(classifier=MODEL, random_state=0)
    _, chances = strategy.query(X, y, return_utilities=True)
    picks = strategy.query(X, y, batch_size=2_000)
    shares = [np.mean(picks == label) for label in CLASSES]
    np.testing.assert_allclose(shares, chances, atol=0.04)


def test_inverse_prefers_the_classes_that_are_confused():
    X, y = labelled_set(60)
    _, chances = InverseAccuracy(classifier=MODEL, random_state=0).query(
        X, y, return_utilities=True
    )
    assert chances[0] < min(chances[1:])


def test_no_repeat_never_requests_the_same_class_twice_in_a_row():
    X, y = labelled_set()
    strategy = InverseAccuracy(allow_repeat=False, random_state=0)
    picks = [y[-1], *strategy.query(X, y, batch_size=200).tolist()]
    assert all(one != next_one for one, next_one in itertools.pairwise(picks))
    for last in CLASSES:
        chosen, chances = strategy.query(X, y, pending=[last], return_utilities=True)
        assert chosen[0] != last
        assert chances[last == CLASSES] == 0


def test_no_repeat_gives_way_where_only_the_last_class_may_be_requested():
    X, y = labelled_set()
    strategy = InverseAccuracy(allow_repeat=False, random_state=0)
    assert strategy.query(X, y, candidates=[y[-1]]).tolist() == [y[-1]]


def test_repeats_are_allowed_unless_forbidden():
    X, y = labelled_set()
    picks = InverseAccuracy(random_state=0).query(X, y, batch_size=200).tolist()
    assert any(one == next_one for one, next_one in itertools.pairwise(picks))


def test_a_class_missing_from_a_fold_is_not_scored_zero_there():
    # Two instances of b among ten folds: in eight folds, b has no instance to get right.
    X = np.r_[np.linspace(0, 0.1, 18), [1.0, 1.01]][:, None]
    y = np.array(["a"] * 18 + ["b"] * 2)
    _, chances = InverseAccuracy(random_state=0).query(X, y, return_utilities=True)
    inverse_accuracy = np.array([20 / 19, 4 / 3])  # everything is right: (n_y + 1) / (n_y + 2)
    np.testing.assert_allclose(chances, inverse_accuracy / inverse_accuracy.sum())


def test_where_nothing_is_near_a_prediction_is_right_once_in_as_many_classes():
    X, y = np.arange(4.0)[:, None] * 1e6, ["a", "a", "a", "b"]
    paper = InverseAccuracy(classifier=ParzenWindowClassifier(nothing_near="prior"), random_state=0)
    _, chances = paper.query(X, y, return_utilities=True)
    accuracies = np.array([(3 / 2 + 1) / (3 + 2), (1 / 2 + 1) / (1 + 2)])
    np.testing.assert_allclose(chances, (1 / accuracies) / (1 / accuracies).sum())


@pytest.mark.parametrize("strategy", ALL)
@pytest.mark.parametrize("classifier", [LogisticRegression(), GaussianNB()])
def test_any_scikit_learn_classifier_drives_them(strategy, classifier):
    X, y = labelled_set(20)
    picks, chances = strategy(folds=3, classifier=classifier, random_state=0).query(
        X, y, return_utilities=True
    )
    assert picks[0] in CLASSES
    assert chances.sum() == pytest.approx(1)
    assert not hasattr(classifier, "classes_"), "the classifier given must stay unfitted"


@pytest.mark.parametrize("strategy", ALL)
def test_an_equivalent_classifier_without_the_fast_path_gives_the_same_chances(strategy):
    class Slow(ParzenWindowClassifier):
        pass

    X, y = labelled_set()
    answers = [
        strategy(classifier=model, random_state=1).query(X, y, return_utilities=True)
        for model in (ParzenWindowClassifier(bandwidth=0.5), Slow(bandwidth=0.5))
    ]
    assert answers[0][0] == answers[1][0]
    np.testing.assert_array_equal(answers[0][1], answers[1][1])


def test_a_perfect_classifier_leaves_redistricting_nothing_to_prefer():
    class Oracle(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            self.classes_ = np.unique(y)
            return self

        def predict(self, X):
            return CLASSES[np.rint(X[:, 0]).astype(int)]

    y = np.arange(12) % 3
    _, chances = Redistricting(classifier=Oracle(), random_state=0).query(
        y[:, None], CLASSES[y], return_utilities=True
    )
    np.testing.assert_allclose(chances, [1 / 3] * 3)


@pytest.mark.parametrize("strategy", ALL)
@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"folds": 1}, r"'folds' .* in the range \[2, inf\). Got 1 instead"),
        ({"folds": 2.5}, r"'folds' parameter .* Got 2.5 instead"),
        ({"classifier": "svm"}, r"'classifier' .* a classifier with fit and predict.* Got 'svm'"),
        ({"classifier": ParzenWindowClassifier(bandwidth=0)}, r"'bandwidth' .* Got 0 instead"),
    ],
)
def test_bad_parameters_are_refused_when_asked(strategy, params, message):
    X, y = labelled_set()
    with pytest.raises(ValueError, match=message):
        strategy(**params).query(X, y)


def test_a_classifier_may_name_the_labels_in_its_parameters():
    X, y = labelled_set(20)
    weights = dict.fromkeys(CLASSES.tolist(), 2.0)
    classifier = LogisticRegression(class_weight=weights)
    picks = InverseAccuracy(folds=3, classifier=classifier, random_state=0).query(X, y)
    assert picks[0] in CLASSES


@pytest.mark.parametrize("strategy", ALL)
def test_on_raw_features_of_any_size_the_default_model_still_tells_classes_apart(strategy):
    rng = np.random.default_rng(0)
    # As raw pixels, 0 to 16 in 64 dimensions: nothing is near anything within 0.05.
    means = rng.uniform(0, 16, (3, 64))
    means[2] = means[1] + rng.normal(0, 1.5, 64)
    codes = np.repeat(np.arange(3), 15)
    X = means[codes] + rng.normal(0, 3, (45, 64))
    validator = cross_validator(check_labelled_set(X, codes, None, None), None, 10, np.uint64(0))
    right = validator.predict(45) == codes
    assert right[codes == 0].mean() > 0.9
    _, chances = strategy(random_state=0).query(X, codes, return_utilities=True)
    assert np.isfinite(chances).all()


def test_inverse_asks_for_the_confused_classes_on_raw_features():
    rng = np.random.default_rng(0)
    means = rng.uniform(0, 16, (3, 64))
    means[2] = means[1]
    codes = np.repeat(np.arange(3), 15)
    X = means[codes] + rng.normal(0, 3, (45, 64))
    _, chances = InverseAccuracy(random_state=0).query(X, codes, return_utilities=True)
    assert chances[0] < 0.25
    assert chances[1:].max() > 0.4
