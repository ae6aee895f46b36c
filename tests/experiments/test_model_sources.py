"""Models by object, class, factory and path; those of the working directory reach the workers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.ensemble import RandomForestClassifier, StackingClassifier
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import palacs
from palacs.datasets import load
from palacs.experiments import Execution, comparison_experiment, model_from, run

FILE = """
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from beside import WIDTH

class Mine(GaussianNB):
    def fit(self, X, y):
        assert WIDTH == 3
        return super().fit(X, y)

model = make_pipeline(Mine())
number = 3

def make():
    return Mine()

def needs(word):
    return Mine()

def wrong():
    return "a model"
"""


class Plain:
    """A classifier that is not made from scikit-learn's parts."""

    def __init__(self, shift: int = 0) -> None:
        self.shift = shift

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {"shift": self.shift}

    def set_params(self, **params: Any) -> Plain:
        self.shift = params["shift"]
        return self

    def fit(self, X: Any, y: Any) -> Plain:
        self.inner = GaussianNB().fit(X, y)
        return self

    def predict(self, X: Any) -> Any:
        return self.inner.predict(X)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "my_model.py").write_text(FILE)
    # A file may be called like a module that everybody has loaded.
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "json.py").write_text(FILE)
    (tmp_path / "beside.py").write_text("WIDTH = 3\n")
    (tmp_path / "models" / "beside.py").write_text("WIDTH = 3\n")
    (tmp_path / "broken.py").write_text("import nowhere_to_be_found\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "given",
    [
        GaussianNB(),
        GaussianNB,
        lambda: GaussianNB(),
        Plain,
        pytest.param(StackingClassifier([("bayes", GaussianNB())]), id="a stack"),
        "sklearn.naive_bayes.GaussianNB",
        "my_model.py:model",
        "my_model.py:Mine",
        "my_model.py:make",
        "my_model:make",
        "models/json.py:make",
    ],
)
def test_a_model_comes_in_many_ways(here: Path, given: Any) -> None:
    assert hasattr(type(model_from(given)), "predict")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("my_model.py:modle", r"there is no 'modle'; there is .*, model, number, make"),
        ("my_model.py:number", "neither a classifier, a class nor a factory"),
        ("my_model.py:needs", r"cannot be called without arguments \(.*'word'"),
        ("my_model.py:wrong", r"what 'my_model.py:wrong' makes, 'a model', is not .*no fit"),
        ("broken.py:model", r"ModuleNotFoundError: No module named 'nowhere_to_be_found'"),
        ("absent.py:model", r"there is no file absent\.py \(looked in "),
        ("absent:model", "No module named 'absent'"),
        (":model", "cannot read a model from ':model'"),
        (3, "model=3 is no classifier, class or factory"),
        (LinearRegression(), "is not a classifier"),
        (KMeans, "is not a classifier"),
        (StandardScaler(), "it has no predict"),
        pytest.param(object(), "is no classifier, class or factory", id="an object"),
    ],
    ids=str,
)
def test_what_is_no_model_is_refused_with_the_remedy(here: Path, given: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"(?s){message}"):
        model_from(given)


def test_a_model_that_knows_nothing_of_scikit_learn_is_judged() -> None:
    found = [
        run(comparison_experiment(load("iris"), ["random"], budget=2, trials=2, classifier=model))
        for model in (Plain(), GaussianNB())
    ]
    assert found[0].trials["error"].tolist() == found[1].trials["error"].tolist()


class Column(Plain):
    """Predicts a column, as some libraries do for several classes."""

    def predict(self, X: Any) -> Any:
        return super().predict(X)[:, None]


class Stranger(Plain):
    """Predicts what nobody taught it."""

    def predict(self, X: Any) -> Any:
        return np.full(len(X), "else")


@pytest.mark.parametrize("model", [Column(), Stranger()], ids=lambda model: type(model).__name__)
def test_predictions_that_are_not_one_class_per_instance_are_refused(model: Any) -> None:
    iris = load("iris")
    with pytest.raises(ValueError, match=r"predicts array\(.* must return one of the class"):
        comparison_experiment(iris, ["random"], budget=2, classifier=model)
    with pytest.raises(ValueError, match=r"array of shape .* not one of the labels"):
        palacs.compare(iris.X, iris.labels, budget=2, model=model, progress=False)


def test_a_model_of_the_working_directory_reaches_the_workers(here: Path) -> None:
    trials = [
        run(
            comparison_experiment(
                load("iris"), ["random"], budget=2, trials=2, classifier="my_model.py:make"
            ),
            execution=Execution(jobs),
        ).trials
        for jobs in (1, 2)
    ]
    assert trials[0].equals(trials[1])


def test_seeds_that_were_left_open_are_set_so_that_trials_can_be_repeated() -> None:
    forest = make_pipeline(StandardScaler(), RandomForestClassifier(n_estimators=2))
    judged = comparison_experiment(load("iris"), budget=2, classifier=forest, seed=5).classifier
    assert judged[-1].random_state == 5
    assert forest[-1].random_state is None
    given = RandomForestClassifier(n_estimators=2, random_state=1)
    assert comparison_experiment(load("iris"), budget=2, classifier=given).classifier is given
