"""Our numbers beside the paper's: final proportions, and the differences of the errors."""

from __future__ import annotations

from typing import overload

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from palacs.plots._style import (
    ABOVE,
    BELOW,
    GRID,
    INK,
    MUTED,
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
    title,
)

_FULL_COLOR = 0.02
"""A difference of two points of error has the full colour, unless a larger one is there."""

_UPRIGHT = 16
"""Names of more classes than these stand upright, for they would cover each other."""


@overload
def proportions(table2: pd.DataFrame) -> Figure: ...


@overload
def proportions(table2: pd.DataFrame, *, ax: Axes) -> Axes: ...


def proportions(table2: pd.DataFrame, *, ax: Axes | None = None) -> Figure | Axes:
    """Draw the share of the acquisitions each class got, the paper's value marked.

    Parameters
    ----------
    table2 : DataFrame
        Columns ``dataset``, ``strategy``, ``class``, ``proportion`` (0 to 1) and
        ``paper_proportion`` (NaN where the paper has none).

    ax : matplotlib Axes, optional
        Draw here instead of in a figure of its own; it is returned.

    Returns
    -------
    Figure or Axes
        One panel per data set; the dotted line is the share all classes would have if equal.

    Examples
    --------
    >>> table2 = pd.DataFrame({
    ...     "dataset": "Spirals", "strategy": "PAL-ACS", "class": ["class 1", "class 2"],
    ...     "proportion": [0.1, 0.9], "paper_proportion": [0.05, float("nan")]})
    >>> len(proportions(table2).axes[0].patches)
    2
    """
    check_columns(table2, "dataset", "strategy", "class", "proportion", "paper_proportion")
    names = in_order(table2["dataset"])
    many = table2.groupby("dataset", observed=True)["class"].nunique().max() > 6
    # One small panel would cut off the legend above it.
    wide = many or len(names) == 1
    figure, axes = panels(len(names), 1 if wide else 3, (8.4, 3.0) if wide else (3.1, 2.5), ax)
    strategies = in_order(table2["strategy"])
    for panel, name in zip(axes, names, strict=True):
        _draw_proportions(panel, table2[table2["dataset"] == name], strategies)
        title(panel, name)
    handles: list[Patch | Line2D] = [
        Patch(color=strategy_color(strategy), label=strategy) for strategy in strategies
    ]
    if table2["paper_proportion"].notna().any():
        handles.append(
            Line2D([], [], color=INK, marker="D", markersize=4, linestyle="", label="paper")
        )
    handles.append(Line2D([], [], color=MUTED, linestyle=":", label="equal shares"))
    legend(figure, handles, ax)
    return finish(figure, ax)


def _draw_proportions(ax: Axes, table2: pd.DataFrame, strategies: list[str]) -> None:
    classes = in_order(table2["class"])
    present = [s for s in strategies if (table2["strategy"] == s).any()]
    width = 0.8 / len(present)
    for i, strategy in enumerate(present):
        rows = table2[table2["strategy"] == strategy].set_index("class").loc[classes]
        x = np.arange(len(classes)) + (i - (len(present) - 1) / 2) * width
        ax.bar(x, 100 * rows["proportion"], 0.9 * width, color=strategy_color(strategy), zorder=2)
        ax.plot(
            x,
            100 * rows["paper_proportion"],
            marker="D",
            markersize=3.8,
            color=INK,
            markeredgecolor=PAPER,
            markeredgewidth=0.7,
            linestyle="",
            zorder=4,
        )
    ax.axhline(100 / len(classes), color=MUTED, linestyle=":", linewidth=1.0, zorder=3)
    packed = len(classes) > _UPRIGHT
    crowded = packed or sum(len(str(name)) for name in classes) > 40
    ax.set_xticks(
        np.arange(len(classes)),
        [brief(name, 24) for name in classes],
        rotation=90 if packed else 30 if crowded else 0,
        ha="right" if crowded else "center",
        va="center" if packed else "top",
        rotation_mode="anchor",
    )
    ax.tick_params(axis="x", length=0, labelcolor=INK, labelsize=min(7.5, 360 / len(classes)))
    ax.margins(x=0.01 if packed else None)
    ax.set_ylim(bottom=0)
    axis_labels(ax, y="acquisitions (%)")


