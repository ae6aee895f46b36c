"""Whose digits they are: the hands behind scikit-learn's scans, dealt anew for every race.

The scans come form by form: every form begins with the same row of digits, which tells where one
hand ends and the next begins. A race deals the forms: half of them lend drawings to both sides,
the other half judges. No hand does both.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
import numpy.typing as npt

Features = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]

SYMBOLS = ("0", "3", "7", "9")
"""One soon settled, some alike: benchmarks/drawing.py says what that brings."""
GREYS = 16.0
# Where each of the 14 forms begins, and the end. They are of 13 people: somebody filled in two.
_FORMS = (0, 130, 256, 386, 516, 646, 776, 915, 1029, 1157, 1287, 1415, 1545, 1667, 1797)
N_FORMS = len(_FORMS) - 1


@dataclass(frozen=True, slots=True, eq=False)
class Hands:
    """The hands of one race.

    Attributes
    ----------
    lent : tuple of ndarray of shape (n_scans, 64)
        For each symbol the scans that come along with drawings, in their order.
    judges : ndarray of shape (n_judges, 64)
        Scans of the other hands.
    truth : ndarray of shape (n_judges,)
        Their symbols, as places in `SYMBOLS`.
    """

    lent: tuple[Features, ...]
    judges: Features
    truth: Codes

    def lent_to(self, symbol: int, number: int) -> Features:
        """Return the scan that comes with the request for a symbol of that number, from 0."""
        scan: Features = self.lent[symbol][number % len(self.lent[symbol])]
        return scan

    def stand_in(self, symbol: int, number: int) -> Features:
        """Return a scan for a drawing that nobody made: from the end, so that none comes twice."""
        return self.lent_to(symbol, -1 - number)


@cache
def scans() -> tuple[Features, Codes, Codes]:
    """Return scikit-learn's digits: greys from 0 to 16 (1797, 64), digits and forms (1797,)."""
    from sklearn.datasets import load_digits

    bunch = load_digits()
    forms = np.repeat(np.arange(N_FORMS), np.diff(_FORMS))
    return np.asarray(bunch.data, dtype=np.float64), bunch.target.astype(np.int64), forms


@lru_cache(maxsize=64)
def hands_of(seed: int, without: int | None = None) -> Hands:
    """Deal the hands of a race.

    Parameters
    ----------
    seed : int
        The race's.
    without : int or None, default=None
        A form that takes no part, because it is the visitor's.

    Examples
    --------
    >>> hands = hands_of(0)
    >>> len(hands.lent), hands.judges.shape[1]
    (4, 64)
    """
    rng = np.random.default_rng([seed, 1])
    X, digits, forms = scans()
    dealt = [form for form in rng.permutation(N_FORMS).tolist() if form != without]
    lending, judging = dealt[: N_FORMS // 2], dealt[N_FORMS // 2 :]
    lent = tuple(
        rng.permutation(X[np.isin(forms, lending) & (digits == int(symbol))]) for symbol in SYMBOLS
    )
    judged = [np.isin(forms, judging) & (digits == int(symbol)) for symbol in SYMBOLS]
    truth = np.repeat(np.arange(len(SYMBOLS)), [int(which.sum()) for which in judged])
    return Hands(lent, np.concatenate([X[which] for which in judged]), truth)
