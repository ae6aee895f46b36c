"""The public names, and that deciding needs NumPy, SciPy, scikit-learn and numba alone."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

import floors
import palacs
import palacs.strategies
import palacs.testing

ROOT = Path(__file__).parent.parent
Bare = Callable[[str], str]
HOMES = floors.House.read().homes
# Left out of __all__, since a star import must not need an extra.
WITH_AN_EXTRA = {"Campaign", "compare", "create_campaign", "load_campaign"}
NAMES = sorted({*palacs.__all__} - {"__version__"})


@pytest.mark.parametrize("name", [*NAMES, *sorted(WITH_AN_EXTRA)])
def test_every_name_is_the_one_that_its_room_promises(name: str) -> None:
    home = HOMES[name]
    room = sys.modules.get(home) or __import__(home, fromlist=[name])
    assert name in room.__all__
    assert getattr(palacs, name) is getattr(room, name)


def test_type_checkers_see_the_same_names_as_programs_do() -> None:
    assert set(HOMES) == {*palacs.__all__, *WITH_AN_EXTRA}
    assert {*palacs.__all__, *WITH_AN_EXTRA} <= set(dir(palacs))


def test_every_listed_strategy_is_a_public_name() -> None:
    listed = {info.strategy.__name__ for info in palacs.strategies.available().values()}
    assert listed <= set(palacs.__all__)


def test_what_the_documents_import_is_public() -> None:
    examples = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.py")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in [ROOT / "README.md", *examples])
    promised = re.findall(r"from palacs import (?:\(([^)]+)\)|(.+))", text)
    names = set(re.findall(r"\w+", " ".join("".join(found) for found in promised)))
    assert {"PALACS", "Conditions"} <= names, "the documents show what most people need"
    missing = {name for name in names if not hasattr(palacs, name)}
    assert not missing


@pytest.mark.parametrize("module", [palacs, palacs.strategies, palacs.testing])
def test_every_public_name_is_there_and_documented(module: ModuleType) -> None:
    for name in module.__all__:
        thing = getattr(module, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert thing.__doc__, f"{module.__name__}.{name} has no docstring"


def test_the_core_decides_without_any_extra(bare: Bare) -> None:
    printed = bare(
        """
import palacs, palacs.testing
from palacs.strategies import available, make
X, y = [[0.0], [0.1], [0.9], [1.0]], ["a", "b", "a", "b"]
for name in available():
    params = {"proportions": [1, 1]} if name == "proportional" else {}
    assert make(name, random_state=0, **params).query(X, y)[0] in y
palacs.testing.check_strategy(palacs.RandomSelection())
print(palacs.ParzenWindowClassifier().fit(X, y).predict(X).tolist())
"""
    )
    assert printed == "['a', 'b', 'a', 'b']\n"


def test_a_star_import_brings_every_name_without_any_extra(bare: Bare) -> None:
    printed = bare("from palacs import *\nimport palacs\nprint(set(palacs.__all__) - set(dir()))")
    assert printed == "set()\n"


def test_importing_the_core_imports_no_extra_even_where_they_are_installed(
    extras: set[str],
) -> None:
    # What scikit-learn and numba look for themselves (pandas, yaml) is none of our doing.
    code = """
import sys, numba, sklearn.base
before = set(sys.modules)
import palacs, palacs.testing
print(*{name.split(".")[0] for name in set(sys.modules) - before})
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not extras.intersection(done.stdout.split())


def test_a_name_that_needs_an_extra_says_which_one_to_install(bare: Bare) -> None:
    names = ["palacs.create_campaign", "palacs.Campaign", "palacs.testing.check_storage"]
    printed = bare(
        f"""
import palacs, palacs.testing
for name in {names!r}:
    try:
        eval(name)
    except ModuleNotFoundError as error:
        print(error)
"""
    )
    assert len(printed.splitlines()) == len(names)
    for line in printed.splitlines():
        assert line.endswith("which is not installed; run: pip install 'palacs[campaign]'")


def test_an_unknown_name_is_an_attribute_error() -> None:
    for module in (palacs, palacs.testing):
        assert not hasattr(module, "no_such_name")
