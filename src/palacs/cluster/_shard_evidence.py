"""Left-out decisions over instances on a cluster: what each part sums around some of them.

In two rounds, for what counts is measured from the nearest of all: first each part says what is
closest to an instance left out, then it sums similarities from there on.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from distributed import Future

from palacs.checks import Bandwidth, Codes, Features
from palacs.cluster._shard_fit import resolve_sharded
from palacs.cluster._shards import Part, Shards
from palacs.compiled import compiled
from palacs.evidence import (
    LEFT_OUT,
    NEGLIGIBLE,
    SPLITS,
    WIDER,
    ClassEvidence,
    Halves,
    add_similar,
    closest,
    decide_left_out,
    latest_of_each,
    left_beside,
    no_evidence,
)
from palacs.kernel import squared_distances

# A million similarities below exp(-60) of the nearest do not change its last digit.
_NOTHING_LEFT = 60.0


class _Close(NamedTuple):
    """The nearest of the own class in a part (n_rows,), its halves, and `closest`'s distances."""

    beside: Codes
    half: npt.NDArray[np.bool_]
    squared: Features


class _Left(NamedTuple):
    """Who is left out beside each row: its part (or -1), its place there, its halves (n_rows, 2).

    And how near the nearest that counts is, squared (n_rows,).
    """

    part: Codes
    place: Codes
    half: npt.NDArray[np.bool_]
    nearest: Features


class _Rows(NamedTuple):
    """Instances left out: their classes (n_rows,), halves (n_rows, SPLITS); sizes of classes."""

    codes: Codes
    half: npt.NDArray[np.bool_]
    counts: Codes
    in_half: Codes


def sharded_evidence(
    shards: Shards, known: Halves, model: tuple[Bandwidth, Features], steady_rows: Codes | None
) -> ClassEvidence:
    """Return the evidence of left-out decisions by the Parzen window, but for who is confused.

    ``known`` are the classes and halves of all, ``model`` is (bandwidth, prior), both as in
    `palacs.evidence.tally`; ``steady_rows`` as in `resolve_sharded`.
    """
    y, n_classes = known.y, len(known.counts)
    bandwidth = WIDER * resolve_sharded(model[0], shards, (y, n_classes), steady_rows)
    shards = shards.with_halves(known.half)
    rows = latest_of_each(y, n_classes, LEFT_OUT)
    # By the rule of many instances nothing is negligible; so far away nothing is left of it.
    negligible = NEGLIGIBLE if steady_rows is None else _NOTHING_LEFT

    def decided() -> Iterator[Future]:
        for block in shards.blocks(len(rows), n_classes):
            some = rows[block]
            left_out = _Rows(y[some], known.half[some], known.counts, known.in_half)
            yield _decide_block(shards, some, left_out, (bandwidth, negligible, model[1]))

    evidence: ClassEvidence = no_evidence(n_classes)
    for part in shards.in_turn(decided()):
        for total, added in zip(evidence, part, strict=False):
            total += added
    return evidence


def _decide_block(
    shards: Shards, rows: Codes, left_out: _Rows, model: tuple[float, float, Features]
) -> Future:
    """Have the evidence of some rows found."""
    bandwidth, negligible, prior = model
    n_classes = len(left_out.counts)
    taken = shards.take(rows)
    squared = shards.each(_compare, taken, bandwidth)
    here = []
    for among, local in shards.places(rows):
        place = np.full(len(rows), -1)
        place[among] = local
        here.append(place)
    close = [
        shards.submit(_closest, *each, left_out.codes)
        for each in zip(squared, shards.parts, here, strict=True)
    ]
    left = shards.submit(_left, close, left_out.counts[left_out.codes])
    sums = [
        shards.submit(_sums, *each, (p, left), (bandwidth, negligible), n_classes)
        for p, each in enumerate(zip(squared, shards.parts, here, strict=True))
    ]
    return shards.submit(_decided, sums, left, left_out, prior)


