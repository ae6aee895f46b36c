"""``palacs compare``: whether class selection would help on your data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from palacs.cli._conditions_file import read_conditions
from palacs.cli._running import (
    Address,
    BackendName,
    Bandwidth,
    Jobs,
    Out,
    Seed,
    Strategies,
    Trials,
    as_typed,
    execute,
    listed,
    reporting,
)
from palacs.cli._terminal_tables import comparison_table, errors_table, proportions_table
from palacs.conditions import Conditions
from palacs.datasets import load_any
from palacs.experiments import (
    DEFAULT_COMPARED,
    ComparisonSummary,
    Execution,
    Results,
    classifier_from_path,
    comparison_experiment,
    summarise,
    write_comparison_report,
)

_COMPARED = ",".join(DEFAULT_COMPARED)
_CONDITIONS = "; ".join(f"{name}, {text}" for name, text in Conditions.help_texts().items())


def compare_command(
    data: Annotated[
        str, typer.Argument(help="A CSV, Parquet or NPZ file, a built-in name, or openml:ID.")
    ],
    budget: Annotated[int | None, typer.Option("--budget", help="Acquisitions per trial.")] = None,
    target: Annotated[
        str | None, typer.Option("--target", help="The column that holds the class.")
    ] = None,
    groups: Annotated[
        str | None,
        typer.Option(
            "--groups", help="The column of subjects or sessions; none is in both parts of a split."
        ),
    ] = None,
    strategies: Strategies = _COMPARED,
    classifier: Annotated[
        str | None,
        typer.Option(
            "--classifier",
            help="Import path; the default is the Parzen window, corrected for class sizes.",
        ),
    ] = None,
    bandwidth: Bandwidth = "auto",
    trials: Trials = 50,
    conditions: Annotated[
        Path | None,
        typer.Option(
            "--conditions",
            help=f"A JSON file: {_CONDITIONS}; dirichlet instead of proportions is a guess.",
        ),
    ] = None,
    budget_cost: Annotated[
        float | None,
        typer.Option("--budget-cost", help="Money or minutes instead of --budget; needs costs."),
    ] = None,
    batch_size: Annotated[
        int, typer.Option("--batch-size", help="Classes requested at a time.")
    ] = 1,
    jobs: Jobs = -1,
    backend: BackendName = "loky",
    address: Address = None,
    seed: Seed = 0,
    out: Out = Path("comparison"),
) -> None:
    """Compare strategies on your data: which one wins, how surely, and whether it is worth it."""
    if budget is None and budget_cost is None:
        raise typer.BadParameter("give --budget or --budget-cost.", param_hint="--budget")
    typed = as_typed(
        *("compare", data),
        budget=budget,
        target=target,
        groups=groups,
        strategies=strategies,
        classifier=classifier,
        bandwidth=bandwidth,
        trials=trials,
        conditions=conditions,
        budget_cost=budget_cost,
        batch_size=batch_size,
        seed=seed,
    )
    with reporting(out) as console:
        experiment = comparison_experiment(
            load_any(data, target, groups=groups, random_state=seed),
            listed(strategies),
            budget=budget,
            trials=trials,
            classifier=None if classifier is None else classifier_from_path(classifier),
            bandwidth=bandwidth,
            seed=seed,
            conditions=None if conditions is None else read_conditions(conditions),
            batch_size=batch_size,
            budget_cost=budget_cost,
        )
        results = execute(experiment, Execution(jobs, backend, address), out, console)
        summary = _summarise(results, console)
        _print(results, summary, console)
        with console.status("drawing the figures and the report"):
            report = write_comparison_report(results, out, summary, commands=[typed])
        console.print(f"\nReport: {report}", soft_wrap=True)


def _summarise(results: Results, console: Console) -> ComparisonSummary:
    what = "looking for the best counts in hindsight"
    with console.status(what) as status:
        return summarise(results, progress=lambda done: status.update(f"{what}: {done:.0%}"))


def _print(results: Results, summary: ComparisonSummary, console: Console) -> None:
    console.print()
    console.print(errors_table(results.table()))
    console.print()
    console.print(proportions_table(results.proportions()))
    console.print()
    for comparison in summary.comparisons:
        console.print(comparison_table(comparison))
        console.print()
    for sentence in summary.sentences:
        console.print(sentence)
