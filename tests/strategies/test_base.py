"""What the base class does for every strategy: labels, picks, ties, and refusing bad input."""

import numpy as np
import pandas as pd
import pytest

from palacs import PALACS, InverseAccuracy, UniformSelection
from palacs.strategies import Strategy

X = np.array([[0.0], [0.1], [1.0], [1.1]])
Y = np.array(["a", "a", "b", "b"])


class Fixed(Strategy):
    """Returns the utilities it was given."""

    def __init__(self, values, random_state=None):
        self.values = values
        self.random_state = random_state

    def utilities(self, labelled, stream):
        return self.values


class Drawn(Fixed):
    drawn = True


def test_the_highest_utility_wins():
    assert Fixed([0.1, 0.7, 0.2]).query(X[:3], ["a", "b", "c"]).tolist() == ["b"]
    assert Fixed([-3.0, -1.0, -2.0]).query(X[:3], ["a", "b", "c"]).tolist() == ["b"]


def test_ties_are_broken_at_random_among_the_tied_only():
    picks = [Fixed([0.5, 0.1, 0.5], seed).query(X[:3], ["a", "b", "c"])[0] for seed in range(200)]
    assert set(picks) == {"a", "c"}
    assert 70 < picks.count("a") < 130


def test_a_drawing_strategy_draws_in_proportion_among_the_candidates():
    strategy = Drawn([0.2, 0.5, 0.3], random_state=0)
    picks = strategy.query(X[:3], ["a", "b", "c"], candidates=["a", "c"], batch_size=3_000)
    assert np.mean(picks == "c") == pytest.approx(0.6, abs=0.03)
    assert "b" not in picks


def test_a_drawing_strategy_without_any_chance_left_still_answers():
    picks = Drawn([0.0, 0.0, 1.0], 0).query(X[:3], ["a", "b", "c"], candidates=["a", "b"])
    assert picks[0] in ("a", "b")


def test_a_strategy_sees_the_labelled_set_in_acquisition_order_and_what_is_pending():
    seen = []

    class Looking(Fixed):
        def utilities(self, labelled, stream):
            seen.append(labelled)
            return np.zeros(3)

    Looking(None).query(
        X, [20, 10, 10, 30], classes=[30, 20, 10], pending=[10, 30], candidates=[20]
    )
    (labelled,) = seen
    assert np.array_equal(labelled.X, X)
    assert labelled.y.tolist() == [1, 2, 2, 0]
    assert labelled.classes.tolist() == [30, 20, 10]
    assert labelled.counts.tolist() == [1, 1, 2]
    assert labelled.pending.tolist() == [2, 0]
    assert labelled.counts_with_pending.tolist() == [2, 1, 3]
    assert labelled.last_requested == 0


def test_each_step_and_each_seed_has_random_numbers_of_its_own():
    class Chance(Fixed):
        def utilities(self, labelled, stream):
            return stream.generator().random(labelled.n_classes)

    def utilities(seed, n):
        labels = np.r_[np.arange(3), np.zeros(n, dtype=int)]
        features = np.zeros((n + 3, 1))
        return tuple(Chance(None, seed).query(features, labels, return_utilities=True)[1])

    assert utilities(0, 0) == utilities(0, 0)
    assert len({utilities(seed, n) for seed in range(5) for n in range(5)}) == 25


def test_none_as_a_seed_draws_anew_each_time():
    batches = {tuple(UniformSelection().query(X, Y, batch_size=40)) for _ in range(3)}
    assert len(batches) == 3


@pytest.mark.parametrize(
    ("strategy", "message"),
    [
        (Fixed([1.0, np.nan]), r"Fixed.utilities returned \[1.0, nan\]; utilities must be finite"),
        (Fixed([1.0, np.inf]), r"Fixed.utilities returned \[1.0, inf\]; utilities must be finite"),
        (Fixed([1.0, 2.0, 3.0]), r"Fixed.utilities returned shape \(3,\); return one .* 2 classes"),
        (Fixed(1.0), r"Fixed.utilities returned shape \(\); return one utility for each"),
        (Drawn([1.0, -0.5]), r"Drawn.utilities returned \[1.0, -0.5\]; .* not negative"),
    ],
)
def test_utilities_that_cannot_be_picked_from_are_refused(strategy, message):
    with pytest.raises(ValueError, match=message):
        strategy.query(X, Y)


