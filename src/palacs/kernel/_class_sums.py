"""Similarities of many instances, class by class: each pair of classes is worked out by itself.

The sum of similarities between one instance and one class depends on these alone, in every bit:
products are always those of one class with one class, and sums are kept as logarithms, each in
units of its own. So what was worked out before an instance came is right after it, for all classes
but its own. A few hundred numbers per instance are in memory at a time, never all distances.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from palacs.checks import Codes, Features
from palacs.compiled import compiled
from palacs.kernel._pseudo import members_by_class
from palacs.kernel._similarity import squared_distance
from palacs.stream import HALVES, philox, to_unit

# A product loses too many digits of squared distances below this share of the norms.
_CLOSE, _CLOSE_SINGLE = 1e-8, 1e-2
# From so many instances of a class on the one beside a left-out instance is left out with it.
ENOUGH = 4
_NOBODY = -1
_NO_STEP = np.uint64(0)

Norms = tuple[Features, Features]


class Members(NamedTuple):
    """The instances of each class that count, class by class in the order they were acquired.

    Attributes
    ----------
    members : ndarray of shape (n_members,)
        Their places in the labelled set.
    starts : ndarray of shape (n_classes + 1,)
        Where each class begins among the members.
    left_out : ndarray of shape (n_classes,)
        How many of each class, the latest, are left out in turn.
    half : ndarray of shape (n_members, 2)
        Whether each is in the one and in the other half of its class.
    """

    members: Codes
    starts: Codes
    left_out: Codes
    half: npt.NDArray[np.bool_]


class Sums(NamedTuple):
    """What is known around the instances left out, of some classes that follow each other.

    Attributes
    ----------
    first : int
        The first of these classes.
    logs : ndarray of shape (n_row_classes, most, n_classes)
        Logarithms of the sums of similarities to each class.
    parts : ndarray of shape (n_row_classes, most, n_classes, 2)
        The part of each sum that is due to each half of the class.
    beside : ndarray of shape (n_row_classes, most)
        Which of its class is left out with it, the most similar one; -1 where few are known.
    """

    first: int

    logs: Features
    parts: npt.NDArray[np.float32]
    beside: Codes


class Places(NamedTuple):
    """`Members` but for their halves."""

    members: Codes
    starts: Codes
    left_out: Codes


@compiled
def choose_members(y: Codes, n_classes: int, most: int, most_left_out: int) -> Members:
    """Return `choose_places` and who is in which half."""
    members, starts, left_out = choose_places(y, n_classes, most, most_left_out)
    half = np.zeros((members.shape[0], 2), dtype=np.bool_)
    for c in range(n_classes):
        halve_class(c, half[starts[c] : starts[c + 1]])
    return Members(members, starts, left_out, half)


@compiled
def choose_places(y: Codes, n_classes: int, most: int, most_left_out: int) -> Places:
    """Select at most ``most`` of each class, evenly over time and with the first and the latest."""
    counts, ordered = members_by_class(y, n_classes)
    starts = np.zeros(n_classes + 1, dtype=np.int64)
    for c in range(n_classes):
        starts[c + 1] = starts[c] + min(counts[c], most)
    members = np.empty(starts[n_classes], dtype=np.int64)
    left_out = np.empty(n_classes, dtype=np.int64)
    first = 0
    for c in range(n_classes):
        size = starts[c + 1] - starts[c]
        left_out[c] = min(size, most_left_out)
        for p in range(size):
            place = p
            if counts[c] > size:
                # The nearest whole number, halves upwards.
                place = (2 * p * (counts[c] - 1) + (size - 1)) // (2 * (size - 1))
            members[starts[c] + p] = ordered[first + place]
        first += counts[c]
    return Places(members, starts, left_out)


@compiled
def halve_class(c: int, half: npt.NDArray[np.bool_]) -> None:
    """Put a half of class c, (size, 2), into the one and into the other half.

    Who is in a half depends on the class and on how many it has, on no seed and no other class
    (Knuth's Algorithm S): a half that is drawn anew each time would change all sums each time.
    """
    size, taken_0, taken_1 = half.shape[0], 0, 0
    for p in range(size):
        words = philox(_NO_STEP, _NO_STEP, HALVES, (c << 32) + p)
        if to_unit(np.uint64(words[0])) * (size - p) < size // 2 - taken_0:
            half[p, 0] = True
            taken_0 += 1
        if to_unit(np.uint64(words[1])) * (size - p) < size // 2 - taken_1:
            half[p, 1] = True
            taken_1 += 1


@compiled
def parts_of_classes(classes: Codes, counts: Codes, most: int) -> Codes:
    """Return which of the four parts that two halves make each instance is in, (n_some, most).

    They count in binary; -1 where some classes have fewer than ``most``.
    """
    parts = np.full((classes.shape[0], most), -1, dtype=np.int64)
    for place in range(classes.shape[0]):
        half = np.zeros((counts[classes[place]], 2), dtype=np.bool_)
        halve_class(classes[place], half)
        for p in range(half.shape[0]):
            parts[place, p] = 2 * int(half[p, 0]) + int(half[p, 1])
    return parts


@compiled
def fill_sums(
    X: Features,
    chosen: Members,
    pairs: tuple[Codes, Codes],
    model: tuple[Features, float],
    into: Sums,
) -> None:
    """Fill what rows of some classes know of some classes.

    ``pairs`` is (classes of the rows, classes of the columns); ``model`` is (an origin near the
    instances (n_features,), bandwidth).
    """
    row_classes, column_classes = pairs
    origin, bandwidth = model
    scale = 0.5 / bandwidth / bandwidth
    rows, row_starts = latest_members(chosen, row_classes, chosen.left_out)
    A, row_norms = centre(X, rows, origin)
    for c in column_classes:
        columns = chosen.members[chosen.starts[c] : chosen.starts[c + 1]]
        B, norms = centre(X, columns, origin)
        half = chosen.half[chosen.starts[c] : chosen.starts[c + 1]]
        for place in range(row_classes.shape[0]):
            a = row_classes[place]
            here = slice(row_starts[place], row_starts[place + 1])
            squared = squared_block(
                X, (rows[here], columns), (A[here], B), (row_norms[here], norms)
            )
            first = columns.shape[0] - squared.shape[0] if a == c else _NOBODY
            for r in range(squared.shape[0]):
                own = first + r if a == c else _NOBODY
                _sum_row(squared[r], (own, half), scale, (a - into.first, r, c), into)


@compiled
def latest_members(chosen: Members, classes: Codes, wanted: Codes) -> tuple[Codes, Codes]:
    """Return the latest ``wanted`` (n_classes,) members of some classes, and where each begins."""
    starts = np.zeros(classes.shape[0] + 1, dtype=np.int64)
    for place in range(classes.shape[0]):
        starts[place + 1] = starts[place] + wanted[classes[place]]
    rows = np.empty(starts[-1], dtype=np.int64)
    for place in range(classes.shape[0]):
        c = classes[place]
        n_rows = starts[place + 1] - starts[place]
        for r in range(n_rows):
            rows[starts[place] + r] = chosen.members[chosen.starts[c + 1] - n_rows + r]
    return rows, starts


@compiled
def centre(X: Features, places: Codes, origin: Features) -> tuple[Features, Features]:
    """Return instances less the origin, and their squared norms."""
    centred = np.empty((places.shape[0], X.shape[1]), dtype=X.dtype)
    norms = np.empty(places.shape[0])
    for i in range(places.shape[0]):
        total = 0.0
        for f in range(X.shape[1]):
            centred[i, f] = X[places[i], f] - origin[f]
            total += np.float64(centred[i, f]) * np.float64(centred[i, f])
        norms[i] = total
    return centred, norms


@compiled
def squared_block(
    X: Features, places: tuple[Codes, Codes], centred: tuple[Features, Features], norms: Norms
) -> Features:
    """Return squared distances between two classes (n_rows, n_columns); close ones exact.

    ``places`` are their instances; ``centred`` and ``norms`` as `centre` returns them.
    """
    close = _CLOSE if X.itemsize > 4 else _CLOSE_SINGLE
    rows, columns = places
    A, B = centred
    products = np.dot(A, B.T)
    squared = np.empty(products.shape)
    for r in range(squared.shape[0]):
        for j in range(squared.shape[1]):
            both = norms[0][r] + norms[1][j]
            squared[r, j] = both - 2.0 * np.float64(products[r, j])
            if not squared[r, j] > both * close:  # also where the product is not a number
                squared[r, j] = squared_distance(X[rows[r]], X[columns[j]])
    return squared


@compiled
def _sum_row(
    squared: Features,
    known: tuple[int, npt.NDArray[np.bool_]],
    scale: float,
    place: tuple[int, int, int],
    into: Sums,
) -> None:
    """Fill one sum: of the similarities to a class, given squared distances (n_columns,) to it.

    ``known`` is (the place of the instance itself in the class or -1, who is in which half);
    ``place`` is (class of the row, row, class) in ``into``.
    """
    own, half = known
    a, r, c = place
    beside, nearest = _NOBODY, np.inf
    if own != _NOBODY:
        if squared.shape[0] >= ENOUGH:
            close = np.inf
            for j in range(squared.shape[0]):
                if j != own and squared[j] < close:
                    beside, close = j, squared[j]
        into.beside[a, r] = beside
    for j in range(squared.shape[0]):
        if j != own and j != beside:
            nearest = min(nearest, squared[j])
    into.logs[a, r, c] = -np.inf
    into.parts[a, r, c, 0] = 0.0
    into.parts[a, r, c, 1] = 0.0
    if nearest == np.inf:
        return
    total, first, second = 0.0, 0.0, 0.0
    for j in range(squared.shape[0]):
        if j != own and j != beside:
            similarity = np.exp(-scale * (squared[j] - nearest))
            total += similarity
            first += similarity * half[j, 0]
            second += similarity * half[j, 1]
    into.logs[a, r, c] = np.log(total) - scale * nearest
    into.parts[a, r, c, 0] = first / total
    into.parts[a, r, c, 1] = second / total
