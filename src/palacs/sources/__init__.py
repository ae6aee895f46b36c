"""Whoever carries requests out: a program, an instrument, a lab stream, a folder, a data set.

Each has ``acquire(request)`` and is run by ``campaign.run(source)``; a Python function is one as
it is. `source_from` finds one by its name, also those that third parties bring through an entry
point of the group ``palacs.sources``. `RemoteCampaign` runs any of them against a campaign that
another machine's studio serves.
"""

from typing import TYPE_CHECKING, Any

from palacs.sources._instrument import Instrument
from palacs.sources._program import Program
from palacs.sources._remote_campaign import RemoteCampaign
from palacs.sources._source_table import SOURCES, SourceInfo, source_from
from palacs.sources._watched_folder import WatchedFolder

if TYPE_CHECKING:
    from palacs.sources._lab_stream import LabStream
    from palacs.sources._replayed import Replayed

__all__ = [
    "SOURCES",
    "Instrument",
    "LabStream",
    "Program",
    "RemoteCampaign",
    "Replayed",
    "SourceInfo",
    "WatchedFolder",
    "source_from",
]


def __getattr__(name: str) -> Any:
    # Data sets bring scikit-learn, which takes a second that the other sources need not wait for.
    if name == "Replayed":
        from palacs.sources._replayed import Replayed

        return Replayed
    # It needs an extra of its own.
    if name == "LabStream":
        from palacs.sources._lab_stream import LabStream

        return LabStream
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
