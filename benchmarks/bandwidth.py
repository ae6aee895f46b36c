"""Compare the paper's fixed bandwidth with the one fitted to the labelled set.

Plays the paper's six data sets with both, for the paper's classifier and the one corrected for
class sizes, and prints the error of the last phase. Run with ``python benchmarks/bandwidth.py``.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import pandas as pd
from rich.console import Console
from rich.table import Table

from palacs import ParzenWindowClassifier
from palacs.checks import Bandwidth
from palacs.experiments import Execution, Experiment, paper_experiment, run, strategy_for
from palacs.experiments.paper import BANDWIDTH
from palacs.strategies import available

STRATEGIES = ("random", "uniform", "pal-acs", "inverse", "redistricting")
SYNTHETIC = ("3Clusters", "Bars", "Spirals")
LOWERED = ("Vertebral", "Yeast")
LEAST = 0.03
# Means of some hundred trials differ by this much by chance.
CHANCE = 0.002


def experiment(bandwidth: Bandwidth, class_prior: str | None, trials: int) -> Experiment:
    """Return the paper's evaluation with another bandwidth and classifier for everybody."""
    classifier = ParzenWindowClassifier(bandwidth, class_prior=class_prior)
    paper = paper_experiment(strategies=STRATEGIES, trials=trials, bandwidth=bandwidth)
    tasks = tuple(
        replace(
            task,
            strategies={
                available()[name].title: strategy_for(name, classifier, bandwidth, task.dataset)
                for name in STRATEGIES
            },
        )
        for task in paper.tasks
    )
    return replace(paper, tasks=tasks, classifier=classifier)


def last_phase(experiment: Experiment, jobs: int) -> pd.DataFrame:
    table = run(experiment, execution=Execution(jobs)).table()
    last = table[table["phase"] == 4]
    return last.pivot_table(index="dataset", columns="strategy", values="error", observed=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=-1)
    arguments = parser.parse_args()
    console = Console(width=None if Console().is_terminal else 130, highlight=False)
    reached = True
    for word, class_prior in (("the paper's", None), ("corrected", "uniform")):
        fixed, fitted = (
            last_phase(experiment(bandwidth, class_prior, arguments.trials), arguments.jobs)
            for bandwidth in (BANDWIDTH, "auto")
        )
        title = f"Error in the last phase, {word} classifier: bandwidth {BANDWIDTH} → auto"
        table = Table(title=title, title_justify="left")
        table.add_column("data set")
        for strategy in fixed.columns:
            table.add_column(str(strategy), justify="right")
        for dataset in fixed.index:
            pairs = zip(fixed.loc[dataset], fitted.loc[dataset], strict=True)
            table.add_row(str(dataset), *(f"{a:.3f} → {b:.3f}" for a, b in pairs))
        console.print(table)
        change = fitted - fixed
        least = -change.loc[list(LOWERED)].to_numpy().max()
        raised = change.loc[list(SYNTHETIC)].to_numpy().max()
        lowered = bool(least >= LEAST)
        reached &= lowered and bool(raised <= CHANCE)
        console.print(
            f"{'yes' if lowered else 'no '} at least {LEAST} lower for every strategy on "
            f"{' and '.join(LOWERED)}: by {least:.3f} or more"
        )
        console.print(
            f"{'yes' if raised <= CHANCE else 'no '} not raised on the synthetic sets: "
            f"{raised:+.4f} at most\n"
        )
    return 0 if reached else 1


if __name__ == "__main__":
    raise SystemExit(main())
