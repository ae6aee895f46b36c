"""The ceiling of an experiment, and which part of it each strategy got.

`why_no_ceiling` says where there is none to be had: that is told instead of a number that
would mislead.
"""

from __future__ import annotations

import pandas as pd

from palacs.experiments._ceiling import (
    Ceiling,
    Progress,
    cells_of,
    find_ceiling,
    judging_seconds,
)
from palacs.experiments._experiment import Experiment
from palacs.experiments._results import Results

# So many trials are enough to climb on; with fewer than the least, chance has the word.
_MOST_TRIALS, _LEAST_TRIALS = 100, 10
# The tables that are climbed on: 4 bytes each, and twice.
_MOST_CELLS = 60_000_000
_MOST_SECONDS = 300.0


def ceiling_of(
    played: Experiment | Results,
    dataset: str | None = None,
    *,
    progress: Progress | None = None,
) -> Ceiling:
    """Return how much class selection could help at all in an experiment.

    Up to 100 of its trials are looked at, fewer where there are very many classes.

    Parameters
    ----------
    played : Experiment or Results
    dataset : str or None, default=None
        Which of the data sets; None takes the first.
    progress : callable, optional
        Called with the share of the work that is done.

    Returns
    -------
    ceiling : Ceiling
        What the best counts in hindsight would bring, with its interval.

    Raises
    ------
    ValueError
        There is none to be had: under conditions, with too few trials or too many classes.

    Examples
    --------
    >>> from palacs.datasets import load
    >>> from palacs.experiments import ceiling_of, comparison_experiment
    >>> experiment = comparison_experiment(load("Spirals"), budget=60, trials=10)
    >>> ceiling = ceiling_of(experiment)
    >>> ceiling.certain, ceiling.shares.round(1).tolist()[0]
    (True, 0.0)
    """
    experiment = _experiment(played, dataset)
    reason = _no_meaning(experiment)
    if reason is not None:
        raise ValueError(f"there is no ceiling: {reason}.")
    task = experiment.tasks[0]
    splits = [experiment.deal(task.name, trial)[0] for trial in range(_trials(experiment))]
    return find_ceiling(
        splits,
        task.budget,
        experiment.classifier,
        refill=experiment.refill,
        seed=experiment.seed,
        progress=progress,
    )


def why_no_ceiling(played: Experiment | Results) -> str | None:
    """Return why the ceiling is left out of a report; None where it is not.

    Examples
    --------
    >>> from palacs.datasets import load
    >>> from palacs.experiments import comparison_experiment, why_no_ceiling
    >>> why_no_ceiling(comparison_experiment(load("iris"), budget=20, trials=5))
    'it takes at least 10 trials, and there are 5'
    """
    experiment = _experiment(played, None)
    reason = _no_meaning(experiment)
    if reason is not None:
        return reason
    task = experiment.tasks[0]
    split, _ = experiment.deal(task.name, 0)
    seconds = judging_seconds(
        split, _trials(experiment), task.budget, experiment.classifier, experiment.refill
    )
    if seconds > _MOST_SECONDS:
        return (
            f"with this classifier it would take about {seconds / 60:.0f} min; "
            "palacs.experiments.ceiling_of works it out"
        )
    return None


def final_gains(trials: pd.DataFrame, baseline: str) -> dict[str, float]:
    """Return by strategy how much lower its error at the end of the budget is, relatively.

    ``trials`` is that of `Results`, of one data set; 0.1 is 10 % below the baseline.

    Examples
    --------
    >>> trials = pd.DataFrame({
    ...     "strategy": ["Mine", "Uniform"], "acquired": 9, "error": [0.18, 0.2]})
    >>> round(final_gains(trials, "Uniform")["Mine"], 2)
    0.1
    """
    last = trials[trials["acquired"] == trials["acquired"].max()]
    means = last.astype({"strategy": str}).groupby("strategy", sort=False)["error"].mean()
    level = float(means[baseline])
    return {
        str(name): 1.0 - float(error) / level if level else 0.0 for name, error in means.items()
    }


def _experiment(played: Experiment | Results, dataset: str | None) -> Experiment:
    experiment = played.experiment if isinstance(played, Results) else played
    if not isinstance(experiment, Experiment):
        raise TypeError(
            f"a ceiling is that of an Experiment or of Results, not of {type(played).__name__}; "
            "comparison_experiment makes one of a data set."
        )
    return experiment.only(experiment.tasks[0].name if dataset is None else dataset)


def _trials(experiment: Experiment) -> int:
    """Return how many trials are looked at: as many as memory is well spent on."""
    task = experiment.tasks[0]
    split, _ = experiment.deal(task.name, 0)
    fitting = _MOST_CELLS // cells_of(split, task.budget)
    return min(experiment.trials, _MOST_TRIALS, fitting)


def _no_meaning(experiment: Experiment) -> str | None:
    if experiment.conditions is not None:
        return "under conditions the best counts are not those of the lowest plain error"
    if experiment.trials < _LEAST_TRIALS:
        return f"it takes at least {_LEAST_TRIALS} trials, and there are {experiment.trials}"
    if _trials(experiment) < _LEAST_TRIALS:
        return f"{experiment.tasks[0].dataset.n_classes} classes are too many to try counts out"
    return None
