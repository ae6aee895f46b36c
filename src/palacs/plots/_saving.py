"""Figures as files and as text: the same figure gives the same bytes, today and tomorrow.

matplotlib takes the salt of SVG ids and the treatment of text from global settings only, so
they are set for the moment of writing, under a lock, and put back.
"""

from __future__ import annotations

import io
import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from palacs.plots._style import GRID, INK, MUTED, PAPER

_DPI = 200
_NO_METADATA: dict[str, Any] = {"Creator": None, "Date": None, "Format": None, "Type": None}
_THEME = {INK: "ink", MUTED: "muted", GRID: "grid", PAPER: "paper"}
_writing = threading.Lock()


def _renew() -> None:
    global _writing
    _writing = threading.Lock()


if hasattr(os, "register_at_fork"):
    # A thread that was writing does not exist in a forked child.
    os.register_at_fork(after_in_child=_renew)


@contextmanager
def _svg_settings(fonttype: str) -> Iterator[None]:
    wanted = {"svg.hashsalt": "palacs", "svg.fonttype": fonttype}
    settings: Any = mpl.rcParams
    with _writing:
        before = {key: settings[key] for key in wanted}
        settings.update(wanted)
        try:
            yield
        finally:
            settings.update(before)


def save(figure: Figure, path_stem: str | PathLike[str]) -> tuple[Path, Path]:
    """Write a figure as ``<path_stem>.png`` and ``<path_stem>.svg``.

    Parameters
    ----------
    figure : Figure
    path_stem : path
        Without extension; missing folders are made.

    Returns
    -------
    png, svg : Path
        Reproducible: no dates, no random ids. The SVG carries its letters as shapes, so it
        looks the same where the font is missing.

    Examples
    --------
    >>> import tempfile
    >>> from matplotlib.figure import Figure
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [path.name for path in save(Figure(), f"{folder}/figures/empty")]
    ['empty.png', 'empty.svg']
    """
    stem = Path(path_stem)
    stem.parent.mkdir(parents=True, exist_ok=True)
    png, svg = (stem.with_name(f"{stem.name}.{suffix}") for suffix in ("png", "svg"))
    with _svg_settings("path"):
        figure.savefig(png, dpi=_DPI, metadata={"Software": None})
        figure.savefig(svg, dpi=_DPI, metadata=_NO_METADATA)
    return png, svg


def to_svg(figure: Figure) -> str:
    """Return a figure as an ``<svg>`` element to put into a web page.

    Text stays text. Ink, muted ink, grid lines and background refer to the CSS variables
    ``--palacs-ink``, ``--palacs-muted``, ``--palacs-grid`` and ``--palacs-paper``, so a page
    with a dark mode can set them; where they are not set the figure is on white.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> to_svg(Figure()).startswith("<svg ")
    True
    """
    buffer = io.StringIO()
    with _svg_settings("none"):
        figure.savefig(buffer, format="svg", dpi=_DPI, metadata=_NO_METADATA)
    text = buffer.getvalue()
    text = text[text.index("<svg ") :]
    for color, name in _THEME.items():
        text = text.replace(color, f"var(--palacs-{name}, {color})")
    return re.sub(r"\s*<style type=.*?</style>", "", text, flags=re.DOTALL).strip()
