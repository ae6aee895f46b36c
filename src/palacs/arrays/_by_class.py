"""Instances ordered by class, so that what belongs to a class lies side by side."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from palacs.arrays._tensors import Tensor, like, torch_of

Codes = npt.NDArray[np.int64]


class ByClass(NamedTuple):
    """Instances ordered by class, within a class as they were acquired.

    Attributes
    ----------
    X : tensor of shape (n, n_features)
    y : tensor of shape (n,)
        Ascending codes.
    order : tensor of shape (n,)
        Where each was in the order of acquisition.
    lengths, starts : tensor of shape (n_segments,)
        How many there are of each class, or part of a class, and the place of the first.
    """

    X: Tensor
    y: Tensor
    order: Tensor
    lengths: Tensor
    starts: Tensor

    def sums(self, values: Tensor) -> Tensor:
        """Sum values (n, ...) over each segment: (n_segments, ...), the same every time."""
        torch = torch_of(values)
        return torch.segment_reduce(values, "sum", lengths=self.lengths, axis=0, unsafe=True)


def by_class(X: Tensor, y: Codes, n_classes: int, part: Codes | None = None) -> ByClass:
    """Order instances by class and, with ``part`` (n,) from 0 to 3, by part within the class.

    Segments are then the four parts of each class.
    """
    key = y if part is None else 4 * y + part
    lengths = np.bincount(key, minlength=n_classes if part is None else 4 * n_classes)
    order = torch_of(X).argsort(like(key, X, keep=True), stable=True)
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    return ByClass(
        X[order],
        like(y, X, keep=True)[order],
        order,
        like(lengths, X, keep=True),
        like(starts, X, keep=True),
    )
