"""LSL's clock, and how another clock of this machine reads on it.

Every sample and every marker carries a time of this clock: seconds that only go forward, from a
beginning that means nothing. A time of another clock is moved here by reading both at once.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import pylsl

# The shortest of several readings is the one that was least interrupted.
_READINGS = 8


def lsl_now() -> float:
    """Return the time of LSL's clock on this machine, in seconds.

    Examples
    --------
    >>> from palacs.lsl import lsl_now
    >>> lsl_now() < lsl_now()
    True
    """
    return float(pylsl.local_clock())


def as_lsl_time(seconds: float, clock: Callable[[], float] = time.time) -> float:
    """Return a time of another clock of this machine as LSL's clock reads it.

    The two clocks are compared when this is called: a time of seconds ago is moved as exactly as
    they run alike, and a clock that was set in between moves it wrongly.

    Parameters
    ----------
    seconds : float
        A time that `clock` told.
    clock : callable
        Returns seconds; by default those since 1970.

    Examples
    --------
    >>> import time
    >>> from palacs.lsl import as_lsl_time, lsl_now
    >>> abs(as_lsl_time(time.time()) - lsl_now()) < 0.1
    True
    """
    best = float("inf")
    offset = 0.0
    for _ in range(_READINGS):
        before = lsl_now()
        there = clock()
        after = lsl_now()
        if after - before < best:
            best, offset = after - before, (before + after) / 2 - there
    return seconds + offset
