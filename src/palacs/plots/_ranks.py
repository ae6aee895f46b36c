"""The critical-difference diagram: who ranks where, and which ranks may be chance.

Ranks over many data sets are compared by Friedman's test and, pair by pair, by Nemenyi's
critical difference (Demšar, 2006).
"""

from __future__ import annotations

from typing import overload

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.stats import studentized_range

from palacs.plots._style import INK, MUTED, finish, note, panels, strategy_color

LEVEL = 0.05
_ROW = 0.16
_LABEL = 0.06


@overload
def critical_difference(errors: pd.DataFrame) -> Figure: ...


@overload
def critical_difference(errors: pd.DataFrame, *, ax: Axes) -> Axes: ...


def critical_difference(errors: pd.DataFrame, *, ax: Axes | None = None) -> Figure | Axes:
    """Draw the mean rank of each strategy; a bar joins those that do not differ significantly.

    Parameters
    ----------
    errors : DataFrame
        One row per data set (or data set and phase), one column per strategy.

    ax : matplotlib Axes, optional
        Draw here instead of in a figure of its own; it is returned.

    Returns
    -------
    Figure or Axes
        The best ranks are on the left. Strategies under one bar are closer than the critical
        difference at 5 %.

    Examples
    --------
    >>> errors = pd.DataFrame({"PAL-ACS": [0.1, 0.2], "Random": [0.2, 0.3]})
    >>> [text.get_text() for text in critical_difference(errors).axes[0].texts][-2:]
    ['PAL-ACS  1.00', 'Random  2.00']
    """
    if errors.shape[1] < 2 or len(errors) < 2:
        raise ValueError(
            f"the data frame has {len(errors)} rows and {errors.shape[1]} columns; ranks need at "
            "least two of each, a column per strategy."
        )
    if errors.isna().to_numpy().any():
        raise ValueError("the data frame has empty cells; leave out rows some strategy lacks.")
    ranks = errors.rank(axis=1).mean().sort_values()
    distance = nemenyi_distance(len(ranks), len(errors))
    rows = -(-len(ranks) // 2)
    figure, (panel,) = panels(1, 1, (7.2, 1.7 + 0.3 * rows), ax)
    _draw_axis(panel, len(ranks), distance)
    for place, (strategy, rank) in enumerate(ranks.items()):
        _draw_strategy(panel, str(strategy), float(rank), place, len(ranks))
    for level, (first, last) in enumerate(_cliques(ranks.to_numpy(), distance)):
        low, high = ranks.iloc[first], ranks.iloc[last]
        height = -0.05 - 0.045 * level
        panel.plot(
            [low - 0.04, high + 0.04], [height] * 2, color=INK, linewidth=3.2, label="_joined"
        )
    note(
        figure,
        f"Mean rank over {len(errors)} comparisons, 1 is best. Bars join what does not differ "
        f"significantly (Nemenyi, 5 %).",
    )
    return finish(figure, ax)


def nemenyi_distance(n_strategies: int, n_rows: int) -> float:
    """Return by how much two mean ranks must differ to differ significantly at 5 %.

    Examples
    --------
    >>> round(nemenyi_distance(4, 14), 2)  # Demšar, 2006, section 3.2.2
    1.25
    """
    q = float(studentized_range.ppf(1 - LEVEL, n_strategies, np.inf)) / np.sqrt(2)
    return float(q * np.sqrt(n_strategies * (n_strategies + 1) / (6 * n_rows)))


def _cliques(ranks: np.ndarray, distance: float) -> list[tuple[int, int]]:
    """Return the longest runs of sorted ranks that lie within the critical difference."""
    runs: list[tuple[int, int]] = []
    for first in range(len(ranks)):
        last = int(np.flatnonzero(ranks - ranks[first] <= distance)[-1])
        if last > first and (not runs or last > runs[-1][1]):
            runs.append((first, last))
    return runs


def _draw_axis(ax: Axes, n_strategies: int, distance: float) -> None:
    rows = -(-n_strategies // 2)
    ax.set_xlim(1 - 0.1, n_strategies + 0.1)
    ax.set_ylim(-0.28 - _ROW * rows, 0.3)
    ax.spines[["left", "bottom"]].set_visible(False)
    ax.grid(False)
    ax.set_yticks([])
    ax.set_xticks([])
    ax.plot([1, n_strategies], [0, 0], color=INK, linewidth=1.2, label="_axis")
    for rank in range(1, n_strategies + 1):
        ax.plot([rank, rank], [0, 0.03], color=INK, linewidth=1.2, label="_tick")
        ax.annotate(
            str(rank), (rank, 0.045), ha="center", va="bottom", fontsize=8, color=MUTED, gid="tick"
        )
    ax.plot([1, 1 + distance], [0.2, 0.2], color=MUTED, linewidth=2.0, label="_distance")
    ax.annotate(
        f"critical difference {distance:.2f}",
        (1 + distance, 0.2),
        xytext=(5, 0),
        textcoords="offset points",
        va="center",
        fontsize=8,
        color=MUTED,
    )


def _draw_strategy(ax: Axes, strategy: str, rank: float, place: int, n_strategies: int) -> None:
    left = place < n_strategies / 2
    row = place if left else n_strategies - 1 - place
    height = -0.28 - _ROW * row
    end = 1 - _LABEL if left else n_strategies + _LABEL
    color = strategy_color(strategy)
    ax.plot([rank, rank, end], [0, height, height], color=color, linewidth=1.4, label=strategy)
    ax.text(
        end + (-0.03 if left else 0.03),
        height,
        f"{strategy}  {rank:.2f}",
        ha="right" if left else "left",
        va="center",
        fontsize=9,
        color=color,
        clip_on=False,
    )
