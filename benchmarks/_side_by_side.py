"""Run two implementations in turn, each in a process of its own, and print how they compare.

A fresh process gives each an honest peak of memory: what the call adds to the process's resident
set at its highest, after imports and compilation.
"""

from __future__ import annotations

import multiprocessing
import re
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

_SHORT = 0.1


@dataclass(frozen=True)
class Measurement:
    """One implementation's cost: wall-clock seconds, bytes at the peak, what it returned."""

    seconds: float
    peak_bytes: float | None
    result: Any = None


@dataclass(frozen=True)
class Row:
    """One line of the table: the same work by both, and the ratio that is required."""

    work: str
    ours: Measurement
    peer: Measurement
    required: float | None = None
    note: str = ""

    @property
    def ratio(self) -> float:
        """How many times longer the peer takes."""
        return self.peer.seconds / self.ours.seconds


def measure(function: Callable[..., Any], *args: Any, warm: bool = True) -> Measurement:
    """Call a function in a new process; with ``warm``, after a first call that compiles."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=1, mp_context=context) as pool:
        return pool.submit(_examine, function, args, warm).result()


def _examine(function: Callable[..., Any], args: tuple[Any, ...], warm: bool) -> Measurement:
    if warm:
        function(*args)
    base = reset_peak()
    seconds, result = _timed(function, args)
    peak = resident("VmHWM")
    # A call too short for one look at the clock is repeated, and its best run counts.
    if seconds < _SHORT:
        seconds = min(_timed(function, args)[0] for _ in range(int(1 / max(seconds, 1e-4)) + 3))
    added = None if base is None or peak is None else max(peak - base, 0)
    return Measurement(seconds, added, result)


def _timed(function: Callable[..., Any], args: tuple[Any, ...]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = function(*args)
    return time.perf_counter() - start, result


def reset_peak() -> int | None:
    """Let the kernel forget the highest resident set so far; Linux only."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return None
    return resident("VmRSS")


def resident(field: str) -> int | None:
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return None
    found = re.search(rf"{field}:\s+(\d+) kB", status)
    return int(found[1]) * 1024 if found else None


def show(title: str, rows: list[Row]) -> bool:
    """Print the table; return whether every required ratio was reached."""
    table = Table(title=title, title_justify="left", caption_justify="left")
    table.add_column("work")
    for name in ("palacs", "peak", "scikit-activeml", "peak", "ratio", "required"):
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(
            row.work,
            duration(row.ours.seconds),
            _size(row.ours.peak_bytes),
            duration(row.peer.seconds) + ("*" if row.note else ""),
            _size(row.peer.peak_bytes),
            f"{row.ratio:,.0f}",
            _verdict(row),
        )
    notes = [f"* {row.work}: {row.note}" for row in rows if row.note]
    table.caption = "\n".join(notes) or None
    # Where output is not a terminal, its width is unknown: keep the table whole.
    Console(width=None if Console().is_terminal else 130).print(table)
    return all(row.required is None or row.ratio >= row.required for row in rows)


def _verdict(row: Row) -> str:
    if row.required is None:
        return "-"
    reached = row.ratio >= row.required
    return f"{row.required:,.0f} " + ("[green]reached[/]" if reached else "[red]MISSED[/]")


def duration(seconds: float) -> str:
    """Write a time span with the unit that fits."""
    for unit, size in (("days", 86_400), ("h", 3_600), ("s", 1), ("ms", 1e-3)):
        if seconds >= size:
            return f"{_short(seconds / size)} {unit}"
    return f"{_short(seconds / 1e-6)} µs"


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _size(n_bytes: float | None) -> str:
    if n_bytes is None:
        return "?"
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if n_bytes >= size:
            return f"{_short(n_bytes / size)} {unit}"
    return f"{n_bytes / 1e3:,.0f} kB"
