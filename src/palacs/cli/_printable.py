"""Text as a terminal may show it: what could move its cursor or reorder its lines is escaped."""

from __future__ import annotations

import json
import re

import typer

# Control characters but tabs and line ends, which are ours; what reorders text; half characters.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    r"""Return text with everything escaped that is no character to read, as JSON writes it.

    Examples
    --------
    >>> printable("left\x1b[31m\u202e\ud800, Füße")
    'left\\u001b[31m\\u202e\\ud800, Füße'
    """
    return _UNSAFE.sub(lambda found: json.dumps(found[0])[1:-1], text)


def say(text: str, *, err: bool = False) -> None:
    """Print a line, whatever people may have written into names, labels and notes."""
    typer.echo(printable(text), err=err)
