"""Who did it: every event of a campaign carries host, process, person and holder.

A holder is a page or program that works on its own requests: what it asked for or claimed belongs
to it, see `palacs.campaign._owning`.
"""

from __future__ import annotations

import getpass
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from palacs.campaign._values import brief, check_name

PERSON_VARIABLE = "PALACS_PERSON"

_acting: ContextVar[str | None] = ContextVar("palacs_person", default=None)
_holding: ContextVar[str | None] = ContextVar("palacs_holder", default=None)
_confined: ContextVar[bool] = ContextVar("palacs_confined", default=False)


@contextmanager
def acting_as(
    person: str | None, *, holder: str | None = None, confined: bool = False
) -> Iterator[None]:
    """Let everything that is written inside be by this person, in this thread or task.

    Parameters
    ----------
    person : str or None
        1 to 200 printable characters; ``None`` changes nothing.
    holder : str or None
        The page, phone or program that works, by an id of its own. What it asks for or claims
        belongs to it: another holder can neither perform nor fail it. ``None`` changes nothing.
    confined : bool
        Whether the holder is kept to what is its own: it can also neither tell, retract nor take
        over what belongs to others or to nobody. For those who were let in to do one thing.

    Examples
    --------
    >>> from palacs.campaign import acting_as, create_campaign
    >>> c = create_campaign("demo", ["a", "b"], storage="memory")
    >>> with acting_as("Anna"):
    ...     instance = c.add([0.1], "a")
    >>> c.events()[-1].author["person"]
    'Anna'
    """
    person = None if person is None else check_name(person, "person")
    holder = None if holder is None else check_name(holder, "holder")
    # One that is not given stays as it is.
    acting = _acting.set(_acting.get() if person is None else person)
    holding = _holding.set(_holding.get() if holder is None else holder)
    kept = _confined.set(_confined.get() or confined)
    try:
        yield
    finally:
        _confined.reset(kept)
        _holding.reset(holding)
        _acting.reset(acting)


def acting_holder() -> str | None:
    """Return the holder that acts now, if any."""
    return _holding.get()


def is_confined() -> bool:
    """Whether whoever acts now is kept to what is its own."""
    return _confined.get()


def author() -> dict[str, Any]:
    """Return who is writing now.

    The person is the one of `acting_as`, else of the environment variable ``PALACS_PERSON``, else
    the user of the system.
    """
    who = {"host": socket.gethostname(), "process": os.getpid(), "person": _person()}
    holder = acting_holder()
    return who if holder is None else {**who, "holder": holder}


def _person() -> str | None:
    acting = _acting.get()
    if acting is not None:
        return acting
    declared = os.environ.get(PERSON_VARIABLE)
    if declared:
        return check_name(declared, PERSON_VARIABLE)
    try:
        return check_name(getpass.getuser(), "user")
    except (OSError, KeyError, ImportError, ValueError):  # nobody, as in some containers
        return None


def check_author(who: Any) -> dict[str, Any] | None:
    """Return who wrote an event of an imported record, or say that it is nobody.

    Examples
    --------
    >>> check_author({"host": "lab-pc", "process": 7, "person": "Anna"})["person"]
    'Anna'
    """
    if who is None:
        return None
    if not isinstance(who, dict) or len(who) > 16:
        raise ValueError(f"its author {brief(who)} is no JSON object")
    for name, value in who.items():
        plain = value is None or (isinstance(value, int) and abs(value) < 2**63)
        if not plain:
            check_name(value, f"author's {name}")
    return who
