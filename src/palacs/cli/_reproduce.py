"""``palacs reproduce``: the paper's evaluation, beside the paper's numbers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from palacs.cli._rooms import PAPER_DATASETS, PAPER_STRATEGIES, ex
from palacs.cli._running import (
    Address,
    BackendName,
    Bandwidth,
    Jobs,
    Out,
    Seed,
    Strategies,
    Trials,
    execute,
    listed,
    reporting,
)
from palacs.cli._terminal_tables import errors_table, proportions_table

if TYPE_CHECKING:
    from palacs.experiments import Results


def reproduce_command(
    trials: Trials = 500,
    datasets: Annotated[
        str, typer.Option("--datasets", help="Of the paper's six, separated by commas.")
    ] = PAPER_DATASETS,
    strategies: Strategies = PAPER_STRATEGIES,
    bandwidth: Bandwidth = 0.05,
    jobs: Jobs = -1,
    backend: BackendName = "loky",
    address: Address = None,
    seed: Seed = 0,
    out: Out = Path("results"),
) -> None:
    """Reproduce the paper's tables and figures, and compare them with its numbers.

    Finished trials are kept in --out: after an interruption the same command goes on.
    """
    with reporting(out) as console:
        experiment = ex.paper_experiment(
            listed(datasets), listed(strategies), trials=trials, bandwidth=bandwidth, seed=seed
        )
        results = execute(experiment, ex.Execution(jobs, backend, address), out, console)
        _print(results, console)
        with console.status("drawing the figures and the report"):
            report = ex.write_paper_report(results, out)
        console.print(f"\nReport: {report}", soft_wrap=True)


def _print(results: Results, console: Console) -> None:
    table1, table2 = results.table(), results.proportions()
    console.print()
    console.print(errors_table(table1))
    console.print()
    console.print(proportions_table(table2))
    console.print()
    for finding in ex.paper_findings(table1, table2):
        mark = Text("yes ", "bold green") if finding.reached else Text("no  ", "bold red")
        console.print(mark + Text(f"{finding.claim}: {finding.measured}", ""))
    caution = ex.few_trials(results.experiment.trials)
    if caution:
        console.print(f"\n{caution}")
