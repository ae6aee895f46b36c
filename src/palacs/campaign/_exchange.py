"""A campaign as a file, and back: nothing of the record is lost on the way.

JSON holds the events as they are. CSV and Parquet hold the history, one row per request or
unsolicited instance with its features, for people and spreadsheets; the column ``record``
beside it carries the events the row was made from, and rows without a state carry the
campaign's own (created, paused, ...). Reading goes by ``record`` and the features; what the
other columns say must not contradict it.
"""

from __future__ import annotations

import io
import itertools
import json
import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from palacs.campaign import _values
from palacs.campaign._attrs import attr_text
from palacs.campaign._cells import TEXTS, check_cells, neutralise, shown
from palacs.campaign._event_rows import brings, check_seal, event_of
from palacs.campaign._export import (
    FORMAT,
    Record,
    table_pieces,
    write_json,
    write_parquet_pieces,
)
from palacs.campaign._features import feature_columns
from palacs.campaign._history import TIMES
from palacs.campaign._ledger import Ledger
from palacs.campaign._records import ATTRS
from palacs.extras import need
from palacs.storage import Event, StorageDamaged

if TYPE_CHECKING:
    import pandas as pd

Found = tuple[str, Mapping[str, Any], list[Event], Callable[[Ledger], None] | None]
"""What a file holds: the campaign's name, the seal, the events, and what else must fit them."""

# A file of another kind can be wrong in every way that a program can stumble over.
_NO_EXPORT = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    NotImplementedError,
    OSError,
    RecursionError,
    StorageDamaged,
    TypeError,
    ValueError,
)


def export_campaign(record: Record, path: Path) -> Path:
    """Write a campaign's events; the format follows the file's suffix."""
    writers = {".json": write_json, ".csv": _write_csv, ".parquet": _write_parquet}
    writer = writers.get(path.suffix.lower())
    if writer is None:
        raise ValueError(f"cannot export to {str(path)!r}; end it in .csv, .parquet or .json.")
    if writer is _write_parquet:
        need("parquet", f"exporting to {str(path)!r}")
    # A reader never meets half a file, a failed export leaves an older one alone, and of several
    # processes each has its own draft.
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
    try:
        writer(record, draft)
        with draft.open("rb+") as file:
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    return path


def read_campaign(path: Path) -> tuple[str, list[Event]]:
    """Read an exported campaign: its name, and its events ready to be written.

    Raises
    ------
    ValueError
        The file is no export, not all of one, was changed, or its events contradict each other.
    """
    readers = {".json": _read_json, ".csv": _read_csv, ".parquet": _read_parquet}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise ValueError(f"cannot import {str(path)!r}; it must end in .csv, .parquet or .json.")
    if reader is _read_parquet:
        need("parquet", f"importing {str(path)!r}")
    content = path.read_bytes()
    try:
        name, seal, events, check = reader(content)
        events.sort(key=lambda event: event.seq)
        check_seal(seal, events)
        ledger = Ledger()
        for event in events:
            ledger.apply(event)
        if ledger.extracting:
            raise ValueError("vectors of an extraction are missing")
        if events and ledger.states(events[-1].at)["erased"] > ledger.n_erased:
            raise ValueError("instances are called erased that no tombstone speaks of")
        if seal.get("version", 1) > 1 and check is not None:
            check(ledger)
        _values.check_name(name)
    except _NO_EXPORT as error:
        raise ValueError(
            f"{str(path)!r} is no complete export of a palacs campaign: {error}"
        ) from error
    if ledger.seq == 0:
        raise ValueError(f"{str(path)!r} holds no events of a palacs campaign.")
    return name, events


# -- JSON ------------------------------------------------------------------------------


def _read_json(content: bytes) -> Found:
    found = _strict_json(content.decode("utf-8-sig"))
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise ValueError(f"it does not say format: {FORMAT}")
    return found["name"], found, [event_of(row, row.get("x")) for row in found["events"]], None


