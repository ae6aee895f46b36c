"""Kernels for a GPU that decide from what left-out instances see of each class (Triton).

A few of them do what `palacs.arrays._decision_steps` does in many steps of torch's: of a decision
that is kept but for one class, starting those took most of the time.
"""

# Annotations are read by Triton, as they are.
from typing import Any

from palacs.arrays._class_cells import Around, Cells, Tables, Wide
from palacs.arrays._fused_sums import tl, triton
from palacs.ties import TIE

# Rows and classes that a program looks at at a time.
_BEST_ROWS, _BEST_CLASSES, _LOST_ROWS = 64, 16, 512
_WIDE_ROWS, _WIDE_CLASSES = 8, 64


def decided(cells: Cells, around: Around, tables: Tables) -> Any:
    """Return how surely each left-out instance is right, its rival, and what classes lose.

    In a row: (n_rows,), (n_rows,), -1 for nobody, and (n_classes, 4), what all decisions lose
    with a half of a class missing.
    """
    n_classes, _, n_rows = around.sums.shape
    told = tables.share.new_empty(2 * n_rows + 4 * n_classes)
    right, rival, lost = told[:n_rows], told[n_rows : 2 * n_rows], told[2 * n_rows :]
    # The largest exponents of the own class, and of all.
    peak, unit = around.own.new_empty(2, n_rows).unbind()
    own, of_own = (tables.share.new_empty(n_rows, n) for n in (5, 4))
    first, second, score = tables.share.new_empty(3, n_rows).unbind()
    most, most_left_out = cells.most, cells.most_left_out
    seen = (around.own, cells.part, cells.counts, cells.slots, tables.sizes, tables.prior)
    sizes = (most, most_left_out, tables.enough)
    _scores[(n_rows,)](*seen, peak, own, *sizes, triton.next_power_of_2(most), num_warps=1)
    known = (around.sums, peak, own, tables.weights, tables.share)
    into = (unit, first, second, rival, score, right, of_own)
    grid = (triton.cdiv(n_rows, _BEST_ROWS),)
    _rows[grid](*known, *into, n_classes, n_rows, _BEST_ROWS, _BEST_CLASSES)
    made = (around.sums, unit, tables.weights, tables.share, first, second, rival, score, right)
    each = triton.next_power_of_2(most_left_out)
    _lost[(n_classes,)](*made, of_own, lost, n_rows, most_left_out, _LOST_ROWS, each)
    return told


