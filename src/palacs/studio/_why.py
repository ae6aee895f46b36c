"""Why a class is asked for, in one honest sentence.

A past request is explained by what was known when it was made: the record says which events
those were, so the decision can be made again and looked into. Nothing is claimed that the
strategy did not use: where chance decided, the sentence says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from palacs import strategies
from palacs.campaign._decide import Situation, decide, situation_of
from palacs.campaign._ledger import Ledger
from palacs.storage import Event, Label

# Below this many nearby instances (weighted by similarity) a region counts as little known.
FEW_NEARBY = 3.0
# From this part of the nearby instances on, another class counts as overlapping.
OVERLAP = 0.15

Utilities = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Moment:
    """One decision: what it depended on, the class, and the utilities, shape (n_classes,)."""

    situation: Situation
    label: Label
    utilities: Utilities
    paused: frozenset[Label]

    @property
    def open(self) -> list[Label]:
        """The classes that could have been picked."""
        return [
            label
            for label, utility in zip(self.situation.classes, self.utilities, strict=True)
            if not np.isnan(utility)
        ]


def moment_of(events: Sequence[Event], request_id: str) -> Moment:
    """Return the decision that led to a request, from the campaign's events."""
    asked = next(e for e in events if e.kind == "asked" and e.entry == request_id)
    ledger = Ledger()
    for event in events[: asked.payload["known"]]:
        ledger.apply(event)
    situation = situation_of(ledger, asked.payload["decided_at"])
    # In a batch, each pick counts as pending for the next one.
    first = asked.seq - 1 - asked.payload["place"]
    earlier = [event.label for event in events[first : asked.seq - 1] if event.label is not None]
    situation = replace(situation, pending=[*situation.pending, *earlier])
    assert asked.label is not None
    paused = frozenset(ledger.paused)
    return Moment(situation, asked.label, decide(situation, 1).utilities, paused)


def next_moment(situation: Situation, paused: frozenset[Label]) -> Moment:
    """Return the decision that asking now would make, or raise ``NothingToAsk``."""
    decision = decide(situation, 1)
    return Moment(situation, decision.labels[0], decision.utilities, paused)


def conditions_of(situation: Situation) -> strategies.Conditions | None:
    """Return the conditions a decision is made under."""
    if situation.conditions is None:
        return None
    return strategies.Conditions.from_dict(situation.conditions)


def explain(moment: Moment, *, asked: bool) -> str:
    """Say why the class of `moment` is asked for, or would be next.

    Parameters
    ----------
    moment : Moment
        The decision.
    asked : bool
        Whether the request was made, or only would be.
    """
    subject = f"{name_of(moment.label)} {'is asked for' if asked else 'would be asked for next'}"
    sentence = _because(moment, subject)
    aside = _aside(moment)
    return f"{sentence[:-1]} ({aside})." if aside else sentence


def _aside(moment: Moment) -> str:
    """Name the classes that could not be picked, each with what kept it out."""
    classes, candidates = moment.situation.classes, moment.situation.candidates
    active = [label for label in classes if label not in moment.paused]
    out = {
        "paused": [label for label in classes if label in moment.paused],
        "too expensive for what is left": [c for c in active if c not in candidates],
        "ruled out by a limit": [c for c in active if c in candidates and c not in moment.open],
    }
    parts = [f"{_listing(who)} {_are(who)} {what}" for what, who in out.items() if who]
    return "; ".join(parts)


def _because(moment: Moment, subject: str) -> str:
    situation = moment.situation
    if len(moment.open) == 1:
        others = set(situation.classes) - {moment.label}
        if moment.paused >= others:
            return f"{subject} because all other classes are paused."
        return f"{subject} because no other class may be requested now."
    if np.isposinf(moment.utilities).any():
        return (
            f"{subject} because there is no instance of it yet; each class is asked for once "
            "before the strategy decides."
        )
    if len(situation.X) == 0:
        return (
            f"{subject} because nothing was told yet; until then requests are spread evenly over "
            "the classes."
        )
    strategy = _strategy(situation)
    if strategy.drawn:
        return _drawn(moment, subject)
    ties = _ties(moment)
    if isinstance(strategy, strategies.PALACS):
        return _palacs(strategy, moment, subject, ties)
    conditions = conditions_of(situation)
    if conditions is not None and conditions.weighing:
        # Counts alone no longer decide.
        reason = f"because its utility under the conditions is the highest ({_title(situation)})"
    elif isinstance(strategy, strategies.BalancedGain):
        reason = _balanced(moment)
    elif isinstance(strategy, strategies.UniformSelection):
        count = _count(situation, moment.label)
        reason = f"because it has the fewest instances ({count}, with those under way)"
    else:
        reason = f"because its utility is the highest ({_title(situation)}: {_summary(situation)})"
    return f"{subject} {reason}{_by_chance(ties)}."


