"""A stream whose samples carry their numbers, so that a cut can be checked to the sample.

Sample k is taken at ``began + k / rate`` by LSL's clock, whatever happens to the outlet; its
channels are k and two of noise. It can start again, stutter, lose samples, and stamp with jitter
or by another clock.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from typing import Self

import numpy as np
import pylsl

from palacs.lsl import Epoch, lsl_now

CHANNELS = ("number", "C3", "C4")
_EVERY_S = 0.01


class NumberedStream:
    """An outlet in a thread of its own.

    Parameters
    ----------
    source_id : str
        Also its name; the same after it started again.
    rate : float
    jitter : float
        Standard deviation of the stamps, in seconds.
    clock : callable
        What the sender's clock reads at a time of LSL's clock; by default the same.
    """

    def __init__(
        self,
        source_id: str,
        rate: float = 1000.0,
        jitter: float = 0.0,
        clock: Callable[[float], float] = float,
    ) -> None:
        self.source_id, self.rate, self.jitter, self.clock = source_id, rate, jitter, clock
        self.began = lsl_now()
        self.rng = np.random.default_rng(0)
        self.lost: set[int] = set()
        self.spoil: Callable[[np.ndarray], np.ndarray] = lambda samples: samples
        self._sent = 0
        self._held = threading.Event()
        self._stop = threading.Event()
        self._turn = threading.Lock()
        self._outlet: pylsl.StreamOutlet | None = self._new()
        self._thread = threading.Thread(target=self._send, daemon=True)
        self._thread.start()

    def _new(self) -> pylsl.StreamOutlet:
        info = pylsl.StreamInfo(
            self.source_id, "EEG", len(CHANNELS), self.rate, pylsl.cf_double64, self.source_id
        )
        info.set_channel_labels(list(CHANNELS))
        return pylsl.StreamOutlet(info)

    def time_of(self, number: float) -> float:
        """When a sample was taken, by LSL's clock."""
        return self.began + number / self.rate

    def restart(self, away: float = 0.0) -> None:
        """End the outlet, and make another; samples of the time between are sent to nobody."""
        with self._turn:
            self._outlet = None
        self._stop.wait(away)
        with self._turn:
            self._sent = self._due()
            self._outlet = self._new()

    def stutter(self, seconds: float) -> None:
        """Send nothing for a while, then all of it."""
        self._held.set()
        self._stop.wait(seconds)
        self._held.clear()

    def lose(self, count: int, after: float = 0.0) -> None:
        """Lose the samples that are taken next, or some time after."""
        begin = self._due() + math.ceil((after + 2 * _EVERY_S) * self.rate)
        self.lost |= set(range(begin, begin + count))

    def _due(self) -> int:
        return math.floor((lsl_now() - self.began) * self.rate)

    def _send(self) -> None:
        while not self._stop.wait(_EVERY_S):
            with self._turn:
                if self._outlet is None or self._held.is_set():
                    continue
                due = self._due()
                numbers = np.array([k for k in range(self._sent, due) if k not in self.lost])
                self._sent = due
                if len(numbers):
                    self._push(self._outlet, numbers)

    def _push(self, outlet: pylsl.StreamOutlet, numbers: np.ndarray) -> None:
        noise = self.rng.normal(size=(len(numbers), len(CHANNELS) - 1))
        samples = self.spoil(np.column_stack([numbers, noise]))
        stamps = np.array([self.clock(self.time_of(k)) for k in numbers])
        outlet.push_chunk(samples, list(stamps + self.rng.normal(0, self.jitter, len(numbers))))

    def off_by(self, epoch: Epoch, begin: float) -> float:
        """Say by how many seconds an epoch begins beside its place; infinite for wrong samples.

        Parameters
        ----------
        epoch : Epoch
            With the numbers as its first channel.
        begin : float
            Where it should begin, by LSL's clock.
        """
        numbers = epoch.raw[0]
        if not np.array_equal(numbers, numbers[0] + np.arange(len(numbers))):
            return math.inf
        pad = (len(numbers) - epoch.samples.shape[1]) // 2
        return self.time_of(numbers[pad]) - begin

    def close(self) -> None:
        """End the stream."""
        self._stop.set()
        self._thread.join()
        self._outlet = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
