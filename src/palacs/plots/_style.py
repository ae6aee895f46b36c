"""The look of every picture: colours, line styles, and the furniture panels share.

Nothing here touches matplotlib's global settings. The colours are told apart by readers with
any colour vision; line styles and markers say the same a second time.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Sequence
from typing import Any, overload

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.text import Text

from palacs.strategies import available

INK = "#1f2430"
MUTED = "#646d7c"
GRID = "#dde2e8"
PAPER = "#ffffff"
ABOVE = "#d1560a"
"""More error than the reference; `BELOW` is less."""
BELOW = "#1273b5"

LineStyle = str | tuple[int, tuple[float, ...]]
_DASHED: LineStyle = (0, (5.0, 1.6))
_DOTTED: LineStyle = (0, (1.2, 1.4))
_DASHDOT: LineStyle = (0, (6.0, 1.6, 1.2, 1.6))

_OTHER_COLORS = ("#7b4fb0", "#00838f", "#a0522d", "#c2185b", "#52702b", "#3f5fbf", "#9c7a00")
_LINES: tuple[LineStyle, ...] = ("-", _DASHED, _DASHDOT, _DOTTED)

_CLASSES = (
    "#3f73b3",
    "#d9485e",
    "#238a3c",
    "#9c8118",
    "#9a3d86",
    "#2391b8",
    "#3b2c85",
    "#c0741a",
    "#7d2350",
    "#1f9080",
    "#66701c",
    "#7c8494",
)
_BESIDE: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)}
# Seven markers and twelve colours have no common divisor: 84 classes before a pair repeats.
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")


def strategy_color(title: str) -> str:
    """Return the colour of a strategy, the same in every picture.

    It is that of the table of strategies; a strategy that has none there gets a colour that
    depends on its title alone.

    Examples
    --------
    >>> strategy_color("PAL-ACS")
    '#d1560a'
    >>> strategy_color("Mine") == strategy_color("Mine")
    True
    """
    listed = {info.title: info.colour for info in available().values()}
    other = _OTHER_COLORS[zlib.crc32(title.encode()) % len(_OTHER_COLORS)]
    return listed.get(title) or other


def strategy_line(title: str) -> LineStyle:
    """Return the line style of a strategy, which tells neighbours in the table apart."""
    titles = [info.title for info in available().values()]
    if title in titles:
        return _LINES[titles.index(title) % len(_LINES)]
    return _LINES[zlib.crc32(title.encode()) // len(_OTHER_COLORS) % len(_LINES)]


def class_color(code: int) -> str:
    """Return the colour of a class, by its position among the classes.

    Examples
    --------
    >>> class_color(0), class_color(1), class_color(2)
    ('#3f73b3', '#d9485e', '#238a3c')
    """
    return _CLASSES[code % len(_CLASSES)]


def class_marker(code: int) -> str:
    """Return the marker of a class, by its position among the classes."""
    return _MARKERS[code % len(_MARKERS)]


class Picture(Figure):
    """A figure that shows itself in a notebook, although pyplot does not know of it.

    Where pyplot draws inline, IPython takes its own way to draw figures instead of this one; so
    it appears once in either case.
    """

    def _repr_png_(self) -> bytes:
        buffer = io.BytesIO()
        self.savefig(buffer, format="png", dpi=110)
        return buffer.getvalue()


def panels(
    n: int, columns: int, size: tuple[float, float], ax: Axes | None = None, **subplots: Any
) -> tuple[Figure, list[Axes]]:
    """Return a figure with `n` tidy panels of about `size` inches, row after row.

    Given axes of somebody else are the one panel; their figure stays as it is.
    """
    if ax is not None:
        if n != 1:
            raise ValueError(
                f"there are {n} panels to draw, but ax is one; choose one, or leave ax out."
            )
        tidy(ax)
        figure: Any = ax.figure  # or the part of one that they are in
        return figure, [ax]
    columns = min(n, columns)
    rows = -(-n // columns)
    spacing = ConstrainedLayoutEngine(w_pad=0.06, h_pad=0.08, wspace=0.03, hspace=0.03)
    figure = Picture(figsize=(columns * size[0], rows * size[1]), layout=spacing, facecolor=PAPER)
    grid = figure.subplots(rows, columns, squeeze=False, **subplots)
    axes = list(grid.ravel())
    for spare in axes[n:]:
        spare.remove()
    for ax in axes[:n]:
        tidy(ax)
    return figure, axes[:n]


def tidy(ax: Axes, *, grid: str = "y") -> None:
    """Take away what does not carry data and make the rest quiet."""
    ax.set_facecolor("none")
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(MUTED)
    ax.spines[["left", "bottom"]].set_linewidth(0.7)
    ax.tick_params(colors=MUTED, labelsize=8, width=0.7, length=3)
    ax.tick_params(which="minor", length=0)
    ax.set_axisbelow(True)
    ax.grid(False)
    if grid:
        # matplotlib wants a literal; callers pass "x", "y" or "both".
        ax.grid(axis=grid, color=GRID, linewidth=0.7)  # type: ignore[arg-type]


def title(ax: Axes, text: str) -> None:
    """Write a panel's title, flush left."""
    ax.set_title(text, loc="left", fontsize=10, fontweight="bold", color=INK, pad=7)


