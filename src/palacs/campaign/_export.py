"""Writing a campaign to a file, piece by piece: a long record need not fit into memory.

The events are read once for the seal of the file and once to be written. A table has one row
per request or unsolicited instance, and what happened to it may be anywhere in the record: one
more pass notes which events belong to which row, a few bytes each.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from palacs.campaign import _values
from palacs.campaign._event_rows import record_of, seal_of
from palacs.campaign._features import HISTORY_COLUMNS, feature_columns
from palacs.campaign._history import NUMBERS, TIMES, history_of
from palacs.campaign._ledger import Ledger
from palacs.campaign._records import ATTRS
from palacs.campaign._row_store import RowStore
from palacs.storage import Event

if TYPE_CHECKING:
    import pandas as pd

FORMAT = "palacs-campaign"
_PAGE = 1000
_GAP = 50  # events that are read along, rather than asking for the next ones apart


@dataclass(frozen=True, slots=True)
class Record:
    """A campaign as it is written: all events up to one.

    Attributes
    ----------
    name : str
        The campaign.
    at : float
        The time at which leases are looked at.
    head : int
        The last event that is written.
    read : callable
        Returns events after a number, at most so many.
    """

    name: str
    at: float
    head: int
    read: Callable[[int, int], list[Event]]

    def events(self) -> Iterator[Event]:
        """Yield the events in order."""
        after = 0
        while after < self.head:
            yield from self.read(after, min(_PAGE, self.head - after))
            after = min(after + _PAGE, self.head)

    def some(self, seqs: npt.NDArray[np.int64]) -> dict[int, Event]:
        """Return the events with some numbers, ascending, and perhaps others between them."""
        runs = np.split(seqs, np.flatnonzero(np.diff(seqs) > _GAP) + 1)
        pages = (self.read(int(run[0]) - 1, int(run[-1] - run[0]) + 1) for run in runs if len(run))
        return {event.seq: event for event in chain.from_iterable(pages)}


def write_json(record: Record, path: Path) -> None:
    """Write the events as they are."""
    seal = seal_of(record.events())
    head = {"format": FORMAT, **seal, "name": record.name, "exported_at": record.at}
    with path.open("w", encoding="utf-8") as file:
        file.write(f'{json.dumps(head)[:-1]}, "events": [')
        for place, event in enumerate(record.events()):
            row = {**record_of(event), "x": None if event.x is None else _vector(event.x)}
            file.write((",\n" if place else "\n") + json.dumps(row, allow_nan=False))
        file.write("\n]}\n")


def _vector(raw: bytes) -> list[float]:
    return [float(value) for value in _values.from_bytes(raw)]


# -- tables ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Rows:
    """Which events belong to which row of a table.

    Attributes
    ----------
    ledger : Ledger
        After all events, without the features.
    attrs : list of str
        Names of all attributes.
    by_entry : ndarray of shape (n_events,)
        Numbers of the events: the campaign's own first, then entry by entry.
    ends : ndarray of shape (n_entries + 1,)
        Where in `by_entry` the campaign's own end, and those of each entry.
    """

    ledger: Ledger
    attrs: list[str]
    by_entry: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]

    @property
    def own(self) -> npt.NDArray[np.int64]:
        return self.by_entry[: self.ends[0]]

    @property
    def features(self) -> list[str]:
        d = self.ledger.labelled.widest
        return list(feature_columns(self.ledger.settings.names, d))

    def pieces(self) -> Iterator[tuple[slice, npt.NDArray[np.int64]]]:
        """Yield the entries of each piece, and the campaign's own events that go between them."""
        first_events = self.by_entry[self.ends[:-1]]
        begun = np.sort(np.concatenate([self.own, first_events]))
        for piece in np.split(begun, range(_PAGE, len(begun), _PAGE)):
            span = [piece[0], piece[-1] + 1]
            start, stop = np.searchsorted(first_events, span)
            yield slice(int(start), int(stop)), self.own[slice(*np.searchsorted(self.own, span))]


