"""Whom a request belongs to: the page or program that asked for it, claimed it or performed it.

Two people who see the same word perform it twice, and one instance is recorded for both. So a
holder (see `acting_as`) works on requests of its own; one that went away leaves its request to
whoever claims it, after its lease or by taking it over. Those who act for nobody, such as scripts
and instruments, are never refused: an instrument may tell what any page has performed.
"""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import Any

from palacs.campaign import _operations, _values
from palacs.campaign._author import acting_holder, is_confined
from palacs.campaign._calls import call_of, kept
from palacs.campaign._campaign_errors import Conflict, DoesNotFit
from palacs.campaign._course import renew
from palacs.campaign._extracting import ExtractingCampaign
from palacs.campaign._ledger import Ledger
from palacs.campaign._noted import noted
from palacs.campaign._records import Instance, Request, id_of
from palacs.storage import Draft

_LOOKED_AT = 5_000
_NOTHING = "there was nothing to undo"


class OwningCampaign(ExtractingCampaign):
    """The part of a campaign in which several people work side by side."""

    def claim(
        self, request: Request | str, *, take_over: bool = False, op: str | None = None
    ) -> Request:
        """Let an open request be the holder's own from now on; its lease starts anew.

        Parameters
        ----------
        request : Request or str
            One that belongs to nobody, or whose lease ended.
        take_over : bool
            Also where it is another holder's, whose lease goes on: somebody saw that the other
            is gone.
        op : str or None
            Your id for this call, see `Campaign`.

        Raises
        ------
        Conflict
            It is another's, or was performed, told or failed.

        Examples
        --------
        >>> from palacs.campaign import acting_as, create_campaign
        >>> c = create_campaign("demo", ["rest", "left"], storage="memory")
        >>> with acting_as("Anna", holder="phone 1"):
        ...     request = c.ask()
        >>> with acting_as("Ben", holder="phone 2"):
        ...     c.claim(request, take_over=True).holder
        'phone 2'
        """
        id_, at = id_of(request), self._storage.now()
        call = call_of(op, "claim", id_, take_over)
        self._record(lambda ledger: _claim(ledger, id_, at, take_over), call)
        with kept(op):
            return self.request(id_)

    def undo(
        self, reason: str = "", *, by: str | None = None, op: str | None = None
    ) -> Instance | Request | None:
        """Take back what was done last.

        The instance that was recorded last is retracted, or, where a request was performed
        after that and its data have not arrived, this request is failed.

        Parameters
        ----------
        reason : str
            Why; kept in the record.
        by : str or None
            Only what belongs to this holder; by default whoever's it is. Those who are confined
            (`acting_as`) undo what is their own, whatever they say.
        op : str or None
            Your id for this call, see `Campaign`.

        Returns
        -------
        Instance, Request or None
            What was taken back; None where there is nothing to undo.
        """
        why, at = _values.check_reason(reason), self._storage.now()
        by = acting_holder() if is_confined() else by
        whose = None if by is None else _values.check_name(by, "holder")
        # As it was before there were holders, so that a repetition is known.
        call = call_of(op, "undo", why) if whose is None else call_of(op, "undo", why, whose)

        def plan(ledger: Ledger) -> list[Draft]:
            # Repeated after something came in, a call that found nothing must not take that back.
            nothing = [] if call is None else [Draft("changed", payload={"reason": _NOTHING})]
            return _operations.undo(ledger, at, why, whose) or nothing

        written = self._record(plan, call)
        if not written or written[0].entry is None:
            return None
        with self._mutex:
            entry = self._ledger.entries[written[0].entry]
            if entry.told_at is not None:
                return self._ledger.instance(entry)
        with kept(op):
            return self.request(entry.id)

    def done_under(self, op: str) -> list[str]:
        """Return the requests and instances that a call with this id of the caller's wrote."""
        with self.writing(), self._storage.write(self._stored.key) as turn:
            return [event.entry for event in turn.operation(op) if event.entry is not None]

    def recordings_waiting(self) -> list[dict[str, Any]]:
        """Return what was recorded for requests that have no features yet, oldest first.

        Id, label, file, and why: what the extractor said about it. Leases do not matter.

        Examples
        --------
        >>> from palacs.campaign import Recording, bring_recording, create_campaign
        >>> c = create_campaign("demo", ["rest", "left"], storage="memory")
        >>> waits = bring_recording(c, c.ask(), Recording.keep(b"...", "photo.jpg"))
        >>> [row["file"] for row in c.recordings_waiting()]
        ['photo.jpg']
        """
        self._refresh()
        with self._mutex:
            waiting = [entry for entry in self._ledger.open_requests() if entry.recording]
            return [
                {
                    "id": entry.id,
                    "label": entry.asked,
                    "file": PurePath(str(json.loads(entry.recording or "")["where"])).name,
                    "why": str(noted(entry).get("not_extracted", "")),
                }
                for entry in waiting
            ]

    def done_by(self, holder: str, most: int = 20) -> list[dict[str, Any]]:
        """Return what a holder did last, the latest first: id, label, state, whether recorded.

        What is under way and not performed is left out; only the last requests are looked at.
        """
        self._refresh()
        at, found = self._storage.now(), []
        with self._mutex:
            entries = self._ledger.entries
            n = len(entries)
            for entry in entries.at(range(n - 1, max(-1, n - 1 - _LOOKED_AT), -1)):
                state = entry.state(at)
                if entry.holder != holder or (state == "pending" and entry.performed_at is None):
                    continue
                label = entry.asked if entry.label is None else entry.label
                shown = "awaiting" if state == "pending" else state
                recorded = entry.recording is not None
                found.append({"id": entry.id, "label": label, "state": shown, "recorded": recorded})
                if len(found) == most:
                    break
        return found


def _claim(ledger: Ledger, id_: str, at: float, take_over: bool) -> list[Draft]:
    me = acting_holder()
    if me is None:
        raise DoesNotFit("nobody claims this request; act as a holder, see acting_as.")
    drafts = renew(ledger, id_, "")
    entry = _operations.find(ledger, id_)
    waits = entry.state(at) == "pending"
    if entry.holder == me and waits:
        return []
    if entry.performed_at is not None:
        whom = "whoever performed it" if is_confined() else "anybody"
        raise Conflict(f"request {id_!r} was already performed; its data can be told by {whom}.")
    if waits and entry.holder is not None and (is_confined() or not take_over):
        raise Conflict(_operations.belongs_elsewhere(id_))
    return [Draft("renewed", id_, entry.asked, payload={**drafts[0].payload, "claimed": True})]
