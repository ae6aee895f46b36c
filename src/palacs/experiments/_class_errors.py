"""Which class is hard at the end of the budget, and whether another model would find it easier.

Trials keep one error after each acquisition. What stands here is worked out from the classes that
were requested: the last labelled set of a trial is laid out again, and the model judged by class.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline

from palacs.checks import Codes, Features
from palacs.evidence import default_model
from palacs.experiments._as_given import AsGiven
from palacs.experiments._comparison import paired_t
from palacs.experiments._judge import decisions_of
from palacs.experiments._results import Results
from palacs.experiments._split import Split

# A mean over so many trials no longer changes what a reader sees.
_MOST_TRIALS = 50
_TRIED = 20
# Weights of the other model; beyond that it is no quick look any more.
_MOST_WEIGHTS = 50_000

LOGISTIC = "sklearn.linear_model.LogisticRegression"


@dataclass(frozen=True)
class OtherModel:
    """A simple model beside the judged one, on the last labelled sets of one strategy.

    Attributes
    ----------
    name : str
        In words.
    option : str or None
        Its import path; None is the default model.
    strategy : str
        Whose labelled sets were used.
    error, judged_error : float
        Mean errors on the test sets, of this model and of the judged one.
    low, high : float
        95 % interval of the difference, negative where this model is better.
    p_value : float
    """

    name: str
    option: str | None
    strategy: str
    error: float
    judged_error: float
    low: float
    high: float
    p_value: float


def class_errors(results: Results) -> pd.DataFrame:
    """Return the error of each class at the end of the budget, by strategy.

    Parameters
    ----------
    results : Results
        Of one data set; at most its first 50 trials are looked at.

    Returns
    -------
    frame : DataFrame
        Columns strategy, class, error: the share of its test instances that are decided wrongly.
        ``frame.attrs["rests_on"]`` says of how many trials, where it is not all.

    Examples
    --------
    >>> from palacs.datasets import load
    >>> from palacs.experiments import Execution, class_errors, comparison_experiment, run
    >>> experiment = comparison_experiment(load("iris"), ["uniform"], budget=9, trials=2)
    >>> class_errors(run(experiment, execution=Execution(jobs=1)))["class"].tolist()[:3]
    ['setosa', 'versicolor', 'virginica']
    """
    experiment = results.experiment
    names = experiment.tasks[0].dataset.class_names
    rows = []
    for title in experiment.titles:
        wrong = np.mean([_by_class(results, *last) for last in _last_sets(results, title)], axis=0)
        rows += [(title, name, float(w)) for name, w in zip(names, wrong, strict=True)]
    frame = pd.DataFrame(rows, columns=["strategy", "class", "error"])
    if experiment.trials > _MOST_TRIALS:
        frame.attrs["rests_on"] = f"the first {_MOST_TRIALS} of {experiment.trials} trials"
    return frame


def try_other_model(results: Results, strategy: str) -> OtherModel | None:
    """Judge a simple other model on the same instances; None where that would take long.

    Parameters
    ----------
    results : Results
        Of one data set, without conditions that weigh classes.
    strategy : str
        A title; the labelled sets at the end of its trials are used.
    """
    experiment = results.experiment
    dataset = experiment.tasks[0].dataset
    if dataset.n_classes * dataset.n_features > _MOST_WEIGHTS:
        return None
    logistic = isinstance(_innermost(experiment.classifier), LogisticRegression)
    model: BaseEstimator = default_model() if logistic else LogisticRegression()
    last = results.trials["acquired"].max()
    final = results.trials[results.trials["acquired"] == last]
    final = final[final["strategy"] == strategy].sort_values("trial")
    judged = final["error"].to_numpy()[:_TRIED]
    errors = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for split, X, y in _last_sets(results, strategy, len(judged)):
            decided = decisions_of(split, model, None, X, y)
            errors.append(1.0 - decided[np.arange(len(split.y_test)), split.y_test].mean())
    others = np.array(errors)
    ratio = experiment.test_ratio(experiment.tasks[0].name)
    p, low, high = paired_t(others - judged, ratio)
    return OtherModel(
        "the default model" if logistic else "logistic regression",
        None if logistic else LOGISTIC,
        strategy,
        float(others.mean()),
        float(judged.mean()),
        float(low),
        float(high),
        float(p),
    )


def _innermost(model: Any) -> Any:
    """Return what decides in the end: of a pipeline its last step."""
    if isinstance(model, AsGiven):
        return _innermost(model.model)
    return _innermost(model.steps[-1][1]) if isinstance(model, Pipeline) else model


def _last_sets(
    results: Results, title: str, most: int = _MOST_TRIALS
) -> Iterator[tuple[Split, Features, Codes]]:
    """Yield the split of each trial, and what was acquired at its end."""
    experiment = results.experiment
    task = experiment.tasks[0]
    code_of = {name: code for code, name in enumerate(task.dataset.class_names)}
    played = results.trials[results.trials["strategy"] == title]
    played = played[played["trial"] < min(experiment.trials, most)]
    played = played.sort_values(["trial", "acquired"])
    requested = np.array([code_of[str(name)] for name in played["class"]], dtype=np.int64)
    for trial, codes in enumerate(requested.reshape(-1, task.budget)):
        split, _ = experiment.deal(task.name, trial)
        y = np.concatenate([split.start, codes])
        yield split, split.X[split.rows_of(y)], y


def _by_class(results: Results, split: Split, X: Features, y: Codes) -> Any:
    experiment = results.experiment
    conditions = experiment.conditions
    if conditions is not None:
        names = experiment.tasks[0].dataset.class_names
        conditions = conditions.relabelled({name: code for code, name in enumerate(names)})
    decided = decisions_of(split, experiment.classifier, conditions, X, y)
    right = decided[np.arange(len(split.y_test)), split.y_test]
    sizes = np.bincount(split.y_test, minlength=split.n_classes)
    return 1.0 - np.bincount(split.y_test, right, split.n_classes) / np.maximum(sizes, 1)
