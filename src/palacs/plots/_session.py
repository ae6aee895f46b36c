"""How a session went: the accuracy after each trial, and which classes were asked for."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from palacs.plots._style import (
    INK,
    MUTED,
    axis_labels,
    check_columns,
    class_color,
    class_marker,
    finish,
    in_order,
    note,
    panels,
    title,
)


def session_progress(trials: pd.DataFrame, chance: float, about: str = "") -> Figure:
    """Draw the accuracy over the trials of a session, and the counts of the classes.

    Parameters
    ----------
    trials : DataFrame
        One row per trial, in order: ``label``, and the ``accuracy`` with it, between 0 and 1, or
        NaN.
    chance : float
        The accuracy of guessing.
    about : str
        What the accuracy was measured on.

    Examples
    --------
    >>> trials = pd.DataFrame({"label": ["a", "b", "a"], "accuracy": [0.5, 0.6, 0.8]})
    >>> accuracy, asked = session_progress(trials, 0.5).axes
    >>> [label.get_text() for label in asked.get_yticklabels()]
    ['a (2)', 'b (1)']
    """
    check_columns(trials, "label", "accuracy")
    figure, (left, right) = panels(2, 2, (4.4, 3.2))
    number = range(1, len(trials) + 1)
    left.axhline(100 * chance, color=MUTED, linewidth=0.9, linestyle=(0, (4, 2)))
    left.annotate(
        "guessing",
        (0.0, 100 * chance),
        (3, 3),
        xycoords=left.get_yaxis_transform(),
        textcoords="offset points",
        fontsize=8,
        color=MUTED,
    )
    left.plot(number, 100 * trials["accuracy"], color=INK, linewidth=1.6)
    left.set_ylim(0, 100)
    left.xaxis.set_major_locator(MaxNLocator(integer=True))
    title(left, "Accuracy")
    axis_labels(left, "trials", "decided rightly (%)")
    labels = sorted(in_order(trials["label"]), key=str)
    for row, label in enumerate(labels):
        asked = [n for n, one in zip(number, trials["label"], strict=True) if one == label]
        right.plot(asked, [row] * len(asked), class_marker(row), color=class_color(row), ms=4.5)
    counts = trials["label"].value_counts()
    right.set_yticks(range(len(labels)), [f"{label} ({counts[label]})" for label in labels])
    right.tick_params(axis="y", length=0, labelcolor=INK, labelsize=8.5)
    right.set_ylim(len(labels) - 0.5, -0.5)
    right.xaxis.set_major_locator(MaxNLocator(integer=True))
    title(right, "Asked for")
    axis_labels(right, "trials")
    if about:
        note(figure, about)
    return finish(figure)
