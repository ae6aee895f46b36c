"""The ceiling: how much lower the error would be with the best counts in hindsight.

With fixed counts per class the labelled set is the first n_y instances of each class's queue, so
that cumulated similarities make the error of any counts a table look-up. Hill climbing finds the
best counts on half of the trials; they are judged on the other half, both ways, for hindsight on
the same trials flatters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from palacs.checks import Codes, Features
from palacs.classifier import ParzenWindowClassifier, prior_or_none
from palacs.compiled import compiled
from palacs.evidence import default_model
from palacs.experiments._split import Split
from palacs.kernel import resolve_bandwidth, squared_distances

Scores = npt.NDArray[np.float32]

# A class is never given more than so many times its equal share: what lies beyond costs memory.
_MOST_SHARES = 4
# Pairs of classes whose exchange looks best are tried out before one is made.
_TRIED_PAIRS = 6
# How often the tables are made anew with the bandwidth that the counts found have.
_ROUNDS = 2
# Test instances that are climbed on: so many per class at most, and in all; judging takes them all.
_PER_CLASS, _IN_ALL = 40, 600
# A decision is a mistake gradually, over so much of a difference between log scores: counts that
# are climbed on whole mistakes fit their chance.
_GRADUAL = 1.0
_RESAMPLES = 2_000
_LEVEL = 0.95


@dataclass(frozen=True)
class Ceiling:
    """What class selection could bring at the end of the budget, and by which counts.

    Attributes
    ----------
    counts : ndarray of shape (n_classes,)
        The best counts that climbing on all trials finds, the first instances included.
    equal_error : float
        Mean error with equal counts.
    gain : float
        How much lower the error is with the best counts, relative to equal ones: 0.12 is 12 %.
        Judged on other trials than the counts were found on; below 0 where there is nothing to
        gain.
    low, high : float
        The gain's 95 % interval, by resampling trials.
    flattered : float
        The gain of ``counts`` on the very trials they were found on: chance included.
    """

    counts: Codes
    equal_error: float
    gain: float
    low: float
    high: float
    flattered: float

    @property
    def shares(self) -> Features:
        """The best shares of the requests, shape (n_classes,)."""
        shares: Features = self.counts / self.counts.sum()
        return shares

    @property
    def certain(self) -> bool:
        """Whether more than chance speaks for there being something to gain."""
        return self.low > 0.0


def find_ceiling(
    splits: Sequence[Split],
    budget: int,
    classifier: Any | None = None,
    *,
    refill: bool = False,
    seed: int = 0,
) -> Ceiling:
    """Find the best counts in hindsight, and what they would bring.

    Counts are climbed with the Parzen window, its bandwidth that of the counts at hand, held
    while climbing and renewed twice. They are judged by the classifier itself, with the
    bandwidth its rule gives for the labelled set that the counts make.

    Parameters
    ----------
    splits : sequence of Split
        One per trial, at least two.
    budget : int
        Acquisitions after the first instance of every class.
    classifier : scikit-learn classifier or None, default=None
        What is judged; None is the Parzen window with the data's bandwidth, corrected for class
        sizes. For any other the way from equal counts to the Parzen window's best is searched.
    refill : bool, default=False
        Whether a class that ran out yields its instances again.
    seed : int, default=0
        Of the interval's resampling.

    Returns
    -------
    ceiling : Ceiling
    """
    if len(splits) < 2:
        raise ValueError(
            f"a ceiling needs at least 2 trials, got {len(splits)}: counts are found on some and "
            "judged on others."
        )
    judged = default_model()
    judged = judged if classifier is None else classifier
    game = _Game(tuple(splits), budget, refill, judged).measured()
    equal = np.array([game.error(t, game.equal(t)) for t in range(len(splits))])
    halves = (np.arange(0, len(splits), 2), np.arange(1, len(splits), 2))
    best = np.empty(len(splits))
    for climbed, other in (halves, halves[::-1]):
        counts = _best_counts(game, climbed)
        best[other] = [game.error(int(t), counts) for t in other]
    everything = np.arange(len(splits))
    counts = _best_counts(game, everything)
    flattered = np.array([game.error(t, counts) for t in range(len(splits))])
    low, high = _interval(equal, best, seed)
    return Ceiling(
        counts, float(equal.mean()), _gain(equal, best), low, high, _gain(equal, flattered)
    )


class _Game(NamedTuple):
    """What is played: a split per trial, and who judges."""

    splits: tuple[Split, ...]
    budget: int
    refill: bool
    classifier: Any
    squared: tuple[Scores, ...] = ()
    y_test: tuple[Codes, ...] = ()

    @property
    def size(self) -> int:
        return self.splits[0].n_classes + self.budget

    def most(self) -> Codes:
        """Return the most instances a class may have, shape (n_classes,)."""
        n_classes = self.splits[0].n_classes
        share = -(-self.size // n_classes)
        supply = np.min([split.queue_sizes for split in self.splits], axis=0)
        bound = np.full(n_classes, min(_MOST_SHARES * share, self.size - n_classes + 1))
        return bound if self.refill else np.minimum(bound, supply)

    def measured(self) -> _Game:
        """Return the same game with the distances that counts are climbed by."""
        test_sizes = [np.bincount(split.y_test).min() for split in self.splits]
        per_class = min(_PER_CLASS, -(-_IN_ALL // self.splits[0].n_classes), *test_sizes)
        most = int(self.most().max())
        found = [_distances(split, most, int(per_class)) for split in self.splits]
        return self._replace(
            squared=tuple(squared for squared, _ in found),
            y_test=tuple(y_test for _, y_test in found),
        )

    def equal(self, trial: int) -> Codes:
        """Return the counts that Uniform ends with; who gets the odd ones is the trial's lot."""
        split = self.splits[trial]
        supply = np.full(split.n_classes, self.size) if self.refill else split.queue_sizes
        counts = np.zeros(split.n_classes, dtype=np.int64)
        for _ in range(self.size):
            open_ = split.start[counts[split.start] < supply[split.start]]
            counts[open_[counts[open_].argmin()]] += 1
        return counts

    def labelled(self, trial: int, counts: Codes) -> tuple[Features, Codes]:
        """Return the labelled set (n, n_features), (n,) that the counts make."""
        split = self.splits[trial]
        y = np.repeat(np.arange(split.n_classes), counts)
        return split.X[split.rows_of(y)], y

    def error(self, trial: int, counts: Codes) -> float:
        """Return the error of the judged classifier on the whole test set of a trial."""
        split = self.splits[trial]
        X, y = self.labelled(trial, counts)
        model = clone(self.classifier).fit(X, y)
        return float((model.predict(split.X_test) != split.y_test).mean())


