"""The cells of an exported table that people read, beside the record that import goes by.

They are written so that every program can show them and none takes them for a formula. Whoever
changes one in a spreadsheet expects the change to count, so import refuses what they contradict.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from unicodedata import category

from palacs.campaign._attrs import attr_text
from palacs.campaign._history import history_of
from palacs.campaign._ledger import Ledger
from palacs.campaign._records import ATTRS

if TYPE_CHECKING:
    import pandas as pd

TEXTS = ("id", "request_id", "asked", "label", "reason", "asked_by", "told_by", "recording")
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "'")
_OPEN = ("pending", "expired")  # which of them it is depends on when one looks
_COMPARED = (*TEXTS, "state", "cost", "duration")


def check_cells(frame: pd.DataFrame, entries: Sequence[str | None], ledger: Ledger) -> None:
    """Raise where a cell says something else than the record.

    Times are not compared: every spreadsheet writes them in its own way.

    Parameters
    ----------
    frame : pandas.DataFrame
        The table as it was read.
    entries : sequence of str or None
        Whose row each one is; None for the campaign's own.
    ledger : Ledger
        What the record adds up to.
    """
    history = history_of(ledger, 0.0, features=False)
    places = {id_: place for place, id_ in enumerate(history["id"])}
    for name in map(str, frame.columns):
        if name not in _COMPARED and not name.startswith(ATTRS):
            continue
        known = history[name].tolist() if name in history else [None] * len(history)
        for row, (entry, cell) in enumerate(zip(entries, frame[name], strict=True)):
            says = None if entry is None else known[places[entry]]
            if not _same(cell, says):
                whose = "the campaign's own events" if entry is None else f"{entry!r}"
                raise ValueError(
                    f"in row {row + 2}, of {whose}, the column {name!r} says {cell!r} where the "
                    f"record says {says!r}, so it was changed after it was exported; import the "
                    "file as it was, then retract what is wrong and add what is right"
                )


def _same(cell: Any, known: Any) -> bool:
    written = known if isinstance(known, float) else shown(attr_text(known))
    there, here = _plain(cell), _plain(written)
    if there in (here, _plain(neutralise(written))) or {there, here} <= set(_OPEN):
        return True
    if isinstance(known, bool):
        return there.casefold() == here  # spreadsheets write TRUE
    if "_" in there + here:
        return False  # to Python 1_0 is 10
    try:
        # Programs shorten what was measured; in the number of a person every digit counts.
        if isinstance(known, float):
            return math.isclose(float(there), known, rel_tol=1e-9)
        return Decimal(there) == Decimal(here)
    except (ArithmeticError, ValueError):
        return False


def _plain(value: Any) -> str:
    # Missing is empty, and programs break lines and pad cells as they like.
    return "" if value is None or value != value else " ".join(str(value).split())


def shown(value: Any) -> Any:
    r"""Return text that every program can read; the column ``record`` has it as it was.

    Examples
    --------
    >>> shown("one\r\ntwo\x00\ud800")
    'one\ntwo??'
    """
    if not isinstance(value, str):
        return value
    lines = value.replace("\r\n", "\n").replace("\r", "\n")
    return "".join("?" if category(c) in ("Cc", "Cs") and c not in "\n\t" else c for c in lines)


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


def original(text: str) -> str:
    """Return what `neutralise` was given.

    Examples
    --------
    >>> original("'=1+1"), original("left"), original("'left")
    ('=1+1', 'left', "'left")
    """
    return text[1:] if text[:1] == "'" and neutralise(text[1:]) == text else text
