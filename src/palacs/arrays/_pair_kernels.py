"""Kernels for a GPU that look at left-out instances class by class (Triton).

What they write about an instance and a class depends on these two alone, in every bit: which
others are asked for at the same time changes nothing, so that what was written before an instance
came is right after it. `palacs.arrays._pair_steps` does the same in steps of torch's.
"""

# Annotations are read by Triton, as they are.
from importlib import import_module
from typing import Any

import numpy as np

from palacs.arrays._class_cells import Cells, Codes, Split, Wide
from palacs.arrays._fused_sums import tl, triton
from palacs.arrays._tensors import like, torch_of

# Left-out instances, instances and features that a program looks at at a time, and how many
# programs that follow each other look at the same class.
_ROWS, _INSTANCES, _FEATURES, _GROUP = 128, 64, 64, 16
_WARPS, _STAGES = 4, 2
_OWN_ROWS, _WIDE_ROWS, _WIDE_FEATURES = 32, 8, 16
_SPLIT_FEATURES, _MOVED_ROWS, _MOVED_FEATURES = 1024, 16, 256


def moved(cells: Cells, X: Any, rows: Any) -> Any:
    """Return which classes (n_classes,) hold other instances than rows (n_classes * most,) of X."""
    flags = cells.counts.new_empty(len(cells.counts))
    given = (X, rows, cells.X, cells.counts, flags, cells.most, X.shape[1])
    _compare[(len(flags),)](*given, _MOVED_ROWS, _MOVED_FEATURES)
    return flags > 0


def _moved(  # type: ignore[no-untyped-def]  # pointers, of no Python type
    X, rows, cells, counts, flags, most, n_features,
    ROWS: tl.constexpr, FEATURES: tl.constexpr,
):  # fmt: skip
    c = tl.program_id(0).to(tl.int64)
    size = tl.load(counts + c)
    other = tl.zeros((ROWS, FEATURES), tl.int32)
    for first in range(0, size, ROWS):
        i = first + tl.arange(0, ROWS)
        there = i < size
        row = tl.load(rows + c * most + i, mask=there, other=0)
        for start in range(0, n_features, FEATURES):
            f = start + tl.arange(0, FEATURES)
            mask = there[:, None] & (f < n_features)[None, :]
            x = tl.load(X + row[:, None] * n_features + f[None, :], mask=mask, other=0.0)
            at = (c * most + i)[:, None] * n_features + f[None, :]
            other |= (x != tl.load(cells + at, mask=mask, other=0.0)).to(tl.int32)
    tl.store(flags + c, tl.max(tl.max(other, axis=1), axis=0).to(tl.int64))


def put(cells: Cells, X: Any, rows: Any, classes: Codes) -> None:
    """Put rows (n_classes * most,) of X into the cells of some classes."""
    grid = (cells.most, len(classes))
    given = (X, rows, cells.X, like(classes, X, keep=True), cells.most, X.shape[1])
    _copy[grid](*given, _SPLIT_FEATURES)


def _put(  # type: ignore[no-untyped-def]  # pointers, of no Python type
    X, rows, cells, classes, most, n_features, FEATURES: tl.constexpr
):
    slot = tl.load(classes + tl.program_id(1)) * most + tl.program_id(0)
    row = tl.load(rows + slot)
    for start in range(0, n_features, FEATURES):
        f = start + tl.arange(0, FEATURES)
        x = tl.load(X + row * n_features + f, mask=f < n_features, other=0.0)
        tl.store(cells + slot * n_features + f, x, mask=f < n_features)


def fill_split(cells: Cells, split: Split, classes: Codes) -> None:
    """Fill the float16 numbers of some classes (n_some,), and what is added to products."""
    some = like(classes, cells.X, keep=True)
    given = (cells.X, split.centre, some, split.numbers, cells.counts, cells.left_out)
    into = (split.high, split.low, split.query_high, split.query_low, split.added)
    sizes = (cells.most, cells.most_left_out, cells.X.shape[1], split.high.shape[1])
    _split[(cells.most, len(classes))](*given, *into, *sizes, _SPLIT_FEATURES)


