"""Markers: what was asked for and when, as a stream that any LSL recorder keeps.

One marker is one line of JSON, ``{"event": "onset", "class": "left", "request": 17}``, stamped
with LSL's clock. Whoever shows a cue sends ``onset`` with the time at which it was to be seen.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Self
from uuid import uuid4

import numpy as np
import pylsl

from palacs.lsl._lsl_clock import lsl_now

STREAM_TYPE = "Markers"


@dataclass(frozen=True)
class Marker:
    """One marker.

    Attributes
    ----------
    event : str
        What happened: ``"onset"``, ``"offset"`` or any word.
    label : str, int or None
        The class that was requested.
    request : str, int or None
        The name of the request.
    attrs : dict or None
        Anything else that JSON can hold.

    Examples
    --------
    >>> from palacs.lsl import Marker
    >>> Marker("onset", "left", 17).text
    '{"event": "onset", "class": "left", "request": 17}'
    >>> Marker.read('{"event": "onset", "class": "left", "request": 17}')
    Marker(event='onset', label='left', request=17, attrs=None)
    """

    event: str
    label: str | int | np.generic | None = None
    request: str | int | None = None
    attrs: dict[str, Any] | None = None

    @property
    def text(self) -> str:
        """The marker as one line of JSON."""
        said = {"event": self.event, "class": _plain(self.label), "request": _plain(self.request)}
        found = {key: value for key, value in said.items() if value is not None}
        return json.dumps({**(self.attrs or {}), **found}, ensure_ascii=False)

    @classmethod
    def read(cls, text: str) -> Marker | None:
        """Return the marker that a line says; None for a marker of somebody else."""
        try:
            said = json.loads(text)
        except ValueError:
            return None
        if not isinstance(said, dict) or not isinstance(said.get("event"), str):
            return None
        event, label, request = (said.pop(key, None) for key in ("event", "class", "request"))
        return cls(event, label, request, said or None)


class MarkerOutlet:
    """A stream of markers, to be seen by every LSL program on the network.

    It may be used by several threads. A marker reaches those who listen when it is sent and is
    kept for nobody: start the recorder first, or wait with `wait_for_listener`.

    Parameters
    ----------
    name : str
        What the stream is called; its type is ``"Markers"``.
    source_id : str or None
        Stays the same when the program starts again, so that recorders go on; by default new
        each time.

    Examples
    --------
    >>> from palacs.lsl import MarkerOutlet, lsl_now
    >>> with MarkerOutlet("doctest") as markers:
    ...     told = markers.send("onset", label="left", request=17)
    >>> told <= lsl_now()
    True
    """

    def __init__(self, name: str = "palacs", source_id: str | None = None) -> None:
        if not name:
            raise ValueError("name='' would make a stream that nobody finds; give it a name.")
        self.name = name
        self.source_id = source_id or f"palacs-{uuid4().hex}"
        info = pylsl.StreamInfo(
            name, STREAM_TYPE, 1, pylsl.IRREGULAR_RATE, pylsl.cf_string, self.source_id
        )
        self._outlet: pylsl.StreamOutlet | None = pylsl.StreamOutlet(info)

    def send(
        self,
        event: str,
        *,
        label: str | int | np.generic | None = None,
        request: str | int | None = None,
        at: float | None = None,
        attrs: dict[str, Any] | None = None,
    ) -> float:
        """Send one marker and return its time.

        Parameters
        ----------
        event : str
            What happened, ``"onset"`` where a cue appeared.
        label : str, int or None
            The class that was requested.
        request : str, int or None
            The name of the request.
        at : float or None
            When it happened, by LSL's clock (`as_lsl_time`); by default now.
        attrs : dict or None
            Anything else that JSON can hold.

        Returns
        -------
        at : float
        """
        stamp = lsl_now() if at is None else float(at)
        if not np.isfinite(stamp) or stamp <= 0:
            raise ValueError(f"at={at!r} is no time of LSL's clock; see palacs.lsl.as_lsl_time.")
        text = Marker(event, label, request, attrs).text
        if self._outlet is None:
            raise ValueError(f"the markers of {self.name!r} are closed; make a new MarkerOutlet.")
        self._outlet.push_sample([text], stamp)
        return stamp

    def wait_for_listener(self, timeout: float = 5.0) -> bool:
        """Wait until somebody listens; say whether anybody does."""
        return self._outlet is not None and bool(self._outlet.wait_for_consumers(timeout))

    def close(self) -> None:
        """End the stream. Closing twice is harmless."""
        self._outlet = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
