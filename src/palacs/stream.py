"""Random numbers as a pure function of (seed, step, purpose): NumPy's Philox, inside compiled code.

A strategy remembers nothing between two decisions, so neither may its random numbers: the draws
of a decision follow from the seed and the number of instances acquired so far, in any order and
in any process. Philox (Salmon et al., 2011) is counter-based and made for this; the stream here
is bit for bit that of ``numpy.random.Philox``, which also gives third parties a Generator.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload
from sklearn.utils import check_random_state

from palacs.compiled import compiled

Word = np.uint64
Vector = npt.NDArray[np.float64]

# One sub-stream per purpose, so that no draw of a decision depends on how many another took.
PSEUDO = np.uint64(0)
FOLDS = np.uint64(1)
PICK = np.uint64(2)
PENDING = np.uint64(3)
THIRD_PARTY = np.uint64(4)
HALVES = np.uint64(5)

# What Philox multiplies its counter by and adds to its key in every round.
PHILOX_MULTIPLIERS = np.uint64(0xD2E7470EE14C6C93), np.uint64(0xCA5A826395121157)
PHILOX_STEPS = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBB67AE8584CAA73B)
_M0, _M1 = PHILOX_MULTIPLIERS
_W0, _W1 = PHILOX_STEPS
_ELEVEN = np.uint64(11)
_ONE = np.uint64(1)
_TO_UNIT = 2.0**-53


class Stream(NamedTuple):
    """Where a decision's random numbers come from.

    Parameters
    ----------
    seed : numpy.uint64
        Follows from the strategy's ``random_state``.
    step : numpy.uint64
        How many instances were acquired or are pending.

    Examples
    --------
    >>> stream = Stream(np.uint64(7), np.uint64(12))
    >>> stream.generator().random() == stream.generator().random()
    True
    """

    seed: np.uint64
    step: np.uint64

    def generator(self) -> np.random.Generator:
        """Return a NumPy Generator of this decision's own, for strategies written in NumPy."""
        counter = np.array([0, self.step, THIRD_PARTY, 0], dtype=np.uint64)
        key = np.array([self.seed, 0], dtype=np.uint64)
        return np.random.Generator(np.random.Philox(key=key, counter=counter))


def _multiply_high(a: Word, b: Word) -> Word:
    """Return the upper 64 bits of a 64 x 64 bit product."""
    return np.uint64(int(a) * int(b) >> 64)


@intrinsic
def _multiply_high_at_once(typingctx: Any, a: Any, b: Any) -> Any:
    """Do so in one machine instruction, which Python cannot name."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        wide = ir.IntType(128)
        product = builder.mul(builder.zext(args[0], wide), builder.zext(args[1], wide))
        return builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), ir.IntType(64))

    return types.uint64(types.uint64, types.uint64), codegen


@overload(_multiply_high)
def _when_compiled(a: Any, b: Any) -> Any:
    def at_once(a: Any, b: Any) -> Any:
        return _multiply_high_at_once(a, b)

    return at_once


@compiled
def philox(seed: Word, step: Word, purpose: Word, block: int) -> tuple[Word, Word, Word, Word]:
    """Four random words: NumPy's ``Philox(key=[seed, 0], counter=[block, step, purpose, 0])``."""
    # NumPy counts up before it draws, so that its first words belong to block + 1.
    c0, c1, c2, c3 = np.uint64(block) + _ONE, step, purpose, np.uint64(0)
    k0, k1 = seed, np.uint64(0)
    for _ in range(10):
        h0, l0 = _multiply_high(_M0, c0), _M0 * c0
        h1, l1 = _multiply_high(_M1, c2), _M1 * c2
        c0, c1, c2, c3 = h1 ^ c1 ^ k0, l1, h0 ^ c3 ^ k1, l0
        k0 += _W0
        k1 += _W1
    return c0, c1, c2, c3


@compiled
def to_unit(word: Word) -> float:
    """Turn a random word into a float in [0, 1), as NumPy's ``Generator.random`` does.

    Callers say that it is a word: where Python runs them it is a plain number, which machine code
    would take for a signed one.
    """
    return np.float64(word >> _ELEVEN) * _TO_UNIT


@compiled
def uniform(stream: Stream, purpose: Word, i: int) -> float:
    """Return the first uniform number of block ``i``."""
    return float(to_unit(np.uint64(philox(stream.seed, stream.step, purpose, i)[0])))


@compiled
def fill_normal(stream: Stream, purpose: Word, first_block: int, out: Vector) -> int:
    """Fill the vector ``out`` with standard normals (Box-Muller, four to a Philox block).

    Returns the first block not used.
    """
    n = out.shape[0]
    block = first_block
    i = 0
    while i < n:
        words = philox(stream.seed, stream.step, purpose, block)
        block += 1
        for pair in range(2):
            first = words[0] if pair == 0 else words[2]
            second = words[1] if pair == 0 else words[3]
            # 1 - u lies in (0, 1], where the logarithm is finite.
            radius = np.sqrt(-2.0 * np.log(1.0 - to_unit(np.uint64(first))))
            angle = 2.0 * np.pi * to_unit(np.uint64(second))
            if i < n:
                out[i] = radius * np.cos(angle)
            if i + 1 < n:
                out[i + 1] = radius * np.sin(angle)
            i += 2
    return block


@compiled
def permutation(stream: Stream, purpose: Word, n: int) -> npt.NDArray[np.int64]:
    """Return a random permutation of range(n) (Fisher-Yates), shape (n,)."""
    order = np.arange(n)
    for i in range(n - 1, 0, -1):
        j = int(uniform(stream, purpose, i) * (i + 1))
        order[i], order[j] = order[j], order[i]
    return order


def seed_of(random_state: int | np.random.RandomState | None) -> np.uint64:
    """Turn scikit-learn's ``random_state`` into the seed of a `Stream`."""
    if isinstance(random_state, (int, np.integer)):
        return np.uint64(int(random_state) & 0xFFFF_FFFF_FFFF_FFFF)
    words = check_random_state(random_state).randint(0, 2**32, size=2, dtype=np.uint64)
    return np.uint64(words[0] << np.uint64(32) | words[1])
