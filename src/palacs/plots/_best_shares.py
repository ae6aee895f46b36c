"""The best shares in hindsight beside those that strategies asked for."""

from __future__ import annotations

from typing import Any, overload

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from palacs.plots._style import (
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
    tidy,
)

_BEST = "best in hindsight"
_ROW, _APART = 0.34, 0.5


@overload
def best_shares(proportions: pd.DataFrame, best: npt.ArrayLike) -> Figure: ...


@overload
def best_shares(proportions: pd.DataFrame, best: npt.ArrayLike, *, ax: Axes) -> Axes: ...


def best_shares(
    proportions: pd.DataFrame, best: npt.ArrayLike, *, ax: Axes | None = None
) -> Figure | Axes:
    """Draw the best share of each class as a bar, and each strategy's as a dot on it.

    Parameters
    ----------
    proportions : DataFrame
        Columns ``strategy``, ``class``, ``proportion``, of one data set.
    best : array-like of shape (n_classes,)
        The best shares, such as `palacs.experiments.Ceiling.shares`, in the order in which the
        frame lists the classes.

    ax : matplotlib Axes, optional
        Draw here instead of in a figure of its own; it is returned.

    Returns
    -------
    Figure or Axes
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
    figure, (drawn,) = panels(1, 1, (7.6, 1.5 + _ROW * len(classes)), ax)
    tidy(drawn, grid="")
    rows = np.arange(len(classes), dtype=np.float64)
    drawn.barh(rows, 100 * shares[order], 0.8, color=GRID, zorder=1)
    drawn.axvline(100 / len(classes), color=MUTED, linestyle=":", linewidth=1.0, zorder=2)
    for i, strategy in enumerate(strategies):
        asked = proportions[proportions["strategy"] == strategy].set_index("class").loc[listed]
        # Dots of equal shares would hide each other.
        lifted = rows + _APART * ((i + 0.5) / len(strategies) - 0.5)
        drawn.plot(100 * asked["proportion"], lifted, **_dot(strategy))
    drawn.set_yticks(rows, [brief(name) for name in listed])
    drawn.tick_params(axis="y", length=0, labelcolor=INK, labelsize=8.5)
    drawn.set_ylim(len(classes) - 0.5, -0.5)
    drawn.set_xlim(left=0)
    axis_labels(drawn, "share of the requests (%)")
    handles = [Line2D([], [], **_dot(strategy), label=strategy) for strategy in strategies]
    legend(figure, [Patch(facecolor=GRID, label=_BEST), *handles], ax)
    note(figure, "Bars: the counts that would have been best; the dotted line is equal shares.")
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
