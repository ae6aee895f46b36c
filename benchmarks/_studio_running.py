"""A real ``palacs studio`` to be measured, and how its numbers are printed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

TOKEN = "benchmark-benchmark"
CLASSES = ["rest", "left", "right", "feet"]
N_FEATURES = 8


@dataclass(frozen=True)
class Running:
    """A studio in a process of its own."""

    port: int
    process: int
    storage: str

    @property
    def address(self) -> str:
        """Where its pages are."""
        return f"http://127.0.0.1:{self.port}"

    def memory(self) -> float:
        """Return how many MiB of memory it takes; Linux says it."""
        status = Path(f"/proc/{self.process}/status").read_text()
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        assert found
        return int(found[1]) / 1024


@contextmanager
def running_studio() -> Iterator[Running]:
    """Run ``palacs studio`` on a free port and a SQLite file of its own."""
    palacs = str(Path(sys.executable).with_name("palacs"))
    with tempfile.TemporaryDirectory() as folder:
        storage = f"sqlite:///{folder}/lab.db"
        process = subprocess.Popen(
            [palacs, "studio", "--no-browser", "--port", "0", "--storage", storage],
            env={**os.environ, "PALACS_STUDIO_TOKEN": TOKEN},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        found = re.search(r":(\d+)/", process.stdout.readline())
        assert found, "the studio did not start"
        try:
            yield Running(int(found[1]), process.pid, storage)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(60)


def heading() -> None:
    """Print the names of the columns."""
    print(f"{'':58}{'median':>10}{'95th':>10}{'slowest':>10}{'times':>8}")


def row(what: str, values: Sequence[float], unit: str = "ms") -> None:
    """Print one line of the table."""
    taken = np.array(values)
    p50, p95 = np.percentile(taken, [50, 95])
    cells = "".join(f"{value:7.0f} {unit}" for value in (p50, p95, taken.max()))
    print(f"{what:58}{cells}{len(taken):8}", flush=True)
