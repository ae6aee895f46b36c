"""The kernel that sums similarities on a GPU: exponents are read once, similarities not written.

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


def sums_of_segments(
    exponents: Any, segments: tuple[Any, Any], nearest: Any, negligible: float
) -> tuple[Any, Any]:
    """Return sums of similarities, and of their squares, over each segment of the instances.

    Parameters
    ----------
    exponents : tensor of shape (n, n_query)
    segments : tuple of tensor of shape (n_segments,)
        Where each starts, and how many instances it has.
    nearest : tensor of shape (n_query,)
        The exponents that similarities are relative to.
    negligible : float
        Similarities up to exp(-negligible) count nothing.

    Returns
    -------
    sums, squares : tensor of shape (n_segments, n_query)
    """
    shape = len(segments[0]), exponents.shape[1]
    sums, squares = exponents.new_empty(shape), exponents.new_empty(shape)
    grid = (triton.cdiv(shape[1], _QUERIES), shape[0])
    given = (exponents, *segments, nearest, sums, squares, shape[1], -float(negligible))
    _sum[grid](*given, _QUERIES, _INSTANCES)
    return sums, squares


def _sum_segment(  # type: ignore[no-untyped-def]  # pointers, of no Python type
    exponents,
    starts,
    lengths,
    nearest,
    sums,
    squares,
    n_query,
    furthest,
    QUERIES: tl.constexpr,
    INSTANCES: tl.constexpr,
):
    segment = tl.program_id(1)
    query = tl.program_id(0) * QUERIES + tl.arange(0, QUERIES)
    there = query < n_query
    start = tl.load(starts + segment)
    length = tl.load(lengths + segment)
    unit = tl.load(nearest + query, mask=there, other=0.0)
    instance = tl.arange(0, INSTANCES)
    total = tl.zeros((QUERIES,), tl.float32)
    squared = tl.zeros((QUERIES,), tl.float32)
    for first in range(0, length, INSTANCES):
        row = (start + first + instance).to(tl.int64)
        mask = ((first + instance) < length)[:, None] & there[None, :]
        tile = tl.load(exponents + row[:, None] * n_query + query, mask=mask, other=-float("inf"))
        tile -= unit[None, :]
        similarity = tl.where(tile > furthest, tl.exp(tile), 0.0)
        total += tl.sum(similarity, axis=0)
        squared += tl.sum(similarity * similarity, axis=0)
    place = segment.to(tl.int64) * n_query + query
    tl.store(sums + place, total, mask=there)
    tl.store(squares + place, squared, mask=there)


AVAILABLE = triton is not None
_sum: Any = triton.jit(_sum_segment) if triton is not None else None
