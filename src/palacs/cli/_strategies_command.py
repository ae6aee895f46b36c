"""``palacs strategies``: the table of strategies."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table


def strategies_command(
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON list, for scripts.")
    ] = False,
) -> None:
    """List the strategies that every other command takes by name."""
    from palacs.strategies import available  # only now: help waits for no decision

    rows = available().values()
    if as_json:
        listing = [{"name": r.name, "title": r.title, "summary": r.summary} for r in rows]
        typer.echo(json.dumps(listing, indent=2))
        return
    table = Table(box=None, pad_edge=False)
    table.add_column("name", style="bold", no_wrap=True)
    table.add_column("requests")
    for row in rows:
        table.add_row(row.name, row.summary)
    Console().print(table)
