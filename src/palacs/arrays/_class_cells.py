"""Instances in cells: so many places for each class, so that a class is renewed by itself.

The tensors that are written about pairs of classes, too; `pair_steps` says by whom.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from palacs.arrays._similar_sums import fused
from palacs.arrays._tensors import Tensor, like, torch_of

Codes = npt.NDArray[np.int64]

# Kernels look at whole tiles: beyond the last cell there is something to read.
_BEYOND = 64
_ALIGNED = 64


class Cells(NamedTuple):
    """Instances of each class, the first ``most`` cells of which are taken as there are any.

    Attributes
    ----------
    X : tensor of shape (n_classes * most + some, n_features)
    counts : tensor of shape (n_classes,)
    part : tensor of shape (n_classes * most + some,)
        Which of four parts of its class each is in, -1 in empty cells.
    left_out : tensor of shape (n_classes,)
        How many of each class, the latest, are left out.
    slots : tensor of shape (n_classes * most_left_out,)
        Their cells; the first of the class where there are fewer.
    most, most_left_out : int
    """

    X: Tensor
    counts: Tensor
    part: Tensor
    left_out: Tensor
    slots: Tensor
    most: int
    most_left_out: int


class Split(NamedTuple):
    """The same as float16 numbers, high and low; a product of two is scaled and has to be added to.

    Attributes
    ----------
    high, low : tensor of shape (n_classes * most + some, width)
        Features less the centre, times a power of two; empty where no kernel takes them.
    query_high, query_low : tensor of shape (n_classes * most_left_out, width)
        The same of those that are left out.
    added : tensor of shape (n_classes * most + some,)
    numbers : tensor of shape (2,)
        A power of two that the features are times, and what squared norms are added times.
    factor, scale : float
        Of products, and of squared distances (1 / bandwidth²).
    centre : tensor of shape (n_features,)
    """

    high: Tensor
    low: Tensor
    query_high: Tensor
    query_low: Tensor
    added: Tensor
    numbers: Tensor
    factor: float
    scale: float
    centre: Tensor


class Around(NamedTuple):
    """What left-out instances see of each class.

    Attributes
    ----------
    sums : tensor of shape (n_classes, 5, n_classes * most_left_out)
        The largest exponent, and relative to it the sums of similarities over the four parts;
        nothing of the own class.
    own : tensor of shape (n_classes, most_left_out, most)
        Exponents between instances of a class.
    """

    sums: Tensor
    own: Tensor


class Tables(NamedTuple):
    """What sums count in a decision.

    Attributes
    ----------
    weights : tensor of shape (n_classes, 5)
        Of sums over a class, and over each of its four halves.
    sizes : tensor of shape (n_classes, 5)
        Of these.
    prior : tensor of shape (n_classes,)
        Of which the weight is that by the size.
    share : tensor of shape (n_classes * most_left_out,)
        What the decision on each instance counts, 0 where there is none.
    enough : int
        In classes of so many the instance beside a left-out one is left out with it.
    """

    weights: Tensor
    sizes: Tensor
    prior: Tensor
    share: Tensor
    enough: int


class Wide(NamedTuple):
    """What some instances see of each class under several bandwidths, in float64.

    Attributes
    ----------
    slots : tensor of shape (n_rows,)
        The cells of the instances, ``each`` of every class that is asked.
    each, every : int
        Every so many classes are asked.
    nearest : tensor of shape (n_rows, 2)
        The squared distance to the nearest of the own class at another place, infinite without,
        and how many are at the very same place, itself included.
    logs : tensor of shape (n_scales, n_classes, n_rows)
        Logarithms of sums of similarities to instances at other places.
    """

    slots: Tensor
    each: int
    every: int
    nearest: Tensor
    logs: Tensor


def empty_cells(X: Tensor, n_classes: int, most: int, most_left_out: int) -> Cells:
    """Return cells for instances like those of X (n, n_features), with nothing in them."""
    torch = torch_of(X)
    n = n_classes * most + _BEYOND
    return Cells(
        X.new_zeros(n, X.shape[1]),
        X.new_zeros(n_classes, dtype=torch.int64),
        X.new_full((n,), -1, dtype=torch.int64),
        X.new_zeros(n_classes, dtype=torch.int64),
        X.new_zeros(n_classes * most_left_out, dtype=torch.int64),
        most,
        most_left_out,
    )


def empty_split(cells: Cells, centre: Tensor, bandwidth: float) -> Split:
    """Return what the products for a bandwidth take, with nothing in it."""
    torch = torch_of(cells.X)
    # In units of about a bandwidth float16 numbers neither overflow nor vanish.
    power = float(2.0 ** -np.floor(np.log2(min(max(bandwidth, 1e-30), 1e30))))
    factor = float(np.float32(1.0 / bandwidth / bandwidth / power / power))
    width = -(-cells.X.shape[1] // _ALIGNED) * _ALIGNED if has_kernels(cells.X) else 0

    def halves(n: int) -> list[Tensor]:
        return [cells.X.new_zeros(n, width, dtype=torch.float16) for _ in range(2)]

    (high, low), (query_high, query_low) = halves(len(cells.X)), halves(len(cells.slots))
    added = cells.X.new_zeros(len(cells.X))
    # Of the factor as it is, so that both terms of an exponent mean the same bandwidth.
    scale = factor * power * power if width else 1.0 / bandwidth / bandwidth
    numbers = like(np.array([power, -0.5 * scale]), cells.X, keep=True)
    return Split(high, low, query_high, query_low, added, numbers, factor, scale, centre)


def empty_around(cells: Cells) -> Around:
    """Return what is known before anything is."""
    n_classes, n_rows = len(cells.counts), len(cells.slots)
    return Around(
        cells.X.new_zeros(n_classes, 5, n_rows).index_fill_(
            1, like(np.zeros(1, dtype=np.int64), cells.X, keep=True), -float("inf")
        ),
        cells.X.new_zeros(n_classes, cells.most_left_out, cells.most),
    )


def has_kernels(X: Tensor) -> bool:
    """Whether kernels look at this tensor, and not torch's steps."""
    return bool(X.is_cuda and X.dtype == torch_of(X).float32 and fused().AVAILABLE)


def pair_steps(X: Tensor) -> Any:
    """Return the module that fills what is written about pairs of classes, for such a tensor."""
    return _module("_pair_kernels" if has_kernels(X) else "_pair_steps")


def decision_steps(X: Tensor) -> Any:
    """Return the module that decides from what is written about pairs, for such a tensor."""
    return _module("_decision_kernels" if has_kernels(X) else "_decision_steps")


@cache
def _module(name: str) -> Any:
    """Return a module, imported where it is wanted: Triton takes its time."""
    return import_module(f"palacs.arrays.{name}")
