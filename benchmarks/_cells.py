"""What `strategies.py` compares: errors by set, judged classifier and phase, with certainty."""

from __future__ import annotations

import pandas as pd
from scipy.stats import wilcoxon

from palacs.experiments import LEVEL, Ceiling, Results, final_gains, holm, phase_errors

CELL = ["dataset", "classifier", "phase"]
PHASES, END = ("1", "2", "3", "4"), "end"

Played = dict[tuple[str, str], Results]
"""Results by (judged classifier, data set)."""


def errors_of(played: Played) -> pd.DataFrame:
    """Return errors by trial, of each phase and of the end of the budget.

    Columns dataset, classifier, strategy, trial, phase ("1" to "4", "end"), error.
    """
    frames = []
    for (classifier, _), results in played.items():
        trials = results.trials
        last = trials[trials["acquired"] == trials["acquired"].max()]
        both = [phase_errors(trials), last.assign(phase=END)]
        keys = ["dataset", "strategy", "trial", "phase", "error"]
        frames += [frame[keys].assign(classifier=classifier) for frame in both]
    together: pd.DataFrame = pd.concat(frames, ignore_index=True)
    return together.astype({"dataset": str, "strategy": str, "phase": str})


def against(errors: pd.DataFrame, subject: str, other: str) -> pd.DataFrame:
    """Compare two strategies in every cell: paired Wilcoxon tests, Holm over all cells."""
    wide = errors.pivot_table(
        index=[*CELL, "trial"], columns="strategy", values="error", sort=False
    )
    rows = []
    for cell, group in wide.groupby(level=[0, 1, 2], sort=False):
        difference = (group[subject] - group[other]).to_numpy()
        p = float(wilcoxon(difference).pvalue) if difference.any() else 1.0
        mean, level = float(difference.mean()), float(group[other].mean())
        rows.append((*cell, mean, mean / level if level else 0.0, p))
    frame = pd.DataFrame(rows, columns=[*CELL, "difference", "relative", "p"])
    frame["p_holm"] = holm(frame["p"].to_numpy())
    return frame


def certain(tests: pd.DataFrame) -> pd.DataFrame:
    """Return the cells in which there is a difference for certain."""
    return tests[tests["p_holm"] < LEVEL]


def mean_errors(errors: pd.DataFrame) -> pd.DataFrame:
    """Return mean errors by cell, a column per strategy."""
    return errors.groupby([*CELL, "strategy"], sort=False)["error"].mean().unstack()


def relative_errors(errors: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """Return by cell how much higher each strategy's mean error is than the baseline's."""
    means = mean_errors(errors)
    return means.div(means[baseline].where(means[baseline] > 0), axis=0) - 1


def ranking(errors: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """Return mean rank and mean error relative to the baseline by strategy, the best first."""
    means = mean_errors(errors)
    relative = relative_errors(errors, baseline).mean()
    frame = pd.DataFrame({"mean_rank": means.rank(axis=1).mean(), "relative": relative})
    return frame.sort_values("mean_rank")


def shares_reached(
    played: Played,
    ceilings: dict[tuple[str, str], Ceiling | None],
    subject: str,
    baseline: str,
    worth_it: float,
) -> dict[tuple[str, str], float]:
    """Return which part of the ceiling was reached, where at least ``worth_it`` is possible."""
    shares = {}
    for key, results in played.items():
        ceiling = ceilings[key]
        if ceiling is not None and ceiling.gain >= worth_it:
            shares[key] = final_gains(results.trials, baseline)[subject] / ceiling.gain
    return shares
