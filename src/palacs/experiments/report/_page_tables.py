"""Tables of the report: ours beside the paper's, with the difference.

Each function lays a data frame out as rows of cells; how a cell looks is the template's matter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any

import pandas as pd

_FULL_ERROR = 0.02
_FULL_SHARE = 0.10
_NOTHING = "–"


@dataclass(frozen=True)
class Cell:
    """One cell: what is printed, and what the paper has in its place."""

    text: str
    head: str = ""
    """"col" or "row" for a heading of a column or row (group), else empty."""
    columns: int = 1
    rows: int = 1
    number: bool = False
    best: bool = False
    paper: str = ""
    paper_best: bool = False
    difference: str = ""
    sign: str = ""
    """"above" or "below" the paper, or "equal"."""
    strength: float = 0.0
    """How strongly the difference is coloured, 0 to 1."""


@dataclass(frozen=True)
class Table:
    """A table as the report prints it."""

    caption: str
    head: Sequence[Sequence[Cell]]
    groups: Sequence[Sequence[Sequence[Cell]]] = field(default_factory=list)
    """Rows that belong together, such as those of one data set."""


def error_table(table1: pd.DataFrame, caption: str) -> Table:
    """Lay errors and win ratios out as in the paper's first table.

    Parameters
    ----------
    table1 : DataFrame
        Columns ``dataset``, ``strategy``, ``phase``, ``error``, ``win_ratio`` and, NaN where the
        paper has none, ``paper_error`` and ``paper_win_ratio``.
    caption : str

    Returns
    -------
    Table
        Rows: strategies by data set. Columns: error and win ratio by phase. Best values, ours
        and the paper's, are marked; ties all are.
    """
    phases = sorted(table1["phase"].unique())
    head = [
        [Cell("Data set", "col", rows=2), Cell("Strategy", "col", rows=2)]
        + [Cell(f"Phase {phase}", "col", columns=2) for phase in phases],
        [Cell(word, "col") for _ in phases for word in ("error", "win ratio")],
    ]
    best = {
        column: table1.groupby(["dataset", "phase"], observed=True)[column].agg(choose)
        for column, choose in (
            ("error", "min"),
            ("paper_error", "min"),
            ("win_ratio", "max"),
            ("paper_win_ratio", "max"),
        )
    }
    full = _full(table1["error"] - table1["paper_error"], _FULL_ERROR)
    groups = []
    for dataset, rows in table1.groupby("dataset", observed=True, sort=False):
        names = rows["strategy"].drop_duplicates()
        group: list[list[Cell]] = []
        for strategy in names:
            line = [Cell(str(strategy), "row")]
            if not group:
                line.insert(0, Cell(str(dataset), "row", rows=len(names)))
            mine = rows[rows["strategy"] == strategy].set_index("phase")
            for phase in phases:
                line += _phase_cells(mine, phase, best, (dataset, phase), full)
            group.append(line)
        groups.append(group)
    return Table(caption, head, groups)


def _phase_cells(
    mine: pd.DataFrame,
    phase: Any,
    best: Mapping[str, pd.Series[Any]],
    key: tuple[Any, Any],
    full: float,
) -> list[Cell]:
    if phase not in mine.index:
        return [Cell(_NOTHING), Cell(_NOTHING)]
    row = mine.loc[phase]
    marked = {column: bool(row[column] == best[column].loc[key]) for column in best}
    error = _beside(row["error"], row["paper_error"], ("{:.4f}", "{:+.4f}"), full)
    wins = _beside(100 * row["win_ratio"], 100 * row["paper_win_ratio"], ("{:.1f} %", ""), 1.0)
    return [
        Cell(**error, best=marked["error"], paper_best=marked["paper_error"]),
        Cell(**wins, best=marked["win_ratio"], paper_best=marked["paper_win_ratio"]),
    ]


def proportion_table(table2: pd.DataFrame, caption: str) -> Table:
    """Lay final proportions out: classes by data set in rows, strategies in columns.

    Parameters
    ----------
    table2 : DataFrame
        Columns ``dataset``, ``strategy``, ``class``, ``proportion`` and, NaN where the paper has
        none, ``paper_proportion``.
    caption : str
    """
    strategies = list(table2["strategy"].drop_duplicates())
    head = [[Cell(str(word), "col") for word in ("Data set", "Class", *strategies)]]
    full = 100 * _full(table2["proportion"] - table2["paper_proportion"], _FULL_SHARE)
    groups = []
    for dataset, rows in table2.groupby("dataset", observed=True, sort=False):
        names = rows["class"].drop_duplicates()
        group: list[list[Cell]] = []
        for name in names:
            line = [Cell(str(name), "row")]
            if not group:
                line.insert(0, Cell(str(dataset), "row", rows=len(names)))
            mine = rows[rows["class"] == name].set_index("strategy")
            for strategy in strategies:
                if strategy not in mine.index:
                    line.append(Cell(_NOTHING))
                    continue
                ours, paper = mine.loc[strategy, ["proportion", "paper_proportion"]]
                forms = ("{:.1f} %", "{:+.1f}")
                line.append(Cell(**_beside(100 * ours, 100 * paper, forms, full)))
            group.append(line)
        groups.append(group)
    return Table(caption, head, groups)


def plain_table(frame: pd.DataFrame, caption: str) -> Table:
    """Print any data frame; numbers with four digits, the first column as row headings."""
    head = [[Cell(str(column).replace("_", " "), "col") for column in frame.columns]]
    rows = [
        [
            Cell(_text(value), "row" if i == 0 else "", number=_is_number(value))
            for i, value in enumerate(row)
        ]
        for row in frame.itertuples(index=False)
    ]
    return Table(caption, head, [rows])


def _beside(ours: float, paper: float, forms: tuple[str, str], full: float) -> dict[str, Any]:
    """Return the parts of a cell that sets our number beside the paper's."""
    cell: dict[str, Any] = {"text": _NOTHING if pd.isna(ours) else forms[0].format(ours)}
    cell["number"] = True
    if pd.isna(paper) or pd.isna(ours):
        return cell
    cell["paper"] = forms[0].format(paper)
    if forms[1]:
        difference = ours - paper
        printed = _minus(forms[1].format(difference))
        equal = float(printed.replace("−", "-")) == 0.0
        cell["difference"] = printed.lstrip("+−") if equal else printed
        cell["sign"] = "equal" if equal else "above" if difference > 0 else "below"
        cell["strength"] = 0.0 if equal else round(min(abs(difference) / full, 1.0), 3)
    return cell


def _full(differences: pd.Series[Any], least: float) -> float:
    largest = differences.abs().max()
    return least if pd.isna(largest) else max(least, float(largest))


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _text(value: Any) -> str:
    if not _is_number(value):
        return str(value)
    if pd.isna(value):
        return _NOTHING
    if isinstance(value, Integral) or float(value).is_integer():
        return _minus(f"{int(value)}")
    return _minus(f"{value:.4f}" if abs(float(value)) >= 1e-3 else f"{value:.2g}")


def _minus(text: str) -> str:
    return text.replace("-", "−")
