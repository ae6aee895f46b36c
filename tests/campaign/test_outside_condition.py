"""A condition from outside the package, following CONTRIBUTING's recipe."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

MODULE = '''
"""At most so many requests for one class among the last ten."""

from dataclasses import dataclass, field

import numpy as np

from palacs import Conditions
from palacs.checks import check_count
from palacs.conditions import Limit, LimitReached


@dataclass(frozen=True)
class AtMostInTen(Limit):
    most: int

    def allow(self, requests, allowed):
        counts = np.bincount(requests.order[-9:], minlength=len(allowed))
        rested = allowed & (counts < self.most)
        if not rested.any():
            raise LimitReached("every class needs a rest; allow another one.")
        return rested


@dataclass(frozen=True)
class TiredConditions(Conditions):
    most_in_ten: int | None = field(
        default=None, metadata={"help": "most requests for a class among the last ten"}
    )

    def __post_init__(self):
        super().__post_init__()
        if self.most_in_ten is not None:
            check_count(self.most_in_ten, "most_in_ten")

    def limits_of(self, classes):
        limits = super().limits_of(classes)
        return limits if self.most_in_ten is None else (*limits, AtMostInTen(self.most_in_ten))
'''

START = """
from palacs.campaign import create_campaign
from tired import TiredConditions

conditions = TiredConditions(costs={"a": 1.0, "b": 50.0, "c": 50.0}, most_in_ten=4)
assert TiredConditions.help_texts()["most_in_ten"].startswith("most requests")
campaign = create_campaign(
    "lab", ["a", "b", "c"], strategy="uniform", storage=URL, seed=0, conditions=conditions
)
for i in range(12):
    request = campaign.ask()
    campaign.tell(request, [float(i)])
"""

GO_ON = """
import sys
from palacs.campaign import load_campaign

campaign = load_campaign("lab", storage=URL)
assert "tired" not in sys.modules
for i in range(12):
    campaign.tell(campaign.ask(), [float(i)])
assert campaign.snapshot().conditions.most_in_ten == 4
assert campaign.replay().ok
asked = campaign.history()["asked"].tolist()
windows = [asked[i : i + 10] for i in range(len(asked) - 9)]
assert max(window.count(label) for window in windows for label in "abc") == 4, asked
"""


def installed(folder: Path) -> Path:
    """Put a package with the condition where Python finds it, as installing it would."""
    (folder / "tired.py").write_text(MODULE)
    info = folder / "tired-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: tired\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[palacs.conditions]\nTiredConditions = tired:TiredConditions\n"
    )
    return folder


Run = Callable[[str, str, Path | None], subprocess.CompletedProcess[str]]


@pytest.fixture
def run(warm) -> Run:
    """Runs code for a campaign at an address, with or without the folder of the package."""

    def code_with(code: str, url: str, folder: Path | None) -> Any:
        path = "" if folder is None else f"import sys; sys.path.insert(0, {str(folder)!r})\n"
        return warm(f"{path}URL = {url!r}\n{code}")

    return code_with


def test_a_condition_of_ones_own_is_kept_and_found_again(
    tmp_path: Path, new_sqlite, run: Run
) -> None:
    url, folder = new_sqlite(), installed(tmp_path)
    for code in (START, GO_ON):
        ran = run(code, url, folder)
        assert ran.returncode == 0, ran.stderr


def test_where_its_package_is_missing_asking_says_so(tmp_path: Path, new_sqlite, run: Run) -> None:
    url = new_sqlite()
    assert run(START, url, installed(tmp_path)).returncode == 0
    ran = run(GO_ON, url, None)
    assert "'TiredConditions', which is not installed; install the package" in ran.stderr