def _fill_split(  # type: ignore[no-untyped-def]  # pointers, of no Python type
    X, centre, classes, numbers, counts, left_out, high, low, query_high, query_low, added,
    most, most_left_out, n_features, width, FEATURES: tl.constexpr,
):  # fmt: skip
    c = tl.load(classes + tl.program_id(1))
    slot = c * most + tl.program_id(0)
    size = tl.load(counts + c)
    late = tl.program_id(0) - (size - tl.load(left_out + c))
    row = c * most_left_out + late
    # All features of those that are left out, none of the others.
    until = tl.where(late >= 0, n_features, 0)
    until = tl.where(late < most_left_out, until, 0)
    filled = tl.where(tl.program_id(0) < size, n_features, 0)
    power = tl.load(numbers).to(tl.float32)
    squares = tl.zeros((FEATURES,), tl.float64)
    for start in range(0, n_features, FEATURES):
        f = start + tl.arange(0, FEATURES)
        inside = f < n_features
        x = tl.load(X + slot * n_features + f, mask=inside, other=0.0)
        near = x - tl.load(centre + f, mask=inside, other=0.0)
        # What was in an empty cell before says nothing of the digits that are lost.
        near = tl.where(f < filled, near, 0.0)
        squares += near.to(tl.float64) * near.to(tl.float64)
        scaled = near * power
        upper = scaled.to(tl.float16)
        rest = (scaled - upper.to(tl.float32)).to(tl.float16)
        tl.store(high + slot * width + f, upper, mask=inside)
        tl.store(low + slot * width + f, rest, mask=inside)
        tl.store(query_high + row * width + f, upper, mask=f < until)
        tl.store(query_low + row * width + f, rest, mask=f < until)
    tl.store(added + slot, (tl.load(numbers + 1) * tl.sum(squares, axis=0)).to(tl.float32))


def _rows_of(classes: Codes, each: int) -> Codes:
    """Return the rows of some classes, ``each`` of every class."""
    rows: Codes = (classes[:, None] * each + np.arange(each)).ravel()
    return rows


def _blocks_of(classes: Codes, each: int, n_classes: int) -> Codes:
    """Return where blocks of the rows of some classes begin and end, (n_blocks, 2)."""
    # Those of all classes follow each other.
    every = len(classes) == n_classes
    first, n = (classes[:1] * 0, n_classes * each) if every else (classes * each, each)
    within = np.arange(0, n, _ROWS)
    begins = first[:, None] + within
    ends = first[:, None] + np.minimum(within + _ROWS, n)
    return np.stack([begins.ravel(), ends.ravel()], axis=1)


def _uploaded(X: Any, first: Codes, second: Codes) -> tuple[Any, Any]:
    """Return both beside X, brought there at once; Triton would compile odd places anew."""
    begin = len(first) + len(first) % 2
    both = np.zeros(begin + len(second), dtype=np.int64)
    both[: len(first)], both[begin:] = first, second
    told = like(both, X, keep=True)
    return told[: len(first)], told[begin:]


def fill_pairs(cells: Cells, split: Split, classes: Codes, row_classes: Codes, sums: Any) -> None:
    """Fill `Around.sums` of the rows of some classes and some classes (n_some,)."""
    blocks = _blocks_of(row_classes, cells.most_left_out, len(cells.counts))
    group = min(_GROUP, len(blocks))
    grid = (triton.cdiv(len(blocks), group) * group * len(classes),)
    instances = (_tiles(each, _INSTANCES) for each in (split.high, split.low))
    queries = (_tiles(each, _ROWS) for each in (split.query_high, split.query_low))
    sizes = (len(classes), len(blocks), group, sums.shape[2], cells.most, cells.most_left_out)
    which = _uploaded(cells.X, classes, blocks.ravel())
    given = (split.added, cells.part, cells.counts, *which, sums)
    _pairs[grid](
        *instances, *queries, *given, *sizes, split.high.shape[1], split.factor,
        _ROWS, _INSTANCES, _FEATURES, num_warps=_WARPS, num_stages=_STAGES,
    )  # fmt: skip


