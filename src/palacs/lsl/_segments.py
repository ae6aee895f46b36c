"""What came over one connection to a stream: the latest samples, and how its clock stands to ours.

An outlet that starts again is another segment: its numbers, its clock and its stamps have nothing
to do with those before, and no epoch reaches from one into the next.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from threading import Lock

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

# As many measurements of the clocks as make a minute, at one every two seconds.
_MEASUREMENTS = 30


@dataclass(frozen=True)
class StreamFacts:
    """What a stream says about itself.

    Attributes
    ----------
    name, source_id, uid : str
        The last is new whenever the outlet starts.
    rate : float
        Samples per second.
    channels : tuple of str
    """

    name: str
    source_id: str
    uid: str
    rate: float
    channels: tuple[str, ...]


class Segment:
    """The latest samples of one connection; one thread appends, others look.

    Parameters
    ----------
    facts : StreamFacts
    seconds : float
        How much is kept at least.
    """

    def __init__(self, facts: StreamFacts, seconds: float) -> None:
        self.facts = facts
        self.ended = False
        self._keep = max(2, math.ceil(seconds * facts.rate))
        # Twice as long as what is kept: then it is moved once in a while, not each time.
        self._samples = np.empty((2 * self._keep, len(facts.channels)))
        self._stamps = np.empty(2 * self._keep)
        self._filled = 0
        self._clocks: list[tuple[float, float]] = []
        self._lock = Lock()

    def append(self, samples: npt.NDArray[np.generic], stamps: Array) -> None:
        """Add samples, shape (n_samples, n_channels), with the sender's stamps."""
        samples, stamps = samples[-self._keep :], stamps[-self._keep :]
        with self._lock:
            if self._filled + len(stamps) > len(self._stamps):
                kept = slice(self._filled - self._keep, self._filled)
                self._samples[: self._keep] = self._samples[kept].copy()
                self._stamps[: self._keep] = self._stamps[kept].copy()
                self._filled = self._keep
            end = self._filled + len(stamps)
            self._samples[self._filled : end] = samples
            self._stamps[self._filled : end] = stamps
            self._filled = end

    def compare_clocks(self, now: float, offset: float) -> None:
        """Remember that the sender's clock and `offset` made our clock, at `now` by ours."""
        if not self._clocks or self._clocks[-1][1] != offset:
            self._clocks = [*self._clocks[1 - _MEASUREMENTS :], (now, offset)]

    @property
    def newest(self) -> float:
        """When the latest sample was taken, by our clock; minus infinity before the first."""
        with self._lock:
            stamp = self._stamps[self._filled - 1] if self._filled else -math.inf
        return float(self._here(np.array([stamp]))[0]) if math.isfinite(stamp) else -math.inf

    @property
    def oldest(self) -> float:
        """When the earliest sample that is kept was taken; infinity before the first."""
        with self._lock:
            stamp = self._stamps[0] if self._filled else math.inf
        return float(self._here(np.array([stamp]))[0]) if math.isfinite(stamp) else math.inf

    def since(self, begin: float) -> tuple[Array, Array]:
        """Return samples and stamps, by our clock, of all that came since a time.

        Returns
        -------
        samples : ndarray of shape (n_samples, n_channels)
        stamps : ndarray of shape (n_samples,)
        """
        with self._lock:
            stamps = self._here(self._stamps[: self._filled].copy())
            first = int(np.argmax(stamps >= begin)) if (stamps >= begin).any() else self._filled
            return self._samples[first : self._filled].copy(), stamps[first:]

    def _here(self, stamps: Array) -> Array:
        """Return the sender's stamps by our clock, which runs at another speed."""
        clocks = np.array(self._clocks)
        if not len(clocks):
            return stamps
        latest = clocks[-1, 1]
        if len(clocks) < 3:
            return np.asarray(stamps + latest)
        # The median of all slopes: one measurement that was delayed does not bend the line.
        later, sooner = np.triu_indices(len(clocks), 1)[::-1]
        runs = clocks[later] - clocks[sooner]
        speed = float(np.median(runs[:, 1] / runs[:, 0]))
        level = float(np.median(clocks[:, 1] - speed * (clocks[:, 0] - clocks[-1, 0])))
        return np.asarray(stamps + level + speed * (stamps + latest - clocks[-1, 0]))
