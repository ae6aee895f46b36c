"""Many instances from one table: a row each, its class, and what is noted with it.

The columns are called as in a campaign's history: ``label``, and where wanted ``request_id``,
``id``, ``cost``, ``duration`` and ``attrs.NAME``; every other column is a feature. Nothing is
guessed: what can be read in two ways is refused, with its row as a spreadsheet counts it.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from palacs.campaign._cells import original
from palacs.campaign._features import HISTORY_COLUMNS, check_named
from palacs.campaign._naming import order_of
from palacs.campaign._records import ATTRS
from palacs.campaign._values import brief

MOST_ROWS = 100_000
_MOST_PROBLEMS = 5
_NOTED = ("label", "request_id", "id", "cost", "duration")
_SEPARATORS = (";", "\t", ",")
_GROUPED = re.compile(r"[-+]?\d{1,3}(,\d{3})+")
_NUMBERED = re.compile(r"x(\d+)")


@dataclass(frozen=True, slots=True)
class Row:
    """One instance as a table has it.

    Attributes
    ----------
    number : int
        Its row as a spreadsheet counts it; the names are in row 1.
    x : list of float
    label, request, id : str or None
        Its class as the cell has it, the request it answers, an id of its own.
    notes : dict
        Cost, duration and attributes.
    """

    number: int
    x: list[float]
    label: str | None
    request: str | None
    id: str | None
    notes: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Table:
    """The instances of a table.

    Attributes
    ----------
    names : tuple of str
        What the features are called, in the order of the numbers in `rows`.
    rows : list of Row
    """

    names: tuple[str, ...]
    rows: list[Row]

    def content(self) -> Any:
        """Return what the table says, whichever order its columns have."""
        order = sorted(range(len(self.names)), key=self.names.__getitem__)
        rows = [replace(row, x=[row.x[place] for place in order]) for row in self.rows]
        return sorted(self.names), rows


class Problems:
    """What is wrong with a table, row by row, told in one sentence."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.found: list[str] = []
        self.more = 0

    def note(self, row: int, what: str) -> None:
        """Note what is wrong with a row."""
        if len(self.found) < _MOST_PROBLEMS:
            self.found.append(f"row {row}: {what.rstrip('.')}")
        else:
            self.more += 1

    def refuse(self) -> None:
        """Raise where something was noted."""
        if self.found:
            more = f"; and {self.more} more" if self.more else ""
            raise ValueError(f"{self.name}: {'; '.join(self.found)}{more}. Nothing was written.")


def read_table(
    content: bytes | str, name: str = "the table", feature_names: Sequence[str] | None = None
) -> Table:
    r"""Return the instances in a table of text.

    Parameters
    ----------
    content : bytes or str
        CSV as UTF-8, separated by semicolons, tabs or commas, with the names of the columns in
        its first row. Decimal commas are read where something else separates.
    name : str
        As the sender calls it, for messages.
    feature_names : sequence of str or None
        What the features are called, where that is known; they are put in this order.

    Examples
    --------
    >>> table = read_table("label;x0;x1\nleft;0,5;1\nright;2;3,25", "mine.csv")
    >>> table.names, [(row.label, row.x) for row in table.rows]
    (('x0', 'x1'), [('left', [0.5, 1.0]), ('right', [2.0, 3.25])])
    >>> read_table("label,x0\nleft,one", "mine.csv")
    Traceback (most recent call last):
    ...
    ValueError: mine.csv: row 2: 'one' under 'x0' is no number; correct it, or leave out the row.
    Nothing was written.
    """
    lines, separator = _lines(content, name)
    known = frozenset(feature_names or ())
    header = _without_end([_name(cell, known) for cell in lines[0][1]], 0)
    lines = [(place, _without_end(cells, len(header))) for place, cells in lines]
    features = _features(header, feature_names, name)
    number = _reader(lines[1:], [header.index(column) for column in features], separator)
    problems, rows = Problems(name), []
    for place, cells in lines[1:]:
        if len(cells) != len(header):
            commas = "; decimal commas need semicolons between the columns" * (separator == ",")
            problems.note(place, f"it has {len(cells)} cells under {len(header)} names{commas}")
            continue
        row = dict(zip(header, map(str.strip, cells), strict=True))
        if row.get("label"):
            row["label"] = cells[header.index("label")]  # blanks may be part of a class
        try:
            rows.append(_row(place, row, features, number))
        except ValueError as error:
            problems.note(place, str(error))
    problems.refuse()
    return Table(tuple(features), rows)


def _without_end(cells: Sequence[str], least: int) -> list[str]:
    """Return cells without empty ones at their end: spreadsheets write more than was filled in."""
    kept = list(cells)
    while len(kept) > least and not kept[-1].strip():
        kept.pop()
    return kept


