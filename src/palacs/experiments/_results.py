"""The results of an experiment, as data frames and pictures."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from palacs.experiments import _summary
from palacs.experiments._comparison import Comparison, compare_strategies
from palacs.experiments._equal_spending import compare_spending, over_cost
from palacs.experiments._experiment import Experiment
from palacs.experiments._runner import Execution, Progress, run_trials
from palacs.views import html_table, html_view

if TYPE_CHECKING:
    from palacs.plots import Figure


_MOST_SHOWN = 8  # data sets in a notebook


@dataclass(frozen=True, repr=False)
class Results:
    """What came out of an experiment.

    Attributes
    ----------
    experiment : Experiment
    trials : DataFrame
        One row per data set, strategy, trial and acquisition; columns dataset, strategy, trial,
        acquired, class, error.
    """

    experiment: Experiment
    trials: pd.DataFrame

    def table(self) -> pd.DataFrame:
        """Return errors and win ratios by phase, the paper's beside them where they compare."""
        return self._table.copy()

    def proportions(self) -> pd.DataFrame:
        """Return the final share of each class, the paper's beside it where they compare."""
        return self._proportions.copy()

    def curves(self) -> pd.DataFrame:
        """Return mean and standard deviation of the error after each acquisition."""
        return self._curves.copy()

    # Files, terminal and page ask for the same tables: each is computed once.
    @cached_property
    def _table(self) -> pd.DataFrame:
        return self._without_foreign(_summary.table1(self.trials))

    @cached_property
    def _proportions(self) -> pd.DataFrame:
        names = {task.name: task.dataset.class_names for task in self.experiment.tasks}
        return self._without_foreign(_summary.table2(self.trials, names))

    @cached_property
    def _curves(self) -> pd.DataFrame:
        return _summary.curves(self.trials)

    def comparison(self, baseline: str = "Random") -> Comparison:
        """Return how each strategy compares with a baseline, with what certainty."""
        return compare_strategies(self.trials, baseline, test_ratio=self._test_ratio)

    @property
    def _test_ratio(self) -> float:
        return self.experiment.test_ratio(self.experiment.tasks[0].name)

    def spending(self) -> pd.DataFrame:
        """Return errors at equal amounts of money spent; needs conditions with costs."""
        experiment = self.experiment
        if experiment.conditions is None or experiment.conditions.costs is None:
            raise ValueError(
                "the experiment knows no costs, so nothing was spent; set it up with "
                "conditions=Conditions(costs=...)."
            )
        names = experiment.tasks[0].dataset.class_names
        costs = dict(zip(names, experiment.conditions.cost_of(names).tolist(), strict=True))
        return over_cost(self.trials, costs, experiment.budget_cost)

    def spending_comparison(self, baseline: str = "Random") -> Comparison:
        """Return how each strategy compares with a baseline at equal spending."""
        return compare_spending(self.spending(), baseline, test_ratio=self._test_ratio)

    def plot_curves(self, dataset: str | None = None, *, ax: Any = None) -> Figure:
        """Draw the learning curves of one data set, or of all; on axes of your own, return them."""
        from palacs.plots import learning_curves

        # The type of what is drawn depends on ax, which is of any library's kind here.
        drawn: Any = learning_curves(self.curves(), dataset, ax=ax)
        return drawn  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        names = ", ".join(task.name for task in self.experiment.tasks)
        return f"<Results of {self.experiment.trials} trials on {names}>"

    def _repr_html_(self) -> str:
        experiment = self.experiment
        rows = [("trials", experiment.trials), ("strategies", ", ".join(experiment.titles))]
        return html_view(
            f"Results on {', '.join(task.name for task in experiment.tasks)}",
            rows,
            *(errors_view(self.table(), task.name) for task in experiment.tasks[:_MOST_SHOWN]),
        )

    def _without_foreign(self, table: pd.DataFrame) -> pd.DataFrame:
        # Another budget, another test set or a file that happens to be called Yeast: the
        # paper's numbers would say nothing.
        if not self.experiment.beside_paper:
            for column in table.columns:
                if column.startswith("paper_"):
                    table[column] = np.nan
        return table


def errors_view(table: pd.DataFrame, dataset: str) -> str:
    """Return the mean errors of a data set as HTML, a row per strategy, a column per phase."""
    own = table[table["dataset"] == dataset].astype({"strategy": str})
    means = own.pivot_table(index="strategy", columns="phase", values="error", sort=False)
    rows = [
        (name, *(f"{error:.4f}" for error in row))
        for name, row in zip(means.index, means.to_numpy(), strict=True)
    ]
    return html_table([f"{dataset}: error", *(f"phase {p}" for p in means.columns)], rows)


def run(
    experiment: Experiment,
    *,
    execution: Execution | None = None,
    out: str | Path | None = None,
    progress: Progress | None = None,
) -> Results:
    """Play an experiment.

    Parameters
    ----------
    experiment : Experiment
        From `paper_experiment` or `comparison_experiment`, or made by hand.
    execution : Execution, optional
        How many processes, or which Dask cluster; by default all cores of this machine. The
        results do not depend on it.
    out : path, optional
        A folder in which finished trials are kept; the same call goes on where an interrupted
        one stopped.
    progress : callable, optional
        Called with a data set's name and how many of its trials just became available.

    Returns
    -------
    results : Results

    Examples
    --------
    >>> from palacs.experiments import Execution, paper_experiment, run
    >>> experiment = paper_experiment(["3Clusters"], ["pal-acs", "random"], trials=3)
    >>> results = run(experiment, execution=Execution(jobs=1))
    >>> results.table().columns.tolist()[:4]
    ['dataset', 'strategy', 'phase', 'error']
    """
    folder = None if out is None else Path(out)
    trials = run_trials(experiment, execution=execution, out=folder, progress=progress)
    return Results(experiment, trials)
