"""From trials to tables: phases, win ratios, proportions, learning curves.

All functions take the rows of ``trials.parquet`` and return data frames with the columns of the
CSV files of the same name; the paper's numbers stand beside ours where it has them.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from palacs.experiments import paper

PHASES = 4
_TIE = 1e-12


def phase_errors(trials: pd.DataFrame) -> pd.DataFrame:
    """Mean error of every trial in each quarter of its budget.

    Returns
    -------
    frame : DataFrame
        Columns dataset, strategy, trial, phase (1 to 4), error.
    """
    budget = trials.groupby("dataset", observed=True)["acquired"].transform("max")
    phase = np.ceil(PHASES * trials["acquired"] / budget).astype(int)
    keys = ["dataset", "strategy", "trial", "phase"]
    return (
        trials.assign(phase=phase)
        .groupby(keys, observed=True, sort=True)["error"]
        .mean()
        .reset_index()
    )


def table1(trials: pd.DataFrame) -> pd.DataFrame:
    """Errors and win ratios by phase, the paper's first table.

    In each trial and phase every strategy with the lowest mean error wins, so that the ratios of
    a phase may sum to more than one.

    Returns
    -------
    frame : DataFrame
        Columns dataset, strategy, phase, error, win_ratio, paper_error, paper_win_ratio.
    """
    errors = phase_errors(trials)
    lowest = errors.groupby(["dataset", "trial", "phase"], observed=True)["error"].transform("min")
    errors["win_ratio"] = (errors["error"] <= lowest + _TIE).astype(float)
    table = (
        errors.groupby(["dataset", "strategy", "phase"], observed=True, sort=True)[
            ["error", "win_ratio"]
        ]
        .mean()
        .reset_index()
    )
    keys = list(zip(table["dataset"], table["strategy"], table["phase"], strict=True))
    table["paper_error"] = [paper.error(*key) for key in keys]
    table["paper_win_ratio"] = [paper.win_ratio(*key) for key in keys]
    return table


def table2(trials: pd.DataFrame, class_names: dict[str, tuple[str, ...]]) -> pd.DataFrame:
    """How the requests were shared among the classes at the end, the paper's second table.

    Returns
    -------
    frame : DataFrame
        Columns dataset, strategy, class, proportion, paper_proportion.
    """
    rows = []
    for key, group in trials.groupby(["dataset", "strategy"], observed=True):
        dataset, strategy = map(str, key)
        shares = group["class"].value_counts(normalize=True)
        for code, name in enumerate(class_names[dataset]):
            share, paper_share = shares.get(name, 0.0), paper.proportion(dataset, strategy, code)
            rows.append((dataset, strategy, name, float(share), paper_share))
    columns = ["dataset", "strategy", "class", "proportion", "paper_proportion"]
    return pd.DataFrame(rows, columns=columns)


def curves(trials: pd.DataFrame) -> pd.DataFrame:
    """Mean and standard deviation of the error after each acquisition.

    Returns
    -------
    frame : DataFrame
        Columns dataset, strategy, acquired, mean_error, std_error (the standard deviation over
        trials).
    """
    grouped = trials.groupby(["dataset", "strategy", "acquired"], observed=True, sort=True)["error"]
    frame = grouped.agg(mean_error="mean", std_error=lambda errors: errors.std(ddof=0))
    return frame.reset_index()
