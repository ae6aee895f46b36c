"""Text as a terminal may show it: what could move its cursor or change its colours is escaped."""

from __future__ import annotations

from unicodedata import category

# Control characters, those that reorder text (bidirectional overrides), and lone surrogates.
_UNSAFE = ("Cc", "Cf", "Cs", "Zl", "Zp")


def printable(text: str) -> str:
    r"""Return text with everything that is not plain escaped, as Python writes it.

    Tabs and line ends stay where they are: columns and lines are ours.

    Examples
    --------
    >>> printable("left\x1b[31m\u202e\ud800, Füße")
    'left\\x1b[31m\\u202e\\ud800, Füße'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(repr(c)[1:-1] if category(c) in _UNSAFE and c not in "\t\n" else c for c in text)
