"""Small views for notebooks: a title and a few rows, as HTML.

Everything is escaped. There are no scripts and no colours, so that a view reads on light and dark.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

__all__ = ["html_table", "html_view"]

_LEFT = 'style="text-align: left"'


def html_view(title: str, rows: Iterable[tuple[str, Any]], *tables: str) -> str:
    """Return a title with one row per name and value; tables from `html_table` stand below.

    Examples
    --------
    >>> print(html_view("A <campaign>", [("budget", 40)]))
    <div><strong>A &lt;campaign&gt;</strong>
    <table><tr><th style="text-align: left">budget</th>
    <td style="text-align: left">40</td></tr></table></div>
    """
    lines = [
        f"<tr><th {_LEFT}>{escape(name)}</th>\n<td {_LEFT}>{escape(str(value))}</td></tr>"
        for name, value in rows
    ]
    own = f"<table>{''.join(lines)}</table>" if lines else ""
    return f"<div><strong>{escape(title)}</strong>\n{own}{''.join(tables)}</div>"


def html_table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table.

    Examples
    --------
    >>> html_table(["class"], [["left"]]).count("<td ")
    1
    """
    head = "".join(f"<th {_LEFT}>{escape(str(cell))}</th>" for cell in header)
    body = "".join(
        "<tr>" + "".join(f"<td {_LEFT}>{escape(str(cell))}</td>" for cell in row) + "</tr>"
        for row in rows
    )
    return f"<table><tr>{head}</tr>{body}</table>"
