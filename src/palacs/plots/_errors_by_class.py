"""The error of each class at the end of the budget, by strategy."""

from __future__ import annotations

from typing import Any, overload

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from palacs.plots._style import (
    GRID,
    INK,
    PAPER,
    axis_labels,
    brief,
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


@overload
def class_errors(errors: pd.DataFrame) -> Figure: ...


@overload
def class_errors(errors: pd.DataFrame, *, ax: Axes) -> Axes: ...


def class_errors(errors: pd.DataFrame, *, ax: Axes | None = None) -> Figure | Axes:
    """Draw each class as a row, the hardest above, with a dot for each strategy's error.

    Parameters
    ----------
    errors : DataFrame
        Columns ``strategy``, ``class``, ``error``, such as `palacs.experiments.class_errors`.

    ax : matplotlib Axes, optional
        Draw here instead of in a figure of its own; it is returned.

    Returns
    -------
    Figure or Axes
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
    figure, (panel,) = panels(1, 1, (7.6, 1.5 + _ROW * len(listed)), ax)
    tidy(panel, grid="")
    rows = np.arange(len(listed), dtype=np.float64)
    panel.hlines(rows, 0, 100, color=GRID, linewidth=0.8, zorder=1)
    for i, strategy in enumerate(strategies):
        mine = errors[errors["strategy"] == strategy].set_index("class").loc[listed]
        # Dots of equal errors would hide each other.
        lifted = rows + _APART * ((i + 0.5) / len(strategies) - 0.5)
        # An error of nothing lies on the edge.
        panel.plot(100 * mine["error"], lifted, clip_on=False, **_dot(strategy))
    panel.set_yticks(rows, [brief(name) for name in listed])
    panel.tick_params(axis="y", length=0, labelcolor=INK, labelsize=8.5)
    panel.set_ylim(len(listed) - 0.5, -0.5)
    panel.set_xlim(0, max(5.0, 105 * float(errors["error"].max())))
    axis_labels(panel, "decided wrongly at the end (%)")
    handles = [Line2D([], [], **_dot(strategy), label=strategy) for strategy in strategies]
    legend(figure, handles, ax)
    notes = []
    if len(hardest) > len(listed):
        notes.append(f"The {len(listed)} hardest of {len(hardest)} classes.")
    if "rests_on" in errors.attrs:
        notes.append(f"From {errors.attrs['rests_on']}.")
    if notes:
        note(figure, " ".join(notes))
    return finish(figure, ax)


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
