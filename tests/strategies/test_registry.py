"""One table of strategies: the documented names, third parties' through entry points."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from palacs import PALACS, InverseAccuracy
from palacs.strategies import Strategy, available, find, make, name_of

NAMES = [
    "pal-acs",
    "spare-settled",
    "balanced-gain",
    "random",
    "uniform",
    "proportional",
    "inverse",
    "inverse-no-repeat",
    "improvement",
    "redistricting",
    "risk",
    "sensitivity",
]

MODULE = """
import numpy as np
from palacs.strategies import Strategy, StrategyInfo

class FirstListed(Strategy):
    def __init__(self, random_state=None):
        self.random_state = random_state

    def utilities(self, labelled, stream):
        return -np.arange(labelled.n_classes, dtype=float)

listing = StrategyInfo({name!r}, "First listed", FirstListed, "first come, first served")
nonsense = "not a listing"
"""


def install(folder: Path, *, name: str = "first-listed", target: str = "listing") -> None:
    """Lay out what pip would: a module, and a dist-info folder with its entry point."""
    (folder / "abc_strategies.py").write_text(MODULE.format(name=name))
    info = folder / "abc_strategies-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: abc-strategies\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        f"[palacs.strategies]\nfirst-listed = abc_strategies:{target}\n"
    )


def run(folder: Path, code: str) -> subprocess.CompletedProcess[str]:
    preamble = f"import sys; sys.path.insert(0, {str(folder)!r})\n"
    return subprocess.run(
        [sys.executable, "-c", preamble + code], capture_output=True, text=True, check=False
    )


def test_the_table_holds_the_names_of_the_command_line_in_order():
    assert list(available()) == NAMES
    for name, info in available().items():
        assert info.name == name
        assert info.title
        assert info.summary
        assert issubclass(info.strategy, Strategy)


def test_the_table_cannot_be_written_to():
    table: Any = available()
    with pytest.raises(TypeError):
        table["mine"] = available()["random"]


@pytest.mark.parametrize("name", [name for name in NAMES if name != "proportional"])
def test_what_is_made_by_name_knows_its_name(name):
    strategy = make(name, random_state=5)
    assert strategy.random_state == 5
    assert name_of(strategy) == name


def test_names_that_fix_parameters_can_be_given_more():
    assert make("inverse-no-repeat", folds=4).get_params() == {
        "folds": 4,
        "allow_repeat": False,
        "classifier": None,
        "random_state": None,
    }
    assert name_of(InverseAccuracy(allow_repeat=False)) == "inverse-no-repeat"
    assert name_of(make("proportional", proportions=[1, 2])) == "proportional"


@pytest.mark.parametrize(
    ("typed", "meant"), [("pal-axs", "pal-acs"), ("invers", "inverse"), ("unifrom", "uniform")]
)
def test_a_misspelt_name_gets_a_suggestion(typed, meant):
    with pytest.raises(ValueError, match=rf"no strategy '{typed}'; did you mean '{meant}'\?"):
        find(typed)


def test_an_unknown_name_gets_the_list():
    with pytest.raises(
        ValueError,
        match=r"no strategy 'xyz'; available: pal-acs, spare-settled, .*risk",
    ):
        make("xyz")


def test_an_unknown_parameter_gets_the_known_ones():
    with pytest.raises(ValueError, match=r"'inverse' has no parameter 'foo'; it has: .*folds"):
        make("inverse", foo=1)
    with pytest.raises(ValueError, match=r"'uniform' has no parameter 'name'"):
        make("uniform", name="x")


def test_a_parameter_without_default_must_be_given():
    with pytest.raises(ValueError, match=r"'proportional' needs the parameter 'proportions'"):
        make("proportional")


def test_a_strategy_outside_the_table_has_no_name():
    class Unlisted(InverseAccuracy):
        pass

    with pytest.raises(ValueError, match=r"Unlisted is not in the table .* 'palacs.strategies'"):
        name_of(Unlisted())


def test_an_installed_package_adds_its_strategy(tmp_path):
    install(tmp_path)
    done = run(
        tmp_path,
        """
import json
from palacs.strategies import available, from_spec, make, name_of, to_spec
from palacs.testing import check_strategy
strategy = make("first-listed", random_state=0)
check_strategy(strategy)
again = from_spec(json.loads(json.dumps(to_spec(strategy))))
print(json.dumps({
    "names": list(available()),
    "name": name_of(again),
    "pick": again.query([[0.0], [1.0]], ["b", "a"], classes=["b", "a"]).tolist(),
}))
""",
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told == {"names": [*NAMES, "first-listed"], "name": "first-listed", "pick": ["b"]}


def test_a_name_that_is_taken_is_refused(tmp_path):
    install(tmp_path, name="pal-acs")
    done = run(tmp_path, "import palacs.strategies; palacs.strategies.available()")
    assert done.returncode == 1
    assert "'abc_strategies:listing' brings a strategy named 'pal-acs', which is taken; rename" in (
        done.stderr
    )


def test_an_entry_point_to_something_else_is_refused(tmp_path):
    install(tmp_path, target="nonsense")
    done = run(tmp_path, "import palacs.strategies; palacs.strategies.available()")
    assert done.returncode == 1
    assert "'abc_strategies:nonsense' gives a str; it must point to a" in done.stderr


@pytest.mark.parametrize("typed", ["pal-acs", "PALACS", "pal_acs", "PAL-ACS", " Pal acs "])
def test_a_name_is_understood_as_people_type_it(typed: str) -> None:
    assert find(typed).name == "pal-acs"
    assert type(make(typed)) is PALACS


def test_no_two_strategies_look_alike_as_typed() -> None:
    for info in available().values():
        assert find(info.title) is info
        assert find(info.name.upper()) is info
