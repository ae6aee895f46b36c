"""Plain values as JSON and back, with what JSON has no word for: sets, tuples, arrays, any keys.

Whatever else a value is made of is refused: nothing is ever run to read it back.
"""

from __future__ import annotations

import zlib
from array import array
from base64 import b64decode, b64encode
from typing import Any

_AS_THEY_ARE = (str, int, float, bool, type(None))


def to_plain(value: Any) -> Any:
    """Return a form that JSON can write.

    Examples
    --------
    >>> to_plain({1: {"a"}})
    {'dict': [[1, {'set': ['a']}]]}
    >>> from_plain(to_plain({1: {"a"}, "b": (1.5, None)}))
    {1: {'a'}, 'b': (1.5, None)}
    """
    if type(value) in _AS_THEY_ARE:
        return value
    if isinstance(value, list):
        return [to_plain(item) for item in value]
    if isinstance(value, tuple):
        return {"tuple": [to_plain(item) for item in value]}
    if isinstance(value, (set, frozenset)):
        return {"set": [to_plain(item) for item in value]}
    if isinstance(value, dict):
        return {"dict": [[to_plain(key), to_plain(item)] for key, item in value.items()]}
    if isinstance(value, array):
        packed = b64encode(zlib.compress(value.tobytes(), 1)).decode("ascii")
        return {"array": [value.typecode, packed]}
    raise TypeError(f"{type(value).__name__} is no plain value")


def from_plain(plain: Any) -> Any:
    """Undo `to_plain`."""
    if isinstance(plain, list):
        return [from_plain(item) for item in plain]
    if not isinstance(plain, dict):
        return plain
    [(kind, content)] = plain.items()
    if kind == "array":
        return array(content[0], zlib.decompress(b64decode(content[1])))
    if kind == "dict":
        return {from_plain(key): from_plain(item) for key, item in content}
    if kind not in ("set", "tuple"):
        raise ValueError(f"{kind!r} is no kind of plain value")
    return {"set": set, "tuple": tuple}[kind](from_plain(item) for item in content)
