"""``palacs datasets``: what is built in, how large it is, and what a missing one needs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from palacs.datasets import Dataset, DatasetInfo

_MOST_SIZES_SHOWN = 6


def datasets_command(
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON list, for scripts.")
    ] = False,
) -> None:
    """List the built-in data sets with their shapes and class sizes."""
    from palacs.datasets import DATASETS

    rows = [_describe(info) for info in DATASETS.values()]
    if as_json:
        typer.echo(json.dumps(rows, indent=2))
        return
    console = Console()
    console.print(_table(rows))
    for row in rows:
        if row["install"]:
            console.print(Text(f"{row['name']}: {row['install']}"))


def _describe(info: DatasetInfo) -> dict[str, Any]:
    try:
        dataset = info.load(0)
    except ImportError:
        dataset = None
    return {
        "name": info.name,
        "title": info.title,
        "origin": info.origin,
        "synthetic": info.synthetic,
        "budget": info.budget,
        "install": None if dataset else f"pip install 'palacs[{info.extra}]'",
        **_shape(dataset),
    }


def _shape(dataset: Dataset | None) -> dict[str, Any]:
    if dataset is None:
        keys = ("instances", "features", "classes", "class_sizes", "license")
        return dict.fromkeys(keys)
    return {
        "instances": dataset.n_instances,
        "features": dataset.n_features,
        "classes": dataset.n_classes,
        "class_sizes": dataset.class_counts,
        "license": dataset.license,
    }


def _table(rows: list[dict[str, Any]]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("name", style="cyan", no_wrap=True)
    for heading in ("instances", "features", "classes"):
        table.add_column(heading, justify="right")
    table.add_column("class sizes", overflow="fold")
    table.add_column("origin", no_wrap=True)
    for row in rows:
        numbers = ("-" if row[key] is None else str(row[key]) for key in _NUMBERS)
        table.add_row(row["name"], *numbers, _sizes(row["class_sizes"]), row["origin"])
    return table


_NUMBERS = ("instances", "features", "classes")


def _sizes(counts: dict[str, int] | None) -> str:
    """Write class sizes short enough for a line: ``3 x 400``, ``212 217 218 199``, ``5 - 463``."""
    if counts is None:
        return "not installed"
    sizes = list(counts.values())
    if len(set(sizes)) == 1:
        return f"{len(sizes)} x {sizes[0]}"
    if len(sizes) > _MOST_SIZES_SHOWN:
        return f"{min(sizes)} - {max(sizes)}"
    return " ".join(map(str, sizes))
