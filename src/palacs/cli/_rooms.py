"""The rooms behind campaigns and the studio, imported when first used: help waits for none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from palacs.cli._light_start import StandIn

__all__ = ["DEFAULT_PORT", "DEFAULT_URL", "cp", "sources", "st", "studio"]

if TYPE_CHECKING:
    from palacs import campaign as cp
    from palacs import sources, studio
    from palacs import storage as st
else:
    cp = StandIn("palacs.campaign")
    sources = StandIn("palacs.sources")
    st = StandIn("palacs.storage")
    studio = StandIn("palacs.studio")

# Those of palacs.storage and palacs.studio; a test holds them against these.
DEFAULT_URL = "sqlite:///palacs.db"
DEFAULT_PORT = 8765
