"""Let 200 simulated visitors race: drawings that palacs asks for against equal counts.

Two kinds of visitors play the race of the drawing demo as the page does. *Writers*: each of the 14
forms behind scikit-learn's digits is a visitor's own hand, in ever new orders, and takes no other
part. *Made hands*: each visitor is a style of its own by `drawn_for_you`, drawn as strokes.
Digits that a visitor did not draw stand in on the page; here everybody's next drawing is known,
so the same race is also run with a visitor's own drawings throughout, to see what that changes.
Run with ``python benchmarks/drawing.py [--visitors 200] [--seed 1]``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table
from scipy import stats

from palacs.studio._drawn_for_you import drawn_for_you
from palacs.studio._race import (
    DRAWINGS,
    Curves,
    Drawn,
    companions,
    curves,
    equal_order,
    misread,
    outcome,
    strategy,
)
from palacs.studio._scans import GREYS, N_FORMS, SYMBOLS, Hands, hands_of, scans
from palacs.studio._strokes import to_digit

Features = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]
# A visitor's drawings of each symbol, in the order in which they would be made: (30, 64) each.
Pile = list[Features]
_RESAMPLES = 10_000


@dataclass(frozen=True)
class Race:
    """One visitor's race: whose hand, its curves, and equal counts of own drawings only."""

    hand: int
    curves: Curves
    counts: Codes
    equal_own: float


def writer(number: int, seed: int) -> tuple[Pile, Hands, int]:
    """Return a visitor whose drawings are scans of one form, and the hands of the other forms."""
    form = number % N_FORMS
    rng = np.random.default_rng([seed, 10, number])
    X, digits, forms = scans()
    pile = []
    for symbol in SYMBOLS:
        own = X[(forms == form) & (digits == int(symbol))]
        # Nobody wrote more than 14 of one digit: who is asked for more brings old ones again.
        pile.append(np.concatenate([rng.permutation(own) for _ in range(4)])[:DRAWINGS])
    return pile, hands_of(1_000 * seed + number, without=form), form


def made_hand(number: int, seed: int) -> tuple[Pile, Hands, int]:
    """Return a visitor that draws strokes in a style of its own, and the hands of all forms."""
    hand = 1_000 * seed + number
    pile = [
        np.array([to_digit(drawn_for_you(symbol, hand, n)) for n in range(DRAWINGS)])
        for symbol in SYMBOLS
    ]
    return pile, hands_of(hand), hand


def race(pile: Pile, hands: Hands, seed: int) -> tuple[Drawn, Curves, float]:
    """Play a race to the finish as the page does."""
    asks = strategy(seed)
    codes: list[int] = []
    counts = [0] * len(SYMBOLS)
    X = np.empty((0, hands.judges.shape[1]))
    for _ in range(DRAWINGS):
        y = np.array(codes, dtype=np.int64)
        both = np.stack([X, companions(hands, y)], axis=1).reshape(-1, X.shape[1])
        every = np.arange(len(SYMBOLS))
        code = int(asks.query(both / GREYS, np.repeat(y, 2), classes=every)[0])
        X = np.vstack([X, pile[code][counts[code]]])
        codes.append(code)
        counts[code] += 1
    drawn, order = Drawn(X, np.array(codes)), equal_order(seed)
    own = np.array([pile[code][(order[:n] == code).sum()] for n, code in enumerate(order)])
    both = np.concatenate([own, companions(hands, order)])
    equal_own = misread(hands, both, np.concatenate([order, order]))
    return drawn, curves(hands, drawn, order), equal_own


def play(
    visitor: Callable[[int, int], tuple[Pile, Hands, int]], visitors: int, seed: int
) -> list[Race]:
    races = []
    for number in range(visitors):
        pile, hands, hand = visitor(number, seed)
        drawn, both, equal_own = race(pile, hands, 1_000 * seed + number)
        counts = np.bincount(drawn.codes, minlength=len(SYMBOLS))
        races.append(Race(hand, both, counts, equal_own))
    return races


def interval(differences: Features, hands: Codes, seed: int) -> tuple[float, float]:
    """Return the mean's 95 % interval by resampling hands: visits of one hand are no two hands."""
    rng = np.random.default_rng(seed)
    every = np.unique(hands)
    sums = np.array([differences[hands == hand].sum() for hand in every])
    sizes = np.array([(hands == hand).sum() for hand in every])
    picks = rng.integers(len(every), size=(_RESAMPLES, len(every)))
    means = sums[picks].sum(axis=1) / sizes[picks].sum(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


def show(title: str, races: list[Race], seed: int, console: Console) -> bool:
    """Print how the races went; return whether palacs won with certainty."""
    asked = np.array([one.curves.asked[-1] for one in races])
    hands = np.array([one.hand for one in races])
    table = Table(title=f"{title}: misread after {DRAWINGS} drawings, {len(races)} visitors")
    for column in ("equal counts", "palacs", "equal", "difference", "95 %", "p (paired t)"):
        table.add_column(column, justify="right")
    certain = []
    rivals = {
        "as on the page": np.array([one.curves.equal[-1] for one in races]),
        "own drawings only": np.array([one.equal_own for one in races]),
    }
    for name, equal in rivals.items():
        low, high = interval(asked - equal, hands, seed)
        p = float(stats.ttest_rel(asked, equal).pvalue)
        gap = (asked.mean() - equal.mean()) / equal.mean()
        table.add_row(
            name,
            f"{asked.mean():.2%}",
            f"{equal.mean():.2%}",
            f"{100 * (asked - equal).mean():+.2f} points ({gap:+.1%})",
            f"{100 * low:+.2f} to {100 * high:+.2f}",
            f"{p:.1g}",
        )
        certain.append(high < 0.0)
    console.print(table)
    _tell(races, console)
    return all(certain)


def _tell(races: list[Race], console: Console) -> None:
    ends = [outcome(one.curves.asked, one.curves.equal) for one in races]
    share = {kind: np.mean([end.kind == kind for end in ends]) for kind in ("won", "lost", "tie")}
    saved = np.array([{"won": 1, "lost": -1, "tie": 0}[end.kind] * end.saved for end in ends])
    counts = np.mean([one.counts for one in races], axis=0)
    asked_for = ", ".join(f"{symbol}: {n:.1f}" for symbol, n in zip(SYMBOLS, counts, strict=True))
    stand_ins = np.mean([one.curves.stand_ins for one in races])
    console.print(
        f"A single visitor wins in {share['won']:.0%}, loses in {share['lost']:.0%} and draws in "
        f"{share['tie']:.0%} of races; saved drawings: {saved.mean():.1f} on average, median "
        f"{np.median(saved):.0f}. Asked for: {asked_for}; {stand_ins:.1f} stand-ins for equal "
        "counts.\n"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--visitors", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    console = Console(soft_wrap=True)
    reached = True
    for title, visitor in (("Writers", writer), ("Made hands", made_hand)):
        races = play(visitor, options.visitors, options.seed)
        reached &= show(title, races, options.seed, console)
    console.print("Certain in all rows." if reached else "NOT certain in all rows.")
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
