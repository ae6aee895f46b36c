"""What the bench shows: the next request and why, counts, accuracy, confusion, a map.

Everything follows from the record, so it is computed once per event and served from memory to
every page that looks.
"""

from __future__ import annotations

import threading
from collections.abc import Hashable
from typing import Any

import numpy as np

from palacs.campaign import NothingToAsk
from palacs.campaign._ledger import Entry
from palacs.campaign._records import json_number, to_datetime
from palacs.evidence import LabelledSet, LeftOut, default_model, left_out_decisions
from palacs.studio import _why
from palacs.studio._campaigns import Snapshot, StudioCampaign
from palacs.studio._maps import MapMethod, map_of

_MOST_CACHED = 64


class Insights:
    """Computes the bench's content, once for each state of a campaign."""

    def __init__(self) -> None:
        self._known: dict[Hashable, dict[str, Any]] = {}
        self._moments: dict[Hashable, _why.Moment] = {}
        self._mutex = threading.Lock()
        self._turns: dict[str, threading.Lock] = {}

    def of(self, campaign: StudioCampaign, method: MapMethod = "auto") -> dict[str, Any]:
        """Return the insight into a campaign as JSON-able values."""
        with self._mutex:
            turn = self._turns.setdefault(campaign.name, threading.Lock())
        # Several pages ask at the same moment; the others wait for the first one's answer.
        with turn:
            now = campaign.snapshot()
            # A lease can end without an event.
            key = (campaign.name, method, now.seq, tuple(entry.id for entry in now.pending))
            found = self._known.get(key)
            if found is None:
                found = self._compute(campaign, now, method)
                self._remember(self._known, key, found)
            return found

    def _compute(
        self, campaign: StudioCampaign, now: Snapshot, method: MapMethod
    ) -> dict[str, Any]:
        labels = now.situation.classes
        codes = now.codes.astype(np.int64)
        labelled = LabelledSet(now.situation.X, codes, np.array(labels), codes[:0])
        accuracy = left_out_decisions(labelled, default_model(), campaign.settings.seed)
        return {
            "seq": now.seq,
            "pending": [_pending(entry) for entry in now.pending],
            **self._next(campaign, now),
            "classes": _classes(now, accuracy),
            "accuracy": [
                {
                    "acquired": point.acquired,
                    "accuracy": point.accuracy,
                    "recall": dict(zip(map(str, labels), point.recall, strict=True)),
                }
                for point in accuracy.curve
            ],
            "confusion": {
                "labels": labels,
                "matrix": accuracy.confusion.tolist(),
                "undecided": accuracy.undecided.tolist(),
            },
            "map": map_of(now, method),
        }

    def _next(self, campaign: StudioCampaign, now: Snapshot) -> dict[str, Any]:
        waiting = next((entry for entry in now.pending if entry.performed_at is None), None)
        if waiting is not None:
            moment = self._moment(campaign, waiting)
            asked = {"id": waiting.id, "label": waiting.asked}
            return _decided(moment, asked, _why.explain(moment, asked=True))
        obstacle = _obstacle(now, campaign.settings.budget)
        if obstacle:
            return _undecided(now, obstacle)
        try:
            moment = _why.next_moment(now.situation, now.paused)
        except NothingToAsk as refusal:
            # Some limits, such as max_repeat, are known to the strategy only.
            return _undecided(now, f"Nothing is asked for: {refusal}")
        return _decided(moment, None, _why.explain(moment, asked=False))

    def _moment(self, campaign: StudioCampaign, entry: Entry) -> _why.Moment:
        key = (campaign.name, entry.id)
        moment = self._moments.get(key)
        if moment is None:
            moment = _why.moment_of(campaign.events(), entry.id)
            self._remember(self._moments, key, moment)
        return moment

    def _remember(self, cache: dict[Hashable, Any], key: Hashable, value: Any) -> None:
        with self._mutex:
            cache[key] = value
            while len(cache) > _MOST_CACHED:
                del cache[next(iter(cache))]


def _decided(moment: _why.Moment, asked: dict[str, Any] | None, why: str) -> dict[str, Any]:
    pairs = zip(moment.situation.classes, moment.utilities.tolist(), strict=True)
    utilities = {str(label): json_number(utility) for label, utility in pairs}
    return {"utilities": utilities, "asked": asked, "next": moment.label, "why": why}


def _undecided(now: Snapshot, why: str) -> dict[str, Any]:
    nothing = {str(label): None for label in now.situation.classes}
    return {"utilities": nothing, "asked": None, "next": None, "why": why}


def _obstacle(now: Snapshot, budget: int | None) -> str:
    """Say why nothing can be asked for, if so."""
    if now.paused.issuperset(now.situation.classes):
        return "Nothing is asked for because all classes are paused; resume one to go on."
    if now.remaining == 0 and now.pending:
        under_way = len(now.pending)
        return (
            f"Nothing more is asked for because the budget of {budget} is used up, with "
            f"{under_way} {'request' if under_way == 1 else 'requests'} still under way."
        )
    if now.remaining == 0:
        return f"Nothing more is asked for because the budget of {budget} is used up."
    return f"Nothing is asked for: {now.obstacle}" if now.obstacle else ""


def _pending(entry: Entry) -> dict[str, Any]:
    asked_at, expires_at = to_datetime(entry.asked_at), to_datetime(entry.expires_at)
    return {
        "id": entry.id,
        "label": entry.asked,
        "asked_at": None if asked_at is None else asked_at.isoformat(),
        "expires_at": None if expires_at is None else expires_at.isoformat(),
        "performed": entry.performed_at is not None,
    }


def _classes(now: Snapshot, accuracy: LeftOut) -> list[dict[str, Any]]:
    labels = now.situation.classes
    counts = np.bincount(now.codes, minlength=len(labels)).tolist()
    total = max(1, len(now.codes))
    under_way = now.situation.pending
    return [
        {
            "label": label,
            "count": counts[code],
            "share": counts[code] / total,
            "pending": under_way.count(label),
            "paused": label in now.paused,
            "recall": accuracy.recall[code],
        }
        for code, label in enumerate(labels)
    ]
