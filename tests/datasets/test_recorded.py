"""Raw recordings become a data set by an extractor, window by window, with their groups."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import LeaveOneGroupOut, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from palacs.datasets import load, load_recordings
from palacs.datasets._uci import DATA, read_verified


def test_the_gestures_are_the_samples_of_the_file_in_windows() -> None:
    raw = load_recordings("EMG")
    text = read_verified(DATA / "gestures.csv.gz", _sum())
    rows = np.array([line.split(",") for line in text.splitlines()[1:]], dtype=float)
    first = rows[(rows[:, 0] == 0) & (rows[:, 1] == 0)][:, 2:]
    assert raw.recordings.shape == (236, 8, 50)
    assert np.array_equal(raw.recordings[:12].transpose(0, 2, 1).reshape(-1, 8), first[:600])
    assert sorted(set(raw.groups.tolist())) == [0, 1, 2, 3]
    per_class = np.bincount(raw.y)
    assert per_class.min() >= 46
    assert len(per_class) == 5


def _sum() -> str:
    from palacs.datasets._gestures import SHA256

    return SHA256


def test_the_data_set_speaks_about_the_recordings_and_can_be_learned() -> None:
    gestures, raw = load("gestures"), load_recordings("gestures")
    one = np.log10(np.abs(np.fft.rfft(raw.recordings[7, 3])).mean())
    assert np.isfinite(one)
    assert gestures.X.shape == (236, 8)
    assert gestures.license == "MIT"
    assert "BandPower" in gestures.description
    model = make_pipeline(StandardScaler(), LogisticRegression())
    folds = {"groups": gestures.groups, "cv": LeaveOneGroupOut()}
    assert cross_val_score(model, gestures.X, gestures.y, **folds).mean() > 0.8
    other = raw.features("mel-bands(n_bands=4)")
    assert other.feature_names == ("emg0_0", "emg1_0", "emg2_0", "emg3_0", *other.feature_names[4:])


def test_what_would_have_seen_the_test_set_is_refused() -> None:
    with pytest.raises(ValueError, match="put it in front of the classifier"):
        load_recordings("gestures").features(PCA(2))
    with pytest.raises(ValueError, match="recordings are there of gestures and smartwatch"):
        load_recordings("iris")


def test_the_watch_has_its_windows_too() -> None:
    raw, watch = load_recordings("smartwatch"), load("smartwatch")
    assert raw.recordings.shape[1:] == (6, 100)
    assert np.allclose(watch.X[:, :6], raw.recordings.mean(axis=2))
    assert np.array_equal(watch.y, raw.y)