def _own_scores(  # type: ignore[no-untyped-def]  # pointers, of no Python type
    exponents, part, counts, slots, sizes, prior, peaks, scores, most, most_left_out, enough,
    CELLS: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    c = row // most_left_out
    size = tl.load(counts + c)
    i = tl.arange(0, CELLS)
    exponent = tl.load(exponents + row * most + i, mask=i < size, other=-float("inf"))
    itself = i == tl.load(slots + row) % most
    exponent = tl.where(itself, -float("inf"), exponent)
    close = tl.max(exponent, axis=0)
    # Of several equally near, the one that was acquired first.
    beside = tl.min(tl.where(exponent == close, i, CELLS), axis=0)
    beside = tl.where(size >= enough, beside, -1)
    beside = tl.where(close > -float("inf"), beside, -1)
    exponent = tl.where(i == beside, -float("inf"), exponent)
    peak = tl.max(exponent, axis=0)
    tl.store(peaks + row, peak)
    base = tl.where(peak > -float("inf"), peak, 0.0)
    similar = tl.exp(exponent - base).to(tl.float64)
    gone = tl.where(itself, 1.0, tl.where(i == beside, 1.0, 0.0)).to(tl.float64)
    p = tl.load(part + c * most + i, mask=i < size, other=0)
    for h in tl.static_range(0, 5):
        # Parts count in binary: which are in a half of a split, and which are not.
        within = p >= 0
        if h == 1:
            within = p >= 2
        if h == 2:
            within = p < 2
        if h == 3:
            within = p % 2 == 1
        if h == 4:
            within = p % 2 == 0
        score = tl.sum(tl.where(within, similar, 0.0), axis=0)
        left = tl.load(sizes + 5 * c + h) - tl.sum(tl.where(within, gone, 0.0), axis=0)
        weight = tl.load(prior + c) / tl.where(left > 0.0, left, 1.0)
        score = tl.where(left > 0.0, score * weight, 0.0)
        tl.store(scores + 5 * row + h, score)


def _decide_rows(  # type: ignore[no-untyped-def]  # pointers, of no Python type
    sums, peaks, scores, weights, share, unit, best, second, rival, own, right, of_own,
    n_classes, n_rows, ROWS: tl.constexpr, CLASSES: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    there = row < n_rows
    peak = tl.load(peaks + row, mask=there, other=0.0)
    units = peak
    for first in range(0, n_classes, CLASSES):
        c = first + tl.arange(0, CLASSES).to(tl.int64)
        mask = (c < n_classes)[:, None] & there[None, :]
        at = sums + c[:, None] * 5 * n_rows + row[None, :]
        seen = tl.load(at, mask=mask, other=-float("inf"))
        units = tl.maximum(units, tl.max(seen, axis=0))
    units = tl.where(units > -float("inf"), units, 0.0)
    top = tl.zeros((ROWS,), tl.float64)
    following = tl.zeros((ROWS,), tl.float64)
    whom = tl.full((ROWS,), -1.0, tl.float64)
    for first in range(0, n_classes, CLASSES):
        c = first + tl.arange(0, CLASSES).to(tl.int64)
        mask = (c < n_classes)[:, None] & there[None, :]
        at = sums + c[:, None] * 5 * n_rows + row[None, :]
        k = tl.zeros((CLASSES, ROWS), tl.float64)
        for p in tl.static_range(1, 5):
            k += tl.load(at + p * n_rows, mask=mask, other=0.0).to(tl.float64)
        seen = tl.load(at, mask=mask, other=-float("inf"))
        k *= tl.exp(seen - units[None, :]).to(tl.float64)
        score = k * tl.load(weights + 5 * c, mask=c < n_classes, other=0.0)[:, None]
        most = tl.max(score, axis=0)
        # Of equals the first.
        who = tl.min(tl.where(score == most[None, :], c[:, None], n_classes), axis=0)
        other = tl.max(tl.where(c[:, None] == who[None, :], 0.0, score), axis=0)
        better = most > top
        following = tl.where(better, tl.maximum(top, other), tl.maximum(following, most))
        whom = tl.where(better, who.to(tl.float64), whom)
        top = tl.where(better, most, top)
    near = tl.exp(peak - units).to(tl.float64)
    mine = tl.load(scores + 5 * row, mask=there, other=0.0) * near
    both = mine + top
    surely = tl.where(both > 0.0, mine / tl.where(both > 0.0, both, 1.0), 0.5)
    counts = tl.load(share + row, mask=there, other=0.0)
    for h in tl.static_range(0, 4):
        half = tl.load(scores + 5 * row + 1 + h, mask=there, other=0.0) * near
        both = half + top
        thinned = tl.where(both > 0.0, half / tl.where(both > 0.0, both, 1.0), 0.5)
        tl.store(of_own + 4 * row + h, counts * (surely - thinned), mask=there)
    tl.store(unit + row, units, mask=there)
    tl.store(best + row, top, mask=there)
    tl.store(second + row, following, mask=there)
    tl.store(rival + row, whom, mask=there)
    tl.store(own + row, mine, mask=there)
    tl.store(right + row, surely, mask=there)


def _lost_by_class(  # type: ignore[no-untyped-def]  # pointers, of no Python type
    sums, unit, weights, share, first, second, rival, own, right, of_own, lost,
    n_rows, most_left_out, ROWS: tl.constexpr, EACH: tl.constexpr,
):  # fmt: skip
    c = tl.program_id(0).to(tl.int64)
    halves = tl.arange(0, 4)
    late = tl.arange(0, EACH)
    place = 4 * (c * most_left_out + late)[None, :] + halves[:, None]
    of_class = tl.load(of_own + place, mask=(late < most_left_out)[None, :], other=0.0)
    total = tl.zeros((4, ROWS), tl.float64)
    weight = tl.load(weights + 5 * c + 1 + halves)[:, None]
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
        h = halves[:, None]
        part = tl.where(h == 0, p2 + p3, tl.where(h == 1, p0 + p1, 0.0))
        part = tl.where(h == 2, p1 + p3, tl.where(h == 3, p0 + p2, part))
        best = tl.load(first + row, mask=there, other=0.0)
        after = tl.load(second + row, mask=there, other=0.0)
        strongest = tl.where(tl.load(rival + row, mask=there, other=-1.0) == c, after, best)
        score = tl.maximum(part * near[None, :] * weight, strongest[None, :])
        mine = tl.load(own + row, mask=there, other=0.0)[None, :]
        both = mine + score
        thinned = tl.where(both > 0.0, mine / tl.where(both > 0.0, both, 1.0), 0.5)
        before = tl.load(right + row, mask=there, other=0.0)[None, :]
        counts = tl.load(share + row, mask=there, other=0.0)[None, :]
        total += counts * (before - thinned)
    tl.store(lost + 4 * c + halves, tl.sum(total, axis=1) + tl.sum(of_class, axis=1))


def gained(wide: Wide, counts: Any, own: Any) -> Any:
    """Return by how much less each halving of the bandwidth misses each row's class.

    Of shape (n_scales - 1, n_rows); counts (n_classes,) and the rows' own classes (n_rows,). A row
    is left out with its copies.
    """
    n_scales, n_classes, n_rows = wide.logs.shape
    misses = wide.logs.new_empty(n_scales, n_rows)
    grid = (triton.cdiv(n_rows, _WIDE_ROWS), n_scales)
    given = (wide.logs, counts, own, wide.nearest, misses, n_classes, n_rows, TIE)
    _missed[grid](*given, _WIDE_ROWS, _WIDE_CLASSES)
    return misses[:1] - misses[1:]


def _misses(  # type: ignore[no-untyped-def]  # pointers, of no Python type
    logs, counts, own, nearest, misses, n_classes, n_rows, tie,
    ROWS: tl.constexpr, CLASSES: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    there = row < n_rows
    of_scale = logs + tl.program_id(1).to(tl.int64) * n_classes * n_rows
    mine = tl.load(own + row, mask=there, other=0)
    copies = tl.load(nearest + 2 * row + 1, mask=there, other=1.0)
    top = tl.full((ROWS,), -float("inf"), tl.float64)
    for first in range(0, n_classes, CLASSES):
        c = first + tl.arange(0, CLASSES)
        mask = (c < n_classes)[:, None] & there[None, :]
        seen = tl.load(
            of_scale + c[:, None] * n_rows + row[None, :], mask=mask, other=-float("inf")
        )
        top = tl.maximum(top, tl.max(seen, axis=0))
    base = tl.where(top > -float("inf"), top, 0.0)
    best = tl.zeros((ROWS,), tl.float64)
    ties = tl.zeros((ROWS,), tl.float64)
    hit = tl.zeros((ROWS,), tl.float64)
    for again in tl.static_range(0, 2):
        for first in range(0, n_classes, CLASSES):
            c = first + tl.arange(0, CLASSES)
            mask = (c < n_classes)[:, None] & there[None, :]
            at = of_scale + c[:, None] * n_rows + row[None, :]
            seen = tl.load(at, mask=mask, other=-float("inf"))
            size = tl.load(counts + c, mask=c < n_classes, other=1).to(tl.float64)[:, None]
            is_own = c[:, None] == mine[None, :]
            left = tl.maximum(tl.where(is_own, size - copies[None, :], size), 1.0)
            score = tl.exp(seen - base[None, :]) / left
            if again == 0:
                best = tl.maximum(best, tl.max(score, axis=0))
            else:
                good = mask & (score >= (best - tie * best)[None, :])
                ties += tl.sum(good.to(tl.float64), axis=0)
                hit += tl.sum((good & is_own).to(tl.float64), axis=0)
    missed = tl.where(hit > 0.0, 1.0 - 1.0 / tl.where(ties > 0.0, ties, 1.0), 1.0)
    # Who sees nobody says nothing, for any bandwidth.
    missed = tl.where(top > -float("inf"), missed, 0.0)
    tl.store(misses + tl.program_id(1) * n_rows + row, missed, mask=there)


if triton is not None:
    _scores: Any = triton.jit(_own_scores)
    _rows: Any = triton.jit(_decide_rows)
    _lost: Any = triton.jit(_lost_by_class)
    _missed: Any = triton.jit(_misses)
