"""Cues as markers of a lab stream (LSL), at the moment the page painted them.

The page says when it painted the cue, by this machine's clock as far as it knows it; the marker
carries that time on LSL's clock, however late the page's message came, and how far the page's
clock and one frame of its screen may be off.
"""

from __future__ import annotations

from palacs.storage import Label
from palacs.studio._config import StudioConfig

STREAM = "palacs-studio"
"""What the stream of markers is called."""


class CueMarkers:
    """Sends markers where the studio was told to.

    Parameters
    ----------
    config : StudioConfig
        With ``markers`` a stream is opened, which needs ``palacs[lsl]``.
    """

    def __init__(self, config: StudioConfig) -> None:
        self._outlet = None
        if config.markers:
            from palacs.lsl import MarkerOutlet

            # The same after a restart, so that recorders go on.
            self._outlet = MarkerOutlet(STREAM, f"{STREAM}-{config.port}")

    def send(
        self, event: str, request: str | None, label: Label | None, at: float, uncertainty: float
    ) -> bool:
        """Send what a page painted, and when by this machine's clock; say whether that was done."""
        if self._outlet is None or request is None:
            return False
        from palacs.lsl import as_lsl_time

        known = {"uncertainty": round(uncertainty, 6)}
        self._outlet.send(event, label=label, request=request, at=as_lsl_time(at), attrs=known)
        return True

    def close(self) -> None:
        """End the stream."""
        if self._outlet is not None:
            self._outlet.close()
