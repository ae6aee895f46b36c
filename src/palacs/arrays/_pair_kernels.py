"""Kernels for a GPU that look at left-out instances class by class (Triton).

What they write about an instance and a class depends on these two alone, in every bit: which
others are asked for at the same time changes nothing, so that what was written before an instance
came is right after it. `palacs.arrays._pair_steps` does the same in steps of torch's.
"""

# Annotations are read by Triton, as they are.
from importlib import import_module
from typing import Any

from palacs.arrays._cells import Around, Cells, Split, Wide
from palacs.arrays._fused_sums import tl, triton
from palacs.arrays._tensors import torch_of

# Left-out instances, instances and features that a program looks at at a time, and how many
# programs that follow each other look at the same class.
_ROWS, _INSTANCES, _FEATURES, _GROUP = 128, 64, 64, 16
_WARPS, _STAGES = 4, 2
_OWN_ROWS, _WIDE_ROWS, _WIDE_FEATURES = 32, 8, 16
_BEST_ROWS, _BEST_CLASSES, _LOST_ROWS, _SPLIT_FEATURES = 64, 16, 512, 1024


def fill_split(cells: Cells, split: Split, classes: Any) -> None:
    """Fill the float16 numbers of some classes (n_some,), and what is added to products."""
    numbers = cells.X.new_tensor([split.power, -0.5 * split.scale], dtype=_float64(cells.X))
    given = (cells.X, split.centre, classes, numbers, split.high, split.low, split.added)
    sizes = (cells.most, cells.X.shape[1], split.high.shape[1])
    _split[(cells.most, len(classes))](*given, *sizes, _SPLIT_FEATURES)
    rows = _rows_of(classes, cells.most_left_out)
    slots = cells.slots[rows]
    split.query_high[rows], split.query_low[rows] = split.high[slots], split.low[slots]


def _fill_split(  # type: ignore[no-untyped-def]
    X, centre, classes, numbers, high, low, added, most, n_features, width, FEATURES: tl.constexpr
):
    slot = tl.load(classes + tl.program_id(1)) * most + tl.program_id(0)
    power = tl.load(numbers)
    squares = tl.zeros((FEATURES,), tl.float64)
    for start in range(0, n_features, FEATURES):
        f = start + tl.arange(0, FEATURES)
        inside = f < n_features
        x = tl.load(X + slot * n_features + f, mask=inside, other=0.0)
        near = x - tl.load(centre + f, mask=inside, other=0.0)
        squares += near.to(tl.float64) * near.to(tl.float64)
        scaled = near * power.to(tl.float32)
        upper = scaled.to(tl.float16)
        tl.store(high + slot * width + f, upper, mask=inside)
        rest = (scaled - upper.to(tl.float32)).to(tl.float16)
        tl.store(low + slot * width + f, rest, mask=inside)
    tl.store(added + slot, (tl.load(numbers + 1) * tl.sum(squares, axis=0)).to(tl.float32))


def _float64(X: Any) -> Any:
    return torch_of(X).float64


def _rows_of(classes: Any, each: int) -> Any:
    """Return the rows of some classes, ``each`` of every class."""
    places = torch_of(classes).arange(each, device=classes.device)
    return (classes[:, None] * each + places).reshape(-1)


def _blocks_of(classes: Any, each: int, n_classes: int) -> Any:
    """Return where blocks of the rows of some classes begin and end, (n_blocks, 2)."""
    torch = torch_of(classes)
    if len(classes) == n_classes:
        # Those of all classes follow each other.
        begins, ends = torch.arange(0, n_classes * each, _ROWS, device=classes.device), None
        ends = (begins + _ROWS).clamp(max=n_classes * each)
    else:
        within = torch.arange(0, each, _ROWS, device=classes.device)
        begins = (classes[:, None] * each + within).reshape(-1)
        ends = (classes[:, None] * each + (within + _ROWS).clamp(max=each)).reshape(-1)
    return torch.stack([begins, ends], dim=1)


def fill_pairs(cells: Cells, split: Split, classes: Any, row_classes: Any, sums: Any) -> None:
    """Fill `Around.sums` of the rows of some classes and some classes (n_some,)."""
    blocks = _blocks_of(row_classes, cells.most_left_out, len(cells.counts))
    group = min(_GROUP, len(blocks))
    grid = (triton.cdiv(len(blocks), group) * group * len(classes),)
    instances = (_tiles(each, _INSTANCES) for each in (split.high, split.low))
    queries = (_tiles(each, _ROWS) for each in (split.query_high, split.query_low))
    sizes = (len(classes), len(blocks), group, sums.shape[2], cells.most, cells.most_left_out)
    given = (split.added, cells.part, cells.counts, classes, blocks, sums)
    _pairs[grid](
        *instances, *queries, *given, *sizes, split.high.shape[1], split.factor,
        _ROWS, _INSTANCES, _FEATURES, num_warps=_WARPS, num_stages=_STAGES,
    )  # fmt: skip


