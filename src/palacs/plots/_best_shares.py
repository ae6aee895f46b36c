"""The best shares in hindsight beside those that strategies asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from palacs.plots._style import (
    GRID,
    INK,
    MUTED,
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

_BEST = "best in hindsight"
_ROW, _APART = 0.34, 0.5


def best_shares(proportions: pd.DataFrame, best: npt.ArrayLike) -> Figure:
    """Draw the best share of each class as a bar, and each strategy's as a dot on it.

    Parameters
    ----------
    proportions : DataFrame
        Columns ``strategy``, ``class``, ``proportion``, of one data set.
    best : array-like of shape (n_classes,)
        The best shares, such as `palacs.experiments.Ceiling.shares`, in the order in which the
        frame lists the classes.

    Returns
    -------
    Figure
        A row per class, the one to ask for most above; a dotted line marks equal shares.

    Examples
    --------
    >>> proportions = pd.DataFrame({
    ...     "strategy": "Uniform", "class": ["rest", "left"], "proportion": [0.5, 0.5]})
    >>> axes = best_shares(proportions, [0.2, 0.8]).axes[0]
    >>> [label.get_text() for label in axes.get_yticklabels()]
    ['left', 'rest']
    """
    check_columns(proportions, "strategy", "class", "proportion")
    classes, shares = in_order(proportions["class"]), np.asarray(best, dtype=np.float64)
    if shares.shape != (len(classes),):
        raise ValueError(
            f"best has shape {shares.shape}, but there are {len(classes)} classes; give one "
            "share per class."
        )
    order = np.argsort(-shares, kind="stable")
    listed = [classes[c] for c in order]
    strategies = in_order(proportions["strategy"])
    figure, (ax,) = panels(1, 1, (7.6, 1.5 + _ROW * len(classes)))
    tidy(ax, grid="")
    rows = np.arange(len(classes), dtype=np.float64)
    ax.barh(rows, 100 * shares[order], 0.8, color=GRID, zorder=1)
    ax.axvline(100 / len(classes), color=MUTED, linestyle=":", linewidth=1.0, zorder=2)
    for i, strategy in enumerate(strategies):
        asked = proportions[proportions["strategy"] == strategy].set_index("class").loc[listed]
        # Dots of equal shares would hide each other.
        lifted = rows + _APART * ((i + 0.5) / len(strategies) - 0.5)
        ax.plot(100 * asked["proportion"], lifted, **_dot(strategy))
    ax.set_yticks(rows, [str(name) for name in listed])
    ax.tick_params(axis="y", length=0, labelcolor=INK, labelsize=8.5)
    ax.set_ylim(len(classes) - 0.5, -0.5)
    ax.set_xlim(left=0)
    axis_labels(ax, "share of the requests (%)")
    handles = [Line2D([], [], **_dot(strategy), label=strategy) for strategy in strategies]
    legend(figure, [Patch(facecolor=GRID, label=_BEST), *handles])
    note(figure, "Bars: the counts that would have been best; the dotted line is equal shares.")
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
