"""The ceiling: how much lower the error would be with the best counts in hindsight.

With fixed counts per class the labelled set is the first n_y instances of each class's queue, so
that cumulated similarities make the error of any counts a table look-up. Hill climbing finds the
best counts on half of the trials; they are judged on the other half, both ways, for hindsight on
the same trials flatters.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from palacs.checks import Codes, Features
from palacs.classifier import ParzenWindowClassifier, prior_or_none
from palacs.evidence import default_model
from palacs.experiments._climbing import Scores, climb, fill_log_scores
from palacs.experiments._split import Split
from palacs.kernel import resolve_bandwidth, squared_distances

# A class is never given more than so many times its equal share: what lies beyond costs memory.
_MOST_SHARES = 4
# How often the tables are made anew with the bandwidth that the counts found have.
_ROUNDS = 2
# Test instances that are climbed on: so many per class at most, and in all; judging takes them all.
_PER_CLASS, _IN_ALL = 40, 600
# With other classifiers: trials that counts are searched on, counts that are tried out per class,
# and by which factors a class is given more or less.
_SEARCHED, _TRIES, _FACTORS = 40, 6, (2.0, 1.3)
_RESAMPLES = 2_000
# Fits that are timed to foresee how long all take.
_TIMED = 3
_LEVEL = 0.95

Progress = Callable[[float], None]


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
        The gain's 95 % interval, by resampling trials: it is about more trials on such splits,
        not about other data.
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
        """The best shares of what is requested after the first instances, shape (n_classes,)."""
        requests = self.counts - 1
        shares: Features = requests / max(int(requests.sum()), 1)
        return shares

    @property
    def certain(self) -> bool:
        """Whether more than chance speaks for other counts than equal ones."""
        return self.low > 0.0 and int(np.ptp(self.counts)) > 1


def find_ceiling(
    splits: Sequence[Split],
    budget: int,
    classifier: Any | None = None,
    *,
    refill: bool = False,
    seed: int = 0,
    progress: Progress | None = None,
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
        sizes. For any other the search begins at equal counts or at the Parzen window's best,
        whichever it finds better, and goes on with that classifier itself; counts that it
        refuses, such as one instance of a class, are passed over.
    refill : bool, default=False
        Whether a class that ran out yields its instances again.
    seed : int, default=0
        Of the interval's resampling.
    progress : callable, optional
        Called with the share of the work that is done.

    Returns
    -------
    ceiling : Ceiling

    Raises
    ------
    ValueError
        There are fewer than two splits, or no counts that every split can serve.

    Examples
    --------
    >>> from palacs.datasets import load
    >>> from palacs.experiments import comparison_experiment, find_ceiling
    >>> experiment = comparison_experiment(load("Spirals"), budget=60, trials=10)
    >>> splits = [experiment.deal("Spirals", trial)[0] for trial in range(10)]
    >>> ceiling = find_ceiling(splits, 60)
    >>> bool(ceiling.counts.argmin() == 0), ceiling.gain > 0.2, ceiling.certain
    (True, True, True)
    """
    if len(splits) < 2:
        raise ValueError(
            f"a ceiling needs at least 2 trials, got {len(splits)}: counts are found on some and "
            "judged on others."
        )
    judged = default_model() if classifier is None else classifier
    game = _Game(tuple(splits), budget, refill, judged)
    game.check_supply()
    game = game.measured().told_by(progress)
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
    if progress is not None:
        progress(1.0)
    return Ceiling(
        counts, float(equal.mean()), _gain(equal, best), low, high, _gain(equal, flattered)
    )


def judging_seconds(split: Split, trials: int, budget: int, classifier: Any, refill: bool) -> float:
    """Return about how long `find_ceiling` will at most fit and test the judged classifier."""
    game = _Game((split,), budget, refill, classifier)
    counts = game.equal(0)
    took = []
    for _ in range(_TIMED):
        start = time.perf_counter()
        game.error(0, counts)
        took.append(time.perf_counter() - start)
    # The first time something may be compiled, another time something else may run.
    return min(took) * game.fits_in(trials)


