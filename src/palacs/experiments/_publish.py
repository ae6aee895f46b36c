"""Everything a run leaves for people: tables, figures and one page to read.

Matplotlib and the templates are loaded only when something is drawn, so that workers start fast.
"""

from __future__ import annotations

import platform
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from palacs.classifier import ParzenWindowClassifier
from palacs.experiments import paper
from palacs.experiments._comparison import Comparison
from palacs.experiments._experiment import Experiment
from palacs.experiments._results import Results
from palacs.experiments._spending import spending_sentences
from palacs.experiments._stopping import stopping_sentences, what_stopping_saves
from palacs.experiments._tables import write_tables
from palacs.experiments._verdict import (
    comparison_sentences,
    few_trials,
    paper_differences,
    paper_findings,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from palacs.experiments._report import Picture

_PACKAGES = ("palacs", "numpy", "scipy", "scikit-learn", "numba", "pandas", "matplotlib")
_STAGES = (0.0, 0.1, 0.3, 1.0)
# Eight instances in acquisition order, and a ninth: with two blue ones blue is requested, with
# three the contested border between red and green is.
_LINE_X = (0.51, 0.79, 0.20, 0.60, 0.82, 0.53, 0.69, 0.09, 0.17)
_LINE_Y = ("red", "green", "blue", "red", "green", "red", "green", "blue", "blue")
_CAPTIONS = {
    "learning-curves": "Mean error after each acquisition; bands show the spread over trials.",
    "proportions": "Final share of each class among the requests.",
    "data": "The data sets; those with more than two features by their principal components.",
    "differences": "Our error minus the paper's, by phase.",
    "learning-stages": "The paper's Fig. 1: what a trial had acquired at four stages, on a t-SNE "
    "map of everything that could be acquired.",
    "look-inside": "The paper's Fig. 2: one step and the next in a constructed example. With two "
    "blue instances blue is requested; a third turns the request to the contested border.",
    "difference-intervals": "Mean difference in error to the baseline, with 95 % intervals.",
}


def write_paper_report(results: Results, out: str | Path) -> Path:
    """Write tables, figures and ``report.html`` of the paper's evaluation into a folder.

    Returns
    -------
    path : Path
        Of the report.
    """
    from palacs import plots
    from palacs.experiments._report import (
        ReportContent,
        Section,
        error_table,
        proportion_table,
        write_report,
    )

    out = Path(out)
    table1, table2 = results.table(), results.proportions()
    figures = _common_figures(results)
    if table1["paper_error"].notna().any():
        figures["differences"] = plots.differences(table1)
    figures["learning-stages"] = draw_stages(results)
    figures["look-inside"] = plots.look_inside(
        np.array(_LINE_X)[:, None], _LINE_Y, classes=["blue", "red", "green"]
    )
    pictures = _save(results, figures, out)
    experiment = results.experiment
    findings = paper_findings(table1, table2)
    content = ReportContent(
        title="PAL-ACS, reproduced",
        subtitle=_subtitle(experiment),
        headlines=_headlines(table1, experiment),
        findings=findings,
        sections=[
            Section(
                "Errors by phase",
                [
                    "Each phase is a quarter of the budget. Beside our mean error stand the "
                    "paper's and the difference; the lowest error of a phase is bold."
                ],
                [error_table(table1, "Errors and win ratios by phase, the paper's Table 1.")],
                [pictures[name] for name in ("differences",) if name in pictures],
            ),
            Section("Learning curves", pictures=[pictures["learning-curves"]]),
            Section(
                "Proportions",
                tables=[proportion_table(table2, "Final proportions, the paper's Table 2.")],
                pictures=[pictures["proportions"]],
            ),
            Section("Looking inside", pictures=[pictures["look-inside"]]),
            Section("Learning stages", pictures=[pictures["learning-stages"]]),
            Section("The data", pictures=[pictures["data"]]),
        ],
        differences=paper_differences(table1, table2),
        readings=paper.READINGS,
        settings=_settings(experiment),
        versions=_versions(),
        commands=[_reproduce_command(experiment)],
    )
    return write_report(out / "report.html", content)


@dataclass(frozen=True)
class ComparisonSummary:
    """What a comparison comes to.

    Attributes
    ----------
    comparison : Comparison
        Every strategy against the baseline.
    sentences : list of str
        The answer in words, the most important first.
    stopping : DataFrame
        What stopping would have saved, by rule.
    spending : DataFrame or None
        Errors at equal spending, where acquisitions have costs.
    """

    comparison: Comparison
    sentences: list[str]
    stopping: pd.DataFrame
    spending: pd.DataFrame | None = None


def summarise(results: Results) -> ComparisonSummary:
    """Say what a comparison comes to: who wins, what is saved, by stopping and in money."""
    comparison = results.comparison()
    sentences = comparison_sentences(comparison, results.proportions())
    spending = None
    conditions = results.experiment.conditions
    if conditions is not None and conditions.costs is not None:
        spending = results.spending()
        sentences += spending_sentences(spending, results.spending_comparison())
    # Other models are fitted anew for every fold of every step.
    fast = isinstance(results.experiment.classifier, ParzenWindowClassifier)
    stopping = what_stopping_saves(results, trials=10 if fast else 2)
    sentences += stopping_sentences(stopping)
    return ComparisonSummary(comparison, sentences, stopping, spending)


def write_comparison_report(
    results: Results, out: str | Path, summary: ComparisonSummary | None = None
) -> Path:
    """Write tables, figures and ``report.html`` of a comparison into a folder.

    Parameters
    ----------
    results : Results
    out : path
    summary : ComparisonSummary, optional
        From `summarise`, where it is already there.

    Returns
    -------
    path : Path
        Of the report.
    """
    from palacs import plots
    from palacs.experiments._report import (
        ReportContent,
        Section,
        error_table,
        plain_table,
        proportion_table,
        write_report,
    )

    out = Path(out)
    summary = summary or summarise(results)
    comparison = summary.comparison
    table1, table2 = results.table(), results.proportions()
    figures = _common_figures(results)
    if len(comparison.frame):
        figures["difference-intervals"] = plots.difference_intervals(comparison.frame)
    pictures = _save(results, figures, out)
    comparison.frame.to_csv(out / "comparison.csv", index=False)
    summary.stopping.to_csv(out / "stopping.csv", index=False)
    if summary.spending is not None:
        summary.spending.to_csv(out / "spending.csv", index=False)
    dataset = results.experiment.tasks[0].dataset
    content = ReportContent(
        title=f"Class selection on {dataset.name}",
        subtitle=_subtitle(results.experiment),
        headlines=summary.sentences,
        sections=[
            Section(
                f"Against {comparison.baseline}",
                [
                    "Differences are of each trial's mean error over the budget; negative is "
                    "better. p-values are of paired Wilcoxon tests, corrected after Holm."
                ],
                [plain_table(comparison.frame, f"Strategies against {comparison.baseline}.")],
                [pictures[name] for name in ("difference-intervals",) if name in pictures],
            ),
            Section("Learning curves", pictures=[pictures["learning-curves"]]),
            Section(
                "Errors by phase",
                tables=[error_table(table1, "Errors and win ratios by quarter of the budget.")],
            ),
            Section(
                "Proportions",
                tables=[proportion_table(table2, "Final share of each class.")],
                pictures=[pictures["proportions"]],
            ),
            Section(
                "Stopping",
                [
                    "What it would have saved to stop when a rule advises it, in the first "
                    "trials, and the error then instead of the final one."
                ],
                tables=[plain_table(summary.stopping, "Stopping earlier.")],
            ),
            Section("The data", [dataset.description], pictures=[pictures["data"]]),
        ],
        settings=_settings(results.experiment),
        versions=_versions(),
    )
    return write_report(out / "report.html", content)


def draw_stages(results: Results) -> Figure:
    """Draw what the first trial had acquired at four stages, on the set with most features."""
    from palacs import plots

    experiment = results.experiment
    task = max(experiment.tasks, key=lambda task: task.dataset.n_features)
    split, _ = experiment.deal(task.name, 0)
    title = "PAL-ACS" if "PAL-ACS" in experiment.titles else experiment.titles[0]
    requested = np.concatenate([split.start, experiment.run(task.name, 0)[title].requested])
    rows = split.rows_of(requested)
    codes = np.repeat(np.arange(split.n_classes), split.queue_sizes)
    stages = sorted({split.n_classes + round(task.budget * share) for share in _STAGES})
    return plots.learning_stages(split.X, codes, rows, stages, class_names=task.dataset.class_names)


def _common_figures(results: Results) -> dict[str, Figure]:
    from palacs import plots

    return {
        "learning-curves": plots.learning_curves(results.curves()),
        "proportions": plots.proportions(results.proportions()),
        "data": plots.scatter([task.dataset for task in results.experiment.tasks]),
    }


def _save(results: Results, figures: dict[str, Figure], out: Path) -> dict[str, Picture]:
    """Write the tables and the figures, and return the figures for the page."""
    from palacs import plots
    from palacs.experiments._report import Picture

    write_tables(results, out)
    for name, figure in figures.items():
        plots.save(figure, out / "figures" / name)
    return {
        name: Picture(plots.to_svg(figure), _CAPTIONS[name]) for name, figure in figures.items()
    }


def _headlines(table1: pd.DataFrame, experiment: Experiment) -> list[str]:
    gap = (table1["error"] - table1["paper_error"]).abs().dropna()
    sentences = []
    if len(gap):
        sentences.append(
            f"Our errors differ from the paper's by {gap.mean():.4f} on average over {len(gap)} "
            f"cells, by {gap.max():.4f} at most."
        )
    caution = few_trials(experiment.trials)
    return sentences + ([caution] if caution else [])


def _subtitle(experiment: Experiment) -> str:
    names = ", ".join(task.name for task in experiment.tasks)
    return f"{experiment.trials} trials on {names}; seed {experiment.seed}"


def _settings(experiment: Experiment) -> dict[str, Any]:
    described = experiment.settings()
    return {
        "trials": described["trials"],
        "seed": described["seed"],
        "classifier": described["classifier"],
        "a class that runs out begins again": "yes" if described["refill"] else "no",
        **{
            f"{entry['name']}: budget, test instances per class": (
                f"{entry['budget']}, {entry['test_per_class']}"
            )
            for entry in described["datasets"]
        },
        **described["datasets"][0]["strategies"],
    }


def _versions() -> dict[str, str]:
    return {"python": platform.python_version(), **{name: version(name) for name in _PACKAGES}}


def _reproduce_command(experiment: Experiment) -> str:
    names = ",".join(task.name for task in experiment.tasks)
    return (
        f"palacs reproduce --trials {experiment.trials} --datasets {names} --seed {experiment.seed}"
    )
