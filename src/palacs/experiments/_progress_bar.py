"""How far a comparison is, shown where somebody looks: in a notebook or a terminal, else nowhere.

A notebook gets one line of HTML that is rewritten and taken away in the end, without widgets; a
terminal gets rich's bar, where rich is installed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from palacs.experiments._compared import Stage


@contextmanager
def progress_bar(wanted: bool) -> Iterator[Stage | None]:
    """Yield what to call with a stage's name and the share of it that is done, or None."""
    if wanted and _in_notebook():
        with _notebook_bar() as stage:
            yield stage
    elif wanted and sys.stderr.isatty():
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

    def stage(what: str, done: float) -> None:
        shown.update(
            ipython.HTML(f'<progress value="{done:.3f}" max="1"></progress> {what}: {done:.0%}')
        )

    try:
        yield stage
    finally:
        shown.update(ipython.HTML(""))


@contextmanager
def _terminal_bar() -> Iterator[Stage | None]:
    try:
        from rich.console import Console
        from rich.progress import Progress
    except ImportError:
        yield None
        return
    with Progress(console=Console(stderr=True), transient=True) as progress:
        tasks: dict[str, Any] = {}

        def stage(what: str, done: float) -> None:
            if what not in tasks:
                tasks[what] = progress.add_task(what, total=1.0)
            progress.update(tasks[what], completed=done)

        yield stage