def _tiles(numbers: Any, n: int) -> Any:
    return tensor_descriptor.from_tensor(numbers, [n, _FEATURES])


def _fill_pairs(  # type: ignore[no-untyped-def]  # pointers, of no Python type
    high, low, query_high, query_low, added, part, counts, classes, blocks, sums,
    n_some, n_blocks, group, n_all, most, most_left_out, width, factor,
    ROWS: tl.constexpr, INSTANCES: tl.constexpr, FEATURES: tl.constexpr,
):  # fmt: skip
    program = tl.program_id(0)
    within = program % (group * n_some)
    block = program // (group * n_some) * group + within % group
    if block >= n_blocks:
        return
    c = tl.load(classes + within // group)
    begin, end = tl.load(blocks + 2 * block), tl.load(blocks + 2 * block + 1)
    row = begin + tl.arange(0, ROWS)
    size = tl.load(counts + c)
    from_row = begin.to(tl.int32)
    peak = tl.full((ROWS,), -float("inf"), tl.float32)
    s0 = tl.zeros((ROWS,), tl.float32)
    s1 = tl.zeros((ROWS,), tl.float32)
    s2 = tl.zeros((ROWS,), tl.float32)
    s3 = tl.zeros((ROWS,), tl.float32)
    for first in range(0, size, INSTANCES):
        i = first + tl.arange(0, INSTANCES)
        mine = c * most + i
        from_instance = (c * most + first).to(tl.int32)
        product = tl.zeros((INSTANCES, ROWS), tl.float32)
        for start in range(0, width, FEATURES):
            a = high.load([from_instance, start])
            b = query_high.load([from_row, start])
            a_low = low.load([from_instance, start])
            b_low = query_low.load([from_row, start])
            product = tl.dot(a, b.T, product)
            product = tl.dot(a, b_low.T, product)
            product = tl.dot(a_low, b.T, product)
        exponent = product * factor + tl.load(added + mine)[:, None]
        exponent = tl.where((i < size)[:, None], exponent, -float("inf"))
        top = tl.maximum(peak, tl.max(exponent, axis=0))
        similar = tl.exp(exponent - top[None, :])
        less = tl.exp(peak - top)
        p = tl.load(part + mine)[:, None]
        s0 = s0 * less + tl.sum(tl.where(p == 0, similar, 0.0), axis=0)
        s1 = s1 * less + tl.sum(tl.where(p == 1, similar, 0.0), axis=0)
        s2 = s2 * less + tl.sum(tl.where(p == 2, similar, 0.0), axis=0)
        s3 = s3 * less + tl.sum(tl.where(p == 3, similar, 0.0), axis=0)
        peak = top
    # What an instance's own class says of it is looked at apart.
    other = row // most_left_out != c
    there = row < end
    into = sums + c * 5 * n_all + row
    tl.store(into, tl.where(other, peak, -float("inf")), mask=there)
    tl.store(into + n_all, tl.where(other, s0, 0.0), mask=there)
    tl.store(into + 2 * n_all, tl.where(other, s1, 0.0), mask=there)
    tl.store(into + 3 * n_all, tl.where(other, s2, 0.0), mask=there)
    tl.store(into + 4 * n_all, tl.where(other, s3, 0.0), mask=there)


def fill_own(cells: Cells, split: Split, classes: Codes, own: Any) -> None:
    """Fill `Around.own` of some classes (n_some,)."""
    grid = (
        len(classes),
        triton.cdiv(cells.most_left_out, _OWN_ROWS),
        triton.cdiv(cells.most, _INSTANCES),
    )
    some = like(classes, cells.X, keep=True)
    given = (split.high, split.low, split.added, cells.slots, some, own)
    sizes = (cells.most, cells.most_left_out, split.high.shape[1], split.factor)
    _own[grid](*given, *sizes, _OWN_ROWS, _INSTANCES, _FEATURES)


def _fill_own(  # type: ignore[no-untyped-def]  # pointers, of no Python type
    high, low, added, slots, classes, own, most, most_left_out, width, factor,
    ROWS: tl.constexpr, INSTANCES: tl.constexpr, FEATURES: tl.constexpr,
):  # fmt: skip
    c = tl.load(classes + tl.program_id(0))
    one = tl.program_id(1) * ROWS + tl.arange(0, ROWS)
    i = tl.program_id(2) * INSTANCES + tl.arange(0, INSTANCES)
    there = one < most_left_out
    row = c * most_left_out + one
    f = tl.arange(0, FEATURES)
    query = tl.load(slots + row, mask=there, other=0)[None, :] * width + f[:, None]
    mine = c * most + i
    instance = mine[:, None] * width + f[None, :]
    product = tl.zeros((INSTANCES, ROWS), tl.float32)
    for start in range(0, width, FEATURES):
        a, b = tl.load(high + instance + start), tl.load(high + query + start)
        a_low, b_low = tl.load(low + instance + start), tl.load(low + query + start)
        product = tl.dot(a, b, product)
        product = tl.dot(a, b_low, product)
        product = tl.dot(a_low, b, product)
    exponent = product * factor + tl.load(added + mine)[:, None]
    into = own + row[None, :] * most + i[:, None]
    tl.store(into, exponent, mask=there[None, :] & (i < most)[:, None])


def fill_wide(cells: Cells, wide: Wide, classes: Codes, row_classes: Codes, scales: Any) -> None:
    """Fill `Wide.logs` of the rows of some classes and some classes, for scales (n_scales,)."""
    rows = _rows_of(row_classes // wide.every, wide.each)
    grid = (triton.cdiv(len(rows), _WIDE_ROWS), len(classes))
    which = _uploaded(cells.X, classes, rows)
    # In units of about the narrowest kernel squares in float32 neither overflow nor vanish.
    power = 2.0 ** torch_of(scales).floor(torch_of(scales).log2(scales[-1:]) * 0.5)
    numbers = torch_of(scales).cat([scales, power, power**-2])
    given = (cells.X, cells.counts, wide.slots, *which, numbers, wide.logs)
    sizes = (len(rows), len(wide.slots), len(cells.counts), cells.most, cells.X.shape[1])
    _wide[grid](*given, *sizes, _WIDE_ROWS, _INSTANCES, _WIDE_FEATURES, len(scales), num_warps=4)


def _fill_wide(  # type: ignore[no-untyped-def]  # pointers, of no Python type
    X, counts, slots, classes, rows, scales, logs, n_rows, n_all, n_classes, most, n_features,
    ROWS: tl.constexpr, INSTANCES: tl.constexpr, FEATURES: tl.constexpr, SCALES: tl.constexpr,
):  # fmt: skip
    place = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    there = place < n_rows
    c = tl.load(classes + tl.program_id(1))
    row = tl.load(rows + place, mask=there, other=0)
    slot = tl.load(slots + row)
    size = tl.load(counts + c)
    feature = tl.arange(0, FEATURES)
    nearest = tl.full((ROWS,), float("inf"), tl.float64)
    s = tl.arange(0, SCALES)
    scale = tl.load(scales + s)[None, :]
    totals = tl.zeros((ROWS, SCALES), tl.float64)
    power = tl.load(scales + SCALES).to(tl.float32)
    for first in range(0, size, INSTANCES):
        i = first + tl.arange(0, INSTANCES)
        mine = c * most + i
        squares = tl.zeros((INSTANCES, ROWS, FEATURES), tl.float32)
        for start in range(0, n_features, FEATURES):
            f = start + feature
            inside = (f < n_features)[None, :]
            mask = inside & (i < size)[:, None]
            x = tl.load(X + mine[:, None] * n_features + f[None, :], mask=mask, other=0.0)
            q = tl.load(X + slot[:, None] * n_features + f[None, :], mask=inside, other=0.0)
            away = (x[:, None, :] - q[None, :, :]) * power
            squares += away * away
        squared = tl.sum(squares.to(tl.float64), axis=2) * tl.load(scales + SCALES + 1)
        counts_here = (i < size)[:, None] & (squared > 0.0) & (mine[:, None] != slot[None, :])
        squared = tl.where(counts_here, squared, float("inf"))
        least = tl.minimum(nearest, tl.min(squared, axis=0))
        # Where there is nothing yet, there is nothing to be made smaller.
        base = tl.where(least < float("inf"), least, 0.0)
        beyond = tl.where(nearest < float("inf"), nearest - base, float("inf"))
        totals = totals * tl.exp(-scale * beyond[:, None])
        apart = squared - base[None, :]
        totals += tl.sum(tl.exp(-scale[None, :, :] * apart[:, :, None]), axis=0)
        nearest = least
    known = (nearest < float("inf"))[:, None]
    safe = tl.where(known, nearest[:, None], 0.0)
    value = tl.where(known, tl.log(tl.where(known, totals, 1.0)) - scale * safe, -float("inf"))
    into = logs + (s[None, :] * n_classes + c) * n_all + row[:, None]
    tl.store(into, value, mask=there[:, None])


def fill_nearest(cells: Cells, wide: Wide, row_classes: Codes) -> None:
    """Fill `Wide.nearest` of the rows of some classes."""
    rows = _rows_of(row_classes // wide.every, wide.each)
    given = (cells.X, cells.counts, wide.slots, like(rows, cells.X, keep=True), wide.nearest)
    sizes = (cells.most, cells.X.shape[1])
    _nearest[(len(rows),)](*given, *sizes, _INSTANCES, 2 * _WIDE_FEATURES)


def _fill_nearest(  # type: ignore[no-untyped-def]  # pointers, of no Python type
    X, counts, slots, rows, nearest, most, n_features,
    INSTANCES: tl.constexpr, FEATURES: tl.constexpr,
):  # fmt: skip
    row = tl.load(rows + tl.program_id(0))
    slot = tl.load(slots + row)
    c = slot // most
    size = tl.load(counts + c)
    least = tl.full((INSTANCES,), float("inf"), tl.float64)
    copies = tl.zeros((INSTANCES,), tl.float64)
    for first in range(0, size, INSTANCES):
        i = first + tl.arange(0, INSTANCES)
        mine = c * most + i
        squares = tl.zeros((INSTANCES, FEATURES), tl.float64)
        for start in range(0, n_features, FEATURES):
            f = start + tl.arange(0, FEATURES)
            inside = f < n_features
            mask = inside[None, :] & (i < size)[:, None]
            x = tl.load(X + mine[:, None] * n_features + f[None, :], mask=mask, other=0.0)
            q = tl.load(X + slot * n_features + f, mask=inside, other=0.0)
            away = x.to(tl.float64) - q.to(tl.float64)[None, :]
            squares += away * away
        squared = tl.sum(squares, axis=1)
        other = (squared > 0.0) & (mine != slot)
        least = tl.minimum(least, tl.where(other & (i < size), squared, float("inf")))
        copies += tl.where((i < size) & (other == 0), 1.0, 0.0)
    tl.store(nearest + 2 * row, tl.min(least, axis=0))
    tl.store(nearest + 2 * row + 1, tl.sum(copies, axis=0))


if triton is not None:
    tensor_descriptor = import_module("triton.tools.tensor_descriptor").TensorDescriptor
    # Other numbers of rows or classes must neither be compiled anew nor otherwise.
    _pairs: Any = triton.jit(_fill_pairs, do_not_specialize=["n_some", "n_blocks", "group"])
    _split: Any = triton.jit(_fill_split)
    _own: Any = triton.jit(_fill_own)
    _wide: Any = triton.jit(_fill_wide, do_not_specialize=["n_rows"])
    _nearest: Any = triton.jit(_fill_nearest)
    _compare: Any = triton.jit(_moved)
    _copy: Any = triton.jit(_put)
