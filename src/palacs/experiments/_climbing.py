"""Climbing to the best counts: score tables of every count, and exchanges between classes.

Pure compiled loops; `find_ceiling` says what they are for.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from palacs.checks import Codes, Features
from palacs.compiled import compiled

Scores = npt.NDArray[np.float32]

# Pairs of classes whose exchange looks best are tried out before one is made.
_TRIED_PAIRS = 6
# A decision is a mistake gradually, over so much of a difference between log scores: counts that
# are climbed on whole mistakes fit their chance.
_GRADUAL = 1.0


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
