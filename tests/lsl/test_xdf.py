"""XDF files are read by the field's own reader; the same data give the same file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import pyxdf

from palacs.extractors import read_recording
from palacs.lsl import Epoch, Marker, write_xdf


@pytest.fixture
def epoch() -> Epoch:
    rng = np.random.default_rng(0)
    raw, times = rng.normal(size=(2, 300)), 5e5 + np.arange(300) / 250
    cut = slice(25, 275)
    return Epoch(raw[:, cut] * 2, times[cut], raw, times, 5e5 + 0.1, 250.0, ("C3", "<é>"), 0.0)


def test_epoch_stream_and_markers_come_back_as_they_were(epoch: Epoch, tmp_path: Path) -> None:
    marker = Marker("onset", "früh" * 100, 3)
    path = write_xdf(tmp_path / "one.xdf", epoch, [(epoch.onset, marker)])
    (cut, raw, markers), _ = pyxdf.load_xdf(path, dejitter_timestamps=False)
    assert np.array_equal(cut["time_series"], epoch.samples.T)
    assert np.array_equal(cut["time_stamps"], epoch.times)
    assert np.array_equal(raw["time_series"], epoch.raw.T)
    assert cut["info"]["nominal_srate"] == ["250.0"]
    labels = cut["info"]["desc"][0]["channels"][0]["channel"]
    assert [channel["label"][0] for channel in labels] == ["C3", "<é>"]
    assert Marker.read(markers["time_series"][0][0]) == marker
    assert markers["time_stamps"].tolist() == [epoch.onset]
    assert [path.name for path in tmp_path.iterdir()] == ["one.xdf"]


def test_the_same_epoch_is_the_same_file_and_another_is_not(epoch: Epoch, tmp_path: Path) -> None:
    first, second = (write_xdf(tmp_path / name, epoch).read_bytes() for name in ("a", "b"))
    assert first == second
    assert (
        write_xdf(tmp_path / "c", replace(epoch, onset=0.0, raw=-epoch.raw)).read_bytes() != first
    )


def test_readers_find_nothing_to_remark(epoch: Epoch, tmp_path: Path, caplog) -> None:
    path = write_xdf(tmp_path / "one.xdf", epoch, [(epoch.onset, Marker("onset"))])
    (cut, _, _), _ = pyxdf.load_xdf(path)
    assert caplog.messages == []
    assert np.allclose(cut["time_stamps"], epoch.times, atol=1e-9)
    recording = read_recording(path)
    assert np.array_equal(recording, epoch.samples)
    assert recording.rate == 250