WITH_NAN = np.array([[0.0], [np.nan], [1.0], [1.1]])
WITH_INF = np.array([[0.0], [0.1], [1.0], [-np.inf]])


@pytest.mark.parametrize("strategy", [PALACS(), InverseAccuracy(), UniformSelection()])
@pytest.mark.parametrize(
    ("features", "labels", "options", "message"),
    [
        (WITH_NAN, Y, {}, r"X holds nan in row 1, column 0; remove or repair that instance"),
        (WITH_INF, Y, {}, r"X holds -inf in row 3, column 0; remove or repair that instance"),
        ([0.0, 1.0], ["a", "b"], {}, r"X has shape \(2,\); give one row of features per instance"),
        (X[None], Y, {}, r"X has shape \(1, 4, 1\); give one row of features per instance"),
        ([[1.0], [2.0, 3.0]], ["a", "b"], {}, r"X has rows of different lengths; give every"),
        ([["x"], ["y"]], ["a", "b"], {}, r"X holds the text 'x'; features are numbers: encode"),
        (X, Y[:3], {}, r"y has shape \(3,\), but X has 4 rows; give one label per instance"),
        (X, Y[:, None], {}, r"y must be a flat list of labels, got array"),
        ([], [], {}, r"labelled set is empty.*name them: query\(X, y, classes=\[...\]\)"),
        (X, ["a"] * 4, {}, r"at least two classes, got \['a'\]; name them all"),
        (X, Y, {"classes": ["a"]}, r"at least two classes, got \['a'\]; name them all"),
        (X, [1, "a", "b", "b"], {}, r"y holds the text 'b' and the number 1; labels must be all"),
        (X, ["a", pd.NA, "b", "b"], {}, r"y holds a missing label .*; name its class or leave it"),
        (X, ["a", None, "b", "b"], {}, r"y holds a missing label .*; name its class or leave it"),
        (X, ["a", np.nan, "b", "b"], {}, r"y holds a missing label .*; name its class or leave"),
        (X, [1.0, np.nan, 2.0, 2.0], {}, r"y holds a missing label .*; name its class or leave"),
        (X, [1j, 1j, 2j, 2j], {}, r"y holds .*1j.*; labels must be text or numbers"),
        (X, Y, {"classes": ["a", "c"]}, r"y holds 'b', which is not one of the classes \['a', 'c"),
        (X, Y, {"classes": [0, 1]}, r"y holds 'a', .* \[0, 1\]; labels and classes must be of one"),
        (X, Y, {"classes": ["a", "b", "a"]}, r"classes names 'a' more than once; list each"),
        (X, Y, {"classes": [["a", "b"]]}, r"classes must be a flat list of labels, got \[\["),
        (X, Y, {"classes": "ab"}, r"classes must be a flat list of labels, got 'ab'"),
        (X, Y, {"candidates": ["z"]}, r"candidates holds 'z', which is not one .*; correct it or"),
        (X, Y, {"candidates": [1]}, r"candidates holds 1, which is not one of .* be of one type"),
        (X, Y, {"candidates": "a"}, r"candidates must be a flat list of labels, got 'a'"),
        (X, Y, {"candidates": []}, r"candidates is empty; name at least one class, or leave it"),
        (X, Y, {"pending": ["z"]}, r"pending holds 'z', which is not one of the classes"),
        (X, Y, {"batch_size": 0}, r"batch_size must be a whole number of at least 1, got 0"),
        (X, Y, {"batch_size": -2}, r"batch_size must be a whole number of at least 1, got -2"),
        (X, Y, {"batch_size": 2.0}, r"batch_size must be a whole number of at least 1, got 2.0"),
    ],
)
def test_bad_input_is_refused_with_the_value_and_the_remedy(
    strategy, features, labels, options, message
):
    with pytest.raises(ValueError, match=message):
        strategy.query(features, labels, **options)


def test_a_message_names_a_few_of_many_classes_only():
    with pytest.raises(ValueError, match=r"not one of the classes \[0, 1, 2, 3, 4, 5, 6, 7, …\]"):
        UniformSelection().query([[0.0]], [5_000], classes=range(1_000))


@pytest.mark.parametrize("classes", [None, ["a", "b"], np.array(["b", "a"], dtype=object)])
def test_text_held_as_objects_meets_text_held_as_text(classes):
    labels = Y.astype(object)
    picks = UniformSelection().query(X, labels, classes=classes, candidates=["b"], pending=["a"])
    assert picks.tolist() == ["b"]
