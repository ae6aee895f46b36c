"""A lab stream as a source: a marker goes out, an epoch comes in, and is judged before it is told.

In `LabStream.acquire` the markers are its own, and whoever shows the cue listens to them. In
`LabStream.follow` somebody else asks and shows the cues, such as the studio, and sends markers;
then epochs are cut around these.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from random import Random
from threading import Event, Lock
from typing import Any, Self

from palacs.campaign import Acquired, Campaign, Conflict, NotAcquired, Request, UnknownEntry
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

Marked = tuple[float, Marker]


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
    name : str
        What the stream of its markers is called.
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
        name: str = "palacs",
    ) -> None:
        if len(rest) != 2 or not 0 <= rest[0] <= rest[1]:
            raise ValueError(f"rest={rest!r}; give the shortest and the longest pause in seconds.")
        self.epochs = EpochSettings() if epochs is None else epochs
        self.rest, self.name = rest, name
        self.reader = StreamReader(stream)
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self._turn = Lock()
        self._given_up: dict[str, Event] = {}
        self._closed = Event()

    @cached_property
    def markers(self) -> MarkerOutlet:
        """The stream of its markers."""
        return MarkerOutlet(self.name)

    def open(self, campaign: Any) -> None:
        """Make the stream of markers, so that others find it before the first cue."""
        self.markers.wait_for_listener(0)

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

    def follow(
        self,
        campaign: Campaign,
        cues: str = "palacs-studio",
        *,
        event: str = "onset",
        performed: bool = True,
        until: int | None = None,
    ) -> int:
        """Tell the epochs of cues that somebody else asks for and shows, such as the studio.

        A request of the campaign is answered by the epoch around its marker, or failed with the
        reason, once its ``offset`` came and the record says that it was performed; what the page
        calls failed is not told. Of a cue that was shown again the last marker counts. It goes on
        until `close` is called from another thread.

        Parameters
        ----------
        campaign : Campaign
            With an extractor in force.
        cues : str
            The name of their stream of markers; that of ``palacs studio --markers`` by default.
        event : str
            From where epochs count: ``"onset"``, when the cue appears, or ``"performing"``, when
            it goes and a session of the studio has the participant perform.
        performed : bool
            Whether to wait for the record, as the studio writes it; without, every cue that
            ended is told.
        until : int or None
            Return after so many were told.

        Returns
        -------
        told : int
        """
        if campaign.extractor is None:
            raise ValueError(
                f"the campaign {campaign.name!r} has no extractor, which makes features of epochs; "
                "see Campaign.extract."
            )
        told = 0
        shown: dict[str, Marked] = {}
        with MarkerReader(cues) as reader:
            while not self._closed.is_set() and (until is None or told < until):
                for at, marker in reader.wait(0.2):
                    request = str(marker.request)
                    if marker.event == event:
                        shown[request] = at, marker
                    elif marker.event == "offset" and request in shown:
                        markers = [shown.pop(request), (at, marker)]
                        if not performed or self._performed(campaign, request):
                            told += self._followed(campaign, request, markers)
        return told

    def _performed(self, campaign: Campaign, request: str) -> bool:
        """Wait a moment for the page to say that a request was performed."""
        end = lsl_now() + self.patience
        while lsl_now() < end and not self._closed.is_set():
            pending = [each for each in campaign.pending() if each.id == request]
            if not pending or pending[0].performed_at is not None:
                return bool(pending)  # else of another campaign, or failed by the page
            self._closed.wait(0.05)
        return False

    def _followed(self, campaign: Campaign, request: str, markers: Sequence[Marked]) -> bool:
        """Tell or fail the request of one cue; say whether it was told."""
        try:
            campaign.request(request)
            brought = self._epoch(request, markers[0][0], markers)
            campaign.tell(request, recording=brought.recording, attrs=brought.attrs)
        except (UnknownEntry, Conflict):  # of another campaign, or settled meanwhile
            return False
        except (BadEpoch, ValueError) as error:
            with suppress(UnknownEntry, Conflict):
                campaign.fail(request, str(error))
            return False
        return True

    def _acquire(self, request: Request, given_up: Event) -> Acquired:
        _wait(given_up, Random(request.id).uniform(*self.rest))
        self.reader.wait_until_ready(self.epochs.lead, self.patience)
        said: dict[str, Any] = {"label": request.label, "request": request.id}
        onset = self.markers.send("onset", **said)
        try:
            _wait(given_up, self.epochs.stop)
        finally:
            offset = self.markers.send("offset", **said)
        names = (("onset", onset), ("offset", offset))
        return self._epoch(request.id, onset, [(at, Marker(name, **said)) for name, at in names])

    def _epoch(self, request: str, onset: float, markers: Sequence[Marked]) -> Acquired:
        """Wait for the epoch of an onset, and keep it."""
        epoch = take_epoch(self.reader, onset, self.epochs)
        path = write_xdf(self.folder / f"{request}-{onset:.6f}.xdf", epoch, markers)
        attrs = {"lsl_onset": onset, "lsl_ended": onset + self.epochs.stop}
        return Acquired(recording=path, duration=lsl_now() - onset, attrs=attrs)

    def close(self) -> None:
        """Let the streams go. Closing twice is harmless."""
        self._closed.set()
        self.reader.close()
        if "markers" in self.__dict__:
            self.markers.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _wait(given_up: Event, seconds: float) -> None:
    if given_up.wait(seconds):
        raise NotAcquired("it was given up.")


def lab_stream_from(text: str) -> LabStream:
    """Return a lab stream from a line: ``folder=epochs,type=EEG,start=0.5,stop=2.5,band=6-32``.

    Parameters
    ----------
    text : str
        ``folder`` is needed; ``name``, ``type``, ``source_id`` and ``hostname`` say which stream;
        ``start``, ``stop``, ``pad``, ``largest`` and ``band`` how epochs are cut; ``rest`` the
        pauses, as in ``rest=0.5-1``.
    """
    parts = dict(part.strip().partition("=")[::2] for part in text.split(",") if part.strip())
    which = {key: parts.pop(key) for key in _WHICH if key in parts}
    folder, rest = parts.pop("folder", ""), parts.pop("rest", "0.5-1")
    unknown = sorted(set(parts) - {*_NUMBERS, "band"})
    if unknown or not folder:
        wrong = f"{unknown[0]!r} is not known" if unknown else "folder= is missing"
        raise ValueError(f"lsl:{text}: {wrong}; write lsl:folder=epochs,type=EEG,start=0.5,stop=2.")
    numbers: dict[str, Any] = {key: _number(key, parts[key]) for key in _NUMBERS if key in parts}
    if "band" in parts:
        numbers["band"] = _pair("band", parts["band"])
    stream = ",".join(f"{key}={value}" for key, value in which.items()) or "type=EEG"
    return LabStream(folder, stream, EpochSettings(**numbers), rest=_pair("rest", rest))


_WHICH = ("name", "type", "source_id", "hostname")
_NUMBERS = ("start", "stop", "pad", "largest")


def _number(key: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{key}={text!r} is no number.") from None


def _pair(key: str, text: str) -> tuple[float, float]:
    low, _, high = text.partition("-")
    return _number(key, low), _number(key, high)
