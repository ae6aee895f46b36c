"""Advice to stop: given for a reason, stated with its evidence, and never remembered."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from palacs import PALACS, Conditions
from palacs.evidence import Advice, GainThreshold, Plateau, estimated_accuracy, expected_gain

RNG = np.random.default_rng(0)
Y = np.arange(60) % 3
X = RNG.normal(Y[:, None], 0.15, (60, 1))


def test_small_gains_for_long_enough_are_a_reason_to_stop():
    rule = GainThreshold(0.1, patience=3)
    gains = [0.4, 0.5, 0.2, 0.04, 0.03]
    assert not rule.advise(gains).stop
    advice = rule.advise([*gains, 0.045])
    assert advice.stop
    assert advice.reason == (
        "The best expected gain per cost was below 0.05 in each of the last 3 decisions, at most "
        "0.045; the largest was 0.5."
    )


def test_one_large_gain_among_the_last_keeps_going():
    advice = GainThreshold(0.1, patience=3).advise([0.5, 0.01, 0.2, 0.01])
    assert not advice.stop
    assert "one still promised a gain per cost of 0.2" in advice.reason


def test_an_absolute_threshold_is_a_gain_per_cost():
    rule = GainThreshold(0.02, patience=2, absolute=True)
    assert rule.advise([0.03, 0.01, 0.019]).stop
    assert not rule.advise([0.03, 0.01, 0.021]).stop


def test_decisions_that_weighed_nothing_are_left_out():
    rule = GainThreshold(0.5, patience=2)
    assert rule.advise([np.nan, 1.0, 0.1, np.nan, 0.2]).stop
    advice = rule.advise([np.nan, np.nan, 0.3])
    assert advice == Advice(
        False, "Only 1 decisions were made by expected gain; 2 in a row are looked at."
    )


def test_an_accuracy_that_levels_off_is_a_reason_to_stop():
    rising = np.linspace(0.4, 0.9, 40)
    rule = Plateau(window=10, tolerance=0.01, patience=5)
    assert not rule.advise(rising).stop
    assert "it rose within the last 5" in rule.advise(rising).reason
    advice = rule.advise(np.concatenate([rising, np.full(40, 0.9)]))
    assert advice.stop
    assert advice.reason == (
        "The cross-validated accuracy averaged 0.900 over the last 10 acquisitions and 0.900 over "
        "the 10 before, and had not risen for 5: it has levelled off."
    )


def test_a_pause_in_the_rise_is_not_yet_level():
    rule = Plateau(window=3, tolerance=0.0, patience=4)
    paused = [0.4, 0.5, 0.6, 0.7, 0.7, 0.7, 0.7, 0.7, 0.7]
    assert not rule.advise(paused).stop
    assert rule.advise([*paused, 0.7, 0.7, 0.7]).stop


def test_too_few_estimates_are_no_reason():
    rule = Plateau(window=10, patience=3)
    advice = rule.advise([0.9] * 21)
    assert not advice.stop
    assert "estimated 21 times; 22 are needed" in advice.reason
    assert rule.advise([0.9] * 22).stop


def test_the_expected_gain_is_the_best_utility_per_cost():
    conditions = Conditions(costs={0: 1, 1: 2, 2: 4})
    utilities = PALACS(random_state=0).query(X, Y, conditions=conditions, return_utilities=True)[1]
    assert expected_gain(utilities) == utilities.max()
    assert expected_gain([0.1, np.nan]) == 0.1
    assert np.isnan(expected_gain([np.inf, 0.1]))
    assert np.isnan(expected_gain([np.nan, np.nan]))


@pytest.mark.parametrize("classifier", [None, GaussianNB()])
def test_the_estimated_accuracy_tells_easy_from_hopeless(classifier):
    shuffled = RNG.permutation(Y)
    assert estimated_accuracy(X, Y, classifier=classifier) > 0.9
    assert estimated_accuracy(X, shuffled, classifier=classifier) < 0.6


def test_the_estimate_weighs_classes_equally():
    # 50 easy instances and 2 that are lost among another class.
    x = np.r_[np.linspace(0, 0.1, 50), 0.05, 0.06][:, None]
    y = np.r_[np.zeros(50), 1, 1].astype(int)
    assert estimated_accuracy(x, y) < 0.8


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: GainThreshold(0), r"threshold must be a finite number, positive, got 0"),
        (lambda: GainThreshold(0.1, 0), r"patience must be a whole number of at least 1, got 0"),
        (lambda: Plateau(0), r"window must be a whole number of at least 1, got 0"),
        (lambda: Plateau(patience=0), r"patience must be a whole number of at least 1, got 0"),
        (lambda: Plateau(5, -1), r"tolerance must be a finite number, not negative, got -1"),
        (lambda: estimated_accuracy(X, Y, folds=1), r"folds must be .* at least 2, got 1"),
    ],
)
def test_bad_values_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
