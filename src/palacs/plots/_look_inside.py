"""A look inside PAL-ACS on one feature: the paper's Fig. 2.

Two consecutive decisions side by side. From top to bottom each column multiplies: what is known,
what a label there is worth, and for each class the worth of what it would yield. The sum in the
corner of a panel is the utility of its class.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from palacs.plots._style import (
    INK,
    MUTED,
    PAPER,
    axis_labels,
    class_color,
    finish,
    panels,
    tidy,
    title,
)
from palacs.strategies import PALACS, Explanation

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_DEFAULT_POINTS = 300

Points = npt.NDArray[np.float64]


def look_inside(
    X: npt.ArrayLike,
    y: npt.ArrayLike,
    strategy: PALACS | None = None,
    *,
    classes: npt.ArrayLike | None = None,
) -> Figure:
    """Draw how PAL-ACS weighs the classes before and after the last instance.

    Parameters
    ----------
    X : array-like of shape (n, 1)
        The labelled set in acquisition order, n at least 2.
    y : array-like of shape (n,)
        Class of each instance. Colours follow the order of `classes`.
    strategy : PALACS, optional
        With ``sampling="grid"``, which is the default here: only there the curves are curves.
    classes : array-like, optional
        All classes; by default those in `y`.

    Returns
    -------
    Figure
        Left: the decision without the last instance; right: with it. The class that is
        requested next is framed.

    Examples
    --------
    >>> X = [[0.1], [0.5], [0.7], [0.55], [0.65], [0.2]]
    >>> y = ["easy", "left", "right", "right", "left", "easy"]
    >>> len(look_inside(X, y).axes)  # two columns of densities, gain and three classes
    10
    """
    points, labels = np.asarray(X, dtype=np.float64), np.asarray(y)
    if points.ndim != 2 or points.shape[1] != 1 or len(points) < 2:
        raise ValueError(
            f"X has shape {points.shape}; look_inside draws one feature before and after the "
            "last instance: give an array of shape (n, 1) with n at least 2."
        )
    if strategy is None:
        strategy = PALACS(n_pseudo=_DEFAULT_POINTS, bandwidth=0.05, sampling="grid")
    if strategy.sampling != "grid":
        raise ValueError(
            f"the strategy has sampling={strategy.sampling!r}; look_inside needs a curve: "
            'strategy.set_params(sampling="grid", n_pseudo=300).'
        )
    classes = np.unique(labels) if classes is None else classes
    steps = [
        (points[:n], labels[:n], strategy.explain(points[:n], labels[:n], classes=classes))
        for n in (len(points) - 1, len(points))
    ]
    n_rows = 2 + len(steps[0][2].classes)
    figure, axes = panels(2 * n_rows, 2, (4.7, 1.45), sharex=True, sharey="row")
    exponent = _exponent([explanation.utilities for *_, explanation in steps])
    for column, (X_step, y_step, explanation) in enumerate(steps):
        _draw_step(axes[column::2], X_step, y_step, explanation, exponent)
    _share_height(axes[:2], 1.08)
    _share_height(axes[2:4], 1.08)
    # One scale for all classes: the areas then compare as the sums do.
    _share_height(axes[4:], 1.4)
    return finish(figure)


def _share_height(axes: list[Axes], room: float) -> None:
    # matplotlib types the data of a line as anything that can become an array.
    highest = max(line.get_ydata().max() for ax in axes for line in ax.lines)  # type: ignore[union-attr]
    for ax in axes:
        ax.set_ylim(0.0, room * highest if highest > 0 else 1.0)


def _draw_step(
    axes: list[Axes], X: Points, y: npt.NDArray[np.generic], seen: Explanation, exponent: int
) -> None:
    x = seen.pseudo_instances[:, 0]
    spacing = x[1] - x[0]
    density, class_densities = seen.density_weights / spacing, seen.class_weights / spacing
    for ax in axes:
        tidy(ax, grid="")
        ax.tick_params(axis="y", labelleft=False, length=0)
        ax.margins(x=0.0)
    _draw_known(axes[0], x, density, class_densities)
    _draw_instances(axes[0], X, y, seen)
    title(axes[0], f"{len(X)} instances acquired")
    _explain(axes[0], "density of each class, overall density grey")
    worth = seen.gains * density
    axes[1].fill_between(x, worth, color=MUTED, alpha=0.25, linewidth=0)
    axes[1].plot(x, worth, color=INK, linewidth=1.4, label="gain × density")
    axes[1].plot(x, seen.gains, color=INK, linewidth=1.1, linestyle="--", label="performance gain")
    _explain(axes[1], "performance gain dashed, times density solid")
    chosen = int(np.argmax(seen.utilities))
    for code, ax in enumerate(axes[2:]):
        _draw_class(ax, x, worth * class_densities[:, code], code)
        ax.set_title(
            str(seen.classes[code]),
            loc="left",
            fontsize=9,
            fontweight="bold",
            pad=4,
            color=class_color(code),
        )
        ax.text(
            0.985,
            0.92,
            "Σ = " + _scaled(seen.utilities[code], exponent),
            fontsize=9,
            color=INK,
            transform=ax.transAxes,
            ha="right",
            va="top",
            fontweight="bold",
        )
        if code == chosen:
            _frame(ax, class_color(code))
    axis_labels(axes[-1], "feature")


def _explain(ax: Axes, text: str) -> None:
    ax.set_title(text, loc="right", fontsize=8, color=MUTED, pad=4)


def _draw_known(ax: Axes, x: Points, density: Points, class_densities: Points) -> None:
    ax.fill_between(x, density, color=MUTED, alpha=0.25, linewidth=0, label="density")
    for code in range(class_densities.shape[1]):
        ax.plot(x, class_densities[:, code], color=class_color(code), linewidth=1.5)


def _draw_instances(ax: Axes, X: Points, y: npt.NDArray[np.generic], seen: Explanation) -> None:
    for code, name in enumerate(seen.classes):
        mine = X[y == name, 0]
        ax.plot(
            mine,
            np.zeros(len(mine)),
            marker="o",
            markersize=6.5,
            markeredgecolor=PAPER,
            markeredgewidth=0.8,
            color=class_color(code),
            linestyle="",
            clip_on=False,
            zorder=5,
            label=str(name),
        )


def _draw_class(ax: Axes, x: Points, contribution: Points, code: int) -> None:
    ax.fill_between(x, contribution, color=class_color(code), alpha=0.35, linewidth=0)
    ax.plot(x, contribution, color=class_color(code), linewidth=1.3)


def _frame(ax: Axes, color: str) -> None:
    ax.set_facecolor((color, 0.07))
    ax.spines[:].set_visible(True)
    ax.spines[:].set_color(color)
    ax.spines[:].set_linewidth(1.8)
    ax.set_title("requested next", loc="right", fontsize=9, fontweight="bold", color=color, pad=4)


def _exponent(utilities: list[Points]) -> int:
    """Return the power of ten that all the sums are written in, so that they compare at sight."""
    largest = max(float(values.max()) for values in utilities)
    return math.floor(math.log10(largest)) if largest > 0 else 0


def _scaled(value: float, exponent: int) -> str:
    power = f" × 10{exponent}".replace(str(exponent), str(exponent).translate(_SUPERSCRIPTS))
    return f"{value / 10.0**exponent:.2f}" + (power if exponent else "")
