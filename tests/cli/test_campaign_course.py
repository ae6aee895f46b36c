"""Changing a campaign's course from a shell."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from palacs.cli._app import build_app

app = build_app()
Palacs = Callable[..., Result]


@pytest.fixture
def palacs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Palacs:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PALACS_STORAGE", raising=False)

    def run(*arguments: str, code: int = 0) -> Result:
        result = CliRunner().invoke(app, list(arguments))
        assert result.exit_code == code, (result.output, result.exception)
        return result

    run("campaign", "create", "demo", "--classes", "a,b", "--seed", "0", "--budget", "2")
    return run


def test_settings_change_with_a_reason(palacs: Palacs, tmp_path: Path) -> None:
    (tmp_path / "conditions.json").write_text('{"costs": {"a": 2, "b": 1}}')
    palacs("campaign", "change", "demo", "--budget", "5", code=2)  # no reason
    done = palacs(
        *("campaign", "change", "demo", "--budget", "5", "--budget-cost", "40.5", "--lease", "0"),
        *("--conditions", "conditions.json", "--strategy", "uniform", "--reason", "day two"),
        "--json",
    )
    settings = json.loads(done.stdout)
    assert (settings["budget"], settings["budget_cost"], settings["lease"]) == (5, 40.5, None)
    assert settings["strategy"]["name"] == "uniform"
    assert settings["conditions"] == {"costs": {"a": 2, "b": 1}}
    for none in ("--budget", "--budget-cost", "--conditions"):
        palacs("campaign", "change", "demo", none, "none", "--reason", "no limit")
    assert "no limit" in palacs("campaign", "status", "demo").stdout
    assert (
        "is no number"
        in palacs("campaign", "change", "demo", "--budget", "many", "--reason", "x", code=1).stderr
    )


def test_a_class_is_renamed_and_a_request_renewed(palacs: Palacs) -> None:
    request = json.loads(palacs("campaign", "ask", "demo", "--json").stdout)
    palacs("campaign", "rename-class", "demo", "a", "alpha", "--reason", "clearer")
    renewed = json.loads(palacs("campaign", "renew", "demo", request["id"], "--json").stdout)
    assert renewed["id"] == request["id"]
    assert renewed["expires_at"] > request["expires_at"]
    assert "pending until" in palacs("campaign", "renew", "demo", request["id"]).stdout
    status = json.loads(palacs("campaign", "status", "demo", "--json").stdout)
    assert [row["label"] for row in status["classes"]] == ["alpha", "b"]
    palacs("campaign", "rename-class", "demo", "b", "alpha", "--reason", "twice", code=6)


def test_a_closed_campaign_asks_for_nothing_and_an_archived_one_is_out_of_the_list(
    palacs: Palacs,
) -> None:
    palacs("campaign", "close", "demo", "--reason", "complete")
    assert "reopen" in palacs("campaign", "ask", "demo", code=4).stderr
    assert "closed" in palacs("campaign", "list").stdout
    assert "closed" in palacs("campaign", "status", "demo").stdout
    palacs("campaign", "archive", "demo", "--reason", "old")
    assert palacs("campaign", "list").stdout == ""
    assert json.loads(palacs("campaign", "list", "--json").stdout) == []
    assert "demo" in palacs("campaign", "list", "--all").stdout
    palacs("campaign", "reopen", "demo", "--reason", "one more")
    assert "demo" in palacs("campaign", "list").stdout
    palacs("campaign", "ask", "demo")


def test_erasing_asks_whether_it_is_meant(palacs: Palacs) -> None:
    palacs("campaign", "add", "demo", "0.5", "--label", "a", "--attr", "subject=s07")
    palacs("campaign", "add", "demo", "0.7", "--label", "b", "--attr", "subject=S7")
    erase = ("campaign", "erase", "demo", "--attr", "subject=s07", "--reason", "withdrawn")
    assert "--yes" in palacs(*erase, code=1).stderr
    palacs("campaign", "erase", "demo", "--attr", "subject=s07", "--yes", code=2)  # no reason
    done = palacs(*erase, "--yes", "--json")
    assert "subject='S7' is alike and was not erased" in done.stderr
    assert json.loads(done.stdout) == {"name": "demo", "erased": "1"}
    assert "erased" in palacs("campaign", "history", "demo").stdout
    status = json.loads(palacs("campaign", "status", "demo", "--json").stdout)
    assert (status["instances"], status["states"]["erased"]) == (1, 1)
    assert json.loads(palacs("campaign", "replay", "demo", "--json").stdout)["erased"] == []


def test_a_campaign_continues_one_in_another_file(palacs: Palacs) -> None:
    palacs("campaign", "add", "demo", "0.5", "--label", "a")
    other = ("--storage", "sqlite:///other.db")
    origin = ("--continue-from", "demo", "--from-storage", "sqlite:///palacs.db")
    palacs("campaign", "create", "more", *origin, *other)
    status = json.loads(palacs("campaign", "status", "more", "--json", *other).stdout)
    assert (status["instances"], len(status["classes"])) == (1, 2)
    palacs("campaign", "create", "none", *other, code=1)


def test_repeating_a_change_with_its_id_does_nothing_twice(palacs: Palacs) -> None:
    again = ("--reason", "day two", "--op", "call-1")
    for _ in range(2):
        palacs("campaign", "change", "demo", "--budget", "5", *again)
    for _ in range(2):
        palacs("campaign", "close", "demo", "--reason", "done", "--op", "call-2")
    palacs("campaign", "reopen", "demo", "--reason", "not yet", "--op", "call-2", code=6)
    palacs("campaign", "reopen", "demo", "--reason", "not yet")
    # Closing again under the id of the first time is the first time.
    palacs("campaign", "close", "demo", "--reason", "done", "--op", "call-2")
    assert "closed" not in palacs("campaign", "status", "demo").stdout


def test_what_people_wrote_cannot_steer_the_terminal(palacs: Palacs) -> None:
    request = json.loads(palacs("campaign", "ask", "demo", "--json").stdout)
    reason = "moved\x1b[2J\x9b31m\u202e"
    palacs("campaign", "fail", "demo", request["id"], "--reason", reason)
    shown = palacs("campaign", "history", "demo").stdout
    listed = palacs("campaign", "history", "demo", "--json").stdout
    for said in (shown, listed):
        assert not {"\x1b", "\x9b", "\u202e"} & set(said)
    assert json.loads(listed)[0]["reason"] == reason


def test_tables_come_in_by_name_and_the_labelled_set_goes_out(
    palacs: Palacs, tmp_path: Path
) -> None:
    (tmp_path / "one.csv").write_text("label,alpha,beta\na,1,2\nb,3,4\n")
    (tmp_path / "two.csv").write_text("beta,alpha,label\n6,5,a\n")
    (tmp_path / "odd.csv").write_text("label,alpha,gamma\na,1,2\n")
    (tmp_path / "trial.csv").write_text("beta,alpha\n8,7\n")
    first = palacs("campaign", "add-table", "demo", "one.csv", "--attr", "subject=s01")
    assert first.stdout == "2 instances\tfeatures alpha, beta\n"
    palacs("campaign", "add-table", "demo", "two.csv", "--json")
    palacs("campaign", "add", "demo", "--label", "b", "--file", "trial.csv")
    refused = palacs("campaign", "add-table", "demo", "odd.csv", code=1).stderr
    assert "odd.csv: its features are alpha, gamma, but this campaign's are alpha, beta" in refused
    palacs("campaign", "labelled-set", "demo", "out.csv")
    assert (tmp_path / "out.csv").read_text().split() == [
        *("alpha,beta,label", "1.0,2.0,a", "3.0,4.0,b", "5.0,6.0,a", "7.0,8.0,b")
    ]


def test_a_title_is_given_and_taken_back(palacs: Palacs) -> None:
    for title, known in (("Motor imagery", "Motor imagery"), ("none", None)):
        done = palacs("campaign", "change", "demo", "--title", title, "--reason", "r", "--json")
        assert json.loads(done.stdout).get("title") == known
