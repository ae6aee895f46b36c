"""Decisions on left-out instances from what they see of each class, in cells of a tensor."""

from __future__ import annotations

import numpy as np

from palacs.arrays import Around, Cells, Tables, Tensor, decision_steps, like, on_host
from palacs.checks import Codes, Features
from palacs.evidence._settled import SPLITS, TAKEN, ClassEvidence
from palacs.kernel import ENOUGH


class HeldDecisions:
    """Decides on left-out instances; what sizes and prior say is made once.

    Parameters
    ----------
    cells : Cells
    counts, left_out : ndarray of shape (n_classes,)
        Of the cells: this holds as long as these do.
    prior : ndarray of shape (n_classes,)
        Corrects for class sizes.
    """

    def __init__(self, cells: Cells, counts: Codes, left_out: Codes, prior: Features) -> None:
        self.prior = prior
        self.valid = np.arange(cells.most_left_out) < left_out[:, None]
        share = np.where(self.valid, 1.0 / np.maximum(left_out, 1)[:, None], 0.0)
        half = counts // 2
        # Of a class and of its halves.
        sizes = np.stack([counts, *([half, counts - half] * SPLITS)], axis=1).astype(np.float64)
        weights = np.where(sizes > 0, prior[:, None] / np.maximum(sizes, 1.0), 0.0)

        def there(values: Features) -> Tensor:
            return like(values, cells.X, keep=True)

        given = (there(weights), there(sizes), there(prior), there(share.ravel()))
        self.tables = Tables(*given, ENOUGH)

    def decide(self, cells: Cells, around: Around) -> ClassEvidence:
        """Return what follows from left-out decisions, as `decide_rows` adds it up."""
        told: Features = on_host(decision_steps(cells.X).decided(cells, around, self.tables))
        valid, n_classes, n_rows = self.valid, len(self.valid), self.valid.size
        mistaken = np.where(valid, 1.0 - told[:n_rows].reshape(valid.shape), 0.0)
        rival = told[n_rows : 2 * n_rows].astype(np.int64).reshape(valid.shape)
        counted = valid & (rival >= 0) & (1.0 - mistaken < TAKEN)
        pairs = (np.arange(n_classes)[:, None] * n_classes + rival)[counted]
        confused = np.zeros(n_classes**2)
        np.add.at(confused, pairs, mistaken[counted])
        return ClassEvidence(
            valid.sum(1).astype(np.float64),
            mistaken.sum(1),
            told[2 * n_rows :].reshape(n_classes, -1),
            confused.reshape(n_classes, -1),
        )
