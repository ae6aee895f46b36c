"""A source that a third party brings: found by its entry point, checked by the contract suite."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from palacs.campaign import Acquired, Request
from palacs.datasets import from_arrays
from palacs.sources import Program, Replayed, WatchedFolder, source_from
from palacs.testing import check_source

MODULE = Path(__file__).parent / "outside" / "dice.py"


def test_an_installed_source_goes_by_its_name_and_keeps_the_contract(tmp_path: Path):
    (tmp_path / "dice.py").write_text(MODULE.read_text())
    info = tmp_path / "dice-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: dice\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[palacs.sources]\ndice = dice:row\n")
    script = """
from palacs.sources import source_from
from palacs.testing import check_source
from palacs.cli import main
check_source(source_from("dice:3"), classes=["low", "high"])
try:
    source_from("coins")
except ValueError as error:
    print(error)
import sys
sys.argv = ["palacs", "campaign", "create", "game", "--classes", "low,high"]
try:
    main()
except SystemExit:
    pass
sys.argv = ["palacs", "campaign", "run", "game", "--source", "dice:4", "--until", "2"]
main()
"""
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "2 acquired" in done.stderr, done.stderr
    assert "there is no source 'coins'; there is dice, exec," in done.stdout


def test_shipped_sources_keep_the_contract(tmp_path: Path):
    check_source(Program("echo 0.5 1"), ["a", "b"])
    data = from_arrays(np.random.default_rng(0).normal(size=(10, 2)), ["a", "b"] * 5, name="ten")
    check_source(Replayed(data), ["a", "b"])

    def record(request: Request) -> None:
        (tmp_path / str(request.label) / f"{request.id}.csv").write_text("1 2")

    folder = WatchedFolder(tmp_path, settle=0.02)
    check_source(folder, ["a", "b"], n=1, on_asked=record)


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (lambda request: [float("nan")], r"0 of 6 .*nan"),
        (lambda request: [1.0] * (1 + (request.label == "b")), "length|features"),
        (lambda request: Acquired([1.0], label="c"), "'c'"),
    ],
)
def test_a_source_that_breaks_its_word_is_told_so(broken: Any, said: str):
    with pytest.raises(AssertionError, match=said):
        check_source(broken, ["a", "b"])


@pytest.mark.parametrize("text", ["dice", "exec:", "python:nowhere:f", "http:nowhere", "replay:x"])
def test_what_is_no_source_is_refused(text: str):
    with pytest.raises(ValueError, match=r"\w"):
        source_from(text)
