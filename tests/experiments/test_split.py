"""Splits: a test set of equal class sizes, and queues whose order does not change."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from palacs.datasets import Dataset, load
from palacs.experiments import Split, make_split, normalise

MakeDataset = Callable[..., Dataset]


def numbered(dataset: Dataset) -> Dataset:
    """Return the data set with one feature, the number of the instance, to recognise it by."""
    return Dataset(
        dataset.name,
        np.arange(len(dataset), dtype=np.float64)[:, None],
        dataset.y,
        dataset.class_names,
        ("number",),
        dataset.description,
        dataset.source,
        dataset.license,
        dataset.groups,
    )


def rows(split: Split) -> tuple[np.ndarray, np.ndarray]:
    return split.X[:, 0].astype(int), split.X_test[:, 0].astype(int)


def test_every_class_is_tested_on_equally_and_the_rest_is_trained_on(
    make_dataset: MakeDataset,
) -> None:
    dataset = make_dataset((10, 15, 30))
    for seed in range(5):
        split = make_split(dataset, 4, np.random.default_rng(seed))
        assert np.bincount(split.y_test).tolist() == [4, 4, 4]
        assert split.queue_sizes.tolist() == [6, 11, 26]
        assert split.n_classes == 3


def test_no_instance_is_in_both_parts_and_none_is_lost(make_dataset: MakeDataset) -> None:
    dataset = numbered(make_dataset((10, 15, 30)))
    train, test = rows(make_split(dataset, 4, np.random.default_rng(0)))
    assert sorted([*train, *test]) == list(range(55))


def test_queues_and_test_set_keep_the_order_of_the_classes(make_dataset: MakeDataset) -> None:
    dataset = numbered(make_dataset((10, 15, 30)))
    split = make_split(dataset, 4, np.random.default_rng(1))
    train, test = rows(split)
    for c in range(3):
        assert (dataset.y[train[split.first[c] : split.first[c + 1]]] == c).all()
    assert (dataset.y[test] == split.y_test).all()


def test_the_generator_alone_decides_the_order_of_delivery(make_dataset: MakeDataset) -> None:
    dataset = numbered(make_dataset())

    def order(seed: int) -> list[int]:
        split = make_split(dataset, 5, np.random.default_rng(seed))
        return [*rows(split)[0], *split.start]

    assert order(3) == order(3)
    assert len({tuple(order(seed)) for seed in range(5)}) == 5


def test_the_classes_start_in_random_order(make_dataset: MakeDataset) -> None:
    splits = [make_split(make_dataset(), 5, np.random.default_rng(s)) for s in range(60)]
    assert all(sorted(split.start) == [0, 1, 2] for split in splits)
    assert len({tuple(split.start) for split in splits}) == 6


def people(n_people: int, n_instances: int) -> np.ndarray:
    return np.array([f"person {i % n_people}" for i in range(n_instances)])


def test_no_group_is_in_both_parts(make_dataset: MakeDataset) -> None:
    dataset = numbered(make_dataset((40, 30, 35), groups=people(7, 105)))
    assert dataset.groups is not None
    for seed in range(10):
        split = make_split(dataset, 8, np.random.default_rng(seed))
        train, test = rows(split)
        assert not set(dataset.groups[train]) & set(dataset.groups[test])
        assert np.bincount(split.y_test).tolist() == [8, 8, 8]
        assert (dataset.y[test] == split.y_test).all()
        assert split.queue_sizes.min() > 0


def test_no_more_groups_than_needed_are_put_aside(make_dataset: MakeDataset) -> None:
    dataset = numbered(make_dataset((40, 40), groups=people(8, 80)))
    assert dataset.groups is not None
    # Five instances of each class per person: two people hold the eight wanted.
    split = make_split(dataset, 8, np.random.default_rng(0))
    assert len(set(dataset.groups[rows(split)[0]])) == 6


def test_people_of_the_smartwatch_data_are_never_in_both_parts() -> None:
    dataset = numbered(load("smartwatch"))
    assert dataset.groups is not None
    train, test = rows(make_split(dataset, 50, np.random.default_rng(0)))
    assert not set(dataset.groups[train]) & set(dataset.groups[test])


@pytest.mark.parametrize("offset", [0.0, -1e6, 1e-3])
def test_features_are_scaled_to_the_unit_interval_one_by_one(offset: float) -> None:
    X = np.random.default_rng(0).normal(offset, [1.0, 1e-4, 1e4], (50, 3))
    scaled = normalise(X)
    np.testing.assert_allclose(scaled.min(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(scaled.max(axis=0), 1, atol=1e-12)
    assert (scaled.argsort(axis=0) == X.argsort(axis=0)).all()


def test_a_constant_feature_becomes_zero_and_not_nan() -> None:
    assert normalise(np.array([[3.0, 1.0], [3.0, 2.0]]))[:, 0].tolist() == [0.0, 0.0]
