"""Ready-made experiments: the paper's, and the comparison on somebody's own data.

Everything that can be wrong with the request is found here, before a trial runs.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from palacs.checks import Bandwidth, check_bandwidth_or_auto, check_count
from palacs.conditions import Conditions
from palacs.datasets import DATASETS, Dataset, load
from palacs.datasets import find as find_dataset
from palacs.evidence import default_model
from palacs.experiments import paper
from palacs.experiments._condition_checks import (
    add_blind,
    check_budget,
    check_conditions,
    check_limits,
)
from palacs.experiments._experiment import Experiment, Task, parzen, scaled, strategy_for
from palacs.experiments._few_per_class import expect_few_per_class
from palacs.experiments._model_sources import model_from
from palacs.experiments._trial import check_supply
from palacs.objects import seeded
from palacs.strategies import DEFAULT_STRATEGY, Strategy, find

_MEASURED = re.compile(r"-?\d+\.\d+")
_LEAST_PER_CLASS = 4
DEFAULT_COMPARED = (DEFAULT_STRATEGY, "pal-acs", "uniform", "random")
# Always played along: who beats chance but not equal counts has shown nothing.
BASELINES = ("random", "uniform")


def paper_experiment(
    datasets: Sequence[str] = paper.DATASETS,
    strategies: Sequence[str] = paper.STRATEGIES,
    *,
    trials: int = paper.TRIALS,
    bandwidth: Bandwidth = paper.BANDWIDTH,
    seed: int = 0,
) -> Experiment:
    """Set up the paper's evaluation, or a part of it.

    Parameters
    ----------
    datasets : sequence of str
        Of the paper's six, any spelling.
    strategies : sequence of str
        Command-line names.
    trials : int, default=500
    bandwidth : float or "auto", default=0.05
        Of the classifier and of every strategy that has one.
    seed : int, default=0

    Returns
    -------
    experiment : Experiment

    Examples
    --------
    >>> paper_experiment(["spirals"], trials=10).tasks[0].budget
    120
    """
    names = _unique([find_dataset(name).name for name in datasets], "data set")
    for name in names:
        if name not in paper.DATASETS:
            raise ValueError(
                f"the paper has no data set {name!r}; choose from "
                f"{', '.join(paper.DATASETS)}, or use compare for any other."
            )
    trials, seed = check_count(trials, "trials"), _check_seed(seed)
    bandwidth = check_bandwidth_or_auto(bandwidth)
    classifier = parzen(bandwidth).set_params(nothing_near="prior")
    tasks = []
    for name in names:
        dataset = scaled(load(name, random_state=seed))
        budget = DATASETS[name].budget
        assert budget is not None
        tasks.append(
            Task(
                dataset,
                budget,
                paper.TEST_PER_CLASS,
                _named(strategies, classifier, bandwidth, dataset),
            )
        )
    return Experiment(tuple(tasks), classifier, trials, seed, refill=True, beside_paper=True)


def comparison_experiment(
    dataset: Dataset,
    strategies: Sequence[str | Strategy] = DEFAULT_COMPARED,
    *,
    budget: int | None = None,
    trials: int = 50,
    classifier: Any | None = None,
    bandwidth: Bandwidth = "auto",
    seed: int = 0,
    conditions: Conditions | None = None,
    batch_size: int = 1,
    budget_cost: float | None = None,
) -> Experiment:
    """Set up a comparison of strategies on one data set.

    Half of the smallest class, at most 50 instances, is tested on, the same number of every
    class. Random and Uniform are always played along, as the measure of the others. Where the
    data set knows groups, such as people, no group is in both parts.

    Parameters
    ----------
    dataset : Dataset
    strategies : sequence of str or Strategy
        Command-line names, or strategies of your own.
    budget : int
        Acquisitions after the first instance of every class; or give ``budget_cost``.
    trials : int, default=50
    classifier : scikit-learn classifier, class, factory, str or None, default=None
        What is judged, as `model_from` takes it; a seed it leaves open is set. None is
        `palacs.evidence.default_model` with ``bandwidth``: the Parzen window, corrected for class
        sizes.
    bandwidth : float or "auto", default="auto"
        "auto" fits it to what was acquired, see `palacs.kernel.auto_bandwidth`.
    seed : int, default=0
    conditions : Conditions or None, default=None
        By class names. Errors are then those in use: weighted by the proportions, with the costs
        of mistakes. Random, and a twin of the first strategy, know the limits only, so that the
        comparison shows what knowing the conditions is worth.
    batch_size : int, default=1
        How many classes are requested at a time.
    budget_cost : float or None, default=None
        A budget in money or minutes, the unit of ``conditions.costs``, instead of ``budget``.

    Returns
    -------
    experiment : Experiment
    """
    if conditions is not None:
        check_conditions(conditions, dataset)
    budget = check_budget(budget, budget_cost, conditions, dataset)
    batch_size = check_count(batch_size, "batch_size")
    test_per_class = _check_sizes(dataset, budget)
    bandwidth = check_bandwidth_or_auto(bandwidth)
    trials, seed = check_count(trials, "trials"), _check_seed(seed)
    dataset = scaled(dataset)
    judged = default_model(bandwidth=bandwidth)
    if classifier is not None:
        judged = seeded(model_from(classifier), seed)
    _check_classifier(judged, dataset)
    given = [strategies] if isinstance(strategies, str) else strategies
    listed = [find(each).name if isinstance(each, str) else each for each in given]
    wanted = [*listed, *(name for name in BASELINES if name not in listed)]
    named = _named(wanted, judged, bandwidth, dataset)
    blind = add_blind(named, conditions, find(BASELINES[0]).title)
    task = Task(dataset, budget, test_per_class, named)
    experiment = Experiment(
        (task,),
        judged,
        trials,
        seed,
        conditions=conditions,
        blind=blind,
        batch_size=batch_size,
        budget_cost=budget_cost,
    )
    if conditions is not None:
        check_limits(conditions, dataset, test_per_class, budget)
    if dataset.groups is not None:
        _check_groups(experiment, dataset)
    return experiment


def _check_classifier(classifier: Any, dataset: Dataset) -> None:
    """Refuse what cannot learn from as little as a trial begins with."""
    expect_few_per_class()
    _, first = np.unique(dataset.y, return_index=True)
    rows = np.append(first, np.setdiff1d(np.arange(len(dataset)), first)[0])
    try:
        fitted = clone(classifier).fit(dataset.X[rows], dataset.y[rows])
        predicted = np.asarray(fitted.predict(dataset.X[rows]))
    except (ValueError, TypeError) as error:
        raise ValueError(
            f"{classifier!r} cannot learn from one instance of each class and one more, as a "
            f"trial begins ({error}); choose another classifier or other parameters, such as fewer "
            "neighbours or folds."
        ) from error
    # A column would be compared with every label at once, and the errors would be wrong.
    if predicted.shape != rows.shape or not np.isin(predicted, dataset.y[rows]).all():
        raise ValueError(
            f"{classifier!r} predicts {textwrap.shorten(repr(predicted), 60, placeholder=' ...')} "
            f"for {len(rows)} instances; predict must return one of the classes it was fitted on "
            f"for each, shape ({len(rows)},)."
        )


def _named(
    strategies: Sequence[str | Strategy], classifier: Any, bandwidth: Bandwidth, dataset: Dataset
) -> dict[str, Strategy]:
    named: dict[str, Strategy] = {}
    for strategy in strategies:
        if isinstance(strategy, str):
            title = find(strategy).title
            made = strategy_for(strategy, classifier, bandwidth, dataset)
        elif isinstance(strategy, type):
            raise ValueError(f"{strategy.__name__} is a class; give {strategy.__name__}().")
        else:
            title, made = type(strategy).__name__, strategy
        if title in named:
            raise ValueError(f"the strategy {title!r} is listed twice; list each once.")
        named[title] = made
    if not named:
        raise ValueError("no strategy is listed; name at least one, such as pal-acs.")
    return named


def _unique(names: list[str], what: str) -> list[str]:
    if not names:
        raise ValueError(f"no {what} is listed; name at least one.")
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"the {what} {name!r} is listed twice; list each once.")
    return names


def _check_sizes(dataset: Dataset, budget: int) -> int:
    """Return how many instances of each class to test on."""
    sizes = dataset.class_counts
    small = {name: size for name, size in sizes.items() if size < _LEAST_PER_CLASS}
    if small:
        shown = [f"{name!r} ({size})" for name, size in small.items()][:8]
        listing = ", ".join(shown) + (f" and {len(small) - 8} more" if len(small) > 8 else "")
        remedy = "leave these classes out or merge them"
        if 2 * len(small) > len(sizes) and all(map(_MEASURED.fullmatch, small)):
            remedy = "these look like measurements: name the column that holds classes"
        raise ValueError(
            f"too few instances of {listing}: every class needs at least {_LEAST_PER_CLASS}, "
            f"half for testing; {remedy}."
        )
    test_per_class = _test_per_class(dataset)
    left = len(dataset) - dataset.n_classes * (test_per_class + 1)
    if budget > left:
        raise ValueError(
            f"a budget of {budget} is more than the data holds: {len(dataset)} instances less "
            f"{test_per_class} per class for testing and one per class to start leave {left}; "
            f"use a budget of at most {left}."
        )
    return test_per_class


def _test_per_class(dataset: Dataset) -> int:
    smallest = min(dataset.class_counts.values())
    return min(paper.TEST_PER_CLASS, smallest // 2, _all_but_one(dataset))


def default_budget(dataset: Dataset) -> int:
    """Return a budget for who has none in mind: 20 per class, or half of what there is.

    To use up all there is would leave a strategy no choice in the end. Of groups, whole ones are
    put aside for testing, so less can be counted on.

    Examples
    --------
    >>> from palacs.datasets import load
    >>> default_budget(load("iris")), default_budget(load("wine"))
    (36, 51)
    """
    left = len(dataset) - dataset.n_classes * (_test_per_class(dataset) + 1)
    return max(1, min(20 * dataset.n_classes, left // (2 if dataset.groups is None else 4)))


def _all_but_one(dataset: Dataset) -> int:
    """Return how many instances of each class there are in all groups but one, whichever it is.

    So many can be tested on while at least one group is left to train on.
    """
    if dataset.groups is None:
        return len(dataset)
    names, codes = np.unique(dataset.groups, return_inverse=True)
    held = np.zeros((len(names), dataset.n_classes), dtype=np.int64)
    np.add.at(held, (codes.reshape(-1), dataset.y), 1)
    others = held.sum(axis=0) - held
    if others.min() == 0:
        group, label = np.argwhere(others == 0)[0]
        raise ValueError(
            f"class {dataset.class_names[label]!r} is in the group {names[group].item()!r} only; "
            "whole groups are put aside for testing, so every class must be in two at least."
        )
    return int(others.min())


def _check_groups(experiment: Experiment, dataset: Dataset) -> None:
    """Refuse groups that leave too little; how much shows only in the splits themselves."""
    assert dataset.groups is not None
    names = np.unique(dataset.groups).tolist()
    shown = ", ".join(map(repr, names[:12])) + ("" if len(names) <= 12 else ", ...")
    task = experiment.tasks[0]
    for trial in range(experiment.trials):
        try:
            check_supply(experiment.deal(task.name, trial)[0], task.budget, refill=False)
        except ValueError as error:
            raise ValueError(
                f"{error} Whole groups are put aside for testing; there are {len(names)}: {shown}."
            ) from error


def _check_seed(seed: int) -> int:
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise ValueError(f"seed must be a whole number of at least 0, got {seed!r}.")
    return int(seed)
