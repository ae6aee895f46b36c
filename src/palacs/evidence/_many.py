"""Left-out decisions over many instances, class by class: only what changed is worked out.

The evidence is that of `_settled`, over at most 50 instances of each class, or 4,000 in all. It
rests on pairs of classes. Whoever says where instances come from (`LabelledSet.origin`) pays for
the classes that changed since the decision before.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from math import log
from typing import NamedTuple

import numpy as np

from palacs.checks import Bandwidth, Codes, Features
from palacs.compiled import compiled
from palacs.evidence._held import MOST_BYTES, Held, held_for
from palacs.evidence._labelled_set import MANY, LabelledSet
from palacs.evidence._product_threads import threads_of_one_product_each
from palacs.evidence._settled import (
    LEFT_OUT,
    SPLITS,
    TAKEN,
    WIDER,
    ClassEvidence,
    Halves,
    no_evidence,
    soft,
)
from palacs.kernel import (
    Members,
    Places,
    Sums,
    choose_members,
    choose_places,
    fill_nearest,
    fill_sums,
    fill_widths,
    fitting_bandwidth,
    halved,
    no_widths,
    widest_bandwidth,
    width_rows,
)

# So many classes' rows are worked out at a time, by one thread.
_AT_A_TIME = 16
_OF_EACH = 50
# A half of a class looks at most three times as likely as all of it.
_TIMES_LIKELIER = log(3.0) + 1e-9
# What is further from the best than rounding cannot be better.
_NEARLY = 1.0 - 1e-6


def evidence_of_many(labelled: LabelledSet, bandwidth: Bandwidth, prior: Features) -> ClassEvidence:
    """Return the Parzen window's evidence about each class of a labelled set.

    Parameters
    ----------
    labelled : LabelledSet
    bandwidth : float or "auto"
        The model's; decisions look `WIDER` times as far.
    prior : ndarray of shape (n_classes,)
        Corrects for class sizes.
    """
    n_classes = labelled.n_classes
    chosen = members_of_many(labelled)
    evidence: ClassEvidence = no_evidence(n_classes)
    lasting = labelled.origin is not None and _bytes(n_classes) <= MOST_BYTES
    with threads_of_one_product_each() as threads, held_for(labelled.origin) as held:
        held.look(labelled, chosen)
        if held.evidence is not None and held.evidence[0] == (bandwidth, prior.tobytes()):
            return held.evidence[1]
        work = _Work(labelled.X, chosen, held, threads)
        width = WIDER * (work.bandwidth() if bandwidth == "auto" else float(bandwidth))
        sums = work.held_sums(width) if lasting else work.passing_sums(width)

        def decide(rows: Codes) -> Features:
            # Rows of the evidence belong to one class; what is lost may be any class's.
            found = evidence._replace(lost=np.zeros_like(evidence.lost))
            decide_rows(sums(rows), chosen, prior, found)
            return found.lost

        # Added up in one order, whoever is quicker.
        for lost in threads.map(decide, _portions(work.everyone)):
            evidence.lost[:] += lost
        held.evidence = (bandwidth, prior.tobytes()), evidence
    return evidence


def places_of_many(labelled: LabelledSet) -> Places:
    """Return `members_of_many` without their halves."""
    n_classes = labelled.n_classes
    places: Places = choose_places(labelled.y, n_classes, most_of_each(n_classes), LEFT_OUT)
    return places


def members_of_many(labelled: LabelledSet) -> Members:
    """Return the instances that are looked at, class by class."""
    n_classes = labelled.n_classes
    chosen: Members = choose_members(labelled.y, n_classes, most_of_each(n_classes), LEFT_OUT)
    return chosen


def most_of_each(n_classes: int) -> int:
    """Return how many of each class are looked at, at most."""
    return max(_OF_EACH, MANY // n_classes)


class Selection(NamedTuple):
    """What `evidence_of_many` looks at, in the order of acquisition.

    Attributes
    ----------
    places : ndarray of shape (n_selected,)
        In the labelled set.
    known : Halves
        Classes and halves of those selected.
    width_rows : ndarray of shape (n_rows,)
        Which of those selected the bandwidth rests on.
    """

    places: Codes
    known: Halves
    width_rows: Codes


def select_of_many(labelled: LabelledSet) -> Selection:
    """Return what `evidence_of_many` looks at, for whoever computes elsewhere."""
    chosen = members_of_many(labelled)
    order = np.argsort(chosen.members)
    places = chosen.members[order]
    y, half = labelled.y[places], chosen.half[order]
    counts = np.diff(chosen.starts)
    in_half = np.repeat(counts[:, None] // 2, SPLITS, axis=1)
    ends = zip(chosen.starts[1:], width_rows(chosen), strict=True)
    rows = np.concatenate([chosen.members[end - wanted : end] for end, wanted in ends])
    return Selection(places, Halves(y, counts, half, in_half), np.searchsorted(places, rows))


class _Work:
    """Fills what is lacking, in as many threads as matrix products would take."""

    def __init__(
        self, X: Features, chosen: Members, held: Held, threads: ThreadPoolExecutor
    ) -> None:
        self.X, self.chosen, self.held, self.threads = X, chosen, held, threads
        self.everyone: Codes = np.arange(len(chosen.left_out))

    def bandwidth(self) -> float:
        """Return the bandwidth that fits."""
        X, chosen, held = self.X, self.chosen, self.held
        if held.widths is None:
            held.widths, held.lacks_widths = no_widths(len(self.everyone)), self.everyone
        widths = held.widths
        fill_nearest(X, chosen, held.lacks_widths, held.centre, widths)
        widest = float(widest_bandwidth(X, chosen, widths))
        if widest == 0.0:
            return self._without_neighbours()
        if widest != held.widest:
            held.widest, held.lacks_widths = widest, self.everyone

        def fill(rows: Codes, columns: Codes) -> None:
            fill_widths(X, chosen, (rows, columns), (held.centre, widest), widths)

        self._fill(fill, held.lacks_widths)
        held.lacks_widths = self.everyone[:0]
        return float(halved(chosen, widest, widths))

    def _without_neighbours(self) -> float:
        """Return the bandwidth where no class is at two places: the latest of each say."""
        last = self.chosen.starts[1:][self.chosen.left_out > 0] - 1
        X = self.X[self.chosen.members[last[-MANY:]]].astype(np.float64)
        return fitting_bandwidth(X, np.arange(len(X)))

    def held_sums(self, bandwidth: float) -> Callable[[Codes], Sums]:
        """Fill all sums and hold them; return how to get those of consecutive classes."""
        held, n_classes = self.held, len(self.everyone)
        if held.sums is None or held.bandwidth != bandwidth:
            held.sums = held.sums or _space(0, n_classes, n_classes)
            held.bandwidth, held.lacks_sums = bandwidth, self.everyone
        sums = held.sums

        def fill(rows: Codes, columns: Codes) -> None:
            fill_sums(self.X, self.chosen, (rows, columns), (held.centre, bandwidth), sums)

        self._fill(fill, held.lacks_sums)
        held.lacks_sums = self.everyone[:0]

        def some(rows: Codes) -> Sums:
            here = slice(int(rows[0]), int(rows[-1]) + 1)
            return Sums(here.start, sums.logs[here], sums.parts[here], sums.beside[here])

        return some

    def passing_sums(self, bandwidth: float) -> Callable[[Codes], Sums]:
        """Return how to get the sums of consecutive classes, which nobody holds."""
        model = (self.held.centre, bandwidth)

        def some(rows: Codes) -> Sums:
            sums = _space(int(rows[0]), len(rows), len(self.everyone))
            fill_sums(self.X, self.chosen, (rows, self.everyone), model, sums)
            return sums

        return some

    def _fill(self, fill: Callable[[Codes, Codes], None], lacking: Codes) -> None:
        """Fill the rows of classes that are lacking, and what all others know of these."""
        others = np.setdiff1d(self.everyone, lacking)
        tasks = [(rows, self.everyone) for rows in _portions(lacking)]
        if len(lacking):
            tasks += [(rows, lacking) for rows in _portions(others)]
        for _ in self.threads.map(lambda task: fill(*task), tasks):
            pass


def _portions(classes: Codes) -> list[Codes]:
    return [classes[first : first + _AT_A_TIME] for first in range(0, len(classes), _AT_A_TIME)]


def _space(first: int, n_rows: int, n_classes: int) -> Sums:
    logs = np.full((n_rows, LEFT_OUT, n_classes), -np.inf)
    # Where there are very many classes half as many digits are kept of the smaller part.
    whole = n_classes**2 * LEFT_OUT * 8 * (1 + SPLITS) <= MOST_BYTES
    parts = np.zeros((*logs.shape, SPLITS), dtype=np.float64 if whole else np.float32)
    return Sums(first, logs, parts, np.full((n_rows, LEFT_OUT), -1))


def _bytes(n_classes: int) -> int:
    return n_classes**2 * LEFT_OUT * (8 + 4 * SPLITS)


@compiled
def decide_rows(sums: Sums, chosen: Members, prior: Features, into: ClassEvidence) -> None:
    """Decide the instances left out of some classes, and add what follows to the evidence.

    As `palacs.evidence.tally` does; ``prior`` (n_classes,) corrects for class sizes.
    """
    n_classes = chosen.left_out.shape[0]
    weights = np.zeros(n_classes)
    for c in range(n_classes):
        size = chosen.starts[c + 1] - chosen.starts[c]
        weights[c] = _log_weight(prior, c, size)
    for a in range(sums.logs.shape[0]):
        own = sums.first + a
        size = chosen.starts[own + 1] - chosen.starts[own]
        for r in range(chosen.left_out[own]):
            itself = size - chosen.left_out[own] + r
            left_out = (own, itself, sums.beside[a, r])
            _decide_row(left_out, (sums.logs[a, r], sums.parts[a, r], weights), chosen, prior, into)


@compiled
def _log_weight(prior: Features, c: int, size: int) -> float:
    """Return what is added to the logarithm of a sum over ``size`` instances for its score."""
    return np.log(prior[c] / size) if size > 0 and prior[c] > 0.0 else -np.inf


@compiled
def _decide_row(
    left_out: tuple[int, int, int],
    known: tuple[Features, Features, Features],
    chosen: Members,
    prior: Features,
    into: ClassEvidence,
) -> None:
    """Add the decision on one instance, and those with half of each class missing.

    ``left_out`` is (its class, its place there, the place of the one beside it or -1); ``known``
    are logarithms of sums (n_classes,), the halves' parts of them and logarithms of weights.
    """
    own, itself, beside = left_out
    logs, parts, weights = known
    best, second, rival = -np.inf, -np.inf, -1
    for c in range(logs.shape[0]):
        score = logs[c] + weights[c]
        if c != own and score > second:
            if score > best:
                best, second, rival = score, best, c
            else:
                second = score
    size = chosen.starts[own + 1] - chosen.starts[own]
    gone = 2 if beside >= 0 else 1
    mine = logs[own] + _log_weight(prior, own, size - gone)
    unit = max(mine, best)
    if unit == -np.inf:
        unit = 0.0
    own_score, best_score, second_score = (
        np.exp(mine - unit),
        np.exp(best - unit),
        np.exp(second - unit),
    )
    right = soft(own_score, best_score)
    into.left_out[own] += 1.0
    into.mistaken[own] += 1.0 - right
    if rival >= 0 and right < TAKEN:
        into.confused[own, rival] += 1.0 - right
    share = 1.0 / chosen.left_out[own]
    first = chosen.starts[own]
    for s in range(SPLITS):
        for side in range(2):
            left = size // 2 if side == 0 else size - size // 2
            left -= 1 if chosen.half[first + itself, s] == (side == 0) else 0
            left -= 1 if beside >= 0 and chosen.half[first + beside, s] == (side == 0) else 0
            score = _half_score(logs[own] - unit, parts[own, s], side, _share(prior, own, left))
            into.lost[own, 2 * s + side] += share * (right - soft(score, best_score))
    for c in range(logs.shape[0]):
        near = logs[c] + weights[c] - best
        # Of all others no half comes near the best: they change nothing.
        if c == own or not near > -_TIMES_LIKELIER:
            continue
        size = chosen.starts[c + 1] - chosen.starts[c]
        if c != rival and not _half_leads(np.exp(near), parts[c], size):
            continue
        strongest = second_score if c == rival else best_score
        for s in range(SPLITS):
            for side in range(2):
                left = size // 2 if side == 0 else size - size // 2
                score = _half_score(logs[c] - unit, parts[c, s], side, _share(prior, c, left))
                thinned = soft(own_score, max(score, strongest))
                into.lost[c, 2 * s + side] += share * (right - thinned)


@compiled
def _half_leads(near: float, parts: Features, size: int) -> bool:
    """Say whether a half of a class could be likelier than the best, in units of which it is."""
    for s in range(SPLITS):
        first = parts[s] * size / max(size // 2, 1)
        other = (1.0 - parts[s]) * size / (size - size // 2)
        if near * max(first, other) > _NEARLY:
            return True
    return False


@compiled
def _share(prior: Features, c: int, size: int) -> float:
    return prior[c] / size if size > 0 else 0.0


@compiled
def _half_score(log_sum: float, part: float, side: int, weight: float) -> float:
    """Return the score of a class with one half of its instances."""
    of_it = part if side == 0 else 1.0 - part
    return float(weight * np.exp(log_sum) * max(of_it, 0.0))
