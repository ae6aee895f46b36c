"""The fuzz of arguments and import files (tests/campaign/test_fuzz.py), with more examples."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from _soak_tally import Advance, Tally

TESTS = Path(__file__).parents[1] / "tests" / "campaign" / "test_fuzz.py"
EXAMPLES = "PALACS_FUZZ"  # the environment variable that says how many each test makes up
_COUNTED = re.compile(r"(\d+) passing(?: examples)?, (\d+) failing")
_ENDED = re.compile(r"::test_\S+ (PASSED|FAILED|ERROR)")


def fuzz(n: int, advance: Advance, *, seed: int = 0, only: str = "") -> list[Tally]:
    """Make up at least `n` inputs, about as many for each test; `only` those of some name."""
    listed = _pytest("--collect-only", "-q", "-k", only, examples=1)
    tests = sum("::test_" in line for line in listed)
    made, failed, rounds = 0, 0, 0
    # Not every test makes up input, and some run out of it: the rest is shared out again.
    while made < n and not failed:
        each = -(-(n - made) // max(tests, 1))
        some, failed = _round(each, seed + rounds, only, advance)
        if some == 0:
            raise RuntimeError(f"{TESTS} makes up no input")
        made, rounds = made + some, rounds + 1
    return [Tally("made-up input", "memory", f"{made:,} examples", broken=failed)]


def _round(each: int, seed: int, only: str, advance: Advance) -> tuple[int, int]:
    """Return how many inputs were made up, and how many tests failed."""
    made = failed = 0
    options = ("-v", f"--hypothesis-seed={seed}", "--hypothesis-show-statistics", "--timeout=0")
    for line in _pytest(*options, "-k", only, examples=each):
        if found := _COUNTED.search(line):
            made += int(found[1]) + int(found[2])
        elif found := _ENDED.search(line):
            failed += found[1] != "PASSED"
            advance(each)
        elif line.startswith("E  "):
            print(line, end="")
    return made, failed


def _pytest(*options: str, examples: int) -> Iterator[str]:
    command = [sys.executable, "-m", "pytest", str(TESTS), *options]
    environment = {**os.environ, EXAMPLES: str(examples)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
    ) as running:
        assert running.stdout is not None
        yield from running.stdout