def _strict_json(text: str) -> Any:
    return json.loads(text, parse_constant=_refuse_constant)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


# -- tables ----------------------------------------------------------------------------


def _write_csv(record: Record, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        for place, frame in enumerate(table_pieces(record)):
            for column in TIMES:
                stamps = frame[column].map(lambda t: t.isoformat(), na_action="ignore")
                frame[column] = stamps.astype(object)
            for column in (*TEXTS, *_texts_noted(frame)):
                readable = frame[column].map(shown, na_action="ignore")
                frame[column] = readable.map(neutralise, na_action="ignore")
            frame.rename(columns=neutralise).to_csv(file, index=False, header=place == 0)


def _write_parquet(record: Record, path: Path) -> None:
    write_parquet_pieces(map(_one_type_each, table_pieces(record)), path)


def _one_type_each(frame: pd.DataFrame) -> pd.DataFrame:
    for column in ("asked", "label"):
        # The record beside it knows which labels are integers.
        frame[column] = frame[column].map(str, na_action="ignore")
    for column in (*TEXTS, *_texts_noted(frame)):
        frame[column] = frame[column].map(shown, na_action="ignore")
    return frame


def _read_csv(content: bytes) -> Found:
    import pandas as pd

    # As text: pandas' own reading of numbers need not give back the last bit.
    try:
        frame = pd.read_csv(io.BytesIO(content), dtype=str, keep_default_na=False)
    except pd.errors.ParserError as error:
        raise ValueError(
            "its rows are not all there, or not separated by commas; import the file as it was "
            f"exported, not as another program saved it ({' '.join(str(error).split())})"
        ) from error
    return _read_table(frame.rename(columns=lambda name: name.removeprefix("'")))


def _read_parquet(content: bytes) -> Found:
    import pandas as pd

    return _read_table(pd.read_parquet(io.BytesIO(content)))


def _read_table(frame: pd.DataFrame) -> Found:
    if "record" not in frame.columns:
        raise ValueError("it has no column 'record'")
    records = [_strict_json(record) for record in frame["record"]]
    X = frame[_columns_of_features(records, list(frame.columns))].to_numpy()
    name, seal, events = "", {}, []
    for record, x in zip(records, X, strict=True):
        for row in record:
            if row["kind"] == "created":
                name, seal = row.get("name", ""), row
            # Those that another extractor made are beside the columns.
            shown = _features(x) if brings(row) and "x" not in row else None
            events.append(event_of(row, row.get("x", shown)))
    entries = [rows[0].get("entry") for rows in records]
    return name, seal, events, partial(check_cells, frame, entries)


def _columns_of_features(records: list[Any], columns: Sequence[str]) -> list[str]:
    """Return the columns of the features, which go by the names that the campaign has for them."""
    declared, came = None, None
    own = (row for rows in records for row in rows if row.get("entry") is None)
    for row in sorted(own, key=lambda row: int(row["seq"])):
        payload = row.get("payload") or {}
        if row["kind"] == "created":
            declared = (payload.get("features") or {}).get("names")
        elif row["kind"] == "extracted":
            declared = came = None  # the names were those of other features
        came = payload.get("named", came)
    wanted = feature_columns(came if declared is None else declared, len(columns))
    return list(itertools.takewhile(lambda name: name in columns, wanted))


def _texts_noted(frame: pd.DataFrame) -> list[str]:
    """Turn attributes into texts, one type per column, and return the names of their columns."""
    names = [str(name) for name in frame.columns if str(name).startswith(ATTRS)]
    for name in names:
        frame[name] = frame[name].map(attr_text, na_action="ignore").astype(object)
    return names


def _features(cells: Any) -> list[float]:
    # An instance that was retracted may be shorter than the table is wide.
    values = list(cells)
    while values and (values[-1] == "" or values[-1] != values[-1]):
        values.pop()
    return [float(value) for value in values]
