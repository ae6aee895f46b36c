"""The one way functions are compiled here: without the interpreter's lock, kept on disk.

A compiled function is cached beside its module, so that only the first use after an installation
waits for the compiler; threads run it at the same time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from numba import njit

__all__ = ["compiled", "inlined"]

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """Compile a function of plain arrays, numbers and named tuples when it is first called.

    Examples
    --------
    >>> from palacs.ties import as_good  # a compiled function
    >>> as_good(0.1 + 0.2, 0.3)
    True
    """
    return cast(Function, njit(cache=True, nogil=True)(function))


def inlined(function: Function) -> Function:
    """Compile a function of a few lines into those that call it, where a call would cost more."""
    return cast(Function, njit(cache=True, nogil=True, inline="always")(function))
