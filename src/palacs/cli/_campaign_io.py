"""What the campaign commands read and print: numbers in, tables and JSON out, errors mapped.

Scripts branch on exit codes, so every error a campaign or storage can raise has one, and its
message is one line on standard error.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console
from rich.table import Table

from palacs._version import __version__
from palacs.cli._campaign_notes import attrs_line
from palacs.cli._printable import printable, say
from palacs.cli._rooms import cp, st

if TYPE_CHECKING:
    import pandas as pd

EXIT_CODES = """Exit codes: 0 done; 1 a value was refused; 2 wrong usage; 3 no such campaign,
request or storage; 4 nothing to ask (budget used up, all classes paused, or closed); 5 the
storage failed; 6 it contradicts the record; 7 a replay came out differently, or a recording is
not what it was."""

_BAR_WIDTH = 16


@contextmanager
def reporting() -> Iterator[None]:
    """Turn errors into one line on standard error and an exit code."""
    try:
        yield
    except Exception as error:
        code = next((code for kind, code in _codes() if isinstance(error, kind)), None)
        if code is None:
            raise
        say(f"palacs: {' '.join(str(error).split())}", err=True)
        raise typer.Exit(code) from None


def _codes() -> tuple[tuple[type[Exception], int], ...]:
    return (
        (ImportError, 1),
        (st.CampaignNotFound, 3),
        (st.StorageNotFound, 3),
        (cp.UnknownEntry, 3),
        (cp.NothingToAsk, 4),
        (st.CampaignExists, 6),
        (st.StorageExists, 6),
        (cp.Conflict, 6),
        (st.StorageError, 5),
        (cp.CampaignError, 1),
        (ValueError, 1),
        (OSError, 1),
    )


def print_json(value: Any) -> None:
    """Print one line of strict JSON."""
    say(json.dumps(value, allow_nan=False, ensure_ascii=False))


def read_vector(
    numbers: Sequence[str], file: Path | None, campaign: cp.Campaign, recording: str | None = None
) -> list[float] | None:
    """Return feature values from arguments, a file, or standard input (``-``).

    None leaves them to the extractor in force, where a recording is given alone.
    """
    if recording is not None and file is None and not numbers:
        return None
    if file is not None and numbers:
        raise ValueError("give the numbers as arguments or with --file, not both.")
    if file is None and not numbers:
        raise ValueError("no numbers given; add them, use --file, or - for standard input.")
    content: bytes | str = " ".join(numbers)
    name = "arguments"
    if list(numbers) == ["-"] or str(file) == "-":
        content, name = sys.stdin.buffer.read(), "standard input"
    elif file is not None:
        content, name = file.read_bytes(), str(file)
    return cp.read_instance(content, name, campaign.n_features, campaign.feature_names)


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


def echo_vector(x: Iterable[float]) -> str:
    """Return feature values as they were understood; of many, the first eight.

    Examples
    --------
    >>> echo_vector([0.5, 1.0]), echo_vector(range(64))
    ('2 features: 0.5, 1', '64 features: 0, 1, 2, 3, 4, 5, 6, 7, ...')
    """
    values = [float(value) for value in x]
    shown = [f"{value:.15g}" for value in values[:8]] + ["..."] * (len(values) > 8)
    return f"{len(values)} {'feature' if len(values) == 1 else 'features'}: {', '.join(shown)}"


def print_status(status: cp.Status) -> None:
    """Print the small table: class, asked, got, pending, share, utility bar."""
    console = Console()
    limit = "no limit" if status.budget is None else f"{status.remaining} of {status.budget} left"
    if status.budget_cost is not None:
        limit += f", {status.spent:g} of {status.budget_cost:g} spent"
    phase = "" if status.phase == "open" else f"{status.phase}, "
    console.print(
        f"[bold]{_plain(status.name)}[/bold]  {phase}{status.strategy}, "
        f"{status.instances} instances, budget: {limit}",
        highlight=False,
    )
    if status.extractor is not None:
        console.print(f"features by {_plain(status.extractor)}", highlight=False)
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
    console = Console()
    times = frame[["asked_at", "performed_at", "told_at", "failed_at", "retracted_at"]]
    columns: dict[str, list[str]] = {
        **{name: [_cell(value) for value in frame[name]] for name in ("id", "asked", "label")},
        "state": list(frame["state"]),
        "last change": [f"{when:%Y-%m-%d %H:%M:%S}" for when in times.max(axis=1)],
        "noted": [attrs_line(row["attrs"]) for row in cp.history_to_json(frame)],
        "reason": [_cell(value) for value in frame["reason"]],
    }
    widths = {name: max(map(len, (name, *cells))) for name, cells in columns.items()}
    # Ids, states and times are read whole; labels may be cut, notes and reasons before them.
    widths |= {name: min(widths[name], most) for name, most in _WIDEST.items()}
    notes = ("noted", "reason")
    left = console.width - 2 * len(notes) - sum(widths[n] + 2 for n in widths if n not in notes) + 2
    widths["reason"] = min(widths["reason"], max(left // 2, left - widths["noted"], 6))
    widths["noted"] = min(widths["noted"], max(left - widths["reason"], 5))
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name, width in widths.items():
        table.add_column(name, width=width, overflow="ellipsis", no_wrap=True)
    for cells in zip(*columns.values(), strict=True):
        table.add_row(*map(_plain, cells))
    console.print(table)


_WIDEST = {"id": 20, "asked": 12, "label": 12}


def _cell(value: Any) -> str:
    return "" if value is None or value != value else str(value)


def _plain(text: str) -> str:
    # Square brackets in a label are not markup.
    return printable(text).replace("[", r"\[")


def print_replay(found: cp.Replay, *, as_json: bool) -> None:
    """Print which requests came out differently, and by which palacs they were asked."""
    if as_json:
        rows = [asdict(mismatch) for mismatch in found.mismatches]
        print_json(
            {"ok": found.ok, "checked": found.checked, "mismatches": rows, "erased": found.erased}
        )
        return
    for m in found.mismatches:
        by = f"by palacs {m.palacs or 'of an unknown version'}"
        say(f"{m.request_id}\tasked {m.asked}\trecomputed {m.recomputed}\t{by}")
    if found.erased:
        say(
            f"{len(found.erased)} requests cannot be recomputed, since they or data they rested on "
            f"were erased: {', '.join(found.erased)}"
        )
    same = found.checked - len(found.mismatches)
    say(f"{same} of {found.checked} requests came out the same again")
    if any(m.palacs != __version__ for m in found.mismatches):
        say(
            f"this is palacs {__version__}: a rule may have changed since; replay with the palacs "
            "that asked, to see whether its requests follow from the record"
        )
