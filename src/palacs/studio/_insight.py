"""What the bench shows: the next request and why, counts, accuracy, confusion, a map.

Everything follows from the record, so it is computed once for each state of it and served from
memory to every page that looks. It comes in parts, since some take their time: where the campaign
stands is there at once at any size, and what follows from many instances comes after it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Literal

from palacs.campaign import Request, Snapshot, Why, json_number
from palacs.evidence import LeftOut, left_out_decisions
from palacs.storage import ForkSafeLock, Label
from palacs.studio._campaigns import StudioCampaign
from palacs.studio._listed import MOST_LISTED, evidence_of, highest, rows_of
from palacs.studio._maps import MapMethod, map_of

Part = Literal["all", "now", "evidence", "next", "map"]

_MOST_CACHED = 64
_MOST_PENDING = 100


class Insights:
    """Computes the bench's content, once for each state of a campaign."""

    def __init__(self) -> None:
        self._known: dict[Hashable, Any] = {}
        self._mutex = ForkSafeLock()
        self._turns: dict[Hashable, ForkSafeLock] = {}

    def of(
        self,
        campaign: StudioCampaign,
        method: MapMethod = "auto",
        holder: str | None = None,
        part: Part = "all",
    ) -> dict[str, Any]:
        """Return the insight into a campaign as JSON-able values.

        Parameters
        ----------
        campaign : StudioCampaign
        method : {"auto", "pca", "tsne"}
            How the map is made.
        holder : str or None
            Who looks: sees what it has to do itself. ``None`` sees what was asked for first.
        part : {"all", "now", "evidence", "next", "map"}
            What of it; "now" takes no time at any size of the campaign.
        """
        now = campaign.snapshot()
        waiting = _waiting(now, holder)
        found: dict[str, Any] = {"seq": now.seq}
        if part in ("all", "now"):
            found |= _standing(campaign, now, waiting)
        if part in ("all", "evidence"):
            found |= evidence_of(now, self.left_out(campaign, now))
        if part in ("all", "map"):
            found["map"] = self._once(
                ("map", method, *_labelled(campaign, now)), now, lambda: map_of(now, method)
            )
        if part in ("all", "next"):
            found |= self._next(campaign, now, waiting)
        return found

    def left_out(self, campaign: StudioCampaign, now: Snapshot) -> LeftOut:
        """Return the decisions of the campaign's model on instances it did not see."""
        found: LeftOut = self._once(
            ("evidence", *_labelled(campaign, now)),
            now,
            lambda: left_out_decisions(
                now.labelled(), now.model(), now.settings.seed, groups=now.groups
            ),
        )
        return found

    def rows(self, campaign: StudioCampaign) -> list[dict[str, Any]]:
        """Return a row for every class."""
        now = campaign.snapshot()
        return rows_of(now, self.left_out(campaign, now), range(len(now.classes)))

    def stopping(self, campaign: StudioCampaign) -> dict[str, Any]:
        """Say whether to stop asking, and why."""
        now = campaign.snapshot()

        def advise() -> dict[str, Any]:
            advice = now.stopping()
            return {"stop": advice.stop, "reason": advice.reason}

        key = ("stopping", *_labelled(campaign, now), now.paused)
        found: dict[str, Any] = self._once(key, now, advise)
        return found

    def _next(
        self, campaign: StudioCampaign, now: Snapshot, waiting: Request | None
    ) -> dict[str, Any]:
        if waiting is not None:
            key: Hashable = ("why", campaign.name, waiting.id, tuple(now.classes))
            why: Why = self._once(key, now, lambda: campaign.why(waiting))
        else:
            # A lease can end without an event.
            under_way = tuple(request.id for request in now.pending)
            why = self._once(("next", campaign.name, now.seq, under_way), now, now.why)
        shown = list(why.utilities)
        if len(shown) > MOST_LISTED:
            shown = highest(why.utilities, why.label)
        utilities = {str(label): json_number(why.utilities[label]) for label in shown}
        asked = None if waiting is None else _shown(waiting)
        return {"utilities": utilities, "asked": asked, "next": why.label, "why": why.sentence}

    def _once(self, key: Hashable, now: Snapshot, compute: Callable[[], Any]) -> Any:
        """Return what was computed before, or compute it; others who want it wait for it."""
        kind = key[:2] if isinstance(key, tuple) else key
        with self._mutex:
            turn = self._turns.setdefault(kind, ForkSafeLock())
        with turn:
            with self._mutex:
                known = self._known.get(key)
            if known is None:
                # The rows are kept with it: another store must not get the same number.
                known = compute(), now.selected.store
                with self._mutex:
                    self._known[key] = known
                    while len(self._known) > _MOST_CACHED:
                        del self._known[next(iter(self._known))]
            return known[0]


def _labelled(campaign: StudioCampaign, now: Snapshot) -> tuple[Hashable, ...]:
    """Return what tells one labelled set, and what is made of it, from another."""
    settings = repr((now.settings, now.conditions))
    rows = now.selected.rows.tobytes(), now.codes.tobytes()
    return campaign.name, id(now.selected.store), settings, tuple(now.classes), hash(rows)


def _waiting(now: Snapshot, holder: str | None) -> Request | None:
    """Return what somebody has to do: their own, or else what belongs to nobody."""
    open_ = [request for request in now.pending if request.performed_at is None]
    if holder is None:
        return next(iter(open_), None)
    mine = [request for request in open_ if request.holder == holder]
    return next(iter([*mine, *(request for request in open_ if request.holder is None)]), None)


def _standing(campaign: StudioCampaign, now: Snapshot, waiting: Request | None) -> dict[str, Any]:
    """Return where the campaign stands, which takes no time."""
    recorded = campaign.recordings_waiting()
    return {
        "phase": now.phase,
        "title": now.settings.title,
        "budget": now.settings.budget,
        "budget_cost": now.settings.budget_cost,
        "spent": now.spending.spent,
        "strategy": str(now.settings.strategy["name"]),
        "proportions": now.conditions is not None and now.conditions.proportions is not None,
        "n_features": campaign.n_features,
        "axes": (campaign.feature_names or [])[:2],
        "extractor": campaign.extractor,
        "recorded": recorded[:_MOST_PENDING],
        "n_recorded": len(recorded),
        "labels": now.classes,
        "counts": now.counts(),
        "paused": [label for label in now.classes if label in now.paused],
        "pending": [_pending(request) for request in now.pending[:_MOST_PENDING]],
        "n_pending": len(now.pending),
        "asked": None if waiting is None else _shown(waiting),
        "ends": now.why_nothing(),
        "last_told": _last_told(campaign, now),
    }


def _last_told(campaign: StudioCampaign, now: Snapshot) -> dict[str, Any] | None:
    latest = now.ids_of(now.selected.rows[-1:].tolist())
    if not latest:
        return None
    instance = campaign.instance(latest[0])
    return {"id": instance.id, "label": instance.label, "at": instance.told_at.isoformat()}


def _shown(request: Request) -> dict[str, str | Label]:
    return {"id": request.id, "label": request.label}


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
