"""What the bench shows: the next request and why, counts, accuracy, confusion, a map.

Everything follows from the record, so it is computed once per event and served from memory to
every page that looks.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from palacs.campaign import Request, Snapshot, Why, json_number
from palacs.evidence import LeftOut, left_out_decisions
from palacs.storage import ForkSafeLock
from palacs.studio._campaigns import StudioCampaign
from palacs.studio._maps import MapMethod, map_of

_MOST_CACHED = 64


class Insights:
    """Computes the bench's content, once for each state of a campaign."""

    def __init__(self) -> None:
        self._known: dict[Hashable, dict[str, Any]] = {}
        self._nexts: dict[Hashable, dict[str, Any]] = {}
        self._reasons: dict[Hashable, Why] = {}
        self._mutex = ForkSafeLock()
        self._turns: dict[str, ForkSafeLock] = {}

    def of(
        self, campaign: StudioCampaign, method: MapMethod = "auto", holder: str | None = None
    ) -> dict[str, Any]:
        """Return the insight into a campaign as JSON-able values.

        Parameters
        ----------
        campaign : StudioCampaign
        method : {"auto", "pca", "tsne"}
            How the map is made.
        holder : str or None
            Who looks: sees what it has to do itself. ``None`` sees what was asked for first.
        """
        with self._mutex:
            turn = self._turns.setdefault(campaign.name, ForkSafeLock())
        # Several pages ask at the same moment; the others wait for the first one's answer.
        with turn:
            now = campaign.snapshot()
            # A lease can end without an event.
            key = (campaign.name, now.seq, tuple(request.id for request in now.pending))
            found = self._known.get((*key, method))
            if found is None:
                found = self._compute(now, method)
                self._remember(self._known, (*key, method), found)
            waiting = _waiting(now, holder)
            to_do = (*key, None if waiting is None else waiting.id)
            if to_do not in self._nexts:
                self._remember(self._nexts, to_do, self._next(campaign, now, waiting))
            return {**found, **self._nexts[to_do]}

    def _compute(self, now: Snapshot, method: MapMethod) -> dict[str, Any]:
        labels = now.classes
        groups, seed = now.groups, now.settings.seed
        accuracy = left_out_decisions(now.labelled(), now.model(), seed, groups=groups)
        return {
            "seq": now.seq,
            "phase": now.phase,
            "budget": now.settings.budget,
            "strategy": str(now.settings.strategy["name"]),
            "pending": [_pending(request) for request in now.pending],
            "classes": _classes(now, accuracy),
            "accuracy": [
                {
                    "acquired": point.acquired,
                    "accuracy": point.accuracy,
                    "recall": dict(zip(map(str, labels), point.recall, strict=True)),
                }
                for point in accuracy.curve
            ],
            "groups": {"names": list(dict.fromkeys(groups or [])), "remark": accuracy.remark},
            "confusion": {
                "labels": labels,
                "matrix": accuracy.confusion.tolist(),
                "undecided": accuracy.undecided.tolist(),
            },
            "map": map_of(now, method),
        }

    def _next(
        self, campaign: StudioCampaign, now: Snapshot, waiting: Request | None
    ) -> dict[str, Any]:
        asked = None if waiting is None else {"id": waiting.id, "label": waiting.label}
        why = now.why() if waiting is None else self._why(campaign, waiting)
        utilities = {str(label): json_number(utility) for label, utility in why.utilities.items()}
        return {"utilities": utilities, "asked": asked, "next": why.label, "why": why.sentence}

    def _why(self, campaign: StudioCampaign, request: Request) -> Why:
        key = (campaign.name, request.id)
        why = self._reasons.get(key)
        if why is None:
            why = campaign.why(request)
            self._remember(self._reasons, key, why)
        return why

    def _remember(self, cache: dict[Hashable, Any], key: Hashable, value: Any) -> None:
        with self._mutex:
            cache[key] = value
            while len(cache) > _MOST_CACHED:
                del cache[next(iter(cache))]


def _waiting(now: Snapshot, holder: str | None) -> Request | None:
    """Return what somebody has to do: their own, or else what belongs to nobody."""
    open_ = [request for request in now.pending if request.performed_at is None]
    if holder is None:
        return next(iter(open_), None)
    mine = [request for request in open_ if request.holder == holder]
    return next(iter([*mine, *(request for request in open_ if request.holder is None)]), None)


def _pending(request: Request) -> dict[str, Any]:
    expires_at = request.expires_at
    return {
        "id": request.id,
        "label": request.label,
        "asked_at": request.asked_at.isoformat(),
        "expires_at": None if expires_at is None else expires_at.isoformat(),
        "performed": request.performed_at is not None,
        "holder": request.holder,
    }


def _classes(now: Snapshot, accuracy: LeftOut) -> list[dict[str, Any]]:
    counts, under_way = now.counts(), now.under_way
    total = max(1, len(now.codes))
    return [
        {
            "label": label,
            "count": counts[code],
            "share": counts[code] / total,
            "pending": under_way.count(label),
            "paused": label in now.paused,
            "recall": accuracy.recall[code],
        }
        for code, label in enumerate(now.classes)
    ]
