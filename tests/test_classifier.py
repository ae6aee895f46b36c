"""The Parzen window is a scikit-learn classifier whose probabilities are Eq. 1, shared out."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from palacs import ParzenWindowClassifier, kernel_frequencies

X = np.array([[0.0], [0.1], [0.2], [0.9], [1.0]])
Y = np.array(["a", "a", "a", "b", "b"])


def test_every_one_of_scikit_learns_estimator_checks_passes():
    # Its array-API check is left out unless SciPy is imported with this set.
    code = """
import json
from sklearn.utils.estimator_checks import check_estimator
from palacs import ParzenWindowClassifier
statuses = []
for params in ({}, {"class_prior": "uniform"}, {"bandwidth": 2.0}):
    model = ParzenWindowClassifier(**params)
    results = check_estimator(model, on_skip=None, on_fail=None)
    statuses += [(r["check_name"], r["status"], str(r["exception"])) for r in results]
print(json.dumps(statuses))
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "SCIPY_ARRAY_API": "1"},
    )
    statuses = json.loads(done.stdout)
    assert len(statuses) > 100
    assert [status for status in statuses if status[1] != "passed"] == []


def test_clone_pipeline_search_and_cross_validation_work_as_for_any_classifier():
    features, labels = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[labels]
    model = make_pipeline(MinMaxScaler(), ParzenWindowClassifier())
    assert cross_val_score(model, features, names, cv=5).mean() > 0.93
    search = GridSearchCV(model, {"parzenwindowclassifier__bandwidth": [0.001, 0.1]}, cv=3)
    assert search.fit(features, names).best_params_["parzenwindowclassifier__bandwidth"] == 0.1
    original = ParzenWindowClassifier(0.3, classes=["a", "b"], class_prior=[0.2, 0.8])
    assert clone(original).get_params() == original.get_params()


def test_frequencies_are_those_of_the_kernel():
    model = ParzenWindowClassifier(bandwidth=0.2).fit(X, Y)
    expected = kernel_frequencies(X, X, [0, 0, 0, 1, 1], n_classes=2, bandwidth=0.2)
    assert np.array_equal(model.predict_freq(X), expected)


def test_the_papers_probabilities_are_the_shares_of_the_frequencies():
    model = ParzenWindowClassifier(bandwidth=0.5).fit(X, Y)
    k = model.predict_freq(X)
    np.testing.assert_allclose(model.predict_proba(X), k / k.sum(axis=1, keepdims=True))
    assert model.predict(X).tolist() == np.array(["a", "b"])[k.argmax(axis=1)].tolist()


@pytest.mark.parametrize(("class_prior", "prior"), [("uniform", [1, 1]), ([3, 1], [3, 1])])
def test_a_class_prior_divides_the_acquired_class_sizes_out(class_prior, prior):
    model = ParzenWindowClassifier(bandwidth=0.5, class_prior=class_prior).fit(X, Y)
    scores = model.predict_freq(X) * np.array(prior) / np.array([3, 2])
    np.testing.assert_allclose(model.predict_proba(X), scores / scores.sum(axis=1, keepdims=True))
    assert model.class_prior_.sum() == pytest.approx(1)


def test_acquiring_a_class_more_often_does_not_favour_it_under_a_prior():
    often = np.repeat([0.0, 1.0], [9, 1])[:, None], np.repeat(["a", "b"], [9, 1])
    middle = [[0.5]]
    paper = ParzenWindowClassifier(bandwidth=0.5).fit(*often).predict_proba(middle)[0]
    fair = ParzenWindowClassifier(0.5, class_prior="uniform").fit(*often).predict_proba(middle)[0]
    np.testing.assert_allclose(paper, [0.9, 0.1])
    np.testing.assert_allclose(fair, [0.5, 0.5])


