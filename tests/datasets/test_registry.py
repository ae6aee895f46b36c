"""One table: every data set loads under any spelling, and a wrong name is explained."""

from typing import Any

import numpy as np
import pytest

from palacs.datasets import DATASETS, Dataset, available, find, load

PAPER_BUDGETS = {
    "3Clusters": 60,
    "Bars": 120,
    "Spirals": 120,
    "Vehicle": 80,
    "Vertebral": 60,
    "Yeast": 60,
}


@pytest.mark.parametrize("name", available())
def test_every_listed_data_set_loads(name):
    dataset = load(name, random_state=0)
    assert isinstance(dataset, Dataset)
    assert dataset.name == name
    assert np.isfinite(dataset.X).all()
    assert dataset.n_classes >= 2
    assert dataset.description
    assert dataset.source
    assert dataset.license


def test_the_papers_data_sets_carry_its_budgets():
    assert {name: info.budget for name, info in DATASETS.items() if info.budget} == PAPER_BUDGETS


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("spirals", "Spirals"),
        ("SPIRALS", "Spirals"),
        ("3clusters", "3Clusters"),
        ("3 Clusters", "3Clusters"),
        ("three_clusters", "3Clusters"),
        ("Breast Cancer", "breast-cancer"),
        ("yeast_all", "yeast-all"),
        ("Vertebral Column", "Vertebral"),
    ],
)
def test_any_spelling_will_do(spelling, name):
    assert find(spelling).name == name


def test_no_two_data_sets_share_a_spelling():
    spellings = [s for info in DATASETS.values() for s in (info.name, *info.aliases)]
    assert [find(s).name for s in spellings] == [
        info.name for info in DATASETS.values() for _ in (info.name, *info.aliases)
    ]


def test_a_wrong_name_lists_the_right_ones_and_suggests_the_nearest():
    with pytest.raises(ValueError, match=r"no data set 'spirlas'. Did you mean 'Spirals'") as error:
        load("spirlas")
    for name in available():
        assert name in str(error.value)


def test_a_name_like_no_other_gets_no_suggestion():
    with pytest.raises(ValueError, match=r"no data set 'qqq'. Available: 3Clusters"):
        load("qqq")


@pytest.mark.parametrize("name", ["3Clusters", "Bars", "Spirals", "line"])
def test_synthetic_data_sets_follow_the_seed(name):
    info = DATASETS[name]
    assert info.synthetic
    first, again, other = (load(name, random_state=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.X, again.X)
    assert not np.array_equal(first.X, other.X)
    assert info.sample is not None
    X, y = info.sample(np.random.default_rng(1))
    np.testing.assert_array_equal(first.X, X)
    np.testing.assert_array_equal(first.y, y)


def test_synthetic_data_sets_without_a_seed_are_new_each_time():
    assert not np.array_equal(load("bars").X, load("bars").X)


def test_a_generator_is_drawn_from_in_turn():
    rng = np.random.default_rng(0)
    assert not np.array_equal(load("bars", random_state=rng).X, load("bars", random_state=rng).X)


def test_fixed_data_sets_ignore_the_seed():
    np.testing.assert_array_equal(load("wine", random_state=1).X, load("wine", random_state=2).X)


def test_the_table_cannot_be_changed():
    table: Any = DATASETS
    with pytest.raises(TypeError):
        table["mine"] = DATASETS["iris"]
