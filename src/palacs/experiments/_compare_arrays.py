"""`palacs.compare`: would class selection help on the data at hand? One call, one answer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from palacs.classifier import ParzenWindowClassifier
from palacs.conditions import Conditions
from palacs.datasets import Dataset, from_arrays, take_columns
from palacs.experiments._as_given import AsGiven, GivenRows
from palacs.experiments._compared import Compared, run_comparison
from palacs.experiments._experiment import scaled
from palacs.experiments._model_sources import model_from
from palacs.experiments._runner import Execution
from palacs.experiments._setup import DEFAULT_COMPARED, comparison_experiment, default_budget
from palacs.objects import seeded
from palacs.progress import progress_bar
from palacs.strategies import Strategy


def compare(
    X: Any,
    y: Any = None,
    *,
    budget: int | None = None,
    model: Any = None,
    groups: Any = None,
    strategies: Sequence[str | Strategy] = DEFAULT_COMPARED,
    conditions: Conditions | None = None,
    trials: int = 50,
    scale: bool = True,
    seed: int = 0,
    jobs: int = -1,
    out: str | Path | None = None,
    progress: bool = True,
) -> Compared:
    """Compare strategies on your data: which one wins, how surely, and whether it is worth it.

    In every trial part of the data is put aside for testing, and strategies acquire the rest
    class by class. `palacs compare` does the same with a file.

    Parameters
    ----------
    X : array-like, data frame or Dataset, shape (n_instances, n_features)
        Numbers; a frame of pandas or polars keeps its names. Text among the columns needs a
        ``model`` that deals with it; strategies that compare distances then see one column of 0
        and 1 per value.
    y : array-like, Series or str
        The class of every instance, or the name of a column of ``X``. Not with a Dataset.
    budget : int or None, default=None
        Acquisitions after the first instance of every class: as many as you could afford. None
        takes 20 per class, or half of what there is.
    model : scikit-learn classifier, class, factory, str or None, default=None
        What you will train: any estimator or pipeline, or what makes one without arguments. It
        gets rows with the names of their columns, and the labels as they are. Spare settled asks
        the model itself, about ten fits per class and decision: begin with few trials. None is
        `palacs.evidence.default_model`, the Parzen window with the data's bandwidth.
    groups : array-like, Series, str or None, default=None
        Who or what an instance belongs to, such as its subject, or the name of a column of ``X``.
        None is then in both parts of a split: errors are those on new ones.
    strategies : sequence of str or Strategy
        Names, as `palacs strategies` lists them, or strategies of your own. Random and Uniform
        are always played along.
    conditions : Conditions or None, default=None
        Costs, proportions in use, mistakes and limits, by class names.
    trials : int, default=50
        Random splits; the ceiling takes at least 10.
    scale : bool, default=True
        Whether the model, too, sees numbers scaled to [0, 1] by the range of all instances.
        False gives it the numbers as they are. Distances are always those of scaled numbers.
    seed : int, default=0
        The results are a function of it, of the data and of the parameters above.
    jobs : int, default=-1
        Processes; -1 is one per core.
    out : path or None, default=None
        A folder for the trials; the same call goes on there where an interrupted one stopped.
    progress : bool, default=True
        Whether to show how far it is, in a notebook or a terminal.

    Returns
    -------
    compared : Compared
        The verdict, the ceiling, the answer in words, tables and pictures; ``report(folder)``
        writes it all as a page.

    Examples
    --------
    >>> import palacs
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> found = palacs.compare(X, y, budget=20, trials=5, jobs=1)
    >>> found.verdict.answer
    'not shown'
    >>> found.table().columns.tolist()
    ['strategy', 'phase', 'error', 'win_ratio']
    """
    judged = None if model is None else seeded(model_from(model), seed)
    own = judged is not None and type(judged) is not ParzenWindowClassifier
    if isinstance(X, Dataset):
        _refuse_twice(y, groups)
        dataset = X
    else:
        dataset = from_arrays(X, y, groups=groups, one_hot=own)
        if own:
            judged = AsGiven(judged, _given(X, y, groups, dataset, scale))
    if budget is None:
        budget = default_budget(dataset)
    experiment = comparison_experiment(
        dataset,
        strategies,
        budget=budget,
        trials=trials,
        classifier=judged,
        seed=seed,
        conditions=conditions,
    )
    with progress_bar(progress) as stage:
        return run_comparison(experiment, execution=Execution(jobs), out=out, progress=stage)


def _refuse_twice(y: Any, groups: Any) -> None:
    for name, value in (("y", y), ("groups", groups)):
        if value is not None:
            raise ValueError(f"X is a Dataset, which knows its {name}; leave {name} out.")


def _given(X: Any, y: Any, groups: Any, dataset: Dataset, scale: bool) -> GivenRows:
    """Return the table behind a data set, its numbers scaled where that is wanted."""
    table, labels, _ = take_columns(X, y, groups)
    as_played = scaled(dataset)
    if scale:
        for place, name in enumerate(dataset.feature_names):
            if name in table.columns:
                table[name] = as_played.X[:, place]
    _, first = np.unique(dataset.y, return_index=True)
    rows = table if hasattr(X, "columns") else table.to_numpy()
    return GivenRows(as_played.X, rows, np.array([labels[i] for i in first]), scaled=scale)
