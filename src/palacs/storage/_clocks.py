"""Clocks as they may be written down."""

from __future__ import annotations

from palacs.storage._storage_errors import StorageError


def plausible(now: float) -> float:
    """Return what a clock says, unless no calendar could show it later."""
    if not 0 <= now <= 1e11:
        raise StorageError(
            f"the clock says {now!r} seconds since 1970, which is no time to write down; set it "
            "right and try again."
        )
    return now
