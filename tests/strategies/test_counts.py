"""Random, Uniform and Original Proportion look at class counts alone."""

import numpy as np
import pytest

from palacs import ProportionalSelection, RandomSelection, UniformSelection

X = np.zeros((3, 1))
Y = ["a", "b", "c"]


def test_random_requests_each_class_equally_often():
    picks = RandomSelection(random_state=0).query(X, Y, batch_size=3_000)
    _, counts = np.unique(picks, return_counts=True)
    assert ((counts - 1_000) ** 2 / 1_000).sum() < 13.8  # chi-square, 2 degrees, p = 0.001


def test_random_draws_anew_at_every_step_and_seed():
    strategy = RandomSelection(random_state=0)
    by_step = {strategy.query(np.zeros((n, 1)), [*Y, *["a"] * (n - 3)])[0] for n in range(3, 20)}
    by_seed = {RandomSelection(random_state=seed).query(X, Y)[0] for seed in range(20)}
    assert by_step == by_seed == {"a", "b", "c"}


@pytest.mark.parametrize("seed", range(5))
def test_uniform_keeps_the_counts_equal(seed):
    labels = ["a", "b", "c", "c", "c"]
    strategy = UniformSelection(random_state=seed)
    picks = strategy.query(np.zeros((5, 1)), labels, pending=["b"], batch_size=6).tolist()
    final = [*labels, "b", *picks]
    assert [final.count(label) for label in "abc"] == [4, 4, 4]
    assert picks[0] == "a"


def test_uniform_breaks_ties_at_random():
    picks = {UniformSelection(random_state=seed).query(X, Y)[0] for seed in range(20)}
    assert picks == {"a", "b", "c"}


@pytest.mark.parametrize(
    "proportions",
    [[6, 3, 1], np.array([0.6, 0.3, 0.1]), (6, 3, 1), {"b": 30, "a": 60, "c": 10}],
)
def test_proportional_keeps_the_given_proportions(proportions):
    strategy = ProportionalSelection(proportions, random_state=0)
    picks = [*Y, *strategy.query(X, Y, batch_size=97).tolist()]
    assert [picks.count(label) for label in "abc"] == [60, 30, 10]


def test_proportional_follows_the_order_of_the_classes_given():
    strategy = ProportionalSelection([1, 8, 1], random_state=0)
    assert strategy.query(X, Y, classes=["b", "c", "a"]).tolist() == ["c"]


def test_equal_proportions_are_uniform():
    labels = ["a", "a", "b", "c", "c"]
    data = np.zeros((5, 1)), labels
    one = ProportionalSelection([2, 2, 2], random_state=1).query(*data, batch_size=7)
    other = UniformSelection(random_state=1).query(*data, batch_size=7)
    assert one.tolist() == other.tolist()


def test_a_class_that_never_occurs_is_requested_once_and_never_again():
    strategy = ProportionalSelection({"a": 1, "b": 1, "z": 0}, random_state=0)
    picks = strategy.query(X[:2], ["a", "b"], classes=["a", "b", "z"], batch_size=30).tolist()
    assert picks[0] == "z"
    assert "z" not in picks[1:]


@pytest.mark.parametrize(
    ("proportions", "message"),
    [
        ([1, 2], r"proportions has shape \(2,\), but there are 3 classes; give one number per"),
        ([1, -2, 1], r"proportions=\[1.0, -2.0, 1.0\] must be finite, none negative"),
        ([1, np.nan, 1], r"proportions=\[1.0, nan, 1.0\] must be finite"),
        ([0, 0, 0], r"proportions=\[0.0, 0.0, 0.0\] must .* not all zero"),
        ({"a": 1, "b": 1}, r"names \['a', 'b'\], but the classes are \['a', 'b', 'c'\]; give one"),
        ({"a": 1, "b": 1, "d": 2}, r"names \['a', 'b', 'd'\], but the classes are"),
        (0.5, r"'proportions' parameter .* Got 0.5 instead"),
    ],
)
def test_bad_proportions_are_refused_even_before_they_are_needed(proportions, message):
    strategy = ProportionalSelection(proportions)
    with pytest.raises(ValueError, match=message):
        strategy.query([], [], classes=["a", "b", "c"])
