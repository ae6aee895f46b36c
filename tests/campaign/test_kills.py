"""Workers killed with SIGKILL at random moments lose nothing that was acknowledged."""

from __future__ import annotations

import importlib.util
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
import sqlalchemy as sa

_SOAK = Path(__file__).parents[2] / "benchmarks" / "soak.py"


@pytest.fixture(scope="module")
def soak() -> Iterator[ModuleType]:
    """The same run as ``make soak``, found by the processes it starts under its own name."""
    sys.path.insert(0, str(_SOAK.parent))
    spec = importlib.util.spec_from_file_location("soak", _SOAK)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["soak"] = module
    spec.loader.exec_module(module)
    yield module
    sys.path.remove(str(_SOAK.parent))


def test_forty_kills_lose_nothing(url: str, soak: ModuleType) -> None:
    outcome = soak.soak(url, 40)
    assert outcome.kills == 40
    assert outcome.acknowledged > 40
    assert outcome.lost == 0
    assert outcome.doubled == 0
    assert outcome.altered == 0
    assert outcome.recorded >= outcome.acknowledged
    assert outcome.mismatches == 0
    if url.startswith("sqlite"):
        file = sqlite3.connect(str(sa.make_url(url).database))
        assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        file.close()
