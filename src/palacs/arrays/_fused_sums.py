"""The kernel that sums similarities on a GPU: exponents are read once and never written.

Triton, which torch's builds for GPUs bring, translates it when it is first used; without Triton
there is no kernel.
"""

# Annotations are read by Triton, as they are.
from importlib import import_module
from types import SimpleNamespace
from typing import Any

try:
    triton: Any = import_module("triton")
    tl: Any = import_module("triton.language")
except ModuleNotFoundError:
    triton, tl = None, SimpleNamespace(constexpr=int)

# Queries and instances that a program looks at at a time.
_QUERIES, _INSTANCES = 128, 32


def sums_of_segments(exponents: Any, starts: Any, lengths: Any) -> tuple[Any, Any, Any]:
    """Return each segment's highest exponent, and sums relative to it of similarities and squares.

    Parameters
    ----------
    exponents : tensor of shape (n, n_query)
    starts, lengths : tensor of shape (n_segments,)

    Returns
    -------
    highest, sums, squares : tensor of shape (n_segments, n_query)
        For a segment without instances, -inf and zeros.
    """
    shape = len(starts), exponents.shape[1]
    highest, sums, squares = (exponents.new_empty(shape) for _ in range(3))
    grid = (triton.cdiv(shape[1], _QUERIES), shape[0])
    into = (highest, sums, squares)
    _sum[grid](exponents, starts, lengths, *into, shape[1], _QUERIES, _INSTANCES)
    return into


def _sum_segment(  # type: ignore[no-untyped-def]
    exponents,
    starts,
    lengths,
    highest,
    sums,
    squares,
    n_query,
    QUERIES: tl.constexpr,
    INSTANCES: tl.constexpr,
):
    segment = tl.program_id(1)
    query = tl.program_id(0) * QUERIES + tl.arange(0, QUERIES)
    start = tl.load(starts + segment)
    length = tl.load(lengths + segment)
    there = query < n_query
    instance = tl.arange(0, INSTANCES)
    top = tl.full((QUERIES,), -float("inf"), tl.float32)
    for first in range(0, length, INSTANCES):
        row = (start + first + instance).to(tl.int64)
        mask = ((first + instance) < length)[:, None] & there[None, :]
        tile = tl.load(exponents + row[:, None] * n_query + query, mask=mask, other=-float("inf"))
        top = tl.maximum(top, tl.max(tile, axis=0))
    # Where all are infinitely far away, nothing is subtracted and everything is zero.
    unit = tl.where(top > -float("inf"), top, 0.0)
    total = tl.zeros((QUERIES,), tl.float32)
    squared = tl.zeros((QUERIES,), tl.float32)
    for first in range(0, length, INSTANCES):
        row = (start + first + instance).to(tl.int64)
        mask = ((first + instance) < length)[:, None] & there[None, :]
        tile = tl.load(exponents + row[:, None] * n_query + query, mask=mask, other=-float("inf"))
        similarity = tl.exp(tile - unit[None, :])
        total += tl.sum(similarity, axis=0)
        squared += tl.sum(similarity * similarity, axis=0)
    place = segment.to(tl.int64) * n_query + query
    tl.store(highest + place, top, mask=there)
    tl.store(sums + place, total, mask=there)
    tl.store(squares + place, squared, mask=there)


AVAILABLE = triton is not None
_sum: Any = triton.jit(_sum_segment) if triton is not None else None
