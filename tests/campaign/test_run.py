"""The loop around a source: what it brings is told, what it cannot bring is failed."""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from distributed import Client, LocalCluster

from palacs.campaign import (
    Acquired,
    Campaign,
    Conflict,
    NoMore,
    NotAcquired,
    Request,
    SourceFailed,
    create_campaign,
)
from palacs.strategies import UniformSelection


def campaign(**settings: Any) -> Campaign:
    return create_campaign("demo", ["left", "right"], storage="memory", seed=0, **settings)


def vector(request: Request) -> list[float]:
    return [float(request.label == "left"), 0.5]


def reasons(c: Campaign) -> list[str]:
    rows = c.history()
    return list(rows["reason"][rows["state"] == "failed"])


def test_a_function_is_a_source_and_brings_as_many_as_wanted():
    c = campaign()
    run = c.run(vector, until=6)
    assert (run.told, run.failed) == (6, 0)
    assert c.status().instances == 6
    assert not c.pending()
    assert "6" in str(run)


def test_without_an_end_it_goes_on_until_the_budget_is_used_up():
    c = campaign(budget=5)
    run = c.run(vector)
    assert run.told == 5
    assert "budget" in run.ended


def test_what_a_source_notes_is_in_the_record(tmp_path: Path):
    raw = tmp_path / "trial.csv"
    raw.write_text("1 2")
    c = campaign()
    c.run(lambda r: Acquired([1, 2], recording=raw, cost=3, attrs={"n": 1}), until=1)
    row = c.history().iloc[0]
    assert row["cost"] == 3
    assert row["recording"] == str(raw)
    assert row["attrs.n"] == 1
    assert row["duration"] >= 0


def test_a_file_of_numbers_is_its_own_recording(tmp_path: Path):
    raw = tmp_path / "trial.csv"
    raw.write_text("0.25,4")
    c = campaign()
    c.run(lambda r: raw, until=1)
    assert c.labelled_set()[0].tolist() == [[0.25, 4.0]]
    assert c.history().iloc[0]["recording"] == str(raw)


def test_parallel_acquisitions_are_under_way_at_the_same_time():
    meet = threading.Barrier(4, timeout=10)
    c = campaign()

    def acquire(request: Request) -> list[float]:
        meet.wait()
        return vector(request)

    assert c.run(acquire, until=8, parallel=4).told == 8


def test_a_source_that_fails_twice_is_tried_a_third_time():
    c, calls = campaign(), []

    def acquire(request: Request) -> list[float]:
        calls.append(request.id)
        if len(calls) < 3:
            raise OSError("cable loose")
        return vector(request)

    assert c.run(acquire, until=1, backoff=0.01).told == 1
    assert len(set(calls)) == 1
    assert not reasons(c)


def test_after_the_last_try_the_request_fails_with_the_reason():
    c, calls = campaign(), []

    def acquire(request: Request) -> list[float]:
        calls.append(request.id)
        if calls.count(calls[0]) == len(calls):
            raise OSError("cable loose")
        return vector(request)

    run = c.run(acquire, until=1, retries=1, backoff=0.01)
    assert (run.told, run.failed) == (1, 1)
    assert reasons(c) == ["cable loose (2 tries)"]


def test_what_will_never_come_is_not_tried_again_and_its_class_is_paused():
    c = campaign()

    def acquire(request: Request) -> list[float]:
        if request.label == "left":
            raise NoMore("no more of left")
        return vector(request)

    assert c.run(acquire, until=3).told == 3
    assert reasons(c) == ["no more of left"]
    assert [row.label for row in c.status().classes if row.paused] == ["left"]


