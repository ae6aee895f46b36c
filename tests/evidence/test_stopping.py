"""Advice to stop rests on the labelled set's error alone, and is withheld where that is thin."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from palacs.datasets import load
from palacs.evidence import advise_stopping, learning_curve


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


def test_a_flat_curve_is_left_at_some_time_in_most_cases():
    def ever(seed):
        X, y = equal_counts("3Clusters", 420, seed)
        return any(advise_stopping(X[:n], y[:n]).stop for n in (137, 180, 237, 312, 420))

    assert sum(ever(seed) for seed in range(8)) >= 4


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
