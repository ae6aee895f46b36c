"""The race: drawings that palacs asked for, against as many asked for equally, by the same hand.

Each request brings the drawing and one scan by another hand, the same on both sides, since what is
judged is how well strangers' digits are read. Where equal counts want a drawing that palacs has
not asked for yet, a stranger's scan stands in. Everything follows from the drawings and the seed,
and nothing that was shown changes later.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from palacs.evidence import default_model
from palacs.strategies import SpareSettled, Strategy
from palacs.studio._scans import GREYS, SYMBOLS, Codes, Features, Hands

DRAWINGS = 30
"""To the finish."""
_BANDWIDTH = 0.45
"""Of the Parzen window, for grey values scaled to [0, 1]: where few instances go furthest."""


def model() -> Any:
    """Return the classifier of both sides, unfitted."""
    return default_model(bandwidth=_BANDWIDTH, classes=np.arange(len(SYMBOLS)))


def strategy(random_state: int | None = None) -> Strategy:
    """Return the strategy that races against equal counts."""
    return SpareSettled(default_model(bandwidth=_BANDWIDTH), random_state)


@dataclass(frozen=True, slots=True)
class Drawn:
    """What a visitor drew, in order.

    Attributes
    ----------
    X : ndarray of shape (n, 64)
        Grey values from 0 to 16.
    codes : ndarray of shape (n,)
        Symbols, as places in `SYMBOLS`.
    """

    X: Features
    codes: Codes

    def __len__(self) -> int:
        """How many."""
        return len(self.codes)

    def of(self, code: int) -> Features:
        """Return those of one symbol, in order."""
        drawings: Features = self.X[self.codes == code]
        return drawings


@dataclass(frozen=True, slots=True)
class Curves:
    """How a race went so far.

    Attributes
    ----------
    asked, equal : ndarray of shape (n,)
        Share of the judges' digits that is misread after each drawing, each symbol weighing the
        same: asked for by palacs, and equally.
    stand_ins : int
        How many of the drawings that equal counts have now are a stranger's.
    """

    asked: Features
    equal: Features
    stand_ins: int


def companions(hands: Hands, codes: Codes) -> Features:
    """Return the scan that comes with each of the requests, shape (n, 64)."""
    numbers = [int((codes[:n] == code).sum()) for n, code in enumerate(codes)]
    scans = [hands.lent_to(code, n) for code, n in zip(codes.tolist(), numbers, strict=True)]
    return np.array(scans).reshape(len(codes), hands.judges.shape[1])


def equal_order(seed: int) -> Codes:
    """Return what equal counts ask for, shape (30,): every symbol once in each round."""
    rng = np.random.default_rng([seed, 2])
    rounds = -(-DRAWINGS // len(SYMBOLS))
    return np.concatenate([rng.permutation(len(SYMBOLS)) for _ in range(rounds)])[:DRAWINGS]


def curves(hands: Hands, drawn: Drawn, order: Codes) -> Curves:
    """Judge both sides after each drawing.

    Parameters
    ----------
    hands : Hands
    drawn : Drawn
        What palacs asked for.
    order : ndarray of shape (30,)
        What equal counts ask for.
    """
    greys, codes = drawn.X.astype(np.uint8), drawn.codes.astype(np.uint8)
    points = [
        _point(hands, greys[:n].tobytes(), codes[:n].tobytes(), order[:n].tobytes())
        for n in range(1, len(drawn) + 1)
    ]
    asked, equal, stand_ins = zip(*points, strict=True) if points else ((), (), (0,))
    return Curves(np.array(asked), np.array(equal), int(stand_ins[-1]))


@lru_cache(maxsize=2_000)  # a point never changes, and every page asks for all of them
def _point(hands: Hands, greys: bytes, codes: bytes, order: bytes) -> tuple[float, float, int]:
    """Return both sides' errors now, and how many drawings of equal counts a stranger made."""
    drawn = Drawn(
        np.frombuffer(greys, dtype=np.uint8).reshape(len(codes), -1).astype(np.float64),
        np.frombuffer(codes, dtype=np.uint8).astype(np.int64),
    )
    both = np.concatenate([drawn.X, companions(hands, drawn.codes)])
    asked = misread(hands, both, np.concatenate([drawn.codes, drawn.codes]))
    X, wanted, stand_ins = equal_set(hands, drawn, np.frombuffer(order, dtype=np.int64))
    return asked, misread(hands, X, wanted), stand_ins


def equal_set(hands: Hands, drawn: Drawn, order: Codes) -> tuple[Features, Codes, int]:
    """Return the labelled set of equal counts, and how many of its drawings a stranger made."""
    rows, codes, stand_ins = [], [], 0
    for code in range(len(SYMBOLS)):
        own = drawn.of(code)
        for number in range(int((order == code).sum())):
            stands_in = number >= len(own)
            rows.append(hands.stand_in(code, number) if stands_in else own[number])
            rows.append(hands.lent_to(code, number))
            codes += [code, code]
            stand_ins += stands_in
    return np.array(rows), np.array(codes), stand_ins


def misread(hands: Hands, X: Features, codes: Codes) -> float:
    """Return the share of the judges' digits that are misread, symbols weighing the same."""
    taken_for = model().fit(X / GREYS, codes).predict(hands.judges / GREYS)
    wrong = taken_for != hands.truth
    return float(np.mean([wrong[hands.truth == code].mean() for code in range(len(SYMBOLS))]))


# -- how it ended ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a race ended.

    Attributes
    ----------
    kind : {"won", "lost", "tie"}
        From palacs's side, by the errors after the last drawing.
    saved : int
        How many drawings fewer the winner needed for what the other finished with.
    sentence : str
    """

    kind: Literal["won", "lost", "tie"]
    saved: int
    sentence: str


def outcome(asked: Features, equal: Features) -> Outcome:
    """Say who won, and how many drawings earlier it was where the other finished.

    The winner was there from the first drawing on after which its error was never again above
    the error that the other finished with.

    Examples
    --------
    >>> import numpy as np
    >>> outcome(np.array([0.4, 0.2, 0.1, 0.1]), np.array([0.4, 0.3, 0.3, 0.2])).sentence
    'palacs saved you 2 drawings: after 2 it read as well as equal counts after 4.'
    >>> outcome(np.array([0.4, 0.3]), np.array([0.4, 0.2])).kind
    'lost'
    """
    n = len(asked)
    if np.isclose(asked[-1], equal[-1]):
        return Outcome("tie", 0, f"A tie: after {n} drawings both misread the same share.")
    won = bool(asked[-1] < equal[-1])
    winner, level = (asked, equal[-1]) if won else (equal, asked[-1])
    above = np.flatnonzero(winner > level + 1e-12)
    there = int(above[-1]) + 2 if len(above) else 1
    saved = n - there
    if saved == 0:
        name = "palacs won" if won else "palacs lost"
        return Outcome("won" if won else "lost", 0, f"{name} by the very last drawing.")
    drawings = f"{saved} drawing{'s' * (saved > 1)}"
    if won:
        text = f"palacs saved you {drawings}: after {there} it read as well as equal counts"
        return Outcome("won", saved, f"{text} after {n}.")
    text = f"palacs lost: equal counts would have saved you {drawings}. After {there} they read"
    return Outcome("lost", saved, f"{text} as well as palacs after {n}.")
