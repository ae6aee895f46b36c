"""What a source is, and what it may bring: numbers, a recording, or both.

A source is whoever carries a request out: a function, a program, an instrument, a person. It
knows nothing of campaigns; `Campaign.run` asks for it, tells what it brought and fails what it
could not bring.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy.typing as npt

from palacs.campaign._recordings import Recording
from palacs.campaign._records import Request
from palacs.campaign._values import brief
from palacs.storage import Label


@dataclass(frozen=True, slots=True)
class Acquired:
    """What a source brought for one request; `x`, a `recording`, or both.

    Attributes
    ----------
    x : array-like of shape (n_features,), str or None
        Raw feature values, also as text as `read_instance` reads it; None where the extractor in
        force is to make them.
    recording : str, path, mapping, Recording or None
        The raw material, as in `Campaign.tell`.
    label : str, int or None
        The class it is of, where the source knows. An answer for another class than the one
        asked for fails the request.
    cost, duration : float or None
        What it cost and how many seconds it took; by default the seconds that were waited.
    attrs : mapping or None
        What to note about it.

    Examples
    --------
    >>> from palacs.campaign import Acquired
    >>> Acquired([0.1, 0.2], cost=2.5).cost
    2.5
    """

    x: npt.ArrayLike | None = None
    recording: str | os.PathLike[str] | Mapping[str, Any] | Recording | None = None
    label: Label | None = None
    cost: float | None = None
    duration: float | None = None
    attrs: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        if self.x is None and self.recording is None:
            raise ValueError("nothing was acquired: give x, a recording, or both.")


class NotAcquired(Exception):
    """A source will bring nothing for this request: failed at once with this reason."""


class NoMore(NotAcquired):
    """A source will never bring this class again: the request is failed, the class is paused."""


Brought = npt.ArrayLike | os.PathLike[str] | Recording | Acquired
"""What `acquire` may return: numbers, the path of a recording or instance file, or all of it."""


@runtime_checkable
class Source(Protocol):
    """Whoever carries requests out.

    Only `acquire` is needed. A source may also have ``open(campaign)``, called before the first
    request; ``cancel(request)``, called from another thread when nobody waits for the answer any
    more; ``unasked()``, which returns `Acquired` with labels that nobody asked for; and
    ``close()``, called in the end.
    """

    def acquire(self, request: Request) -> Brought:
        """Bring one instance of ``request.label``.

        Parameters
        ----------
        request : Request
            Its ``label`` is the class, its ``id`` the name under which it is recorded.

        Returns
        -------
        array-like of shape (n_features,), path, Recording or Acquired

        Raises
        ------
        NotAcquired
            This request will bring nothing, whoever tries again. Any other exception is tried
            again.
        """
        ...


@dataclass(frozen=True)
class FunctionSource:
    """A function of the request, as a source."""

    function: Callable[[Request], Brought]

    def acquire(self, request: Request) -> Brought:
        """Call it."""
        return self.function(request)


def as_source(thing: Any) -> Source:
    """Return a source by itself or by the function that acquires."""
    if isinstance(thing, type):
        raise ValueError(f"{thing.__name__} is a class; give a source made of it.")
    if isinstance(thing, Source):
        return thing
    if callable(thing):
        return FunctionSource(thing)
    raise ValueError(
        f"{brief(thing)} is no source; give something with acquire(request), or a function."
    )
