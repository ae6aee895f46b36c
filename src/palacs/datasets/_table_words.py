"""Words about tables that several steps of reading one use: lists of names, what was meant."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches
from itertools import count
from typing import Any


def listing(names: Sequence[Any], *, quote: bool = True, limit: int = 10) -> str:
    """List names for a message, at most ``limit``.

    Examples
    --------
    >>> listing(["a", "b", "c"], limit=2)
    "'a', 'b' and 1 more"
    """
    shown = [repr(name) if quote else str(name) for name in names[:limit]]
    more = len(names) - limit
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")


def free_name(name: str, taken: Collection[str]) -> str:
    """Return a name that no other has.

    Examples
    --------
    >>> free_name("a", {"a", "a (2)"})
    'a (3)'
    """
    if name not in taken:
        return name
    return next(made for n in count(2) if (made := f"{name} ({n})") not in taken)


def check_target(target: str | None, columns: Iterable[Any], where: str) -> str:
    """Return `target` if it is one of `columns`, else say which there are."""
    names = [str(column) for column in columns]
    if target is None:
        raise ValueError(
            f"{where}: say which column holds the class (target); it has {listing(names)}."
        )
    if names.count(target) > 1:
        raise ValueError(
            f"{where}: {names.count(target)} columns are called {target!r}; rename all but one."
        )
    if target in names:
        return target
    hint = meant(target, names)
    if not hint and len(names) > 1 and sum(map(_is_number, names)) > len(names) / 2:
        hint = " Its first line holds numbers: is a line with the names of the columns missing?"
    if len(names) == 1 and any(mark in names[0] for mark in ";\t| "):
        hint = " Say what separates the columns with --sep."
    raise ValueError(f"{where} has no column {target!r}.{hint} It has {listing(names)}.")


def meant(name: str, names: Sequence[str]) -> str:
    """Return a question about the name that comes closest, if any does."""
    close = get_close_matches(name.casefold(), [known.casefold() for known in names], n=1)
    found = next((known for known in names if [known.casefold()] == close), None)
    return f" Did you mean {found!r}?" if found else ""


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
