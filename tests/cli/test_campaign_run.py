"""``palacs campaign run``, as a shell meets it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from palacs.campaign import load_campaign
from palacs.cli._app import build_app

app = build_app()


def palacs(*arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(app, ["campaign", *arguments])
    assert result.exit_code == code, (result.output, result.exception)
    return result


@pytest.fixture(autouse=True)
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("PALACS_STORAGE", raising=False)
    palacs("create", "demo", "--classes", "left,right", "--budget", "4", "--seed", "0")


def test_a_program_is_run_until_the_budget_is_used_up_and_then_there_is_nothing_to_ask():
    result = palacs("run", "demo", "--exec", "echo 0.5 1", "--until", "3", "--attr", "day=1")
    lines = [line.split("\t")[0] for line in result.stdout.splitlines()]
    assert lines == ["asked", "told"] * 3
    assert "3 acquired" in result.stderr
    last = palacs("run", "demo", "--exec", "echo 0.5 1", "--json")
    assert [json.loads(line)["event"] for line in last.stdout.splitlines()] == ["asked", "told"]
    assert "budget" in palacs("run", "demo", "--exec", "echo 0.5 1", code=4).stderr
    assert set(load_campaign("demo").history()["attrs.day"].dropna()) == {"1"}


def test_functions_and_sources_of_ones_own_are_found_in_a_file(tmp_path: Path):
    (tmp_path / "mine.py").write_text(
        "def acquire(request):\n    return [1.0, 2.0]\n\n"
        "class Own:\n    def acquire(self, request):\n        return [3.0, 4.0]\n"
    )
    palacs("run", "demo", "--python", "mine.py:acquire", "--until", "1")
    palacs("run", "demo", "--source", "python:mine:Own", "--until", "1")
    assert load_campaign("demo").labelled_set()[0].tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_a_data_set_is_replayed(tmp_path: Path):
    (tmp_path / "six.csv").write_text("x,y,label\n1,2,left\n3,4,right\n5,6,left\n7,8,right\n")
    palacs("run", "demo", "--replay", "six.csv:label", "--until", "2")
    assert load_campaign("demo").status().instances == 2


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ((), "give one source"),
        (("--exec", "echo 1", "--folder", "x"), "got 2"),
        (("--exec", "no-such-program"), "no-such-program"),
        (("--source", "teleport:x"), "teleport"),
        (("--exec", "echo 1", "--until", "later"), "later"),
        (("--python", "nowhere.py:acquire"), "nowhere.py"),
    ],
)
def test_what_cannot_work_is_refused_before_anything_is_asked(arguments: tuple[str, ...], why: str):
    assert why in palacs("run", "demo", *arguments, code=1).stderr
    assert load_campaign("demo").history_length() == 0


def test_a_source_that_only_fails_ends_the_run_with_an_error():
    result = palacs("run", "demo", "--exec", "false", "--retries", "0", code=1)
    assert "10 requests in a row brought nothing" in result.stderr
    assert "exit code 1" in result.stderr
    slowly = ["--exec", "sh -c 'sleep 0.8; exit 1'", "--retries", "0", "--until", "0.6s"]
    some = palacs("run", "demo", *slowly, code=1)
    assert "0 acquired" in some.stderr
    assert palacs("run", "nobody", "--exec", "true", code=3)


def test_an_end_from_outside_leaves_neither_request_nor_program(tmp_path: Path):
    command = [sys.executable, "-m", "palacs", "campaign", "run", "demo"]
    hang = ["--exec", "sh -c 'echo $$ > pid; sleep 60'"]
    loop = subprocess.Popen([*command, *hang], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    pid = tmp_path / "pid"
    end = time.monotonic() + 60
    while not (pid.exists() and pid.read_text().strip()):
        assert time.monotonic() < end
        time.sleep(0.02)
    loop.send_signal(signal.SIGTERM)
    _, said = loop.communicate(timeout=30)
    assert loop.returncode == 128 + signal.SIGTERM
    assert "interrupted" in said
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)
    assert list(load_campaign("demo").history()["state"]) == ["failed"]