def cells_of(split: Split, budget: int) -> int:
    """Return how many numbers a trial takes in the tables that counts are climbed on."""
    game = _Game((split,), budget, refill=True, classifier=None)
    return split.n_classes * int(game.most().max()) * split.n_classes * game.per_class()


class _Game(NamedTuple):
    """What is played: a split per trial, and who judges."""

    splits: tuple[Split, ...]
    budget: int
    refill: bool
    classifier: Any
    squared: tuple[Scores, ...] = ()
    y_test: tuple[Codes, ...] = ()
    tick: Callable[[], None] = lambda: None

    @property
    def size(self) -> int:
        return self.splits[0].n_classes + self.budget

    @property
    def parzen(self) -> bool:
        # A subclass may decide differently.
        return type(self.classifier) is ParzenWindowClassifier

    @property
    def guide(self) -> ParzenWindowClassifier:
        """The Parzen window that counts are climbed with."""
        guide: ParzenWindowClassifier = self.classifier if self.parzen else default_model()
        return guide

    @property
    def rounds(self) -> int:
        return _ROUNDS if self.guide.bandwidth == "auto" else 1

    @property
    def tries(self) -> int:
        """How many counts are tried out with a classifier for which there are no tables."""
        return 0 if self.parzen else _TRIES * self.splits[0].n_classes

    def fits_in(self, trials: int) -> int:
        """Return how often the judged classifier is fitted at most, in so many trials."""
        candidates = 1 + self.rounds + (not self.parzen)
        searched = sum(min(part, _SEARCHED) for part in (trials, -(-trials // 2), trials // 2))
        # Candidates by both halves and by all trials, what is searched from the best, the result.
        return trials * (2 * candidates + 3) + searched * (self.tries + (not self.parzen))

    def told_by(self, progress: Progress | None) -> _Game:
        """Return the same game, which tells after every fit how much is done."""
        if progress is None:
            return self
        done, tell, fits = count(1), progress, self.fits_in(len(self.splits))
        return self._replace(tick=lambda: tell(next(done) / fits))

    def check_supply(self) -> None:
        room = int(self.most().sum())
        if room < self.size:
            raise ValueError(
                f"no counts of {self.size} instances are possible in every trial, at most {room}: "
                "some splits have too few of a class; use a lower budget, or more groups."
            )

    def most(self) -> Codes:
        """Return the most instances a class may have, shape (n_classes,)."""
        n_classes = self.splits[0].n_classes
        share = -(-self.size // n_classes)
        supply = np.min([split.queue_sizes for split in self.splits], axis=0)
        all_but_one_each = np.full(n_classes, self.size - n_classes + 1)
        possible = all_but_one_each if self.refill else np.minimum(all_but_one_each, supply)
        bounded = np.minimum(possible, _MOST_SHARES * share)
        # Where most classes are scarce, the others must have more.
        return bounded if bounded.sum() >= self.size else possible

    def per_class(self) -> int:
        """Return how many test instances of each class are climbed on."""
        n_classes = self.splits[0].n_classes
        test_sizes = [np.bincount(split.y_test).min() for split in self.splits]
        return int(min(_PER_CLASS, -(-_IN_ALL // n_classes), *test_sizes))

    def measured(self) -> _Game:
        """Return the same game with the distances that counts are climbed by."""
        most = int(self.most().max())
        found = [_distances(split, most, self.per_class()) for split in self.splits]
        return self._replace(
            squared=tuple(squared for squared, _ in found),
            y_test=tuple(y_test for _, y_test in found),
        )

    def equal(self, trial: int) -> Codes:
        """Return the counts (n_classes,) that Uniform ends with in a trial."""
        split = self.splits[trial]
        supply = np.full(split.n_classes, self.size) if self.refill else split.queue_sizes
        return _level(split.start, supply, self.size)

    def labelled(self, trial: int, counts: Codes) -> tuple[Features, Codes]:
        """Return the labelled set (n, n_features), (n,) that the counts make."""
        split = self.splits[trial]
        y = np.repeat(np.arange(split.n_classes), counts)
        return split.X[split.rows_of(y)], y

    def mean_error(self, trials: Codes, counts: Codes) -> float:
        """Return the mean error in these trials, infinite where the classifier refuses counts."""
        try:
            return float(np.mean([self.error(int(t), counts) for t in trials]))
        except ValueError:
            # Covariances of one instance, more folds than instances; equal counts were accepted.
            return np.inf

    def error(self, trial: int, counts: Codes) -> float:
        """Return the error of the judged classifier on the whole test set of a trial."""
        split = self.splits[trial]
        X, y = self.labelled(trial, counts)
        model = clone(self.classifier).fit(X, y)
        self.tick()
        return float((model.predict(split.X_test) != split.y_test).mean())


def _best_counts(game: _Game, trials: Codes) -> Codes:
    """Return the counts (n_classes,) with the lowest mean error in these trials."""
    most = game.most()
    equal = _level(game.splits[int(trials[0])].start, most, game.size)
    candidates = [equal]
    for _ in range(game.rounds):
        tables, y_test = _score_tables(game, trials, candidates[-1])
        candidates.append(climb(tables, y_test, candidates[-1], most))
    errors = [game.mean_error(trials, c) for c in candidates]
    best = candidates[int(np.argmin(errors))]
    if not game.parzen:
        improved = _improved(game, trials[:_SEARCHED], best)
        # What was better over some trials need not be over all.
        best = improved if game.mean_error(trials, improved) < min(errors) else best
    return best


def _improved(game: _Game, trials: Codes, counts: Codes) -> Codes:
    """Return counts (n_classes,) that are better by the judged classifier itself.

    Each class in turn gets less, then more, at the others' cost; a change that brings something
    is kept, and steps become smaller.
    """
    lowest, tries, factors = game.mean_error(trials, counts), 0, list(_FACTORS)
    while factors and tries < game.tries:
        before = lowest
        for c in range(len(counts)):
            for factor in (1.0 / factors[0], factors[0]):
                other = _shifted(counts, c, factor, game.most())
                if tries == game.tries or (other == counts).all():
                    continue
                tries += 1
                error = game.mean_error(trials, other)
                if error < lowest:
                    counts, lowest = other, error
        if lowest == before:
            factors.pop(0)
    return counts


def _level(order: Codes, most: Codes, size: int) -> Codes:
    """Return counts (n_classes,) as equal as ``most`` allows; the odd ones go by the order."""
    counts = np.zeros(len(most), dtype=np.int64)
    for _ in range(size):
        open_ = order[counts[order] < most[order]]
        counts[open_[counts[open_].argmin()]] += 1
    return counts


def _shifted(counts: Codes, c: int, factor: float, most: Codes) -> Codes:
    """Return counts (n_classes,) with so many times class c, the others in proportion.

    Every class keeps an instance and has at most ``most`` (n_classes,); the sum stays.
    """
    wanted = counts.astype(np.float64)
    wanted[c] *= factor
    others = np.arange(len(counts)) != c
    wanted[others] *= (counts.sum() - wanted[c]) / counts[others].sum()
    shifted = np.clip(np.rint(wanted), 1, most).astype(np.int64)
    while (gap := int(counts.sum() - shifted.sum())) != 0:
        step = 1 if gap > 0 else -1
        free = (shifted < most) if step > 0 else (shifted > 1)
        shifted[np.where(free, step * (wanted - shifted), -np.inf).argmax()] += step
    return shifted


def _score_tables(game: _Game, trials: Codes, counts: Codes) -> tuple[Scores, Codes]:
    """Return log scores (n_trials, n_classes, most, n_test) and test classes (n_trials, n_test).

    Entry [t, c, m - 1, i] is what class c scores at test instance i with m instances.
    """
    guide = game.guide
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
