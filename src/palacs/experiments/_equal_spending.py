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


def compare_spending(
    spending: pd.DataFrame, baseline: str, *, test_ratio: float = 0.0
) -> Comparison:
    """Compare strategies at equal spending; what is reached and saved are amounts of money."""
    comparison = compare_strategies(spending, baseline, test_ratio=test_ratio)
    amounts = np.sort(spending["spent"].unique())
    frame = comparison.frame.copy()
    if len(frame):
        # A saving of so many points is one of the money between them.
        for column in ("saved", "saved_low", "saved_high"):
            points = frame[column].to_numpy(dtype=float, copy=True)
            known = ~np.isnan(points)
            at = len(amounts) - 1 - points[known].astype(int)
            points[known] = amounts[-1] - amounts[at]
            frame[column] = points
        frame["reached"] = amounts[-1] - frame["saved"]
    return replace(comparison, frame=frame)
