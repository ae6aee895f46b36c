"""Everything wrong with a request is said before anything runs or is written."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from palacs import PALACS, InverseAccuracy, ParzenWindowClassifier, ProportionalSelection
from palacs.datasets import Dataset, load
from palacs.experiments import (
    classifier_from_path,
    comparison_experiment,
    paper_experiment,
)

MakeDataset = Callable[..., Dataset]


def test_data_sets_may_be_spelled_freely_and_keep_the_order_given() -> None:
    experiment = paper_experiment(["yeast", "3 clusters"], ["random"], trials=1)
    assert [task.name for task in experiment.tasks] == ["Yeast", "3Clusters"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"datasets": ["Spiral"]}, r"no data set 'Spiral'.*Did you mean 'Spirals'"),
        ({"datasets": ["digits"]}, r"the paper has no data set 'digits'; .* use compare"),
        ({"datasets": []}, "no data set is listed"),
        ({"datasets": ["Bars", "bars"]}, "data set 'Bars' is listed twice"),
        ({"strategies": ["pal"]}, r"no strategy 'pal'; .*available: pal-acs, "),
        ({"strategies": []}, "no strategy is listed"),
        ({"strategies": ["random", "random"]}, "strategy 'Random' is listed twice"),
        ({"trials": 0}, "trials must be a whole number of at least 1, got 0"),
        ({"trials": 1.5}, "trials must be a whole number of at least 1, got 1.5"),
        ({"seed": -1}, "seed must be a whole number of at least 0, got -1"),
        ({"seed": 0.5}, "seed must be a whole number of at least 0, got 0.5"),
        ({"bandwidth": 0.0}, "bandwidth must be positive and finite, got 0.0"),
        ({"bandwidth": float("nan")}, "bandwidth must be positive and finite, got nan"),
    ],
    ids=str,
)
def test_a_wrong_reproduction_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        paper_experiment(**{"datasets": ["Bars"], **change})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"strategies": ["best"]}, "no strategy 'best'"),
        ({"strategies": ["uniform", "uniform"]}, "'Uniform' is listed twice"),
        ({"strategies": [PALACS(), PALACS(n_pseudo=5)]}, "'PALACS' is listed twice"),
        ({"budget": 0}, "budget must be a whole number of at least 1, got 0"),
        ({"budget": 28}, r"a budget of 28 .* 60 instances less 10 per class .* at most 27"),
        ({"trials": 0}, "trials must be"),
        ({"seed": -3}, "seed must be .* got -3"),
        ({"bandwidth": -1}, "bandwidth must be positive"),
        ({"classifier": LinearRegression()}, r"LinearRegression\(\) is not a classifier; give"),
        ({"classifier": ParzenWindowClassifier(bandwidth=-1.0)}, "bandwidth"),
        ({"classifier": KNeighborsClassifier(5)}, r"cannot learn from one .*n_neighbors <= n"),
    ],
    ids=str,
)
def test_a_wrong_comparison_is_refused(
    change: dict[str, Any], message: str, make_dataset: MakeDataset
) -> None:
    with pytest.raises(ValueError, match=message):
        comparison_experiment(make_dataset(), **{"budget": 5, **change})


def test_too_small_classes_are_named_with_their_sizes(make_dataset: MakeDataset) -> None:
    with pytest.raises(ValueError, match=r"too few instances of 'a' \(3\), 'c' \(1\).*merge"):
        comparison_experiment(make_dataset((3, 9, 1)), budget=2)


def test_a_measurement_is_no_column_of_classes(make_dataset: MakeDataset) -> None:
    measured = replace(make_dataset((1, 1, 1)), class_names=("2.79", "3.5", "3.51"))
    with pytest.raises(ValueError, match=r"too few .*these look like measurements: name the col"):
        comparison_experiment(measured, budget=2)


def test_the_largest_budget_uses_the_data_up(make_dataset: MakeDataset) -> None:
    experiment = comparison_experiment(make_dataset((4, 7, 9)), budget=11, trials=1)
    requested = experiment.run("gauss", 0)["PAL-ACS"].requested
    # Two of each class are tested on and one each is there at the start.
    assert np.bincount(requested).tolist() == [1, 4, 6]


def test_groups_that_leave_too_little_to_train_on_are_found_beforehand(
    make_dataset: MakeDataset,
) -> None:
    with pytest.raises(ValueError, match=r"a budget of 27 is more than the \d+ instances"):
        comparison_experiment(make_dataset(groups=np.arange(60) % 7), budget=27)
    alone = make_dataset((20, 20, 20), groups=np.repeat(["one", "two"], [25, 35]))
    with pytest.raises(ValueError, match=r"class '\w+' is in the group 'one' only"):
        comparison_experiment(alone, budget=2)
    thin = np.where(np.arange(60) < 57, np.arange(60) % 2, 2)
    with pytest.raises(ValueError, match=r"train on.* there are 3: 0, 1, 2\."):
        comparison_experiment(make_dataset((20, 20, 20), groups=thin), budget=2)
    enough = comparison_experiment(make_dataset(groups=np.arange(60) % 7), budget=10, trials=3)
    for trial in range(3):
        assert enough.run("gauss", trial)["Random"].requested.shape == (10,)


def test_two_people_of_unequal_diligence_can_still_be_told_apart(
    make_dataset: MakeDataset,
) -> None:
    who = np.tile(np.repeat(["anna", "ben"], [9, 11]), 3)
    experiment = comparison_experiment(make_dataset((20, 20, 20), groups=who), budget=5, trials=6)
    assert experiment.tasks[0].test_per_class == 9
    assert {len(experiment.deal("gauss", trial)[0].X) for trial in range(6)} == {27, 33}


def test_random_and_uniform_are_played_along_as_the_measure(make_dataset: MakeDataset) -> None:
    for asked, played in (
        (["pal-acs"], ["PAL-ACS", "Random", "Uniform"]),
        (["uniform"], ["Uniform", "Random"]),
        (["random", "uniform"], ["Random", "Uniform"]),
    ):
        assert comparison_experiment(make_dataset(), asked, budget=5).titles == played


def test_trials_of_one_data_set_know_how_much_they_share(make_dataset: MakeDataset) -> None:
    halves = comparison_experiment(make_dataset((20, 20, 20)), budget=5)
    assert halves.test_ratio("gauss") == 1.0
    many = comparison_experiment(make_dataset((300, 200)), budget=5)
    assert many.test_ratio("gauss") == 100 / 400
    drawn = comparison_experiment(load("Spirals", random_state=0), budget=5)
    assert drawn.test_ratio("Spirals") == 0.0


def test_whole_groups_put_aside_count_as_shared(make_dataset: MakeDataset) -> None:
    dataset = make_dataset((40, 40), groups=np.arange(80) % 4)
    experiment = comparison_experiment(dataset, budget=5, trials=4)
    # Two of four people are needed for 20 test instances of each class, or more by chance.
    assert experiment.test_ratio("gauss") >= 1.0


def test_half_of_the_smallest_class_is_tested_on_but_at_most_fifty(
    make_dataset: MakeDataset,
) -> None:
    for sizes, per_class in (((9, 30), 4), ((300, 200), 50)):
        task = comparison_experiment(make_dataset(sizes), budget=5).tasks[0]
        assert task.test_per_class == per_class


def test_strategies_are_fitted_to_the_experiment(make_dataset: MakeDataset) -> None:
    judge = GaussianNB()
    names = ["pal-acs", "inverse", "proportional"]
    dataset = make_dataset((10, 20, 30))
    experiment = comparison_experiment(dataset, names, budget=5, classifier=judge, bandwidth=0.2)
    pal, inverse, proportional, *_ = experiment.tasks[0].strategies.values()
    assert isinstance(pal, PALACS)
    assert pal.bandwidth == 0.2
    assert isinstance(inverse, InverseAccuracy)
    assert inverse.classifier is judge
    assert isinstance(proportional, ProportionalSelection)
    assert proportional.proportions == [10, 20, 30]


def test_a_strategy_of_ones_own_goes_by_its_class_name(make_dataset: MakeDataset) -> None:
    experiment = comparison_experiment(make_dataset(), [PALACS(n_pseudo=3)], budget=4, trials=1)
    assert experiment.titles == ["PALACS", "Random", "Uniform"]
    assert experiment.run("gauss", 0)["PALACS"].requested.shape == (4,)


def test_features_are_scaled(make_dataset: MakeDataset) -> None:
    X = comparison_experiment(load("wine"), budget=5).tasks[0].dataset.X
    assert (X.min(axis=0) == 0).all()
    assert (X.max(axis=0) == 1).all()


class NeedsMore(BaseEstimator):
    """An estimator that cannot be made without a word."""

    def __init__(self, word: str) -> None:
        self.word = word


@pytest.mark.parametrize(
    "path",
    [
        "LogisticRegression",
        "",
        ".",
        "sklearn",
        "nowhere.Classifier",
        "sklearn.linear_model.Logistic",
        "sklearn.linear_model.LinearRegression",
        "sklearn.linear_model",
        "sklearn.ensemble.VotingClassifier",
        "sklearn.datasets.load_iris",
        "os.getcwd",
        "builtins.int",
    ],
)
def test_an_import_path_that_leads_to_no_classifier_is_refused_by_name(path: str) -> None:
    with pytest.raises(ValueError, match=r"classifier.*sklearn\.linear_model") as caught:
        classifier_from_path(path)
    assert repr(path) in str(caught.value)


def test_an_import_path_is_never_called_unless_it_is_a_classifier(tmp_path: Any) -> None:
    # os.getcwd would do no harm, but the next function might.
    with pytest.raises(ValueError, match="is not a classifier"):
        classifier_from_path("sys.exit")


def test_an_import_path_makes_a_classifier_with_its_defaults() -> None:
    made = classifier_from_path("sklearn.linear_model.LogisticRegression")
    assert isinstance(made, LogisticRegression)
    assert made.get_params() == LogisticRegression().get_params()


def test_many_classes_raise_no_doubt_that_they_are_classes() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(30), 6)
    names = tuple(f"species {i}" for i in range(30))
    X = rng.normal(y[:, None], 1.0, (180, 2))
    dataset = Dataset("many", X, y, names, ("u", "v"), "", "drawn", "")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        comparison_experiment(dataset, ["uniform"], budget=3, trials=1).run("many", 0)


def test_one_strategy_may_stand_alone_and_a_class_is_none() -> None:
    iris = load("iris")
    alone, listed = (
        comparison_experiment(iris, given, budget=3, trials=1) for given in ("inverse", ["inverse"])
    )
    assert list(alone.tasks[0].strategies) == list(listed.tasks[0].strategies)
    a_class: Any = PALACS
    with pytest.raises(ValueError, match=r"PALACS is a class; give PALACS\(\)"):
        comparison_experiment(iris, [a_class], budget=3, trials=1)
