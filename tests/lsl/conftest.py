"""Streams whose samples carry their numbers, the same as the benchmark's."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

_BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
_numbers = itertools.count()

NewStream = Callable[..., Any]


@pytest.fixture(scope="session")
def numbered() -> Iterator[Any]:
    """The module that makes them."""
    sys.path.insert(0, str(_BENCHMARKS))
    yield import_module("_numbered_stream")
    sys.path.remove(str(_BENCHMARKS))


@pytest.fixture(scope="module")
def new_stream(numbered: Any) -> Iterator[NewStream]:
    """Makes streams with names of their own, closed after the test."""
    with ExitStack() as stack:
        yield lambda **options: stack.enter_context(
            numbered.NumberedStream(f"stream{next(_numbers)}", **options)
        )
