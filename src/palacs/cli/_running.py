"""What ``reproduce`` and ``compare`` share: options, progress, and one way to fail."""

from __future__ import annotations

import errno
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from palacs.cli._rooms import ex

if TYPE_CHECKING:
    from palacs.experiments import Execution, Experiment, Results

Strategies = Annotated[
    str, typer.Option("--strategies", help="Names, separated by commas; see palacs strategies.")
]
Jobs = Annotated[int, typer.Option("--jobs", help="Processes; -1 is one per core.")]
BackendName = Annotated[
    Literal["loky", "dask"], typer.Option("--backend", help="What runs the trials.")
]
Address = Annotated[
    str | None,
    typer.Option("--address", help="Dask scheduler, tcp://HOST:PORT; without it, a local one."),
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="The results are a function of it.")]
Out = Annotated[Path, typer.Option("--out", help="Folder for the results.", show_default=True)]
Trials = Annotated[int, typer.Option("--trials", help="Random splits per data set.")]


def _bandwidth(text: str) -> float | str:
    return text if text == "auto" else float(text)


# Typer takes no unions; what is no number is checked with everything else.
Bandwidth = Annotated[
    Any,
    typer.Option(
        "--bandwidth",
        parser=_bandwidth,
        metavar="NUMBER|auto",
        help="Kernel width, for features scaled to [0, 1]; auto fits it to the data.",
    ),
]

INTERRUPTED = 130
_FULL = (errno.ENOSPC, errno.EDQUOT)


def listed(text: str) -> list[str]:
    """Split a comma-separated option."""
    return [item.strip() for item in text.split(",") if item.strip()]


def as_typed(*words: str, **options: object) -> str:
    """Return a command as one would type it; options that are None are left out.

    Examples
    --------
    >>> as_typed("compare", "my data.csv", budget=20, target=None, batch_size=2)
    "palacs compare 'my data.csv' --budget 20 --batch-size 2"
    """
    given = [
        text
        for name, value in options.items()
        if value is not None
        for text in (f"--{name.replace('_', '-')}", str(value))
    ]
    return shlex.join(["palacs", *words, *given])


@contextmanager
def reporting(out: Path, *, aside: bool = False) -> Iterator[Console]:
    """Turn expected errors into one line and an exit code; unexpected ones keep their trace.

    ``aside`` leaves standard output to the caller and prints on standard error.
    """
    # Names of classes and files may hold brackets, which are no markup.
    console = Console(highlight=False, markup=False, stderr=aside)
    try:
        yield console
    except KeyboardInterrupt:
        typer.echo(
            f"\ninterrupted; what was finished is kept in {out}, and the same command goes on "
            "from there.",
            err=True,
        )
        raise typer.Exit(INTERRUPTED) from None
    except (ValueError, OSError, ImportError) as error:
        typer.echo(f"palacs: {_said(error, out)}", err=True)
        raise typer.Exit(1) from error


def _said(error: Exception, out: Path) -> str:
    """Return what an error says, with the remedy where ``out`` cannot be written to."""
    if not isinstance(error, OSError) or error.errno is None:
        return str(error)
    about = Path(str(error.filename or out))
    inside = out in (about, *about.parents) or about in out.parents
    if error.errno not in _FULL and not inside:
        return str(error)
    return (
        f"cannot write to {out}: {error.strerror}. Name another folder with --out, or put that "
        "right: what was finished is kept, and the same command goes on from there."
    )


def bars(console: Console) -> Progress:
    """Return bars that count trials."""
    return Progress(
        TextColumn("{task.description:<10}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("trials"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=console,
    )


def execute(experiment: Experiment, execution: Execution, out: Path, console: Console) -> Results:
    """Run an experiment under a progress bar per data set."""
    with bars(console) as progress:
        shown: dict[str, TaskID] = {}

        def advance(dataset: str, count: int) -> None:
            # Only now: a folder that is refused must not show a bar first.
            if dataset not in shown:
                shown[dataset] = progress.add_task(dataset, total=experiment.trials)
            progress.advance(shown[dataset], count)

        return ex.run(experiment, execution=execution, out=out, progress=advance)
