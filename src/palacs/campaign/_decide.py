"""A decision, and checking it again later.

Deciding is a pure function of a snapshot. Each request is written with what was known when it
was made, so that `replay` can rebuild every snapshot from the record and compare the answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from palacs._version import __version__
from palacs.campaign._campaign_errors import BudgetExhausted, CampaignClosed, NothingToAsk
from palacs.campaign._ledger import Ledger
from palacs.campaign._settings import Settings
from palacs.campaign._snapshot import Snapshot, snapshot_of
from palacs.campaign._steady_range import MANY
from palacs.campaign._told_utilities import to_record
from palacs.storage import Draft, Event, Label

# Limits hold over the order of asking, not of telling.
_BY_ASKING = "asked"
# Many instances are looked at class by class, in a range that is steady.
_BY_CLASS = "by class"


@dataclass(frozen=True, slots=True)
class Decision:
    """The classes to request, and the utility of every class, shape (n_classes,)."""

    labels: list[Label]
    utilities: npt.NDArray[np.float64]


def rehearse(settings: Settings, added: Sequence[Label] = ()) -> None:
    """Let the strategy decide once, so that what it cannot work with is refused now.

    Parameters
    ----------
    settings : Settings
    added : sequence of labels
        Classes beyond those the campaign was created with.
    """
    empty = Ledger.begin(settings, added)
    now = snapshot_of(empty, 0.0)
    decide(replace(now, candidates=now.classes), 1)


def allowance(now: Snapshot, n: int) -> int:
    """Return how many of `n` requests may be made now, or say why none may."""
    if now.phase != "open":
        raise CampaignClosed(
            f"this campaign is {now.phase}, so nothing is asked for; reopen it first."
        )
    if now.paused.issuperset(now.classes):
        raise NothingToAsk("every class is paused; resume one first.")
    if now.remaining == 0:
        raise BudgetExhausted(
            f"the budget of {now.settings.budget} instances is delivered or under way; "
            "wait for pending requests to be told or failed, or end the campaign here."
        )
    n = n if now.remaining is None else min(n, now.remaining)
    if not now.candidates:
        raise BudgetExhausted(
            f"of the budget_cost of {now.spending.budget:g} only {now.spending.left:g} is left "
            "after what was spent and is under way, which pays for no class that may be "
            "requested; end the campaign here."
        )
    return min(now.spending.at_most(n, now.candidates), _below_caps(now, n))


def _below_caps(now: Snapshot, n: int) -> int:
    caps = None if now.conditions is None else now.conditions.caps
    if not caps or any(label not in caps for label in now.candidates):
        return n
    counts = dict(zip(now.classes, now.counts(pending=True), strict=True))
    space: int = sum(max(caps[label] - counts[label], 0) for label in now.candidates)
    if space == 0:
        raise NothingToAsk(
            f"every class that may be requested has reached its cap, caps={dict(caps)}; resume "
            "another class, or end the campaign here."
        )
    return min(n, space)


def fits(now: Snapshot, labels: Sequence[Label]) -> bool:
    """Whether requests that were decided earlier, one after the other, are within all limits."""
    from palacs.conditions import Requests, apply_limits

    try:
        if allowance(now, len(labels)) < len(labels) or not set(labels) <= set(now.candidates):
            return False
        if now.conditions is None:
            return True
        classes = np.array(now.classes)
        limits = now.conditions.limits_of(classes)
        may = np.isin(classes, np.array(now.candidates))
        counts = np.array(now.counts(pending=True))
        order = np.array([] if now.order is None else now.order, dtype=np.int64)
        for code in map(now.classes.index, labels):
            if not apply_limits(limits, Requests(order, counts, classes), may)[code]:
                return False
            counts[code] += 1
            order = np.append(order, code)
    except (NothingToAsk, ValueError):
        return False  # deciding again says why
    return True


def decide(now: Snapshot, n: int) -> Decision:
    """Ask the strategy for `n` classes."""
    from palacs.conditions import LimitReached

    try:
        if len(now.codes) > MANY:
            # Looking at every number again would take longer than the decision.
            labels, utilities = now.strategy().query_labelled(
                now.labelled(),
                candidates=np.array(now.candidates),
                batch_size=n,
                conditions=now.conditions,
            )
        else:
            labels, utilities = _decide_checked(now, n)
    except LimitReached as error:
        raise NothingToAsk(str(error)) from error
    return Decision(labels.tolist(), utilities)


def _decide_checked(now: Snapshot, n: int) -> tuple[Any, npt.NDArray[np.float64]]:
    classes, order = np.array(now.classes), now.unusual_order()
    return now.strategy().query(
        now.scaled,
        classes[now.codes],
        classes=classes,
        candidates=np.array(now.candidates),
        pending=np.array(now.under_way, dtype=classes.dtype),
        requested=None if order is None else classes[order],
        batch_size=n,
        conditions=now.conditions,
        return_utilities=True,
    )


def asked_drafts(
    decision: Decision, now: Snapshot, ids: list[str], attrs: Mapping[str, Any] | None = None
) -> list[Draft]:
    """Return the events that record a decision."""
    asked = set(map(now.classes.index, set(decision.labels)))
    payload = {
        "known": now.seq,
        "decided_at": now.at,
        "ordinal": now.n_asked,
        "order": _BY_ASKING,
        "batch": len(ids),
        "lease": now.settings.lease,
        "utilities": to_record(decision.utilities, asked),
        "palacs": __version__,
    }
    if len(now.codes) > MANY and now.steady:
        payload["many"] = _BY_CLASS
    return [
        Draft("asked", entry=id_, label=label, payload={**payload, "place": place}, attrs=attrs)
        for place, (id_, label) in enumerate(zip(ids, decision.labels, strict=True))
    ]


def as_decided(now: Snapshot, asked: Event) -> Snapshot:
    """Return a snapshot by the rules that a recorded request was decided by."""
    # Older records were decided by other rules and must come out the same again.
    if asked.payload.get("order") != _BY_ASKING:
        now = replace(now, order=None)
    if len(now.codes) > MANY and asked.payload.get("many") != _BY_CLASS:
        now = now.unsteady()
    return now
