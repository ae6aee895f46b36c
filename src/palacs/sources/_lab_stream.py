"""A lab stream as a source: a marker goes out, an epoch comes in, and is judged before it is told.

Whoever shows the cue to the participant listens to the markers, or sends them: then the onset of
a request is waited for instead (`cues`).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from random import Random
from threading import Event, Lock
from typing import Any, Self

from palacs.campaign import Acquired, NotAcquired, Request
from palacs.lsl import (
    BadEpoch,
    EpochSettings,
    Marker,
    MarkerOutlet,
    MarkerReader,
    StreamReader,
    lsl_now,
    take_epoch,
    write_xdf,
)


class LabStream:
    """Records epochs of a lab stream (LSL).

    For each request it waits until the stream is there and whole, sends ``onset`` and ``offset``
    as markers, and cuts the epoch between. A bad epoch fails the request with the reason; a
    stream that is not there is tried again. One request is recorded at a time.

    Parameters
    ----------
    folder : path
        Where the epochs are kept, as XDF files; the campaign's extractor makes features of them.
    stream : str
        As in `palacs.lsl.StreamReader`.
    epochs : EpochSettings
        How they are cut and judged.
    rest : pair of float
        Shortest and longest pause before a cue, in seconds.
    cues : str or None
        The name of a stream of markers by somebody else, such as ``palacs studio --markers``,
        who shows the cues; None sends them from here, as the stream ``palacs``.
    """

    # How many seconds to wait for a stream that is not there, or not fresh, before trying again.
    patience = 10.0

    def __init__(
        self,
        folder: str | os.PathLike[str],
        stream: str = "type=EEG",
        epochs: EpochSettings | None = None,
        *,
        rest: Sequence[float] = (0.5, 1.0),
        cues: str | None = None,
    ) -> None:
        if len(rest) != 2 or not 0 <= rest[0] <= rest[1]:
            raise ValueError(f"rest={rest!r}; give the shortest and the longest pause in seconds.")
        self.epochs = EpochSettings() if epochs is None else epochs
        self.rest = rest
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.reader = StreamReader(stream)
        self.markers = None if cues is not None else MarkerOutlet()
        self._cues = None if cues is None else MarkerReader(cues)
        self._turn = Lock()
        self._given_up: dict[str, Event] = {}

    def acquire(self, request: Request) -> Acquired:
        """Record one epoch."""
        given_up = self._given_up.setdefault(request.id, Event())
        try:
            with self._turn:
                return self._acquire(request, given_up)
        except BadEpoch as error:
            raise NotAcquired(str(error)) from error
        finally:
            self._given_up.pop(request.id, None)

    def cancel(self, request: Request) -> None:
        """Stop waiting for a request that nobody wants answered any more."""
        self._given_up.setdefault(request.id, Event()).set()

    def _acquire(self, request: Request, given_up: Event) -> Acquired:
        begun = lsl_now()
        self._wait(given_up, Random(request.id).uniform(*self.rest))
        self.reader.wait_until_ready(self.epochs.lead, self.patience)
        onset, markers = self._cue(request, given_up)
        epoch = take_epoch(self.reader, onset, self.epochs)
        path = write_xdf(self.folder / f"{request.id}-{onset:.6f}.xdf", epoch, markers)
        return Acquired(
            recording=path,
            duration=lsl_now() - begun,
            attrs={"lsl_onset": onset, "lsl_ended": epoch.onset + self.epochs.stop},
        )

    def _cue(self, request: Request, given_up: Event) -> tuple[float, list[tuple[float, Marker]]]:
        """Send the onset and the offset, or wait for those of somebody else."""
        said: dict[str, Any] = {"label": request.label, "request": request.id}
        if self.markers is None:
            return self._seen(request, given_up)
        onset = self.markers.send("onset", **said)
        try:
            self._wait(given_up, self.epochs.stop)
        finally:
            offset = self.markers.send("offset", **said)
        names = (("onset", onset), ("offset", offset))
        return onset, [(at, Marker(event, **said)) for event, at in names]

    def _seen(self, request: Request, given_up: Event) -> tuple[float, list[tuple[float, Marker]]]:
        assert self._cues is not None
        while not given_up.is_set():
            for at, marker in self._cues.wait(0.2):
                if (marker.event, marker.request) == ("onset", request.id):
                    return at, [(at, marker)]
        raise NotAcquired("it was given up before its cue was shown.")

    def _wait(self, given_up: Event, seconds: float) -> None:
        if given_up.wait(seconds):
            raise NotAcquired("it was given up.")

    def close(self) -> None:
        """Let the streams go."""
        self.reader.close()
        for stream in (self.markers, self._cues):
            if stream is not None:
                stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
