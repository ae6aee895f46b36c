"""The error of each class at the end of the budget, by strategy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from palacs.plots._style import (
    GRID,
    INK,
    PAPER,
    axis_labels,
    check_columns,
    finish,
    in_order,
    legend,
    note,
    panels,
    strategy_color,
    tidy,
)

_ROW, _APART = 0.34, 0.5
_MOST = 40


def class_errors(errors: pd.DataFrame) -> Figure:
    """Draw each class as a row, the hardest above, with a dot for each strategy's error.

    Parameters
    ----------
    errors : DataFrame
        Columns ``strategy``, ``class``, ``error``, such as `palacs.experiments.class_errors`.

    Returns
    -------
    Figure
        The 40 hardest classes, where there are more.

    Examples
    --------
    >>> errors = pd.DataFrame({
    ...     "strategy": "Uniform", "class": ["rest", "left"], "error": [0.0, 0.4]})
    >>> axes = class_errors(errors).axes[0]
    >>> [label.get_text() for label in axes.get_yticklabels()]
    ['left', 'rest']
    """
    check_columns(errors, "strategy", "class", "error")
    strategies = in_order(errors["strategy"])
    hardest = errors.groupby("class", observed=True, sort=False)["error"].mean()
    listed = hardest.sort_values(ascending=False, kind="stable").index.tolist()[:_MOST]
    figure, (ax,) = panels(1, 1, (7.6, 1.5 + _ROW * len(listed)))
    tidy(ax, grid="")
    rows = np.arange(len(listed), dtype=np.float64)
    ax.hlines(rows, 0, 100, color=GRID, linewidth=0.8, zorder=1)
    for i, strategy in enumerate(strategies):
        mine = errors[errors["strategy"] == strategy].set_index("class").loc[listed]
        # Dots of equal errors would hide each other.
        lifted = rows + _APART * ((i + 0.5) / len(strategies) - 0.5)
        # An error of nothing lies on the edge.
        ax.plot(100 * mine["error"], lifted, clip_on=False, **_dot(strategy))
    ax.set_yticks(rows, [str(name) for name in listed])
    ax.tick_params(axis="y", length=0, labelcolor=INK, labelsize=8.5)
    ax.set_ylim(len(listed) - 0.5, -0.5)
    ax.set_xlim(0, max(5.0, 105 * float(errors["error"].max())))
    axis_labels(ax, "decided wrongly at the end (%)")
    legend(figure, [Line2D([], [], **_dot(strategy), label=strategy) for strategy in strategies])
    if len(hardest) > len(listed):
        note(figure, f"The {len(listed)} hardest of {len(hardest)} classes.")
    return finish(figure)


def _dot(strategy: str) -> dict[str, Any]:
    return {
        "marker": "o",
        "markersize": 6.5,
        "linestyle": "",
        "color": strategy_color(strategy),
        "markeredgecolor": PAPER,
        "markeredgewidth": 0.7,
        "zorder": 3,
    }