def _best_counts(game: _Game, trials: Codes) -> Codes:
    """Return the counts (n_classes,) with the lowest mean error in these trials."""
    most = game.most()
    counts = np.minimum(game.equal(int(trials[0])), most)
    candidates = [game.equal(int(trials[0]))]
    parzen = type(game.classifier) is ParzenWindowClassifier
    guide = game.classifier if parzen else default_model()
    for _ in range(_ROUNDS if guide.bandwidth == "auto" else 1):
        tables, y_test = _score_tables(game, guide, trials, counts)
        counts = climb(tables, y_test, counts, most)
        candidates.append(counts)
    if not parzen:
        candidates.append(_between(candidates[0], counts))
    errors = [np.mean([game.error(int(t), c) for t in trials]) for c in candidates]
    return candidates[int(np.argmin(errors))]


def _between(first: Codes, second: Codes) -> Codes:
    """Return whole counts half-way, with the same sum."""
    halfway = (first + second) / 2
    counts = np.floor(halfway).astype(np.int64)
    order = np.argsort(counts - halfway, kind="stable")
    counts[order[: int(first.sum() - counts.sum())]] += 1
    return counts


def _score_tables(
    game: _Game, guide: ParzenWindowClassifier, trials: Codes, counts: Codes
) -> tuple[Scores, Codes]:
    """Return log scores (n_trials, n_classes, most, n_test) and test classes (n_trials, n_test).

    Entry [t, c, m - 1, i] is what class c scores at test instance i with m instances.
    """
    prior = prior_or_none(guide, len(counts))
    tables = np.empty((len(trials), *game.squared[0].shape), dtype=np.float32)
    for place, t in enumerate(trials):
        sigma = resolve_bandwidth(guide.bandwidth, *game.labelled(int(t), counts))
        fill_log_scores(tables[place], game.squared[t], sigma, prior)
    return tables, np.stack([game.y_test[t] for t in trials])


def _distances(split: Split, most: int, per_class: int) -> tuple[Scores, Codes]:
    """Return squared distances (n_classes, most, n_test) in order of delivery, and test classes."""
    chosen = np.concatenate(
        [np.flatnonzero(split.y_test == c)[:per_class] for c in range(split.n_classes)]
    )
    queues = [
        split.first[c] + np.arange(most) % split.queue_sizes[c] for c in range(split.n_classes)
    ]
    squared = squared_distances(split.X, split.X_test[chosen], 1.0).astype(np.float32)
    return np.stack([squared[queue] for queue in queues]), split.y_test[chosen]


