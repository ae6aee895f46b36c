"""Digits as a hand draws them: polylines on a canvas of 100 x 100, y pointing down."""

from __future__ import annotations

import math

Stroke = list[tuple[float, float]]


def arc(cx: float, cy: float, rx: float, ry: float, start: float, end: float) -> Stroke:
    """Points on an ellipse; angles in degrees, 0 to the right, growing clockwise."""
    steps = max(int(abs(end - start) / 12), 2)
    angles = [math.radians(start + (end - start) * i / steps) for i in range(steps + 1)]
    return [(cx + rx * math.cos(a), cy + ry * math.sin(a)) for a in angles]


DIGITS: list[tuple[int, list[Stroke]]] = [
    (0, [arc(50, 50, 24, 38, -90, 270)]),
    (0, [arc(52, 50, 20, 36, -60, 290)]),
    (1, [[(38, 28), (52, 12), (52, 88)]]),
    (1, [[(54, 10), (48, 90)]]),
    (2, [[*arc(50, 32, 20, 20, -160, 40), (30, 86), (74, 86)]]),
    (2, [[*arc(48, 30, 22, 18, -180, 30), (45, 66), (28, 88), (52, 84), (76, 88)]]),
    (3, [[*arc(46, 31, 20, 19, -150, 90), *arc(46, 69, 23, 19, -90, 150)]]),
    (3, [[(30, 14), (68, 14), (46, 42), *arc(46, 64, 23, 22, -80, 140)]]),
    (4, [[(54, 10), (26, 62), (76, 62)], [(60, 36), (60, 90)]]),
    (4, [[(32, 12), (28, 52), (72, 50)], [(66, 14), (62, 90)]]),
    (5, [[(70, 12), (34, 12), (32, 44), *arc(46, 64, 23, 23, -120, 140)]]),
    (5, [[(36, 14), (34, 46), *arc(48, 65, 20, 22, -110, 150)], [(36, 14), (70, 12)]]),
    (6, [[(64, 12), (44, 34), (32, 60), *arc(50, 68, 19, 20, 180, 530)]]),
    (6, [[(56, 10), (38, 40), (30, 66), *arc(48, 70, 18, 18, 170, 510)]]),
    (7, [[(28, 14), (72, 14), (44, 88)]]),
    (7, [[(28, 14), (72, 14), (42, 88)], [(36, 50), (66, 50)]]),
    (8, [[*arc(50, 31, 17, 19, 90, -270), *arc(50, 69, 21, 19, -90, 270)]]),
    (8, [[*arc(50, 30, 18, 18, -30, -270), *arc(50, 68, 20, 20, -90, 240), (66, 22)]]),
    (9, [[*arc(48, 32, 19, 20, 0, -360), (66, 50), (60, 90)]]),
    (9, [[*arc(50, 32, 18, 19, -20, -340), (68, 22), (66, 60), (50, 88), (34, 84)]]),
]
"""Two hands for each digit: its value and its strokes."""


def strokes_of(digit: str | int, hand: int = 0) -> list[Stroke]:
    """The strokes of a digit, by the first or the second hand."""
    return [strokes for value, strokes in DIGITS if value == int(digit)][hand]
