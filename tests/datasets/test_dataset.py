"""A Dataset refuses arrays that do not fit together; groups are never split."""

import numpy as np
import pytest

from palacs.datasets import Dataset, split_by_group


def make(**changes):
    fields = {
        "name": "toy",
        "X": np.arange(12.0).reshape(6, 2),
        "y": np.array([0, 0, 1, 1, 2, 2]),
        "class_names": ("a", "b", "c"),
        "feature_names": ("f", "g"),
        "description": "",
        "source": "",
        "license": "",
    }
    return Dataset(**(fields | changes))


def test_it_tells_its_shape_counts_and_labels():
    toy = make()
    assert (toy.n_instances, toy.n_features, toy.n_classes, len(toy)) == (6, 2, 3, 6)
    assert toy.class_counts == {"a": 2, "b": 2, "c": 2}
    assert toy.labels.tolist() == ["a", "a", "b", "b", "c", "c"]
    assert repr(toy) == "Dataset('toy', 6 instances, 2 features, 3 classes)"


def test_it_cannot_be_changed_after_it_was_made():
    with pytest.raises(AttributeError):
        make().name = "other"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"X": np.zeros(6)}, r"X must be a float64 array.*shape \(6,\)"),
        ({"X": np.zeros((6, 2), dtype=np.float32)}, "X must be a float64 array.*float32"),
        ({"y": np.zeros(5, dtype=np.int64)}, r"shape \(6,\) to match X.*\(5,\)"),
        ({"y": np.zeros(6)}, "y must be an int64 array.*float64"),
        ({"y": np.array([0, 0, 1, 1, 3, 3])}, r"every code from 0 to 2.*\[0, 1, 3\]"),
        ({"class_names": ("a", "b", "c", "d")}, "every code from 0 to 3"),
        ({"feature_names": ("f",)}, "1 feature names for 2 features"),
        ({"groups": np.zeros(3)}, r"groups must have shape \(6,\).*\(3,\)"),
    ],
)
def test_arrays_that_do_not_fit_together_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        make(**changes)


@pytest.mark.parametrize("seed", range(5))
def test_a_random_split_keeps_every_group_whole(seed):
    rng = np.random.default_rng(seed)
    groups = rng.permutation(np.repeat(["ann", "bob", "cyd"], 2))
    toy = make(groups=groups)
    train, test = split_by_group(toy, random_state=seed)
    assert set(groups[train]) | set(groups[test]) == {"ann", "bob", "cyd"}
    assert not set(groups[train]) & set(groups[test])
    assert sorted([*train, *test]) == list(range(6))


def test_the_same_seed_splits_alike():
    toy = make(groups=np.arange(6))
    first, second = (split_by_group(toy, random_state=3) for _ in range(2))
    assert first[1].tolist() == second[1].tolist()


@pytest.mark.parametrize(("share", "expected"), [(0.01, 1), (0.5, 3), (0.99, 5)])
def test_the_share_of_groups_is_rounded_but_never_all_or_none(share, expected):
    _, test = split_by_group(make(groups=np.arange(6)), test_share=share, random_state=0)
    assert len(test) == expected


def test_named_groups_are_tested_on():
    toy = make(groups=np.array([1, 2, 3, 1, 2, 3]))
    train, test = split_by_group(toy, test_groups=[2])
    assert test.tolist() == [1, 4]
    assert train.tolist() == [0, 2, 3, 5]


@pytest.mark.parametrize(
    ("groups", "arguments", "message"),
    [
        (None, {}, "toy has no groups to split by; split it by instance"),
        (np.arange(6), {"test_groups": [9]}, r"\[9\] must name at least one group.*\[0, 1, 2, 3"),
        (np.arange(6), {"test_groups": []}, r"\[\] must name at least one group"),
        (np.arange(6), {"test_groups": range(6)}, "leaves no group of toy to train on"),
        (np.arange(6), {"test_share": 1.5}, "test_share=1.5 must lie between 0 and 1"),
        (np.zeros(6), {}, r"at least two groups, got \[0.0\]"),
    ],
)
def test_impossible_splits_are_refused(groups, arguments, message):
    with pytest.raises(ValueError, match=message):
        split_by_group(make(groups=groups), **arguments)
