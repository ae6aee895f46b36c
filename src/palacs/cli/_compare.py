"""``palacs compare``: whether class selection would help on your data."""

from __future__ import annotations

import csv
import json
import re
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.console import Console
from rich.status import Status

from palacs.cli._conditions_file import read_conditions
from palacs.cli._rooms import COMPARED, CONDITIONS, ds, ex
from palacs.cli._running import (
    Address,
    BackendName,
    Bandwidth,
    Jobs,
    Seed,
    Strategies,
    Trials,
    as_typed,
    bars,
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

if TYPE_CHECKING:
    from palacs.datasets import Dataset
    from palacs.experiments import Compared, Execution, Experiment

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
    strategies: Strategies = COMPARED,
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
            help=f"A JSON file: {CONDITIONS}; dirichlet instead of proportions is a guess.",
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
    with reporting(folder, aside=as_json):
        lists = {"drop": _names(drop), "keep": _names(keep)}
        dataset = ds.load_any(data, target, groups=groups, random_state=seed, **reading, **lists)
        experiment = ex.comparison_experiment(
            dataset,
            listed(strategies),
            budget=budget,
            trials=trials,
            classifier=None if classifier is None else ex.classifier_from_path(classifier),
            bandwidth=bandwidth,
            seed=seed,
            conditions=None if conditions is None else read_conditions(conditions),
            batch_size=batch_size,
            budget_cost=budget_cost,
        )
        named, folder = folder, folder if out is not None else ex.folder_of_own(folder, experiment)
    with reporting(folder, aside=as_json) as console:
        _tell_columns(dataset, console)
        if folder != named:
            console.print(f"{named} holds results on other data; these go to {folder}.\n")
        found = _play(experiment, ex.Execution(jobs, backend, address), folder, console)
        _print(found, console)
        with console.status("drawing the figures and the report"):
            report = found.report(folder, commands=[typed])
        console.print(f"\nReport: {report}", soft_wrap=True)
        if as_json:
            record = {**ex.comparison_record(found.results, found.summary), "report": str(report)}
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
        name = ds.find(data).name
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


def _play(experiment: Experiment, execution: Execution, folder: Path, console: Console) -> Compared:
    """Run the comparison under a bar for its trials, and then a line for what follows them."""
    name, trials = experiment.tasks[0].name, experiment.trials
    with ExitStack() as shown:
        progress = shown.enter_context(bars(console))
        line: list[Status] = []

        def tell(what: str, done: float) -> None:
            if what != ex.TRIALS:
                if not line:
                    progress.stop()
                    line.append(shown.enter_context(console.status(what)))
                line[0].update(f"looking for the {what}: {done:.0%}")
                return
            # Only now: a folder that is refused must not show a bar first.
            bar = progress.task_ids[0] if progress.tasks else progress.add_task(name, total=trials)
            progress.update(bar, completed=round(done * trials))

        return ex.run_comparison(experiment, execution=execution, out=folder, progress=tell)


def _print(found: Compared, console: Console) -> None:
    results, summary = found.results, found.summary
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