def test_callbacks_hear_of_everything():
    heard: list[Any] = []
    c = campaign()

    def acquire(request: Request) -> list[float]:
        if len(heard) < 2:
            raise NotAcquired("not now")
        return vector(request)

    c.run(
        acquire,
        until=1,
        on_asked=lambda request: heard.append(("asked", request.id)),
        on_told=lambda instance: heard.append(("told", instance.id)),
        on_failed=lambda request, reason: heard.append(("failed", request.id, reason)),
    )
    first, second = (heard[0][1], heard[2][1])
    assert heard == [
        ("asked", first),
        ("failed", first, "not now"),
        ("asked", second),
        ("told", second),
    ]


@pytest.mark.parametrize("wrong", [{"parallel": 0}, {"retries": -1}, {"timeout": 0}, {"until": -1}])
def test_options_are_checked_before_anything_is_asked(wrong: Any):
    c = campaign()
    with pytest.raises(ValueError, match=next(iter(wrong))):
        c.run(vector, **wrong)
    assert c.history_length() == 0


@pytest.mark.parametrize(
    ("until", "why"),
    [
        (timedelta(seconds=0.2), "0.2 s are over"),
        ("0.2s", "0.2 s are over"),
        ("cost=5", "6 of 5 is spent"),
        (lambda run: run.told == 3, "condition"),
        (["40", lambda run: "tired" if run.told >= 2 else None], "tired"),
    ],
)
def test_a_run_ends_by_whatever_comes_first(until: Any, why: str):
    c = campaign()
    run = c.run(lambda r: Acquired(vector(r), cost=2), until=until)
    assert why in run.ended
    assert 0 < run.told < 10_000
    assert not c.pending()


