"""What the shipped extractors make of recordings tells the classes apart that they are made for."""

from __future__ import annotations

import io
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import mne
import numpy as np
import pytest
from scipy.io import wavfile
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from palacs.extractors import extractor_from, is_shipped, read_recording, with_rate

RATE = 128


def epochs(n: int = 48, seconds: float = 2.0) -> tuple[list[Any], list[str]]:
    """Simulate EEG of four channels: each hand damps 11 Hz over the other side."""
    rng = np.random.default_rng(1)
    t = np.arange(int(RATE * seconds)) / RATE
    mixing = rng.normal(size=(4, 4)) + 2 * np.eye(4)
    found, labels = [], []
    for number in range(n):
        label = ("left", "right", "rest")[number % 3]
        rhythm = rng.normal(size=(4, 1)) * np.sin(2 * np.pi * 11 * t + rng.uniform(0, 6, (4, 1)))
        damped = {"left": 0, "right": 1, "rest": 3}[label]
        rhythm[damped] *= 0.1
        drift = 20 * np.cumsum(rng.normal(size=(4, len(t))), axis=1) / len(t)
        found.append(with_rate(mixing @ (rhythm + rng.normal(0, 0.3, drift.shape)) + drift, RATE))
        labels.append(label)
    return found, labels


def accuracy(features: Any, labels: list[str]) -> float:
    model = make_pipeline(StandardScaler(), LogisticRegression())
    return float(cross_val_score(model, features, labels, cv=4).mean())


@pytest.mark.parametrize(
    ("name", "n_features"),
    [("csp", 4), ("csp(n_filters=3)", 3), ("csp(band=None)", 4), ("tangent-space", 10)],
)
def test_mixtures_of_channels_are_learned_from_epochs(name: str, n_features: int) -> None:
    recordings, labels = epochs()
    extractor = extractor_from(name)
    assert extractor.fitted
    assert "pyriemann" in extractor.packages
    fitted = extractor.fit(recordings, labels)
    assert fitted.extract(recordings).shape == (48, n_features)
    alone = np.concatenate([fitted.extract([one]) for one in recordings])
    assert np.allclose(alone, fitted.extract(recordings))


def test_filtered_patterns_tell_hands_apart_better_than_power_does_under_drift() -> None:
    recordings, labels = epochs(96)
    half = 48
    learned = extractor_from("csp").fit(recordings[:half], labels[:half])
    by_patterns = accuracy(learned.extract(recordings[half:]), labels[half:])
    assert by_patterns > 0.5  # a third by chance


def test_power_in_bands_tells_rhythms_apart() -> None:
    rng = np.random.default_rng(0)
    t = np.arange(256) / RATE
    recordings = [
        with_rate(np.sin(2 * np.pi * hz * t + rng.uniform(0, 6)) + rng.normal(0, 1, (2, 256)), RATE)
        for hz in (6, 10, 20) * 8
    ]
    features = extractor_from("band-power").extract(recordings)
    assert accuracy(features, ["theta", "alpha", "beta"] * 8) == 1.0


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("band-power(rate=128, bands=((100, 200),))", "say nothing about 100 to 200 Hz"),
        ("csp(rate=128, band=(8, 80))", "a band from 8 to 80 Hz is none at 128"),
        ("csp(n_filters='many')", "cannot be fitted"),
    ],
)
def test_bands_that_cannot_be_are_refused(name: str, says: str) -> None:
    recordings, labels = epochs(6)
    with pytest.raises(ValueError, match=says):
        extractor_from(name).fit(recordings, labels).extract(recordings)


def test_a_flat_channel_gives_no_usable_number() -> None:
    flat = extractor_from("band-power(rate=128)").extract([np.zeros((1, 256))])
    assert np.isneginf(flat).all()


def test_mel_bands_tell_tones_apart_and_bear_silence() -> None:
    sounds = []
    for hz in (220, 440, 880, 0):
        file = io.BytesIO()
        tone = np.sin(2 * np.pi * hz * np.arange(4000) / 8000)
        wavfile.write(file, 8000, (tone * 30_000).astype("int16"))
        sounds.append(read_recording(file.getvalue(), "tone.wav"))
    features = extractor_from("mel-bands").extract(sounds)
    assert features.shape == (4, 40)
    loudest = features[:3, :20].argmax(axis=1)
    assert (np.diff(loudest) > 0).all()
    assert features[3, :20].max() == pytest.approx(-10)


def test_gradients_tell_digits_apart_whatever_the_size_of_the_picture() -> None:
    digits = load_digits(n_class=4)
    pictures = [np.kron(image, np.ones((4, 4))) for image in digits.images[:120]]
    features = extractor_from("hog").extract(pictures)
    assert features.shape == (120, 324)
    assert accuracy(features, [str(label) for label in digits.target[:120]]) > 0.9
    small = extractor_from("hog").extract([digits.images[0], np.zeros((30, 50, 3), np.uint8)])
    assert small.shape == (2, 324)
    with pytest.raises(ValueError, match="a picture of shape"):
        extractor_from("hog").extract([np.zeros((2, 3, 4, 5))])


NET = """
import torch

torch.manual_seed({seed})
net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(6, 3), torch.nn.Dropout())


def make():
    return net
"""


def test_a_torch_model_is_found_by_its_path_or_its_extra_is_named(tmp_path: Path) -> None:
    file = tmp_path / "nets.py"
    file.write_text(NET.format(seed=1))
    name = f"embedding(model='{file}:net')"
    if find_spec("torch") is None:
        with pytest.raises(ModuleNotFoundError, match=r"pip install 'palacs\[torch\]'"):
            extractor_from(name)
        return
    first = extractor_from(name)
    assert not first.fitted
    recordings = [np.full((2, 3), value) for value in (0.0, 1.0)]
    features = first.extract(recordings)
    assert features.shape == (2, 3)
    assert np.array_equal(features, clone(first.transformer).transform(recordings))
    assert extractor_from(f"embedding(model='{file}:make')").extract(recordings).shape == (2, 3)
    file.write_text(NET.format(seed=2))
    assert extractor_from(name).version.split(" weights ")[1] != first.version.split(" weights ")[1]


def test_code_behind_a_parameter_is_nothing_a_record_may_load() -> None:
    assert is_shipped("csp(n_filters=6)")
    assert not is_shipped("embedding(model='nets.py:net')")
    with pytest.raises((ValueError, ModuleNotFoundError), match="needs"):
        extractor_from("embedding")


def test_what_amplifiers_write_is_read_with_its_rate(tmp_path: Path) -> None:
    signal = np.random.default_rng(0).normal(size=(2, 500)) * 1e-6
    raw = mne.io.RawArray(signal, mne.create_info(["C3", "C4"], 250.0, "eeg"), verbose="error")
    raw.save(tmp_path / "epoch_raw.fif", verbose="error")
    found = read_recording(tmp_path / "epoch_raw.fif")
    assert found.rate == 250
    assert np.allclose(found, signal, rtol=1e-5)
    with pytest.raises(ValueError, match=r"no whole \.edf file"):
        read_recording(b"0", "trial.edf")