@pytest.mark.parametrize(
    ("class_prior", "expected"),
    [(None, [1 / 3] * 3), ("uniform", [1 / 3] * 3), ([1, 2, 1], [0.25, 0.5, 0.25])],
)
@pytest.mark.parametrize("n_features", [1, 40])
def test_where_nothing_is_near_the_paper_knows_the_prior_alone(class_prior, expected, n_features):
    model = ParzenWindowClassifier(
        classes=["a", "b", "c"], class_prior=class_prior, nothing_near="prior"
    )
    model.fit(np.repeat(X, n_features, axis=1), Y)
    for far in (1e6, 1e154, -1e300):
        proba = model.predict_proba(np.full((1, n_features), far))
        np.testing.assert_allclose(proba, [expected])


@pytest.mark.parametrize("class_prior", [None, "uniform", [0.2, 0.8]])
@pytest.mark.parametrize("n_features", [1, 40])
def test_however_far_away_everything_is_the_nearest_decides(class_prior, n_features):
    model = ParzenWindowClassifier(class_prior=class_prior)
    model.fit(np.repeat(X, n_features, axis=1), Y)
    for far, nearest in ((1e6, "b"), (-1e6, "a"), (30.0, "b")):
        assert model.predict(np.full((1, n_features), far)).tolist() == [nearest]


@pytest.mark.parametrize("bandwidth", ["auto", 0.05])
def test_in_thousands_of_dimensions_it_is_as_good_as_the_nearest_neighbour(bandwidth):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    centres = rng.random((3, 3_072))
    seen, unseen = (centres[y] + rng.normal(0, 0.5, (60, 3_072)) for _ in range(2))
    model = ParzenWindowClassifier(bandwidth, class_prior="uniform").fit(seen, y)
    assert model.score(unseen, y) == 1.0
    # Eq. 1 itself underflows there, and stays what it is.
    assert (ParzenWindowClassifier(0.05).fit(seen, y).predict_freq(unseen) == 0).all()


def test_where_something_is_near_both_ways_agree():
    rng = np.random.default_rng(1)
    points, y = rng.random((30, 2)), np.arange(30) % 3
    first, second = (
        ParzenWindowClassifier(0.2, nothing_near=word).fit(points, y).predict_proba(points)
        for word in ("nearest", "prior")
    )
    np.testing.assert_allclose(first, second, rtol=1e-9)


def test_frequencies_too_small_to_add_up_still_give_probabilities():
    model = ParzenWindowClassifier(bandwidth=0.05).fit(X, Y)
    grid = np.linspace(-3, 4, 2_000)[:, None]
    proba = model.predict_proba(grid)
    assert np.isfinite(proba).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1)


def test_classes_never_seen_have_probability_zero_where_others_are_near():
    model = ParzenWindowClassifier(bandwidth=0.2, classes=["c", "b", "a"]).fit(X, Y)
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert model.class_count_.tolist() == [3, 2, 0]
    assert (model.predict_proba(X)[:, 2] == 0).all()
    corrected = clone(model).set_params(class_prior="uniform").fit(X, Y)
    assert (corrected.predict_proba(X)[:, 2] == 0).all()


@pytest.mark.parametrize("labels", [[3, 3, 3, 7, 7], [True, True, True, False, False], [*"aaabb"]])
def test_predictions_are_labels_of_the_type_given(labels):
    predicted = ParzenWindowClassifier(bandwidth=0.2).fit(X, labels).predict(X)
    assert predicted.tolist() == labels
    objects = np.array(labels, dtype=object)
    known = sorted(set(labels))
    model = ParzenWindowClassifier(bandwidth=0.2, classes=known).fit(X, labels)
    assert model.predict(X).tolist() == objects.tolist()


