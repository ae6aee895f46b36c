"""Five gestures of a hand, as eight channels of EMG from a bracelet around the forearm.

Class selection as it is meant: a person was shown a gesture and made it, four times each. The
samples come with the tests of LibEMG (MIT); ``data/ATTRIBUTION.md`` says whose work they are, and
``tools/make_gestures_file.py`` rebuilds the file.
"""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter

import numpy as np

from palacs.datasets._dataset import Dataset
from palacs.datasets._recorded import RecordedDataset, cut
from palacs.datasets._uci import DATA, read_verified

SHA256 = "b5d9b9525baa4cf6b1f8f94941f67907ed78f414845cc93a94ec3899972296b1"
WINDOW = 50  # a quarter of a second at 200 Hz, as prostheses decide
EXTRACTOR = "band-power(bands=((10, 95),))"


def load_gestures() -> Dataset:
    """Load gestures: windows of 0.25 s, log power in 8 channels, groups = repetition."""
    return load_gesture_recordings().features(EXTRACTOR)


def load_gesture_recordings() -> RecordedDataset:
    """Load the windows themselves."""
    text = read_verified(DATA / "gestures.csv.gz", SHA256)
    samples = np.array([line.split(",") for line in text.splitlines()[1:]], dtype=np.float64)
    parts, y, groups = [], [], []
    for (repetition, gesture), rows in groupby(samples, key=lambda row: (int(row[0]), int(row[1]))):
        windows = cut(np.array(list(map(itemgetter(slice(2, None)), rows))), WINDOW)
        parts.append(windows)
        y += [gesture] * len(windows)
        groups += [repetition] * len(windows)
    return RecordedDataset(
        name="gestures",
        recordings=np.concatenate(parts).transpose(0, 2, 1),
        rate=200.0,
        y=np.array(y, dtype=np.int64),
        groups=np.array(groups, dtype=np.int64),
        class_names=tuple(f"gesture {number}" for number in range(5)),
        channel_names=tuple(f"emg{channel}" for channel in range(8)),
        description=(
            "One person made five gestures of the hand, four times each, for three seconds, "
            "wearing a Myo bracelet with eight EMG channels at 200 Hz. The source numbers the "
            "gestures and does not name them; the quiet one, number 2, seems to be rest. Each of "
            "the 20 recordings was cut into windows of 0.25 s without overlap, the incomplete "
            "last one dropped. Groups are the repetitions: split by them."
        ),
        source=(
            "Eddy, E., Campbell, E., Phinyomark, A., Bateman, S. and Scheme, E.: LibEMG, "
            "tests/data/myo_dataset in the source distribution 2.0.3, "
            "https://pypi.org/project/libemg/."
        ),
        license="MIT",
    )
