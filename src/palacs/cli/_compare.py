"""``palacs compare``: whether class selection would help on your data."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.console import Console

from palacs.cli._conditions_file import read_conditions
from palacs.cli._running import (
    Address,
    BackendName,
    Bandwidth,
    Jobs,
    Seed,
    Strategies,
    Trials,
    as_typed,
    execute,
    listed,
    reporting,
)
from palacs.cli._terminal_tables import (
    class_errors_table,
    columns_table,
    comparison_table,
    errors_table,
    proportions_table,
)
from palacs.conditions import Conditions
from palacs.datasets import Dataset, load_any
from palacs.datasets import find as find_dataset
from palacs.experiments import (
    DEFAULT_COMPARED,
    ComparisonSummary,
    Execution,
    Results,
    classifier_from_path,
    comparison_experiment,
    comparison_record,
    summarise,
    write_comparison_report,
)

_COMPARED = ",".join(DEFAULT_COMPARED)
_CONDITIONS = "; ".join(f"{name}, {text}" for name, text in Conditions.help_texts().items())
_FOLDER = Path("comparison")
_TABLE = "Reading a table"


def _table_option(name: str, help: str, *more: str) -> Any:
    return typer.Option(name, *more, help=help, rich_help_panel=_TABLE)


def compare_command(
    data: Annotated[
        str,
        typer.Argument(help="A CSV, text, Parquet or NPZ file, a built-in name, or openml:ID."),
    ],
    budget: Annotated[int | None, typer.Option("--budget", help="Acquisitions per trial.")] = None,
    target: Annotated[
        str | None, typer.Option("--target", help="The column that holds the class.")
    ] = None,
    groups: Annotated[
        str | None,
        typer.Option(
            "--groups",
            "--group",
            help="The column of subjects or sessions; none is in both parts of a split.",
        ),
    ] = None,
    drop: Annotated[
        str | None, _table_option("--drop", "Columns to leave out, separated by commas.")
    ] = None,
    keep: Annotated[
        str | None,
        _table_option("--keep", "Columns that are features though they look like ids or copies."),
    ] = None,
    impute: Annotated[
        Literal["mean", "median", "most-frequent", "drop-rows"] | None,
        _table_option("--impute", "What to do about missing values; else they are refused."),
    ] = None,
    encode: Annotated[
        Literal["one-hot", "ordinal"] | None,
        _table_option("--encode", "How text becomes numbers; else it is refused."),
    ] = None,
    sep: Annotated[
        str | None,
        _table_option("--sep", "comma, semicolon, tab, pipe or space, if it is found wrongly."),
    ] = None,
    decimal: Annotated[
        Literal[".", ","] | None,
        _table_option("--decimal", "What stands before decimals; commas must be asked for."),
    ] = None,
    encoding: Annotated[
        str | None, _table_option("--encoding", "Such as cp1252, if it is found wrongly.")
    ] = None,
    strategies: Strategies = _COMPARED,
    classifier: Annotated[
        str | None,
        typer.Option(
            "--classifier",
            help="Import path, or file.py:object; the default is the Parzen window, corrected for "
            "class sizes.",
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
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Folder for the results; comparison/NAME unless given."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the answer as JSON, and nothing else.")
    ] = False,
) -> None:
    """Compare strategies on your data: which one wins, how surely, and whether it is worth it.

    More --trials are added to those the folder has; an interrupted run goes on.
    """
    if budget is None and budget_cost is None:
        raise typer.BadParameter("give --budget or --budget-cost.", param_hint="--budget")
    reading: dict[str, Any] = {"impute": impute, "encode": encode, "sep": sep}
    reading |= {"decimal": decimal, "encoding": encoding}
    typed = as_typed(
        *("compare", data),
        budget=budget,
        target=target,
        groups=groups,
        drop=drop,
        keep=keep,
        **reading,
        strategies=strategies,
        classifier=classifier,
        bandwidth=bandwidth,
        trials=trials,
        conditions=conditions,
        budget_cost=budget_cost,
        batch_size=batch_size,
        seed=seed,
    )
    folder = _folder(data) if out is None else out
    with reporting(folder, aside=as_json) as console:
        lists = {"drop": _names(drop), "keep": _names(keep)}
        dataset = load_any(data, target, groups=groups, random_state=seed, **reading, **lists)
        experiment = comparison_experiment(
            dataset,
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
        _tell_columns(dataset, console)
        results = execute(experiment, Execution(jobs, backend, address), folder, console)
        summary = _summarise(results, console)
        _print(results, summary, console)
        with console.status("drawing the figures and the report"):
            report = write_comparison_report(results, folder, summary, commands=[typed])
        console.print(f"\nReport: {report}", soft_wrap=True)
        if as_json:
            record = {**comparison_record(results, summary), "report": str(report)}
            typer.echo(json.dumps(record, indent=2, ensure_ascii=False))


def _names(text: str | None) -> list[str]:
    """Split names of columns at commas; one that holds a comma stands in quotes.

    Examples
    --------
    >>> _names('id, "length, mm"')
    ['id', 'length, mm']
    """
    cells = next(csv.reader([text or ""], skipinitialspace=True), [])
    return [name.strip() for name in cells if name.strip()]


def _folder(data: str) -> Path:
    """Return the folder of a data set's results, by its name.

    Examples
    --------
    >>> [_folder(data).as_posix() for data in ("lab/my nose.csv.gz", "IRIS", "openml:54")]
    ['comparison/my nose', 'comparison/iris', 'comparison/openml-54']
    """
    try:
        name = find_dataset(data).name
    except ValueError:
        name = re.sub(r"(\.(csv|tsv|txt))?\.\w+$", "", Path(data).name, flags=re.IGNORECASE)
    return _FOLDER / (re.sub(r"[^\w. -]+", "-", name).strip(". ") or "data")


def _tell_columns(dataset: Dataset, console: Console) -> None:
    """Say what became of each column, before anything runs."""
    reading = dataset.reading
    if reading is None:
        return
    for remark in reading.remarks:
        console.print(remark)
    console.print(columns_table(reading))
    sizes = ", ".join(f"{name} {size}" for name, size in list(dataset.class_counts.items())[:12])
    more = "" if dataset.n_classes <= 12 else f" and {dataset.n_classes - 12} more"
    console.print(f"{len(dataset)} instances, {dataset.n_features} features; {sizes}{more}.\n")


def _summarise(results: Results, console: Console) -> ComparisonSummary:
    what = "looking for the best counts in hindsight"
    with console.status(what) as status:
        return summarise(results, progress=lambda done: status.update(f"{what}: {done:.0%}"))


def _print(results: Results, summary: ComparisonSummary, console: Console) -> None:
    console.print()
    for sentence in summary.sentences:
        console.print(sentence)
    console.print()
    for comparison in summary.comparisons:
        console.print(comparison_table(comparison))
        console.print()
    console.print(errors_table(results.table()))
    console.print()
    if summary.class_errors is not None:
        console.print(class_errors_table(summary.class_errors))
        console.print()
    console.print(proportions_table(results.proportions()))