def _lines(content: bytes | str, name: str) -> tuple[list[tuple[int, list[str]]], str]:
    if isinstance(content, bytes):
        try:
            content = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise ValueError(f"{name}: it is no text in UTF-8; save it as CSV UTF-8.") from error
    try:
        separator = _separator(content.lstrip("\ufeff").partition("\n")[0])
        table = list(csv.reader(io.StringIO(content, newline=""), delimiter=separator))
    except csv.Error as error:
        raise ValueError(f"{name}: it is no table ({error}); save it as CSV.") from error
    found = [(place, cells) for place, cells in enumerate(table, 1) if any(map(str.strip, cells))]
    if len(found) < 2:
        raise ValueError(
            f"{name}: there is no instance in it; give the names of the columns (label, then the "
            "features) in the first row and one instance in each row below."
        )
    if len(found) - 1 > MOST_ROWS:
        raise ValueError(f"{name}: {len(found) - 1} rows are more than {MOST_ROWS}; divide it.")
    return found, separator


def _separator(first: str) -> str:
    """Return what stands between the columns; their names may hold the other marks."""
    marks = [mark for mark in _SEPARATORS if mark in first]
    for mark in marks:
        cells = next(csv.reader([first], delimiter=mark))
        if {"label", "request_id"} & set(map(str.strip, cells)):
            return mark
    return next(iter(marks), ",")


def _name(cell: str, known: frozenset[str]) -> str:
    """Return what a column is called: as it is known, or as it was before it was exported."""
    if cell in known:
        return cell
    name = cell.strip()
    return name if name in known else original(name)


def _features(header: Sequence[str], wanted: Sequence[str] | None, name: str) -> list[str]:
    if "" in header:
        raise ValueError(
            f"{name}: column {header.index('') + 1} has no name; name it in the first row, or take "
            "it out, as where a program numbered the rows."
        )
    if len(set(header)) < len(header):
        twice = next(column for column in header if header.count(column) > 1)
        raise ValueError(f"{name}: two columns are called {twice!r}; give each its own name.")
    if "label" not in header and "request_id" not in header:
        raise ValueError(
            f"{name}: no column is called 'label', which says the class; its columns are "
            f"{brief(', '.join(header))}."
        )
    others = [c for c in header if c not in _NOTED and not c.startswith(ATTRS)]
    alien = next((column for column in others if column in HISTORY_COLUMNS), None)
    if alien is not None:
        raise ValueError(
            f"{name}: the column {alien!r} is no feature; take it out. A whole exported record is "
            "brought in with palacs campaign import."
        )
    if not others:
        raise ValueError(f"{name}: it has no column with a feature; add one for each.")
    if wanted is not None:
        order_of(others, wanted, name)
        return list(wanted)
    if all(map(_NUMBERED.fullmatch, others)):
        others.sort(key=lambda column: int(column[1:]))
    return check_named(others) or []


def _reader(lines: Sequence[tuple[int, list[str]]], places: Sequence[int], separator: str) -> Any:
    """Return what turns a cell into a number, with decimal commas where the table has them."""
    cells = [row[place] for _, row in lines for place in places if place < len(row)]
    commas = [cell.strip() for cell in cells if "," in cell]
    decimal = separator != "," and commas and not any("." in cell for cell in cells)
    if decimal and all(map(_GROUPED.fullmatch, commas)):
        raise ValueError(
            f"{commas[0]!r} can be read as {commas[0].replace(',', '')} or as "
            f"{commas[0].replace(',', '.')}; write decimal points."
        )

    def number(cell: str, column: str) -> float:
        if not cell:
            raise ValueError(f"there is nothing under {column!r}; fill it in, or leave out the row")
        try:
            # To Python 1_0 is 10; to whoever wrote a table it is a mistake.
            return float("no" if "_" in cell else cell.replace(",", ".") if decimal else cell)
        except ValueError as error:
            remedy = "correct it, or leave out the row"
            if "," in cell:
                remedy = "write decimal points, and none between thousands"
            raise ValueError(f"{brief(cell)} under {column!r} is no number; {remedy}") from error

    return number


def _row(place: int, row: Mapping[str, str], features: Sequence[str], number: Any) -> Row:
    texts = {name: row.get(name) or None for name in ("label", "request_id", "id")}
    if texts["label"] is None and texts["request_id"] is None:
        raise ValueError("it says no class; fill in its label")
    notes: dict[str, Any] = {
        name: number(row[name], name) for name in ("cost", "duration") if row.get(name)
    }
    attrs = {c.removeprefix(ATTRS): v for c, v in row.items() if c.startswith(ATTRS) and v}
    x = [number(row[column], column) for column in features]
    noted = {**notes, **({"attrs": attrs} if attrs else {})}
    return Row(place, x, texts["label"], texts["request_id"], texts["id"], noted)
