"""Learning curves: how the error falls with every acquisition, and how much trials differ."""

from __future__ import annotations

from typing import overload

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from palacs.plots._style import (
    axis_labels,
    check_columns,
    finish,
    in_order,
    note,
    panels,
    strategy_color,
    strategy_line,
    title,
)

_PANEL = (4.7, 2.9)
_LABEL_GAP = 0.062
"""Distance of two labels below which they would touch, as a share of the panel's height."""


@overload
def learning_curves(curves: pd.DataFrame, dataset: str | None = None) -> Figure: ...


@overload
def learning_curves(curves: pd.DataFrame, dataset: str | None = None, *, ax: Axes) -> Axes: ...


def learning_curves(
    curves: pd.DataFrame, dataset: str | None = None, *, ax: Axes | None = None
) -> Figure | Axes:
    """Draw mean error with its spread over the trials, one panel per data set.

    Parameters
    ----------
    curves : DataFrame
        Columns ``dataset``, ``strategy``, ``acquired``, ``mean_error``, ``std_error``.
    dataset : str, optional
        Draw this data set only.

    ax : matplotlib Axes, optional
        Draw here instead of in a figure of its own; it is returned.

    Returns
    -------
    Figure or Axes
        Lines are labelled where they end. The band is one standard deviation either side.

    Examples
    --------
    >>> curves = pd.DataFrame({
    ...     "dataset": "Spirals", "strategy": ["PAL-ACS"] * 2, "acquired": [1, 2],
    ...     "mean_error": [0.3, 0.2], "std_error": [0.05, 0.04]})
    >>> [ax.get_title(loc="left") for ax in learning_curves(curves).axes]
    ['Spirals']
    """
    check_columns(curves, "dataset", "strategy", "acquired", "mean_error", "std_error")
    names = in_order(curves["dataset"])
    if dataset is not None:
        if dataset not in names:
            raise ValueError(
                f"there are no curves of {dataset!r}; the data sets are {', '.join(names)}."
            )
        names = [dataset]
    size = _PANEL if len(names) > 1 else (6.6, 3.8)
    figure, axes = panels(len(names), 2, size, ax)
    for panel, name in zip(axes, names, strict=True):
        _draw_panel(panel, curves[curves["dataset"] == name], name)
    note(figure, "Mean over the trials; bands reach one standard deviation either side.")
    return finish(figure, ax)


def _draw_panel(ax: Axes, curves: pd.DataFrame, name: str) -> None:
    ends: dict[str, float] = {}
    for strategy in in_order(curves["strategy"]):
        curve = curves[curves["strategy"] == strategy].sort_values("acquired")
        x, mean, spread = (
            curve[column].to_numpy(dtype=np.float64)
            for column in ("acquired", "mean_error", "std_error")
        )
        color = strategy_color(strategy)
        low, high = np.maximum(mean - spread, 0.0), mean + spread
        ax.fill_between(x, low, high, color=color, alpha=0.07, linewidth=0)
        for edge in (low, high):
            ax.plot(x, edge, color=color, alpha=0.35, linewidth=0.5, label="_edge")
        ax.plot(
            x,
            mean,
            color=color,
            linestyle=strategy_line(strategy),
            linewidth=2.2 if strategy == "PAL-ACS" else 1.5,
            label=strategy,
            zorder=3 if strategy == "PAL-ACS" else 2,
        )
        ends[strategy] = float(mean[-1])
    title(ax, name)
    axis_labels(ax, "acquired instances", "error")
    ax.margins(x=0.0, y=0.03)
    ax.set_ylim(bottom=max(ax.get_ylim()[0], 0.0))
    _label_ends(ax, ends, float(curves["acquired"].max()))


def _label_ends(ax: Axes, ends: dict[str, float], x: float) -> None:
    """Write each strategy's name where its line ends, moved apart where names would touch."""
    low, high = ax.get_ylim()
    strategies = sorted(ends, key=lambda strategy: ends[strategy])
    wanted = np.array([ends[strategy] for strategy in strategies])
    placed = spread_out((wanted - low) / (high - low), _LABEL_GAP) * (high - low) + low
    for strategy, end, height in zip(strategies, wanted, placed, strict=True):
        ax.annotate(
            strategy,
            (x, end),
            xytext=(1.045, (height - low) / (high - low)),
            textcoords="axes fraction",
            va="center",
            fontsize=8.5,
            fontweight="bold" if strategy == "PAL-ACS" else "normal",
            color=strategy_color(strategy),
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": strategy_color(strategy),
                "linewidth": 0.6,
                "alpha": 0.6,
                "shrinkA": 1.0,
                "shrinkB": 0.0,
            },
        )


def spread_out(heights: npt.NDArray[np.float64], gap: float) -> npt.NDArray[np.float64]:
    """Move sorted heights apart until neighbours are `gap` away, as little as possible.

    Heights that would touch share one block around their mean, as in isotonic regression.

    Examples
    --------
    >>> spread_out(np.array([0.5, 0.5, 0.9]), 0.1).round(2).tolist()
    [0.45, 0.55, 0.9]
    """
    offsets = gap * np.arange(len(heights))
    blocks: list[list[float]] = []
    for value in heights - offsets:
        blocks.append([float(value), 1.0])
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            mean, size = blocks.pop()
            blocks[-1] = [
                (blocks[-1][0] * blocks[-1][1] + mean * size) / (blocks[-1][1] + size),
                blocks[-1][1] + size,
            ]
    level = np.concatenate([np.full(int(size), mean) for mean, size in blocks])
    spread: npt.NDArray[np.float64] = level + offsets
    return spread
