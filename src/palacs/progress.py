"""How far something is, shown where somebody looks: in a notebook or a terminal, else nowhere.

A notebook gets one line of HTML that is rewritten and taken away in the end, without widgets; a
terminal gets rich's bar, where rich is installed. Both say how long it will take.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from importlib import import_module
from typing import Any, Protocol

__all__ = ["Stage", "progress_bar"]


class Stage(Protocol):
    """What to call with a stage's name, the share of it that is done, and a word about it."""

    def __call__(self, what: str, done: float | None, note: str = "") -> None:
        """Show it; None is done where nobody can say how much there is."""


@contextmanager
def progress_bar(wanted: bool) -> Iterator[Stage | None]:
    """Yield what to call with how far it is, or None where nobody would see it."""
    if wanted and _in_notebook():
        with _notebook_bar() as stage:
            yield stage
    elif wanted and sys.stderr is not None and sys.stderr.isatty():
        with _terminal_bar() as stage:
            yield stage
    else:
        yield None


def _in_notebook() -> bool:
    ipython: Any = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    # Only a kernel has a front end to draw in; IPython in a terminal has none.
    return shell is not None and hasattr(shell, "kernel")


@contextmanager
def _notebook_bar() -> Iterator[Stage]:
    ipython: Any = import_module("IPython.display")
    shown = ipython.display(ipython.HTML(""), display_id=True)
    begun: dict[str, float] = {}

    def stage(what: str, done: float | None, note: str = "") -> None:
        since = begun.setdefault(what, time.monotonic())
        text = ", ".join(filter(None, (note, _left(since, done))))
        value = "" if done is None else f'value="{done:.3f}" '
        words = f"{what}: {text}" if done is None else f"{what}: {done:.0%} {text}"
        shown.update(ipython.HTML(f'<progress {value}max="1"></progress> {escape(words)}'))

    try:
        yield stage
    finally:
        shown.update(ipython.HTML(""))


def _left(since: float, done: float | None) -> str:
    """Say how long the rest takes if it goes on like this."""
    if not done or done >= 1:
        return ""
    seconds = round((time.monotonic() - since) * (1 - done) / done)
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02} left"


@contextmanager
def _terminal_bar() -> Iterator[Stage | None]:
    try:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
        from rich.progress import TimeRemainingColumn as Left
    except ImportError:
        yield None
        return
    words = TextColumn("{task.description}", markup=False)
    note = TextColumn("{task.fields[note]}", markup=False)
    columns = (words, BarColumn(), TaskProgressColumn(), Left(), note)
    console = Console(stderr=True)
    # What is printed beside a bar goes above it; in a pipe it must stay where it is.
    beside = sys.stdout is not None and sys.stdout.isatty()
    with Progress(*columns, console=console, transient=True, redirect_stdout=beside) as progress:
        tasks: dict[str, Any] = {}

        def stage(what: str, done: float | None, note: str = "") -> None:
            total = None if done is None else 1.0
            if what not in tasks:
                tasks[what] = progress.add_task(what, total=total, note=note)
            progress.update(tasks[what], completed=done or 0.0, total=total, note=note)

        yield stage
