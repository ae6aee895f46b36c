"""The rooms behind the commands, imported when first used: help waits for none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from palacs.cli._light_start import StandIn

__all__ = [
    "COMPARED",
    "CONDITIONS",
    "DEFAULT_PORT",
    "DEFAULT_URL",
    "PAPER_DATASETS",
    "PAPER_STRATEGIES",
    "cp",
    "ds",
    "ex",
    "sources",
    "st",
    "studio",
]

if TYPE_CHECKING:
    from palacs import campaign as cp
    from palacs import datasets as ds
    from palacs import experiments as ex
    from palacs import sources, studio
    from palacs import storage as st
else:
    cp = StandIn("palacs.campaign")
    ds = StandIn("palacs.datasets")
    ex = StandIn("palacs.experiments")
    sources = StandIn("palacs.sources")
    st = StandIn("palacs.storage")
    studio = StandIn("palacs.studio")

# Those of the rooms; a test holds them against these.
DEFAULT_URL = "sqlite:///palacs.db"
DEFAULT_PORT = 8765
COMPARED = "spare-settled,pal-acs,uniform,random"
PAPER_DATASETS = "3Clusters,Bars,Spirals,Vehicle,Vertebral,Yeast"
PAPER_STRATEGIES = "pal-acs,inverse,redistricting,random"
CONDITIONS = (
    'costs, what one acquisition of each class costs, or "durations"; '
    "proportions, how often each class will occur in use; "
    "mistakes, what each wrong decision costs, for each true class; "
    "caps, most instances of a class; "
    "max_repeat, never the same class more often in a row; "
    "at_least_every, each class at least once in so many requests"
)
