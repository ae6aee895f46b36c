"""Errors over money spent instead of acquisitions made.

Where acquisitions cost differently, strategies are compared at equal spending: what error had
each reached when so much was spent? A request counts when it is paid for in full.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from palacs.experiments._comparison import Comparison, compare_strategies

POINTS = 100


def over_cost(
    trials: pd.DataFrame, costs: Mapping[str, float], budget_cost: float | None = None
) -> pd.DataFrame:
    """Return the error of every trial at equal amounts of money spent.

    Parameters
    ----------
    trials : DataFrame
        Of one data set; columns as in ``trials.parquet``.
    costs : mapping
        Class name -> cost of one acquisition.
    budget_cost : float or None
        The largest amount; None is what every trial has spent at least.

    Returns
    -------
    frame : DataFrame
        Columns dataset, strategy, trial, acquired (1 to 100), spent, error. The first amount pays
        for one acquisition of any class.
    """
    keys = ["dataset", "strategy", "trial"]
    paid = trials["class"].astype(str).map(dict(costs)).astype(float)
    spent = paid.groupby([trials[key] for key in keys], observed=True).cumsum()
    totals = spent.groupby([trials[key] for key in keys], observed=True).max()
    most = float(totals.min() if budget_cost is None else min(budget_cost, totals.min()))
    first = max(costs.values())
    if most < first:
        raise ValueError(
            f"trials spend {most:g} at least, and one acquisition costs up to {first:g}; use a "
            "larger budget."
        )
    amounts = np.linspace(first, most, POINTS)
    frames = []
    for key, rows in trials.assign(spent=spent).groupby(keys, observed=True, sort=True):
        # Of equal float sums one may come out a hair larger.
        place = np.searchsorted(rows["spent"].to_numpy() - 1e-9, amounts, side="right") - 1
        frame = pd.DataFrame({"spent": amounts, "error": rows["error"].to_numpy()[place]})
        for name, value in zip(keys, key, strict=True):
            frame[name] = str(value) if name != "trial" else int(str(value))
        frame["acquired"] = range(1, POINTS + 1)
        frames.append(frame)
    combined = pd.concat(frames, ignore_index=True)
    return combined[[*keys, "acquired", "spent", "error"]]


def compare_spending(spending: pd.DataFrame, baseline: str) -> Comparison:
    """Compare strategies at equal spending; ``reached`` and ``saved`` are amounts of money."""
    comparison = compare_strategies(spending, baseline)
    amounts = np.sort(spending["spent"].unique())
    frame = comparison.frame.copy()
    if len(frame):
        at = frame["reached"].to_numpy()
        known = ~np.isnan(at)
        reached = np.full(len(frame), np.nan)
        reached[known] = amounts[at[known].astype(int) - 1]
        frame["reached"], frame["saved"] = reached, amounts[-1] - reached
    return replace(comparison, frame=frame)


def spending_sentences(spending: pd.DataFrame, comparison: Comparison) -> list[str]:
    """Say in words who reaches most per money, and what is saved."""
    frame, most = comparison.frame, float(spending["spent"].max())
    means = spending.groupby("strategy", observed=True)["error"].mean().sort_values()
    listing = ", ".join(f"{name} {error:.4f}" for name, error in means.items())
    sentences = [f"Mean error at equal spending, up to {most:g}: {listing}."]
    for row in frame.to_dict("records")[:1]:
        if np.isnan(row["saved"]):
            sentences.append(
                f"{row['strategy']} does not reach {comparison.baseline}'s final error for "
                f"{most:g}."
            )
        else:
            sentences.append(
                f"{row['strategy']} is as good as {comparison.baseline} at the end after spending "
                f"{row['reached']:.4g} of {most:.4g}: {row['saved']:.4g} are saved "
                f"(p = {row['p_holm']:.2g})."
            )
    return sentences
