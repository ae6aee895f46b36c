"""Strategies inside a compiled loop: each brings its own form, beside its own code.

A trial spends more time between two decisions in Python than on them. A strategy that can decide
in compiled code returns a named tuple of its parameters from `Strategy.compiled_form`, and
registers the function that decides with it. Whoever plays trials calls `form_utilities` and knows
no strategy: which function that is follows from the type of the tuple, when the loop is compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numba.extending import overload

from palacs.checks import Bandwidth, Codes, Features
from palacs.compiled import compiled
from palacs.kernel import bandwidth_from_squared, chosen_rows, spanned_dimensions
from palacs.stream import Stream

AUTO = 0.0
"""Stands for a bandwidth that is fitted anew whenever it is needed."""


class Acquired(NamedTuple):
    """What was acquired so far, as a compiled loop keeps it up to date: the first n rows count.

    Parameters
    ----------
    X : ndarray of shape (size, n_features)
    y : ndarray of shape (size,)
    counts : ndarray of shape (n_classes,)
    squared : ndarray of shape (size, size)
        Squared distances, where the form or the judged classifier fits a bandwidth; else empty.
    similarity : ndarray of shape (size, size)
        Similarities a strategy remembers, where ``squared`` is kept; else empty.
    predicted : ndarray of shape (size,)
        Left-out decisions a strategy remembers instead of making them again.
    """

    X: Features
    y: Codes
    counts: Codes
    squared: Features
    similarity: Features
    predicted: Codes


Implementation = TypeVar("Implementation", bound=Callable[..., Any])
_IMPLEMENTATIONS: dict[type[Any], Callable[..., Any]] = {}


def decides_for(form: type[Any]) -> Callable[[Implementation], Implementation]:
    """Register the compiled function that decides for a form.

    The form is a NamedTuple type with at least ``compares``: whether the squared distances between
    all instances are wanted. The function takes (form, acquired, n, stream)
    and returns utilities (n_classes,), those of `Strategy.utilities`.
    """

    def register(implementation: Implementation) -> Implementation:
        _IMPLEMENTATIONS[form] = implementation
        return implementation

    return register


def form_utilities(form: Any, acquired: Acquired, n: int, stream: Stream) -> Features:
    """Return the utilities (n_classes,) from the first n instances."""
    utilities: Features = _IMPLEMENTATIONS[type(form)](form, acquired, n, stream)
    return utilities


@overload(form_utilities)
def _form_utilities(form: Any, acquired: Any, n: Any, stream: Any) -> Any:
    decide = _IMPLEMENTATIONS[form.instance_class]

    # numba wants the annotations of both to be the same.
    def call(form: Any, acquired: Any, n: Any, stream: Any) -> Any:
        return decide(form, acquired, n, stream)

    return call


def as_number(bandwidth: Bandwidth) -> float:
    """Return a bandwidth as compiled code takes it."""
    return AUTO if bandwidth == "auto" else float(bandwidth)


@compiled
def bandwidth_for(bandwidth: float, acquired: Acquired, n: int) -> float:
    """Return a bandwidth when the first n instances are known; `AUTO` fits it to them."""
    if bandwidth != AUTO:
        return bandwidth
    squared, rows = compared(acquired, n)
    dimensions = spanned_dimensions(acquired.X[:n])
    return float(bandwidth_from_squared(squared, rows, acquired.y[:n], dimensions))


@compiled
def compared(acquired: Acquired, n: int) -> tuple[Features, Codes]:
    """Return the squared distances (n_rows, n) that a bandwidth rests on, and whose they are."""
    rows = chosen_rows(acquired.y[:n])
    squared = np.empty((rows.shape[0], n))
    for r in range(rows.shape[0]):
        squared[r] = acquired.squared[rows[r], :n]
    return squared, rows
