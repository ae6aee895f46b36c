"""How one trial of a session goes, as a campaign keeps it: fixation, cue, performing, rest.

Each takes a number of seconds, or a pair between which every trial draws its own, so that nobody
gets into step. After a block there is a break. A class may have a picture and a sound.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Real
from typing import Any

from palacs.campaign._values import brief, check_count
from palacs.storage import Label

PHASES = ("fixation", "cue", "performing", "rest")
LONGEST_S = 3600.0
LARGEST_MEDIUM = 200_000  # characters of one picture or sound
LARGEST_ALL = 2_000_000

SESSIONS: dict[str, dict[str, Any]] = {
    "motor-imagery": {
        "fixation": 2.0,
        "cue": 1.25,
        "performing": 4.0,
        "rest": [1.5, 2.5],
        "block": 40,
        "break": 60.0,
    },
    "gestures": {
        "fixation": 0.5,
        "cue": 1.0,
        "performing": 3.0,
        "rest": [1.0, 2.0],
        "block": 50,
        "break": 60.0,
    },
    "odours": {
        "fixation": 3.0,
        "cue": 2.0,
        "performing": 10.0,
        "rest": [25.0, 35.0],
        "block": 12,
        "break": 300.0,
    },
}
"""Timelines to begin with; the first is the default."""


def check_session(given: Any) -> dict[str, Any] | None:
    """Return a timeline as the record keeps it; a name stands for one of `SESSIONS`.

    Examples
    --------
    >>> check_session("motor-imagery")["rest"]
    [1.5, 2.5]
    >>> check_session({"performing": 6, "sounds": {"left": 440}})["performing"]
    6.0
    """
    if given is None:
        return None
    if isinstance(given, str):
        if given not in SESSIONS:
            raise ValueError(
                f"session={brief(given)} is not known; there are {', '.join(SESSIONS)}."
            )
        return dict(SESSIONS[given])
    if not isinstance(given, Mapping):
        raise ValueError(f"session={brief(given)} is neither a name nor an object of fields.")
    checks: dict[str, Callable[[Any, str], Any]] = {
        **dict.fromkeys(PHASES, _seconds),
        "block": lambda value, _: None if value is None else check_count(value, "block"),
        "break": lambda value, name: None if value is None else _second(value, name),
        "pictures": lambda value, name: _media(value, name, "data:image/"),
        "sounds": lambda value, name: _media(value, name, "data:audio/"),
    }
    unknown = set(given) - set(checks)
    if unknown:
        raise ValueError(
            f"session has no {sorted(map(str, unknown))[0]!r}; it has {', '.join(checks)}."
        )
    first = next(iter(SESSIONS.values()))
    found = {name: check(given.get(name, first.get(name)), name) for name, check in checks.items()}
    size = sum(len(str(found[kind])) for kind in ("pictures", "sounds"))
    if size > LARGEST_ALL:
        raise ValueError(
            f"pictures and sounds take {size:,} characters of {LARGEST_ALL:,}; make them smaller."
        )
    return {name: value for name, value in found.items() if value != {}}


def renamed_session(
    session: Mapping[str, Any] | None, now: Callable[[Label], Label], classes: Mapping[str, Label]
) -> dict[str, Any] | None:
    """Return a timeline whose pictures and sounds follow their classes to other names."""
    if session is None:
        return None
    media = {
        kind: {str(now(classes.get(name, name))): each for name, each in session[kind].items()}
        for kind in ("pictures", "sounds")
        if kind in session
    }
    return {**session, **media}


def _seconds(value: Any, name: str) -> float | list[float]:
    """Return seconds, or the pair between which they are drawn."""
    if not isinstance(value, (list, tuple)):
        return _second(value, name)
    if len(value) != 2:
        raise ValueError(f"{name}={brief(value)} is no pair; give the shortest and the longest.")
    return sorted(_second(each, name) for each in value)


def _second(value: Any, name: str) -> float:
    number = isinstance(value, Real) and not isinstance(value, bool)
    if not number or not 0 <= value <= LONGEST_S:
        raise ValueError(
            f"{name}={brief(value)} is no number of seconds between 0 and {LONGEST_S:g}."
        )
    return float(value)


def _media(value: Any, name: str, begins: str) -> dict[str, Any]:
    """Return a picture or sound for each class: as a data URI, a sound also as its pitch in Hz."""
    if not isinstance(value if value is not None else {}, Mapping):
        raise ValueError(f"{name}={brief(value)} must map classes to what they have.")
    found: dict[str, Any] = {}
    for label, each in (value or {}).items():
        pitch = name == "sounds" and isinstance(each, Real) and not isinstance(each, bool)
        if pitch and 20 <= each <= 20_000:
            found[str(label)] = float(each)
        elif isinstance(each, str) and each.startswith(begins) and len(each) <= LARGEST_MEDIUM:
            found[str(label)] = each
        else:
            raise ValueError(
                f"{name}[{label!r}]={brief(each)} cannot be used; give a {begins}... URI of at "
                f"most {LARGEST_MEDIUM:,} characters{', or a pitch in Hz' * (name == 'sounds')}."
            )
    return found
