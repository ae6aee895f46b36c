"""What a request records about utilities: all of few, the largest of many and a digest of all.

A hundred thousand classes would take two megabytes per request. What decides is written down;
whether all the others come out the same again is what the digest tells.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

Utilities = npt.NDArray[np.float64]
Told = dict[int, float]
"""Utilities by the position of their class."""

MOST_TOLD = 50
"""Of more classes than these only so many utilities are recorded, and those asked for."""


def to_record(utilities: Utilities, asked: Iterable[int] = ()) -> Any:
    """Return utilities (n_classes,) as a request records them.

    Parameters
    ----------
    utilities : ndarray of shape (n_classes,)
        NaN for classes that could not be requested.
    asked : iterable of int
        Positions of classes that are told whatever their utility is.

    Examples
    --------
    >>> to_record(np.array([0.5, np.nan, np.inf]))
    [0.5, None, 'inf']
    >>> told = to_record(np.arange(1000.0), asked=[3])
    >>> len(told["largest"]), told["largest"][-1], told["classes"], told["sum"]
    (51, [999, 999.0], 1000, 499500.0)
    """
    if len(utilities) <= MOST_TOLD:
        return [_to_json(u) for u in utilities.tolist()]
    known = np.where(np.isnan(utilities), -np.inf, utilities)
    largest = np.argsort(-known, kind="stable")[:MOST_TOLD].tolist()
    told = sorted({*largest, *asked})
    return {
        "classes": len(utilities),
        "largest": [[code, _to_json(float(utilities[code]))] for code in told],
        "sum": math.fsum(utilities[np.isfinite(utilities)].tolist()),
        "digest": _digest(utilities),
    }


def from_record(stored: Any) -> Told:
    """Return the utilities that a request recorded."""
    pairs = stored["largest"] if isinstance(stored, dict) else enumerate(stored)
    return {int(code): math.nan if u is None else float(u) for code, u in pairs}


def difference_of(stored: Any, utilities: Utilities) -> float:
    """Return how far recomputed utilities (n_classes,) are from those recorded; 0 to the last bit.

    Where not all are recorded, the largest of what is known: of those recorded, and of the mean.
    """
    fresh = to_record(utilities)
    if stored == fresh or _digest_of(stored) == _digest(utilities):
        return 0.0
    told = {code: u for code, u in from_record(stored).items() if code < len(utilities)}
    gaps = [
        abs(u - float(utilities[code])) if math.isfinite(utilities[code]) else math.inf
        for code, u in told.items()
        if math.isfinite(u)
    ]
    if isinstance(stored, dict) and isinstance(fresh, dict):
        # The digests differ, so that something does, if nothing that is recorded.
        gaps += [abs(stored["sum"] - fresh["sum"]) / len(utilities), math.ulp(0.0)]
    return max(gaps, default=math.inf)


def _digest_of(stored: Any) -> str | None:
    return str(stored["digest"]) if isinstance(stored, dict) else None


def _digest(utilities: Utilities) -> str:
    # One NaN and one zero, whatever their bits are.
    plain = np.where(np.isnan(utilities), np.nan, utilities) + 0.0
    return hashlib.sha256(plain.astype("<f8").tobytes()).hexdigest()[:32]


def _to_json(u: float) -> float | str | None:
    """Return a utility as JSON has it: ``None`` for NaN, ``"inf"`` for infinity."""
    return None if math.isnan(u) else ("inf" if u > 0 else "-inf") if math.isinf(u) else u
