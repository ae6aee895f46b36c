"""Data sets of recordings: the raw material, and the data set that an extractor makes of it.

Whoever compares strategies sees features; whoever compares extractors, or replays recordings,
sees what was recorded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from palacs.datasets._dataset import Array, Codes, Dataset
from palacs.extractors import extractor_from, with_rate


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class RecordedDataset:
    """Recordings, their classes, and where they come from.

    Parameters
    ----------
    name : str
    recordings : ndarray of shape (n_instances, n_channels, n_samples), float64
    rate : float
        Sampling rate in Hz.
    y : ndarray of shape (n_instances,), int64
        Class of each instance as its position in `class_names`.
    groups : ndarray of shape (n_instances,)
        Who or what an instance belongs to: a person, a repetition.
    class_names, channel_names : tuple of str
    description, source, license : str
        What the recordings are, where they were obtained, on which terms.

    Examples
    --------
    >>> from palacs.datasets import load_recordings
    >>> gestures = load_recordings("gestures")
    >>> gestures
    RecordedDataset('gestures', 236 recordings of 8 channels and 50 samples, 5 classes)
    >>> gestures.features("band-power").n_features
    24
    """

    name: str
    recordings: Array
    rate: float
    y: Codes
    groups: Codes
    class_names: tuple[str, ...]
    channel_names: tuple[str, ...]
    description: str
    source: str
    license: str

    def __repr__(self) -> str:
        n, channels, samples = self.recordings.shape
        return (
            f"RecordedDataset({self.name!r}, {n} recordings of {channels} channels and {samples} "
            f"samples, {len(self.class_names)} classes)"
        )

    def features(self, extractor: Any) -> Dataset:
        """Return the data set that an extractor makes of the recordings.

        Parameters
        ----------
        extractor : str, transformer, callable or Extractor
            A fixed one: what is fitted on all of them would have seen the test set.
        """
        made = extractor_from(extractor)
        if made.fitted:
            raise ValueError(
                f"the extractor {made.version} is fitted, and fitted on all recordings it would "
                "have seen those it is tested on; put it in front of the classifier instead."
            )
        X = made.extract([with_rate(one, self.rate) for one in self.recordings])
        each, rest = divmod(X.shape[1], len(self.channel_names))
        names = [f"{channel}_{i}" for channel in self.channel_names for i in range(each)]
        return Dataset(
            name=self.name,
            X=X,
            y=self.y,
            class_names=self.class_names,
            feature_names=tuple(f"x{i}" for i in range(X.shape[1])) if rest else tuple(names),
            description=f"{self.description} Features by {made.version}.",
            source=self.source,
            license=self.license,
            groups=self.groups,
        )


def cut(recording: Array, window: int) -> Array:
    """Cut a recording of shape (n_samples, n_channels) into (n_windows, window, n_channels)."""
    n_windows = len(recording) // window
    return np.asarray(recording[: n_windows * window], dtype=np.float64).reshape(
        n_windows, window, -1
    )
