"""Comparisons under conditions: strategies act under them, and errors are those in use."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB

from palacs import PALACS, Conditions, ParzenWindowClassifier, RandomSelection
from palacs.datasets import Dataset
from palacs.experiments import (
    Execution,
    Experiment,
    Results,
    TrialRules,
    comparison_experiment,
    make_split,
    run,
    run_trial,
    spending_sentences,
    stopping_sentences,
    what_stopping_saves,
)
from palacs.experiments._equal_spending import compare_spending, over_cost

MakeDataset = Callable[..., Dataset]
COSTS = Conditions(costs={"a": 1, "b": 1, "c": 5})


def play(experiment: Experiment) -> Results:
    return run(experiment, execution=Execution(jobs=1))


def longest_run(values: list[str]) -> int:
    changes = np.flatnonzero(np.array(values[1:]) != np.array(values[:-1])) + 1
    return int(np.diff([0, *changes, len(values)]).max())


@pytest.fixture
def dataset(make_dataset: MakeDataset) -> Dataset:
    return make_dataset((30, 30, 30))


# -- acting under conditions -----------------------------------------------------------------


def test_a_twin_of_the_first_strategy_and_random_know_the_limits_only(dataset: Dataset) -> None:
    experiment = comparison_experiment(
        dataset, ["pal-acs", "uniform"], budget=12, trials=3, conditions=COSTS
    )
    assert experiment.titles == ["PAL-ACS", "Uniform", "Random", "PAL-ACS (blind)"]
    assert experiment.blind == ("PAL-ACS (blind)", "Random")
    plain = play(comparison_experiment(dataset, ["pal-acs"], budget=12, trials=3)).trials
    aware = play(experiment).trials
    for title, twin in (("PAL-ACS", "PAL-ACS (blind)"), ("Random", "Random")):
        before = plain[plain["strategy"] == title]["class"].tolist()
        assert aware[aware["strategy"] == twin]["class"].tolist() == before
    asked = aware[aware["strategy"] == "Uniform"]["class"].astype(str)
    assert (asked == "c").mean() < 0.2


def test_limits_alone_need_no_twin_and_bind_everybody(dataset: Dataset) -> None:
    conditions = Conditions(max_repeat=1, caps={"a": 3})
    experiment = comparison_experiment(
        dataset, ["pal-acs"], budget=10, trials=4, conditions=conditions
    )
    assert experiment.titles == ["PAL-ACS", "Random", "Uniform"]
    for _, rows in play(experiment).trials.groupby(["strategy", "trial"], observed=True):
        asked = rows["class"].astype(str).tolist()
        assert longest_run(asked) == 1
        assert asked.count("a") <= 2  # and the first instance


def test_a_batch_is_decided_before_its_instances_are_seen(dataset: Dataset) -> None:
    split = make_split(dataset, 10, np.random.default_rng(0))
    strategy, judged = PALACS(random_state=1), ParzenWindowClassifier()
    trial = run_trial(split, strategy, judged, 8, rules=TrialRules(batch_size=8))
    X = np.array([split.X[split.first[c]] for c in split.start])
    batch = strategy.query(X, split.start, classes=np.arange(3), batch_size=8)
    assert trial.requested.tolist() == batch.tolist()


def test_a_batch_asks_for_no_more_than_there_is(make_dataset: MakeDataset) -> None:
    small = make_dataset((8, 8, 40))
    experiment = comparison_experiment(small, ["uniform"], budget=20, trials=3, batch_size=10)
    counts = play(experiment).trials.groupby(["strategy", "trial"], observed=True)["class"]
    assert (counts.apply(lambda asked: (asked == "a").sum()) <= 3).all()


def test_trials_without_conditions_are_played_as_before(dataset: Dataset) -> None:
    split = make_split(dataset, 10, np.random.default_rng(0))
    for strategy in (PALACS(random_state=1), RandomSelection(random_state=1)):
        plain = run_trial(split, strategy, ParzenWindowClassifier(), 15)
        empty = run_trial(
            split, strategy, ParzenWindowClassifier(), 15, rules=TrialRules(Conditions())
        )
        assert np.array_equal(plain.requested, empty.requested)
        assert np.allclose(plain.errors, empty.errors, atol=1e-12)


# -- judged in use ---------------------------------------------------------------------------


@pytest.mark.parametrize("model", [ParzenWindowClassifier(0.1), GaussianNB()], ids=str)
def test_the_error_is_weighted_by_the_proportions_in_use(dataset: Dataset, model: object) -> None:
    split = make_split(dataset, 10, np.random.default_rng(0))
    strategy = RandomSelection(random_state=0)

    def errors(**fields: Any) -> np.ndarray:
        terms = TrialRules(Conditions(**fields), blind=True)
        return run_trial(split, strategy, model, 12, rules=terms).errors

    equal = errors(proportions={0: 1, 1: 1, 2: 1})
    # Where only one class occurs, a model that knows it makes no mistake.
    assert np.allclose(errors(proportions={0: 0, 1: 1, 2: 0}), 0.0)
    assert np.allclose(errors(mistakes=3 * (1 - np.eye(3))), 3 * equal)
    cheap = errors(mistakes={1: {2: 0.0}, 2: {1: 0.0}})
    assert (cheap <= equal + 1e-12).all()


def test_a_model_without_probabilities_is_judged_by_its_predictions(dataset: Dataset) -> None:
    split = make_split(dataset, 10, np.random.default_rng(0))
    strategy = RandomSelection(random_state=0)
    plain = run_trial(split, strategy, RidgeClassifier(), 6).errors
    costly = run_trial(
        split,
        strategy,
        RidgeClassifier(),
        6,
        rules=TrialRules(Conditions(mistakes=(4 * (1 - np.eye(3))).tolist()), blind=True),
    ).errors
    assert np.allclose(costly, 4 * plain)


# -- money -----------------------------------------------------------------------------------


def test_errors_are_compared_at_equal_spending() -> None:
    trials = pd.DataFrame(
        {
            "dataset": "d",
            "strategy": ["cheap"] * 4 + ["dear"] * 4,
            "trial": 0,
            "acquired": [1, 2, 3, 4] * 2,
            "class": ["a", "a", "a", "b"] + ["b"] * 4,
            "error": [0.5, 0.4, 0.3, 0.2, 0.45, 0.35, 0.25, 0.15],
        }
    )
    spending = over_cost(trials, {"a": 1.0, "b": 2.0})
    assert spending["spent"].min() == 2.0
    assert spending["spent"].max() == 5.0
    at = spending.set_index(["strategy", "spent"])["error"]
    assert at["cheap", 2.0] == 0.4
    assert at["dear", 2.0] == 0.45
    assert at["cheap", 5.0] == 0.2
    assert at["dear", 5.0] == 0.35
    shorter = over_cost(trials, {"a": 1.0, "b": 2.0}, budget_cost=3.0)
    assert shorter["spent"].max() == 3.0


def test_a_budget_in_money_ends_at_what_was_paid(dataset: Dataset) -> None:
    experiment = comparison_experiment(
        dataset, ["uniform"], budget_cost=20.0, trials=3, conditions=COSTS
    )
    assert experiment.tasks[0].budget == 20
    results = play(experiment)
    spending = results.spending()
    assert spending["spent"].max() == 20.0
    comparison = results.spending_comparison()
    known = comparison.frame["reached"].dropna()
    assert ((known >= 5.0) & (known <= 20.0)).all()
    sentences = spending_sentences(spending, comparison)
    assert sentences[0].startswith("Mean error at equal spending, up to 20: ")


def test_money_is_said_to_be_saved_only_where_that_is_certain() -> None:
    rng = np.random.default_rng(0)
    frames = []
    for strategy, ahead in (("A", 20), ("Random", 0)):
        curve = 0.5 - 0.006 * np.minimum(np.arange(50) + ahead, 60)
        for trial in range(30):
            errors = curve + 0.01 * rng.standard_normal(50)
            frame = pd.DataFrame({"spent": np.linspace(1, 50, 50), "error": errors})
            frames.append(frame.assign(strategy=strategy, trial=trial, acquired=range(1, 51)))
    spending = pd.concat(frames).assign(dataset="d")
    certain = spending_sentences(spending, compare_spending(spending, "Random"))[1]
    found = re.search(r"([\d.]+) are saved, .* between ([\d.]+) and ([\d.]+)\.$", certain)
    assert found is not None
    saved, low, high = map(float, found.groups())
    assert 0 < low <= saved <= high
    one = spending[spending["trial"] == 0]
    assert spending_sentences(one, compare_spending(one, "Random"))[1] == (
        "It is not certain that A saves anything against Random."
    )


def test_costs_must_be_known_to_compare_spending(dataset: Dataset) -> None:
    results = play(comparison_experiment(dataset, ["uniform"], budget=3, trials=2))
    with pytest.raises(ValueError, match=r"knows no costs, .* conditions=Conditions"):
        results.spending()


# -- stopping --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def overlapping() -> Dataset:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 300)
    X = rng.normal(1.0 * y[:, None], 1, (600, 1))
    return Dataset("overlapping", X, y, ("a", "b"), ("x",), "Two Gaussians.", "drawn", "CC0")


def test_what_stopping_saves_is_counted_over_the_trials_in_which_it_was_advised(
    overlapping: Dataset,
) -> None:
    experiment = comparison_experiment(
        overlapping, ["uniform"], budget=200, trials=6, bandwidth="auto"
    )
    results = play(experiment)
    (row,) = what_stopping_saves(results).to_dict("records")
    assert row["trials"] == 6
    assert 1 <= row["stopped"] < 6
    assert row["saved"] == 200 - row["acquired"] > 0
    (sentence,) = stopping_sentences(pd.DataFrame([row]))
    assert sentence.startswith(f"Stop was advised in {row['stopped']} of 6 trials looked at")
    (sure,) = what_stopping_saves(results, good_enough=0.9, trials=1).to_dict("records")
    assert sure["stopped"] == 1
    assert sure["acquired"] == 2 * 30 - 2  # the first instance of each class was given
    played = results.trials[results.trials["strategy"] == "Uniform"].query("trial == 0")
    errors = played.set_index("acquired")["error"]
    assert (sure["error"], sure["final_error"]) == (errors[58], errors[200])
    assert sure["given_up"] == pytest.approx(errors[58] - errors[200])


def test_advice_is_about_new_groups_where_groups_are_known(overlapping: Dataset) -> None:
    grouped = replace(overlapping, groups=np.arange(600) % 4)
    stopped = [
        what_stopping_saves(
            play(comparison_experiment(data, ["uniform"], budget=70, trials=1)), good_enough=0.9
        )["stopped"].item()
        for data in (overlapping, grouped)
    ]
    assert stopped == [1, 0]  # four groups do not show how much one differs from the next


def test_without_advice_no_saving_is_claimed(dataset: Dataset, overlapping: Dataset) -> None:
    few = what_stopping_saves(play(comparison_experiment(dataset, ["uniform"], budget=6, trials=2)))
    assert few["stopped"].tolist() == [0]
    assert few[["acquired", "saved", "error", "given_up"]].isna().all(axis=None)
    assert stopping_sentences(few) == [
        "No advice to stop was given in 2 trials looked at: a class had fewer than 30 instances "
        "nearly to the end."
    ]
    experiment = comparison_experiment(overlapping, ["uniform"], budget=90, trials=2)
    unsure = what_stopping_saves(play(experiment), tolerance=0.0)
    assert unsure["stopped"].tolist() == [0]
    assert stopping_sentences(unsure) == [
        "No advice to stop was given in 2 trials looked at: that the error is at most 0 % above "
        "that at three times as many was never certain enough."
    ]
    mixed = unsure.assign(short=1)
    assert "looked at: in 1 a class had fewer than 30" in stopping_sentences(mixed)[0]


def test_stopping_is_looked_at_only_where_it_can_be(dataset: Dataset) -> None:
    experiment = comparison_experiment(dataset, ["uniform"], budget=6, trials=2)
    results = play(experiment)
    with pytest.raises(ValueError, match=r"'Inverse' was not played; choose from Uniform, Random"):
        what_stopping_saves(results, "Inverse")
    refilled = replace(results, experiment=replace(experiment, refill=True))
    with pytest.raises(ValueError, match=r"play without refill"):
        what_stopping_saves(refilled)


# -- refused before anything runs ------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"budget": None}, r"no budget is given; give a number of acquisitions, or budget_cost"),
        ({"budget_cost": 9.0}, r"both budget=5 and budget_cost=9.0 are given"),
        ({"budget": None, "budget_cost": 9.0}, r"budget_cost=9.0 needs to know what .* costs"),
        (
            {"budget": None, "budget_cost": 4.0, "conditions": COSTS},
            r"budget_cost=4 does not pay for one acquisition of every class, .* costs 5",
        ),
        ({"conditions": Conditions(costs={"x": 1})}, r"name 'x', which is not one of the classes"),
        ({"conditions": {"max_repeat": 2}}, r"are no palacs.Conditions"),
        ({"conditions": Conditions(at_least_every=2)}, r"at_least_every=2 cannot hold for 3"),
        (
            {"conditions": Conditions(caps={"a": 1, "b": 1, "c": 3})},
            r"caps=.* leave room for 2 acquisitions, but the budget is 5",
        ),
        ({"conditions": Conditions(mistakes=[[0, 1], [1, 0]])}, r"shape \(2, 2\), but there are 3"),
        ({"budget": 40, "conditions": Conditions(max_repeat=1)}, r"max_repeat=1 may leave nothing"),
        ({"batch_size": 0}, r"batch_size must be a whole number of at least 1, got 0"),
    ],
)
def test_what_cannot_be_played_is_refused(
    dataset: Dataset, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        comparison_experiment(dataset, ["uniform"], **{"budget": 5, "trials": 2, **options})


def test_a_folder_made_under_other_conditions_is_refused(dataset: Dataset, tmp_path) -> None:
    first = comparison_experiment(dataset, ["uniform"], budget=3, trials=2, conditions=COSTS)
    run(first, execution=Execution(jobs=1), out=tmp_path / "out")
    other = comparison_experiment(
        dataset, ["uniform"], budget=3, trials=2, conditions=Conditions(costs={"a": 2})
    )
    with pytest.raises(ValueError, match=r"made with other settings \(conditions costs"):
        run(other, execution=Execution(jobs=1), out=tmp_path / "out")
