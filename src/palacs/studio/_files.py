"""One instance from an uploaded file: CSV, JSON or NPY.

The file's name only tells the format; it never names a place on this machine.
"""

from __future__ import annotations

import io
import json
import math
import tokenize
from typing import Any

import numpy as np

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


def read_numbers(name: str, content: bytes) -> Numbers:
    """Return the feature values in a file.

    Parameters
    ----------
    name : str
        As the sender called it; ``.npy`` and ``.json`` decide, all else is text.
    content : bytes
        What is in it: a flat array; a JSON list, or an object with the list ``"x"``; or text
        with one row or one column of numbers.

    Returns
    -------
    list of float

    Raises
    ------
    ValueError
        There is no such row in it; the message says what was found instead.

    Examples
    --------
    >>> read_numbers("trial.csv", b"0.5,1.25,-3")
    [0.5, 1.25, -3.0]
    >>> read_numbers("trial.json", b'{"x": [1, 2]}')
    [1.0, 2.0]
    """
    kind = name.lower().rpartition(".")[2]
    if kind == "npy" or content.startswith(b"\x93NUMPY"):
        return _read_npy(content)
    try:
        text = content.decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        raise ValueError(f"the file is neither text nor NPY ({error}); save it as CSV.") from error
    if kind == "json" or text.startswith(("[", "{")):
        return _read_json(text)
    return _read_text(text)


def _read_npy(content: bytes) -> Numbers:
    file = io.BytesIO(content)
    try:
        version = np.lib.format.read_magic(file)
        readers = {1: np.lib.format.read_array_header_1_0, 2: np.lib.format.read_array_header_2_0}
        shape, _, dtype = readers[version[0]](file)
    except _BROKEN_HEADER as error:
        raise ValueError(f"the file is no NPY array ({error}); save it with numpy.save.") from error
    # The header may promise more than the file holds; believing it could fill the memory.
    if dtype.kind not in "iuf" or math.prod(shape) * dtype.itemsize > len(content):
        raise ValueError(
            f"the NPY file holds {dtype} of shape {shape}; give one flat array of numbers."
        )
    plain = all(type(length) is int and length > 0 for length in shape)
    if not plain or sum(length != 1 for length in shape) > 1:
        raise ValueError(f"the array has shape {shape}; give one instance, shape (n,).")
    array = np.load(io.BytesIO(content), allow_pickle=False).astype(np.float64)
    values: Numbers = array.ravel().tolist()
    return values


def _read_json(text: str) -> Numbers:
    try:
        found: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the file is no JSON ({error}).") from error
    values = found.get("x") if isinstance(found, dict) else found
    plain = isinstance(values, list) and all(
        isinstance(v, (int, float)) and not isinstance(v, bool) for v in values
    )
    if not plain or not values:
        raise ValueError('the JSON holds no flat list of numbers; give [1.5, ...] or {"x": [...]}.')
    return [_number(value, place) for place, value in enumerate(values)]


def _read_text(text: str) -> Numbers:
    lines = [line.replace(",", " ").replace(";", " ").split() for line in text.splitlines()]
    rows = [line for line in lines if line]
    if len(rows) == 2 and len(rows[0]) == len(rows[1]) and not any(map(_is_number, rows[0])):
        rows = rows[1:]  # the names of the features
    if not rows:
        raise ValueError("the file is empty; give one row of numbers.")
    if len(rows) > 1 and any(len(row) > 1 for row in rows):
        raise ValueError(
            f"the file has {len(rows)} rows; give one instance, as one row or one column."
        )
    words = [word for row in rows for word in row]
    return [_number(word, place) for place, word in enumerate(words)]


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _number(value: Any, place: int) -> float:
    try:
        return float(value)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{str(value)[:40]!r} at position {place} is not a number.") from error
