"""The options that the campaign and storage commands share, and how they say what was done."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from palacs.cli._campaign_io import print_json
from palacs.cli._printable import say
from palacs.cli._rooms import DEFAULT_URL, st


def _campaigns(context: typer.Context, incomplete: str) -> list[str]:
    """Return the campaigns that a shell may offer; none where that takes a server."""
    address = context.params.get("storage") or os.environ.get("PALACS_STORAGE") or DEFAULT_URL
    if not str(address).startswith("sqlite"):
        return []
    try:
        with st.open_storage(str(address)) as storage:
            names = [campaign.name for campaign in storage.campaigns()]
    except (st.StorageError, ValueError, OSError):
        return []
    return [name for name in names if name.startswith(incomplete)]


Name = Annotated[
    str, typer.Argument(help="The campaign.", show_default=False, autocompletion=_campaigns)
]
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
        say("\t".join(what.values()))
