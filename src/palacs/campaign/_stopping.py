"""Whether a campaign may stop: the rules of `palacs.evidence` looking at its record."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from palacs.campaign._ledger import Ledger
from palacs.evidence import (
    Advice,
    GainThreshold,
    Plateau,
    Rule,
    estimated_accuracy,
    expected_gain,
)

# An accuracy is estimated from at most so many of the latest instances: seconds, not hours.
_MOST = 1_000


def advise(ledger: Ledger, rules: Sequence[Rule] | None) -> Advice:
    """Return the first advice to stop, or all reasons to go on."""
    rules = (GainThreshold(), Plateau()) if rules is None else tuple(rules)
    if not rules:
        raise ValueError("no rule is given; pass at least one, or None for the usual ones.")
    advice = [
        rule.advise(
            _gains(ledger) if isinstance(rule, GainThreshold) else _accuracies(ledger, rule)
        )
        for rule in rules
    ]
    for one in advice:
        if one.stop:
            return one
    return Advice(False, " ".join(one.reason for one in advice))


def _gains(ledger: Ledger) -> list[float]:
    # The requests of a batch share the utilities of one decision.
    asked = [entry for entry in ledger.entries.values() if entry.utilities]
    return [expected_gain(list(entry.utilities.values())) for entry in asked]


def _accuracies(ledger: Ledger, rule: Plateau) -> list[float]:
    """Return the estimates that the rule looks at, one for each of the latest instances."""
    X, y = ledger.labelled.scaled(), ledger.labelled.codes
    series = []
    for n in range(max(len(y) - rule.needed, 0) + 1, len(y) + 1):
        recent = slice(max(n - _MOST, 0), n)
        if len(np.unique(y[recent])) > 1:
            series.append(estimated_accuracy(X[recent], y[recent]))
    return series
