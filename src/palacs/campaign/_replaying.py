"""Checking decisions again: every request is recomputed from what was known when it was made.

Where data were erased since, a request may no longer follow from what is left. It is named, and
counts neither as right nor as wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from palacs.campaign._campaign_errors import NothingToAsk
from palacs.campaign._decide import Decision, as_decided, decide
from palacs.campaign._ledger import Ledger
from palacs.campaign._snapshot import snapshot_of
from palacs.campaign._told_utilities import difference_of
from palacs.storage import Event, Label
from palacs.ties import TIE


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A request that does not follow from the record: what was asked, what should have been."""

    request_id: str
    asked: Label
    recomputed: Label
    palacs: str


@dataclass(frozen=True, slots=True)
class Replay:
    """Outcome of recomputing a campaign's requests.

    Attributes
    ----------
    checked : int
        Number of requests recomputed.
    mismatches : tuple of Mismatch
        Those whose class came out differently.
    largest_difference : float
        Between recorded and recomputed utilities; 0 means equal to the last bit. Of more than 50
        classes the largest utilities are recorded, the sum and a digest of all.
    erased : tuple of str
        Requests that cannot be recomputed, since they or data they rested on were erased.
    """

    checked: int
    mismatches: tuple[Mismatch, ...]
    largest_difference: float
    erased: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether every request follows from what was known when it was made, as far as known."""
        return not self.mismatches


def replay(events: Iterable[Event]) -> Replay:
    """Recompute every request from the events before it."""
    ledger, record = Ledger(), list(events)
    asked = [event for event in record if event.kind == "asked"]
    erased = [event.entry or "" for event in asked if event.erased]
    checked, difference = 0, 0.0
    mismatches: list[Mismatch] = []
    # A decision that took long may stand behind one that knew more.
    whole = sorted((e for e in asked if not e.erased), key=lambda e: e.payload["known"])
    batch, decision = -1, _NOTHING
    for event in whole:
        if event.seq - event.payload["place"] != batch:
            batch = event.seq - event.payload["place"]
            for known in record[ledger.seq : event.payload["known"]]:
                ledger.apply(known)
            decision = _decided(ledger, event)
        gap = difference_of(event.payload["utilities"], decision.utilities)
        fits = decision.labels[event.payload["place"] :][:1] == [event.label]
        # A first decision may have been Python's, whose last digits differ.
        known_ones = np.abs(decision.utilities[np.isfinite(decision.utilities)])
        same = gap <= TIE * known_ones.max(initial=0.0)
        if not (fits and same) and rests_on_erased(record, event):
            erased.append(event.entry or "")
            continue
        checked, difference = checked + 1, max(difference, gap)
        if not fits:
            mismatches.append(_mismatch(event, decision))
    return Replay(checked, tuple(mismatches), difference, tuple(erased))


_NOTHING = Decision([], np.empty(0))


def _decided(ledger: Ledger, asked: Event) -> Decision:
    now = as_decided(snapshot_of(ledger, asked.payload["decided_at"]), asked)
    try:
        return decide(now, asked.payload["batch"])
    except (NothingToAsk, ValueError):
        if ledger.states(now.at)["erased"]:
            return _NOTHING
        raise


def _mismatch(asked: Event, decision: Decision) -> Mismatch:
    assert asked.entry is not None
    assert asked.label is not None
    recomputed = decision.labels[asked.payload["place"]]
    return Mismatch(asked.entry, asked.label, recomputed, str(asked.payload.get("palacs", "")))


def rests_on_erased(record: Sequence[Event], asked: Event) -> bool:
    """Say whether a request knew of data that were erased after it was made."""
    known = asked.payload["known"]
    return any(event.erased for event in record[:known]) and any(
        event.kind == "erased" for event in record[known:]
    )
