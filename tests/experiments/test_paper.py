"""The paper's numbers, and a small reproduction that would show if the mathematics broke."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from palacs.datasets import DATASETS, load
from palacs.experiments import (
    Execution,
    Results,
    comparison_experiment,
    paper,
    paper_experiment,
    run,
)
from palacs.strategies import available

TITLES = [available()[name].title for name in paper.STRATEGIES]
ROWS = [(dataset, title) for dataset in paper.DATASETS for title in TITLES]


@pytest.mark.parametrize(("dataset", "title"), ROWS)
def test_every_row_of_the_paper_is_complete_and_plausible(dataset: str, title: str) -> None:
    errors = [paper.error(dataset, title, phase) for phase in (1, 2, 3, 4)]
    assert errors == sorted(errors, reverse=True)
    assert all(0.1 < error < 0.6 for error in errors)
    shares = [paper.proportion(dataset, title, c) for c in range(load(dataset).n_classes)]
    assert 0.99 <= round(sum(shares), 2) <= 1.01


@pytest.mark.parametrize("dataset", paper.DATASETS)
def test_the_papers_win_ratios_leave_no_trial_without_a_winner(dataset: str) -> None:
    for phase in (1, 2, 3, 4):
        assert sum(paper.win_ratio(dataset, title, phase) for title in TITLES) >= 1


def test_the_papers_bold_numbers_are_the_best() -> None:
    def winners(dataset: str) -> list[str]:
        return [
            min(TITLES, key=lambda title: paper.error(dataset, title, phase))
            for phase in (1, 2, 3, 4)
        ]

    assert winners("3Clusters") == winners("Spirals") == ["PAL-ACS"] * 4
    assert winners("Bars") == ["Random", "Inverse", "Inverse", "PAL-ACS"]
    assert winners("Vehicle") == ["Random"] * 4
    assert winners("Vertebral") == ["PAL-ACS", "Random", "PAL-ACS", "PAL-ACS"]
    assert winners("Yeast") == ["Random", "PAL-ACS", "PAL-ACS", "PAL-ACS"]


def test_the_papers_bold_win_ratios_are_the_highest() -> None:
    def winners(dataset: str) -> list[str]:
        return [
            max(TITLES, key=lambda title: paper.win_ratio(dataset, title, phase))
            for phase in (1, 2, 3, 4)
        ]

    assert winners("3Clusters") == winners("Spirals") == ["PAL-ACS"] * 4
    assert winners("Bars") == ["Random", "Redistricting", "Random", "PAL-ACS"]
    assert winners("Vehicle") == ["PAL-ACS", "Random", "Random", "Random"]
    assert winners("Vertebral") == ["Random", "Random", "PAL-ACS", "PAL-ACS"]
    assert winners("Yeast") == ["Random", "PAL-ACS", "PAL-ACS", "Inverse"]


def test_what_the_paper_has_not_is_missing() -> None:
    assert math.isnan(paper.error("Spirals", "Uniform", 1))
    assert math.isnan(paper.win_ratio("digits", "Random", 1))
    assert math.isnan(paper.proportion("mine", "Random", 0))


def test_the_papers_protocol_is_the_default() -> None:
    experiment = paper_experiment()
    budgets = {task.name: task.budget for task in experiment.tasks}
    assert budgets == dict(zip(paper.DATASETS, (60, 120, 120, 80, 60, 60), strict=True))
    assert experiment.trials == 500
    assert {task.test_per_class for task in experiment.tasks} == {50}
    assert experiment.classifier.bandwidth == 0.05
    assert experiment.titles == ["PAL-ACS", "Inverse", "Redistricting", "Random"]
    assert tuple(DATASETS)[:6] == paper.DATASETS


def test_a_comparison_on_the_papers_data_is_not_held_against_the_paper() -> None:
    experiment = comparison_experiment(load("vehicle"), ["uniform"], budget=20, trials=2)
    results = run(experiment, execution=Execution(jobs=1))
    assert results.table()["paper_error"].isna().all()
    assert results.table()["paper_win_ratio"].isna().all()
    assert results.proportions()["paper_proportion"].isna().all()


@pytest.fixture(scope="module")
def reproduction() -> Results:
    return run(paper_experiment(trials=100, seed=0))


def test_a_hundred_trials_come_close_to_the_papers_errors(reproduction: Results) -> None:
    table = reproduction.table()
    assert len(table) == 96
    assert (table["error"] - table["paper_error"]).abs().mean() < 0.012


def test_a_hundred_trials_find_pal_acs_best_on_spirals(reproduction: Results) -> None:
    table = reproduction.table().query("dataset == 'Spirals' and phase > 1")
    errors = table.pivot_table(index="strategy", columns="phase", values="error", observed=True)
    assert (errors.idxmin() == "PAL-ACS").all()


def shares(reproduction: Results, dataset: str) -> pd.Series:
    table = reproduction.proportions().query("strategy == 'PAL-ACS'")
    return table[table["dataset"] == dataset].set_index("class")["proportion"]


def test_a_hundred_trials_find_the_easy_classes_easy(reproduction: Results) -> None:
    assert shares(reproduction, "Spirals")["class 1"] < 0.10
    assert shares(reproduction, "3Clusters")["class 1"] < 0.25
    assert shares(reproduction, "Bars")["class 3"] < 0.28
    assert shares(reproduction, "Vehicle").between(0.2, 0.3).all()


def test_no_error_is_worse_than_guessing_for_long(reproduction: Results) -> None:
    last = reproduction.table().query("phase == 4").set_index("dataset")["error"]
    for dataset, error in last.items():
        assert error < 0.8 * (1 - 1 / load(str(dataset)).n_classes)


def test_the_readings_tell_eq_6_from_fig_3() -> None:
    (reading,) = [r.reading for r in paper.READINGS if r.point == "Eq. 6 and Fig. 3"]
    assert 'sampling="grid" is Eq. 6' in reading
    assert 'Fig. 3 (sampling="monte-carlo")' in reading
