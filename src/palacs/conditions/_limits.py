"""Which requests are out of the question now: caps, repetitions, and classes that are due.

Pure functions of the counts and of the order in which classes were *requested*: instances may
arrive in another order when several people work at a time. A decision under limits can be made
again from the record like any other.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from palacs.checks import Codes

Mask = npt.NDArray[np.bool_]


class LimitReached(ValueError):
    """The limits leave no class to request now."""


@dataclass(frozen=True)
class Requests:
    """What limits look at.

    Parameters
    ----------
    order : ndarray of shape (n_requests,)
        Class codes in the order in which they were requested, those under way included.
    counts : ndarray of shape (n_classes,)
        Instances of each class, those under way included.
    classes : ndarray of shape (n_classes,)
        The labels, for messages.
    """

    order: Codes
    counts: Codes
    classes: npt.NDArray[np.generic]


class Limit(ABC):
    """One rule about what may be requested next; subclass to add one.

    Attributes
    ----------
    kind : {"closes", "forbids", "demands"}
        Class attribute. "closes": a class is done with for now, nobody waits for it. "forbids":
        not at this moment. "demands": only these should come now; what is forbidden still is.
    """

    kind: ClassVar[Literal["closes", "forbids", "demands"]] = "forbids"

    @abstractmethod
    def allow(self, requests: Requests, allowed: Mask) -> Mask:
        """Return which of the ``allowed`` classes (n_classes,) may be requested next.

        Called before every pick, with what other limits of its kind left: for one that demands,
        all that is not closed. The array is not changed; raise `LimitReached` where nothing is
        left.
        """


@dataclass(frozen=True)
class Caps(Limit):
    """Most instances of a class, by code."""

    kind = "closes"
    caps: Mapping[int, int]

    def allow(self, requests: Requests, allowed: Mask) -> Mask:
        """Leave out the classes that have reached their cap."""
        below = allowed.copy()
        for code, cap in self.caps.items():
            below[code] &= bool(requests.counts[code] < cap)
        if not below.any():
            named = {requests.classes[code].item(): cap for code, cap in self.caps.items()}
            raise LimitReached(
                f"every class that may be requested has reached its cap, caps={named}; raise a "
                "cap, or end the acquisition here."
            )
        return below


@dataclass(frozen=True)
class MaxRepeat(Limit):
    """Never the same class more than so many times in a row."""

    most: int

    def allow(self, requests: Requests, allowed: Mask) -> Mask:
        """Leave out the class that was requested that many times in a row."""
        order, r = requests.order, self.most
        if len(order) < r or (order[-r:] != order[-1]).any():
            return allowed
        varied = allowed.copy()
        varied[order[-1]] = False
        if not varied.any():
            label = requests.classes[order[-1]].item()
            raise LimitReached(
                f"only {label!r} may be requested, and it was requested {r} times in a row, "
                f"max_repeat={r}; allow another class, or raise max_repeat."
            )
        return varied


@dataclass(frozen=True)
class AtLeastEvery(Limit):
    """Each class that is not closed at least once in every so many requests."""

    kind = "demands"
    every: int

    def allow(self, requests: Requests, allowed: Mask) -> Mask:
        """Leave only the classes that must come now, where some must."""
        n, order = self.every, requests.order
        if allowed.sum() > n:
            raise ValueError(
                f"at_least_every={n} cannot hold for {int(allowed.sum())} classes: so many do "
                "not fit into that many requests; raise it to at least the number of classes."
            )
        # Within how many of the next requests each class must come.
        deadlines = np.full(len(allowed), 1)
        for code in np.flatnonzero(allowed):
            at = np.flatnonzero(order == code)
            if len(at):
                deadlines[code] = max(n - (len(order) - 1 - int(at[-1])), 1)
        ahead = np.sort(deadlines[allowed])
        tight = np.flatnonzero(ahead <= np.arange(1, len(ahead) + 1))
        if len(tight) == 0:
            return allowed
        # Any of these may come now, and the others of them still come in time.
        due: Mask = allowed & (deadlines <= ahead[tight[0]])
        return due


def apply_limits(limits: Sequence[Limit], requests: Requests, allowed: Mask) -> Mask:
    """Return which of the ``allowed`` classes (n_classes,) may be requested next.

    A class that is due but forbidden waits: what forbids is stronger than what demands.
    """
    for limit in limits:
        if limit.kind == "closes":
            allowed = limit.allow(requests, allowed)
    still_open = allowed
    for limit in limits:
        if limit.kind == "forbids":
            allowed = limit.allow(requests, allowed)
    for limit in limits:
        if limit.kind == "demands":
            due = allowed & limit.allow(requests, still_open)
            allowed = due if due.any() else allowed
    return allowed
