"""When each sample of a stream was taken: stamps without their jitter, and the gaps between them.

A stamp is the time of taking plus jitter. A sample that was lost moves all later stamps by one
period for good, jitter moves a few and then is over: that is how the two are told apart.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Times = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]

# How long a shift has to last, and how far above the noise it has to be, to be a gap.
_LASTING_S = 0.25
_ABOVE_NOISE = 6.0


@dataclass(frozen=True)
class Timeline:
    """The times of consecutive samples.

    Attributes
    ----------
    times : ndarray of shape (n_samples,)
        Without jitter.
    missing : ndarray of shape (n_samples,)
        How many samples are missing between each and the one before; negative where the stamps
        went back.
    margin : int
        How far from its place a gap may really be, and how many samples at either end are not
        judged yet: 0 where there is no jitter to speak of.
    jitter : float
        Standard deviation of the stamps around `times`, in seconds.
    """

    times: Times
    missing: Counts
    margin: int
    jitter: float

    def rate(self) -> tuple[float, float]:
        """Return how many samples were taken per second, and how far that may be off."""
        n = len(self.times) + self.missing.sum()
        rate = float((n - 1) / max(self.times[-1] - self.times[0], 1e-9))
        return rate, float(_ABOVE_NOISE * self.jitter * rate**2 * (12 / n**3) ** 0.5)


def straighten(stamps: Times, rate: float) -> Timeline:
    """Return the times of samples from their stamps.

    Parameters
    ----------
    stamps : ndarray of shape (n_samples,)
    rate : float
        Samples per second, as the stream says.

    Examples
    --------
    >>> import numpy as np
    >>> from palacs.lsl import straighten
    >>> stamps = np.delete(np.arange(1000) / 250, slice(400, 403))
    >>> line = straighten(stamps + np.random.default_rng(0).normal(0, 0.0005, 997), 250)
    >>> int(line.missing[400]), int(line.missing.sum())
    (3, 3)
    """
    missing, margin = _missing(stamps, rate)
    index = np.arange(len(stamps)) + np.cumsum(missing)
    if len(stamps) < 3:
        return Timeline(stamps.copy(), missing, margin, 0.0)
    middle, zero = index.mean(), stamps[0]
    slope, level = np.polyfit(index - middle, stamps - zero, 1)
    rest = stamps - zero - (level + slope * (index - middle))
    # Once more without stragglers, which pull a straight line towards them.
    near = np.abs(rest) <= 3 * _spread(rest) + 1e-9
    if near.sum() >= max(3, len(stamps) // 2):
        slope, level = np.polyfit(index[near] - middle, stamps[near] - zero, 1)
    times = zero + level + slope * (index - middle)
    return Timeline(times, missing, margin, float(np.std(stamps - times)))


def _missing(stamps: Times, rate: float) -> tuple[Counts, int]:
    """Count what is missing before each sample, and how many at either end are not judged."""
    found = np.zeros(len(stamps), dtype=np.int64)
    off = np.diff(stamps) * rate - 1  # in samples
    if not (off < -0.5).any():  # no jitter to speak of: every step says what it is
        found[1:] = np.round(off)
        return found, 0
    width = max(3, min(round(_LASTING_S * rate), len(stamps) // 4))
    lag = stamps * rate - np.arange(len(stamps))
    steps = _lasting(lag, width)
    # How far medians stray: as seen, and as jitter of this size makes them, if few are seen.
    noise = max(_stray(steps), 1.25 * _spread(off) / np.sqrt(width)) if len(steps) else np.inf
    least = max(0.5, _ABOVE_NOISE * noise)
    for _ in range(len(steps)):
        best = int(np.argmax(np.abs(steps)))
        count = round(float(steps[best]))
        if abs(steps[best]) <= least or count == 0:
            break
        begin = best * max(1, width // 2)
        place = begin + _where(lag[begin : begin + 2 * width], width)
        found[place] += count
        lag[place:] -= count
        steps = _lasting(lag, width)
    return found, width


def _lasting(lag: Times, width: int) -> Times:
    """Return by how much the stamps moved for good, at places half a width apart."""
    if len(lag) < 2 * width:
        return np.empty(0)
    windows = np.lib.stride_tricks.sliding_window_view(lag, width)[:: max(1, width // 2)]
    middles = np.median(windows, axis=1)
    return np.asarray(middles[2:] - middles[:-2])


def _stray(steps: Times) -> float:
    """Return how far steps stray, without taking gaps that come often for noise."""
    beside = _spread(steps - np.round(steps))
    return beside if _ABOVE_NOISE * beside < 0.5 else _spread(steps)


def _where(lag: Times, width: int) -> int:
    """Return after how many of these samples they moved, so that two levels fit them best."""
    low, high = np.median(lag[: width // 2]), np.median(lag[-(width // 2) :])
    misfit = np.cumsum(np.abs(lag - low) - np.abs(lag - high))
    return int(np.argmin(misfit[:-1])) + 1


def _spread(values: Times) -> float:
    """Return the standard deviation, as told by the middle half."""
    low, high = np.percentile(values, [25, 75])
    return float(high - low) / 1.349
