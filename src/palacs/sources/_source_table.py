"""The one table of sources by name: the command line, the documents and third parties use it.

A third party adds one through an entry point of the group ``palacs.sources`` that points to a
`SourceInfo`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from types import MappingProxyType
from typing import Any

from palacs.campaign import Source
from palacs.objects import object_at
from palacs.sources._instrument import Instrument
from palacs.sources._program import Program
from palacs.sources._watched_folder import WatchedFolder

ENTRY_POINT_GROUP = "palacs.sources"


@dataclass(frozen=True)
class SourceInfo:
    """One row of the table of sources.

    Parameters
    ----------
    name : str
        As typed before the colon.
    make : callable
        Returns the source for the text after the colon, which is empty where there is none.
    summary : str
        One line for lists and help texts.
    """

    name: str
    make: Callable[[str], Source | Callable[..., Any]]
    summary: str


def _written(path: str) -> Any:
    found = object_at(path, "a source")
    return found() if isinstance(found, type) else found


def _replayed(data: str) -> Source:
    from palacs.datasets import load_any
    from palacs.sources._replayed import Replayed

    file, _, column = data.rpartition(":")
    # FILE:COLUMN says which column holds the class; openml:61 is no file.
    known = Path(file).is_file()
    return Replayed(load_any(file, target=column) if known else load_any(data))


def _lab_stream(text: str) -> Source:
    from palacs.sources._lab_stream import lab_stream_from

    return lab_stream_from(text)


_ROWS = (
    SourceInfo("exec", Program, "a program, run for every request: './record {label}'"),
    SourceInfo("python", _written, "a function or source of yours: FILE.py:NAME or MODULE:NAME"),
    SourceInfo("folder", WatchedFolder, "files that appear in a folder per class"),
    SourceInfo("http", Instrument, "an instrument's address, to which requests are posted"),
    SourceInfo("lsl", _lab_stream, "a lab stream: lsl:folder=epochs,type=EEG,start=0.5,stop=2"),
    SourceInfo("replay", _replayed, "a data set, by name, or FILE:COLUMN with the class"),
)

SOURCES: Mapping[str, SourceInfo] = MappingProxyType({row.name: row for row in _ROWS})
"""Those that are shipped."""


@cache
def _outside() -> dict[str, SourceInfo]:
    found = {}
    for point in entry_points(group=ENTRY_POINT_GROUP):
        row = point.load()
        if not isinstance(row, SourceInfo):
            raise TypeError(f"{ENTRY_POINT_GROUP}: {point.value!r} is no SourceInfo.")
        found[row.name] = row
    return found


def source_from(text: str) -> Any:
    """Return a source by its name and what it needs.

    Parameters
    ----------
    text : str
        ``NAME:REST`` or ``NAME``, such as ``exec:./record {label}``, ``folder:recordings`` or
        that of a third party; an address of http or https is an instrument.

    Raises
    ------
    ValueError
        There is no such source, or what it needs is wrong.

    Examples
    --------
    >>> from palacs.sources import source_from
    >>> source_from("exec:echo 0.5 {label}")
    Program("echo 0.5 '{label}'")
    """
    name, _, rest = text.partition(":")
    if text.startswith(("http://", "https://")):
        name, rest = "http", text
    known = {**_outside(), **SOURCES}
    if name not in known:
        raise ValueError(f"there is no source {name!r}; there is {', '.join(sorted(known))}.")
    return known[name].make(rest)
