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
from palacs.experiments._class_errors import class_errors
from palacs.experiments._comparison import Comparison
from palacs.experiments._results import Results
from palacs.experiments._stopping_replayed import stopping_sentences, what_stopping_saves
from palacs.experiments.report._columns_told import column_sentences, data_section
from palacs.experiments.report._could_help import with_ceiling, write_verdict
from palacs.experiments.report._made_with import settings, subtitle, versions
from palacs.experiments.report._model_sentence import ModelCheck, check_model, model_sentences
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
    from palacs.experiments.report._page import Section, Table

_HOW_TO_READ = (
    "Differences are of each trial's mean error over the budget; negative is better. Intervals "
    "(95 %) and p-values are of one paired t statistic, corrected where trials re-split the same "
    "data; p holm is corrected for the number of strategies (Random and Uniform, which every "
    "strategy must beat, do not count), p here is about more trials on the same instances only. "
    "Reached is after how many acquisitions the mean error stays as low as "
    "the baseline's final one; a saving is certain only with a lower bound above 0 and p holm "
    "below 0.05."
)


_HOW_STOPPING = (
    "The first trials, asked whether to stop whenever a seventh more had come. Acquired, saved and "
    "errors are means over those in which stop was advised."
)
_MOST_CLASSES = 40


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
    class_errors : DataFrame or None
        The error of each class at the end of the budget, by strategy.
    model : ModelCheck or None
        How the judged model does beside guessing and beside another one.
    """

    comparisons: tuple[Comparison, ...]
    verdict: Verdict
    sentences: list[str]
    stopping: pd.DataFrame
    spending: pd.DataFrame | None = None
    class_errors: pd.DataFrame | None = None
    model: ModelCheck | None = None


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
    first, *rest = comparison_sentences(comparisons, verdict, results.proportions(), facts)
    verdict, could_help = with_ceiling(verdict, results, progress)
    model = check_model(results)
    sentences = [first, could_help, *model_sentences(model), *rest]
    spending = None
    conditions = experiment.conditions
    if conditions is not None and conditions.costs is not None:
        spending = results.spending()
        sentences += spending_sentences(spending, results.spending_comparison())
    # Other models are fitted anew for every part of every labelled set looked at.
    fast = isinstance(experiment.classifier, ParzenWindowClassifier)
    stopping = what_stopping_saves(results, trials=10 if fast else 2)
    if stopping["stopped"].any():
        sentences += stopping_sentences(stopping)
    sentences += column_sentences(task.dataset)
    errors = class_errors(results)
    return ComparisonSummary(comparisons, verdict, sentences, stopping, spending, errors, model)


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
    if summary.class_errors is not None:
        summary.class_errors.to_csv(out / "class_errors.csv", index=False)
    shown = Shown(results, summary.comparisons, summary.verdict.ceiling, summary.class_errors)
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

    compared = [
        plain_table(comparison.frame, f"Strategies against {comparison.baseline}.")
        for comparison in summary.comparisons
    ]
    phases = error_table(results.table(), "Errors and win ratios by quarter of the budget.")
    shares = proportion_table(results.proportions(), "Final share of each class.")
    stopping = Section("Stopping", stopping_sentences(summary.stopping))
    if summary.stopping["stopped"].any():
        told = plain_table(summary.stopping, "Stopping on advice.")
        stopping = Section("Stopping", [_HOW_STOPPING], [told])
    return [
        Section("Against Random and Uniform", [_HOW_TO_READ], compared),
        Section("Learning curves"),
        Section("Errors by class", tables=_class_tables(summary.class_errors)),
        Section("Errors by phase", tables=[phases]),
        Section("Proportions", tables=[shares]),
        stopping,
        data_section(results.experiment.tasks[0].dataset),
    ]


def _class_tables(errors: pd.DataFrame | None) -> list[Table]:
    from palacs.experiments.report._page import plain_table

    if errors is None:
        return []
    strategies = errors["strategy"].drop_duplicates()
    wide = errors.pivot(index="class", columns="strategy", values="error")[strategies]
    order = wide.mean(axis=1).sort_values(ascending=False, kind="stable").index[:_MOST_CLASSES]
    more = f", the {_MOST_CLASSES} hardest of {len(wide)}" if len(wide) > _MOST_CLASSES else ""
    some = f"; from {errors.attrs['rests_on']}" if "rests_on" in errors.attrs else ""
    caption = f"Error of each class at the end of the budget{more}{some}."
    return [plain_table(wide.loc[order].reset_index(), caption)]
