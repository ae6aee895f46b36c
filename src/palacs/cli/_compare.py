"""``palacs compare``: whether class selection would help on your data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from palacs.cli._experiment import (
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
from palacs.cli._tables import comparison_table, errors_table, proportions_table
from palacs.datasets import load_any
from palacs.experiments import (
    Execution,
    Results,
    classifier_from_path,
    comparison_experiment,
    comparison_sentences,
    write_comparison_report,
)


def compare_command(
    data: Annotated[
        str, typer.Argument(help="A CSV, Parquet or NPZ file, a built-in name, or openml:ID.")
    ],
    budget: Annotated[int, typer.Option("--budget", help="Acquisitions per trial.")],
    target: Annotated[
        str | None, typer.Option("--target", help="The column that holds the class.")
    ] = None,
    strategies: Strategies = "pal-acs,uniform,random",
    classifier: Annotated[
        str | None,
        typer.Option("--classifier", help="Import path; the default is the Parzen window."),
    ] = None,
    bandwidth: Bandwidth = 0.05,
    trials: Trials = 50,
    jobs: Jobs = -1,
    backend: BackendName = "loky",
    address: Address = None,
    seed: Seed = 0,
    out: Out = Path("comparison"),
) -> None:
    """Compare strategies on your data: which one wins, how surely, and whether it is worth it."""
    with reporting(out) as console:
        experiment = comparison_experiment(
            load_any(data, target, random_state=seed),
            listed(strategies),
            budget=budget,
            trials=trials,
            classifier=None if classifier is None else classifier_from_path(classifier),
            bandwidth=bandwidth,
            seed=seed,
        )
        results = execute(experiment, Execution(jobs, backend, address), out, console)
        _print(results, console)
        with console.status("drawing the figures and the report"):
            report = write_comparison_report(results, out)
        console.print(f"\nReport: {report}", soft_wrap=True)


def _print(results: Results, console: Console) -> None:
    comparison = results.comparison()
    console.print()
    console.print(errors_table(results.table()))
    console.print()
    console.print(proportions_table(results.proportions()))
    console.print()
    console.print(comparison_table(comparison.frame, comparison.baseline))
    console.print()
    for sentence in comparison_sentences(comparison, results.proportions()):
        console.print(sentence)
