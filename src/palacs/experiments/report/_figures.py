"""The one table of figures: what a report draws, where it stands, and the words below it.

A new figure is a function in `palacs.plots` and one line here. It is saved beside the report,
and stands in the section named; a section that the report does not have yet is added at its end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from palacs import plots
from palacs.experiments._ceiling import Ceiling
from palacs.experiments._comparison import Comparison
from palacs.experiments._results import Results
from palacs.experiments.report._page import Picture, Section
from palacs.plots import Figure

# Eight instances in acquisition order, and a ninth: with two blue ones blue is requested, with
# three the contested border between red and green is.
_LINE_X = (0.51, 0.79, 0.20, 0.60, 0.82, 0.53, 0.69, 0.09, 0.17)
_LINE_Y = ("red", "green", "blue", "red", "green", "red", "green", "blue", "blue")
_STAGES = (0.0, 0.1, 0.3, 1.0)


@dataclass(frozen=True)
class Shown:
    """What figures are drawn from: the results and, of a comparison, who wins and the ceiling."""

    results: Results
    comparisons: Sequence[Comparison] = ()
    ceiling: Ceiling | None = None
    class_errors: pd.DataFrame | None = None


@dataclass(frozen=True)
class ReportFigure:
    """One line of the table.

    Parameters
    ----------
    name : str
        Of its files.
    section : str
        Title of the section it stands in.
    draw : callable
        Takes `Shown` and returns a figure, or None where there is nothing to see.
    caption : str
        What to see in it.
    """

    name: str
    section: str
    draw: Callable[[Shown], Figure | None]
    caption: str


def differences(shown: Shown) -> Figure | None:
    """Draw our errors minus the paper's, where it has any."""
    table = shown.results.table()
    return plots.differences(table) if table["paper_error"].notna().any() else None


def intervals(shown: Shown) -> Figure | None:
    """Draw the differences to the baselines, if anything was compared with them."""
    frames = [comparison.frame for comparison in shown.comparisons if len(comparison.frame)]
    return plots.difference_intervals(pd.concat(frames)) if frames else None


def best_shares(shown: Shown) -> Figure | None:
    """Draw the best shares beside each strategy's, where there is something to gain."""
    if shown.ceiling is None or not shown.ceiling.certain:
        return None
    return plots.best_shares(shown.results.proportions(), shown.ceiling.shares)


def class_errors(shown: Shown) -> Figure | None:
    """Draw the error of each class at the end, if it was worked out."""
    return None if shown.class_errors is None else plots.class_errors(shown.class_errors)


def look_inside(shown: Shown) -> Figure | None:
    """Draw the paper's constructed example, which belongs to no data set."""
    if shown.comparisons:
        return None
    return plots.look_inside(np.array(_LINE_X)[:, None], _LINE_Y, classes=["blue", "red", "green"])


def stages(shown: Shown) -> Figure | None:
    """Draw what the first trial had acquired at four stages, on the set with most features."""
    if shown.comparisons:
        return None
    experiment = shown.results.experiment
    task = max(experiment.tasks, key=lambda task: task.dataset.n_features)
    split, _ = experiment.deal(task.name, 0)
    title = "PAL-ACS" if "PAL-ACS" in experiment.titles else experiment.titles[0]
    requested = np.concatenate([split.start, experiment.run(task.name, 0)[title].requested])
    rows = split.rows_of(requested)
    codes = np.repeat(np.arange(split.n_classes), split.queue_sizes)
    sizes = sorted({split.n_classes + round(task.budget * share) for share in _STAGES})
    return plots.learning_stages(split.X, codes, rows, sizes, class_names=task.dataset.class_names)


FIGURES = (
    ReportFigure(
        "differences", "Errors by phase", differences, "Our error minus the paper's, by phase."
    ),
    ReportFigure(
        "difference-intervals",
        "Against Random and Uniform",
        intervals,
        "Mean difference in error to the baselines, with 95 % intervals.",
    ),
    ReportFigure(
        "learning-curves",
        "Learning curves",
        lambda shown: plots.learning_curves(shown.results.curves()),
        "Mean error after each acquisition; bands show the spread over trials.",
    ),
    ReportFigure(
        "class-errors",
        "Errors by class",
        class_errors,
        "How many test instances of each class are decided wrongly at the end of the budget.",
    ),
    ReportFigure(
        "proportions",
        "Proportions",
        lambda shown: plots.proportions(shown.results.proportions()),
        "Final share of each class among the requests.",
    ),
    ReportFigure(
        "best-shares",
        "Proportions",
        best_shares,
        "The shares that would have been best in hindsight, and those that strategies asked for.",
    ),
    ReportFigure(
        "look-inside",
        "Looking inside",
        look_inside,
        "The paper's Fig. 2: one step and the next in a constructed example. With two blue "
        "instances blue is requested; a third turns the request to the contested border.",
    ),
    ReportFigure(
        "learning-stages",
        "Learning stages",
        stages,
        "The paper's Fig. 1: what a trial had acquired at four stages, on a t-SNE map of "
        "everything that could be acquired.",
    ),
    ReportFigure(
        "data",
        "The data",
        lambda shown: plots.scatter([task.dataset for task in shown.results.experiment.tasks]),
        "The data sets; those with more than two features by their principal components.",
    ),
)


def illustrate(
    sections: Sequence[Section],
    shown: Shown,
    out: Path,
    figures: Sequence[ReportFigure] = FIGURES,
) -> list[Section]:
    """Draw the figures, save each as PNG and SVG, and put them into their sections."""
    placed = {section.title: section for section in sections}
    for entry in figures:
        figure = entry.draw(shown)
        if figure is None:
            continue
        plots.save(figure, out / "figures" / entry.name)
        picture = Picture(plots.to_svg(figure), entry.caption)
        section = placed.get(entry.section, Section(entry.section))
        placed[entry.section] = replace(section, pictures=[*section.pictures, picture])
    return list(placed.values())
