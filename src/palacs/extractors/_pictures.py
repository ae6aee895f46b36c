"""Pictures as features: histograms of oriented gradients, by scikit-image."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from palacs.extractors._signals import Features, OneByOne
from palacs.extras import need


class HOG(OneByOne):
    """Histograms of oriented gradients of a picture: which edges are where.

    Parameters
    ----------
    size : int
        Pictures are made grey and `size` times `size` pixels large first.
    cell : int
        Pixels along one side of a cell, which has one histogram.

    Examples
    --------
    >>> import numpy as np
    >>> from palacs.extractors import HOG
    >>> picture = np.zeros((48, 60, 3), np.uint8)
    >>> HOG().transform([picture]).shape
    (1, 324)
    """

    def __init__(self, size: int = 64, cell: int = 16) -> None:
        self.size = size
        self.cell = cell

    def one(self, recording: npt.NDArray[Any]) -> Features:
        """Return the histograms of one picture, blocks of two by two cells made alike bright."""
        need("pictures", "The extractor hog")
        from skimage.color import rgb2gray
        from skimage.feature import hog
        from skimage.transform import resize

        picture = np.asarray(recording)
        if picture.ndim not in (2, 3) or (picture.ndim == 3 and picture.shape[2] != 3):
            raise ValueError(
                f"a recording has shape {picture.shape}; a picture of shape (height, width) or "
                "(height, width, 3) is wanted."
            )
        grey = rgb2gray(picture) if picture.ndim == 3 else picture.astype(np.float64)
        small = resize(grey, (self.size, self.size), anti_aliasing=True)
        cells = (self.cell, self.cell)
        found: Features = hog(small, pixels_per_cell=cells, cells_per_block=(2, 2))
        return found
