"""What a soak counts: one row per situation and database, and the table of all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

Advance = Callable[[float], None]
"""Called with how many more of the things to do were done, for the progress bar."""


@dataclass(frozen=True, slots=True)
class Tally:
    """What was done in one situation, and what came of it.

    Attributes
    ----------
    situation, database : str
        What was tried, and on which kind of storage.
    done : str
        What was done how often, in words.
    acknowledged : int
        Operations that returned to a worker.
    recorded : int
        Operations in the record; it may hold more than was acknowledged, written by workers
        that were killed before they could note it.
    lost, doubled, altered : int
        Operations that are missing, there twice, or have other values than were acknowledged.
    refused : int
        Clear errors of ours: what is damaged, out of reach or over a limit is not guessed at.
    broken : int
        What must never happen: workers that hang or end, errors of another kind, a campaign that
        does not go on, a limit that does not hold.
    replayed, mismatches : int
        Requests recomputed from the record, and those that came out differently.
    detail : str
        What else is worth knowing, for a line below the table.
    """

    situation: str
    database: str
    done: str
    acknowledged: int = 0
    recorded: int = 0
    lost: int = 0
    doubled: int = 0
    altered: int = 0
    refused: int = 0
    broken: int = 0
    replayed: int = 0
    mismatches: int = 0
    detail: str = ""

    @property
    def ok(self) -> bool:
        """Whether every promise was kept."""
        return not (self.lost or self.doubled or self.altered or self.broken or self.mismatches)


def database_of(url: str) -> str:
    """Return the kind of database at an address."""
    return url.partition(":")[0].partition("+")[0]


# Fields, and how their columns are called.
_COUNTS = {
    "acknowledged": "acknowledged",
    "recorded": "recorded",
    "lost": "lost",
    "doubled": "doubled",
    "altered": "altered",
    "refused": "refused",
    "broken": "broken",
    "replayed": "replayed",
    "mismatches": "differ",
}
_WIDTH = 144  # a table without cut words


def show(rows: Sequence[tuple[Tally, float]], console: Console) -> None:
    """Print the counts of all situations, each with the seconds it took."""
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for column in ("situation", "done"):
        table.add_column(column, no_wrap=True)
    for column in (*_COUNTS.values(), "s"):
        table.add_column(column, justify="right")
    for tally, seconds in rows:
        counts = [f"{getattr(tally, name):,}" for name in _COUNTS]
        style = None if tally.ok else "bold red"
        title = f"{tally.situation}, {tally.database}"
        table.add_row(title, tally.done, *counts, f"{seconds:.0f}", style=style)
    Console(file=console.file, width=max(console.width, _WIDTH)).print(table)
    for tally, _ in rows:
        if tally.detail:
            console.print(f"{tally.situation}, {tally.database}: {tally.detail}", highlight=False)
