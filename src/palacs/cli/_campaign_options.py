"""The options that the campaign and storage commands share, and how they say what was done."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from palacs.cli._campaign_io import print_json

Name = Annotated[str, typer.Argument(help="The campaign.", show_default=False)]
Id = Annotated[str, typer.Argument(help="Id of the request.", show_default=False)]
Address = Annotated[
    str,
    typer.Option(
        "--storage",
        envvar="PALACS_STORAGE",
        help="sqlite:///FILE.db or postgresql+psycopg://USER@HOST/DATABASE.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Numbers = Annotated[
    list[str] | None,
    typer.Argument(help="Feature values; - reads standard input.", show_default=False),
]
File = Annotated[
    Path | None, typer.Option("--file", help="Read the values from a CSV, JSON or NPY file.")
]
Reason = Annotated[str, typer.Option("--reason", help="Why; kept in the record.")]
Cost = Annotated[float | None, typer.Option("--cost", help="What it cost.")]
Op = Annotated[
    str | None,
    typer.Option("--op", help="Your id for this call: repeated with it, nothing happens twice."),
]
Duration = Annotated[float | None, typer.Option("--duration", help="Seconds it took.")]


def done(what: dict[str, str], as_json: bool) -> None:
    """Print what was done."""
    if as_json:
        print_json(what)
    else:
        typer.echo("\t".join(what.values()))
