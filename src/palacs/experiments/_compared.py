"""A comparison, played and summed up: what `palacs.compare` and the command line both hand out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from palacs.experiments._ceiling import Ceiling
from palacs.experiments._comparison import Comparison
from palacs.experiments._experiment import Experiment
from palacs.experiments._results import Results, errors_view, run
from palacs.experiments._runner import Execution
from palacs.experiments.report import (
    ComparisonSummary,
    Verdict,
    summarise,
    write_comparison_report,
)
from palacs.views import html_view

if TYPE_CHECKING:
    from palacs.plots import Figure

TRIALS = "trials"
"""What is being done while trials are played."""
HINDSIGHT = "best counts in hindsight"
"""What is being done after them."""

# What is being done, and which share of it is done.
Stage = Callable[[str, float], None]


@dataclass(frozen=True, repr=False)
class Compared:
    """Strategies compared on one data set: the answer, and everything it rests on.

    Attributes
    ----------
    results : Results
        The trials, and every table that is made of them.
    summary : ComparisonSummary
        What they come to.
    """

    results: Results
    summary: ComparisonSummary

    @property
    def verdict(self) -> Verdict:
        """Whether class selection is worth it."""
        return self.summary.verdict

    @property
    def ceiling(self) -> Ceiling | None:
        """How much class selection could help at all; None where that is not known."""
        return self.summary.verdict.ceiling

    @property
    def sentences(self) -> list[str]:
        """The answer in words, the most important first."""
        return list(self.summary.sentences)

    def table(self) -> pd.DataFrame:
        """Return errors and win ratios of each strategy, by quarter of the budget."""
        return _without_paper(self.results.table())

    def proportions(self) -> pd.DataFrame:
        """Return which share of the requests each class got from each strategy."""
        return _without_paper(self.results.proportions())

    def curves(self) -> pd.DataFrame:
        """Return mean and standard deviation of the error after each acquisition."""
        return self.results.curves().drop(columns="dataset")

    def comparison(self, baseline: str = "Random") -> pd.DataFrame:
        """Return how each strategy compares with a baseline, the best first.

        The columns are those of `palacs.experiments.Comparison`.
        """
        return self._comparison(baseline).frame.copy()

    def plot_curves(self, *, ax: Any = None) -> Figure:
        """Draw the learning curves; on axes of your own, return these."""
        return self.results.plot_curves(ax=ax)

    def report(self, folder: str | Path, *, commands: Sequence[str] = ()) -> Path:
        """Write tables, figures and ``report.html`` into a folder; return the page's path."""
        out = Path(folder)
        out.mkdir(parents=True, exist_ok=True)
        return write_comparison_report(self.results, out, self.summary, commands=commands)

    def __repr__(self) -> str:
        return "\n".join(self.summary.sentences)

    def _repr_html_(self) -> str:
        task = self.results.experiment.tasks[0]
        said = "".join(f"<p>{escape(sentence)}</p>" for sentence in self.summary.sentences)
        errors = errors_view(self.results.table(), task.name)
        return html_view(f"Class selection on {task.name}", [], said, errors)

    def _comparison(self, baseline: str) -> Comparison:
        made = {comparison.baseline: comparison for comparison in self.summary.comparisons}
        return made.get(baseline) or self.results.comparison(baseline)


def run_comparison(
    experiment: Experiment,
    *,
    execution: Execution | None = None,
    out: str | Path | None = None,
    progress: Stage | None = None,
) -> Compared:
    """Play a comparison and say what it comes to.

    Parameters
    ----------
    experiment : Experiment
        From `comparison_experiment`.
    execution, out
        As in `run`.
    progress : callable, optional
        Called with what is being done and which share of it, from 0 to 1, is done.

    Returns
    -------
    compared : Compared

    Examples
    --------
    >>> from palacs.datasets import load
    >>> from palacs.experiments import Execution, comparison_experiment, run_comparison
    >>> experiment = comparison_experiment(load("iris"), budget=20, trials=5)
    >>> run_comparison(experiment, execution=Execution(jobs=1)).verdict.answer
    'not shown'
    """
    tell = progress or (lambda what, done: None)
    finished = 0

    def advance(_: str, count: int) -> None:
        nonlocal finished
        finished += count
        tell(TRIALS, finished / experiment.trials)

    results = run(experiment, execution=execution, out=out, progress=advance)
    return Compared(results, summarise(results, progress=lambda done: tell(HINDSIGHT, done)))


def _without_paper(table: pd.DataFrame) -> pd.DataFrame:
    # Somebody's own data has no numbers of the paper beside it, and one name.
    return table[[c for c in table if c != "dataset" and not str(c).startswith("paper_")]]
