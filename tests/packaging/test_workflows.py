"""The workflows call what the Makefile has, on the Pythons that pyproject.toml promises."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS: dict[str, dict[str, Any]] = {
    path.stem: yaml.safe_load(path.read_text(encoding="utf-8"))
    for path in (ROOT / ".github" / "workflows").glob("*.yml")
}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PYTHONS = sorted(set(re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["classifiers"]))))


def targets() -> set[str]:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    found = re.search(r"^\.PHONY: (.+)$", makefile, re.MULTILINE)
    assert found
    return set(found[1].split())


@pytest.mark.parametrize("name", WORKFLOWS)
def test_every_make_target_that_is_called_exists(name: str) -> None:
    steps = [step for job in WORKFLOWS[name]["jobs"].values() for step in job["steps"]]
    called = re.findall(r"^make ([\w-]+)", "\n".join(step.get("run", "") for step in steps), re.M)
    assert called
    assert set(called) <= targets()


def test_all_supported_pythons_are_tried_and_the_oldest_is_the_one_required() -> None:
    assert WORKFLOWS["tests"]["jobs"]["test"]["strategy"]["matrix"]["python"] == PYTHONS
    assert PROJECT["requires-python"] == f">={PYTHONS[0]}"
    ends = WORKFLOWS["tests"]["jobs"]["releases"]["strategy"]["matrix"]["include"]
    assert {(row["end"], row["python"]) for row in ends} >= {
        ("oldest", PYTHONS[0]),
        ("oldest", PYTHONS[-1]),
        ("newest", PYTHONS[-1]),
    }


def test_what_is_released_was_tested_and_no_password_is_kept() -> None:
    jobs = WORKFLOWS["release"]["jobs"]
    assert {"run": "make dist"} in jobs["dist"]["steps"]
    assert any("make test" in step.get("run", "") for step in jobs["dist"]["steps"])
    assert jobs["publish"]["needs"] == "dist"
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert "secrets." not in str(jobs)
