"""What a program prints or an instrument answers: numbers, or a JSON object that says more.

``{"x": [0.1, 0.2], "recording": "trial-7.edf", "label": "left", "cost": 2.5, "duration": 4,
"attrs": {...}}``, all but one of x and recording optional; ``{"failed": "why"}`` where there is
nothing and trying again would not help.
"""

from __future__ import annotations

import json
from typing import Any

from palacs.campaign import Acquired, NotAcquired

_KNOWN = ("x", "recording", "label", "cost", "duration", "attrs", "id")


def reply_of(text: str, who: str, asked: str) -> Acquired:
    """Return what was brought.

    Parameters
    ----------
    text : str
        What was printed or answered.
    who : str
        By whom, for messages.
    asked : str
        The id of the request; an answer that names another one is no answer to it.

    Raises
    ------
    NotAcquired
        It says that there is nothing, or cannot be understood.

    Examples
    --------
    >>> reply_of('{"x": [1, 2], "cost": 3}', "./record", "r1").cost
    3
    """
    plain = text.strip()
    if not plain:
        raise NotAcquired(f"{who} answered nothing.")
    if not plain.startswith("{"):
        return Acquired(plain)
    try:
        found: dict[str, Any] = json.loads(plain)
    except (ValueError, RecursionError) as error:
        raise NotAcquired(f"{who} answered what is no JSON: {error}.") from error
    if "failed" in found:
        raise NotAcquired(str(found["failed"]) or f"{who} failed without a reason.")
    unknown = [key for key in found if key not in _KNOWN]
    if unknown:
        raise NotAcquired(
            f"{who} answered {unknown[0]!r}, which means nothing; give {', '.join(_KNOWN)} or "
            "failed."
        )
    if found.pop("id", asked) != asked:
        raise NotAcquired(f"{who} answered another request than {asked!r}.")
    try:
        return Acquired(**found)
    except ValueError as error:
        raise NotAcquired(f"{who}: {error}") from error
