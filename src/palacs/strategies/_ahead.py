"""Machine code made ahead of time, so that no decision waits for the compiler."""

from __future__ import annotations

from palacs.compiled import insisting
from palacs.strategies._spare_settled import SpareSettled


def compile_ahead() -> None:
    """Compile what the default strategy decides and explains with, and keep it.

    Examples
    --------
    >>> from palacs.strategies import compile_ahead
    >>> compile_ahead()
    """
    X, y = [[0.1], [0.2], [0.8], [0.9]], ["a", "b", "a", "b"]
    with insisting():
        SpareSettled(random_state=0).query(X, y)
        SpareSettled(random_state=0).explain(X, y)
