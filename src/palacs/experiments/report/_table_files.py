"""The tables as files: CSV for programs, Markdown and LaTeX for people, as in the paper."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from palacs.experiments._results import Results


def write_tables(results: Results, out: Path) -> None:
    """Write table1, table2 (CSV, Markdown, LaTeX) and curves (CSV) into a folder."""
    table1, table2 = results.table(), results.proportions()
    table1.to_csv(out / "table1.csv", index=False)
    table2.to_csv(out / "table2.csv", index=False)
    results.curves().to_csv(out / "curves.csv", index=False)
    for name, frame in (("table1", wide_errors(table1)), ("table2", wide_proportions(table2))):
        (out / f"{name}.md").write_text(to_markdown(frame), encoding="utf-8")
        (out / f"{name}.tex").write_text(to_latex(frame), encoding="utf-8")


def wide_errors(table1: pd.DataFrame) -> pd.DataFrame:
    """Lay errors and win ratios out with one column pair per phase, the paper's in brackets."""
    rows = []
    for (dataset, strategy), cells in table1.groupby(["dataset", "strategy"], observed=True):
        row = {"Dataset": str(dataset), "Method": str(strategy)}
        for cell in cells.to_dict("records"):
            phase = f"phase {cell['phase']}"
            row[f"{phase} error"] = _beside(cell["error"], cell["paper_error"], "{:.4f}")
            wins, paper_wins = 100 * cell["win_ratio"], 100 * cell["paper_win_ratio"]
            row[f"{phase} win ratio"] = _beside(wins, paper_wins, "{:.2f} %")
        rows.append(row)
    return pd.DataFrame(rows)


def wide_proportions(table2: pd.DataFrame) -> pd.DataFrame:
    """Lay final proportions out with one column per data set, the paper's in brackets."""
    columns: dict[str, dict[str, str]] = {}
    for (dataset, strategy), cells in table2.groupby(
        ["dataset", "strategy"], observed=True, sort=False
    ):
        ours = ",".join(f"{100 * share:02.0f}" for share in cells["proportion"])
        if cells["paper_proportion"].notna().all():
            ours += f" ({','.join(f'{100 * share:02.0f}' for share in cells['paper_proportion'])})"
        columns.setdefault(str(dataset), {})[str(strategy)] = ours
    frame = pd.DataFrame(columns)
    frame.insert(0, "Method", frame.index)
    return frame.reset_index(drop=True)


def to_markdown(frame: pd.DataFrame) -> str:
    r"""Write a frame of text as a Markdown table.

    Examples
    --------
    >>> print(to_markdown(pd.DataFrame({"a": ["x"], "b": ["y|z"]})), end="")
    | a | b |
    |---|---|
    | x | y\|z |
    """
    lines = [
        [str(column) for column in frame.columns],
        *[[str(value).replace("|", "\\|") for value in row] for row in frame.to_numpy()],
    ]
    head, *body = [f"| {' | '.join(line)} |" for line in lines]
    rule = "|" + "---|" * len(frame.columns)
    return "\n".join([head, rule, *body]) + "\n"


def to_latex(frame: pd.DataFrame) -> str:
    """Write a frame of text as a LaTeX table."""
    return frame.to_latex(index=False, escape=True)


def _beside(ours: float, paper: float, form: str) -> str:
    text = form.format(ours)
    return text if pd.isna(paper) else f"{text} ({form.format(paper)})"