def _look_through(record: Record) -> _Rows:
    ledger = Ledger()
    attrs: dict[str | None, None] = {}
    belongs = array("q")
    for event in record.events():
        ledger.apply(event)
        if event.seq == 1:
            ledger.labelled.store = RowStore(keep=False)
        number = -1
        if event.entry is not None:
            entry = ledger.entries[event.entry]
            number = entry.number
            attrs.setdefault(entry.attrs)
        belongs.append(number)
        if event.seq % _PAGE == 0:
            ledger.put_away()
    numbers = np.array(belongs, dtype=np.int64)
    by_entry = np.argsort(numbers, kind="stable")
    ends = np.searchsorted(numbers[by_entry], np.arange(len(ledger.entries) + 1))
    noted: list[dict[str, Any]] = [{} if text is None else json.loads(text) for text in attrs]
    names = dict.fromkeys(chain(ledger.settings.attrs or {}, *noted)) if len(ledger.entries) else {}
    return _Rows(ledger, list(names), by_entry + 1, ends)


def table_pieces(record: Record) -> Iterator[pd.DataFrame]:
    """Yield the history with features and the column ``record``, piece by piece."""
    import pandas as pd

    rows = _look_through(record)
    first = {"name": record.name, **seal_of(record.events())}
    empty = history_of(rows.ledger, record.at, features=False, rows=slice(0, 0))
    plain = [name for name in empty.columns if not name.startswith(ATTRS)]
    columns = [*plain, *(f"{ATTRS}{name}" for name in rows.attrs), *rows.features, "record"]
    for entries, own in rows.pieces():
        theirs = rows.by_entry[rows.ends[entries.start] : rows.ends[entries.stop]]
        events = record.some(np.sort(np.concatenate([theirs, own])))
        frame = history_of(rows.ledger, record.at, features=False, rows=entries)
        happened = [
            [events[int(seq)] for seq in rows.by_entry[rows.ends[i] : rows.ends[i + 1]]]
            for i in range(entries.start, entries.stop)
        ]
        frame = pd.concat([frame, pd.DataFrame(_vectors(happened, rows.features))], axis=1)
        frame = pd.concat([frame, pd.DataFrame(index=range(len(own)))], ignore_index=True)
        happened += [[events[int(seq)]] for seq in own]
        frame["record"] = [_written(some, first) for some in happened]
        order = np.argsort([some[0].seq for some in happened], kind="stable")
        yield frame.iloc[order].reset_index(drop=True).reindex(columns=columns)


def _vectors(happened: list[list[Event]], names: list[str]) -> dict[str, npt.NDArray[np.float64]]:
    X = np.full((len(names), len(happened)), np.nan)
    for row, events in enumerate(happened):
        raw = next((event.x for event in reversed(events) if event.x is not None), None)
        if raw is not None:
            x = _values.from_bytes(raw)
            X[: len(x), row] = x
    return dict(zip(names, X, strict=True))


def _written(events: list[Event], first: dict[str, Any]) -> str:
    found = [record_of(event) for event in events]
    vectors = [place for place, event in enumerate(events) if event.x is not None]
    for place in vectors[:-1]:  # the columns hold the one in force
        found[place]["x"] = _vector(events[place].x or b"")
    if events[0].seq == 1:
        found[0] |= first
    return json.dumps(found, allow_nan=False)


def write_parquet_pieces(pieces: Iterator[pd.DataFrame], path: Path) -> None:
    """Write the pieces of a table to one Parquet file; each column has one type throughout."""
    import pyarrow as pa
    from pyarrow import parquet

    writer = None
    try:
        for piece in pieces:
            if writer is None:
                types = {name: pa.timestamp("ns", tz="UTC") for name in TIMES}
                types |= {name: pa.float64() for name in NUMBERS}
                # A page without any request or note has nothing but NaN in columns of text.
                texts = [n for n in piece.columns if n in HISTORY_COLUMNS or n.startswith(ATTRS)]
                others = piece.columns.difference(texts)
                types |= {n: pa.float64() for n in others if piece[n].dtype == np.float64}
                schema = pa.schema([(n, types.get(n, pa.string())) for n in piece.columns])
                writer = parquet.ParquetWriter(path, schema)
            writer.write_table(pa.Table.from_pandas(piece, schema, preserve_index=False))
    finally:
        if writer is not None:
            writer.close()
