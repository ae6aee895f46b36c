"""An experiment is a value, and each of its trials a pure function of its number."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from palacs import ParzenWindowClassifier, RandomSelection, UniformSelection
from palacs.datasets import Dataset, load_any
from palacs.experiments import (
    Experiment,
    Task,
    Trial,
    comparison_experiment,
    paper_experiment,
)

MakeDataset = Callable[..., Dataset]


def as_lists(trials: dict[str, Trial]) -> dict[str, tuple[list[int], list[float]]]:
    return {title: (t.requested.tolist(), t.errors.tolist()) for title, t in trials.items()}


@pytest.mark.parametrize("dataset", ["Spirals", "Yeast"])
def test_a_trial_is_the_same_whatever_ran_before_it(dataset: str) -> None:
    experiment = paper_experiment([dataset], trials=5)
    forwards = [as_lists(experiment.run(dataset, i)) for i in range(3)]
    again = paper_experiment([dataset], trials=5)
    backwards = [as_lists(again.run(dataset, i)) for i in (2, 1, 0)]
    assert forwards == backwards[::-1]
    assert forwards[0] != forwards[1]


def test_a_trial_does_not_depend_on_the_other_data_sets_or_on_how_many_trials() -> None:
    alone = paper_experiment(["Bars"], trials=1).run("Bars", 0)
    among = paper_experiment(["Yeast", "Bars"], trials=9).only("Bars").run("Bars", 0)
    assert as_lists(alone) == as_lists(among)


def test_a_trial_does_not_depend_on_which_strategies_are_compared() -> None:
    few = paper_experiment(["Bars"], ["random"], trials=1).run("Bars", 0)
    many = paper_experiment(["Bars"], ["pal-acs", "random"], trials=1).run("Bars", 0)
    assert as_lists(few)["Random"] == as_lists(many)["Random"]


def test_another_seed_gives_another_trial() -> None:
    first, second = (paper_experiment(["Vehicle"], trials=1, seed=s) for s in (0, 1))
    assert as_lists(first.run("Vehicle", 0)) != as_lists(second.run("Vehicle", 0))


def test_strategies_of_a_trial_share_split_order_and_start(make_dataset: MakeDataset) -> None:
    class Likewise(UniformSelection):
        pass

    strategies = {"one": UniformSelection(), "other": Likewise()}
    task = Task(make_dataset(), 12, 5, strategies)
    trials = Experiment((task,), ParzenWindowClassifier(), 3).run("gauss", 2)
    assert as_lists(trials)["one"] == as_lists(trials)["other"]


def test_trials_of_a_synthetic_set_draw_it_anew() -> None:
    experiment = paper_experiment(["Spirals"], trials=2)
    first, second = (experiment.deal("Spirals", i)[0] for i in range(2))
    # The outermost instances of any sample lie at 0 and 1.
    assert np.isin(first.X[:, 0], second.X[:, 0]).sum() <= 2
    for split in (first, second):
        everything = np.concatenate([split.X, split.X_test])
        assert everything.min() == 0.0
        assert everything.max() == 1.0


def test_a_file_that_bears_a_synthetic_sets_name_is_played_as_it_is(
    tmp_path: Path, make_dataset: MakeDataset
) -> None:
    made = make_dataset((12, 12), n_features=5)
    frame = pd.DataFrame(made.X).assign(label=made.labels)
    frame.columns = [str(column) for column in frame]
    frame.to_csv(tmp_path / "Spirals.csv", index=False)
    mine = load_any(tmp_path / "Spirals.csv", "label")
    assert mine.name == "Spirals"
    experiment = comparison_experiment(mine, budget=5, trials=1)
    assert experiment.deal("Spirals", 0)[0].X.shape == (12, 5)
    assert experiment.settings()["datasets"][0]["sha256"] is not None


def test_neither_the_name_nor_other_columns_of_a_file_change_who_is_tested_on(
    make_dataset: MakeDataset,
) -> None:
    mine = make_dataset((12, 12), n_features=3)
    wider = replace(mine, name="other", X=np.hstack([mine.X[:, ::-1], mine.X]),
                    feature_names=tuple("abcdef"))  # fmt: skip
    first, renamed, same = (
        comparison_experiment(dataset, ["random"], budget=5, trials=2)
        for dataset in (mine, replace(mine, name="other"), wider)
    )
    assert as_lists(first.run(mine.name, 1)) == as_lists(renamed.run("other", 1))
    splits = first.deal(mine.name, 1)[0], same.deal("other", 1)[0]
    np.testing.assert_array_equal(splits[0].X_test, splits[1].X_test[:, 3:])
    built_in = comparison_experiment(load_any("iris"), ["random"], budget=5, trials=2)
    assert built_in.tasks[0].key == zlib.crc32(b"iris")
    assert "drawn_by" not in built_in.settings()["datasets"][0]


def test_settings_are_plain_json_and_tell_experiments_apart(make_dataset: MakeDataset) -> None:
    dataset = make_dataset()

    def described(**changed: object) -> str:
        options: dict[str, object] = {"budget": 5, "trials": 2, **changed}
        given = options.pop("dataset", dataset)
        return json.dumps(comparison_experiment(given, **options).settings())  # type: ignore[arg-type]

    moved = replace(dataset, X=dataset.X + np.linspace(0, 0.1, len(dataset))[:, None])
    regrouped = replace(dataset, groups=np.arange(60) % 6)
    variants = [
        described(),
        described(seed=1),
        described(trials=3),
        described(budget=6),
        described(bandwidth=0.1),
        described(strategies=["random"]),
        described(strategies=["random", "uniform", "pal-acs"]),
        described(strategies=["pal-acs", "uniform", RandomSelection()]),
        described(classifier=ParzenWindowClassifier(class_prior="uniform")),
        described(dataset=moved),
        described(dataset=regrouped),
        described(dataset=replace(regrouped, groups=np.arange(60) % 5)),
        described(dataset=replace(dataset, class_names=("a", "b", "other"))),
    ]
    assert len(set(variants)) == len(variants)
    assert described() == described()


def test_folders_made_while_another_bandwidth_was_the_default_go_on() -> None:
    reproduced = paper_experiment(["Bars"], ["pal-acs"], trials=1).settings()
    assert reproduced["datasets"][0]["strategies"] == {"PAL-ACS": "palacs.strategies.PALACS()"}
    compared = comparison_experiment(load_any("iris"), ["pal-acs"], budget=5, trials=1).settings()
    described = compared["datasets"][0]["strategies"]["PAL-ACS"]
    assert described == "palacs.strategies.PALACS(bandwidth='auto')"
