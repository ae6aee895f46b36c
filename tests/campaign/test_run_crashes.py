"""A run that is interrupted or killed leaves no request open, and no process behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from palacs.campaign import Campaign, acting_as, create_campaign

_LOOP = """
import os, pathlib, signal, sys, time
from palacs.campaign import load_campaign

# A shell that runs the tests in the background has switched Ctrl-C off for all it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)
folder = pathlib.Path(sys.argv[2])

def acquire(request):
    (folder / request.id).write_text(str(os.getpid()))
    time.sleep(60)

load_campaign("demo", storage=sys.argv[1]).run(acquire, parallel=2, workers=sys.argv[3])
"""


@pytest.fixture
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return f"sqlite:///{tmp_path}/lab.db"


@pytest.fixture
def c(url: str) -> Iterator[Campaign]:
    with create_campaign("demo", ["left", "right"], storage=url, seed=0) as made:
        yield made


@pytest.fixture
def begin(url: str, tmp_path: Path) -> Iterator[Callable[[str], subprocess.Popen[bytes]]]:
    loops: list[subprocess.Popen[bytes]] = []

    def start(workers: str) -> subprocess.Popen[bytes]:
        (tmp_path / "open").mkdir(exist_ok=True)
        command = [sys.executable, "-c", _LOOP, url, str(tmp_path / "open"), workers]
        loops.append(subprocess.Popen(command, stderr=subprocess.DEVNULL))
        _until(lambda: len(list((tmp_path / "open").iterdir())) == 2)
        return loops[-1]

    yield start
    for loop in loops:
        loop.kill()
        loop.wait()


def _until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except FileNotFoundError:
        return False


def test_an_interrupted_run_fails_what_is_open_and_ends_its_processes(
    c: Campaign, begin: Callable[[str], subprocess.Popen[bytes]], tmp_path: Path
):
    loop = begin("processes")
    loop.send_signal(signal.SIGINT)
    assert loop.wait(30) != 0
    rows = c.history()
    assert list(rows["state"]) == ["failed", "failed"]
    assert set(rows["reason"]) == {"the run ended before it was answered (KeyboardInterrupt)"}
    pids = {int(path.read_text()) for path in (tmp_path / "open").iterdir()}
    assert len(pids) == 2
    assert not any(map(_lives, pids))


def test_what_a_killed_run_left_open_is_settled_by_the_next(
    c: Campaign, begin: Callable[[str], subprocess.Popen[bytes]], tmp_path: Path
):
    mine = c.ask(op="by hand")
    loop = begin("processes")
    live = c.run(lambda r: [0.5, 0.5], until=1)
    assert live.told == 1
    assert len(c.pending()) == 3, "a run that lives is left alone"
    loop.kill()
    loop.wait()
    pids = {int(path.read_text()) for path in (tmp_path / "open").iterdir()}
    _until(lambda: not any(map(_lives, pids)))
    c.run(lambda r: [0.5, 0.5], until=1)
    rows = c.history().set_index("id")
    assert [request.id for request in c.pending()] == [mine.id]
    left = [path.name for path in (tmp_path / "open").iterdir()]
    assert set(rows.loc[left, "state"]) == {"failed"}
    assert all("died before it was answered" in why for why in rows.loc[left, "reason"])
    assert not list((tmp_path / "state" / "palacs" / "runs").iterdir())


def test_a_run_of_another_machine_is_left_alone(c: Campaign, monkeypatch: pytest.MonkeyPatch):
    with acting_as(None, holder="run-0123456789ab"):
        request = c.ask()
    c.run(lambda r: [0.5, 0.5], until=1)
    assert [other.id for other in c.pending()] == [request.id]


def test_a_run_goes_on_where_its_marks_cannot_be_kept(c: Campaign, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XDG_STATE_HOME", os.devnull)
    assert c.run(lambda r: [0.5, 0.5], until=1).told == 1
