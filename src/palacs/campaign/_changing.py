"""Changing a campaign's course in the middle: other settings, other names, an end, a new start.

Each is an event with its reason. Requests made before it keep what was in force for them, and
a replay of the record goes by the same.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any, Unpack

from palacs.campaign import _course, _decide, _values
from palacs.campaign._calls import Call, call_of, kept
from palacs.campaign._erasing import alike, check_wanted, erase, matching, not_cleaned
from palacs.campaign._ledger import Ledger
from palacs.campaign._noted import noted, recording_of
from palacs.campaign._predicting import PredictingCampaign
from palacs.campaign._recordings import Recording
from palacs.campaign._records import Request, id_of
from palacs.campaign._settings import Changes, check_changes
from palacs.storage import Draft, Event, Label

Plan = Callable[[Ledger], list[Draft]]


class ChangingCampaign(PredictingCampaign, ABC):
    """The part of a campaign that changes its course."""

    def _first(self, call: Call | None) -> list[Event]:
        """Return what a call wrote when it was made before."""
        return [] if call is None else self._record(lambda _: [], call)

    @abstractmethod
    def _record(self, plan: Plan, call: Call | None = None) -> list[Event]:
        """Write what a plan wants to, and return it; or what the call has written before."""

    def change(self, *, reason: str, op: str | None = None, **new: Unpack[Changes]) -> None:
        """Change settings from now on; what was asked before stays as it is.

        Parameters
        ----------
        reason : str
            Why; kept in the record.
        op : str or None
            Your id for this call, see `Campaign`.
        budget, budget_cost, lease, conditions, strategy, session, title
            One or several of these, as in `create_campaign`. A session is the name of one of
            `SESSIONS` or such a timeline. A budget counts from the beginning
            of the campaign. A lease holds for requests made or renewed later. Where no cost was
            told, acquisitions count by the costs now in force, earlier ones as well. A title is
            what people see instead of the campaign's name, which stays.

        Examples
        --------
        >>> import palacs
        >>> c = palacs.create_campaign("demo", ["rest", "left"], budget=20, storage="memory")
        >>> c.change(budget=30, lease=600, reason="a second day was granted")
        >>> c.settings.budget, c.settings.lease
        (30, 600.0)
        """
        why, wanted = _course.check_why(reason), check_changes(new)
        call = call_of(op, "change", wanted, why)
        self._rehearsed(lambda ledger: _course.change(ledger, wanted, why), call)

    def rename_class(self, old: Label, new: Label, reason: str, *, op: str | None = None) -> None:
        """Give a class another name; its requests, instances and conditions stay its own.

        The history shows the name it has now; the events keep the one it had.
        """
        why = _course.check_why(reason)
        call = call_of(op, "rename_class", old, new, why)
        self._rehearsed(lambda ledger: _course.rename_class(ledger, old, new, why), call)

    def renew(self, request: Request | str, reason: str = "", *, op: str | None = None) -> Request:
        """Let the lease of an open request start anew, also after it ended."""
        id_, why = id_of(request), _values.check_reason(reason)
        call = call_of(op, "renew", id_, why)
        self._record(lambda ledger: _course.renew(ledger, id_, why), call)
        with kept(op):
            return self.request(id_)

    def close_campaign(self, reason: str, *, op: str | None = None) -> None:
        """Let nothing new begin: no requests, no unsolicited instances, no changes.

        What was asked for before can still be told, failed or renewed, and what is in can be
        retracted: a recording that was made is not thrown away.
        """
        why = _course.check_why(reason)
        call = call_of(op, "close_campaign", why)
        self._record(lambda ledger: _course.close(ledger, why), call)

    def archive(self, reason: str, *, op: str | None = None) -> None:
        """Close the campaign, and leave it out of lists of campaigns."""
        why = _course.check_why(reason)
        call = call_of(op, "archive", why)
        self._record(lambda ledger: _course.close(ledger, why, archived=True), call)

    def reopen(self, reason: str, *, op: str | None = None) -> None:
        """Let a campaign that was closed or archived go on."""
        why = _course.check_why(reason)
        call = call_of(op, "reopen", why)
        self._record(lambda ledger: _course.reopen(ledger, why), call)

    def recordings(self) -> list[Recording]:
        """Return the recordings of all instances, without the content of those kept inside."""
        return [recording for _, recording in self.recordings_since(0)]

    def recordings_since(self, seq: int) -> list[tuple[int, Recording]]:
        """Return the recordings that came after an event, each with the number of its own.

        In the order in which they came, which is not that of asking: nothing is put in between
        later. One that waited comes again when its features do.

        Examples
        --------
        >>> import palacs
        >>> c = palacs.create_campaign("demo", ["rest", "left"], storage="memory")
        >>> first, second = c.ask_many(2)
        >>> for request in (second, first):
        ...     told = c.tell(request, [0.5], recording=f"https://lab/{request.id}.edf")
        >>> since = [number for number, _ in c.recordings_since(0)]
        >>> since == sorted(since), c.recordings()[0].where.endswith(f"{second.id}.edf")
        (True, True)
        """
        self._refresh()
        with self._mutex:
            done = [
                (e.done, recording_of(e)) for e in self._ledger.entries.values() if e.done > seq
            ]
        found = [(number, recording) for number, recording in done if recording is not None]
        return sorted(found, key=lambda one: one[0])

    def noted_values(self, name: str) -> list[Any]:
        """Return what was noted under this name with instances, also with those retracted.

        Examples
        --------
        >>> import palacs
        >>> c = palacs.create_campaign("demo", ["rest", "left"], storage="memory")
        >>> instance = c.add([0.1, 0.2], "rest", attrs={"trial": 7})
        >>> c.noted_values("trial")
        [7]
        """
        self._refresh()
        with self._mutex:
            told = [entry for entry in self._ledger.entries.values() if entry.told_at is not None]
            found = [noted(entry) for entry in told]
        return [attrs[name] for attrs in found if name in attrs]

    def noted_with(self, attrs: Mapping[str, Any]) -> list[str]:
        """Return the ids of requests and instances that are noted with all these attributes.

        Values are compared as tables show them: 2 and "2" are the same.
        """
        wanted = check_wanted(attrs)
        self._refresh()
        with self._mutex:
            return matching(self._ledger, wanted)

    def noted_alike(self, attrs: Mapping[str, Any]) -> dict[str, int]:
        """Return what is noted in another spelling than these attributes, and how often.

        Upper and lower case, blanks, punctuation, leading zeros and forms of one letter do not
        matter, neither in names nor in values. What `noted_with` finds is not among them.

        Examples
        --------
        >>> import palacs
        >>> c = palacs.create_campaign("demo", ["rest", "left"], storage="memory")
        >>> instance = c.add([0.1, 0.2], "rest", attrs={"subject": "S7 "})
        >>> c.noted_alike({"subject": "s07"})
        {"subject='S7 '": 1}
        """
        wanted = check_wanted(attrs)
        self._refresh()
        with self._mutex:
            return alike(self._ledger, wanted)

    def erase(self, attrs: Mapping[str, Any], reason: str, *, op: str | None = None) -> int:
        """Erase everything about somebody who withdraws, for good.

        Requests and instances noted with all these attributes lose their numbers, costs, notes,
        reasons, authors and recordings kept inside, in the record, its free pages and its log;
        they leave the labelled set, and the history says "erased". Their ids, classes and times
        stay, and a tombstone with the reason. What was exported or backed up before, recordings
        kept outside, and the campaign's own name and attributes are yours to remove. Repeating
        it is harmless, and completes what was interrupted.

        Parameters
        ----------
        attrs : mapping
            Such as ``{"subject": "s07"}``; compared as in `noted_with`. What is noted in another
            spelling ("S07") stays; `noted_alike` names it.
        reason : str
            Why; kept in the record, so name nobody.
        op : str or None
            Your id for this call, see `Campaign`.

        Returns
        -------
        int
            How many requests and instances were erased.

        Examples
        --------
        >>> import palacs
        >>> c = palacs.create_campaign("demo", ["rest", "left"], storage="memory")
        >>> instance = c.add([0.1, 0.2], "rest", attrs={"subject": "s07"})
        >>> c.erase({"subject": "s07"}, reason="consent withdrawn")
        1
        >>> c.status().instances, c.status().states["erased"]
        (0, 1)
        """
        wanted, why = check_wanted(attrs), _course.check_why(reason)
        call = call_of(op, "erase", wanted, why)
        with self.writing(), self._storage.write(self._stored.key) as turn:
            self._catch_up(turn.events)
            with self._mutex:
                ids = matching(self._ledger, wanted)
            n = erase(turn, ids, why, call)
        with kept(op):
            self._refresh()
        if self._ledger.n_erased:
            with not_cleaned():
                self._storage.purge()
        return n

    @abstractmethod
    def writing(self) -> AbstractContextManager[None]:
        """Return what every operation that writes happens in."""

    def _rehearsed(self, plan: Plan, call: Call | None) -> None:
        """Write what changes decisions, once the strategy has shown that it can work with it."""
        if call is not None and self._record(lambda _: [], call):
            return
        while not self._attempted(plan, call):
            pass

    def _attempted(self, plan: Plan, call: Call | None) -> bool:
        self._refresh()
        with self._mutex:
            settings = _course.after(self._ledger, plan(self._ledger))
        # The strategy may take its time, which no writer should wait for.
        _decide.rehearse(settings)
        stands = True

        def unless_overtaken(ledger: Ledger) -> list[Draft]:
            nonlocal stands
            drafts = plan(ledger)
            stands = _course.after(ledger, drafts) == settings
            return drafts if stands else []

        self._record(unless_overtaken, call)
        return stands