def _compare(part: Part, rows: Features, bandwidth: float) -> Features:
    return squared_distances(rows, part.X, bandwidth)


def _closest(squared: Features, part: Part, here: Codes, codes: Codes) -> _Close:
    beside, found = np.empty(len(here), dtype=np.int64), np.empty((len(here), 3))
    _find_closest(squared, part.y, (here, codes), beside, found)
    return _Close(beside, part.half[beside], found)


@compiled
def _find_closest(
    squared: Features, y: Codes, rows: tuple[Codes, Codes], beside: Codes, found: Features
) -> None:
    here, codes = rows
    for r in range(here.shape[0]):
        beside[r], close, next_close, rival = closest(squared[r], y, codes[r], here[r])
        found[r, 0], found[r, 1], found[r, 2] = close, next_close, rival


def _left(parts: list[_Close], counts: Codes) -> _Left:
    n_rows = len(counts)
    left = _Left(
        np.full(n_rows, -1), np.full(n_rows, -1), np.zeros((n_rows, SPLITS), bool), np.empty(n_rows)
    )
    for r in range(n_rows):
        found, from_part = (-1, np.inf, np.inf, np.inf), -1
        for p, part in enumerate(parts):
            close, next_close, rival = part.squared[r]
            if close < found[1]:
                beside, next_close = int(part.beside[r]), min(found[1], next_close)
                found, from_part = (beside, close, next_close, min(found[3], rival)), p
            else:
                found = (found[0], found[1], min(found[2], close), min(found[3], rival))
        left.place[r], left.nearest[r] = left_beside(found, counts[r])
        if left.place[r] >= 0:
            left.part[r], left.half[r] = from_part, parts[from_part].half[r]
    return left


def _sums(
    squared: Features,
    part: Part,
    here: Codes,
    beside: tuple[int, _Left],
    kernel: tuple[float, float],
    n_classes: int,
) -> tuple[Features, Features]:
    p, left = beside
    without = (here, np.where(left.part == p, left.place, -1))
    k, k_half = np.zeros((len(here), n_classes)), np.zeros((len(here), n_classes, SPLITS))
    members = (part.y, part.half)
    _add_up(squared, members, without, (left.nearest, *kernel), k, k_half)
    return k, k_half


@compiled
def _add_up(
    squared: Features,
    members: tuple[Codes, npt.NDArray[np.bool_]],
    without: tuple[Codes, Codes],
    kernel: tuple[Features, float, float],
    k: Features,
    k_half: Features,
) -> None:
    here, beside = without
    nearest, bandwidth, negligible = kernel
    for r in range(squared.shape[0]):
        left_out = (here[r], beside[r])
        around = (nearest[r], bandwidth, negligible)
        add_similar(squared[r], members, left_out, around, k[r], k_half[r])


def _decided(
    parts: list[tuple[Features, Features]], left: _Left, left_out: _Rows, prior: Features
) -> tuple[Features, Features, Features]:
    """Return left_out, mistaken and lost of the evidence on some rows."""
    sums = tuple(first + sum(others) for first, *others in zip(*parts, strict=True))
    evidence = no_evidence(len(left_out.counts))
    # Rows and those beside them stand for the labelled set: nobody else is asked for.
    known = Halves(
        np.concatenate([left_out.codes, left_out.codes]),
        left_out.counts,
        np.concatenate([left_out.half, left.half]),
        left_out.in_half,
    )
    _decide_rows(sums, left.place, known, prior, evidence)
    return evidence.left_out, evidence.mistaken, evidence.lost


@compiled
def _decide_rows(
    sums: tuple[Features, Features],
    beside: Codes,
    known: Halves,
    prior: Features,
    into: ClassEvidence,
) -> None:
    k, k_half = sums
    for r in range(k.shape[0]):
        left_out = (r, k.shape[0] + r if beside[r] >= 0 else -1)
        decide_left_out(left_out, (k[r], k_half[r]), known, prior, into)
