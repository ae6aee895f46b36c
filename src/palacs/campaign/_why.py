"""Why a class is asked for, or nothing is, in one honest sentence.

A past request is explained by what was known when it was made: the record says which events
those were, so the decision can be made again and looked into. What speaks for the class is the
strategy's to say; here it becomes a sentence, with what kept other classes out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np

from palacs.campaign._campaign_errors import NothingToAsk
from palacs.campaign._decide import allowance, as_decided, decide
from palacs.campaign._ledger import Ledger
from palacs.campaign._records import Request
from palacs.campaign._replaying import rests_on_erased
from palacs.campaign._snapshot import Snapshot, snapshot_of
from palacs.campaign._told_utilities import from_record
from palacs.conditions import class_conditions
from palacs.storage import Event, Label
from palacs.strategies import Pick, Stream, Utilities, because, listing, named
from palacs.stream import seed_of


@dataclass(frozen=True, slots=True)
class Why:
    """A decision in words.

    Attributes
    ----------
    label : str, int or None
        The class that is asked for, or would be; None where nothing may be.
    utilities : dict
        Utility of every class: NaN for those that could not be requested, infinite for those
        without an instance and none pending.
    sentence : str
        Why, for people.
    """

    label: Label | None
    utilities: dict[Label, float]
    sentence: str


def why_next(now: Snapshot) -> Why:
    """Say which class asking now would request, and why, or why none may be."""
    try:
        allowance(now, 1)
        decision = decide(now, 1)
    except NothingToAsk as refusal:
        return Why(None, dict.fromkeys(now.classes, float("nan")), _obstacle(now, str(refusal)))
    pick = _pick(now, decision.labels[0], decision.utilities)
    return _why(now, pick, "would be asked for next")


def why_asked(events: Sequence[Event], request_id: str) -> Why:
    """Say why a request was made, from the campaign's events."""
    asked = next(e for e in events if e.kind == "asked" and e.entry == request_id)
    return _by_its_name_now(_why_then(events, asked), events[asked.seq :])


def _why_then(events: Sequence[Event], asked: Event) -> Why:
    assert asked.label is not None
    if asked.erased:
        return Why(asked.label, {}, f"{named(asked.label)} was asked for; the request was erased.")
    ledger = Ledger()
    for event in events[: asked.payload["known"]]:
        ledger.apply(event)
    now = as_decided(snapshot_of(ledger, asked.payload["decided_at"]), asked)
    if rests_on_erased(events, asked):
        recorded = from_record(asked.payload["utilities"])
        return Why(
            asked.label,
            {now.classes[code]: u for code, u in recorded.items()},
            f"{named(asked.label)} is asked for; data that spoke for it were erased since, so why "
            "can no longer be told.",
        )
    first = asked.seq - 1 - asked.payload["place"]
    now = _after_picks(now, events[first : asked.seq - 1])
    pick = _pick(now, asked.label, decide(now, 1).utilities)
    return _why(now, pick, "is asked for")


def _by_its_name_now(why: Why, later: Sequence[Event]) -> Why:
    """Return a reason with the names that classes have now; the sentence keeps those of then."""
    label, utilities = why.label, why.utilities
    for event in later:
        if event.kind == "class_renamed":
            old, new = event.label, event.payload["to"]
            label = new if label == old else label
            utilities = {new if one == old else one: u for one, u in utilities.items()}
    if label is None or label == why.label:
        return replace(why, utilities=utilities)
    return Why(label, utilities, f"{why.sentence} It is called {named(label)} now.")


def _after_picks(now: Snapshot, batch: Sequence[Event]) -> Snapshot:
    """Return what a later request of a batch was decided from: earlier ones are under way."""
    requests = [
        Request(event.entry, event.label, {}, datetime.fromtimestamp(event.at, UTC), None)
        for event in batch
        if event.entry is not None and event.label is not None
    ]
    order = now.order
    if order is not None:
        codes = [now.classes.index(request.label) for request in requests]
        order = np.append(order, np.array(codes, dtype=np.intp))
    return replace(now, pending=(*now.pending, *requests), order=order)


def _pick(now: Snapshot, label: Label, utilities: Utilities) -> Pick:
    labelled = now.labelled()
    step = len(labelled) + len(labelled.pending)
    return Pick(
        labelled,
        now.classes.index(label),
        utilities,
        class_conditions(now.conditions, labelled.classes),
        Stream(seed_of(now.seed), np.uint64(step)),
    )


def _why(now: Snapshot, pick: Pick, verb: str) -> Why:
    label = now.classes[pick.code]
    sentence = f"{named(label)} {verb} {_reason(now, pick)}"
    aside = _aside(now, pick)
    utilities = dict(zip(now.classes, pick.utilities.tolist(), strict=True))
    return Why(label, utilities, f"{sentence} ({aside})." if aside else f"{sentence}.")


def _reason(now: Snapshot, pick: Pick) -> str:
    if len(pick.open) == 1:
        if now.paused >= set(now.classes) - {now.classes[pick.code]}:
            return "because all other classes are paused"
        return "because no other class may be requested now"
    if np.isposinf(pick.utilities).any():
        return (
            "because there is no instance of it yet; each class is asked for once before the "
            "strategy decides"
        )
    if len(pick.labelled) == 0:
        return (
            "because nothing was told yet; until then requests are spread evenly over the classes"
        )
    return because(now.strategy(), pick)


def _aside(now: Snapshot, pick: Pick) -> str:
    """Name the classes that could not be picked, each with what kept it out."""
    could = [now.classes[code] for code in pick.open]
    active = [label for label in now.classes if label not in now.paused]
    out = {
        "paused": [label for label in now.classes if label in now.paused],
        "too expensive for what is left": [c for c in active if c not in now.candidates],
        "ruled out by a limit": [c for c in active if c in now.candidates and c not in could],
    }
    return "; ".join(
        f"{listing(who)} {'is' if len(who) == 1 else 'are'} {what}"
        for what, who in out.items()
        if who
    )


def _obstacle(now: Snapshot, refusal: str) -> str:
    budget, under_way = now.settings.budget, len(now.pending)
    if now.phase != "open":
        return f"Nothing is asked for because this campaign is {now.phase}; reopen it to go on."
    if now.paused.issuperset(now.classes):
        return "Nothing is asked for because all classes are paused; resume one to go on."
    if now.remaining != 0:
        return f"Nothing is asked for: {refusal}"
    used_up = f"Nothing more is asked for because the budget of {budget} is used up"
    if not under_way:
        return f"{used_up}."
    requests = "request" if under_way == 1 else "requests"
    return f"{used_up}, with {under_way} {requests} still under way."
