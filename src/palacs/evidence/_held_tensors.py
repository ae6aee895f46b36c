"""Left-out decisions over many instances of a tensor: only what changed is worked out.

The rules are those of `_many`. The instances that count are kept beside what was worked out from
them, and compared number by number before it is used again: whoever edits a tensor, or puts its
rows into a new one, gets what a fresh decision would give, to the last bit. What is kept goes with
the strategy that asks.
"""

from __future__ import annotations

from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from palacs.arrays import (
    Tensor,
    empty_around,
    empty_cells,
    empty_split,
    has_kernels,
    like,
    on_host,
    pair_steps,
    torch_of,
)
from palacs.checks import Bandwidth, Codes, Features
from palacs.evidence._held_decisions import HeldDecisions
from palacs.evidence._labelled_set import LabelledSet
from palacs.evidence._many import most_of_each, places_of_many
from palacs.evidence._settled import LEFT_OUT, WIDER, ClassEvidence
from palacs.kernel import Places, TensorWidths, parts_of_classes

# Beyond this much memory on a device nothing is kept, and decisions are made by other steps.
_MOST_BYTES = 3_500_000_000
# Products of float32 numbers may err by so much in an exponent.
_LOST_IN_FLOAT32 = 1e-3

Changed = npt.NDArray[np.bool_]


class HeldTensors:
    """What left-out decisions on a tensor rest on, kept from one to the next.

    Parameters
    ----------
    X : tensor of shape (n, n_features)
        Of which everything else has the type and the place.
    n_classes, most, most_left_out : int
        Cells for each class, and how many of it are left out at most.
    """

    def __init__(self, X: Tensor, n_classes: int, most: int, most_left_out: int) -> None:
        self.lock = Lock()
        self.form = _form(X, n_classes, most, most_left_out)
        self.cells = empty_cells(X, n_classes, most, most_left_out)
        self.widths = TensorWidths(self.cells)
        self.around = empty_around(self.cells)
        self.everyone: Codes = np.arange(n_classes)
        self.lacking = self.everyone
        self.bandwidth, self.first = 0.0, -1
        # A copy: a view would follow edits unnoticed, and keep the whole tensor.
        self.split = empty_split(self.cells, X[0].clone(), 1.0)
        self.counts: Codes = np.full(n_classes, -1)
        self.there: Changed = np.zeros((n_classes, most), dtype=np.bool_)
        self.decisions: HeldDecisions | None = None

    def fits(self, X: Tensor, n_classes: int, most: int, most_left_out: int) -> bool:
        """Whether a decision on such instances can use it."""
        return self.form == _form(X, n_classes, most, most_left_out)

    def evidence(
        self, X: Tensor, places: Places, bandwidth: Bandwidth, prior: Features
    ) -> ClassEvidence | None:
        """Return the evidence about each class, or None where it takes other steps.

        That is where no class is at two places, or products would lose too many digits.
        """
        self._look(X, places)
        width: float | None
        if bandwidth == "auto":
            width = self.widths.bandwidth(self.cells, self.counts, places.left_out)
        else:
            width = float(bandwidth)
        if width is None or not self._renew(WIDER * width):
            return None
        if self.decisions is None or not np.array_equal(self.decisions.prior, prior):
            self.decisions = HeldDecisions(self.cells, self.counts, places.left_out, prior)
        return self.decisions.decide(self.cells, self.around)

    def _look(self, X: Tensor, places: Places) -> None:
        """Put the instances that count into the cells, and find out which classes changed."""
        counts = np.diff(places.starts)
        resized = counts != self.counts
        if resized.any():
            self._resize(counts, places.left_out, np.flatnonzero(resized))
        rows = np.zeros(self.there.shape, dtype=np.int64)
        rows[self.there] = places.members
        there, steps = like(rows.ravel(), X, keep=True), pair_steps(X)
        changed = np.flatnonzero(on_host(steps.moved(self.cells, X, there)))
        first = int(np.argmax(counts > 0))
        if first != self.first or first in changed:
            self._centre(X[int(rows[first, 0])])
            self.first = first
        if len(changed):
            self._change(changed)
            steps.put(self.cells, X, there, changed)

    def _centre(self, centre: Tensor) -> None:
        """Centre all products on an instance; they are made anew where it is another."""
        if not torch_of(centre).equal(centre, self.split.centre):
            self.bandwidth = 0.0
            self.split = self.split._replace(centre=centre.clone())

    def _change(self, classes: Codes) -> None:
        """Have what rests on classes (n_some,) worked out, also after an interruption."""
        self.widths.change(classes)
        self.lacking = np.union1d(self.lacking, classes)

    def _resize(self, counts: Codes, left_out: Codes, resized: Codes) -> None:
        """Give the cells the sizes of the classes, and halves to those of another size."""
        self._change(resized)
        self.counts = np.full_like(counts, -1)  # until all of it is done
        cells, most = self.cells, self.cells.most
        parts: Codes = parts_of_classes(resized, counts, most)
        within = cells.part[: len(self.everyone) * most].view(-1, most)
        within[like(resized, cells.X, keep=True)] = like(parts, cells.X, keep=True)
        late = np.arange(cells.most_left_out)
        latest = np.where(late < left_out[:, None], (counts - left_out)[:, None] + late, 0)
        slots = self.everyone[:, None] * most + latest
        cells.slots.copy_(like(slots.ravel(), cells.X, keep=True))
        cells.counts.copy_(like(counts, cells.X, keep=True))
        cells.left_out.copy_(like(left_out, cells.X, keep=True))
        self.there = np.arange(most) < counts[:, None]
        self.decisions, self.counts = None, counts

    def _renew(self, bandwidth: float) -> bool:
        """Fill the sums that are lacking; False where products would lose too many digits."""
        cells, everyone = self.cells, self.everyone
        if bandwidth != self.bandwidth:
            self.bandwidth = 0.0  # until all of it is done
            self.split = empty_split(cells, self.split.centre, bandwidth)
            self.lacking, self.bandwidth = everyone, bandwidth
        steps, some = pair_steps(cells.X), self.lacking
        if len(some):
            steps.fill_split(cells, self.split, some)
            if has_kernels(cells.X) and not _exact(self.split.added):
                return False
            steps.fill_own(cells, self.split, some, self.around.own)
            steps.fill_pairs(cells, self.split, some, everyone, self.around.sums)
        if 0 < len(some) < len(everyone):
            steps.fill_pairs(cells, self.split, everyone, some, self.around.sums)
        self.lacking = everyone[:0]
        return True


