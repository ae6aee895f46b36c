"""Markers as they come in, from whoever shows the cues."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Self

import pylsl

from palacs.lsl._lsl_clock import lsl_now
from palacs.lsl._markers import STREAM_TYPE, Marker

_CONNECT_S = 5.0
_LOOK_S = 0.1


class MarkerReader:
    """Reads the markers of palacs, and finds their stream again when it broke off.

    Parameters
    ----------
    name : str
        What the stream is called.
    """

    def __init__(self, name: str = "palacs") -> None:
        if not name or "'" in name:
            raise ValueError(f"name={name!r}; give the name of a stream, without quotes.")
        self.name = name
        self._query = f"name='{name}' and type='{STREAM_TYPE}'"
        self._inlet: Any = None

    def wait(self, timeout: float = 0.1) -> list[tuple[float, Marker]]:
        """Return the markers that came, with their times by LSL's clock here; wait for the first.

        Markers of other programs are left out.
        """
        end = lsl_now() + timeout
        try:
            if self._inlet is None and not self._connect(timeout):
                return []
            texts, stamps = self._inlet.pull_chunk(max(0.0, end - lsl_now()), 1024, min_samples=1)
            ahead = self._inlet.time_correction(_CONNECT_S) if stamps else 0.0
        except RuntimeError:  # lost, or there was no answer in time
            self._inlet = None
            return []
        pairs = zip((text for (text,) in texts), stamps, strict=True)
        found = [(stamp + ahead, Marker.read(text)) for text, stamp in pairs]
        return [(time, marker) for time, marker in found if marker is not None]

    def wait_until_connected(self, timeout: float = 10.0) -> bool:
        """Wait until the stream is there; say whether it is."""
        end = lsl_now() + timeout
        while self._inlet is None and lsl_now() < end:
            with suppress(RuntimeError):  # gone again
                self._connect(_LOOK_S)
        return self._inlet is not None

    @property
    def connected(self) -> bool:
        """Whether the stream is there, as far as is known."""
        return self._inlet is not None

    def _connect(self, timeout: float) -> bool:
        for info in pylsl.resolve_bypred(self._query, 1, timeout):
            inlet = pylsl.StreamInlet(info, recover=False)
            inlet.open_stream(_CONNECT_S)
            inlet.time_correction(_CONNECT_S)
            self._inlet = inlet
        return self._inlet is not None

    def close(self) -> None:
        """Stop listening. Closing twice is harmless."""
        self._inlet = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
