"""A program as a source: what it prints is told, what goes wrong is in the record."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from palacs.campaign import Campaign, SourceFailed, create_campaign
from palacs.sources import Program


def campaign(*classes: str, **settings: Any) -> Campaign:
    return create_campaign("demo", classes or ("left", "right"), storage="memory", **settings)


def script(folder: Path, text: str) -> Program:
    path = folder / "record"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return Program(["./record", "{label}", "{id}"], folder)


def failures(c: Campaign) -> list[str]:
    rows = c.history()
    return list(rows["reason"][rows["state"] == "failed"])


def test_numbers_that_a_program_prints_are_told(tmp_path: Path):
    c = campaign("a", "b c; rm *")
    run = c.run(script(tmp_path, 'echo "$#" 0.5; echo "$1|$2|$PALACS_LABEL" >> seen'), until=2)
    assert run.told == 2
    assert c.labelled_set()[0].tolist() == [[2.0, 0.5]] * 2
    rows = c.history()
    seen = {f"{row.asked}|{row.id}|{row.asked}" for row in rows.itertuples()}
    assert set((tmp_path / "seen").read_text().splitlines()) == seen


def test_a_file_that_a_program_names_is_the_recording(tmp_path: Path):
    c = campaign()
    c.run(script(tmp_path, 'echo "1 2" > $2.csv; echo $2.csv'), until=1)
    row = c.history().iloc[0]
    assert row["recording"] == str(tmp_path / f"{row['id']}.csv")
    assert c.labelled_set()[0].tolist() == [[1.0, 2.0]]


def test_a_program_may_say_more_as_json(tmp_path: Path):
    c = campaign()
    said = '{"x": [1, 2], "cost": 3, "attrs": {"gain": 4}, "id": "$2", "label": "$1"}'
    c.run(script(tmp_path, f"cat <<END\n{said}\nEND"), until=1)
    row = c.history().iloc[0]
    assert (row["cost"], row["attrs.gain"]) == (3, 4)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("echo amplifier off >&2; exit 3", "record ended with exit code 3: amplifier off"),
        ("kill -9 $$", "record ended with signal 9"),
        ("echo trial.edf", "'trial.edf', which is neither numbers nor a file"),
        ("echo /data/trial-7.edf", "neither numbers nor a file"),
        ("true", "answered nothing"),
        ("echo 1 nan", "nan"),
        ("echo '1 2'; echo '3 4'", "one row"),
        ("echo '{'", "no JSON"),
        ('echo \'{"x": [1], "id": "r9"}\'', "another request"),
        ('echo \'{"x": [1], "label": "rest"}\'', "'rest'"),
        ('echo \'{"failed": "the participant sneezed"}\'', "the participant sneezed"),
        ("echo '{\"y\": 1}'", "'y'"),
    ],
)
def test_what_goes_wrong_is_the_reason_in_the_record(tmp_path: Path, text: str, reason: str):
    c = campaign()
    with pytest.raises(SourceFailed):
        c.run(script(tmp_path, text), retries=0, give_up=1)
    assert reason in failures(c)[0]


def test_a_program_that_hangs_is_killed_with_its_children(tmp_path: Path):
    c = campaign()
    hangs = script(tmp_path, "sleep 60 & echo $! > child; wait")
    with pytest.raises(SourceFailed):
        c.run(hangs, timeout=0.5, give_up=1)
    assert failures(c) == ["no answer within 0.5 s"]
    child = int((tmp_path / "child").read_text())
    end = time.monotonic() + 10
    while _lives(child):
        assert time.monotonic() < end
        time.sleep(0.02)


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("", "empty"),
        ("no-such-program {label}", "no-such-program"),
        ("./missing", "missing"),
        ("'unclosed", "cannot be read"),
        ("./{label}", "depend"),
        ("sh -c 'record {label}'", "PALACS_LABEL"),
        ('python3 -c "print({label})"', "PALACS_LABEL"),
    ],
)
def test_a_command_that_cannot_run_is_refused_before_anything_is_asked(command: str, why: str):
    with pytest.raises(ValueError, match=why):
        Program(command)


def test_a_class_that_looks_like_an_option_is_refused_before_anything_is_asked(tmp_path: Path):
    c = campaign("-rf", "b")
    with pytest.raises(ValueError, match="PALACS_LABEL"):
        c.run(script(tmp_path, "echo 1"), until=1)
    assert c.history_length() == 0


@pytest.mark.parametrize("named", ['"trial.csv"', '{"path": "trial.csv"}'])
def test_a_file_that_json_names_is_looked_for_where_the_program_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str
):
    there = tmp_path / "there"
    there.mkdir()
    (there / "trial.csv").write_text("1 2")
    (tmp_path / "trial.csv").write_text("8 9")  # of somebody else
    monkeypatch.chdir(tmp_path)
    c = campaign()
    c.run(script(there, f"echo '{{\"recording\": {named}}}'"), until=1)
    assert c.labelled_set()[0].tolist() == [[1.0, 2.0]]
    assert c.recordings()[0].where == str(there / "trial.csv")
