"""`palacs.compare`: arrays and frames in, an answer with its tables and pictures out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

import palacs
from palacs.datasets import load
from palacs.experiments import Compared, comparison_experiment, run_comparison

QUICK: dict[str, Any] = {
    "budget": 4,
    "trials": 2,
    "jobs": 1,
    "strategies": ["inverse"],
    "progress": True,
}


def table(n: int = 12) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    kind = np.repeat(["rest", "left", "right"], n)
    shift = {"rest": 0.0, "left": 40.0, "right": 60.0}
    size = [shift[k] + rng.normal(0, 10) for k in kind]
    colour = [("red", "blue")[int(k == "rest")] for k in kind]
    return pd.DataFrame({"size": size, "colour": colour, "kind": kind})


def pipeline() -> Any:
    columns = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), ["colour"]), remainder="passthrough"
    )
    return make_pipeline(
        columns, DecisionTreeClassifier(class_weight={"rest": 2, "left": 1, "right": 1})
    )


@pytest.fixture(scope="module")
def compared() -> Compared:
    return palacs.compare(table(), "kind", model=pipeline(), **QUICK)


def test_the_answer_comes_with_everything_it_rests_on(compared: Compared, tmp_path: Path) -> None:
    assert compared.verdict.sentence in compared.sentences
    assert repr(compared).splitlines() == compared.sentences
    assert compared.ceiling is None  # with two trials
    strategies = ["Inverse", "Random", "Uniform"]
    assert compared.table()["strategy"].unique().tolist() == strategies
    assert set(compared.proportions()["class"]) == {"left", "rest", "right"}
    assert compared.curves()["acquired"].max() == 4
    assert compared.comparison()["versus"].unique().tolist() == ["Random"]
    assert compared.comparison("Inverse")["versus"].unique().tolist() == ["Inverse"]
    assert len(compared.plot_curves().axes) == 1
    page = compared.report(tmp_path / "new" / "folder")
    assert page.name == "report.html"
    assert "DecisionTreeClassifier" in page.read_text(encoding="utf-8")


def test_the_same_data_in_polars_gives_the_same_trials(compared: Compared) -> None:
    given = pl.DataFrame(table().to_dict("list"))
    again = palacs.compare(given, "kind", model=pipeline, **QUICK)
    assert again.results.trials.equals(compared.results.trials)


class Witness(ClassifierMixin, BaseEstimator):
    """Remembers nothing but what it was shown, and guesses."""

    def fit(self, X: Any, y: Any) -> Witness:
        self.classes_ = np.unique(y)
        SEEN.append((X, y))
        return self

    def predict(self, X: Any) -> Any:
        return np.repeat(self.classes_[:1], len(X))


SEEN: list[tuple[Any, Any]] = []


def test_a_model_sees_names_labels_and_as_asked_the_numbers_as_they_are() -> None:
    for scale in (True, False):
        SEEN.clear()
        palacs.compare(table(), "kind", model=Witness, scale=scale, **QUICK)
        seen, labels = pd.concat([X for X, _ in SEEN]), np.concatenate([y for _, y in SEEN])
        assert seen.columns.tolist() == ["size", "colour"]
        assert set(labels) == {"left", "rest", "right"}
        assert set(seen["colour"]) == {"red", "blue"}
        assert seen["size"].between(0.0, 1.0).all() == scale
        assert set(seen["size"]) <= set(table()["size"]) or scale
    SEEN.clear()
    numbers = np.random.default_rng(0).normal(size=(18, 2))
    palacs.compare(numbers, [0, 1, 2] * 6, model=Witness(), scale=False, **QUICK)
    assert {type(X) for X, _ in SEEN} == {np.ndarray}
    assert np.isin(np.concatenate([X for X, _ in SEEN]), numbers).all()
    assert set(np.concatenate([y for _, y in SEEN])) == {0, 1, 2}


def test_it_is_the_comparison_of_the_command_line() -> None:
    iris = load("iris")
    one = palacs.compare(iris.X, iris.labels, model=GaussianNB(), **QUICK)
    experiment = comparison_experiment(
        iris, ["inverse"], budget=4, trials=2, classifier="sklearn.naive_bayes.GaussianNB"
    )
    # Trials are dealt by the data set's name, so that only what is played is the same.
    assert one.results.experiment.titles == run_comparison(experiment).results.experiment.titles
    two = palacs.compare(iris, model=GaussianNB(), **QUICK)
    assert two.results.trials.equals(run_comparison(experiment).results.trials)


def test_a_budget_that_was_left_open_is_20_per_class_or_half_of_what_there_is() -> None:
    found = palacs.compare(table(), "kind", model=Witness, **{**QUICK, "budget": None})
    assert found.results.experiment.tasks[0].budget == 7


def test_groups_are_kept_together() -> None:
    who = np.tile(np.arange(6), 6)
    given = table().drop(columns="colour")
    found = palacs.compare(given, "kind", groups=who, model=GaussianNB, **QUICK)
    dataset = found.results.experiment.tasks[0].dataset
    assert dataset.groups is not None
    split, _ = found.results.experiment.deal(dataset.name, 0)
    tested = {who[np.flatnonzero((x == dataset.X).all(axis=1))[0]] for x in split.X_test}
    trained = {who[np.flatnonzero((x == dataset.X).all(axis=1))[0]] for x in split.X}
    assert not tested & trained


def test_a_data_set_knows_its_classes() -> None:
    with pytest.raises(ValueError, match="X is a Dataset, which knows its y; leave y out"):
        palacs.compare(load("iris"), [1, 2], **QUICK)


def test_a_folder_of_scaled_numbers_is_not_taken_for_one_of_numbers_as_they_are(
    tmp_path: Path,
) -> None:
    frame = table()[["size", "kind"]].assign(other=np.linspace(0, 1, 36) ** 2)
    model = KNeighborsClassifier(1)
    palacs.compare(frame, "kind", model=model, out=tmp_path, **QUICK)
    with pytest.raises(ValueError, match=r"not scaled: sklearn.*now"):
        palacs.compare(frame, "kind", model=model, scale=False, out=tmp_path, **QUICK)


def test_logistic_regression_is_not_held_against_itself() -> None:
    X, y = np.random.default_rng(0).normal(size=(48, 3)), np.arange(48) % 3
    found = palacs.compare(X, y, model=make_pipeline(LogisticRegression()), **QUICK)
    assert found.summary.model is not None
    assert found.summary.model.other is not None
    assert found.summary.model.other.name == "the default model"
