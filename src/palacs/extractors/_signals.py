"""Signals and sounds as features: log power in bands, and log energy in mel bands.

Both need SciPy alone, look at one recording at a time, and take recordings of several lengths.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin

Features = npt.NDArray[np.float64]

THETA_ALPHA_BETA = ((4.0, 8.0), (8.0, 13.0), (13.0, 30.0))
_QUIET = 1e-10  # energy of what counts as silence, 100 dB below full scale


class OneByOne(TransformerMixin, BaseEstimator):
    """An extractor that looks at one recording at a time; there is nothing to fit."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Return itself."""
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags

    def transform(self, X: Iterable[npt.NDArray[Any]]) -> Features:
        """Return the features of recordings, shape (n_recordings, n_features)."""
        return np.stack([self.one(recording) for recording in X])

    def one(self, recording: npt.NDArray[Any]) -> Features:
        """Return the features of one recording, shape (n_features,)."""
        raise NotImplementedError


class BandPower(OneByOne):
    """Log10 of the mean power in some bands, for each channel: what EEG and EMG are read by.

    Parameters
    ----------
    rate : float or None
        Sampling rate in Hz; None takes the recording's own, where its file knows it.
    bands : sequence of pairs
        Lowest and highest frequency of each band in Hz; by default theta, alpha and beta.

    Examples
    --------
    >>> import numpy as np
    >>> from palacs.extractors import BandPower
    >>> t = np.arange(500) / 250
    >>> alpha = np.sin(2 * np.pi * 10 * t) + np.random.default_rng(0).normal(0, 0.1, 500)
    >>> int(BandPower(rate=250).transform([alpha[np.newaxis]]).argmax())
    1
    """

    def __init__(
        self, rate: float | None = None, bands: Sequence[tuple[float, float]] = THETA_ALPHA_BETA
    ) -> None:
        self.rate = rate
        self.bands = bands

    def one(self, recording: npt.NDArray[Any]) -> Features:
        """Return the features of one recording, channel by channel, the bands of each together."""
        from scipy.signal import welch

        signal, rate = signal_of(recording), rate_of(recording, self.rate, "band-power")
        # Two seconds tell half a Hertz apart; more would only be noisier.
        length = min(signal.shape[1], round(2 * rate))
        frequencies, power = welch(signal, rate, nperseg=length, detrend="constant")
        inside = []
        for low, high in self.bands:
            chosen = (frequencies >= low) & (frequencies < high)
            if not chosen.any():
                raise ValueError(
                    f"{signal.shape[1]} samples at {rate:g} Hz say nothing about {low:g} to "
                    f"{high:g} Hz; record longer, or give other bands."
                )
            inside.append(power[:, chosen].mean(axis=1))
        with np.errstate(divide="ignore"):
            features: Features = np.log10(np.stack(inside, axis=1)).ravel()
        return features


class BandPass(OneByOne):
    """A signal without what is slower or faster than a band; what comes before covariances.

    Parameters
    ----------
    low, high : float
        Lowest and highest frequency in Hz that is let through.
    rate : float or None
        Sampling rate in Hz; None takes the recording's own.
    """

    def __init__(self, low: float = 8.0, high: float = 30.0, rate: float | None = None) -> None:
        self.low = low
        self.high = high
        self.rate = rate

    def one(self, recording: npt.NDArray[Any]) -> Features:
        """Return one recording filtered, forwards and backwards, so that nothing is shifted."""
        from scipy.signal import butter, sosfiltfilt

        signal, rate = signal_of(recording), rate_of(recording, self.rate, "csp")
        if not 0 < self.low < self.high < rate / 2:
            raise ValueError(
                f"a band from {self.low:g} to {self.high:g} Hz is none at {rate:g} samples per "
                "second; give another band, or band=None."
            )
        sos = butter(4, (self.low, self.high), "bandpass", fs=rate, output="sos")
        filtered: Features = sosfiltfilt(sos, signal, axis=1)
        return filtered


class MelBands(OneByOne):
    """Log energy in mel bands, mean and standard deviation over time: what sounds are read by.

    Parameters
    ----------
    rate : float or None
        Sampling rate in Hz; None takes the recording's own, as WAV files have one.
    n_bands : int
        How many, evenly spaced on the mel scale from 0 Hz to half the sampling rate.

    Examples
    --------
    >>> import numpy as np
    >>> from palacs.extractors import MelBands
    >>> tone = np.sin(2 * np.pi * 440 * np.arange(8000) / 8000)
    >>> MelBands(rate=8000).transform([tone[np.newaxis]]).shape
    (1, 40)
    """

    def __init__(self, rate: float | None = None, n_bands: int = 20) -> None:
        self.rate = rate
        self.n_bands = n_bands

    def one(self, recording: npt.NDArray[Any]) -> Features:
        """Return the mean of each band over time, then the standard deviation of each."""
        from scipy.signal import stft

        sound, rate = signal_of(recording).mean(axis=0), rate_of(recording, self.rate, "mel-bands")
        length = min(len(sound), max(round(0.032 * rate), 32))  # as speech is looked at
        frequencies, _, spectrum = stft(sound, rate, nperseg=length, boundary=None, padded=False)
        bands = np.log10(
            _mel_weights(frequencies, rate, self.n_bands) @ np.abs(spectrum) ** 2 + _QUIET
        )
        return np.concatenate([bands.mean(axis=1), bands.std(axis=1)])


def signal_of(recording: npt.NDArray[Any]) -> Features:
    """Return a recording as a signal of shape (n_channels, n_samples)."""
    signal = np.atleast_2d(np.asarray(recording, dtype=np.float64))
    if signal.ndim != 2:
        raise ValueError(
            f"a recording has shape {signal.shape}; a signal of shape (n_channels, n_samples) is "
            "wanted."
        )
    return signal


def rate_of(recording: npt.NDArray[Any], given: float | None, name: str) -> float:
    """Return the sampling rate: what was given, else the recording's own."""
    rate = getattr(recording, "rate", None) if given is None else given
    if rate is None or not 0 < rate < np.inf:
        raise ValueError(
            f"the sampling rate is {rate}: the recording's file does not know it; give it in Hz, "
            f"as in {name}(rate=250)."
        )
    return float(rate)


def _mel_weights(frequencies: Features, rate: float, n_bands: int) -> Features:
    """Return triangles on the mel scale, shape (n_bands, n_frequencies), each of height 1."""
    mel = 2595 * np.log10(1 + frequencies / 700)
    edges = np.linspace(0, 2595 * np.log10(1 + rate / 1400), n_bands + 2)
    rising = (mel - edges[:-2, np.newaxis]) / np.diff(edges)[:-1, np.newaxis]
    falling = (edges[2:, np.newaxis] - mel) / np.diff(edges)[1:, np.newaxis]
    weights: Features = np.clip(np.minimum(rising, falling), 0, None)
    return weights
