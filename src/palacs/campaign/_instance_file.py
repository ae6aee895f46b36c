"""One instance from a file, standard input or a few typed numbers: CSV, JSON or NPY.

The command line, the studio's upload and its text field all read here. The file's name only tells
the format; nothing is opened. What can be read in two ways, such as decimal commas between
semicolons, is refused with both readings.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
import tokenize
from collections.abc import Sequence
from typing import Any

import numpy as np

from palacs.campaign._naming import Named, order_of

Numbers = list[float]

# NumPy reads the header as Python, so it can be broken in all the ways a program can.
_BROKEN_HEADER = (
    ValueError,
    KeyError,
    TypeError,
    SyntaxError,
    OverflowError,
    MemoryError,
    RecursionError,
    tokenize.TokenError,
)
_GROUPED = re.compile(r"[-+]?\d{1,3}(,\d{3})+(\.\d*)?")
_NOTHING_BETWEEN = re.compile(r"^\s*[,;]|[,;]\s*[,;]")
_GROUPED_BY_POINTS = re.compile(r"[-+]?\d{1,3}(\.\d{3})+,\d*")


def read_instance(
    content: bytes | str,
    name: str = "the file",
    n_features: int | None = None,
    feature_names: Sequence[str] | None = None,
) -> Numbers:
    """Return the feature values of one instance.

    Parameters
    ----------
    content : bytes or str
        A flat array as NPY; a JSON list, alone, in a list or in an object as ``"x"``; or text
        with one row or one column of numbers, the row under the names of the features or not.
    name : str
        As the sender calls it, for messages; ``.npy`` and ``.json`` tell the format.
    n_features : int or None
        How many there have to be, where that is known: it tells two numbers with a comma between
        them from one with a decimal comma.
    feature_names : sequence of str or None
        What they are called, where that is known: names in the file must be the same, in any
        order.

    Returns
    -------
    list of float
        In the order of the campaign's names. Names that the file has go with it, to `tell`.

    Raises
    ------
    ValueError
        There is no such row in it, or there are two ways to read it; the message says what was
        found instead.

    Examples
    --------
    >>> from palacs.campaign import read_instance
    >>> read_instance(b"0.5,1.25,-3", "trial.csv")
    [0.5, 1.25, -3.0]
    >>> read_instance('{"x": [1, 2]}')
    [1.0, 2.0]
    >>> read_instance("0,5;1,25")
    Traceback (most recent call last):
    ...
    ValueError: the file: '0,5;1,25' can be read as 0, 5, 1, 25 or as 0.5, 1.25; write decimal
    points, and spaces between the numbers.
    >>> read_instance("0,5", n_features=2)
    [0.0, 5.0]
    """
    kind = name.lower().rpartition(".")[2]
    if isinstance(content, bytes):
        if kind == "npy" or content.startswith(b"\x93NUMPY"):
            return _read_npy(content, name)
        try:
            content = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise ValueError(
                f"{name}: it is neither text nor NPY ({error}); save it as CSV."
            ) from error
    text = content.strip()
    if kind == "json" or text.startswith(("[", "{")):
        return _read_json(text, name)
    return _read_text(text, name, n_features, feature_names)


def _read_npy(content: bytes, name: str) -> Numbers:
    file = io.BytesIO(content)
    try:
        version = np.lib.format.read_magic(file)
        readers = {1: np.lib.format.read_array_header_1_0, 2: np.lib.format.read_array_header_2_0}
        shape, _, dtype = readers[version[0]](file)
    except _BROKEN_HEADER as error:
        raise ValueError(
            f"{name}: it is no NPY array ({error}); save it with numpy.save."
        ) from error
    # The header may promise more than the file holds; believing it could fill the memory.
    if dtype.kind not in "biuf" or math.prod(shape) * dtype.itemsize > len(content):
        raise ValueError(
            f"{name}: the NPY file holds {dtype} of shape {shape}; give one flat array of numbers."
        )
    plain = all(type(length) is int and length > 0 for length in shape)
    if not plain or sum(length != 1 for length in shape) > 1:
        raise _several(name, shape)
    try:
        array = np.load(io.BytesIO(content), allow_pickle=False).astype(np.float64)
    except _BROKEN_HEADER as error:
        raise ValueError(f"{name}: it is no whole NPY array ({error}); save it again.") from error
    values: Numbers = array.ravel().tolist()
    return values


def _read_json(text: str, name: str) -> Numbers:
    try:
        found: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{name}: it is no JSON ({error}).") from error
    values = found.get("x") if isinstance(found, dict) else found
    if isinstance(values, list) and values and all(isinstance(row, list) for row in values):
        if len(values) > 1:
            raise _several(name, (len(values), max(map(len, values))))
        values = values[0]
    plain = isinstance(values, list) and all(
        isinstance(v, (int, float)) and not isinstance(v, bool) for v in values
    )
    if not plain or not values:
        raise ValueError(
            f'{name}: the JSON holds no flat list of numbers; give [1.5, ...] or {{"x": [...]}}.'
        )
    return [_number(value, place, name) for place, value in enumerate(values)]


def _read_text(
    text: str, name: str, n_features: int | None, feature_names: Sequence[str] | None
) -> Numbers:
    lines = [line for line in text.splitlines() if _words(line)]
    named, order = _has_names(lines), None
    if named:
        found = _cells(lines[0])
        order = order_of(found, feature_names, name)
        n_features = len(found) if n_features is None else n_features
    apart = "".join(lines)  # decimal commas stand where something else separates
    commas_separate = ";" not in apart and not (named and "\t" in apart)
    lines = lines[1:] if named else lines
    rows = [_words(line) for line in lines]
    if not rows:
        raise ValueError(f"{name}: it is empty, no numbers found; give one row of numbers.")
    _check_commas(lines, rows, name, n_features if commas_separate else None)
    # One number per line is how numpy.savetxt writes a vector.
    longest = max(map(len, rows))
    if len(rows) > 1 and longest > 1:
        raise _several(name, (len(rows), longest))
    words = [word for row in rows for word in row]
    numbers = [_number(word, place, name) for place, word in enumerate(words)]
    if any(map(_NOTHING_BETWEEN.search, lines)):
        raise ValueError(
            f"{name}: a value is missing in {_brief(' / '.join(lines))!r}; fail the request, or "
            "fill it in before telling."
        )
    if not named:
        return numbers
    if order is not None and len(numbers) == len(found):
        return Named([numbers[place] for place in order], [found[place] for place in order])
    return Named(numbers, found)


def _has_names(lines: list[str]) -> bool:
    if len(lines) != 2 or any(map(_is_number, _cells(lines[0]))):
        return False
    counts = (len(_words(lines[1])), len(_held_together(lines[1])), len(_cells(lines[1])))
    return len(_cells(lines[0])) in counts


def _cells(line: str) -> list[str]:
    """Return what a program that writes tables means by a line."""
    delimiter = next((mark for mark in ";\t," if mark in line), " ")
    cells = next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])
    while cells and not cells[-1].strip():
        cells.pop()
    return [cell.strip() for cell in cells]


def _words(line: str) -> list[str]:
    return line.replace(",", " ").replace(";", " ").split()


def _held_together(line: str) -> list[str]:
    """Return what stands between semicolons and spaces, with the commas inside it."""
    apart = re.sub(r"\s*,\s+|\s+,", ";", line).replace(";", " ")
    return [part.strip(",") for part in apart.split()]


def _check_commas(
    lines: list[str], rows: list[list[str]], name: str, n_features: int | None
) -> None:
    """Refuse commas that may be part of a number where they stand."""
    parts = [_held_together(line) for line in lines]
    if len(lines) > 1 and any(len(held) > 1 for held in parts):
        return  # no column either
    held = [part for line in parts for part in line]
    words = [word for row in rows for word in row]
    if not any("," in part for part in held) or not all(map(_is_number, words)):
        return
    if len(held) == 1 and len(words) == n_features:
        return  # as one number it would not fit
    for other in (_with_points(held), _without_commas(held), _without_points(held)):
        if all(map(_is_number, other)):
            one = _brief(" / ".join(", ".join(row) for row in rows))
            raise ValueError(
                f"{name}: {_brief(' / '.join(lines))!r} can be read as {one} "
                f"or as {_brief(', '.join(other))}; write decimal points, and spaces between the "
                "numbers."
            )


def _with_points(held: list[str]) -> list[str]:
    return [part.replace(",", ".") for part in held]


def _without_commas(held: list[str]) -> list[str]:
    return [part.replace(",", "") if _GROUPED.fullmatch(part) else part for part in held]


def _without_points(held: list[str]) -> list[str]:
    whole = [part.replace(".", "") if _GROUPED_BY_POINTS.fullmatch(part) else part for part in held]
    return _with_points(whole)


def _brief(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."


def _several(name: str, shape: tuple[int, ...]) -> ValueError:
    return ValueError(
        f"{name}: shape {shape} is not one row of numbers; give one instance at a time."
    )


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _number(value: Any, place: int, name: str) -> float:
    try:
        return float(value)
    except (ValueError, OverflowError) as error:
        raise ValueError(
            f"{name}: {str(value)[:40]!r} at position {place} is not a number."
        ) from error
