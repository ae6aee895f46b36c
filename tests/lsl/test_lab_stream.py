"""A lab stream as a source: what ``benchmarks/stream.py`` tries at length, and its own refusals."""

from __future__ import annotations

import os
import threading
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from palacs.campaign import Instance, NotAcquired, create_campaign
from palacs.extractors import read_recording
from palacs.lsl import (
    ELECTRODES,
    MOVEMENTS,
    EpochSettings,
    Marker,
    MarkerOutlet,
    MarkerReader,
    NoStream,
    ParticipantProcess,
    SimulatedParticipant,
    lsl_now,
)
from palacs.sources import LabStream

SESSION = f"palacs-{os.getpid()}"
SHORT = EpochSettings(0, 0.1)


@pytest.mark.usefixtures("numbered")
def test_forty_epochs_with_three_restarts_bring_no_wrong_sample_and_lose_no_request() -> None:
    tally = import_module("stream").record(40, 3, name="forty")
    assert tally.told == 40
    assert (tally.wrong, tally.lost) == (0, 0)
    assert tally.connections == 3
    assert sum(tally.reasons.values()) >= 1


def test_a_participant_in_a_process_of_their_own_reacts_to_the_markers(tmp_path: Path) -> None:
    campaign = create_campaign(
        "bci",
        ["left", "right"],
        strategy="uniform",
        storage="memory",
        extractor="band-power(bands=((8, 13),))",
    )
    told: list[Instance] = []
    settings = EpochSettings(0.5, 1.5, band=(6, 30), pad=0.2)
    with (
        ParticipantProcess(SESSION, seed=3, name="somebody"),
        LabStream(tmp_path / "epochs", "name=somebody", settings, rest=(0.1, 0.1)) as lab,
    ):
        assert lab.markers is not None
        assert lab.markers.wait_for_listener(20)
        campaign.run(lab, until=4, on_told=told.append)
    for instance in told:
        assert instance.recording is not None
        recording = read_recording(instance.recording.where)
        assert recording.shape == (len(ELECTRODES), 250)
    assert [check.state for check in campaign.check_recordings()] == ["intact"] * 4
    # The rhythm over the side of the imagined hand is the weaker one on the other side's electrode.
    power = {
        label: np.mean([np.subtract(i.x[4], i.x[2]) for i in told if i.label == label])
        for label in ("left", "right")
    }
    assert power["left"] < power["right"]


def test_cues_that_somebody_else_shows_are_waited_for(new_stream, tmp_path: Path) -> None:
    stream = new_stream()
    campaign = create_campaign("shown", ["a", "b"], strategy="uniform", storage="memory")
    request = campaign.ask()
    with (
        MarkerOutlet("page") as page,
        LabStream(tmp_path, f"name={stream.source_id}", SHORT, rest=(0, 0), cues="page") as lab,
    ):
        brought: list[Any] = []
        thread = threading.Thread(target=lambda: brought.append(lab.acquire(request)))
        thread.start()
        assert page.wait_for_listener()
        page.send("onset", label="a", request="another")
        painted = page.send("onset", label="a", request=request.id, at=lsl_now() - 0.05)
        thread.join(10)
        (acquired,) = brought
        assert acquired.attrs["lsl_onset"] == pytest.approx(painted, abs=1e-3)
        numbers = read_recording(acquired.recording)[0]
        assert abs(stream.time_of(numbers[0]) - painted) <= 0.0005 + 0.0002
        waiting = threading.Timer(0.2, lab.cancel, [request])
        waiting.start()
        with pytest.raises(NotAcquired, match="given up before its cue"):
            lab.acquire(request)


def test_a_bad_epoch_fails_the_request_with_its_reason_and_no_stream_is_tried_again(
    new_stream, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = new_stream()
    stream.spoil = lambda samples: samples * [1, 0, 1]
    campaign = create_campaign("flat", ["a", "b"], strategy="uniform", storage="memory")
    request = campaign.ask()
    with LabStream(tmp_path, f"name={stream.source_id}", SHORT, rest=(0, 0)) as lab:
        with pytest.raises(NotAcquired, match="the channel C3 is flat: every sample is 0"):
            lab.acquire(request)
        stream.stutter(0)
        stream.close()
        monkeypatch.setattr(lab, "patience", 0.3)
        with pytest.raises(NoStream, match="broke off"):
            lab.acquire(request)
    assert list(tmp_path.iterdir()) == []


def test_settings_that_cannot_be_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"rest=\(2, 1\)"):
        LabStream(tmp_path, rest=(2, 1))
    with pytest.raises(ValueError, match="without quotes"):
        MarkerReader("it's")


def test_markers_are_heard_again_after_their_outlet_started_anew() -> None:
    with MarkerReader("again") as reader:
        assert reader.wait(0.05) == []
        for event in ("one", "two"):
            with MarkerOutlet("again") as outlet:
                assert reader.wait_until_connected()
                at = outlet.send(event)
                ((heard, marker),) = reader.wait(5)
                assert marker == Marker(event)
                assert heard == pytest.approx(at, abs=1e-3)
            while reader.wait(1) or reader.connected:
                pass


def test_a_simulated_person_is_the_same_for_the_same_seed_and_tires() -> None:
    settings = EpochSettings(0.5, 2.5, band=(6, 30), pad=0.2)
    first, again, other = (SimulatedParticipant(seed).epoch("left", settings) for seed in (1, 1, 2))
    assert first.shape == (len(ELECTRODES), 500)
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert set(MOVEMENTS) == {"left", "right", "feet", "tongue"}
