"""A lab stream as a source: what ``benchmarks/stream.py`` tries at length, and its own refusals."""

from __future__ import annotations

import os
import threading
import time
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
from palacs.sources import LabStream, source_from

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


def test_cues_that_somebody_else_shows_are_followed(new_stream, tmp_path: Path) -> None:
    stream = new_stream()
    campaign = create_campaign(
        "shown", ["a", "b"], strategy="uniform", storage="memory", extractor=np.ravel
    )
    first, second, third, covered = campaign.ask_many(4)
    with (
        MarkerOutlet("page") as page,
        LabStream(tmp_path, f"name={stream.source_id}", SHORT) as lab,
    ):
        lab.reader.wait_until_ready(0.1)
        told: list[int] = []
        thread = threading.Thread(target=lambda: told.append(lab.follow(campaign, "page", until=2)))
        thread.start()
        assert page.wait_for_listener()

        def shown(request: Any, at: float | None = None, performed: bool = True) -> float:
            onset = page.send("onset", label=request.label, request=request.id, at=at)
            time.sleep(0.02)
            page.send("offset", label=request.label, request=request.id)
            if performed:
                campaign.performed(request, attrs={"onsets": {"cue": onset}})
            return onset

        for event in ("onset", "offset"):
            page.send(event, label="a", request="of another campaign")
        page.send("onset", label=first.label, request=first.id)  # the page was loaded again
        painted = shown(first, at=lsl_now() - 0.05)
        shown(second, at=lsl_now() - 1000)
        campaign.fail(covered, "the page was not to be seen while performing")
        shown(covered, performed=False)
        shown(third)
        thread.join(20)
        assert told == [2]
    instance = campaign.instance(first.id)
    assert instance.attrs["lsl_onset"] == pytest.approx(painted, abs=1e-3)
    assert instance.attrs["onsets"] == {"cue": pytest.approx(painted, abs=1e-3)}
    assert campaign.status().states["delivered"] == 2
    assert abs(stream.time_of(instance.x[0]) - painted) <= 0.0005 + 0.0002
    reasons = campaign.history().set_index("id")["reason"]
    assert reasons[second.id] == "there was no stream where the epoch begins."
    bare = create_campaign("bare", ["a", "b"], storage="memory")
    with pytest.raises(ValueError, match="'bare' has no extractor"):
        lab.follow(bare)


def test_a_request_that_was_given_up_is_not_recorded(new_stream, tmp_path: Path) -> None:
    campaign = create_campaign("given up", ["a", "b"], strategy="uniform", storage="memory")
    request = campaign.ask()
    stream = f"name={new_stream().source_id}"
    with LabStream(tmp_path, stream, EpochSettings(0, 60), rest=(0, 0)) as lab:
        threading.Timer(0.2, lab.cancel, [request]).start()
        with pytest.raises(NotAcquired, match="it was given up"):
            lab.acquire(request)


def test_a_line_says_which_stream_and_how_to_cut(tmp_path: Path) -> None:
    line = f"lsl:folder={tmp_path},name=amp,type=EEG,start=-0.5,stop=2,band=8-30,rest=1-2,pad=1"
    with source_from(line) as lab:
        assert lab.epochs == EpochSettings(-0.5, 2, (8, 30), 1)
        assert (lab.reader.stream, lab.rest) == ("name=amp,type=EEG", (1, 2))
    for wrong, why in {
        "type=EEG": "folder= is missing",
        "folder=x,colour=red": "'colour' is not known",
        "folder=x,stop=soon": "stop='soon' is no number",
    }.items():
        with pytest.raises(ValueError, match=why):
            source_from(f"lsl:{wrong}")


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
