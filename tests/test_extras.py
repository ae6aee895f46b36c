"""What palacs.extras says is what pyproject.toml installs; whoever misses one is told at once."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Callable
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from palacs.extras import EXTRAS, missing, need

Bare = Callable[[str], str]
PYPROJECT = Path(__file__).parent.parent / "pyproject.toml"
TABLE = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]["optional-dependencies"]
FOR_USERS = TABLE.keys() - {"all", "test", "bench", "docs", "dev"}
ON_REQUEST = {"torch"}  # gigabytes: nobody gets it who did not ask for it


@pytest.mark.parametrize("name", sorted(FOR_USERS - ON_REQUEST))
def test_an_extra_brings_what_is_said_of_it(name: str) -> None:
    requirements = [Requirement(text) for text in TABLE[name]]
    own = {canonicalize_name(r.name) for r in requirements if r.name != "palacs"}
    brings = packages_distributions()
    said = {canonicalize_name(brings[module][0]) for module in EXTRAS[name].modules}
    assert said == own
    includes = {extra for r in requirements if r.name == "palacs" for extra in r.extras}
    assert set(EXTRAS[name].includes) == includes - {"cli"}


def test_all_brings_every_extra_for_users() -> None:
    assert set(EXTRAS) == FOR_USERS
    (everything,) = map(Requirement, TABLE["all"])
    named = set(everything.extras)
    brought = named | {inner for name in named for inner in _inside(name)}
    assert brought == FOR_USERS - ON_REQUEST


def test_what_is_had_on_request_alone_is_named_where_it_is_needed() -> None:
    assert [Requirement(text).name for text in TABLE["torch"]] == ["torch"]
    assert "torch" in EXTRAS["torch"].modules
    # Whoever develops asked for it: tensors are tested.
    others = TABLE.keys() - ON_REQUEST - {"dev"}
    assert not any("torch" in text for name in others for text in TABLE[name])


def _inside(name: str) -> set[str]:
    found = {
        extra for text in TABLE[name] for extra in Requirement(text).extras if "palacs" in text
    }
    return found | {deeper for extra in found for deeper in _inside(extra)}


def test_nothing_is_missing_where_everything_is_installed() -> None:
    assert [name for name in EXTRAS if missing(name) and name not in ON_REQUEST] == []
    need("studio", "this test")


def test_every_room_that_needs_an_extra_names_the_smallest_before_it_starts(bare: Bare) -> None:
    printed = bare(
        """
import importlib
for room in ("campaign", "storage", "studio", "plots", "experiments"):
    try:
        importlib.import_module(f"palacs.{room}")
    except ModuleNotFoundError as error:
        print(error)
"""
    )
    extras = ["campaign", "campaign", "studio", "plots", "experiments"]
    assert re.findall(r"pip install 'palacs\[(\w+)\]'$", printed, re.MULTILINE) == extras


def test_a_file_or_data_set_names_the_extra_that_reads_it(bare: Bare, tmp_path: Path) -> None:
    table = tmp_path / "a b.csv"
    table.write_text("x,y\n1,a\n2,b\n")
    printed = bare(
        f"""
from palacs.datasets import load_any
for word in ({str(table)!r}, {str(table.with_suffix(".parquet"))!r}, "smartwatch"):
    try:
        load_any(word, None if word == "smartwatch" else "y")
    except (ModuleNotFoundError, FileNotFoundError) as error:
        print(error)
"""
    )
    assert "palacs[tables]" in printed
    assert "palacs[smartwatch]" in printed


def test_an_export_to_parquet_asks_for_its_extra_before_it_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import palacs

    campaign = palacs.create_campaign("demo", ["a", "b"], storage="memory")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'palacs\[parquet\]'$"):
        campaign.export(tmp_path / "demo.parquet")
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'palacs\[parquet\]'$"):
        palacs.campaign.import_campaign(tmp_path / "demo.parquet", storage="memory")
    assert list(tmp_path.iterdir()) == []