@pytest.mark.parametrize(
    ("params", "labels", "message"),
    [
        ({"bandwidth": 0.0}, Y, r"'bandwidth' .* in the range .* Got 0.0 instead"),
        ({"bandwidth": -0.05}, Y, r"'bandwidth' .* in the range .* Got -0.05 instead"),
        ({"bandwidth": np.inf}, Y, r"'bandwidth' .* in the range .* Got inf instead"),
        ({"bandwidth": np.nan}, Y, r"'bandwidth' .* in the range .* Got nan instead"),
        ({"class_prior": "flat"}, Y, r"'class_prior' .*'uniform'.* Got 'flat' instead"),
        ({"class_prior": [1.0]}, Y, r"class_prior has shape \(1,\), but there are 2 classes; give"),
        ({"class_prior": [1, -1]}, Y, r"class_prior=\[1.0, -1.0\] must hold finite numbers, none"),
        ({"class_prior": [0, 0]}, Y, r"class_prior=\[0.0, 0.0\] .* not all zero"),
        ({"class_prior": [1, np.nan]}, Y, r"class_prior=\[1.0, nan\] must hold finite numbers"),
        ({"classes": ["a", "c"]}, Y, r"label 'b', which is not among classes=.*; add it to"),
        ({"classes": ["a", "b"]}, [0, 0, 0, 1, 1], r"label 0, which is not among classes="),
        ({}, [0.5, 1.5, 2.5, 3.5, 4.5], r"Unknown label type: continuous"),
        ({}, Y[:-1], r"inconsistent numbers of samples: \[5, 4\]"),
    ],
)
def test_bad_parameters_and_labels_are_refused(params, labels, message):
    with pytest.raises(ValueError, match=message):
        ParzenWindowClassifier(**params).fit(X, labels)


@pytest.mark.parametrize(
    ("queries", "message"),
    [
        ([[np.nan]], r"Input X contains NaN"),
        ([[np.inf]], r"Input X contains infinity"),
        ([0.0, 1.0], r"(?s)Expected 2D array, got 1D array.*Reshape your data"),
        ([[0.0, 1.0]], r"X has 2 features, but .* is expecting 1 features"),
    ],
)
def test_bad_queries_are_refused(queries, message):
    model = ParzenWindowClassifier().fit(X, Y)
    with pytest.raises(ValueError, match=message):
        model.predict_proba(queries)


def test_weights_count_an_instance_as_so_many():
    rng = np.random.default_rng(0)
    X, y = rng.random((30, 3)), rng.integers(3, size=30)
    weights = rng.integers(4, size=30)
    queries = rng.random((20, 3))
    for model in (
        ParzenWindowClassifier(0.2, classes=[0, 1, 2]),
        ParzenWindowClassifier(0.2, classes=[0, 1, 2], class_prior="uniform"),
        ParzenWindowClassifier(0.2, classes=[0, 1, 2], nothing_near="prior"),
    ):
        weighted = model.fit(X, y, sample_weight=weights).predict_proba(queries)
        repeated = model.fit(X.repeat(weights, axis=0), y.repeat(weights)).predict_proba(queries)
        assert np.allclose(weighted, repeated)


def test_weights_that_are_all_zero_or_negative_are_refused():
    with pytest.raises(ValueError, match=r"zero everywhere|non-zero"):
        ParzenWindowClassifier().fit([[0.0], [1.0]], [0, 1], sample_weight=[0, 0])
    with pytest.raises(ValueError, match="Negative values"):
        ParzenWindowClassifier().fit([[0.0], [1.0]], [0, 1], sample_weight=[1, -1])


class _NA:
    """pandas' missing value in short: comparing it gives no answer."""

    def __ne__(self, other):
        return self

    def __bool__(self):
        raise TypeError("boolean value of NA is ambiguous")


_NA.__name__ = "NAType"


@pytest.mark.parametrize("labels", [[1, "a"], np.array([1, "a"], dtype=object)])
def test_text_mixed_with_numbers_is_refused_and_not_made_text(labels):
    with pytest.raises(ValueError, match="y holds the text 'a' and the number 1"):
        ParzenWindowClassifier().fit([[0.0], [1.0]], labels)
    with pytest.raises(ValueError, match="classes holds the text 'a' and the number 1"):
        ParzenWindowClassifier(classes=labels).fit([[0.0], [1.0]], ["1", "a"])


@pytest.mark.parametrize("missing", [None, float("nan"), _NA()])
def test_a_missing_label_is_named(missing):
    with pytest.raises(ValueError, match="y holds a missing label"):
        ParzenWindowClassifier().fit([[0.0], [1.0]], [missing, "a"])


def test_true_is_no_bandwidth():
    with pytest.raises(ValueError, match="bandwidth"):
        ParzenWindowClassifier(bandwidth=True).fit([[0.0], [1.0]], ["a", "b"])
