"""A sender whose clock reads and runs otherwise: epochs are cut to the sample all the same.

The stream stamps by the other clock, and a relay answers liblsl's questions for the time as the
other machine would. Everything else is the real thing.
"""

from __future__ import annotations

import ctypes
import re
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pylsl
import pytest

from palacs.lsl import EpochSettings, StreamReader, lsl_now, straighten, take_epoch

AHEAD_S, FASTER = 4711.0, 300e-6


class OtherClock:
    """Ahead by more than an hour, and faster by far more than crystals are."""

    def __init__(self) -> None:
        self.began = lsl_now()

    def __call__(self, time: float) -> float:
        return time + AHEAD_S + FASTER * (time - self.began)


class TimeRelay:
    """Passes questions for the time on, and changes what is answered to the other clock."""

    def __init__(self, port: int, clock: Callable[[float], float]) -> None:
        self.to, self.clock = ("127.0.0.1", port), clock
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.answered = 0
        self.thread = threading.Thread(target=self.pass_on)
        self.thread.start()

    def pass_on(self) -> None:
        asked_by = self.to
        while True:
            packet, sender = self.socket.recvfrom(65536)
            if packet == b"enough":
                self.socket.close()
                return
            if sender != self.to:
                asked_by = sender
                self.socket.sendto(packet, self.to)
                continue
            number, asked, came, went = packet.split()
            there = [b"%.9f" % self.clock(float(time)) for time in (came, went)]
            self.socket.sendto(b" ".join([b"", number, asked, *there]), asked_by)
            self.answered += 1

    def close(self) -> None:
        self.socket.sendto(b"enough", ("127.0.0.1", self.port))
        self.thread.join()


class ReaderOfAnotherMachine(StreamReader):
    """Asks the relay for the time."""

    relays: tuple[TimeRelay, ...] = ()

    def _find(self) -> Any:
        info = super()._find()
        if info is None:
            return None
        port = re.search(r"<v4service_port>(\d+)<", info.as_xml())
        assert port
        relay = TimeRelay(int(port[1]), self.clock)
        self.relays += (relay,)
        from_xml = pylsl.lib.lib.lsl_streaminfo_from_xml
        from_xml.restype = ctypes.c_void_p
        changed = info.as_xml().replace(port[0], f"<v4service_port>{relay.port}<")
        changed = changed.replace("<v4address />", "<v4address>127.0.0.1</v4address>")
        return pylsl.StreamInfo(handle=from_xml(changed.encode()))

    def __init__(self, stream: str, clock: OtherClock) -> None:
        self.clock = clock
        super().__init__(stream)


@pytest.fixture
def clock() -> OtherClock:
    return OtherClock()


@pytest.fixture
def stream(new_stream, clock) -> Any:
    return new_stream(clock=clock)


@pytest.fixture
def reader(stream, clock) -> Iterator[ReaderOfAnotherMachine]:
    with ReaderOfAnotherMachine(f"name={stream.source_id}", clock) as opened:
        yield opened
    for relay in opened.relays:
        relay.close()


def test_epochs_are_cut_by_our_clock(stream, reader) -> None:
    reader.wait_until_ready(0.1)
    off = []
    for _ in range(12):
        onset = lsl_now()
        epoch = take_epoch(reader, onset, EpochSettings(0, 0.25))
        off.append(stream.off_by(epoch, onset))
        # Read while liblsl measures again, every two seconds, what moved meanwhile.
        assert abs(epoch.times[0] - stream.time_of(epoch.raw[0, 0])) < 0.001
    assert max(map(abs, off)) <= 0.0005 + 0.001
    stream.restart()
    reader.wait_until_ready(0.1)
    onset = lsl_now()
    epoch = take_epoch(reader, onset, EpochSettings(0, 0.25))
    assert abs(stream.off_by(epoch, onset)) <= 0.0005 + 0.001
    assert reader.restarts == 1
    assert sum(relay.answered > 0 for relay in reader.relays) == 2


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("jitter", [0.0, 0.0005, 0.004])
def test_lost_samples_are_told_from_jitter(seed: int, jitter: float) -> None:
    rng = np.random.default_rng(seed)
    lost = 5
    place = int(rng.integers(300, 1200))
    taken = np.delete(np.arange(1500 + lost) / 250 * (1 + 1e-4), slice(place, place + lost))
    line = straighten(taken + rng.normal(0, jitter, 1500), 250)
    assert line.missing.sum() == lost
    assert abs(int(np.argmax(line.missing)) - place) <= line.margin
    whole = straighten(np.arange(1500) / 250 + rng.normal(0, jitter, 1500), 250)
    assert not whole.missing.any()
    assert np.abs(whole.times - np.arange(1500) / 250).max() <= 6 * jitter / np.sqrt(1500) + 1e-9


@pytest.mark.parametrize("every", [100, 200, 300])
def test_samples_that_are_lost_all_the_time_are_not_taken_for_jitter(every: int) -> None:
    numbers = np.arange(1250)
    numbers = numbers[numbers % every != 50]
    late = np.abs(np.random.default_rng(every).normal(0, 0.001, len(numbers)))
    line = straighten(numbers / 250 + late, 250)
    rate, off = line.rate()
    assert line.missing.any() or abs(rate - 250) > 0.005 * 250 + off
