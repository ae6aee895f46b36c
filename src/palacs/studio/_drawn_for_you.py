"""Strokes for who cannot or will not draw: made by a program, each hand with a style of its own.

A style bends all drawings of a hand the same way (slant, proportions, how round); each drawing
shakes a little on top. benchmarks/drawing.py lets 200 such hands race.
"""

from __future__ import annotations

from math import cos, radians, sin

import numpy as np
import numpy.typing as npt

Line = list[tuple[float, float]]
Strokes = list[list[list[float]]]

# How much styles of hands differ, and the drawings of one hand, on a canvas of 100 x 100.
_STYLE, _SHAKE = 0.10, 0.04
_MIDDLE = 50.0


def _arc(cx: float, cy: float, rx: float, ry: float, start: float, end: float) -> Line:
    """Return points on an ellipse; degrees, 0 to the right, growing clockwise."""
    steps = max(int(abs(end - start) / 12), 2)
    angles = [radians(start + (end - start) * step / steps) for step in range(steps + 1)]
    return [(cx + rx * cos(angle), cy + ry * sin(angle)) for angle in angles]


_WAYS: dict[str, tuple[list[Line], ...]] = {
    "0": (
        [_arc(50, 50, 24, 38, -90, 270)],
        [_arc(52, 50, 20, 36, -60, 290)],
        [_arc(50, 50, 28, 34, -120, 250)],
    ),
    "3": (
        [[*_arc(46, 31, 20, 19, -150, 90), *_arc(46, 69, 23, 19, -90, 150)]],
        [[(30, 14), (68, 14), (46, 42), *_arc(46, 64, 23, 22, -80, 140)]],
        [[*_arc(48, 32, 16, 20, -170, 70), (42, 50), *_arc(48, 68, 22, 20, -70, 170)]],
    ),
    "7": (
        [[(28, 14), (72, 14), (44, 88)]],
        [[(28, 14), (72, 14), (42, 88)], [(36, 50), (66, 50)]],
        [[(30, 24), (32, 14), (70, 16), (56, 50), (50, 88)]],
    ),
    "9": (
        [[*_arc(48, 32, 19, 20, 0, -360), (66, 50), (60, 90)]],
        [[*_arc(50, 32, 18, 19, -20, -340), (68, 22), (66, 60), (50, 88), (34, 84)]],
        [[*_arc(48, 30, 20, 18, 10, -350), (68, 34), (67, 88)]],
    ),
}


def drawn_for_you(symbol: str, hand: int, number: int) -> Strokes:
    """Return the strokes of a symbol by a made-up hand.

    Parameters
    ----------
    symbol : str
        One of the race's.
    hand : int
        Whose style; any number.
    number : int
        Which of this hand's drawings.

    Examples
    --------
    >>> drawn_for_you("3", 1, 0) == drawn_for_you("3", 1, 0), len(drawn_for_you("0", 1, 0))
    (True, 1)
    """
    style = np.random.default_rng([hand, 3])
    way, bend = int(style.integers(len(_WAYS[symbol]))), _bend(style, _STYLE)
    shake = np.random.default_rng([hand, 4, int(symbol), number])
    # Nobody keeps to one way of writing all the time.
    if shake.random() < 0.25:
        way = int(shake.integers(len(_WAYS[symbol])))
    shaken = _bend(shake, _SHAKE)
    return [_bent(_bent(np.array(line), bend), shaken).tolist() for line in _WAYS[symbol][way]]


Points = npt.NDArray[np.float64]


def _bend(rng: np.random.Generator, size: float) -> Points:
    """Draw how far each term of the bend goes, shape (6, 2)."""
    bend: Points = rng.normal(0.0, size, (6, 2))
    return bend


def _bent(line: Points, bend: Points) -> Points:
    """Bend a line (n, 2) smoothly: shifts, slants, proportions and a curve."""
    x, y = ((line - _MIDDLE) / _MIDDLE).T
    terms = np.column_stack([x, y, x * y, x**2, y**2, np.sin(np.pi * y)])
    bent: Points = line + _MIDDLE * terms @ bend
    return bent
