"""Epochs are cut to the sample, and what nobody should learn from is refused with its reason."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pylsl
import pytest

from palacs.lsl import (
    BadEpoch,
    EpochSettings,
    NoStream,
    StreamReader,
    band_pass,
    check_samples,
    lsl_now,
    take_epoch,
)

SHORT = EpochSettings(0.02, 0.12, pad=0.03)


@pytest.fixture(scope="module")
def plain(new_stream) -> Any:
    return new_stream()


@pytest.fixture(scope="module")
def reader(plain) -> Iterator[StreamReader]:
    with StreamReader(f"name={plain.source_id}") as opened:
        opened.wait_until_ready(SHORT.lead)
        yield opened


def test_an_epoch_begins_with_the_sample_taken_nearest_to_its_start(plain, reader) -> None:
    for _ in range(5):
        reader.wait_until_ready(SHORT.lead)
        onset = lsl_now()
        epoch = take_epoch(reader, onset, SHORT)
        assert epoch.samples.shape == (3, 100)
        assert epoch.raw.shape == (3, 160)
        assert abs(plain.off_by(epoch, onset + 0.02)) <= 0.5e-3 + 1e-4
        assert np.abs(epoch.times - plain.time_of(epoch.raw[0, 30:-30])).max() <= 1e-4


def test_lost_samples_are_counted_and_a_stutter_loses_none(plain, reader) -> None:
    plain.lose(3, after=0.05)
    with pytest.raises(BadEpoch, match=r"^3 samples are missing, 0\.\d+ s after the onset\.$"):
        take_epoch(reader, lsl_now(), EpochSettings(0, 0.2))
    waiting = threading.Thread(target=plain.stutter, args=(0.4,))
    waiting.start()
    onset = lsl_now()
    epoch = take_epoch(reader, onset, EpochSettings(0, 0.2))
    waiting.join()
    assert abs(plain.off_by(epoch, onset)) <= 0.5e-3 + 1e-4


@pytest.mark.parametrize(
    ("row", "value", "reason"),
    [
        (1, np.nan, r"C3 holds \d+ samples that are no numbers"),
        (1, 7.0, "C3 is flat: every sample is 7"),
        (2, None, r"C4 is saturated: \d+ samples in a row are 0.5"),
    ],
)
def test_a_bad_channel_refuses_the_epoch(plain, reader, row, value, reason) -> None:
    def spoil(samples: np.ndarray) -> np.ndarray:
        samples[:, row] = np.minimum(samples[:, row], 0.5) if value is None else value
        samples[::2, 2] = samples[::2, 2] if value is not None else 0.5
        samples[:, 2] = np.where(np.arange(len(samples)) < 9, 0.5, samples[:, 2])
        return samples

    plain.spoil = spoil
    time.sleep(0.05)
    try:
        with pytest.raises(BadEpoch, match=reason):
            take_epoch(reader, lsl_now(), EpochSettings(0, 0.1))
    finally:
        plain.spoil = lambda samples: samples
        time.sleep(0.1)


def test_an_outlet_that_starts_again_fails_the_epoch_and_is_found(plain, reader) -> None:
    before = reader.wait_until_ready().uid
    again = threading.Timer(0.1, plain.restart)
    again.start()
    with pytest.raises(BadEpoch, match=r"the stream broke off 0\.\d+ s after the onset"):
        take_epoch(reader, lsl_now(), EpochSettings(0, 0.5))
    again.join()
    assert reader.wait_until_ready(SHORT.lead).uid != before
    onset = lsl_now()
    epoch = take_epoch(reader, onset, SHORT)
    assert abs(plain.off_by(epoch, onset + 0.02)) <= 0.5e-3 + 1e-4
    assert reader.restarts >= 1


def test_an_epoch_of_which_nobody_kept_the_beginning_is_refused(reader) -> None:
    with pytest.raises(BadEpoch, match="no stream where the epoch begins"):
        take_epoch(reader, lsl_now() - 1000, SHORT)
    with pytest.raises(BadEpoch, match="no channel 'Cz'; there is number, C3, C4"):
        take_epoch(reader, lsl_now(), EpochSettings(0, 0.05, channels=["Cz"]))


def test_jitter_is_taken_out_of_the_stamps(new_stream) -> None:
    stream = new_stream(rate=500.0, jitter=0.003)
    with StreamReader(f"name={stream.source_id}") as reader:
        reader.wait_until_ready(1.0)
        onsets = [lsl_now() + 0.1 * k for k in range(5)]
        epochs = [take_epoch(reader, onset, EpochSettings(0, 0.3)) for onset in onsets]
    off = [stream.off_by(e, onset) for e, onset in zip(epochs, onsets, strict=True)]
    assert max(map(abs, off)) <= 0.001 + 0.001  # half a period, and what the line may be off
    assert epochs[0].jitter == pytest.approx(0.003, rel=0.3)


def test_a_stream_that_will_not_do_is_named(new_stream) -> None:
    with StreamReader("name=nobody") as reader:
        with pytest.raises(NoStream, match=r"'name=nobody' was not ready within 0.1 s: nothing a"):
            reader.wait_until_ready(timeout=0.1)
        with pytest.raises(BadEpoch, match="no stream"):
            take_epoch(reader, lsl_now() - 1, SHORT, patience=0.1)
    one, two = (
        pylsl.StreamOutlet(pylsl.StreamInfo("twice", "EEG", 1, 100, pylsl.cf_float32, source))
        for source in ("s1", "s2")
    )
    with (
        StreamReader("name=twice") as reader,
        pytest.raises(NoStream, match=r"'twice' .source_id=s1. and 'twice' .source_id=s2. ans"),
    ):
        reader.wait_until_ready(timeout=1)
    del one
    with StreamReader("name=twice") as reader, pytest.raises(NoStream, match="sends nothing"):
        reader.wait_until_ready(timeout=1.5)
    del two
    for wrong in ("", "EEG", "type='EEG'", "colour=red"):
        with pytest.raises(ValueError, match="write type=EEG"):
            StreamReader(wrong)


def test_a_band_pass_shifts_nothing_and_needs_frequencies_the_stream_knows() -> None:
    t = np.arange(1000) / 250
    wanted = np.sin(2 * np.pi * 10 * t)
    passed = band_pass((wanted + np.sin(2 * np.pi * 50 * t) + 5)[None], 250, (5, 20))[0]
    assert np.abs(passed - wanted)[250:-250].max() < 0.05
    with pytest.raises(ValueError, match="knows nothing from 125 Hz on"):
        band_pass(np.zeros((1, 1000)), 250, (8, 125))


def test_samples_at_the_end_of_the_range_are_saturated() -> None:
    signal = np.random.default_rng(0).normal(size=(1, 200))
    check_samples(signal, ["C3"], 10)
    with pytest.raises(BadEpoch, match="C3 is saturated: 1 samples reach 10"):
        check_samples(np.where(np.arange(200) == 7, -10, signal), ["C3"], 10)


@pytest.mark.parametrize(
    "wrong", [{"start": 1.0}, {"pad": -1}, {"band": (20, 8)}, {"stop": math.nan}]
)
def test_settings_that_cannot_be_are_refused(wrong) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(wrong))}="):
        EpochSettings(**wrong)


def test_a_stream_that_says_another_rate_than_it_sends_is_refused() -> None:
    info = pylsl.StreamInfo("hasty", "EEG", 1, 250, pylsl.cf_double64, "hasty")
    outlet, begun = pylsl.StreamOutlet(info), lsl_now()
    with StreamReader("name=hasty") as reader:
        assert outlet.wait_for_consumers(10)
        for number in range(400):
            outlet.push_sample([float(number)], begun + number / 400)
        with pytest.raises(BadEpoch, match="says 250 samples per second and sends 400"):
            take_epoch(reader, begun + 0.2, EpochSettings(0, 0.3))
