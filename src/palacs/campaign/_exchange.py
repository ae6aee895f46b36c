"""A campaign as a file, and back: nothing of the record is lost on the way.

JSON holds the events as they are. CSV and Parquet hold the history, one row per request or
unsolicited instance with its features, for people and spreadsheets; the column ``record``
beside it carries the events the row was made from, and rows without a state carry the
campaign's own (created, paused, ...). Reading goes by ``record`` and the features alone.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from palacs.campaign import _values
from palacs.campaign._attrs import attr_text, check_attrs
from palacs.campaign._features import feature_columns
from palacs.campaign._history import TIMES, history_of
from palacs.campaign._ledger import Ledger
from palacs.campaign._records import ATTRS
from palacs.storage import EVENT_FIELDS, Event, EventKind, StorageDamaged

if TYPE_CHECKING:
    import pandas as pd

FORMAT = "palacs-campaign"
_BRINGING: frozenset[EventKind] = frozenset({"told", "added"})  # an instance
TEXTS = ("id", "request_id", "asked", "label", "reason", "asked_by", "told_by", "recording")
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "'")


def export_campaign(name: str, events: Sequence[Event], at: float, path: Path) -> Path:
    """Write a campaign's events; the format follows the file's suffix."""
    writers = {".json": _write_json, ".csv": _write_csv, ".parquet": _write_parquet}
    writer = writers.get(path.suffix.lower())
    if writer is None:
        raise ValueError(f"cannot export to {str(path)!r}; end it in .csv, .parquet or .json.")
    # A reader never meets half a file, and a failed export leaves an older one alone.
    draft = path.with_name(path.name + ".part")
    try:
        writer(name, events, at, draft)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    return path


def read_campaign(path: Path) -> tuple[str, list[Event]]:
    """Read an exported campaign: its name, and its events ready to be written.

    Raises
    ------
    ValueError
        The file is no export, or its events contradict each other.
    """
    readers = {".json": _read_json, ".csv": _read_csv, ".parquet": _read_parquet}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise ValueError(f"cannot import {str(path)!r}; it must end in .csv, .parquet or .json.")
    try:
        name, events = reader(path)
        events.sort(key=lambda event: event.seq)
        ledger = Ledger()
        for event in events:
            ledger.apply(event)
    except (KeyError, TypeError, ValueError, StorageDamaged) as error:
        raise ValueError(
            f"{str(path)!r} is no complete export of a palacs campaign: {error}"
        ) from error
    if ledger.seq == 0:
        raise ValueError(f"{str(path)!r} holds no events of a palacs campaign.")
    return _values.check_name(name), events


# -- JSON ------------------------------------------------------------------------------


def _write_json(name: str, events: Sequence[Event], at: float, path: Path) -> None:
    rows = [{**_record(e), "x": None if e.x is None else _vector(e.x)} for e in events]
    head = {"format": FORMAT, "version": 1, "name": name, "exported_at": at}
    body = ",\n".join(json.dumps(row, allow_nan=False) for row in rows)
    text = f'{json.dumps(head)[:-1]}, "events": [\n{body}\n]}}\n'
    path.write_text(text, encoding="utf-8")


def _read_json(path: Path) -> tuple[str, list[Event]]:
    content = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ValueError(f"it does not say format: {FORMAT}")
    if content.get("version") != 1:
        raise ValueError(f"its version {content.get('version')!r} is newer than 1")
    return content["name"], [_event(row, row.get("x")) for row in content["events"]]


def _record(event: Event) -> dict[str, Any]:
    """Return the event without its vector, which each format writes in its own way."""
    values = {**event.as_dict(), "payload": dict(event.payload)}
    del values["x"]
    return values


def _event(row: dict[str, Any], x: Any) -> Event:
    # Its kind may be one that only a newer palacs knows: the ledger refuses it by name.
    checked = {
        "seq": int(row["seq"]),
        "at": float(row["at"]),
        "kind": str(row["kind"]),
        "x": None if x is None else _values.to_bytes(_values.check_vector(x)),
        "cost": _values.check_amount(row.get("cost"), "cost"),
        "duration": _values.check_amount(row.get("duration"), "duration"),
        "payload": row.get("payload") or {},
        "op": None if row.get("op") is None else str(row["op"]),
        "author": _mapping(row, "author"),
        "attrs": check_attrs(row.get("attrs")),
    }
    return Event(**{name: row.get(name) for name in EVENT_FIELDS} | checked)


def _mapping(row: dict[str, Any], name: str) -> dict[str, Any] | None:
    value = row.get(name)
    if value is not None and not isinstance(value, dict):
        raise ValueError(f"its {name} {value!r} is no JSON object")
    return value


def _vector(raw: bytes) -> list[float]:
    return [float(value) for value in _values.from_bytes(raw)]


# -- tables ----------------------------------------------------------------------------


def _table(name: str, events: Sequence[Event], at: float) -> pd.DataFrame:
    """Return the history with features and the column ``record``."""
    import pandas as pd

    ledger = Ledger()
    for event in events:
        ledger.apply(event)
    frame = history_of(ledger, at, features=True)
    own = [event for event in events if event.entry is None]
    frame = pd.concat([frame, pd.DataFrame(index=range(len(own)))], ignore_index=True)
    rows: dict[str | None, list[dict[str, Any]]] = {}
    for event in events:
        if event.entry is not None:
            rows.setdefault(event.entry, []).append(_record(event))
    records = [rows[id_] for id_ in ledger.entries] + [[_record(event)] for event in own]
    records[len(ledger.entries)][0]["name"] = name
    frame["record"] = [json.dumps(record, allow_nan=False) for record in records]
    order = np.argsort([record[0]["seq"] for record in records], kind="stable")
    return frame.iloc[order].reset_index(drop=True)


def _write_csv(name: str, events: Sequence[Event], at: float, path: Path) -> None:
    frame = _table(name, events, at)
    for column in TIMES:
        stamps = frame[column].map(lambda t: t.isoformat(), na_action="ignore")
        frame[column] = stamps.astype(object)
    for column in (*TEXTS, *_texts_noted(frame)):
        frame[column] = frame[column].map(neutralise, na_action="ignore")
    frame.rename(columns=neutralise).to_csv(path, index=False)


def _write_parquet(name: str, events: Sequence[Event], at: float, path: Path) -> None:
    frame = _table(name, events, at)
    _texts_noted(frame)
    for column in ("asked", "label"):
        # One type per column; the record beside it knows which labels are integers.
        frame[column] = frame[column].map(str, na_action="ignore")
    frame.to_parquet(path, index=False)


def _read_csv(path: Path) -> tuple[str, list[Event]]:
    import pandas as pd

    # As text: pandas' own reading of numbers need not give back the last bit.
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    return _read_table(frame.rename(columns=lambda name: name.removeprefix("'")))


def _read_parquet(path: Path) -> tuple[str, list[Event]]:
    import pandas as pd

    return _read_table(pd.read_parquet(path))


def _read_table(frame: pd.DataFrame) -> tuple[str, list[Event]]:
    if "record" not in frame.columns:
        raise ValueError("it has no column 'record'")
    records = [json.loads(record) for record in frame["record"]]
    X = frame[_columns_of_features(records, list(frame.columns))].to_numpy()
    name, events = "", []
    for record, x in zip(records, X, strict=True):
        for row in record:
            name = row.get("name", name)
            brings = row["kind"] in _BRINGING
            events.append(_event(row, _features(x) if brings else None))
    return name, events


def _columns_of_features(records: list[Any], columns: Sequence[str]) -> list[str]:
    """Return the columns of the features, which go by the names that the campaign has for them."""
    created = next((row for rows in records for row in rows if row["kind"] == "created"), None)
    described = None if created is None else (created.get("payload") or {}).get("features")
    wanted = feature_columns(described, len(columns))
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


def neutralise(value: Any) -> Any:
    """Return text that no spreadsheet takes for a formula; an apostrophe is put in front.

    Text that starts with an apostrophe gets another one, so that taking one away from a text
    that starts with one always gives back the original.

    Examples
    --------
    >>> neutralise("=1+1"), neutralise("left")
    ("'=1+1", 'left')
    """
    if isinstance(value, str) and value.startswith(_FORMULA_STARTS):
        return "'" + value
    return value
