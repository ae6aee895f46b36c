"""How long a shell waits: processor seconds of commands beside ``python -c pass``, in one run.

Each command is a process of its own, the best of three, user and system time together. Modules
are translated once, as installing does (PYTHONDONTWRITEBYTECODE is not passed on). Cold means that
nothing was ever compiled (an empty NUMBA_CACHE_DIR); the campaigns have 64 features and ten
classes, and their snapshot is there.

    python benchmarks/start.py [--quick]
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from _campaign_scale import stored

_PALACS = ("-m", "palacs")
_README = """
from palacs import SpareSettled
X = [[0.1], [0.12], [0.14], [0.70], [0.76], [0.82], [0.72], [0.78], [0.80]]
y = ["rest"] * 3 + ["left"] * 3 + ["right"] * 3
SpareSettled(random_state=0).query(X, y)
"""
_IMPORTS = "import numpy, sklearn.base, numba"


def seconds(arguments: Sequence[str], env: dict[str, str], *, runs: int = 3) -> float:
    """Return the processor seconds of a Python process, the best of some."""
    found = []
    env = {**os.environ, **env}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    for _ in range(runs):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *arguments], env=env, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return min(found)


def commands(folder: Path, *, quick: bool) -> dict[str, tuple[Sequence[str], float | None]]:
    """Return what to run, and the most it may take."""
    rows: dict[str, tuple[Sequence[str], float | None]] = {
        "python -c pass": (("-c", "pass"), None),
        "palacs --version": ((*_PALACS, "--version"), 0.3),
        "palacs --help": ((*_PALACS, "--help"), 0.3),
        "palacs campaign --help": ((*_PALACS, "campaign", "--help"), 0.3),
        "palacs campaign ask --help": ((*_PALACS, "campaign", "ask", "--help"), 0.3),
        "palacs doctor": ((*_PALACS, "doctor"), None),
    }
    for n in (1_000,) if quick else (1_000, 100_000):
        url = stored(folder, n)
        subprocess.run(  # compiles, and leaves a snapshot where one is worth it
            [sys.executable, *_PALACS, "campaign", "ask", "c", "--storage", url],
            check=True,
            capture_output=True,
        )
        for what, most in (("status", None), ("ask", 1.0)):
            typed = (*_PALACS, "campaign", what, "c", "--storage", url)
            rows[f"palacs campaign {what}, {n:,} instances"] = typed, most
    return rows


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="without 100,000 instances")
    quick = parser.parse_args().quick
    late = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for what, (arguments, most) in commands(folder, quick=quick).items():
            took = seconds(arguments, {})
            late += most is not None and took > most
            print(f"{what:45} {took:6.2f} s" + ("" if most is None else f"  (at most {most:g})"))
        print(f"{_IMPORTS!r:45} {seconds(('-c', _IMPORTS), {}):6.2f} s")
        cold = {"NUMBA_CACHE_DIR": str(folder / "cold")}
        took = seconds(("-c", _README), cold)
        late += took > 2.0
        print(f"{'first decision, cold, imports and all':45} {took:6.2f} s  (at most 2)")
        small = f"sqlite:///{folder}/small.db"
        create = ("campaign", "create", "c", "--classes", "a,b", "--storage", small)
        subprocess.run([sys.executable, *_PALACS, *create], check=True, capture_output=True)
        for label in "abab":
            add = ("campaign", "add", "c", "0.5", "--label", label, "--storage", small)
            subprocess.run([sys.executable, *_PALACS, *add], check=True, capture_output=True)
        took = seconds((*_PALACS, "campaign", "ask", "c", "--storage", small), cold)
        late += took > 2.0
        print(f"{'palacs campaign ask, cold':45} {took:6.2f} s  (at most 2)")
        ahead = seconds((*_PALACS, "doctor", "--compile"), cold, runs=1)
        print(f"{'palacs doctor --compile, once':45} {ahead:6.2f} s")
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())
