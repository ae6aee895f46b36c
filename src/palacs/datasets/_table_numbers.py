"""From text to numbers: decimal commas, thousands, percents, and the words for a missing value.

A comma in a number is read only where it was asked for: ``1,500`` may be one and a half or
fifteen hundred, and a wrong guess would be a silent factor of a thousand.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_WORDS = """
na n/a nan -nan null none nil nat <na> missing ? - -- – .
#n/a #na #null! #div/0! #value! #ref! #name? #num!
#nv #wert! #bezug! #zahl! #n/d #valeur! #nombre! #nul! #¡valor! #¡num! #¡div/0! #¡ref! #valor! #núm!
"""
MISSING = frozenset(["", *_WORDS.split()])
_GAPS = MISSING - {"none", "nil"}
_SWITCHES = {"true": 1.0, "false": 0.0, "yes": 1.0, "no": 0.0}
_PAIRS = ({"true", "false"}, {"yes", "no"})
_EXPONENT = r"(?:[eE][-+]?\d+)?"
_PLAIN = re.compile(rf"[-+]?(?:\d+\.?\d*|\.\d+){_EXPONENT}|[-+]?inf(?:inity)?", re.IGNORECASE)
_BLANKS = "\u00a0\u202f\u2009'’"
# Thousands between blanks or apostrophes are no question; those between points or commas are.
_APART = re.compile(r"[-+]?[1-9]\d{0,2}(?: \d{3})+(?:[.,]\d*)?")
_BY_COMMAS = re.compile(rf"[-+]?[1-9]\d{{0,2}}(?:,\d{{3}})+(?:\.\d*)?{_EXPONENT}")
_BY_POINTS = re.compile(rf"[-+]?[1-9]\d{{0,2}}(?:\.\d{{3}})+(?:,\d*)?{_EXPONENT}")
# From here on not every whole number is a float.
_EXACT = 2.0**53
_COMMA = re.compile(rf"[-+]?(?:\d+,\d*|,\d+){_EXPONENT}")


class Numbers(NamedTuple):
    """A column of numbers, NaN where a value is missing, and how they were written."""

    values: NDArray[np.float64]
    how: str = ""


class TwoReadings(ValueError):
    """A column can be read in two ways."""


def exact_floats(values: NDArray[Any]) -> NDArray[np.float64] | list[str | None]:
    """Return numbers as floats, or as text where whole ones too large for that would be the same.

    Examples
    --------
    >>> exact_floats(np.array([2**53, 2**53 + 1]))
    ['9007199254740992', '9007199254740993']
    """
    floats = values.astype(np.float64)
    if values.dtype.kind in "iu" and (np.abs(floats) >= _EXACT).any():
        texts = [str(value) for value in values.tolist()]
        if _fall_together(dict(zip(texts, floats.tolist(), strict=True))):
            return [*texts]
    return floats


def _fall_together(numbers: dict[str, float]) -> bool:
    """Whether whole numbers of different digits are the same as floats: no measurement is so."""
    large = [
        text
        for text, value in numbers.items()
        if abs(value) >= _EXACT and text.lstrip("+-").isdecimal()
    ]
    return len({int(text) for text in large}) > len({numbers[text] for text in large})


def read_numbers(cells: Sequence[str], decimal: str | None = None) -> Numbers | None:
    """Return a column as numbers, or None where it holds text, or numbers too long for floats.

    Parameters
    ----------
    cells : sequence of str
        Without blanks around them.
    decimal : {".", ","} or None
        What stands before the decimals; None takes a point, and refuses commas, and points that
        stand between thousands by the look of it.

    Raises
    ------
    TwoReadings
        The column holds marks that may stand before decimals or between thousands.

    Examples
    --------
    >>> read_numbers(["1.5", "?", "2e3"]).values.tolist()
    [1.5, nan, 2000.0]
    >>> read_numbers(["1,5", "1.234,5"], decimal=",").values.tolist()
    [1.5, 1234.5]
    >>> read_numbers(["red", "1"]) is None
    True
    """
    # Columns repeat their values; each is looked at once.
    distinct = set(cells)
    missing = {cell for cell in distinct if cell.casefold() in MISSING}
    words = sorted(missing - {""})
    how = [f"missing: {', '.join(map(repr, words))}"] if words else []
    numbers: dict[str, float] = {}
    distinct -= missing
    switches = {cell.casefold() for cell in distinct}
    if distinct and any(switches <= pair for pair in _PAIRS):
        numbers = {cell: _SWITCHES[cell.casefold()] for cell in distinct}
        how.insert(0, f"{' and '.join(sorted(switches, reverse=True))} as 1 and 0")
    else:
        found = _values(distinct, decimal)
        if found is None or _fall_together(found[0]):
            return None
        numbers, said = found
        how = said + how
    values = np.array([numbers.get(cell, np.nan) for cell in cells], dtype=np.float64)
    return Numbers(values, "; ".join(how))


def without_gaps(texts: Sequence[str | None]) -> tuple[list[str | None], str]:
    """Return a column of text with None where a word says that a value is missing; and say so.

    "None" and "nil" may well be answers, and stay what they are.

    Examples
    --------
    >>> without_gaps(["red", "n/a", "none"])
    (['red', None, 'none'], "missing: 'n/a'")
    """
    words = sorted({text for text in texts if text and text.casefold() in _GAPS})
    kept = [None if not text or text in words else text for text in texts]
    return kept, f"missing: {', '.join(map(repr, words))}" if words else ""


def is_number(cell: str, decimal: str | None) -> bool:
    """Whether a cell alone is a number."""
    try:
        return _values({cell}, decimal) is not None
    except TwoReadings:
        return False


def looks_like_number(cell: str) -> bool:
    """Whether a cell is a number in some writing."""
    return is_number(cell, ".") or is_number(cell, ",")


def _values(distinct: set[str], decimal: str | None) -> tuple[dict[str, float], list[str]] | None:
    if decimal != ",":
        try:
            if not any("_" in cell for cell in distinct):
                numbers = {cell: float(cell) for cell in distinct}
                if decimal is None:
                    _refuse_points(distinct)
                return numbers, []
        except TwoReadings:
            raise
        except ValueError:
            pass
    texts = {cell: _tidy(cell) for cell in distinct}
    said = []
    if texts and all(text.endswith("%") for text in texts.values()):
        texts = {cell: text[:-1].rstrip() for cell, text in texts.items()}
        said.append("percents")
    plain = {cell: text for cell, text in texts.items() if not _PLAIN.fullmatch(text)}
    if decimal is None and plain:
        _refuse_commas(plain)
    mark = decimal or "."
    rest = {cell: _normal(text, mark) for cell, text in texts.items()}
    if not all(_PLAIN.fullmatch(text) for text in rest.values()):
        return None
    if any(_normal(text, mark) != text.replace(mark, ".") for text in plain.values()):
        said.append("marks between thousands")
    return {cell: float(text) for cell, text in rest.items()}, said


def _tidy(cell: str) -> str:
    text = cell.strip().replace("\u2212", "-")
    for blank in _BLANKS:
        text = text.replace(blank, " ")
    return text.strip()


def _normal(text: str, decimal: str) -> str:
    """Write a number the plain way; what is none stays as it is, or breaks."""
    if _APART.fullmatch(text):
        text = text.replace(" ", "")
    if decimal == ".":
        return text.replace(",", "") if _BY_COMMAS.fullmatch(text) else text
    if _BY_POINTS.fullmatch(text):
        text = text.replace(".", "")
    elif "." in text:
        return "?"  # 1.5 is no number where the comma stands before decimals
    return text.replace(",", ".")


def _refuse_points(texts: set[str]) -> None:
    """Refuse 950 beside 1.200 where every point has three digits behind it: thousands, likely.

    All with points would be a thousandth alike, which scaling undoes.
    """
    pointed = sorted(text for text in texts if "." in text)
    if not pointed or len(pointed) == len(texts) or not all(map(_BY_POINTS.fullmatch, pointed)):
        return
    whole = [text.lstrip("+-") for text in texts if "." not in text]
    if all(w.isdecimal() and len(w) <= 3 for w in whole) and max(map(len, whole)) == 3:
        said = f"{pointed[0]!r}, beside {max(whole, key=len)!r},"
        readings = f"{_normal(pointed[0], ',')} (--decimal ,) or as {pointed[0]} (--decimal .)"
        raise TwoReadings(f"{said} can be read as {readings}")


def _refuse_commas(texts: dict[str, str]) -> None:
    """Refuse what would be numbers if only it were known what a comma means."""
    readable = (_COMMA, _BY_COMMAS, _BY_POINTS, _APART)
    if not all(any(form.fullmatch(text) for form in readable) for text in texts.values()):
        return
    for cell, text in sorted(texts.items()):
        if "," not in text:
            continue
        one, other = _normal(text, ","), _normal(text, ".")
        readings = [
            f"{value} (--decimal {mark})"
            for value, mark in ((one, ","), (other, "."))
            if _PLAIN.fullmatch(value)
        ]
        if len(readings) == 1:
            readings.append("text")
        raise TwoReadings(f"{cell!r} can be read as {' or as '.join(readings)}")
