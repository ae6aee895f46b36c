"""CONTRIBUTING's recipe for a strategy, followed to the letter in a package of its own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

CONTRIBUTING = Path(__file__).parents[2] / "CONTRIBUTING.md"
GROUP = "palacs.strategies"


def blocks(language: str) -> list[str]:
    text = CONTRIBUTING.read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as pip leaves it: the recipe's module, and its entry point in a dist-info."""
    (code,) = (block for block in blocks("python") if "StrategyInfo" in block)
    (table,) = (block for block in blocks("toml") if GROUP in block)
    points = tomllib.loads(table)["project"]["entry-points"][GROUP]
    folder = tmp_path_factory.mktemp("site")
    (folder / "fewest.py").write_text(code)
    info = folder / "fewest-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: fewest\nVersion: 1.0\n")
    lines = [f"{name} = {target}" for name, target in points.items()]
    (info / "entry_points.txt").write_text("\n".join([f"[{GROUP}]", *lines, ""]))
    return folder


def python(installed: Path, *words: str, cwd: Path | None = None) -> str:
    path = os.pathsep.join([str(installed), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, *words],
        env=os.environ | {"PYTHONPATH": path, "PALACS_STORAGE": "sqlite:///mine.db"},
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def palacs(installed: Path, *words: str, cwd: Path) -> Any:
    main = "from palacs.cli import main; main()"
    return json.loads(python(installed, "-c", main, *words, "--json", cwd=cwd))


def test_it_keeps_the_contract_of_strategies(installed: Path) -> None:
    python(
        installed,
        "-c",
        "from palacs.testing import check_strategy; import fewest; check_strategy(fewest.Fewest())",
    )


def test_it_is_listed_on_the_command_line(installed: Path, tmp_path: Path) -> None:
    listed = palacs(installed, "strategies", cwd=tmp_path)
    assert listed[-1] == {
        "name": "fewest",
        "title": "Fewest",
        "summary": "the class of which there is least",
    }


def test_a_campaign_asks_by_it(installed: Path, tmp_path: Path) -> None:
    def campaign(verb: str, *words: str) -> Any:
        return palacs(installed, "campaign", verb, "mine", *words, cwd=tmp_path)

    campaign("create", "--classes", "left,right", "--strategy", "fewest", "--seed", "0")
    for label in ("left", "right", "right", "left", "left"):
        campaign("add", "--label", label, "0.5")
    asked = campaign("ask")
    assert asked["label"] == "right"
    assert asked["utilities"] == {"left": -3.0, "right": -2.0}


def test_a_comparison_runs_it_beside_the_built_in_ones(installed: Path, tmp_path: Path) -> None:
    main = "from palacs.cli import main; main()"
    size = ["--trials", "2", "--budget", "12", "--jobs", "1"]
    words = ["compare", "iris", "--strategies", "fewest,uniform", "--out", "found", *size]
    python(installed, "-c", main, *words, cwd=tmp_path)
    code = "import pandas as pd; print(*pd.read_parquet('found/trials.parquet').strategy.unique())"
    assert {"Fewest", "Uniform"} <= set(python(installed, "-c", code, cwd=tmp_path).split())
