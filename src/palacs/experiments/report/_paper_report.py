"""The report of the paper's evaluation: its tables and figures beside the paper's numbers.

Matplotlib and the templates are loaded only when something is drawn, so that workers start fast.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from palacs.experiments import paper
from palacs.experiments._results import Results
from palacs.experiments.report._made_with import (
    reproduce_commands,
    settings,
    subtitle,
    versions,
)
from palacs.experiments.report._paper_findings import (
    few_trials,
    paper_differences,
    paper_findings,
)
from palacs.experiments.report._table_files import write_tables

if TYPE_CHECKING:
    from palacs.experiments.report._page import Section


def write_paper_report(results: Results, out: str | Path) -> Path:
    """Write tables, figures and ``report.html`` of the paper's evaluation into a folder.

    Returns
    -------
    path : Path
        Of the report.
    """
    from palacs.experiments.report._figures import Shown, illustrate
    from palacs.experiments.report._page import ReportContent, write_report

    out = Path(out)
    table1, table2 = results.table(), results.proportions()
    write_tables(results, out)
    content = ReportContent(
        title="PAL-ACS, reproduced",
        subtitle=subtitle(results.experiment),
        headlines=_headlines(table1, results.experiment.trials),
        findings=paper_findings(table1, table2),
        sections=illustrate(_sections(table1, table2), Shown(results), out),
        differences=paper_differences(table1, table2),
        readings=paper.READINGS,
        settings=settings(results.experiment),
        versions=versions(),
        commands=reproduce_commands(results.experiment),
    )
    return write_report(out / "report.html", content)


def _sections(table1: pd.DataFrame, table2: pd.DataFrame) -> list[Section]:
    from palacs.experiments.report._page import Section, error_table, proportion_table

    return [
        Section(
            "Errors by phase",
            [
                "Each phase is a quarter of the budget. Beside our mean error stand the paper's "
                "and the difference; the lowest error of a phase is bold."
            ],
            [error_table(table1, "Errors and win ratios by phase, the paper's Table 1.")],
        ),
        Section("Learning curves"),
        Section(
            "Proportions",
            tables=[proportion_table(table2, "Final proportions, the paper's Table 2.")],
        ),
    ]


def _headlines(table1: pd.DataFrame, trials: int) -> list[str]:
    gap = (table1["error"] - table1["paper_error"]).abs().dropna()
    sentences = []
    if len(gap):
        sentences.append(
            f"Our errors differ from the paper's by {gap.mean():.4f} on average over {len(gap)} "
            f"cells, by {gap.max():.4f} at most."
        )
    caution = few_trials(trials)
    return sentences + ([caution] if caution else [])
