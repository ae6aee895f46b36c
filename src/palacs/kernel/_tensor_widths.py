"""The bandwidth of many instances in cells of a tensor: the rule of `_class_widths`.

What the rule rests on is kept by class, so that one more instance renews its own class alone.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from palacs.arrays import Cells, Wide, decision_steps, like, on_host, pair_steps, torch_of
from palacs.checks import Codes, Features
from palacs.kernel._bandwidth import (
    HALVINGS,
    MOST_ROWS,
    bandwidth_of,
    best_of_halvings,
    robust_mean,
    spanned_by_steps,
    steps_between,
)
from palacs.kernel._class_widths import asked_every, in_steps


class TensorWidths:
    """What a bandwidth rests on, kept from one decision to the next.

    Parameters
    ----------
    cells : Cells
        Filled by whoever asks, before each `bandwidth`.
    """

    def __init__(self, cells: Cells) -> None:
        torch = torch_of(cells.X)
        n_classes, n_features = len(cells.counts), cells.X.shape[1]
        each, every = max(1, MOST_ROWS // n_classes), int(asked_every(n_classes))
        self.everyone: Codes = np.arange(n_classes)
        self.own = np.repeat(self.everyone[::every], each)
        n_rows = len(self.own)
        self.own_there = like(self.own, cells.X, keep=True)

        slots = cells.X.new_zeros(n_rows, dtype=torch.int64)
        nearest = cells.X.new_zeros(n_rows, 2, dtype=torch.float64)
        shape = (HALVINGS + 1, n_classes, n_rows)
        logs = cells.X.new_full(shape, -torch.inf, dtype=torch.float64)
        self.wide = Wide(slots, each, every, nearest, logs)
        self.lacking = self.everyone
        self.widest, self.dimensions = 0.0, 1
        self.rows: Features = np.empty((n_rows, n_features))
        self.steps: Features = np.empty(0)
        self.nearest: Features = np.full(n_rows, np.inf)
        self.copies: Features = np.ones(n_rows)

    def change(self, classes: Codes) -> None:
        """Have classes (n_some,) looked at anew."""
        self.lacking = np.union1d(self.lacking, classes)

    def bandwidth(self, cells: Cells, counts: Codes, left_out: Codes) -> float | None:
        """Return the bandwidth that fits, or None where no class is at two places.

        Counts and how many are left out (n_classes,) are those of the cells.
        """
        wanted = np.minimum(left_out, self.wide.each)[self.own]
        place = np.arange(len(self.own)) % self.wide.each
        valid = place < wanted
        self._look(cells, np.where(valid, counts[self.own] - wanted + place, 0), valid)
        known = np.sort(self.nearest[valid & np.isfinite(self.nearest)])
        if len(known) == 0:
            return None
        reach = 2.0 * robust_mean(known, self.dimensions == 1)
        widest = float(in_steps(bandwidth_of(reach, float(self.dimensions))))
        if widest != self.widest:
            self.widest, self.lacking = widest, self.everyone
        self._fill(cells)
        found = decision_steps(cells.X).gained(self.wide, cells.counts, self.own_there)
        gained = np.where(valid & (counts[self.own] > self.copies), on_host(found), 0.0)
        copies = np.maximum(self.copies, 1.0)
        votes = (gained / copies).sum(1), (gained**2 / copies).sum(1)
        return widest * 0.5 ** int(best_of_halvings(*votes))

    def _look(self, cells: Cells, place: Codes, valid: np.ndarray) -> None:
        """Look at the distances within the classes that are lacking."""
        asked = self.lacking[self.lacking % self.wide.every == 0]
        if len(asked) == 0:
            return
        self.wide.slots.copy_(like(self.own * cells.most + place, cells.X, keep=True))
        pair_steps(cells.X).fill_nearest(cells, self.wide, asked)
        self.nearest, self.copies = on_host(self.wide.nearest).T.copy()
        some = np.flatnonzero(np.isin(self.own, asked))
        self.rows[some] = on_host(cells.X[self.wide.slots[like(some, cells.X, keep=True)]])
        self.dimensions = self._spanned(some, valid)

    def _spanned(self, renewed: Codes, valid: np.ndarray) -> int:
        """Return how many dimensions the rows span; steps between others are as they were."""
        if not valid.all() or len(self.steps) != len(valid):
            self.steps = steps_between(self.rows[valid])
            return int(spanned_by_steps(self.rows[valid], self.steps))
        for row in np.union1d(renewed, renewed + 1):
            if 0 < row < len(self.steps):
                self.steps[row] = steps_between(self.rows[row - 1 : row + 1])[1]
        return int(spanned_by_steps(self.rows, self.steps))

    def _fill(self, cells: Cells) -> None:
        """Fill the sums that are lacking, for every bandwidth."""
        scales = 0.5 / self.widest / self.widest * 4.0 ** np.arange(HALVINGS + 1)
        asked = self.everyone[:: self.wide.every]
        changed = np.intersect1d(self.lacking, asked)
        given = like(scales, cells.X, keep=True)
        fill = partial(pair_steps(cells.X).fill_wide, cells, self.wide)
        if len(self.lacking):
            fill(self.lacking, asked, given)
        if 0 < len(changed) < len(asked):
            fill(self.everyone, changed, given)
        self.lacking = self.everyone[:0]
