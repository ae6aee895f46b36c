"""Pictures of one panel can be drawn on somebody's own axes, and leave the rest of it alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from palacs import plots
from palacs.datasets import load

CURVES = pd.DataFrame(
    {
        "dataset": ["one"] * 2,
        "strategy": ["PAL-ACS"] * 2,
        "acquired": [1, 2],
        "mean_error": [0.3, 0.2],
        "std_error": [0.05, 0.04],
    }
)
SHARES = pd.DataFrame(
    {
        "dataset": "one",
        "strategy": "PAL-ACS",
        "class": ["$5", "left"],
        "proportion": [0.1, 0.9],
        "paper_proportion": [0.05, 0.95],
    }
)
ERRORS = pd.DataFrame(
    {"dataset": "one", "strategy": "PAL-ACS", "phase": [1], "error": [0.3], "paper_error": [0.2]}
)
DIFFERENCES = pd.DataFrame(
    {"strategy": ["a"], "versus": ["b"], "mean_difference": [0.1], "low": [0.0], "high": [0.2]}
)
RANKED = pd.DataFrame({"PAL-ACS": [0.1, 0.2], "Random": [0.2, 0.3]})

DRAW: dict[str, Callable[..., Any]] = {
    "learning_curves": lambda **to: plots.learning_curves(CURVES, **to),
    "best_shares": lambda **to: plots.best_shares(SHARES, [0.2, 0.8], **to),
    "proportions": lambda **to: plots.proportions(SHARES, **to),
    "differences": lambda **to: plots.differences(ERRORS, **to),
    "difference_intervals": lambda **to: plots.difference_intervals(DIFFERENCES, **to),
    "critical_difference": lambda **to: plots.critical_difference(RANKED, **to),
    "class_errors": lambda **to: plots.class_errors(SHARES.assign(error=[0.1, 0.4]), **to),
    "scatter": lambda **to: plots.scatter(load("iris"), **to),
}


@pytest.mark.parametrize("name", DRAW)
def test_a_picture_is_drawn_on_given_axes_only(name: str) -> None:
    figure = Figure()
    left, right = figure.subplots(1, 2)
    left.set_title("$x^2$")
    assert DRAW[name](ax=right) is right
    assert figure.axes == [left, right]
    assert left.title.get_parse_math()
    assert not left.has_data()
    assert right.has_data() or right.patches
    assert not figure.legends
    assert figure.get_supxlabel() == ""
    alone = DRAW[name]()
    assert isinstance(alone, Figure)
    assert alone._repr_png_().startswith(b"\x89PNG")  # type: ignore[attr-defined]
    drawn: Axes = alone.axes[0]
    assert drawn.get_title(loc="left") == right.get_title(loc="left")


def test_several_panels_do_not_fit_one_axes() -> None:
    ax = Figure().subplots()
    with pytest.raises(ValueError, match="there are 2 panels to draw, but ax is one"):
        plots.scatter([load("iris"), load("wine")], ax=ax)
    assert not ax.has_data()
