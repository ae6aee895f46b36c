"""Sources that hang, die or bring nonsense: a clear failure in the record, and the loop goes on."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from palacs.campaign import Acquired, Campaign, Recording, Request, SourceFailed, create_campaign


@pytest.fixture
def c() -> Campaign:
    return create_campaign("demo", ["left", "right"], storage="memory", seed=0, n_features=2)


def failures(c: Campaign) -> list[str]:
    rows = c.history()
    return list(rows["reason"][rows["state"] == "failed"])


def once(bad: Any, good: Any = (0.5, 0.5)) -> Any:
    """Return a source whose first answer is bad."""
    calls: list[str] = []

    def acquire(request: Request) -> Any:
        calls.append(request.id)
        if len(calls) > 1:
            return good
        return bad(request) if callable(bad) else bad

    return acquire


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ([float("nan"), 1.0], "nan"),
        ([float("inf"), 1.0], "inf"),
        ([1.0, 2.0, 3.0], "3"),
        ([], "x"),
        ([[1.0, 2.0], [3.0, 4.0]], "shape (2, 2)"),
        (["a", "b"], "'a'"),
        (None, "returned None"),
        ("nowhere/trial.csv", "nowhere/trial.csv"),
        (Path("/"), "folder"),
        (lambda r: Acquired([1, 2], label=_other(r)), "was asked for"),
        (lambda r: Acquired([1, 2], recording="gone.wav"), "gone.wav"),
        (lambda r: Acquired([1, 2], cost=-1), "cost"),
        (lambda r: Acquired([1, 2], attrs={"at": object()}), "at"),
        (lambda r: Acquired(recording=Recording.keep(b"no numbers", "a.csv")), "a.csv"),
        (lambda r: Acquired(), "nothing was acquired"),
        (lambda r: (yield), "x"),
        (np.zeros((0,)), "x"),
    ],
)
def test_nonsense_fails_its_request_and_the_next_one_is_told(c: Campaign, bad: Any, reason: str):
    run = c.run(once(bad), until=1, retries=0)
    assert (run.told, run.failed) == (1, 1)
    assert reason in failures(c)[0]
    assert not c.pending()


def _other(request: Request) -> str:
    return "left" if request.label == "right" else "right"


def test_a_source_that_hangs_is_given_up_and_its_late_answer_is_dropped(c: Campaign):
    go, answered = threading.Event(), threading.Event()

    def hang(request: Request) -> Any:
        go.wait(30)
        answered.set()
        return [7.0, 7.0]

    def good(request: Request) -> Any:
        if answered.is_set():
            return [1.0, 1.0]
        go.set()  # the late answer comes while this request is open
        answered.wait(30)
        time.sleep(0.05)
        return [1.0, 1.0]

    first: list[str] = []

    def acquire(request: Request) -> Any:
        first.append(request.id)
        return hang(request) if len(first) == 1 else good(request)

    run = c.run(acquire, until=3, timeout=0.3)
    assert (run.told, run.failed) == (3, 1)
    assert failures(c) == ["no answer within 0.3 s"]
    assert 7.0 not in c.labelled_set()[0]


def test_a_process_that_hangs_is_ended(c: Campaign, tmp_path: Path):
    pid = tmp_path / "pid"

    def hang(request: Request) -> Any:
        pid.write_text(str(os.getpid()))
        time.sleep(60)

    c.run(_first_time(tmp_path, hang), until=1, timeout=0.5, workers="processes")
    assert failures(c) == ["no answer within 0.5 s"]
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


def test_a_process_that_dies_fails_its_attempt_alone(c: Campaign, tmp_path: Path):
    run = c.run(
        _first_time(tmp_path, lambda r: os.abort()), until=2, retries=0, workers="processes"
    )
    assert (run.told, run.failed) == (2, 1)
    assert failures(c) == ["the process that acquired died (SIGABRT)"]


def _first_time(folder: Path, bad: Any) -> Any:
    """Return a source that is bad the first time, whichever process it is in."""

    def acquire(request: Request) -> Any:
        if (folder / "once").exists():
            return [0.5, 0.5]
        (folder / "once").touch()
        return bad(request)

    return acquire


def test_a_source_that_wants_to_end_the_program_fails_its_request_alone(c: Campaign):
    run = c.run(once(lambda r: sys.exit("out of paper")), until=1, retries=0)
    assert (run.told, run.failed) == (1, 1)
    assert failures(c) == ["SystemExit: out of paper"]


def test_a_source_that_stumbles_over_its_own_end_hides_nothing(c: Campaign):
    class Broken:
        def open(self, campaign: Campaign) -> None:
            raise OSError("port in use")

        def acquire(self, request: Request) -> Any:
            return [0.5, 0.5]

        def close(self) -> None:
            raise AttributeError("port")

    with pytest.raises(OSError, match="port in use"):
        c.run(Broken())


def test_an_answer_to_what_somebody_else_settled_is_not_told_again(c: Campaign):
    def acquire(request: Request) -> Any:
        if c.status().states.get("failed", 0) == 0:
            c.fail(request, "the participant left")
        return [0.5, 0.5]

    run = c.run(acquire, until=1)
    assert (run.told, run.failed) == (1, 1)
    assert failures(c) == ["the participant left"]


def test_a_source_that_brings_nothing_ends_the_run_instead_of_burning_on(c: Campaign):
    def acquire(request: Request) -> Any:
        raise OSError("no such device")

    with pytest.raises(SourceFailed, match=r"10 requests in a row .* no such device") as caught:
        c.run(acquire, retries=0)
    assert caught.value.run.failed == 10
    assert len(failures(c)) == 10
    assert not c.pending()