def test_a_run_ends_when_stopping_is_advised():
    c = create_campaign("demo", ["a", "b"], storage="memory", strategy=UniformSelection(), seed=0)
    assert c.run(vector_with_errors, until=["advised", 2]).ended == "2 were wanted"
    c = create_campaign("more", ["a", "b"], storage="memory", strategy=UniformSelection(), seed=0)
    for n in range(200):
        # One of two values, the wrong one in four of ten: more will not help.
        c.add([float((n % 2) ^ (n // 2 % 10 < 4))], "ab"[n % 2])
    run = c.run(vector_with_errors, until=["advised", 2])
    assert (run.told, c.stopping().stop) == (0, True)
    assert "stopping is advised" in run.ended


def vector_with_errors(request: Request) -> list[float]:
    return [float(request.label == "b")]


@pytest.mark.parametrize("until", ["soon", "cost=", "0min", True, -1, 1.5, timedelta(0)])
def test_an_end_that_cannot_be_understood_is_refused(until: Any):
    with pytest.raises(ValueError, match="until"):
        campaign().run(vector, until=until)


def test_requests_of_a_slow_source_are_renewed_before_their_lease_ends():
    c = campaign(lease=0.4)
    over: list[int] = []

    def acquire(request: Request) -> list[float]:
        time.sleep(1.0)
        over.append(len(c.pending()))
        return vector(request)

    c.run(acquire, until=1)
    assert over == [1]
    assert "renewed" in [event.kind for event in c.events()]


def test_a_callback_that_fails_ends_the_run_and_leaves_nothing_open():
    c = campaign()

    def acquire(request: Request) -> list[float]:
        if request.label == "right":
            time.sleep(60)
        return vector(request)

    def stumble(instance: Any) -> None:
        raise RuntimeError("no display")

    with pytest.raises(RuntimeError, match="no display"):
        c.run(acquire, parallel=2, on_told=stumble)
    assert not c.pending()
    assert reasons(c) == ["the run ended before it was answered (RuntimeError)"]


def test_processes_acquire_what_threads_do():
    c = campaign()
    run = c.run(lambda r: [os.getpid(), 0.0], until=4, parallel=2, workers="processes")
    pids = set(c.labelled_set()[0][:, 0])
    assert run.told == 4
    assert os.getpid() not in pids
    assert not any(_lives(int(pid)) for pid in pids)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_an_executor_acquires_as_well():
    c = campaign()
    with ThreadPoolExecutor(2) as pool:
        assert c.run(vector, until=3, parallel=2, workers=pool).told == 3


def test_a_dask_cluster_acquires_and_tries_again_what_failed(tmp_path: Path):
    def acquire(request: Request) -> list[float]:
        if not (tmp_path / request.id).exists():
            (tmp_path / request.id).touch()
            raise OSError("not yet")
        return vector(request)

    c = campaign()
    with (
        LocalCluster(1, processes=False, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        run = c.run(acquire, until=4, parallel=2, workers=client, backoff=0.01)
    assert (run.told, run.failed, len(list(tmp_path.iterdir()))) == (4, 0, 4)


def test_a_source_brings_what_nobody_asked_for():
    class Eager:
        def __init__(self) -> None:
            self.extra = [
                Acquired([9, 9], label="right"),
                Acquired([float("nan"), 9], label="left"),
            ]

        def acquire(self, request: Request) -> list[float]:
            return vector(request)

        def unasked(self) -> list[Acquired]:
            found, self.extra = self.extra, []
            return found

    c = campaign()
    run = c.run(Eager(), until=1)
    assert (run.told, run.added) == (1, 1)
    assert c.status().instances == 2


def test_recordings_become_features_by_the_extractor_in_force(tmp_path: Path):
    c = campaign()

    def acquire(request: Request) -> Path:
        path = tmp_path / f"{request.id}.npy"
        np.save(path, np.arange(6.0).reshape(2, 3) if "r2" not in request.id else np.zeros(0))
        return path

    def peaks(epoch: Any) -> Any:
        return epoch.max(axis=1)

    run = c.run(acquire, until=2, extractor=peaks)
    assert (run.told, run.failed) == (2, 1)
    assert c.labelled_set()[0].tolist() == [[2.0, 5.0]] * 2
    assert len(c.recordings()) == 2
    with pytest.raises(Conflict, match="in force"):
        c.run(acquire, until=1, extractor="band-power(rate=250)")


def test_what_nobody_asked_for_is_noted_as_the_run_says(tmp_path: Path):
    class Generous:
        left = 1

        def acquire(self, request: Request) -> list[float]:
            return vector(request)

        def unasked(self) -> list[Acquired]:
            self.left -= 1
            return [Acquired([1.0, 2.0], label="left", attrs={"trial": 1})] * (self.left == 0)

    c = campaign()
    assert c.run(Generous(), until=2, attrs={"subject": "s01"}).added == 1
    assert c.noted_values("subject") == ["s01"] * 3
    assert c.noted_values("trial") == [1]
    assert c.erase({"subject": "s01"}, reason="withdrawn") == 3


def test_a_recording_that_takes_the_place_of_an_earlier_one_is_told_of(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    numbers = iter(range(10))

    def same_file(request: Request) -> Path:
        (tmp_path / "out.csv").write_text(f"{next(numbers)} 2")
        return tmp_path / "out.csv"

    c = campaign()
    c.run(same_file, until=1)
    assert "overwritten" not in caplog.text
    c.run(same_file, until=1)
    assert "out.csv was overwritten" in caplog.text


def test_a_recording_that_is_not_fetched_fails_with_the_remedy():
    c = campaign()
    with pytest.raises(SourceFailed, match="is not fetched; save it as a file"):
        c.run(lambda _: Acquired(recording="s3://lab/1.npy"), until=1, give_up=1)


@pytest.mark.parametrize("wrap", [np.asarray, Acquired])
def test_a_source_may_fill_the_same_array_again(wrap: Any):
    filled, held = np.zeros(2), threading.Lock()

    class Ring:
        def acquire(self, request: Request) -> Any:
            with held:
                filled[:] = vector(request)
                return wrap(filled)

    c = campaign()
    c.run(Ring(), until=12, parallel=4, on_asked=lambda _: time.sleep(0.01))
    found, labels = c.labelled_set()
    assert found[:, 0].tolist() == [float(label == "left") for label in labels]
