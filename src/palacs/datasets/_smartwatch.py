"""Shoulder exercises recorded by a smartwatch, where every instance was performed on request.

This is the situation class selection is made for: ten people were asked to perform one of seven
exercises. The recordings come with the package seglearn (the extra ``smartwatch``). Its data
file is read without importing the package, so that no version conflict of code that is not
needed can stand in the way.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from palacs.datasets._dataset import Array, Dataset
from palacs.datasets._recorded import RecordedDataset, cut
from palacs.extras import need, remedy

WINDOW = 100  # 2 s at 50 Hz: about one repetition of an exercise

_SUMMARIES = ("mean", "std", "min", "max", "mean_abs_diff")


def load_smartwatch() -> Dataset:
    """Load smartwatch: windows of 2 s, 30 summary features, 7 exercises, groups = person."""
    watch = load_smartwatch_recordings()
    channels = watch.channel_names
    return Dataset(
        name=watch.name,
        X=_summarise(watch.recordings.transpose(0, 2, 1)),
        y=watch.y,
        class_names=watch.class_names,
        feature_names=tuple(f"{channel}_{what}" for what in _SUMMARIES for channel in channels),
        description=(
            f"{watch.description[:-1]}, and every window turned into mean, standard deviation, "
            "minimum, maximum and mean absolute difference of consecutive values per channel. "
            "Groups are the people: split by them."
        ),
        source=watch.source,
        license=watch.license,
        groups=watch.groups,
    )


def load_smartwatch_recordings() -> RecordedDataset:
    """Load the windows themselves, at 50 Hz."""
    recordings = _read(_data_file())
    windows = [cut(recording, WINDOW) for recording in recordings["X"]]
    per_recording = [len(part) for part in windows]
    return RecordedDataset(
        name="smartwatch",
        recordings=np.concatenate(windows).transpose(0, 2, 1),
        rate=50.0,
        y=np.repeat(np.asarray(recordings["y"], dtype=np.int64), per_recording),
        groups=np.repeat(np.asarray(recordings["subject"], dtype=np.int64), per_recording),
        class_names=tuple(str(label) for label in recordings["y_labels"]),
        channel_names=tuple(str(channel) for channel in recordings["X_labels"]),
        description=(
            "Ten people performed seven shoulder exercises with either arm, about 20 repetitions "
            "each, wearing a smartwatch: pendulum (PEN), abduction (ABD), forward elevation "
            "(FEL), internal and external rotation (IR, ER), trapezius (TRAP) and row (ROW). "
            "Each of the 140 recordings of acceleration and rotation about three axes at 50 Hz "
            "was cut into windows of 2 s without overlap, the incomplete last one dropped."
        ),
        source=(
            "Burns, D. et al. (2018): Shoulder Physiotherapy Exercise Recognition: Machine "
            "Learning the Inertial Signals from a Smartwatch, https://arxiv.org/abs/1802.01489. "
            "Through seglearn."
        ),
        license="BSD-3-Clause",
    )


def _data_file() -> Path:
    need("smartwatch", "The data set smartwatch")
    spec = find_spec("seglearn")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "data" / "watch_dataset.npy"


def _read(path: Path) -> dict[str, Any]:
    try:
        # A pickle, trusted as far as any installed package's own code is.
        recordings: dict[str, Any] = np.load(path, allow_pickle=True).item()
    except FileNotFoundError:
        raise ImportError(
            f"The installed seglearn has no {path.name} at {path}; "
            f"run: {remedy('smartwatch')} --upgrade",
            name="seglearn",
        ) from None
    return recordings


def _summarise(windows: Array) -> Array:
    """Turn windows of shape (n, WINDOW, n_channels) into features of shape (n, 5 n_channels)."""
    roughness = np.abs(np.diff(windows, axis=1)).mean(axis=1)
    return np.concatenate(
        [
            windows.mean(axis=1),
            windows.std(axis=1),
            windows.min(axis=1),
            windows.max(axis=1),
            roughness,
        ],
        axis=1,
    )
