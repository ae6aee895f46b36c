"""What decisions on left-out instances say about each class: whether it is settled or confused.

Every instance is left out in turn and decided by the others. A decision counts softly, by how
much of own and best rival score is the own. Then half of a class is taken away: what all
decisions lose by it is the slope of the learning curve, seen backwards.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from palacs.checks import Codes, Features
from palacs.compiled import compiled
from palacs.kernel import ENOUGH
from palacs.stream import HALVES, Stream, philox, to_unit

# Each class is halved twice at random; both sides of both are looked at, four halves in all.
SPLITS = 2
# The latest so many instances of each class are left out in turn: PAL-ACS's number of points.
LEFT_OUT = 25
# Left-out decisions look so many times as far as the model: with its own bandwidth, which suits all
# instances together, the one or two nearest of a class decide alone, and chance with them.
WIDER = 1.5
# Similarities below exp(-30) of the nearest decide nothing.
NEGLIGIBLE = 30.0
# At most so surely right, an instance is taken for its rival; ties are, up to rounding.
TAKEN = 0.5 + 1e-6


class ClassEvidence(NamedTuple):
    """What left-out decisions say about the classes.

    Attributes
    ----------
    left_out : ndarray of shape (n_classes,)
        Instances of each class that were decided.
    mistaken : ndarray of shape (n_classes,)
        Their probabilities of a mistake, summed.
    lost : ndarray of shape (n_classes, 2 * SPLITS)
        How many more mistakes there would be, per class of equal weight, if a half of this class
        were missing.
    confused : ndarray of shape (n_classes, n_classes)
        ``mistaken`` by what it was taken for: row true, column the rival. Decisions that are right,
        however closely, are not in it.
    """

    left_out: Features
    mistaken: Features
    lost: Features
    confused: Features


class Halves(NamedTuple):
    """Classes (n,), counts (n_classes,), and who is in which half."""

    y: Codes
    counts: Codes
    half: npt.NDArray[np.bool_]
    in_half: Codes


@compiled
def no_evidence(n_classes: int) -> ClassEvidence:
    """Return the evidence before any decision."""
    return ClassEvidence(
        np.zeros(n_classes),
        np.zeros(n_classes),
        np.zeros((n_classes, 2 * SPLITS)),
        np.zeros((n_classes, n_classes)),
    )


@compiled
def halve(y: Codes, counts: Codes, stream: Stream) -> Halves:
    """Put a random half of each class, rounded down, into each of `SPLITS` halves.

    Selection sampling: an instance is taken with probability wanted / left (Knuth's Algorithm S).
    """
    n, n_classes = y.shape[0], counts.shape[0]
    half = np.zeros((n, SPLITS), dtype=np.bool_)
    in_half = np.zeros((n_classes, SPLITS), dtype=np.int64)
    left = counts.copy()
    for i in range(n):
        c = y[i]
        words = philox(stream.seed, stream.step, HALVES, i)
        for s in range(SPLITS):
            word = words[0] if s == 0 else words[1]
            if to_unit(np.uint64(word)) * left[c] < counts[c] // 2 - in_half[c, s]:
                half[i, s] = True
                in_half[c, s] += 1
        left[c] -= 1
    return Halves(y, counts, half, in_half)


@compiled
def latest_of_each(y: Codes, n_classes: int, most: int) -> Codes:
    """Return the places of the latest ``most`` instances of each class, in ascending order."""
    taken = np.zeros(n_classes, dtype=np.int64)
    wanted = np.zeros(y.shape[0], dtype=np.bool_)
    for i in range(y.shape[0] - 1, -1, -1):
        if taken[y[i]] < most:
            wanted[i] = True
            taken[y[i]] += 1
    return np.flatnonzero(wanted)


@compiled
def tally(
    squared: Features,
    rows: Codes,
    known: Halves,
    model: tuple[float, Features],
    into: ClassEvidence,
) -> None:
    """Decide left-out instances by the Parzen window and add what follows to the evidence.

    ``squared`` (n_rows, n) are distances from the instances ``rows`` (n_rows,) to all; ``model``
    is (bandwidth, prior), where the prior (n_classes,) corrects for class sizes.
    Similarities are relative to the nearest instance, so that none underflows that matters.
    """
    bandwidth, prior = model
    n_classes = known.counts.shape[0]
    k = np.empty(n_classes)
    k_half = np.empty((n_classes, SPLITS))
    for r in range(rows.shape[0]):
        i = rows[r]
        own = known.y[i]
        beside, nearest = left_beside(closest(squared[r], known.y, own, i), known.counts[own])
        around = (nearest, bandwidth, NEGLIGIBLE)
        k[:] = 0.0
        k_half[:] = 0.0
        add_similar(squared[r], (known.y, known.half), (i, beside), around, k, k_half)
        decide_left_out((i, beside), (k, k_half), known, prior, into)


@compiled
def closest(squared: Features, y: Codes, own: int, i: int) -> tuple[int, float, float, float]:
    """Return the nearest instance of class ``own`` and squared distances to it, the next, a rival.

    Those of ``squared`` (n,) are from one instance to those of classes ``y`` (n,), of which it is
    instance i itself, or none of them with -1. Of parts of a labelled set one follows for all.
    """
    beside, close, next_close, rival = -1, np.inf, np.inf, np.inf
    for j in range(y.shape[0]):
        if y[j] != own:
            rival = min(rival, squared[j])
        elif j != i and squared[j] < close:
            beside, close, next_close = j, squared[j], close
        elif j != i:
            next_close = min(next_close, squared[j])
    return beside, close, next_close, rival


@compiled
def left_beside(found: tuple[int, float, float, float], count: int) -> tuple[int, float]:
    """Return who is left out with an instance, -1 where few are known, and how near the rest is.

    ``found`` is what `closest` returns of all instances; ``count`` is the size of the own class.
    Recordings made in one go are alike, and would vouch for each other.
    """
    beside, close, next_close, rival = found
    if count < ENOUGH:
        return -1, min(rival, close)
    return beside, min(rival, next_close)


@compiled
def add_similar(
    squared: Features,
    members: tuple[Codes, npt.NDArray[np.bool_]],
    without: tuple[int, int],
    kernel: tuple[float, float, float],
    k: Features,
    k_half: Features,
) -> None:
    """Add the similarities of one instance to others to sums by class, and by class and half.

    ``squared`` (n,) are its distances to them, ``members`` their classes (n,) and halves
    (n, SPLITS); those in ``without`` are left out. ``kernel`` is (the squared distance to the
    nearest that counts, bandwidth, exponent beyond which a similarity is negligible); the sums
    are (n_classes,) and (n_classes, SPLITS).
    """
    y, half = members
    nearest, bandwidth, negligible = kernel
    scale = 0.5 / bandwidth / bandwidth
    # The nearest counts also where a narrow kernel adds nothing to its distance.
    furthest = max(nearest + negligible / scale, np.nextafter(nearest, np.inf))
    for j in range(y.shape[0]):
        # Most are too far away to matter, so that is asked first.
        if not squared[j] < furthest or j in without:
            continue
        similarity = np.exp(-scale * (squared[j] - nearest))
        k[y[j]] += similarity
        for s in range(SPLITS):
            # Adding nothing is faster than asking: who is in a half cannot be foreseen.
            k_half[y[j], s] += similarity * half[j, s]


@compiled
def decide_left_out(
    left_out: tuple[int, int],
    sums: tuple[Features, Features],
    known: Halves,
    prior: Features,
    into: ClassEvidence,
) -> None:
    """Add the decision on an instance, and those with half of each class missing.

    ``left_out`` is (the instance, the one beside it or -1); ``sums`` are those of similarities
    to the other instances, of all (n_classes,) and of each half (n_classes, SPLITS).
    """
    i, beside = left_out
    k, k_half = sums
    own_class = known.y[i]
    n_classes = k.shape[0]
    first, second, rival = 0.0, 0.0, -1
    for c in range(n_classes):
        if c == own_class or k[c] == 0.0:
            continue
        score = _score(k[c], known.counts[c], c, prior)
        if score > first:
            first, second, rival = score, first, c
        elif score > second:
            second = score
    gone = 2 if beside >= 0 else 1
    own = _score(k[own_class], known.counts[own_class] - gone, own_class, prior)
    right = soft(own, first)
    into.left_out[own_class] += 1.0
    into.mistaken[own_class] += 1.0 - right
    if rival >= 0 and right < TAKEN:
        into.confused[own_class, rival] += 1.0 - right
    weight = 1.0 / min(known.counts[own_class], LEFT_OUT)
    for c in range(n_classes):
        if k[c] == 0.0:
            continue
        strongest_other = second if c == rival else first
        for s in range(SPLITS):
            for side in range(2):
                size = known.in_half[c, s] if side == 0 else known.counts[c] - known.in_half[c, s]
                part = k_half[c, s] if side == 0 else max(k[c] - k_half[c, s], 0.0)
                if c == own_class:
                    size -= 1 if known.half[i, s] == (side == 0) else 0
                    size -= 1 if beside >= 0 and known.half[beside, s] == (side == 0) else 0
                    thinned = soft(_score(part, size, c, prior), first)
                else:
                    thinned = soft(own, max(_score(part, size, c, prior), strongest_other))
                into.lost[c, 2 * s + side] += weight * (right - thinned)


@compiled
def _score(k: float, size: int, c: int, prior: Features) -> float:
    """Return the Parzen window's score of class c with ``size`` instances."""
    return prior[c] * k / size if size > 0 else 0.0


@compiled
def soft(own: float, rival: float) -> float:
    """Return how surely a decision is right: own / (own + best rival), a half for nothing."""
    together = own + rival
    return own / together if together > 0.0 else 0.5
