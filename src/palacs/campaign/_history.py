"""The campaign as tables: its history row by row, and where it stands class by class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from palacs.campaign._entries import Entry
from palacs.campaign._features import feature_columns
from palacs.campaign._in_force import conditions_of, costs_of, spent
from palacs.campaign._ledger import Ledger
from palacs.campaign._noted import attrs_of, recording_of
from palacs.campaign._records import ATTRS, ClassStatus, Status

if TYPE_CHECKING:
    import pandas as pd

TIMES = ("asked_at", "expires_at", "performed_at", "told_at", "failed_at", "retracted_at")
_LATEST_NS = 9.2e9  # in the year 2261: nanoseconds end soon after
NUMBERS = ("cost", "duration", "utility")


def history_of(
    ledger: Ledger, at: float, *, features: bool, rows: slice | None = None
) -> pd.DataFrame:
    """Return one row per request or unsolicited instance; see ``Campaign.history``."""
    import pandas as pd

    places = range(len(ledger.entries))[slice(None) if rows is None else rows]
    entries = list(ledger.entries.at(places))
    columns: dict[str, pd.Series] = {
        "id": pd.Series([e.id for e in entries], dtype=object),
        "request_id": pd.Series(
            [e.id if e.asked is not None else None for e in entries], dtype=object
        ),
        "asked": pd.Series([e.asked for e in entries], dtype=object),
        "label": pd.Series([e.label for e in entries], dtype=object),
        "state": pd.Series([e.state(at) for e in entries], dtype=object),
    }
    for name in TIMES:
        seconds = pd.Series([getattr(e, name) for e in entries], dtype=float)
        # Without a row pandas would choose another unit.
        known = seconds.fillna(0.0).clip(0.0, _LATEST_NS)
        times = pd.to_datetime(known, unit="s", utc=True).dt.as_unit("ns")
        # Only now: some releases of pandas take memory that nobody filled for a missing time.
        columns[name] = times.where(seconds.notna())
    columns["reason"] = pd.Series([e.reason for e in entries], dtype=object)
    columns["cost"] = pd.Series([e.cost for e in entries], dtype=float)
    columns["duration"] = pd.Series([e.duration for e in entries], dtype=float)
    columns["utility"] = pd.Series([e.utility for e in entries], dtype=float)
    columns |= _noted_columns(ledger, entries)
    frame = pd.DataFrame(columns)
    if features:
        # Instances that were retracted keep the vector they had, of maybe another length.
        d = ledger.labelled.widest
        X = np.full((len(entries), d), np.nan)
        for row, entry in enumerate(entries):
            x = ledger.x(entry)
            if x is not None:
                X[row, : len(x)] = x
        names = feature_columns(ledger.settings.names, d)
        frame = pd.concat([frame, pd.DataFrame(X, columns=names)], axis=1)
    return frame


def _noted_columns(ledger: Ledger, entries: Sequence[Entry]) -> dict[str, pd.Series]:
    """Return who asked and told, where the recording is, and one column per attribute."""
    import pandas as pd

    known = [recording_of(e) for e in entries]
    texts: dict[str, list[Any]] = {
        "asked_by": [e.asked_by for e in entries],
        "told_by": [e.told_by for e in entries],
        "recording": [None if recording is None else recording.where for recording in known],
    }
    # Most entries have the same attributes as many others.
    distinct = {e.attrs: attrs_of(e, ledger.settings) for e in entries}
    for name in dict.fromkeys(name for attrs in distinct.values() for name in attrs):
        texts[f"{ATTRS}{name}"] = [distinct[e.attrs].get(name) for e in entries]
    return {name: pd.Series(values, dtype=object) for name, values in texts.items()}


def status_of(name: str, ledger: Ledger, at: float) -> Status:
    """Return where a campaign stands; see ``Campaign.status``."""
    got = np.bincount(ledger.labelled.codes, minlength=len(ledger.classes)).tolist()
    pending = dict.fromkeys(ledger.classes, 0)
    for entry in ledger.pending(at):
        if entry.asked is not None:
            pending[entry.asked] += 1
    latest = ledger.latest_utilities
    classes = tuple(
        ClassStatus(
            label=label,
            asked=ledger.asked[label],
            got=got[code],
            pending=pending[label],
            share=got[code] / max(1, len(ledger.labelled)),
            utility=latest.get(label),
            paused=label in ledger.paused,
        )
        for code, label in enumerate(ledger.classes)
    )
    return Status(
        name=name,
        strategy=str(ledger.settings.strategy["name"]),
        budget=ledger.settings.budget,
        remaining=ledger.remaining(at),
        instances=len(ledger.labelled),
        n_features=ledger.labelled.n_features,
        states=ledger.states(at),
        classes=classes,
        spent=spent(ledger, costs_of(ledger, conditions_of(ledger))),
        budget_cost=ledger.settings.budget_cost,
        phase=ledger.phase,
        extractor=(ledger.settings.extractor or {}).get("version"),
    )
