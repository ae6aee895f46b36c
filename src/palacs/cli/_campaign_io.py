"""What the campaign commands read and print: numbers in, tables and JSON out, errors mapped.

Scripts branch on exit codes, so every error a campaign or storage can raise has one, and its
message is one line on standard error.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tokenize import TokenError
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from palacs import campaign as cp
from palacs import storage as st

if TYPE_CHECKING:
    import pandas as pd

EXIT_CODES = """Exit codes: 0 done; 1 a value was refused; 2 wrong usage; 3 no such campaign,
request or storage; 4 nothing to ask (budget used up, or all classes paused); 5 the storage
failed; 6 it contradicts the record; 7 a replay came out differently."""

_CODE_OF: tuple[tuple[type[Exception], int], ...] = (
    (st.CampaignNotFound, 3),
    (st.StorageNotFound, 3),
    (cp.UnknownEntry, 3),
    (cp.NothingToAsk, 4),
    (st.CampaignExists, 6),
    (cp.Conflict, 6),
    (st.StorageError, 5),
    (cp.CampaignError, 1),
    (ValueError, 1),
    (OSError, 1),
)

_BAR_WIDTH = 16

# What numpy.load and the conversion raise, by where the file is broken.
_BROKEN_NPY = (
    ValueError,
    TypeError,
    EOFError,
    SyntaxError,
    OverflowError,
    MemoryError,
    TokenError,
    BadZipFile,
)


@contextmanager
def reporting() -> Iterator[None]:
    """Turn errors into one line on standard error and an exit code."""
    try:
        yield
    except tuple(kind for kind, _ in _CODE_OF) as error:
        code = next(code for kind, code in _CODE_OF if isinstance(error, kind))
        typer.echo(f"palacs: {' '.join(str(error).split())}", err=True)
        raise typer.Exit(code) from None


def print_json(value: Any) -> None:
    """Print one line of strict JSON."""
    typer.echo(json.dumps(value, allow_nan=False, ensure_ascii=False))


def read_vector(numbers: Sequence[str], file: Path | None) -> list[float]:
    """Return feature values from arguments, a file, or standard input (``-``)."""
    if file is not None:
        if numbers:
            raise ValueError("give the numbers as arguments or with --file, not both.")
        return _read_file(file)
    if list(numbers) == ["-"]:
        return _parse(sys.stdin.read(), "standard input")
    if not numbers:
        raise ValueError("no numbers given; add them, use --file, or - for standard input.")
    return _parse(" ".join(numbers), "arguments")


def _read_file(file: Path) -> list[float]:
    if str(file) == "-":
        return _parse(sys.stdin.read(), "standard input")
    if file.suffix.lower() == ".npy":
        return _read_npy(file)
    return _parse(file.read_text(encoding="utf-8-sig"), str(file))


def _read_npy(file: Path) -> list[float]:
    try:
        values = np.asarray(np.load(file, allow_pickle=False), dtype=float)
    except _BROKEN_NPY as error:
        raise ValueError(
            f"{file}: not an NPY file of numbers ({error}); write one with numpy.save."
        ) from error
    if values.ndim > 2 or (values.ndim == 2 and len(values) != 1):
        raise ValueError(_one_at_a_time(str(file), values.shape))
    return [float(value) for value in values.ravel()]


def _parse(text: str, where: str) -> list[float]:
    if text.lstrip().startswith("["):
        return _parse_json(text, where)
    rows = [line.replace(",", " ").replace(";", " ").split() for line in text.splitlines()]
    rows = [row for row in rows if row]
    if not rows:
        raise ValueError(f"{where}: no numbers found.")
    # One number per line is how numpy.savetxt writes a vector.
    longest = max(map(len, rows))
    if len(rows) > 1 and longest > 1:
        raise ValueError(_one_at_a_time(where, (len(rows), longest)))
    words = [word for row in rows for word in row]
    for place, word in enumerate(words):
        if not _is_number(word):
            raise ValueError(f"{where}: {word!r} at position {place} is not a number.")
    return [float(word) for word in words]


def _parse_json(text: str, where: str) -> list[float]:
    values = json.loads(text)
    if values and all(isinstance(row, list) for row in values):
        if len(values) > 1:
            raise ValueError(_one_at_a_time(where, (len(values), max(map(len, values)))))
        values = values[0]
    if not all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values):
        raise ValueError(f"{where}: the JSON list must hold numbers only.")
    try:
        return [float(value) for value in values]
    except OverflowError as error:
        raise ValueError(f"{where}: a number is too large ({error}); rescale it.") from error


def _one_at_a_time(where: str, shape: tuple[int, ...]) -> str:
    return f"{where}: shape {shape} is not one row of numbers; give one instance at a time."


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def parse_params(text: str) -> dict[str, Any]:
    """Return a strategy's parameters from a JSON object."""
    try:
        params = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"--params {text!r} is no JSON object: {error}.") from error
    if not isinstance(params, dict):
        raise ValueError(f"--params {text!r} must be a JSON object such as '{{\"n_pseudo\": 50}}'.")
    return params


