"""The random numbers of `palacs.stream`, many blocks at once and where a tensor lies.

Words are those of the compiled Philox bit for bit; torch knows signed words of 64 bits alone, in
which sums and products wrap as they should and only a shift has to be put right.
"""

from __future__ import annotations

from math import pi

import numpy as np

from palacs.arrays._tensors import Tensor, torch_of
from palacs.stream import PHILOX_MULTIPLIERS, PHILOX_STEPS, Stream

_HALF = 0xFFFF_FFFF
_TO_UNIT = 2.0**-53


def draws(
    stream: Stream, purpose: np.uint64, first: Tensor, n_normals: int, n_uniforms: int
) -> tuple[Tensor, Tensor, Tensor]:
    """Return from each first block (n_rows,) on a uniform number, normals and further uniforms.

    As `uniform`, `fill_normal` and `uniform` draw them one block after the other: float64, of shape
    (n_rows,), (n_rows, n_normals) and (n_rows, n_uniforms).
    """
    torch = torch_of(first)
    n_blocks = (n_normals + 3) // 4
    # All at once: a GPU is asked hundreds of times for one of these, however many blocks there are.
    blocks = torch.arange(1 + n_blocks + n_uniforms, device=first.device)
    words = _philox(stream, purpose, first[:, None] + blocks)
    middle = slice(1, 1 + n_blocks)
    pairs = []
    for radius_word, angle_word in (words[:2], words[2:]):
        # 1 - u lies in (0, 1], where the logarithm is finite.
        radius = torch.sqrt(-2.0 * torch.log(1.0 - _to_unit(radius_word[:, middle])))
        angle = 2.0 * pi * _to_unit(angle_word[:, middle])
        pairs += [radius * torch.cos(angle), radius * torch.sin(angle)]
    normals = torch.stack(pairs, dim=-1).reshape(len(first), -1)[:, :n_normals]
    return _to_unit(words[0][:, 0]), normals, _to_unit(words[0][:, 1 + n_blocks :])


def _philox(stream: Stream, purpose: np.uint64, blocks: Tensor) -> tuple[Tensor, ...]:
    torch = torch_of(blocks)
    first, second = (int(m) for m in PHILOX_MULTIPLIERS)
    c0 = blocks + 1
    c1 = torch.full_like(c0, _signed(int(stream.step)))
    c2 = torch.full_like(c0, _signed(int(purpose)))
    c3 = torch.zeros_like(c0)
    k0, k1 = int(stream.seed), 0
    for _ in range(10):
        h0, l0 = _multiply_high(first, c0), c0 * _signed(first)
        h1, l1 = _multiply_high(second, c2), c2 * _signed(second)
        c0, c1, c2, c3 = h1 ^ c1 ^ _signed(k0), l1, h0 ^ c3 ^ _signed(k1), l0
        k0, k1 = k0 + int(PHILOX_STEPS[0]), k1 + int(PHILOX_STEPS[1])
    return c0, c1, c2, c3


def _multiply_high(a: int, b: Tensor) -> Tensor:
    """Return the upper 64 bits of the products, from those of their halves."""
    a_low, a_high = a & _HALF, a >> 32
    b_low, b_high = b & _HALF, (b >> 32) & _HALF
    across, other = b_high * a_low, b_low * a_high
    middle = (((b_low * a_low) >> 32) & _HALF) + (across & _HALF) + (other & _HALF)
    return b_high * a_high + ((across >> 32) & _HALF) + ((other >> 32) & _HALF) + (middle >> 32)


def _to_unit(word: Tensor) -> Tensor:
    torch = torch_of(word)
    return ((word >> 11) & (2**53 - 1)).to(torch.float64) * _TO_UNIT


def _signed(word: int) -> int:
    word &= 2**64 - 1
    return word - 2**64 if word >= 2**63 else word
