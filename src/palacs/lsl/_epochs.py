"""Epochs: what a stream held around an onset, filtered and judged before anybody learns from it.

The first sample is the one that was taken nearest to where the epoch begins, by LSL's clock; the
others follow it one by one. A band-pass runs forwards and backwards over the epoch and a piece of
the stream on either side, so that it shifts nothing and rings outside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from palacs.lsl._lsl_clock import lsl_now
from palacs.lsl._segments import Segment
from palacs.lsl._stream_reader import StreamReader
from palacs.lsl._timeline import Timeline, straighten

Array = npt.NDArray[np.float64]

# What comes before an epoch tells how fast the clock runs and how far the stamps stray.
_CONTEXT_S = 4.0
_CLIPPED_IN_A_ROW = 8
# Of the sampling rate: amplifiers stray by less, unless samples are lost all the time.
_RATE_OFF = 0.005


class BadEpoch(Exception):
    """An epoch that nobody should learn from; the message says why."""


@dataclass(frozen=True)
class EpochSettings:
    """How epochs are cut and judged.

    Attributes
    ----------
    start, stop : float
        Seconds after the onset.
    band : pair of float or None
        Lowest and highest frequency that pass, in Hz; None leaves the stream as it is.
    pad : float
        Seconds of the stream on either side that a filter runs over, and that have to be whole.
    channels : sequence of str or None
        Which, by name; None takes all.
    largest : float or None
        An absolute value that no sample may reach, in the stream's own unit: the end of the
        amplifier's range. Without it, samples that stay at their extreme count as saturated.
    """

    start: float = 0.0
    stop: float = 1.0
    band: tuple[float, float] | None = None
    pad: float = 0.0
    channels: Sequence[str] | None = None
    largest: float | None = None

    def __post_init__(self) -> None:
        if not -60 <= self.start < self.stop <= 600:
            raise ValueError(
                f"start={self.start!r}, stop={self.stop!r}; an epoch starts before it stops."
            )
        if not 0 <= self.pad <= 60:
            raise ValueError(f"pad={self.pad!r}; give between 0 and 60 seconds.")
        if self.band is not None and not 0 < self.band[0] < self.band[1]:
            raise ValueError(f"band={self.band!r}; give the lower frequency first, in Hz.")

    @property
    def lead(self) -> float:
        """How many seconds of the stream before the onset are needed."""
        return max(0.0, self.pad - self.start)


@dataclass(frozen=True)
class Epoch:
    """One epoch.

    Attributes
    ----------
    samples : ndarray of shape (n_channels, n_samples)
        Filtered.
    times : ndarray of shape (n_samples,)
        When each was taken, by LSL's clock on this machine.
    raw : ndarray of shape (n_channels, n_samples + 2 * n_pad)
        As they came, with what the filter ran over.
    raw_times : ndarray of shape (n_samples + 2 * n_pad,)
    onset : float
    rate : float
        As the stream says.
    channels : tuple of str
    jitter : float
        Standard deviation of the stamps, in seconds.
    """

    samples: Array
    times: Array
    raw: Array
    raw_times: Array
    onset: float
    rate: float
    channels: tuple[str, ...]
    jitter: float


def take_epoch(
    reader: StreamReader, onset: float, settings: EpochSettings, patience: float = 5.0
) -> Epoch:
    """Wait for an epoch to be whole, cut it and judge it.

    Parameters
    ----------
    reader : StreamReader
    onset : float
        By LSL's clock.
    settings : EpochSettings
    patience : float
        Seconds to wait for what should have come: a network may stutter.

    Raises
    ------
    BadEpoch
        Samples are missing, the stream broke off, or a channel is flat, saturated or not numbers.
    """
    begin, end = onset + settings.start - settings.pad, onset + settings.stop + settings.pad
    while True:
        segment = reader.segment_at(begin)
        late = lsl_now() - end > patience
        if segment is not None:
            # Asked before it is looked at: what came until it ended is all there is.
            ended = segment.ended
            if segment.newest >= end or ended or late:
                epoch = _cut(segment, onset, settings, last=ended or late)
                if epoch is not None:
                    return epoch
        elif late:
            raise BadEpoch("there was no stream where the epoch begins.")
        reader.wait_for_more(0.1)


def _cut(segment: Segment, onset: float, settings: EpochSettings, last: bool) -> Epoch | None:
    """Return the epoch; None where the rest of it may still come."""
    facts = segment.facts
    n, pad = (round(s * facts.rate) for s in (settings.stop - settings.start, settings.pad))
    samples, stamps = segment.since(onset + settings.start - settings.pad - _CONTEXT_S)
    if len(stamps) < 2:
        raise BadEpoch("the stream sent nothing.")
    line = straighten(stamps, facts.rate)
    if line.times[-1] < onset + settings.start - settings.pad:
        raise BadEpoch("there was no stream where the epoch begins.")
    first = int(np.argmin(np.abs(line.times - onset - settings.start)))
    inside = slice(first - pad, first + n + pad)
    if not last and inside.stop + line.margin > len(stamps):
        return None
    _check_whole(line, inside, onset, segment)
    _check_rate(line, facts.rate)
    if abs(line.times[first] - onset - settings.start) > 0.75 / facts.rate:
        raise BadEpoch("the stream does not reach back to where the epoch begins.")
    chosen = _chosen(facts.channels, settings.channels)
    raw = samples[inside][:, chosen].T
    channels = tuple(facts.channels[c] for c in chosen)
    check_samples(raw, channels, settings.largest)
    cut = slice(pad, pad + n)
    filtered = band_pass(raw, facts.rate, settings.band)[:, cut]
    times = line.times[inside]
    return Epoch(filtered, times[cut], raw, times, onset, facts.rate, channels, line.jitter)


def _check_whole(line: Timeline, inside: slice, onset: float, segment: Segment) -> None:
    """Refuse what does not reach from end to end without a gap."""
    if inside.start < 0:
        raise BadEpoch("the stream does not reach back to where the epoch begins.")
    # The step into the first sample is no matter; where a gap really was is known by a margin.
    near = slice(max(0, inside.start + 1 - line.margin), inside.stop + line.margin)
    gaps = np.flatnonzero(line.missing[near]) + near.start
    if len(gaps):
        missing = line.missing[gaps[0]]
        at = line.times[gaps[0] - 1] - onset
        if missing < 0:
            raise BadEpoch(
                f"the stamps went back by {-missing} samples, {at:.3f} s after the onset."
            )
        several = "sample is" if missing == 1 else "samples are"
        raise BadEpoch(f"{missing} {several} missing, {at:.3f} s after the onset.")
    lacking = inside.stop - len(line.times)
    if lacking > 0:
        why = "broke off" if segment.ended else "did not send"
        raise BadEpoch(
            f"the last {lacking} of {inside.stop - inside.start} samples are missing: the stream "
            f"{why} {line.times[-1] - onset:.3f} s after the onset."
        )


def _check_rate(line: Timeline, said: float) -> None:
    """Refuse what would last longer or shorter than it should."""
    rate, off = line.rate()
    if abs(rate - said) > _RATE_OFF * said + off:
        raise BadEpoch(
            f"the stream says {said:g} samples per second and sends {rate:.4g}: either it "
            "says so wrongly or samples are lost on the way; look after its source."
        )


def _chosen(there: Sequence[str], wanted: Sequence[str] | None) -> list[int]:
    absent = [name for name in wanted or () if name not in there]
    if absent:
        raise BadEpoch(f"there is no channel {absent[0]!r}; there is {', '.join(there)}.")
    return list(range(len(there))) if wanted is None else [there.index(name) for name in wanted]


def check_samples(raw: Array, channels: Sequence[str], largest: float | None = None) -> None:
    """Refuse samples that say nothing about what was recorded.

    Parameters
    ----------
    raw : ndarray of shape (n_channels, n_samples)
    channels : sequence of str
    largest : float or None
        An absolute value that no sample may reach.

    Raises
    ------
    BadEpoch
        A channel holds NaN or infinity, is flat, or is saturated.

    Examples
    --------
    >>> import numpy as np
    >>> from palacs.lsl import check_samples
    >>> check_samples(np.ones((1, 100)), ["C3"])
    Traceback (most recent call last):
    palacs.lsl._epochs.BadEpoch: the channel C3 is flat: every sample is 1.
    """
    for name, signal in zip(channels, raw, strict=True):
        wrong = int((~np.isfinite(signal)).sum())
        if wrong:
            raise BadEpoch(f"the channel {name} holds {wrong} samples that are no numbers.")
        if np.ptp(signal) == 0:
            raise BadEpoch(f"the channel {name} is flat: every sample is {signal[0] + 0.0:g}.")
        why = _saturated(signal, largest)
        if why:
            raise BadEpoch(f"the channel {name} is saturated: {why}.")


def _saturated(signal: Array, largest: float | None) -> str:
    if largest is not None:
        count = int((np.abs(signal) >= largest).sum())
        return f"{count} samples reach {largest:g}" if count else ""
    for extreme in (signal.max(), signal.min()):
        stuck = _longest(signal == extreme)
        if stuck >= _CLIPPED_IN_A_ROW:
            return f"{stuck} samples in a row are {extreme:g}"
    return ""


def _longest(true: npt.NDArray[np.bool_]) -> int:
    """Return the length of the longest run."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], true, [False])).astype(np.int8)))
    return int((edges[1::2] - edges[::2]).max(initial=0))


def band_pass(signal: Array, rate: float, band: tuple[float, float] | None) -> Array:
    """Return a signal of shape (n_channels, n_samples) with what lies in a band, unshifted."""
    if band is None:
        return signal
    from scipy.signal import butter, sosfiltfilt

    if band[1] >= rate / 2:
        raise ValueError(
            f"band={band!r}: a stream at {rate:g} Hz knows nothing from {rate / 2:g} Hz on."
        )
    passing = butter(2, band, "bandpass", fs=rate, output="sos")
    room = min(3 * (2 * len(passing) + 1), signal.shape[1] - 1)
    return np.asarray(sosfiltfilt(passing, signal, axis=1, padlen=room))
