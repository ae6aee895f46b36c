"""Errors by class add up to the trials' own, and the model is blamed only where it is to blame."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from matplotlib.text import Text
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression

from palacs import Conditions, plots
from palacs.datasets import Dataset
from palacs.experiments import (
    Execution,
    ModelCheck,
    Results,
    class_errors,
    comparison_experiment,
    run,
)
from palacs.experiments.report._comparison_report import _class_tables
from palacs.experiments.report._model_sentence import check_model, model_sentences

MakeDataset = Callable[..., Dataset]


def play(dataset: Dataset, **options: object) -> Results:
    experiment = comparison_experiment(dataset, ["uniform"], trials=8, **options)  # type: ignore[arg-type]
    return run(experiment, execution=Execution(jobs=1))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"classifier": LogisticRegression()},
        {"conditions": Conditions(proportions={"a": 0.5, "b": 0.3, "c": 0.2})},
    ],
    ids=["parzen", "any model", "proportions"],
)
def test_errors_by_class_are_those_the_trials_ended_with(
    make_dataset: MakeDataset, options: dict[str, object]
) -> None:
    results = play(make_dataset(), budget=9, **options)
    errors = class_errors(results)
    assert errors["class"].tolist()[:3] == ["a", "b", "c"]
    last = results.trials[results.trials["acquired"] == 9]
    shares = (
        {"a": 0.5, "b": 0.3, "c": 0.2} if "conditions" in options else dict.fromkeys("abc", 1 / 3)
    )
    for title, mine in errors.groupby("strategy"):
        weighted = sum(shares[c] * e for c, e in zip(mine["class"], mine["error"], strict=True))
        assert weighted == pytest.approx(last[last["strategy"] == title]["error"].mean())
    easy = errors[errors["class"] == "a"]["error"]
    assert easy.max() <= errors["error"].mean()


def test_errors_by_class_say_that_they_rest_on_the_first_trials_only(
    make_dataset: MakeDataset,
) -> None:
    experiment = comparison_experiment(make_dataset(), ["uniform"], trials=52, budget=3)
    results = run(experiment, execution=Execution(jobs=1))
    errors = class_errors(results)
    said = "the first 50 of 52 trials"
    assert errors.attrs["rests_on"] == said
    assert said in _class_tables(errors)[0].caption
    texts = [text.get_text() for text in plots.class_errors(errors).findobj(Text)]
    assert any(said in text for text in texts)


def noise(seed: int = 0) -> Dataset:
    X = np.random.default_rng(seed).uniform(size=(120, 20))
    names = tuple(f"x{i}" for i in range(20))
    return Dataset("noise", X, np.repeat([0, 1], 60), ("a", "b"), names, "", "a test", "CC0")


def test_a_model_that_fails_where_another_does_not_is_told_to_be_the_problem(
    make_dataset: MakeDataset,
) -> None:
    stump = DummyClassifier(strategy="prior")
    (said,) = model_sentences(check_model(play(make_dataset(), budget=20, classifier=stump)))
    assert said.startswith("The model itself is the problem. The model does not beat guessing")
    assert "logistic regression has an error of" in said
    assert "--classifier sklearn.linear_model.LogisticRegression, in Python model=" in said


def test_where_nothing_can_be_learned_no_model_is_blamed() -> None:
    (said,) = model_sentences(check_model(play(noise(), budget=30)))
    assert said.startswith("The model does not beat guessing: its error at the end is 0.515")
    assert "Nor does logistic regression" in said


def test_a_model_that_does_well_is_not_mentioned(make_dataset: MakeDataset) -> None:
    results = play(make_dataset(), budget=9)
    check = check_model(results)
    assert check is not None
    assert not check.near_guessing
    assert model_sentences(check) == []
    assert model_sentences(None) == []


def test_under_proportions_in_use_guessing_is_not_compared_with(make_dataset: MakeDataset) -> None:
    conditions = Conditions(proportions={"a": 0.8, "b": 0.1, "c": 0.1})
    assert check_model(play(make_dataset(), budget=6, conditions=conditions)) is None


def test_the_check_is_plain_json() -> None:
    assert ModelCheck(0.6, 0.66, None).to_dict() == {
        "error": 0.6,
        "guessing": 0.66,
        "other": None,
        "near_guessing": True,
        "other_is_better": False,
    }
