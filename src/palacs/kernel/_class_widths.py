"""The bandwidth of many instances: the rule of `_bandwidth`, class by class and in steps.

One more instance changes what a bandwidth rests on in its own class alone. The bandwidth itself is
rounded to eighths of an octave: it stays the same, to the last bit, over hundreds of instances,
and with it every similarity between the others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from palacs.checks import Codes, Features
from palacs.compiled import compiled
from palacs.kernel._bandwidth import (
    HALVINGS,
    MOST_ROWS,
    bandwidth_of,
    best_of_halvings,
    misses,
    robust_mean,
    spanned_dimensions,
)
from palacs.kernel._class_sums import Members, centre, latest_members, squared_block

# Steps of the bandwidth per octave.
_STEPS = 8


class Widths(NamedTuple):
    """What is known around the instances that a bandwidth rests on.

    Attributes
    ----------
    nearest : ndarray of shape (n_rows,)
        Squared distances to the nearest of the same class at another place; infinite without.
    copies : ndarray of shape (n_rows,)
        How many of the class are at the very same place, itself included.
    logs : ndarray of shape (n_rows, n_classes, 1 + halvings)
        Logarithms of the sums of similarities to each class at other places, for each bandwidth.
    """

    nearest: Features
    copies: Features
    logs: Features


@compiled
def width_rows(chosen: Members) -> Codes:
    """Return how many of each class, the latest, a bandwidth rests on: 500 in all or so."""
    n_classes = chosen.left_out.shape[0]
    wanted = np.zeros(n_classes, dtype=np.int64)
    for c in range(0, n_classes, asked_every(n_classes)):
        wanted[c] = min(chosen.left_out[c], _rows_each(n_classes))
    return wanted


@compiled
def asked_every(n_classes: int) -> int:
    """Return which classes are asked: every, every second, ..."""
    return (n_classes - 1) // MOST_ROWS + 1


@compiled
def _rows_each(n_classes: int) -> int:
    """Return for how many rows of each class that is asked there is space."""
    return max(1, MOST_ROWS // n_classes)


@compiled
def _first_row(c: int, n_classes: int) -> int:
    """Return where the rows of a class begin."""
    return c // asked_every(n_classes) * _rows_each(n_classes)


@compiled
def no_widths(n_classes: int) -> Widths:
    """Return what is known before anything is."""
    n_rows = _first_row(n_classes - 1, n_classes) + _rows_each(n_classes)
    logs = np.full((n_rows, n_classes, HALVINGS + 1), -np.inf)
    return Widths(np.full(n_rows, np.inf), np.zeros(n_rows), logs)


@compiled
def fill_nearest(
    X: Features, chosen: Members, classes: Codes, origin: Features, into: Widths
) -> None:
    """Fill the nearest distances and the copies of the rows of some classes."""
    wanted = width_rows(chosen)
    n_classes = wanted.shape[0]
    for c in classes:
        if c % asked_every(n_classes) != 0:
            continue
        first = _first_row(c, n_classes)
        # A class that lost instances may have fewer rows than before.
        into.nearest[first : first + _rows_each(n_classes)] = np.inf
        rows, _ = latest_members(chosen, np.array([c]), wanted)
        columns = chosen.members[chosen.starts[c] : chosen.starts[c + 1]]
        A, row_norms = centre(X, rows, origin)
        B, norms = centre(X, columns, origin)
        squared = squared_block(X, (rows, columns), (A, B), (row_norms, norms))
        for r in range(rows.shape[0]):
            nearest, copies = np.inf, 0.0
            for j in range(columns.shape[0]):
                if rows[r] == columns[j] or squared[r, j] == 0.0:
                    copies += 1.0
                else:
                    nearest = min(nearest, squared[r, j])
            into.nearest[first + r] = nearest
            into.copies[first + r] = copies


@compiled
def widest_bandwidth(X: Features, chosen: Members, into: Widths) -> float:
    """Return the bandwidth before it is halved, in steps; 0 where no class is at two places."""
    rows, _ = latest_members(chosen, np.arange(chosen.left_out.shape[0]), width_rows(chosen))
    dimensions = spanned_dimensions(X[rows])
    known = np.sort(into.nearest[into.nearest < np.inf])
    if known.shape[0] == 0:
        return 0.0
    reach = 2.0 * robust_mean(known, dimensions == 1)
    return in_steps(bandwidth_of(reach, float(dimensions)))


@compiled
def in_steps(bandwidth: float) -> float:
    """Return the nearest of the bandwidths that there are, eight to an octave."""
    return float(2.0 ** (np.floor(_STEPS * np.log2(bandwidth) + 0.5) / _STEPS))


@compiled
def fill_widths(
    X: Features,
    chosen: Members,
    pairs: tuple[Codes, Codes],
    model: tuple[Features, float],
    into: Widths,
) -> None:
    """Fill the sums for all bandwidths, as `fill_sums` does for one; copies are left out."""
    row_classes, column_classes = pairs
    origin, widest = model
    wanted = width_rows(chosen)
    rows, places = latest_members(chosen, row_classes, wanted)
    A, row_norms = centre(X, rows, origin)
    for c in column_classes:
        columns = chosen.members[chosen.starts[c] : chosen.starts[c + 1]]
        B, norms = centre(X, columns, origin)
        for place in range(row_classes.shape[0]):
            here = slice(places[place], places[place + 1])
            squared = squared_block(
                X, (rows[here], columns), (A[here], B), (row_norms[here], norms)
            )
            for r in range(squared.shape[0]):
                row = _first_row(row_classes[place], wanted.shape[0]) + r
                _sum_widths(squared[r], rows[here][r] == columns, widest, into.logs[row, c])


@compiled
def _sum_widths(
    squared: Features, itself: npt.NDArray[np.bool_], widest: float, logs: Features
) -> None:
    """Fill one sum for every bandwidth (1 + halvings,); ``itself`` (n_columns,) is left out."""
    nearest = np.inf
    for j in range(squared.shape[0]):
        if squared[j] > 0.0 and not itself[j]:
            nearest = min(nearest, squared[j])
    for h in range(logs.shape[0]):
        logs[h] = -np.inf
        if nearest == np.inf:
            continue
        scale = 0.5 / widest / widest * 4.0**h
        total = 0.0
        for j in range(squared.shape[0]):
            if squared[j] > 0.0 and not itself[j]:
                total += np.exp(-scale * (squared[j] - nearest))
        logs[h] = np.log(total) - scale * nearest


@compiled
def halved(chosen: Members, widest: float, known: Widths) -> float:
    """Return the bandwidth at which instances left out are classified best, as `_best_halving`."""
    wanted = width_rows(chosen)
    n_classes = wanted.shape[0]
    counts = np.zeros(n_classes)
    for c in range(n_classes):
        counts[c] = chosen.starts[c + 1] - chosen.starts[c]
    better, disagreed = np.zeros(HALVINGS), np.zeros(HALVINGS)
    for own in range(n_classes):
        for r in range(wanted[own]):
            row = _first_row(own, n_classes) + r
            copies = known.copies[row]
            if counts[own] > copies and known.logs[row, :, 0].max() > -np.inf:
                counts[own] -= copies
                first = misses(_relative(known.logs[row, :, 0]), counts, own)
                for h in range(HALVINGS):
                    gained = first - misses(_relative(known.logs[row, :, h + 1]), counts, own)
                    better[h] += gained / copies
                    disagreed[h] += gained * gained / copies
                counts[own] += copies
    return float(widest * 0.5 ** best_of_halvings(better, disagreed))


@compiled
def _relative(logs: Features) -> Features:
    """Return sums (n_classes,) in units of the largest."""
    relative: Features = np.exp(logs - logs.max())
    return relative
