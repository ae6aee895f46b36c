"""How far each strategy is from a baseline, with the certainty the trials give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, overload

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from palacs.plots._style import (
    INK,
    MUTED,
    axis_labels,
    check_columns,
    finish,
    in_order,
    note,
    panels,
    strategy_color,
    tidy,
    title,
)


@overload
def difference_intervals(comparison: pd.DataFrame) -> Figure: ...


@overload
def difference_intervals(comparison: pd.DataFrame, *, ax: Axes) -> Axes: ...


def difference_intervals(comparison: pd.DataFrame, *, ax: Axes | None = None) -> Figure | Axes:
    """Draw the mean difference in error to a baseline, with its interval, per strategy.

    Parameters
    ----------
    comparison : DataFrame
        Columns ``strategy``, ``versus``, ``mean_difference``, ``low``, ``high`` and, if there,
        ``p_holm``. Negative differences are in the strategy's favour.

    ax : matplotlib Axes, optional
        Draw here instead of in a figure of its own; it is returned.

    Returns
    -------
    Figure or Axes
        One panel per baseline.

    Examples
    --------
    >>> comparison = pd.DataFrame({
    ...     "strategy": ["PAL-ACS"], "versus": ["Random"],
    ...     "mean_difference": [-0.02], "low": [-0.03], "high": [-0.01]})
    >>> difference_intervals(comparison).axes[0].get_title(loc="left")
    'Error compared with Random'
    """
    check_columns(comparison, "strategy", "versus", "mean_difference", "low", "high")
    baselines = in_order(comparison["versus"])
    most = int(comparison.groupby("versus", observed=True).size().max())
    figure, axes = panels(len(baselines), 1, (7.6, 1.35 + 0.42 * most), ax)
    for panel, versus in zip(axes, baselines, strict=True):
        _draw_intervals(panel, comparison[comparison["versus"] == versus])
        title(panel, f"Error compared with {versus}")
    note(figure, "Mean difference over the trials with its 95 % interval.")
    return finish(figure, ax)


def _draw_intervals(ax: Axes, comparison: pd.DataFrame) -> None:
    tidy(ax, grid="x")
    ax.axvline(0, color=MUTED, linewidth=1.0, zorder=1)
    for y, row in enumerate(comparison.to_dict("records")):
        color = strategy_color(str(row["strategy"]))
        ax.plot([row["low"], row["high"]], [y, y], color=color, linewidth=2.4, zorder=2)
        ax.plot([row["mean_difference"]], [y], "o", color=color, markersize=7, zorder=3)
        ax.annotate(
            _in_words(row),
            (1.02, y),
            xycoords=("axes fraction", "data"),
            va="center",
            fontsize=8.5,
            color=INK,
            annotation_clip=False,
        )
    ax.set_yticks(range(len(comparison)), [str(name) for name in comparison["strategy"]])
    ax.tick_params(axis="y", length=0, labelcolor=INK, labelsize=9)
    ax.spines["left"].set_visible(False)
    ax.set_ylim(len(comparison) - 0.5, -0.5)
    ax.margins(x=0.08)
    axis_labels(ax, "←  fewer errors      difference in mean error      more errors  →")


def _in_words(row: Mapping[Any, Any]) -> str:
    numbers = [f"{row[key]:+.4f}" for key in ("mean_difference", "low", "high")]
    text = f"{numbers[0]}  [{numbers[1]}, {numbers[2]}]".replace("-", "−")
    p = row.get("p_holm")
    if isinstance(p, float) and p == p:
        text += "   p < 0.001" if p < 0.001 else f"   p = {p:.3f}"
    return text
