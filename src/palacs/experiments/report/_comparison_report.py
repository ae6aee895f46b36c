"""The report of a comparison on somebody's data: is class selection worth it, and why.

Matplotlib and the templates are loaded only when something is drawn, so that workers start fast.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from palacs.classifier import ParzenWindowClassifier
from palacs.experiments._ceiling import Progress
from palacs.experiments._comparison import Comparison
from palacs.experiments._results import Results
from palacs.experiments._stopping_replayed import stopping_sentences, what_stopping_saves
from palacs.experiments.report._could_help import with_ceiling, write_verdict
from palacs.experiments.report._made_with import settings, subtitle, versions
from palacs.experiments.report._savings import spending_sentences
from palacs.experiments.report._table_files import write_tables
from palacs.experiments.report._verdict import (
    RANDOM,
    UNIFORM,
    DataFacts,
    Verdict,
    comparison_sentences,
    give_verdict,
)

if TYPE_CHECKING:
    from palacs.experiments.report._page import Section

_HOW_TO_READ = (
    "Differences are of each trial's mean error over the budget; negative is better. Intervals "
    "(95 %) and p-values are of one paired t statistic, corrected where trials re-split the same "
    "data; p holm is corrected for the number of strategies, p here is about more trials on the "
    "same instances only. Reached is after how many acquisitions the mean error stays as low as "
    "the baseline's final one; a saving is certain only with a lower bound above 0 and p holm "
    "below 0.05."
)


@dataclass(frozen=True)
class ComparisonSummary:
    """What a comparison comes to.

    Attributes
    ----------
    comparisons : tuple of Comparison
        Every strategy against Random, and against Uniform.
    verdict : Verdict
        Whether class selection is worth it.
    sentences : list of str
        The answer in words, the most important first.
    stopping : DataFrame
        What stopping on advice would have saved.
    spending : DataFrame or None
        Errors at equal spending, where acquisitions have costs.
    """

    comparisons: tuple[Comparison, ...]
    verdict: Verdict
    sentences: list[str]
    stopping: pd.DataFrame
    spending: pd.DataFrame | None = None


def summarise(results: Results, *, progress: Progress | None = None) -> ComparisonSummary:
    """Say what a comparison comes to: who wins, what could be gained at all, what is saved.

    Parameters
    ----------
    results : Results
    progress : callable, optional
        Called with the share done of looking for the best counts in hindsight.
    """
    experiment = results.experiment
    task = experiment.tasks[0]
    facts = DataFacts(experiment.trials, None if task.fresh else len(task.dataset), task.budget)
    comparisons = tuple(results.comparison(baseline) for baseline in (RANDOM, UNIFORM))
    verdict = give_verdict(comparisons, facts.instances)
    sentences = comparison_sentences(comparisons, verdict, results.proportions(), facts)
    verdict, could_help = with_ceiling(verdict, results, progress)
    sentences.insert(sentences.index(verdict.sentence) + 1, could_help)
    spending = None
    conditions = experiment.conditions
    if conditions is not None and conditions.costs is not None:
        spending = results.spending()
        sentences += spending_sentences(spending, results.spending_comparison())
    # Other models are fitted anew for every part of every labelled set looked at.
    fast = isinstance(experiment.classifier, ParzenWindowClassifier)
    stopping = what_stopping_saves(results, trials=10 if fast else 2)
    sentences += stopping_sentences(stopping)
    return ComparisonSummary(comparisons, verdict, sentences, stopping, spending)


def write_comparison_report(
    results: Results,
    out: str | Path,
    summary: ComparisonSummary | None = None,
    *,
    commands: Sequence[str] = (),
) -> Path:
    """Write tables, figures and ``report.html`` of a comparison into a folder.

    Parameters
    ----------
    results : Results
    out : path
    summary : ComparisonSummary, optional
        From `summarise`, where it is already there.
    commands : sequence of str
        What to type to get the report again, if anything.

    Returns
    -------
    path : Path
        Of the report.
    """
    from palacs.experiments.report._figures import Shown, illustrate
    from palacs.experiments.report._page import ReportContent, write_report

    out = Path(out)
    summary = summary or summarise(results)
    write_tables(results, out)
    frames = [comparison.frame for comparison in summary.comparisons]
    pd.concat(frames).to_csv(out / "comparison.csv", index=False)
    summary.stopping.to_csv(out / "stopping.csv", index=False)
    write_verdict(summary.verdict, results, out)
    if summary.spending is not None:
        summary.spending.to_csv(out / "spending.csv", index=False)
    shown = Shown(results, summary.comparisons, summary.verdict.ceiling)
    content = ReportContent(
        title=f"Class selection on {results.experiment.tasks[0].name}",
        subtitle=subtitle(results.experiment),
        headlines=summary.sentences,
        sections=illustrate(_sections(results, summary), shown, out),
        settings=settings(results.experiment),
        versions=versions(),
        commands=commands,
    )
    return write_report(out / "report.html", content)


def _sections(results: Results, summary: ComparisonSummary) -> list[Section]:
    from palacs.experiments.report._page import (
        Section,
        error_table,
        plain_table,
        proportion_table,
    )

    return [
        Section(
            "Against Random and Uniform",
            [_HOW_TO_READ],
            [
                plain_table(comparison.frame, f"Strategies against {comparison.baseline}.")
                for comparison in summary.comparisons
            ],
        ),
        Section("Learning curves"),
        Section(
            "Errors by phase",
            tables=[
                error_table(results.table(), "Errors and win ratios by quarter of the budget.")
            ],
        ),
        Section(
            "Proportions",
            tables=[proportion_table(results.proportions(), "Final share of each class.")],
        ),
        Section(
            "Stopping",
            [
                "The first trials, asked whether to stop whenever a seventh more had come. "
                "Acquired, saved and errors are means over those in which stop was advised."
            ],
            tables=[plain_table(summary.stopping, "Stopping on advice.")],
        ),
        Section("The data", [results.experiment.tasks[0].dataset.description]),
    ]
