"""Tables on a terminal: columns read, the paper's two, comparisons; for 80 columns."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from palacs.cli._rooms import ex

if TYPE_CHECKING:
    import pandas as pd

    from palacs.datasets import Reading
    from palacs.experiments import Comparison

_SAME = 0.0005
_CLOSE = 0.01
_NONE = "–"
_MOST_PLAIN = 12
_MOST_CLASSES = 10


def errors_table(table1: pd.DataFrame) -> Table:
    """Errors, differences to the paper and win ratios by phase; the lowest error is bold."""
    compared = table1["paper_error"].notna().any()
    title = "Error by phase" + (", difference to the paper" if compared else "") + ", win ratio"
    table = Table(title=title, box=None, pad_edge=False, padding=(0, 1, 0, 0))
    table.title_justify = "left"
    # Only names may break: half a number is none.
    table.add_column("")
    for phase in sorted(table1["phase"].unique()):
        table.add_column(f"phase {phase}", justify="right", no_wrap=True)
    for dataset, rows in table1.groupby("dataset", observed=True):
        table.add_row(Text(str(dataset), style="bold cyan"))
        lowest = rows.groupby("phase")["error"].min()
        for strategy, cells in rows.groupby("strategy", observed=True):
            texts = [
                _error_cell(cell, bold=cell["error"] <= lowest[cell["phase"]] + 1e-12)
                for _, cell in cells.sort_values("phase").iterrows()
            ]
            table.add_row(f" {strategy}", *texts)
    return table


def _error_cell(cell: pd.Series, *, bold: bool) -> Text:
    text = Text(_rate(cell["error"]), style="bold" if bold else "")
    if not math.isnan(cell["paper_error"]):
        gap = cell["error"] - cell["paper_error"]
        text.append(" " + _rate(gap, "+"), style=_gap_style(gap))
    text.append(f"{100 * cell['win_ratio']:4.0f}%", style="dim")
    return text


def _rate(value: float, sign: str = "") -> str:
    """Write a rate without its leading zero, for which 80 columns have no room."""
    return f"{value:{sign}.3f}".replace("0.", ".", 1)


def _gap_style(gap: float) -> str:
    if abs(gap) < _SAME:
        return "dim"
    colour = "red" if gap > 0 else "blue"
    return f"bold {colour}" if abs(gap) > _CLOSE else colour


def proportions_table(table2: pd.DataFrame) -> Table:
    """Show the final shares of the classes in percent; the paper's below in grey."""
    compared = table2["paper_proportion"].notna().any()
    title = "Final share of each class in percent" + (", the paper's below" if compared else "")
    table = Table(title=title, box=None, pad_edge=False, padding=(0, 1), title_justify="left")
    table.add_column("", style="bold cyan", no_wrap=True)
    strategies = list(dict.fromkeys(table2["strategy"]))
    for strategy in strategies:
        table.add_column(strategy)
    for dataset, rows in table2.groupby("dataset", observed=True, sort=False):
        cells = []
        for strategy in strategies:
            shares = rows[rows["strategy"] == strategy]
            text = Text(_shares(shares["proportion"]))
            if shares["paper_proportion"].notna().any():
                text.append(f"\n{_shares(shares['paper_proportion'])}", style="dim")
            cells.append(text)
        table.add_row(str(dataset), *cells)
    return table


def _shares(values: pd.Series) -> str:
    return " ".join(f"{100 * value:.0f}" for value in values)


def columns_table(reading: Reading) -> Table:
    """Show what became of each column; of many plain features only that there are so many."""
    table = Table(title="Columns", box=None, pad_edge=False, padding=(0, 1), title_justify="left")
    table.add_column("", no_wrap=True, max_width=24)
    table.add_column("used as", no_wrap=True)
    table.add_column("because")
    plain = [column for column in reading.columns if column.use == "feature" and not column.note]
    few = len(plain) <= _MOST_PLAIN
    for column in reading.columns:
        if few or column not in plain:
            style = "yellow" if column.warning else "dim" if column.use == "left out" else ""
            odd = column.holds not in ("numbers", "text", "the classes", "groups")
            because = f"{column.holds}: {column.note}" if odd else column.note or column.holds
            table.add_row(*(Text(word, style=style) for word in (column.name, column.use, because)))
    if not few:
        table.add_row(f"{len(plain)} others", "feature", "numbers")
    return table


def class_errors_table(errors: pd.DataFrame) -> Table:
    """Show the error of each class at the end, the hardest classes above."""
    some = f", in {errors.attrs['rests_on']}" if "rests_on" in errors.attrs else ""
    table = Table(
        title=f"Error of each class at the end{some}",
        box=None,
        pad_edge=False,
        padding=(0, 1),
        title_justify="left",
    )
    table.add_column("", no_wrap=True, max_width=24)
    strategies = list(dict.fromkeys(errors["strategy"]))
    for strategy in strategies:
        table.add_column(str(strategy), justify="right")
    wide = errors.pivot(index="class", columns="strategy", values="error")[strategies]
    order = wide.mean(axis=1).sort_values(ascending=False, kind="stable").index
    for name in order[:_MOST_CLASSES]:
        table.add_row(Text(str(name)), *(_rate(value) for value in wide.loc[name]))
    if len(order) > _MOST_CLASSES:
        table.add_row(f"and {len(order) - _MOST_CLASSES} easier")
    return table


def comparison_table(comparison: Comparison) -> Table:
    """Mean difference of each strategy to the baseline, with interval, p-value and savings."""
    table = Table(
        title=f"Against {comparison.baseline}",
        box=None,
        pad_edge=False,
        padding=(0, 1),
        title_justify="left",
    )
    for column in ("", "mean error", "difference", "95 % interval", "p (Holm)", "saved"):
        table.add_column(column, justify="left" if not column else "right", no_wrap=True)
    for row in comparison.frame.to_dict("records"):
        certain = row["p_holm"] < ex.LEVEL
        colour = ("green" if row["mean_difference"] < 0 else "red") if certain else ""
        table.add_row(
            row["strategy"],
            f"{row['mean_error']:.4f}",
            Text(f"{row['mean_difference']:+.4f}", style=colour),
            _NONE if math.isnan(row["low"]) else f"{row['low']:+.4f} {row['high']:+.4f}",
            f"{row['p_holm']:.2g}",
            _saved(row["saved_low"], row["saved_high"]) if certain else _NONE,
        )
    return table


def _saved(least: float, most: float) -> str:
    """Write an interval of acquisitions saved, if it is certain that any are."""
    return f"{least:.0f} to {most:.0f}" if least > 0 else _NONE
