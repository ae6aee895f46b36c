"""The house stands: imports lead down and through open doors; CONTRIBUTING's picture is true."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import floors

HOUSE = floors.House.read()
Bare = Callable[[str], str]


def listed(found: list[str]) -> str:
    return "\n".join(["", *found])


def test_every_room_stands_on_a_floor() -> None:
    assert set(HOUSE.rooms) == set(floors.RANKS), "give a new room its place in tools/floors.py"


def test_imports_lead_down() -> None:
    found = floors.upward(HOUSE)
    assert not found, listed(found)


def test_nobody_takes_from_another_room_what_that_does_not_promise() -> None:
    found = floors.private(HOUSE)
    assert not found, listed(found)


def test_each_floor_and_each_keeper_imports_what_it_may() -> None:
    found = floors.foreign(HOUSE)
    assert not found, listed(found)


def test_a_basename_says_which_module_is_meant() -> None:
    found = floors.namesakes(HOUSE)
    assert not found, listed(found)


def test_the_picture_in_contributing_is_how_things_are() -> None:
    text = floors.CONTRIBUTING.read_text(encoding="utf-8")
    assert floors.drawn(text, HOUSE) == text, "run: python tools/floors.py --write"


def test_the_floors_up_to_the_decision_import_where_nothing_else_is_installed(bare: Bare) -> None:
    rooms = [r for floor in floors.LIGHT_FLOORS for line in floors.FLOORS[floor] for r in line]
    modules = [name for name in HOUSE.modules if floors.room_of(name) in rooms]
    assert bare(f"import importlib\nfor m in {modules!r}: importlib.import_module(m)\nprint(1)")


# -- the reading itself ----------------------------------------------------------------

SOUND = {
    "__init__.py": "from palacs.gain import worth as worth",
    "_version.py": "",
    "gain/__init__.py": "from palacs.gain._sums import worth\n__all__ = ['worth']",
    "gain/_sums.py": "import numpy as np\ndef worth(): ...\ndef other(): ...",
    "classifier.py": "from palacs.gain import worth\nfrom palacs import _version",
    "storage/__init__.py": "import sqlalchemy",
    "studio/__init__.py": "",
    "cli/__init__.py": "from palacs import gain, studio",
}


def house(folder: Path, **changed: str) -> floors.House:
    """Build a sound house but for the modules that are given, as ``room__module=text``."""
    files = SOUND | {f"{name.replace('__', '/')}.py": text for name, text in changed.items()}
    for name, text in files.items():
        path = folder / "palacs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return floors.House.read(folder / "palacs")


def complaints(built: floors.House) -> list[str]:
    return [
        *floors.upward(built),
        *floors.private(built),
        *floors.foreign(built),
        *floors.namesakes(built),
    ]


def test_a_sound_house_gives_no_complaint(tmp_path: Path) -> None:
    assert complaints(house(tmp_path)) == []


@pytest.mark.parametrize(
    ("module", "text", "complaint"),
    [
        ("gain___a", "import palacs.classifier", "classifier is not below gain"),
        ("gain___a", "def f():\n    from palacs import cli", "cli is not below gain"),
        ("kernel", "from palacs.gain import worth", "gain is not below kernel"),
        ("kernel", "from palacs import gain", "gain is not below kernel"),
        ("kernel", "from palacs import worth", "gain is not below kernel"),
        ("conditions", "import palacs.evidence", "evidence is not below conditions"),
        ("studio___a", "from palacs.cli import main", "cli is not below studio"),
        ("strategies", "from palacs.testing import check", "testing is not below strategies"),
        (
            "gain___a",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import palacs.studio",
            "studio is not below gain",
        ),
        ("evidence", "from palacs.gain._sums import worth", "palacs.gain does not promise"),
        ("evidence", "import palacs.gain._sums as sums", "palacs.gain does not promise"),
        ("evidence", "from palacs.gain import _sums", "palacs.gain does not promise"),
        ("evidence", "from palacs.gain import other", "palacs.gain does not promise"),
        ("testing", "from palacs.gain._sums import worth", "palacs.gain does not promise"),
        ("strategies", "import pandas as pd", "this floor needs numpy, scipy"),
        ("storage___a", "from matplotlib.figure import Figure", "for palacs.plots alone"),
        ("kernel", "from sklearn.utils import _param_validation", "for palacs.checks alone"),
        ("storage___sums", "", "palacs.gain._sums and palacs.storage._sums share a name"),
    ],
)
def test_what_breaks_a_rule_is_named(
    tmp_path: Path, module: str, text: str, complaint: str
) -> None:
    found = complaints(house(tmp_path, **{module: text}))
    assert len(found) == 1
    assert complaint in found[0]


def test_the_picture_shows_who_imports_whom(tmp_path: Path) -> None:
    shown = floors.picture(house(tmp_path)).splitlines()
    assert "  cli          ← studio, gain" in shown
    assert "  gain         ← nothing" in shown
    assert shown.index("doors") < shown.index("the mathematics")


def test_a_relative_import_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"palacs\.kernel:1 imports relatively"):
        complaints(house(tmp_path, kernel="from . import gain"))