def note(figure: Figure, text: str) -> None:
    """Write one quiet line below the panels on how to read them; not into others' figures."""
    if not isinstance(figure, Picture):
        return
    figure.supxlabel(text, fontsize=8, color=MUTED, x=0.01, ha="left")


def axis_labels(ax: Axes, x: str = "", y: str = "") -> None:
    """Name the axes."""
    ax.set_xlabel(x, fontsize=8.5, color=INK, labelpad=3)
    ax.set_ylabel(y, fontsize=8.5, color=INK, labelpad=3)


def brief(name: object, longest: int = 40) -> str:
    """Return a name, cut where it would leave no room for the picture.

    Examples
    --------
    >>> brief("a class of many words", 10)
    'a class...'
    """
    text = str(name)
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


def legend(
    figure: Figure, handles: Sequence[Any], ax: Axes | None = None, *, most_columns: int = 6
) -> None:
    """Put one legend for all panels above them, or beside axes that were given."""
    where: Any = figure if ax is None else ax
    where.legend(
        handles=list(handles),
        **({"loc": "outside upper left"} if ax is None else _BESIDE),
        ncols=min(len(handles), most_columns) if ax is None else 1,
        frameon=False,
        fontsize=8.5,
        labelcolor=INK,
        handlelength=1.6,
        columnspacing=1.6,
        borderaxespad=0.2,
    )


@overload
def finish(figure: Figure) -> Figure: ...


@overload
def finish(figure: Figure, ax: Axes | None) -> Figure | Axes: ...


def finish(figure: Figure, ax: Axes | None = None) -> Figure | Axes:
    """Return the figure, its words taken literally: a name such as "$5" is no formula.

    Where axes were given, these are returned: a notebook that shows their figure anyway would
    show a figure that is returned a second time.
    """
    drawn: Figure | Axes = figure if ax is None else ax
    for text in drawn.findobj(Text):
        text.set_parse_math(False)
    return drawn


def check_columns(frame: pd.DataFrame, *columns: str) -> None:
    """Refuse a frame that a picture cannot be made from, naming what is missing."""
    missing = [column for column in columns if column not in frame.columns]
    if missing:
        raise ValueError(
            f"the data frame has no column {', '.join(map(repr, missing))}, only "
            f"{', '.join(map(repr, frame.columns))}; it needs {', '.join(map(repr, columns))}."
        )
    if frame.empty:
        raise ValueError("the data frame has no rows; there is nothing to draw.")


def in_order(values: pd.Series[Any]) -> list[Any]:
    """Return the distinct values in the order in which they first appear."""
    return list(values.drop_duplicates())
