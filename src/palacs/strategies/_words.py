"""Classes as a sentence names them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def named(label: Any) -> str:
    """Return a class as a sentence names it.

    Examples
    --------
    >>> named("left"), named(7)
    ('left', 'class 7')
    """
    return str(label) if isinstance(label, str) else f"class {label}"


def listing(labels: Sequence[Any]) -> str:
    """Return some classes as a sentence lists them; of many, the first three.

    Examples
    --------
    >>> listing(["left", "right"]), listing(list(range(9)))
    ('left and right', 'class 0, class 1, class 2 and 6 others')
    """
    names = [named(label) for label in labels[:4]]
    if len(labels) > 4:
        names = [*names[:3], f"{len(labels) - 3} others"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