@compiled
def fill_log_scores(table: Scores, squared: Scores, bandwidth: float, prior: Features) -> None:
    """Fill ``table`` (n_classes, most, n_test) with log Σ s of the first 1, 2, ... instances.

    Logarithms, so that nothing underflows however far the nearest instance is. A prior
    (n_classes,) corrects for class sizes; an empty one does not.
    """
    n_classes, most, n_test = table.shape
    scale = -0.5 / bandwidth / bandwidth
    highest, total = np.empty(n_test), np.empty(n_test)
    for c in range(n_classes):
        highest[:] = -np.inf
        total[:] = 0.0
        weight = np.log(prior[c]) if prior.shape[0] else 0.0
        for m in range(most):
            size = np.log(m + 1.0) if prior.shape[0] else 0.0
            for i in range(n_test):
                exponent = scale * squared[c, m, i]
                if exponent > highest[i]:
                    total[i] = total[i] * np.exp(highest[i] - exponent) + 1.0
                    highest[i] = exponent
                else:
                    total[i] += np.exp(exponent - highest[i])
                table[c, m, i] = highest[i] + np.log(total[i]) - size + weight


@compiled
def climb(tables: Scores, y_test: Codes, start: Codes, most: Codes) -> Codes:
    """Return counts (n_classes,) from which no exchange between two classes lowers the error.

    ``tables`` is (n_trials, n_classes, most, n_test), ``y_test`` (n_trials, n_test). Exchanges
    begin with a quarter of an equal share and end with single instances.
    """
    counts = start.copy()
    step = max(int(counts.sum()) // (4 * counts.shape[0]), 1)
    now = gradual_mistakes(tables, y_test, counts)
    while step >= 1:
        better = -1
        pairs = _promising(tables, y_test, counts, most, step)
        for k in range(pairs.shape[0]):
            tried = counts.copy()
            tried[pairs[k, 0]] -= step
            tried[pairs[k, 1]] += step
            wrong = gradual_mistakes(tables, y_test, tried)
            if wrong < now:
                now, better = wrong, k
        if better >= 0:
            counts[pairs[better, 0]] -= step
            counts[pairs[better, 1]] += step
        else:
            step //= 2
    return counts


@compiled
def gradual_mistakes(tables: Scores, y_test: Codes, counts: Codes) -> float:
    """Return how many test instances of all trials are mistaken with these counts, gradually."""
    n_trials, n_test = y_test.shape
    own = np.empty(n_test, dtype=np.float32)
    rival = np.empty(n_test, dtype=np.float32)
    wrong = 0.0
    for t in range(n_trials):
        rival[:] = -np.inf
        for c in range(counts.shape[0]):
            row = tables[t, c, counts[c] - 1]
            for i in range(n_test):
                if y_test[t, i] == c:
                    own[i] = row[i]
                elif row[i] > rival[i]:
                    rival[i] = row[i]
        for i in range(n_test):
            wrong += min(max(0.5 - (own[i] - rival[i]) / _GRADUAL, 0.0), 1.0)
    return wrong


@compiled
def _promising(tables: Scores, y_test: Codes, counts: Codes, most: Codes, step: int) -> Codes:
    """Return pairs (n_pairs, 2) of classes, giver and taker, whose exchange looks best.

    Looked at one class at a time: what giving costs and what taking brings, added up.
    """
    n_classes = counts.shape[0]
    gives, takes = np.full(n_classes, np.inf), np.full(n_classes, np.inf)
    for c in range(n_classes):
        changed = counts.copy()
        if counts[c] - step >= 1:
            changed[c] = counts[c] - step
            gives[c] = gradual_mistakes(tables, y_test, changed)
        if counts[c] + step <= most[c]:
            changed[c] = counts[c] + step
            takes[c] = gradual_mistakes(tables, y_test, changed)
    pairs = np.empty((_TRIED_PAIRS, 2), dtype=np.int64)
    costs = np.full(_TRIED_PAIRS, np.inf)
    found = 0
    for a in range(n_classes):
        for b in range(n_classes):
            cost = gives[a] + takes[b]
            if a == b or not cost < costs[_TRIED_PAIRS - 1]:
                continue
            place = _TRIED_PAIRS - 1
            while place > 0 and costs[place - 1] > cost:
                costs[place] = costs[place - 1]
                pairs[place] = pairs[place - 1]
                place -= 1
            costs[place] = cost
            pairs[place, 0], pairs[place, 1] = a, b
            found = min(found + 1, _TRIED_PAIRS)
    return pairs[:found]


def _gain(equal: Features, best: Features) -> float:
    total = float(equal.mean())
    return float(1.0 - best.mean() / total) if total > 0 else 0.0


def _interval(equal: Features, best: Features, seed: int) -> tuple[float, float]:
    """Return the gain's interval by resampling trials, pairs of errors kept together."""
    rng = np.random.default_rng(seed)
    drawn = rng.integers(len(equal), size=(_RESAMPLES, len(equal)))
    before, after = equal[drawn].mean(axis=1), best[drawn].mean(axis=1)
    gains = np.where(before > 0, 1.0 - after / np.where(before > 0, before, 1.0), 0.0)
    tail = (1.0 - _LEVEL) / 2.0
    low, high = np.quantile(gains, [tail, 1.0 - tail])
    return float(low), float(high)
