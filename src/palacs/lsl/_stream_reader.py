"""A lab stream as it comes in, read by a thread of its own, whatever happens to the sender.

The thread finds the stream, reads it, and finds it again when it broke off. It never mixes what
came before with what comes after: each connection is a segment of its own. liblsl would hide that
an outlet started again, which is why its own recovery is not used.
"""

from __future__ import annotations

import math
import re
from collections import deque
from threading import Condition, Event, Thread
from typing import Any, Self

import pylsl

from palacs.lsl._lsl_clock import lsl_now
from palacs.lsl._segments import Segment, StreamFacts

_QUERY = re.compile(r"(name|type|source_id|hostname)=([^'\"=,]+)")
_LOOK_S = 0.5
_SILENCE_S = 1.0
_CONNECT_S = 5.0
_COMPARE_S = 0.5


class NoStream(ConnectionError):
    """No stream is there, or none that will do; it says what was looked for."""


class StreamReader:
    """Keeps the latest samples of a lab stream.

    Parameters
    ----------
    stream : str
        What to look for: ``"type=EEG"``, ``"name=ActiChamp-0"``, ``"source_id=..."`` or several
        of them with commas. Two streams that answer to it are refused.
    seconds : float
        How much is kept.
    """

    def __init__(self, stream: str = "type=EEG", seconds: float = 60.0) -> None:
        if not 1 <= seconds <= 3600:
            raise ValueError(f"seconds={seconds!r}; keep between 1 and 3600 seconds.")
        self.stream = stream
        self._query = _predicate(stream)
        self._seconds = seconds
        self._segments: deque[Segment] = deque(maxlen=4)
        self._facts: StreamFacts | None = None
        self._trouble = "nothing answered"
        self._changed = Condition()
        self._stop = Event()
        self._thread = Thread(target=self._read, name=f"palacs {stream}", daemon=True)
        self._thread.start()

    @property
    def restarts(self) -> int:
        """How often another connection had to be made."""
        return max(0, self._connections - 1)

    _connections = 0

    def wait_until_ready(self, lead: float = 0.0, timeout: float = 10.0) -> StreamFacts:
        """Wait until samples come, and those of the last `lead` seconds are there.

        Raises
        ------
        NoStream
            It took longer than `timeout` seconds.
        """
        end = lsl_now() + timeout
        while True:
            segment = self._segments[-1] if self._segments else None
            now = lsl_now()
            if segment is not None and not segment.ended:
                fresh = now - segment.newest < max(_LOOK_S, 4 / segment.facts.rate)
                if fresh and segment.oldest <= now - lead:
                    return segment.facts
            if now > end or self._stop.is_set():
                raise NoStream(self._why_not(segment, timeout))
            self.wait_for_more(0.1)

    def _why_not(self, segment: Segment | None, timeout: float) -> str:
        what = f"the stream {self.stream!r} was not ready within {timeout:g} s"
        if segment is None or segment.ended:
            return f"{what}: {self._trouble}; start it, or look for another one."
        silent = lsl_now() - segment.newest
        if math.isinf(silent):
            return f"{what}: it is there, and sends nothing; start the recording at its source."
        return f"{what}: its last sample was taken {silent:.1f} s ago; look after its source."

    def segment_at(self, time: float) -> Segment | None:
        """Return the segment that was, or is, being received at a time; None for none."""
        for segment in reversed(self._segments):
            if segment.oldest <= time:
                return segment
        return None

    def wait_for_more(self, timeout: float) -> None:
        """Wait until something came or broke off."""
        with self._changed:
            self._changed.wait(timeout)

    def close(self) -> None:
        """Stop reading. Closing twice is harmless."""
        self._stop.set()
        self._thread.join(_CONNECT_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- the thread --------------------------------------------------------------------

    def _read(self) -> None:
        while not self._stop.is_set():
            info = self._find()
            if info is None:
                self._stop.wait(0.05)
                continue
            try:
                self._receive(info)
            except (RuntimeError, ConnectionError) as error:
                self._trouble = f"it broke off ({' '.join(str(error).split()).rstrip('.')})"

    def _find(self) -> Any:
        """Return a description of the stream to connect to."""
        before = self._facts
        if before is None:
            found = pylsl.resolve_bypred(self._query, 2, _LOOK_S)
        else:
            key = "source_id" if before.source_id else "name"
            same = f"{self._query} and {key}='{getattr(before, key)}'"
            found = pylsl.resolve_bypred(same, 1, _LOOK_S)
        names = sorted({(info.name(), info.source_id()) for info in found})
        if len(names) > 1:
            several = " and ".join(f"{name!r} (source_id={source})" for name, source in names)
            self._trouble = f"{several} answered; say which is meant"
            return None
        # Of one that started again and its former self, the one that was made last.
        return max(found, key=lambda info: info.created_at(), default=None)

    def _receive(self, info: Any) -> None:
        inlet = pylsl.StreamInlet(info, max_buflen=60, recover=False)
        inlet.open_stream(_CONNECT_S)
        facts = _facts(inlet.info(_CONNECT_S))
        self._trouble = self._unfit(facts)
        if self._trouble:
            self._stop.wait(_LOOK_S)
            return
        segment = Segment(facts, self._seconds)
        segment.compare_clocks(lsl_now(), inlet.time_correction(_CONNECT_S))
        self._facts, self._connections = facts, self._connections + 1
        self._segments.append(segment)
        try:
            self._pull(inlet, segment)
        finally:
            segment.ended = True
            with self._changed:
                self._changed.notify_all()

    def _pull(self, inlet: Any, segment: Segment) -> None:
        compared = heard = lsl_now()
        while not self._stop.is_set():
            samples, stamps = inlet.pull_chunk(0.1, 4096, min_samples=1, as_numpy=True)
            now = lsl_now()
            if now - compared > _COMPARE_S:
                compared = now
                segment.compare_clocks(now, inlet.time_correction(_CONNECT_S))
            if len(stamps):
                heard = now
                segment.append(samples, stamps)
                with self._changed:
                    self._changed.notify_all()
            elif now - heard > _SILENCE_S:
                heard = now
                # A stutter, after which the rest comes; or a sender that vanished and is back.
                other = self._find()
                if other is not None and other.uid() != segment.facts.uid:
                    raise ConnectionError("another outlet took its place")

    def _unfit(self, facts: StreamFacts) -> str:
        """Say why a stream will not do; nothing where it will."""
        if facts.rate <= 0:
            return f"{facts.name!r} has no sampling rate, and epochs need one"
        before = self._facts
        if before and (facts.rate, facts.channels) != (before.rate, before.channels):
            return (
                f"{facts.name!r} came back with {len(facts.channels)} channels at {facts.rate:g} "
                f"Hz, and had {len(before.channels)} at {before.rate:g} Hz"
            )
        return ""


def _predicate(stream: str) -> str:
    parts = [_QUERY.fullmatch(part.strip()) for part in stream.split(",")]
    if not all(parts):
        raise ValueError(
            f"stream={stream!r} is not understood; write type=EEG, name=NAME or source_id=ID."
        )
    return " and ".join(f"{part[1]}='{part[2].strip()}'" for part in parts if part)


def _facts(info: Any) -> StreamFacts:
    n = info.channel_count()
    if info.channel_format() == pylsl.cf_string:
        raise RuntimeError(f"{info.name()!r} sends text, not numbers")
    labels = info.get_channel_labels() or []
    labels = [*labels, *[None] * (n - len(labels))][:n]
    named = tuple(label or f"{number}" for number, label in enumerate(labels, 1))
    return StreamFacts(info.name(), info.source_id(), info.uid(), info.nominal_srate(), named)