def _tiles(numbers: Any, n: int) -> Any:
    return tensor_descriptor.from_tensor(numbers, [n, _FEATURES])


def _fill_pairs(  # type: ignore[no-untyped-def]
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


def fill_own(cells: Cells, split: Split, classes: Any, own: Any) -> None:
    """Fill `Around.own` of some classes (n_some,)."""
    grid = (
        len(classes),
        triton.cdiv(cells.most_left_out, _OWN_ROWS),
        triton.cdiv(cells.most, _INSTANCES),
    )
    given = (split.high, split.low, split.added, cells.slots, classes, own)
    sizes = (cells.most, cells.most_left_out, split.high.shape[1], split.factor)
    _own[grid](*given, *sizes, _OWN_ROWS, _INSTANCES, _FEATURES)


def _fill_own(  # type: ignore[no-untyped-def]
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


def fill_wide(cells: Cells, wide: Wide, classes: Any, row_classes: Any, scales: Any) -> None:
    """Fill `Wide.logs` of the rows of some classes and some classes, for scales (n_scales,)."""
    rows = _rows_of(row_classes // wide.every, wide.each)
    grid = (triton.cdiv(len(rows), _WIDE_ROWS), len(classes))
    sizes = (len(rows), len(wide.slots), len(cells.counts), cells.most, cells.X.shape[1])
    # In units of about the narrowest kernel squares in float32 neither overflow nor vanish.
    power = 2.0 ** torch_of(scales).floor(torch_of(scales).log2(scales[-1:]) * 0.5)
    numbers = torch_of(scales).cat([scales, power, power**-2])
    given = (cells.X, cells.counts, wide.slots, classes, rows, numbers, wide.logs)
    _wide[grid](*given, *sizes, _WIDE_ROWS, _INSTANCES, _WIDE_FEATURES, len(scales), num_warps=4)


def _fill_wide(  # type: ignore[no-untyped-def]
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


def fill_squared(cells: Cells, wide: Wide, row_classes: Any) -> None:
    """Fill `Wide.squared` of the rows of some classes."""
    rows = _rows_of(row_classes // wide.every, wide.each)
    grid = (len(rows), triton.cdiv(cells.most, _INSTANCES))
    sizes = (cells.most, cells.X.shape[1])
    _squared[grid](cells.X, wide.slots, rows, wide.squared, *sizes, _INSTANCES, 2 * _WIDE_FEATURES)


def _fill_squared(  # type: ignore[no-untyped-def]
    X, slots, rows, squared, most, n_features, INSTANCES: tl.constexpr, FEATURES: tl.constexpr
):
    row = tl.load(rows + tl.program_id(0))
    slot = tl.load(slots + row)
    i = tl.program_id(1) * INSTANCES + tl.arange(0, INSTANCES)
    mine = slot // most * most + i
    squares = tl.zeros((INSTANCES, FEATURES), tl.float64)
    for start in range(0, n_features, FEATURES):
        f = start + tl.arange(0, FEATURES)
        inside = f < n_features
        mask = inside[None, :] & (i < most)[:, None]
        x = tl.load(X + mine[:, None] * n_features + f[None, :], mask=mask, other=0.0)
        q = tl.load(X + slot * n_features + f, mask=inside, other=0.0)
        away = x.to(tl.float64) - q.to(tl.float64)[None, :]
        squares += away * away
    tl.store(squared + row * most + i, tl.sum(squares, axis=1), mask=i < most)


def two_best(around: Around, unit: Any, weights: Any) -> tuple[Any, Any, Any]:
    """Return the largest score (n_rows,), the second and whose the first is; -1 for nobody's.

    Scores are sums relative to ``unit`` (n_rows,), times weights (n_classes,).
    """
    n_classes, _, n_rows = around.sums.shape
    first, second = (weights.new_empty(n_rows) for _ in range(2))
    rival = weights.new_empty(n_rows, dtype=torch_of(weights).int64)
    grid = (triton.cdiv(n_rows, _BEST_ROWS),)
    given = (around.sums, unit, weights, first, second, rival, n_classes, n_rows)
    _best[grid](*given, _BEST_ROWS, _BEST_CLASSES)
    return first, second, rival


def _two_best(  # type: ignore[no-untyped-def]
    sums, unit, weights, best, second, rival, n_classes, n_rows,
    ROWS: tl.constexpr, CLASSES: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    there = row < n_rows
    units = tl.load(unit + row, mask=there, other=0.0)[None, :]
    top = tl.zeros((ROWS,), tl.float64)
    following = tl.zeros((ROWS,), tl.float64)
    whom = tl.full((ROWS,), -1, tl.int64)
    for first in range(0, n_classes, CLASSES):
        c = first + tl.arange(0, CLASSES)
        mask = (c < n_classes)[:, None] & there[None, :]
        at = sums + c.to(tl.int64)[:, None] * 5 * n_rows + row[None, :]
        k = tl.zeros((CLASSES, ROWS), tl.float64)
        for p in tl.static_range(1, 5):
            k += tl.load(at + p * n_rows, mask=mask, other=0.0).to(tl.float64)
        peak = tl.load(at, mask=mask, other=-float("inf"))
        k *= tl.exp(peak - units).to(tl.float64)
        score = k * tl.load(weights + c, mask=c < n_classes, other=0.0)[:, None]
        most = tl.max(score, axis=0)
        # Of equals the first.
        who = tl.min(tl.where(score == most[None, :], c[:, None], n_classes), axis=0)
        other = tl.max(tl.where(c[:, None] == who[None, :], 0.0, score), axis=0)
        better = most > top
        following = tl.where(better, tl.maximum(top, other), tl.maximum(following, most))
        whom = tl.where(better, who.to(tl.int64), whom)
        top = tl.where(better, most, top)
    tl.store(best + row, top, mask=there)
    tl.store(second + row, following, mask=there)
    tl.store(rival + row, whom, mask=there)


def lost_by_class(around: Around, unit: Any, weights: Any, decided: tuple[Any, ...]) -> Any:
    """Return what all rows lose with a half of each class missing, (n_classes, 4).

    Weights are those of the halves (n_classes, 4); ``decided`` is (first, second, rival, own
    score, how surely right, weight), each (n_rows,).
    """
    n_classes, _, n_rows = around.sums.shape
    lost = weights.new_empty(n_classes, 4)
    _lost[(n_classes,)](around.sums, unit, weights, *decided, lost, n_rows, _LOST_ROWS)
    return lost


def _lost_by_class(  # type: ignore[no-untyped-def]
    sums, unit, weights, first, second, rival, own, right, share, lost, n_rows, ROWS: tl.constexpr
):
    c = tl.program_id(0).to(tl.int64)
    halves = tl.arange(0, 4)
    total = tl.zeros((4, ROWS), tl.float64)
    weight = tl.load(weights + 4 * c + halves)[:, None]
    for start in range(0, n_rows, ROWS):
        row = start + tl.arange(0, ROWS)
        there = row < n_rows
        at = sums + c * 5 * n_rows + row
        peak = tl.load(at, mask=there, other=-float("inf"))
        near = tl.exp(peak - tl.load(unit + row, mask=there, other=0.0)).to(tl.float64)
        p0 = tl.load(at + n_rows, mask=there, other=0.0).to(tl.float64)[None, :]
        p1 = tl.load(at + 2 * n_rows, mask=there, other=0.0).to(tl.float64)[None, :]
        p2 = tl.load(at + 3 * n_rows, mask=there, other=0.0).to(tl.float64)[None, :]
        p3 = tl.load(at + 4 * n_rows, mask=there, other=0.0).to(tl.float64)[None, :]
        # Parts count in binary: which are in a half of a split, and which are not.
        h = halves[:, None]
        part = tl.where(h == 0, p2 + p3, tl.where(h == 1, p0 + p1, 0.0))
        part = tl.where(h == 2, p1 + p3, tl.where(h == 3, p0 + p2, part))
        best = tl.load(first + row, mask=there, other=0.0)
        after = tl.load(second + row, mask=there, other=0.0)
        strongest = tl.where(tl.load(rival + row, mask=there, other=-1) == c, after, best)
        score = tl.maximum(part * near[None, :] * weight, strongest[None, :])
        mine = tl.load(own + row, mask=there, other=0.0)[None, :]
        both = mine + score
        thinned = tl.where(both > 0.0, mine / tl.where(both > 0.0, both, 1.0), 0.5)
        before = tl.load(right + row, mask=there, other=0.0)[None, :]
        counts = tl.load(share + row, mask=there, other=0.0)[None, :]
        total += counts * (before - thinned)
    tl.store(lost + 4 * c + halves, tl.sum(total, axis=1))


if triton is not None:
    tensor_descriptor = import_module("triton.tools.tensor_descriptor").TensorDescriptor
    # Other numbers of rows or classes must neither be compiled anew nor otherwise.
    _pairs: Any = triton.jit(_fill_pairs, do_not_specialize=["n_some", "n_blocks", "group"])
    _split: Any = triton.jit(_fill_split)
    _own: Any = triton.jit(_fill_own)
    _wide: Any = triton.jit(_fill_wide, do_not_specialize=["n_rows"])
    _squared: Any = triton.jit(_fill_squared)
    _best: Any = triton.jit(_two_best)
    _lost: Any = triton.jit(_lost_by_class)