def _form(X: Tensor, n_classes: int, most: int, most_left_out: int) -> tuple[Any, ...]:
    return X.device, X.dtype, X.shape[1], n_classes, most, most_left_out


def _exact(added: Tensor) -> bool:
    """Whether float32 products of centred instances err little enough in an exponent."""
    largest = -2.0 * float(added.amin())
    return 2.0 * largest * float(np.finfo(np.float32).eps) < _LOST_IN_FLOAT32


def can_hold(X: Tensor, n_classes: int, most: int, most_left_out: int) -> bool:
    """Whether decisions on such a tensor are kept: where kernels look at it, and there is room."""
    rows = n_classes * most_left_out
    sums = n_classes * rows * 5 * X.element_size()
    # The instances twice, once as float16 numbers, and once more while they are compared.
    instances = n_classes * most * X.shape[1] * 3 * X.element_size()
    return has_kernels(X) and sums + instances < _MOST_BYTES


def evidence_of_held(
    labelled: LabelledSet, bandwidth: Bandwidth, prior: Features, keeper: object
) -> ClassEvidence | None:
    """Return the evidence about each class of a tensor; None where it takes other steps.

    Parameters
    ----------
    bandwidth, prior
        As in `evidence_of_many`.
    keeper : object
        What is worked out is kept as long as this is there.
    """
    n_classes = labelled.n_classes
    form = (labelled.X, n_classes, most_of_each(n_classes), LEFT_OUT)
    if not can_hold(*form):
        return None
    held = held_tensors(keeper, *form)
    with held.lock:
        return held.evidence(labelled.X, places_of_many(labelled), bandwidth, prior)


_held: WeakKeyDictionary[Any, HeldTensors] = WeakKeyDictionary()
_lock = Lock()


def held_tensors(
    keeper: object, X: Tensor, n_classes: int, most: int, most_left_out: int
) -> HeldTensors:
    """Return what is kept for somebody, or something new that is from now on."""
    form = (X, n_classes, most, most_left_out)
    with _lock:
        held = _held.get(keeper)
        if held is None or not held.fits(*form):
            # Before there is room for another, this one must be gone.
            _held.pop(keeper, None)
            del held
            held = _held[keeper] = HeldTensors(*form)
        return held