def _palacs(
    strategy: strategies.PALACS, moment: Moment, subject: str, ties: Sequence[Label]
) -> str:
    code = moment.situation.classes.index(moment.label)
    seen = strategy.explain(
        moment.situation.X,
        moment.situation.y,
        classes=np.array(moment.situation.classes),
        pending=_as_labels(moment.situation),
        conditions=conditions_of(moment.situation),
    )
    worth = seen.gains * seen.density_weights * seen.class_weights[:, code]
    if worth.sum() <= 0:
        return f"{subject} by chance: no class promises a gain any more."
    worth = worth / worth.sum()
    nearby = seen.frequencies.sum(axis=1)
    shares = worth @ (seen.frequencies / np.maximum(nearby, 1e-300)[:, None])
    rivals = [
        moment.situation.classes[d]
        for d in np.argsort(-shares)[:3].tolist()
        if d != code and shares[d] >= OVERLAP
    ]
    few = float(worth @ nearby) < FEW_NEARBY
    if rivals and few:
        reason = f"because its region overlaps {_listing(rivals)} and few instances are nearby"
    elif rivals:
        reason = f"because its region overlaps {_listing(rivals)} and decisions there are close"
    elif few:
        reason = "because few instances are nearby where its own fall"
    else:
        reason = "because one more instance of it promises the largest gain in accuracy"
    return f"{subject} {reason}{_by_chance(ties)}."


def _balanced(moment: Moment) -> str:
    counts = {label: _count(moment.situation, label) for label in moment.open}
    count = counts[moment.label]
    if count == min(counts.values()):
        return f"because it has the fewest instances ({count}, with those under way)"
    fewer = [label for label in counts if counts[label] < count]
    return (
        f"because it is harder to tell from others than {_listing(fewer)}: one more instance of "
        "it is worth more, although it has more of them"
    )


def _drawn(moment: Moment, subject: str) -> str:
    utilities = np.nan_to_num(moment.utilities, nan=0.0)
    share = utilities[moment.situation.classes.index(moment.label)] / max(utilities.sum(), 1e-300)
    return (
        f"{subject} by chance, with a probability of {share:.0%} ({_title(moment.situation)}: "
        f"{_summary(moment.situation)})."
    )


def _ties(moment: Moment) -> list[Label]:
    best = np.nanmax(moment.utilities)
    return [
        label
        for label, utility in zip(moment.situation.classes, moment.utilities, strict=True)
        if utility == best
    ]


def _by_chance(ties: Sequence[Label]) -> str:
    return f"; chance picked it among {_listing(ties)}, which tie" if len(ties) > 1 else ""


def _strategy(situation: Situation) -> strategies.Strategy:
    params = {**situation.spec.get("params", {}), "random_state": situation.seed}
    return strategies.from_spec({**situation.spec, "params": params})


def _title(situation: Situation) -> str:
    return strategies.find(str(situation.spec["name"])).title


def _summary(situation: Situation) -> str:
    return strategies.find(str(situation.spec["name"])).summary


def _count(situation: Situation, label: Label) -> int:
    return int((situation.y == label).sum()) + situation.pending.count(label)


def _as_labels(situation: Situation) -> npt.NDArray[np.generic]:
    labels: npt.NDArray[np.generic] = np.array(
        situation.pending, dtype=np.array(situation.classes).dtype
    )
    return labels


def name_of(label: Label) -> str:
    """Return a class as a sentence names it.

    Examples
    --------
    >>> name_of("left"), name_of(7)
    ('left', 'class 7')
    """
    return label if isinstance(label, str) else f"class {label}"


def _listing(labels: Sequence[Label]) -> str:
    names = [name_of(label) for label in labels[:4]]
    if len(labels) > 4:
        names = [*names[:3], f"{len(labels) - 3} others"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _are(labels: Sequence[Label]) -> str:
    return "is" if len(labels) == 1 else "are"
