"""Subjects, recordings, features and persons from a shell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from palacs.campaign import load_campaign
from palacs.cli._app import build_app

app = build_app()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PALACS_STORAGE", raising=False)
    monkeypatch.delenv("PALACS_PERSON", raising=False)
    return tmp_path


def palacs(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["campaign", *arguments])
    assert result.exit_code == code, (result.output, result.exception)
    return result.output


def as_json(*arguments: str) -> Any:
    return json.loads(palacs(*arguments, "--json"))


def create(*more: str) -> None:
    palacs("create", "lab", "--classes", "a,b", *more)


def test_a_session_in_the_laboratory_is_written_down(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "eeg.json").write_text('{"names": ["alpha", "beta"], "units": "µV²"}')
    (folder / "trial.edf").write_bytes(b"raw")
    create("--features", "eeg.json", "--attr", "device=cap 3", "--groups", "subject")
    request = as_json("ask", "lab", "--attr", "subject=01", "--attr", "session:=2")
    noted = {"device": "cap 3", "subject": "01", "session": 2}
    assert request["attrs"] == noted
    told = as_json("tell", "lab", request["id"], "0.1", "-0.2", "--recording", "trial.edf")
    assert told["attrs"] == noted
    assert told["recording"]["where"] == str(folder / "trial.edf")
    [row] = as_json("history", "lab", "--features")
    assert row["attrs"] == noted
    assert (row["alpha"], row["beta"]) == (0.1, -0.2)
    monkeypatch.setenv("COLUMNS", "80")
    assert f"{request['id']} " in palacs("history", "lab")
    monkeypatch.setenv("COLUMNS", "160")
    assert "device=cap 3 session:=2 subject=01" in palacs("history", "lab")


def test_the_person_comes_before_the_command_or_from_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    create("--features", "alpha, beta")
    palacs("--person", "Anna", "add", "lab", "0.1", "0.2", "--label", "a")
    monkeypatch.setenv("PALACS_PERSON", "Ben")
    palacs("add", "lab", "0.1", "0.2", "--label", "a")
    rows = as_json("history", "lab")
    assert [row["told_by"] for row in rows] == ["Anna", "Ben"]
    assert "person 'a\\tb' is not usable" in palacs("--person", "a\tb", "pause", "lab", "a", code=1)


def test_recordings_are_checked_and_trouble_has_an_exit_code(folder: Path) -> None:
    create()
    for name in ("one.bin", "two.bin", "three.bin"):
        (folder / name).write_bytes(name.encode())
        palacs("add", "lab", "0.1", "--label", "a", "--id", name, "--recording", name)
    palacs("add", "lab", "1", "--label", "b", "--recording", "s3://lab/far.edf")
    kept = ("--recording", "one.bin", "--keep-recording")
    palacs("add", "lab", "1", "--label", "b", "--id", "kept", *kept)
    assert palacs("check-recordings", "lab").splitlines() == [
        "4 intact, 0 missing, 0 changed, 0 unreachable, 1 not fetched"
    ]
    (folder / "one.bin").unlink()
    (folder / "two.bin").write_bytes(b"other")
    (folder / "moved").mkdir()
    (folder / "three.bin").rename(folder / "moved" / "three.bin")
    lines = palacs("check-recordings", "lab", code=7).splitlines()
    assert lines == [
        f"one.bin\tmissing\t{folder}/one.bin",
        f"two.bin\tchanged\t{folder}/two.bin\t5 bytes instead of 7",
        f"three.bin\tmissing\t{folder}/three.bin",
        "1 intact, 2 missing, 1 changed, 0 unreachable, 1 not fetched",
    ]
    found = json.loads(palacs("check-recordings", "lab", "--folder", "moved", "--json", code=7))
    assert found["counts"]["missing"] == 1
    assert [row["id"] for row in found["troubled"]] == ["one.bin", "two.bin"]
    recording = load_campaign("lab", storage="sqlite:///palacs.db").recording("kept")
    assert recording is not None
    assert recording.content == b"one.bin"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--attr", "subject"], "must look like subject=s01"),
        (["--attr", "session:=two"], "what follows := is no JSON"),
        (["--attr", "=s01"], "is no name"),
        (["--attr", "subject=s01", "--attr", "subject:=2"], "'subject' is given twice"),
        (["--recording", "nothing.edf"], "nothing.edf"),
        (["--keep-recording"], "needs a --recording"),
    ],
)
def test_what_cannot_be_noted_is_refused_and_nothing_written(
    arguments: list[str], complaint: str
) -> None:
    create()
    output = palacs("add", "lab", "0.1", "--label", "a", *arguments, code=1)
    assert complaint in " ".join(output.split())
    assert as_json("history", "lab") == []


def test_an_instance_without_its_subject_is_refused() -> None:
    create("--groups", "subject,session")
    told = palacs("add", "lab", "0.1", "--label", "a", "--attr", "subject=s01", code=1)
    assert "grouped by subject and session, but 'session' is not noted" in told
