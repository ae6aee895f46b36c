"""Conditions, a budget in money and the advice to stop, from a shell."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from palacs.cli._app import build_app

app = build_app()


def palacs(*arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(app, ["campaign", *arguments])
    assert result.exit_code == code, (result.output, result.exception)
    return result


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PALACS_STORAGE", raising=False)


def create(conditions: dict[str, object], *more: str, code: int = 0) -> Result:
    Path("conditions.json").write_text(json.dumps(conditions))
    arguments = ("demo", "--classes", "a,b,c", "--seed", "0", "--conditions", "conditions.json")
    return palacs("create", *arguments, *more, code=code)


def acquire(n: int, *more: str) -> list[str]:
    labels = []
    for i in range(n):
        asked = json.loads(palacs("ask", "demo", "--json").stdout)
        palacs("tell", "demo", asked["id"], f"0.{i}", "0.5", *more)
        labels.append(asked["label"])
    return labels


def test_a_class_is_not_asked_for_beyond_its_cap():
    create({"caps": {"a": 1}})
    assert acquire(8).count("a") == 1


def test_the_same_class_never_comes_twice_in_a_row():
    create({"max_repeat": 1})
    labels = acquire(9)
    assert all(one != two for one, two in itertools.pairwise(labels))


def test_a_budget_in_money_ends_the_asking():
    create({"costs": {"a": 1, "b": 1, "c": 1}}, "--budget-cost", "4")
    acquire(4, "--cost", "1")
    refused = palacs("ask", "demo", code=4)
    assert "4" in refused.output


@pytest.mark.parametrize(
    ("conditions", "named"),
    [({"caps": {"nobody": 1}}, "nobody"), ({"costs": {"a": -1}}, "-1"), ({"price": 3}, "price")],
)
def test_conditions_that_make_no_sense_are_refused_before_anything_is_written(conditions, named):
    refused = create(conditions, code=1)
    assert named in refused.output
    assert not Path("palacs.db").exists()


def test_the_advice_on_stopping_states_its_evidence():
    create({})
    acquire(6)
    advice = json.loads(palacs("stopping", "demo", "--json").stdout)
    assert advice["stop"] is False
    assert advice["curve"]["sizes"][-1] == 6
    assert len(advice["curve"]["errors"]) == len(advice["curve"]["standard_errors"])
    assert len(advice["reason"].split()) > 3
    assert palacs("stopping", "demo").stdout.startswith("go on: ")


def test_an_error_that_is_good_enough_can_be_named():
    create({})
    for i in range(90):
        palacs("add", "demo", f"{i % 3}.{i:02}", "--label", "abc"[i % 3])
    assert palacs("stopping", "demo").stdout.startswith("go on: ")
    assert palacs("stopping", "demo", "--good-enough", "0.2").stdout.startswith("stop: ")
    refused = palacs("stopping", "demo", "--good-enough", "-1", code=1)
    assert "good_enough must be" in refused.output
