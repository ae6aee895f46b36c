"""Markdown made by programs: tables and words that hold whatever they are given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def cell(text: object) -> str:
    r"""Return a text for a cell of a table, on one line.

    Examples
    --------
    >>> cell("a | b")
    'a \\| b'
    """
    return " ".join(str(text).split()).replace("|", "\\|")


def plain(text: object) -> str:
    r"""Return a text in which nothing is markup.

    Examples
    --------
    >>> plain("[default: <none>]")
    '\\[default: \\<none\\>\\]'
    """
    return "".join(f"\\{c}" if c in "\\`*_[]<>$|{}" else c for c in " ".join(str(text).split()))


def code(text: object) -> str:
    """Return a text as code; an empty one stays empty."""
    return f"`{cell(text)}`" if str(text) else ""


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; its cells are Markdown already.

    Examples
    --------
    >>> print(table(["a", "b"], [["x", "y"]]), end="")
    | a | b |
    |---|---|
    | x | y |
    """
    lines = [head, ["---"] * len(head), *rows]
    return (
        "\n".join(
            f"| {' | '.join(line)} |" if i != 1 else f"|{'|'.join(line)}|"
            for i, line in enumerate(lines)
        )
        + "\n"
    )
