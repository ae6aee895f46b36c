"""Instances as points: what a data set looks like, and what a trial acquired of it (Fig. 1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, overload

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from sklearn.decomposition import PCA
from sklearn.manifold import TSNE
from sklearn.preprocessing import MinMaxScaler
from threadpoolctl import threadpool_limits

from palacs.plots._style import (
    INK,
    MUTED,
    PAPER,
    axis_labels,
    brief,
    class_color,
    class_marker,
    finish,
    legend,
    note,
    panels,
    tidy,
    title,
)

Points = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]

_AS_PIXELS = 3000
"""A figure of more points stores them as an image: an SVG would take megabytes."""
# Class names in a legend.
_MOST_NAMES = 12
_FAINT = "#b9bfc9"


class DrawnSet(Protocol):
    """What is drawn of a data set; `palacs.datasets.Dataset` is one."""

    @property
    def name(self) -> str: ...
    @property
    def X(self) -> Points: ...
    @property
    def y(self) -> Codes: ...
    @property
    def class_names(self) -> tuple[str, ...]: ...
    @property
    def feature_names(self) -> tuple[str, ...]: ...
    @property
    def n_classes(self) -> int: ...
    @property
    def n_features(self) -> int: ...
    def __len__(self) -> int: ...


@overload
def scatter(dataset: DrawnSet | Sequence[DrawnSet]) -> Figure: ...


@overload
def scatter(dataset: DrawnSet | Sequence[DrawnSet], *, ax: Axes) -> Axes: ...


def scatter(dataset: DrawnSet | Sequence[DrawnSet], *, ax: Axes | None = None) -> Figure | Axes:
    """Draw the instances of one or several data sets, classes in colour.

    Parameters
    ----------
    dataset : Dataset or sequence of Dataset
        Two features are drawn as they are, one feature spread out by class, more than two by
        the first two principal components of the features scaled to [0, 1].

    ax : matplotlib Axes, optional
        Draw here instead of in a figure of its own; it is returned.

    Returns
    -------
    Figure or Axes
        One panel per data set.

    Examples
    --------
    >>> from palacs.datasets import load
    >>> scatter(load("iris")).axes[0].get_xlabel()
    'component 1 (84 %)'
    """
    datasets = list(dataset) if isinstance(dataset, Sequence) else [dataset]
    if not datasets:
        raise ValueError("there is no data set to draw; give at least one.")
    alone = len(datasets) == 1
    figure, axes = panels(len(datasets), 3, (5.2, 4.2) if alone else (3.1, 2.9), ax)
    as_pixels = sum(len(one) for one in datasets) > _AS_PIXELS
    for panel, one in zip(axes, datasets, strict=True):
        points, labels = _flatten(one)
        tidy(panel, grid="")
        size = float(np.clip(9000 / len(points), 5, 22))
        for code in range(one.n_classes):
            _cloud(panel, points[one.y == code], code, size, rasterized=as_pixels)
        _keep_shape(panel, points)
        title(panel, one.name)
        axis_labels(panel, *labels)
        _name_classes(panel, one.class_names, alone=alone)
    return finish(figure, ax)


def _flatten(dataset: DrawnSet) -> tuple[Points, tuple[str, str]]:
    """Return the instances in two dimensions, shape (n, 2), and what these are."""
    if dataset.n_features == 1:
        lift = np.random.default_rng(0).uniform(-0.3, 0.3, size=len(dataset))
        return np.column_stack([dataset.X[:, 0], dataset.y + lift]), (dataset.feature_names[0], "")
    if dataset.n_features == 2:
        return dataset.X, (dataset.feature_names[0], dataset.feature_names[1])
    pca = PCA(2, svd_solver="full").fit(scaled := MinMaxScaler().fit_transform(dataset.X))
    first, second = (
        f"component {i} ({100 * share:.0f} %)"
        for i, share in enumerate(pca.explained_variance_ratio_, start=1)
    )
    points: Points = pca.transform(scaled)
    return points, (first, second)


def _cloud(ax: Axes, points: Points, code: int, size: float, **style: Any) -> None:
    options: dict[str, Any] = {
        "color": class_color(code),
        "linewidths": 0,
        "alpha": 0.75,
    }
    ax.scatter(
        points[:, 0], points[:, 1], s=size, marker=class_marker(code), **{**options, **style}
    )


def _keep_shape(ax: Axes, points: Points) -> None:
    """Give both axes one scale, unless the features are plainly in different units."""
    width, height = np.ptp(points, axis=0)
    if 0.25 <= width / max(height, 1e-300) <= 4.0:
        ax.set_aspect("equal", adjustable="datalim")


def _name_classes(ax: Axes, class_names: Sequence[str], *, alone: bool) -> None:
    handles = _class_handles(class_names)
    # A legend wider than its panel would leave no room for the panel.
    longest = max(len(str(handle.get_label())) for handle in handles)
    ax.legend(
        handles=handles,
        loc="upper left",
        bbox_to_anchor=(-0.02, -0.13 if alone else -0.2),
        ncols=max(1, min(5, (75 if alone else 55) // (longest + 4))),
        frameon=False,
        fontsize=7.5,
        labelcolor=INK,
        handletextpad=0.1,
        columnspacing=0.9,
        borderaxespad=0.0,
    )


def _class_handles(class_names: Sequence[str]) -> list[Line2D]:
    handles = [
        _handle(brief(name), class_marker(code), class_color(code))
        for code, name in enumerate(class_names[:_MOST_NAMES])
    ]
    if len(class_names) > _MOST_NAMES:
        handles.append(_handle(f"and {len(class_names) - _MOST_NAMES} more", "", "none"))
    return handles


def _handle(label: str, marker: str, color: str) -> Line2D:
    return Line2D([], [], linestyle="", marker=marker, color=color, markersize=5, label=label)


def learning_stages(
    X: npt.ArrayLike,
    y: npt.ArrayLike,
    acquired: npt.ArrayLike,
    stages: Sequence[int],
    *,
    class_names: Sequence[str] | None = None,
    random_state: int = 0,
) -> Figure:
    """Draw what a trial had acquired at several stages, on one t-SNE map (the paper's Fig. 1).

    Two features need no map and are drawn as they are.

    Parameters
    ----------
    X : array-like of shape (n, n_features)
        Everything that could be acquired, scaled as the trial saw it.
    y : array-like of shape (n,)
        Class codes from 0.
    acquired : array-like of shape (n_acquired,)
        Rows of `X` in the order in which they were acquired.
    stages : sequence of int
        After how many acquisitions to look, rising.
    class_names : sequence of str, optional
        One per class, in the order of the codes.
    random_state : int, default=0
        Seed of the map.

    Returns
    -------
    Figure
        One panel per stage, all on the same map, which is made once from all of `X`.
        Instances acquired since the panel before have a dark rim.
    """
    points, codes = np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.int64)
    rows = np.asarray(acquired, dtype=np.int64)
    _check_stages(points, codes, rows, stages)
    names = class_names or [f"class {code + 1}" for code in range(int(codes.max()) + 1)]
    layout = _map(points, random_state)
    columns = len(stages) if len(stages) < 5 else 3
    side = min(9.4 / columns, 3.4)
    figure, axes = panels(len(stages), columns, (side, side + 0.75))
    before = 0
    for ax, stage in zip(axes, stages, strict=True):
        _draw_stage(ax, layout, codes, rows[:stage], before)
        title(ax, f"{stage} acquired")
        ax.set_xlabel(_count_words(codes[rows[:stage]], len(names)), fontsize=8, color=MUTED)
        before = stage
    legend(figure, [*_class_handles(names), _handle("not acquired", ".", _FAINT)], most_columns=7)
    note(figure, "Dark rim: acquired since the stage before. Below each: instances per class.")
    return finish(figure)


def _map(points: Points, random_state: int) -> Points:
    """Return the t-SNE map of all instances, shape (n, 2); two features are one already."""
    if points.shape[1] == 2:
        return points
    tsne = TSNE(perplexity=min(30.0, (len(points) - 1) / 3), init="pca", random_state=random_state)
    # One thread: sums in a fixed order, hence the same map everywhere; and no slower on data of
    # this size where other processes use the cores.
    with threadpool_limits(limits=1):
        layout: Points = tsne.fit_transform(points)
    return layout


def _check_stages(points: Points, codes: Codes, rows: Codes, stages: Sequence[int]) -> None:
    if points.ndim != 2 or len(points) < 4 or codes.shape != (len(points),):
        raise ValueError(
            f"X of shape {points.shape} and y of shape {codes.shape} do not fit together; give "
            "X of shape (n, n_features) with n at least 4 and one class code per row."
        )
    if rows.size and (rows.min() < 0 or rows.max() >= len(points)):
        raise ValueError(
            f"acquired has rows from {rows.min()} to {rows.max()} but X has rows 0 to "
            f"{len(points) - 1}; give positions in X."
        )
    rising = all(a < b for a, b in zip([0, *stages], stages, strict=False))
    if not stages or not rising or stages[-1] > len(rows):
        raise ValueError(
            f"stages are {list(stages)}; give rising numbers from 1 to {len(rows)}, the number "
            "of acquisitions."
        )


def _draw_stage(ax: Axes, layout: Points, codes: Codes, rows: Codes, before: int) -> None:
    tidy(ax, grid="")
    waiting = np.setdiff1d(np.arange(len(layout)), rows)
    x, y = layout[waiting].T
    ax.scatter(x, y, s=4, color=_FAINT, alpha=0.55, linewidths=0, rasterized=True)
    fresh = np.zeros(len(layout), dtype=np.bool_)
    fresh[rows[before:]] = True
    for code in np.unique(codes[rows]):
        mine = np.unique(rows[codes[rows] == code])
        _cloud(
            ax,
            layout[mine[~fresh[mine]]],
            int(code),
            22,
            alpha=0.9,
            edgecolors=PAPER,
            linewidths=0.4,
            zorder=3,
        )
        _cloud(
            ax,
            layout[mine[fresh[mine]]],
            int(code),
            30,
            alpha=1,
            edgecolors=INK,
            linewidths=0.8,
            zorder=4,
        )
    ax.set_xticks([])
    ax.set_yticks([])
    ax.spines[:].set_visible(True)
    ax.spines[:].set_color(_FAINT)
    low, high = layout.min(axis=0), layout.max(axis=0)
    margin = 0.05 * (high - low)
    ax.set_xlim(low[0] - margin[0], high[0] + margin[0])
    ax.set_ylim(low[1] - margin[1], high[1] + margin[1])
    ax.set_box_aspect(1)


def _count_words(codes: Codes, n_classes: int) -> str:
    counts = np.bincount(codes, minlength=n_classes)
    return " · ".join(str(count) for count in counts) if n_classes <= _MOST_NAMES else ""
