"""How much each class needs: from what left-out decisions say to the share of requests.

Mistakes made now and what half of a class is worth make its need. How far needs are followed
depends on how much they differ and on whether there is something to learn where mistakes are made.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from palacs.checks import Codes, Features
from palacs.compiled import compiled
from palacs.evidence import ClassEvidence
from palacs.strategies._pick import Utilities


class Rule(NamedTuple):
    """What is left to choose in `needs_of`; docs/theory.md argues for each.

    Attributes
    ----------
    slope : float
        What halving a class costs weighs so much beside the mistakes made now.
    imaginary : float
        Imaginary instances of average need per class: no class is ever known to be perfect.
    cap : float
        Needs above so much of a typical one are met equally.
    worthless : float
        Needs whose logarithms vary by no more than this are not worth following.
    chance : float
        Variance that chance gives those logarithms, relative to whole independent decisions.
    differ, along, learnable, doubt : float
        What speaks for following needs: how far they differ, whether what halving costs goes with
        mistakes, and what part of the mistakes it is; and what must be outweighed.
    """

    slope: float = 2.0
    imaginary: float = 1.0
    cap: float = 1.15
    worthless: float = 0.04
    chance: float = 0.15
    differ: float = 0.9
    along: float = 1.5
    learnable: float = 6.0
    doubt: float = 0.8


class RefittedRule(NamedTuple):
    """What is left to choose in `needs_of_refitted`.

    Attributes
    ----------
    slope, imaginary : float
        As in `Rule`. Class sizes move a refitted model's borders, which only the slope sees; and
        recordings that are alike vouch for each other, so that another imaginary instance speaks.
    least : float
        Where less would be mistaken without half of a class, its need is below its mistakes, down
        to so much of them: it lies where it only takes from the others.
    chance : float
        Variance of a soft decision, relative to a whole one of the same probability: how far
        needs that differ are drawn together.
    least_cap, most_cap, learnable : float
        Needs above a cap are met equally. In units of a typical need it is ``learnable`` times
        what halving a class costs per mistake made now, and within the two others.
    folds : int
        So many parts of the instances are left out in turn. A class of no more instances than
        that is asked for as those that need the most: what halving so few costs is mostly chance.
    """

    slope: float = 4.0
    imaginary: float = 2.0
    least: float = 0.5
    chance: float = 0.75
    least_cap: float = 0.45
    most_cap: float = 1.25
    learnable: float = 10.0
    folds: int = 5


RULE = Rule()
REFITTED = RefittedRule()
# Halving that costs so little of the mistakes made now says nothing about which are learnable.
_SAYS_NOTHING = 0.1
# What would be followed with a smaller power than this is not followed.
_HARDLY = 0.1
# Where no class is mistaken more often than this, also without half of it, none is spared.
_NO_MISTAKES = 0.02


class _Raw(NamedTuple):
    """Needs before anything is known of chance, each (n_classes,); 1 and 0 for an absent class.

    The need E + slope F relative to its mean, what was lost without half of the class, counted
    where it was a loss and on balance, and the share that is mistaken; and the mean of the needs.
    """

    need: Features
    lost: Features
    halved: Features
    share: Features
    mean: float


@compiled
def _raw_needs(evidence: ClassEvidence, counts: Codes, slope: float, least: float) -> _Raw:
    n_classes, halves = counts.shape[0], evidence.lost.shape[1]
    need, lost = np.ones(n_classes), np.zeros(n_classes)
    halved, share = np.zeros(n_classes), np.zeros(n_classes)
    present = 0
    for c in range(n_classes):
        present += 1 if counts[c] else 0
    mean = 0.0
    for c in range(n_classes):
        if counts[c] == 0:
            continue
        for h in range(halves):
            halved[c] += evidence.lost[c, h] / halves
            lost[c] += max(evidence.lost[c, h], 0.0) / halves / present
        share[c] = evidence.mistaken[c] / evidence.left_out[c]
        need[c] = share[c] + slope * lost[c] * present
        if least < 1.0 and halved[c] < 0.0:
            need[c] = max(share[c] + slope * halved[c], least * share[c])
        mean += need[c] / present
    for c in range(n_classes):
        if counts[c] and mean > 0.0:
            # Relative to the mean, so that the squares of tiny needs do not vanish.
            need[c] /= mean
    return _Raw(need, lost, halved, share, mean)


@compiled
def _imagine(need: Features, counts: Codes, imaginary: float) -> float:
    """Add imaginary instances of average need to each class; return the need of a typical one.

    That is the one a typical mistake meets: equal to all where classes are alike, near that of the
    hard ones where these are few among many.
    """
    squares, total = 0.0, 0.0
    for c in range(counts.shape[0]):
        if counts[c]:
            need[c] = (counts[c] * need[c] + imaginary) / (counts[c] + imaginary)
        squares += need[c] ** 2
        total += need[c]
    return squares / total


@compiled
def needs_of(evidence: ClassEvidence, counts: Codes, rule: Rule) -> tuple[Features, Features]:
    """Return the weight of each class and what halving it would lose, both (n_classes,).

    The need s_y = E_y + slope F_y, relative to its mean and with an imaginary instance, is met up
    to a cap; weights follow it with a power between 0, where chance explains how classes differ or
    there is little to learn where mistakes are made, and 1. They are relative to the largest.
    """
    raw = _raw_needs(evidence, counts, rule.slope, 1.0)
    weights = np.ones(counts.shape[0])
    if raw.need.max() * raw.mean <= _NO_MISTAKES:
        return weights, raw.lost
    need = raw.need
    cap = min(rule.cap * _imagine(need, counts, rule.imaginary), need.max())
    power = _worth_following(need, evidence.left_out, raw, counts, rule)
    for c in range(counts.shape[0]):
        weights[c] = min(1.0, need[c] / cap) ** power
    return weights, raw.lost


@compiled
def _worth_following(
    need: Features, decided: Features, raw: _Raw, counts: Codes, rule: Rule
) -> float:
    """Return the power with which needs (n_classes,) are followed, from 0 to 1.

    ``decided`` are decisions on each class. What speaks for following is added up, so that what is
    clear in one makes up for what is doubtful in another.
    """
    differ = _variance_of_logs(need, counts)
    trifling = _trifling(decided, raw.share, rule)
    if differ <= trifling:
        return 0.0
    along, learnable = _what_can_be_learned(raw.share, raw.halved, counts)
    power = rule.differ * np.log(differ / trifling) + rule.along * along
    power += rule.learnable * learnable - rule.doubt
    return min(power, 1.0) if power >= _HARDLY else 0.0


@compiled
def _variance_of_logs(need: Features, counts: Codes) -> float:
    """Return the variance of the logarithms of needs (n_classes,) over the classes there are."""
    present, mean, squares = 0, 0.0, 0.0
    for c in range(counts.shape[0]):
        if counts[c]:
            present += 1
            mean += np.log(need[c])
            squares += np.log(need[c]) ** 2
    mean /= present
    return squares / present - mean * mean


@compiled
def _trifling(decided: Features, share: Features, rule: Rule) -> float:
    """Return by how much logarithms of needs vary by chance, or without being worth following.

    ``decided`` are decisions on each class, of which a ``share`` is mistaken, both (n_classes,).
    """
    present, seen, once = 0, 0.0, 0.0
    for c in range(decided.shape[0]):
        if decided[c] > 0.0:
            present += 1
            # With half an instance of either kind: no decision is known to be always right.
            seen += (share[c] * decided[c] + 0.5) / (decided[c] + 1.0)
            once += 1.0 / decided[c]
    seen /= present
    # Of n whole decisions of which a share e is mistaken: log e varies by (1 - e) / (n e).
    return rule.worthless + rule.chance * (1.0 - seen) / seen * once / present


@compiled
def _what_can_be_learned(share: Features, halved: Features, counts: Codes) -> tuple[float, float]:
    """Return how far what halving costs goes with mistakes, and what part of them it is.

    The first is the slope of the one on the other, both (n_classes,) and relative to their means: 1
    where they are in proportion, 0 where they have nothing to do with each other, less where the
    often mistaken have less to learn than the others. It is kept between -1 and 1: of classes that
    are mistaken alike a slope says nothing, however steep.
    """
    present, mistaken, learned = 0, 0.0, 0.0
    for c in range(counts.shape[0]):
        if counts[c]:
            present += 1
            mistaken += share[c]
            learned += halved[c]
    mistaken, learned = mistaken / present, learned / present
    together, squares = 0.0, 0.0
    for c in range(counts.shape[0]):
        if counts[c] and mistaken > 0.0:
            together += (share[c] / mistaken - 1.0) * halved[c]
            squares += (share[c] / mistaken - 1.0) ** 2
    if squares == 0.0:
        return 0.0, 0.0
    along = together / squares / (max(learned, 0.0) + _SAYS_NOTHING * mistaken)
    return min(max(along, -1.0), 1.0), learned / mistaken


@compiled
def needs_of_refitted(
    evidence: ClassEvidence, counts: Codes, rule: RefittedRule
) -> tuple[Features, Features]:
    """Return what `needs_of` does for a model that is fitted anew, out of fold.

    Its odds say less than a density's, and what half of a class is worth is also where borders
    lie: needs are drawn towards their mean as far as chance explains how classes differ, and a cap
    follows how much of the mistakes halving would add to.
    """
    raw = _raw_needs(evidence, counts, rule.slope, rule.least)
    weights = np.ones(counts.shape[0])
    if raw.mean == 0.0:
        return weights, raw.lost
    need, chance = raw.need, np.zeros(counts.shape[0])
    for c in range(counts.shape[0]):
        if counts[c]:
            # With half an instance of either kind: no decision is ever known to be always right.
            decided = evidence.left_out[c]
            seen = (evidence.mistaken[c] + 0.5) / (decided + 1.0)
            chance[c] = rule.chance * seen * (1.0 - seen) / decided / raw.mean / raw.mean
    spread = _beyond_chance(need, chance, counts)
    for c in range(counts.shape[0]):
        if counts[c]:
            real = spread / (spread + chance[c]) if spread > 0.0 else 0.0
            need[c] = 1.0 + real * (need[c] - 1.0)
    typical = _imagine(need, counts, rule.imaginary)
    mistaken = raw.share.sum()
    part = rule.learnable * raw.halved.sum() / mistaken if mistaken > 0.0 else rule.most_cap
    cap = min(min(max(part, rule.least_cap), rule.most_cap) * typical, need.max())
    for c in range(counts.shape[0]):
        if counts[c] > rule.folds:
            weights[c] = min(1.0, need[c] / cap)
    return weights, raw.lost


@compiled
def _beyond_chance(need: Features, chance: Features, counts: Codes) -> float:
    """Return how much of the variance of needs (n_classes,) around 1 chance leaves."""
    squares, by_chance, present = 0.0, 0.0, 0
    for c in range(counts.shape[0]):
        if counts[c]:
            squares += (need[c] - 1.0) ** 2
            by_chance += chance[c]
            present += 1
    if present < 2:
        return 0.0
    return max(squares / (present - 1) - by_chance / present, 0.0)


@compiled
def overdue_by(weights: Features, counts: Codes) -> Utilities:
    """Return how overdue each class is, given its weight and its count with those under way.

    Squared, so that under costs the counts settle at weight / sqrt(cost), Neyman's allocation.
    """
    overdue: Utilities = (weights / (counts + 0.5)) ** 2
    return overdue
