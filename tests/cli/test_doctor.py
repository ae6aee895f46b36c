"""palacs doctor: what is there, what is not, and what to do about it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import palacs
from palacs.cli._app import build_app
from palacs.cli._doctor import Finding, _dependencies
from palacs.extras import EXTRAS

app = build_app()


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PALACS_STORAGE", raising=False)


def findings(*arguments: str, code: int = 0) -> dict[str, dict[str, str]]:
    ran = CliRunner().invoke(app, ["doctor", "--json", *arguments])
    assert ran.exit_code == code, (ran.output, ran.exception)
    return {row["about"]: row for row in json.loads(ran.stdout)}


def test_everything_that_matters_has_its_line_and_nothing_is_made_by_looking(
    tmp_path: Path,
) -> None:
    found = findings()
    assert found["palacs"]["said"].startswith(palacs.__version__)
    assert {f"extra {name}" for name in EXTRAS} <= found.keys()
    assert {"python", "dependencies", "compiled", "storage", "browser"} <= found.keys()
    assert "numba" in found["dependencies"]["said"]
    assert str(palacs.compiled.folder()) in found["compiled"]["said"]
    assert found["storage"]["state"] == "absent"
    assert list(tmp_path.iterdir()) == []


def test_an_extra_that_is_missing_is_no_problem_and_has_its_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    found = findings()
    assert found["extra parquet"]["state"] == "absent"
    assert found["extra parquet"]["remedy"] == "run: pip install 'palacs[parquet]'"
    assert found["extra plots"]["state"] == "ok"


def test_a_storage_is_opened_and_a_broken_one_is_a_problem(tmp_path: Path) -> None:
    palacs.create_campaign("demo", ["a", "b"], storage="sqlite:///lab.db")
    said = findings("--storage", "sqlite:///lab.db")["storage"]["said"]
    assert said.startswith("sqlite:///lab.db: schema ")
    assert said.endswith(", 1 campaigns")
    Path("no.db").write_text("this is no database, but long enough to be looked at" * 100)
    assert findings("--storage", "sqlite:///no.db", code=1)["storage"]["state"] == "problem"
    assert findings("--storage", "nothing", code=1)["storage"]["state"] == "problem"


def test_a_storage_that_cannot_be_made_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    found = findings("--storage", "sqlite:///nowhere/lab.db", code=1)["storage"]
    assert found["state"] == "problem"
    assert found["said"].endswith("nowhere' does not exist")
    monkeypatch.setattr("palacs.cli._doctor.os.access", lambda *_: False)
    assert findings(code=1)["storage"]["said"].endswith(" may not be written to")


def test_a_dependency_below_its_bound_is_a_problem_with_the_command_to_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bounds = ["numpy>=999.1", 'pandas>=2; extra == "tables"', 'pytest>=999; extra == "test"']
    monkeypatch.setattr("palacs.cli._doctor.requires", lambda _: bounds)
    old, fitting = _dependencies()
    assert old.state == "problem"
    assert old.remedy == "run: pip install --upgrade 'numpy>=999.1'"
    assert isinstance(fitting, Finding)
    assert fitting.said.startswith("pandas ")
