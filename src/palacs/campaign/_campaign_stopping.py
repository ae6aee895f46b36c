"""Whether a campaign may stop: the rules of `palacs.evidence` looking at its record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from palacs.campaign._snapshot import Snapshot
from palacs.evidence import (
    Advice,
    GainThreshold,
    Plateau,
    Rule,
    estimated_accuracy,
    expected_gain,
)
from palacs.storage import Label

# An accuracy is estimated from at most so many of the latest instances: seconds, not hours.
_MOST = 1_000


def advise(
    now: Snapshot, utilities: Sequence[Mapping[Label, float]], rules: Sequence[Rule] | None
) -> Advice:
    """Return the first advice to stop, or all reasons to go on.

    Parameters
    ----------
    now : Snapshot
    utilities : sequence of mappings
        Label -> utility when each request was decided; empty for unsolicited instances.
    rules : sequence of rules or None
    """
    rules = (GainThreshold(), Plateau()) if rules is None else tuple(rules)
    if not rules:
        raise ValueError("no rule is given; pass at least one, or None for the usual ones.")
    advice = []
    for rule in rules:
        if isinstance(rule, GainThreshold):
            advice.append(rule.advise(_gains(utilities)))
        else:
            advice.append(rule.advise(_accuracies(now, rule)))
    for one in advice:
        if one.stop:
            return Advice(True, one.reason)
    return Advice(False, " ".join(one.reason for one in advice))


def _gains(utilities: Sequence[Mapping[Label, float]]) -> list[float]:
    # The requests of a batch share the utilities of one decision.
    return [expected_gain(list(each.values())) for each in utilities if each]


def _accuracies(now: Snapshot, rule: Plateau) -> list[float]:
    """Return the estimates that the rule looks at, one for each of the latest instances."""
    X, y, model = now.scaled, np.array(now.classes)[now.codes], now.model()
    series = []
    for n in range(max(len(y) - rule.needed, 0) + 1, len(y) + 1):
        recent = slice(max(n - _MOST, 0), n)
        if len(np.unique(y[recent])) > 1:
            series.append(estimated_accuracy(X[recent], y[recent], classifier=model))
    return series
