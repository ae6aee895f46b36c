"""A drawing becomes an instance of scikit-learn's digits: 8 x 8 grey values from 0 to 16.

Follows how those digits were made from NIST's forms: the slant is taken out, the digit fills a box
of 20 x 32 in a bitmap of 32 x 32 with strokes of one thickness, and a grey value is the number of
pixels set in a block of 4 x 4. So a drawing and a scanned digit can be compared.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Points = npt.NDArray[np.float64]
Stroke = Sequence[Sequence[float]]

_SIDE = 32
_BLOCK = 4
_BOX_WIDTH = 20.0
_INK = 312
"""Pixels set in a bitmap of scikit-learn's digits on average: how thick the strokes are."""
_THINNEST, _THICKEST = 1.4, 3.4
_SLIM = 0.28
"""Narrower than this share of its height, a drawing is a bare line and is not widened."""
_MOST_POINTS = 2_000


def to_digit(strokes: Sequence[Stroke]) -> Points:
    """Turn a drawing into the 64 features of scikit-learn's digits.

    Parameters
    ----------
    strokes : sequence of sequence of (x, y)
        Points of each stroke in the order drawn, in any unit; y points down.

    Returns
    -------
    ndarray of shape (64,)
        Grey values from 0 to 16, row by row.

    Raises
    ------
    ValueError
        There is no drawing to speak of, or it holds something else than points.

    Examples
    --------
    >>> one = to_digit([[(0.0, 0.0), (0.0, 10.0)]])
    >>> one.reshape(8, 8)[:, 3:5].min() > 8  # a bar down the middle
    np.True_
    """
    lines = [_upright_input(stroke) for stroke in strokes if len(stroke)]
    points = sum(len(line) for line in lines)
    if points > _MOST_POINTS:
        raise ValueError(f"the drawing has {points} points; send at most {_MOST_POINTS}.")
    if not lines or max(float(np.ptp(line, axis=0).max()) for line in lines) == 0.0:
        raise ValueError("the drawing is empty; draw the digit with at least one stroke.")
    bitmap = _paint(_without_slant(lines))
    blocks = bitmap.reshape(_SIDE // _BLOCK, _BLOCK, _SIDE // _BLOCK, _BLOCK)
    grey: Points = blocks.sum(axis=(1, 3), dtype=np.float64).ravel()
    return grey


def _upright_input(stroke: Stroke) -> Points:
    line = np.asarray(stroke, dtype=np.float64)
    if line.ndim != 2 or line.shape[1] != 2 or not (np.abs(line) <= 1e6).all():
        raise ValueError("a stroke is not a list of points; give pairs of numbers up to 1e6.")
    return line


def _without_slant(lines: list[Points]) -> list[Points]:
    """Shear the drawing until its leftmost ink at the top is above that at the bottom."""
    every = np.concatenate(lines)
    top, bottom = every[:, 1].min(), every[:, 1].max()
    height = bottom - top
    if height == 0.0:
        return lines
    band = 0.08 * height
    head = every[every[:, 1] <= top + band, 0].min()
    foot = every[every[:, 1] >= bottom - band, 0].min()
    # More than this is a flourish rather than a slant.
    slope = float(np.clip((foot - head) / height, -0.6, 0.6))
    return [
        np.column_stack([line[:, 0] - slope * (line[:, 1] - top), line[:, 1]]) for line in lines
    ]


def _paint(lines: list[Points]) -> npt.NDArray[np.bool_]:
    """Return the bitmap, shape (32, 32), with as much ink as the scanned digits have."""
    radius = 2.0
    for _ in range(4):  # the box shrinks by the thickness, which depends on the box
        distance = _distances(_boxed(lines, radius))
        radius = float(np.clip(np.partition(distance, _INK - 1)[_INK - 1], _THINNEST, _THICKEST))
    return (distance <= radius).reshape(_SIDE, _SIDE)


def _boxed(lines: list[Points], radius: float) -> list[Points]:
    """Fit the centre lines into the box, leaving room for the thickness of the strokes."""
    every = np.concatenate(lines)
    low, extent = every.min(axis=0), np.ptp(every, axis=0)
    inner = np.array([_BOX_WIDTH, float(_SIDE)]) - 2.0 * radius
    scale = inner / np.where(extent > 0.0, extent, 1.0)
    if extent[0] < _SLIM * extent[1]:
        scale[0] = scale[1]
    if extent[1] < _SLIM * extent[0]:
        scale[1] = scale[0]
    middle = low + extent / 2.0
    return [(line - middle) * scale + _SIDE / 2.0 for line in lines]


def _distances(lines: list[Points]) -> Points:
    """Return how far each pixel's centre is from the nearest stroke, shape (1024,)."""
    starts = np.concatenate([line[:-1] if len(line) > 1 else line for line in lines])
    ends = np.concatenate([line[1:] if len(line) > 1 else line for line in lines])
    centres = np.arange(_SIDE) + 0.5
    pixels = np.stack(np.meshgrid(centres, centres), axis=-1).reshape(-1, 1, 2)
    along = ends - starts
    length2 = np.maximum((along**2).sum(axis=1), 1e-12)
    share = np.clip(((pixels - starts) * along).sum(axis=2) / length2, 0.0, 1.0)
    nearest = starts + share[:, :, None] * along
    away: Points = np.sqrt(((pixels - nearest) ** 2).sum(axis=2).min(axis=1))
    return away
