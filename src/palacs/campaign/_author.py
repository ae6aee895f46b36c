"""Who did it: every event of a campaign carries host, process and person."""

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


@contextmanager
def acting_as(person: str | None) -> Iterator[None]:
    """Let everything that is written inside be by this person, in this thread or task.

    Parameters
    ----------
    person : str or None
        1 to 200 printable characters; ``None`` changes nothing.

    Examples
    --------
    >>> from palacs.campaign import acting_as, create_campaign
    >>> c = create_campaign("demo", ["a", "b"], storage="memory")
    >>> with acting_as("Anna"):
    ...     instance = c.add([0.1], "a")
    >>> c.events()[-1].author["person"]
    'Anna'
    """
    if person is None:
        yield
        return
    token = _acting.set(check_name(person, "person"))
    try:
        yield
    finally:
        _acting.reset(token)


def author() -> dict[str, Any]:
    """Return who is writing now.

    The person is the one of `acting_as`, else of the environment variable ``PALACS_PERSON``, else
    the user of the system.
    """
    return {"host": socket.gethostname(), "process": os.getpid(), "person": _person()}


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
