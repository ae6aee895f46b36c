"""What is noticed about a column before it becomes a feature: ids, dates, copies of the class.

Row numbers tell a model where in the file an instance stood, and files are often sorted by class.
Whatever is as good as certain is left out and told; what may be is kept, with a warning. The
rules, and why they are so, are decision 081.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from palacs.datasets._dataset import Codes

# With fewer rows, whole numbers are unique or in order by chance.
LEAST_ROWS = 10
_PER_CLASS = 3
_SEVERAL = 4
# What instruments and surveys write where a value is missing.
_CODES = (-9, -99, -999, -9999, -99999, -999.25, 99, 999, 9999, 99999)
# So many of the numbers are different where only some rows stand twice.
_NEARLY = 0.9

Values = NDArray[np.float64]
Texts = Sequence[str | None]

_ID = re.compile(
    r"(?:^|[\W_])(?:id|ids|idx|index|nr|no|num|number|key|uuid|guid|row|rowid|record|case)"
    r"(?:$|[\W_])|^(?:id|row|no|nr)\d*$",
    re.IGNORECASE,
)
_CAMEL_ID = re.compile(r"[a-z](?:ID|Id|Nr|No)$")
_BELONGS = re.compile(
    r"(?:^|[\W_])(?:subject|subj|person|participant|patient|proband|user|speaker|animal|session|"
    r"recording|operator|donor|batch)s?(?:$|[\W_]|id)",
    re.IGNORECASE,
)
_CLOCK = r"(?:[T ]+\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?\s*(?:Z|[AaPp][Mm]|[-+]\d{2}:?\d{2})?)?"
_DATE = re.compile(
    rf"\d{{4}}([-/.])\d{{1,2}}\1\d{{1,2}}{_CLOCK}|\d{{1,2}}([-/.])\d{{1,2}}\2(?:\d{{4}}|\d{{2}}){_CLOCK}"
    r"|\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?"
)
_TIME = re.compile(r"-?\d{1,4}:\d{2}(?::\d{2})?(?:[.,]\d+)?")
_HEX = "[0-9a-f]"
_UUID = re.compile(
    rf"\{{?{_HEX}{{8}}(?:-{_HEX}{{4}}){{3}}-{_HEX}{{12}}\}}?|{_HEX}{{16,}}", re.IGNORECASE
)
_NUMBER = r"[-+]?\d+(?:[.,]\d+)?"
_SEVERAL_NUMBERS = re.compile(rf"{_NUMBER}(?:\s*[/x×]\s*{_NUMBER})+(?:\s*\D{{1,5}})?")


class Notice(NamedTuple):
    """What a column seems to hold, and whether that is reason enough to leave it out."""

    holds: str
    note: str = ""
    leave_out: bool = False


def look_at_numbers(name: str, values: Values, y: Codes) -> Notice:
    """Look at a column of numbers (n_instances,) beside the classes (n_instances,)."""
    known = values[~np.isnan(values)]
    distinct = np.unique(known)
    if not len(distinct):
        return Notice("nothing", "empty", leave_out=True)
    if len(distinct) == 1:
        return Notice("numbers", f"always {distinct[0]:.15g}", leave_out=True)
    codes = np.searchsorted(distinct, known)
    copied = _beside_class(codes, len(distinct), y[~np.isnan(values)])
    if copied is not None:
        return copied
    if len(known) < LEAST_ROWS:
        return Notice("numbers")
    whole = bool(np.isfinite(known).all() and (known == np.round(known)).all())
    if whole and _are_dates(distinct):
        return Notice("dates", "such as 20240131; no feature", leave_out=True)
    if len(distinct) == len(values):
        return _look_at_unique(name, values, whole)
    code = _code(known, distinct)
    if code:
        return Notice("numbers", code)
    if whole and len(distinct) >= _NEARLY * len(known):
        # Row numbers of a table in which some rows stand twice, or lost their number.
        if np.ptp(distinct) == len(distinct) - 1:
            return Notice("row numbers", "nearly every whole number once; no feature", True)
        if (np.diff(known) >= 0).all() or (np.diff(known) <= 0).all():
            return Notice("numbers", "whole, in the order of the rows; --drop it if it is an id")
    if _says_who(name):
        return Notice("numbers", _who(name))
    return Notice("numbers")


def _look_at_unique(name: str, values: Values, whole: bool) -> Notice:
    steps = np.diff(values)
    rising = bool((steps > 0).all() or (steps < 0).all())
    even = rising and bool(np.allclose(steps, steps[0], rtol=1e-6, atol=0.0))
    if even:
        return Notice("a counter", "rises evenly from row to row; no feature", leave_out=True)
    if not whole:
        if rising:
            return Notice("numbers", "in the order of the rows; --drop it if it is a time")
        return Notice("numbers")
    if np.ptp(values) == len(values) - 1:
        return Notice("row numbers", "every whole number once; no feature", leave_out=True)
    if _called_id(name):
        return Notice("an id", "whole numbers, all different; no feature", leave_out=True)
    if rising:
        return Notice("an id", "whole numbers that rise with the rows; no feature", leave_out=True)
    return Notice("numbers", "whole, all different; --drop it if it is an id")


def look_at_text(name: str, texts: Texts, y: Codes) -> Notice:
    """Look at a column of text (n_instances,), None where nothing stands."""
    known = [text for text in texts if text is not None]
    distinct = sorted(set(known))
    if not distinct:
        return Notice("nothing", "empty", leave_out=True)
    if all(map(_TIME.fullmatch, distinct)):
        said = f"such as {distinct[0]!r}; no feature; durations need a number, such as seconds"
        return Notice("times", said, leave_out=True)
    if all(map(_DATE.fullmatch, distinct)):
        return Notice("dates", f"such as {distinct[0]!r}; no feature", leave_out=True)
    if len(distinct) == 1:
        return Notice("text", f"always {distinct[0]!r}", leave_out=True)
    code_of = {text: code for code, text in enumerate(distinct)}
    there = np.array([text is not None for text in texts])
    copied = _beside_class(np.array([code_of[t] for t in known]), len(distinct), y[there])
    if copied is not None:
        return copied._replace(holds="text")
    if len(known) >= LEAST_ROWS and not holds_several(known):
        if len(distinct) >= _NEARLY * len(known) or all(map(_UUID.fullmatch, distinct)):
            return Notice("an id", f"text, such as {distinct[0]!r}; no feature", leave_out=True)
        if 2 * len(distinct) > len(known) and not _says_who(name):
            return Notice("text", f"{len(distinct)} different; --drop it if it is an id")
    return Notice("text", _who(name) if _says_who(name) else "")


def holds_several(texts: Sequence[str]) -> bool:
    """Whether texts are mostly different and several numbers each: measurements, and no id.

    Examples
    --------
    >>> holds_several([f"{120 + i}/80" for i in range(10)])
    True
    """
    if 2 * len(set(texts)) <= len(texts):
        return False
    return 2 * sum(bool(_SEVERAL_NUMBERS.fullmatch(text)) for text in texts) > len(texts)


def _beside_class(codes: Codes, n_values: int, y: Codes) -> Notice | None:
    """Notice a column whose values each occur in one class only: a label in other words."""
    classes = np.unique(y)
    if len(y) < max(LEAST_ROWS, _PER_CLASS * len(classes)):
        return None
    if n_values != len(classes) and n_values * _SEVERAL > len(y):
        return None
    pairs = np.unique(np.stack([codes, y]), axis=1)
    if n_values == 2 < len(classes) == pairs.shape[1] and 1 in np.bincount(pairs[0]):
        said = "sets one class apart without a mistake; --drop it if it follows from the class"
        return Notice("numbers", said)
    if pairs.shape[1] != n_values:
        return None
    if n_values == len(classes):
        return Notice("numbers", "the class in other words, one value each", leave_out=True)
    return Notice("numbers", "each value in one class only; --drop it if it follows from the class")


def _code(known: Values, distinct: Values) -> str:
    """Say that a number such as -999 may be a word for a gap: far from all others, and repeated."""
    for value, rest in ((distinct[0], distinct[1:]), (distinct[-1], distinct[:-1])):
        count = int((known == value).sum())
        if value not in _CODES or count < 2 or len(rest) < 2:
            continue
        if np.abs(rest - value).min() > np.ptp(rest):
            return f"{value:g} {count} times, far from all others; if it is a gap, empty the cells"
    return ""


def _are_dates(distinct: Values) -> bool:
    if len(distinct) < 3 or distinct[0] < 1900_01_01 or distinct[-1] > 2100_12_31:
        return False
    months, days = distinct // 100 % 100, distinct % 100
    return bool(((months >= 1) & (months <= 12) & (days >= 1) & (days <= 31)).all())


def _called_id(name: str) -> bool:
    return bool(_ID.search(name) or _CAMEL_ID.search(name))


def _says_who(name: str) -> bool:
    return bool(_BELONGS.search(name) or _called_id(name))


def _who(name: str) -> str:
    return f"if it says whom or what an instance belongs to, use --group {name!r}"