@overload
def differences(table1: pd.DataFrame) -> Figure: ...


@overload
def differences(table1: pd.DataFrame, *, ax: Axes) -> Axes: ...


def differences(table1: pd.DataFrame, *, ax: Axes | None = None) -> Figure | Axes:
    """Draw our error minus the paper's as a heat map, zero without colour.

    Parameters
    ----------
    table1 : DataFrame
        Columns ``dataset``, ``strategy``, ``phase``, ``error``, ``paper_error``. Rows without
        the paper's error are left out.

    ax : matplotlib Axes, optional
        Draw here instead of in a figure of its own; it is returned.

    Returns
    -------
    Figure or Axes
        One panel per data set, a row per strategy and a column per phase; each cell prints
        the difference in points of error (0.01).

    Examples
    --------
    >>> table1 = pd.DataFrame({
    ...     "dataset": "Spirals", "strategy": "PAL-ACS", "phase": [1, 2],
    ...     "error": [0.30, 0.19], "paper_error": [0.28, 0.20]})
    >>> [text.get_text() for text in differences(table1).axes[0].texts]
    ['+2.00', '−1.00']
    """
    check_columns(table1, "dataset", "strategy", "phase", "error", "paper_error")
    known = table1[table1["paper_error"].notna()]
    if known.empty:
        raise ValueError(
            "no row of the table has a paper_error; differences needs at least one of the "
            "paper's data sets and strategies."
        )
    known = known.assign(difference=known["error"] - known["paper_error"])
    largest = max(_FULL_COLOR, float(known["difference"].abs().max()))
    names = in_order(known["dataset"])
    figure, axes = panels(len(names), 3, (3.1, 2.15), ax)
    for panel, name in zip(axes, names, strict=True):
        _draw_heat_map(panel, known[known["dataset"] == name], largest)
        title(panel, name)
    legend(
        figure,
        [
            Patch(facecolor=BELOW, alpha=0.7, label="less error than in the paper"),
            Patch(facecolor=ABOVE, alpha=0.7, label="more"),
        ],
        ax,
    )
    note(figure, "Our mean error minus the paper's, in points of error (0.01).")
    return finish(figure, ax)


def _draw_heat_map(ax: Axes, known: pd.DataFrame, largest: float) -> None:
    strategies, phases = in_order(known["strategy"]), sorted(in_order(known["phase"]))
    for strategy, phase, value in zip(
        known["strategy"], known["phase"], known["difference"], strict=True
    ):
        x, y = phases.index(phase), strategies.index(strategy)
        # A tint over the background rather than a colour map: it reads on light and dark.
        color, alpha = (ABOVE if value > 0 else BELOW), 0.75 * abs(value) / largest
        ax.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=(color, alpha)))
        text = f"{100 * value:+.2f}".replace("-", "−")
        ax.text(x, y, text, ha="center", va="center", fontsize=8.5, color=INK)
    ax.set_xlim(-0.5, len(phases) - 0.5)
    ax.set_ylim(len(strategies) - 0.5, -0.5)
    ax.set_xticks(range(len(phases)), [f"phase {phase}" for phase in phases])
    ax.set_yticks(range(len(strategies)), strategies)
    ax.set_xticks(np.arange(-0.5, len(phases)), minor=True)
    ax.set_yticks(np.arange(-0.5, len(strategies)), minor=True)
    ax.tick_params(length=0, labelcolor=INK)
    ax.grid(False)
    ax.grid(which="minor", color=GRID, linewidth=0.7)
    ax.spines[:].set_visible(False)