def parse_bounds(text: str) -> list[list[float]]:
    """Return pairs from ``LOW:HIGH``, or several of these separated by commas."""
    try:
        return [[float(end) for end in pair.split(":")] for pair in text.split(",")]
    except ValueError as error:
        raise ValueError(f"--bounds {text!r} must look like 0:1 or 0:1,-5:5 ({error}).") from error


def label_from_text(campaign: cp.Campaign, text: str) -> st.Label:
    """Return a label as the campaign has it: integers where its classes are integers."""
    classes = campaign.classes
    if text not in classes and isinstance(classes[0], int):
        try:
            return int(text)
        except ValueError:
            raise cp.UnknownClass(
                f"class {text!r} is no integer, but this campaign's classes are."
            ) from None
    return text


def print_status(status: cp.Status) -> None:
    """Print the small table: class, asked, got, pending, share, utility bar."""
    console = Console()
    limit = "no limit" if status.budget is None else f"{status.remaining} of {status.budget} left"
    if status.budget_cost is not None:
        limit += f", {status.spent:g} of {status.budget_cost:g} spent"
    console.print(
        f"[bold]{_plain(status.name)}[/bold]  {status.strategy}, {status.instances} instances, "
        f"budget: {limit}",
        highlight=False,
    )
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("class", max_width=24, overflow="ellipsis", no_wrap=True)
    for name in ("asked", "got", "pending", "share"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("utility", no_wrap=True)
    finite = [c.utility for c in status.classes if c.utility is not None]
    largest = max((u for u in finite if math.isfinite(u)), default=0.0)
    for c in status.classes:
        table.add_row(
            _plain(str(c.label)) + (" (paused)" if c.paused else ""),
            str(c.asked),
            str(c.got),
            str(c.pending),
            f"{c.share:.0%}",
            _bar(c.utility, largest, unicode="utf" in console.encoding),
        )
    console.print(table)


def _bar(utility: float | None, largest: float, *, unicode: bool) -> str:
    full = "█" if unicode else "#"
    if utility is None or math.isnan(utility):
        return ""
    if math.isinf(utility):
        return f"{full * _BAR_WIDTH} first"
    part = utility / largest if largest > 0 else 0.0
    return f"{full * round(_BAR_WIDTH * max(0.0, part)):<{_BAR_WIDTH}} {utility:.3g}"


def print_history(frame: pd.DataFrame) -> None:
    """Print the history, narrow enough for a terminal."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    # Ids, states and times are read whole; labels and reasons may be cut.
    table.add_column("id", no_wrap=True)
    for name in ("asked", "label"):
        table.add_column(name, max_width=12, overflow="ellipsis", no_wrap=True)
    table.add_column("state", no_wrap=True)
    table.add_column("last change", no_wrap=True, min_width=19)
    table.add_column("reason", overflow="ellipsis", no_wrap=True)
    times = frame[["asked_at", "performed_at", "told_at", "failed_at", "retracted_at"]]
    latest = times.max(axis=1)
    for row, when in zip(frame.itertuples(index=False), latest, strict=True):
        cells = [row.id, row.asked, row.label, row.state, f"{when:%Y-%m-%d %H:%M:%S}", row.reason]
        table.add_row(*("" if cell is None else _plain(str(cell)) for cell in cells))
    Console().print(table)


def history_to_json(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the history's rows as JSON-able values; what is missing becomes ``None``."""
    rows = frame.to_dict(orient="records")
    return [{str(key): _jsonable(value) for key, value in row.items()} for row in rows]


def _jsonable(value: Any) -> Any:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return None
    if hasattr(value, "isoformat"):
        return None if str(value) == "NaT" else value.isoformat()
    return value


def _plain(text: str) -> str:
    # Square brackets in a label are not markup.
    return text.replace("[", r"\[")
