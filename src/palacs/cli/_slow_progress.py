"""A progress bar for what may take long: it shows itself after two seconds, on a terminal only."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

if TYPE_CHECKING:
    from palacs.storage import Progress as Told

_PATIENCE_S = 2.0


@contextmanager
def slow_progress(what: str) -> Iterator[Told]:
    """Yield what is to be told how much is done, and of how much."""
    # Standard output belongs to what scripts read.
    console = Console(file=sys.stderr)
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn(), console=console
    )
    since = time.monotonic()
    task: TaskID | None = None

    def tell(done: int, total: int) -> None:
        nonlocal task
        if task is None:
            if time.monotonic() - since < _PATIENCE_S or not console.is_terminal:
                return
            bar.start()
            task = bar.add_task(what)
        bar.update(task, completed=done, total=max(1, total))

    try:
        yield tell
    finally:
        if task is not None:  # else it would print an empty line
            bar.stop()
