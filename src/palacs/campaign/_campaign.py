"""The campaign: ask which class to acquire next, tell what came back.

Every operation is one transaction on the record (see `palacs.storage`); this process's
ledger follows the record by reading only what is new. Deciding never happens in the writer's
turn, so it holds nobody up: the decision is written only if no other request came in between
and it is within all limits there, otherwise it is made again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any, Unpack

import numpy.typing as npt

from palacs.campaign import _decide, _operations, _values
from palacs.campaign._asking import AskAndTell
from palacs.campaign._attrs import Attrs, check_attrs
from palacs.campaign._calls import Call, call_of, first_outcome, kept, signed
from palacs.campaign._campaign_errors import BudgetExhausted, NothingToAsk
from palacs.campaign._ledger import Ledger
from palacs.campaign._operations import Answer, Notes
from palacs.campaign._recordings import Recording
from palacs.campaign._records import Instance, Request
from palacs.campaign._records import id_of as _id_of
from palacs.campaign._snapshot import Snapshot, snapshot_of
from palacs.campaign._tabling import TabledCampaign
from palacs.storage import Draft, Event, EventKind, Label

# A decision is made again if one of these came in after what it knew. Where others only asked, it
# is made again once (the first may have waited for things to load) and then for ten seconds; then
# it is kept, as long as it is within all limits: nobody is overtaken for ever.
_DECISIVE: frozenset[EventKind] = frozenset(
    {
        "asked",
        "paused",
        "resumed",
        "class_added",
        "class_renamed",
        "changed",
        "extracted",
        "closed",
        "reopened",
        "erased",
    }
)
_PATIENCE_S = 10.0
_MOST_NEWS = 8  # events after which a decision that was made ahead is out of date


class Campaign(TabledCampaign, AskAndTell):
    """A durable ask-and-tell run; made by `create_campaign` and `load_campaign`.

    Any number of processes and threads may work on one campaign at a time. What an
    operation has returned from is on stable storage; repeating one is harmless.

    *Repeating.* Every operation takes ``op``, an id of your own for this one call. A call that
    is repeated with its id, for example since a broken connection left its outcome unknown,
    returns the first outcome and writes nothing; the same id for another call is a `Conflict`.

    *Budget.* It limits the instances that requests bring into the labelled set: delivered
    plus pending. Failed, expired and retracted requests give their place back, unsolicited
    instances take none. A late answer to an expired request is never refused, so these can
    exceed the budget.

    *Features.* All instances in the labelled set have one length: the declared one, or that of the
    first; once all were retracted the next one says it again. Raw values are stored; the
    strategy and the model see them scaled to [0, 1] by the declared bounds, or by the range
    of what is in the labelled set.

    Examples
    --------
    >>> import palacs.campaign
    >>> c = palacs.campaign.create_campaign("demo", classes=["rest", "left"], storage="memory")
    >>> request = c.ask()
    >>> instance = c.tell(request, [0.1, 0.2])
    >>> instance.label == request.label
    True
    >>> c.status().instances
    1
    """

    _ahead: tuple[Snapshot, _decide.Decision] | None = None

    # -- ask ---------------------------------------------------------------------------

    def ask(self, *, attrs: Mapping[str, Any] | None = None, op: str | None = None) -> Request:
        """Request one instance of the class the strategy chooses.

        Parameters
        ----------
        attrs : mapping or None
            What holds for the instance it brings, such as its subject.
        op : str or None
            Your id for this call, see above.

        Raises
        ------
        BudgetExhausted, NothingToAsk
            No class may be requested now.
        """
        return self.ask_many(1, attrs=attrs, op=op)[0]

    def ask_many(
        self, n: int, *, attrs: Mapping[str, Any] | None = None, op: str | None = None
    ) -> list[Request]:
        """Request up to `n` instances at once; fewer where the budget ends.

        Each counts as pending for the next one, within the batch and for everybody else,
        until it is told or failed or its lease ends.
        """
        n, noted = _values.check_count(n, "n", maximum=10_000), check_attrs(attrs)
        call = call_of(op, "ask", n, noted)
        with self.deciding():
            written = self._ask(n, noted, call)
        with kept(op):
            return [self.request(event.entry or "") for event in written]

    def _ask(self, n: int, attrs: Attrs | None, call: Call | None) -> list[Event]:
        written = self._first(call)  # what was asked before may have used up the budget
        since = float("inf")  # the first decision
        ready, self._ahead = self._ahead if n == 1 else None, None
        while not written:
            try:
                now, decision = ready or self._decision(n)
            except (BudgetExhausted, NothingToAsk):
                # So may the same call, made again by somebody else at this moment.
                if written := self._first(call):
                    break
                raise
            overtaken = time.monotonic() - since > _PATIENCE_S
            since = min(since, time.monotonic())
            with self.writing(), self._storage.write(self._stored.key) as turn:
                news = turn.events(now.seq)
                self._catch_up(turn.events)
                written = first_outcome(turn, call)
                recent = ready is None or len(news) <= _MOST_NEWS
                ready = None
                if not written and recent and self._stands(decision, news, turn.now, overtaken):
                    first = self._ledger.n_asked + 1
                    ids = [_operations.new_id("r", first + i) for i in range(len(decision.labels))]
                    drafts = _decide.asked_drafts(decision, now, ids, attrs)
                    written = turn.append(signed(drafts, call))
            self._fold(written)
        return written

    def prepare(self) -> None:
        """Make the next decision now, so that the next `ask` need not wait for it.

        It takes the decision where nobody else asked since and only a few instances came; those
        are not known to it, and the record says so.
        """
        with self.deciding():
            self._refresh()
            if self._ahead is None or self._ahead[0].seq != self._ledger.seq:
                self._ahead = self._decision(1)

    def _decision(self, n: int) -> tuple[Snapshot, _decide.Decision]:
        self._refresh()
        at = self._storage.now()
        with self._mutex:
            now = snapshot_of(self._ledger, at)
        return now, _decide.decide(now, _decide.allowance(now, n))

    def _stands(
        self, decision: _decide.Decision, news: Sequence[Event], at: float, overtaken: bool
    ) -> bool:
        """Whether a decision may be written after what came in meanwhile."""
        if not news:
            return True
        decisive = _DECISIVE - {"asked"} if overtaken else _DECISIVE
        if any(event.kind in decisive for event in news):
            return False
        with self._mutex:
            return _decide.fits(snapshot_of(self._ledger, at), decision.labels)

    def utilities(self) -> dict[Label, float]:
        """Return the utility every class has now, without requesting anything.

        NaN for paused classes, infinite for those without an instance and none pending.
        """
        now = self.snapshot()
        _decide.allowance(now, 1)
        return dict(zip(now.classes, _decide.decide(now, 1).utilities.tolist(), strict=True))

    # -- tell --------------------------------------------------------------------------

    def tell(
        self,
        request: Request | str,
        x: npt.ArrayLike | Mapping[str, float] | None = None,
        label: Label | None = None,
        *,
        op: str | None = None,
        **notes: Unpack[Notes],
    ) -> Instance:
        """Record the instance that a request brought.

        Telling the same again changes nothing; telling other values raises `Conflict`.

        Parameters
        ----------
        request : Request or str
            The request or its id, also after its lease ended.
        x : array-like of shape (n_features,), mapping or None
            Raw feature values, finite; a mapping's or a Series' are put in order by name. None lets
            the extractor in force make them from the recording, also from an earlier one.
        label : str, int or None
            The class the instance has, where it is another than the one asked for.
        op : str or None
            Your id for this call, see above.
        cost, duration : float or None
            What it cost and how many seconds it took, where that is known.
        attrs : mapping or None
            What to note about it, such as subject and session; stands above what was noted when
            asking and when the campaign was created.
        recording : str, path, mapping, Recording or None
            Its raw material: a path, which is read for size and SHA-256, a URI, or what is known
            about it (``uri``, ``size``, ``sha256``). It stays where it is; give
            `Recording.inside` to have a small one kept in the record.

        Returns
        -------
        Instance
        """
        id_ = _id_of(request)
        if x is None and notes.get("recording") is None:
            notes["recording"] = self.recording(id_)
        given = _operations.answer(x, label, **notes)
        call = call_of(op, "tell", id_, given)
        self._record_answers([given], partial(_operations.tell_all, ids=[id_]), call)
        return self.instance(id_)

    def tell_many(
        self,
        answers: Iterable[Sequence[Any]],
        *,
        attrs: Mapping[str, Any] | None = None,
        op: str | None = None,
    ) -> list[Instance]:
        """Record several instances, all or none.

        Parameters
        ----------
        answers : iterable of (request, x), (request, x, label) or (request, x, label, notes)
            As in `tell`; the notes are a mapping such as ``{"cost": 2.5, "attrs": {...}}``.
        attrs : mapping or None
            What to note about all of them; what is noted about one stands above it.
        op : str or None
            Your id for this call, see above.
        """
        noted = check_attrs(attrs)
        rows = [_operations.numbered_answer(row, noted) for row in answers]
        ids = [id_ for id_, _ in rows]
        if len(set(ids)) < len(ids):
            raise ValueError("a request is answered twice in one call; give each one once.")

        call = call_of(op, "tell_many", rows)
        plan = partial(_operations.tell_all, ids=ids)
        self._record_answers([given for _, given in rows], plan, call)
        return [self.instance(id_) for id_ in ids]

    def fail(
        self,
        request: Request | str,
        reason: str = "",
        *,
        attrs: Mapping[str, Any] | None = None,
        op: str | None = None,
    ) -> None:
        """Record that a request will bring no instance, and why: it failed or was refused."""
        id_, why, noted = _id_of(request), _values.check_reason(reason), check_attrs(attrs)
        call = call_of(op, "fail", id_, why, noted)
        self._record(lambda ledger: _operations.fail(ledger, id_, why, noted), call)

    def performed(
        self,
        request: Request | str,
        *,
        attrs: Mapping[str, Any] | None = None,
        recording: Recording | None = None,
        op: str | None = None,
    ) -> None:
        """Record that a request was carried out and its data are still to come.

        Its lease starts anew, so that it keeps counting as pending meanwhile. What is noted with
        it, such as when the cue was shown, holds for the instance it brings; so does a recording,
        whose features are made or told later.
        """
        id_, noted = _id_of(request), check_attrs(attrs)
        kept = None if recording is None else Recording.of(recording)
        call = call_of(op, "performed", id_, *(each for each in (noted, kept) if each is not None))
        self._record(lambda ledger: _operations.performed(ledger, id_, noted, kept), call)

    def add(
        self,
        x: npt.ArrayLike | Mapping[str, float] | None,
        label: Label,
        *,
        id: str | None = None,
        op: str | None = None,
        **notes: Unpack[Notes],
    ) -> Instance:
        """Record an unsolicited instance.

        Parameters
        ----------
        x : array-like of shape (n_features,) or None
            As in `tell`.
        label : str or int
            Its class.
        id : str or None
            Your own id for it, which makes repeating the call harmless; by default a new one.
        op : str or None
            Your id for this call, see above.
        cost, duration, attrs, recording
            As in `tell`.
        """
        given = _operations.answer(x, label, **notes)
        if id is not None:
            id = _values.check_name(id, "instance id")
        chosen = ""

        def plan(ledger: Ledger, answers: Sequence[Answer]) -> list[Draft]:
            nonlocal chosen
            chosen = id or _operations.new_id("u", ledger.seq + 1)
            return _operations.add(ledger, chosen, answers[0])

        written = self._record_answers([given], plan, call_of(op, "add", id, given))
        return self.instance(written[-1].entry or "" if written else chosen)

    def retract(
        self, instance: Instance | Request | str, reason: str = "", *, op: str | None = None
    ) -> None:
        """Take an instance out of the labelled set; the history keeps it, with the reason."""
        id_, why = _id_of(instance), _values.check_reason(reason)
        call = call_of(op, "retract", id_, why)
        self._record(lambda ledger: _operations.retract(ledger, id_, why), call)

    # -- classes -----------------------------------------------------------------------

    def pause(self, label: Label, *, op: str | None = None) -> None:
        """Stop requesting a class; its instances stay, and more may be told or added."""
        call = call_of(op, "pause", label)
        self._record(lambda ledger: _operations.pause(ledger, label), call)

    def resume(self, label: Label, *, op: str | None = None) -> None:
        """Request a paused class again."""
        call = call_of(op, "resume", label)
        self._record(lambda ledger: _operations.resume(ledger, label), call)

    def add_class(self, label: Label, *, op: str | None = None) -> None:
        """Declare one more class; having no instance, it is requested first."""
        call = call_of(op, "add_class", label)
        if call is not None and self._record(lambda _: [], call):
            return
        self._refresh()
        with self._mutex:
            ledger = self._ledger
            added = [draft.label for draft in _operations.add_class(ledger, label)]
            declared, settings = len(ledger.settings.classes), ledger.settings
            others = ledger.classes[declared:]
        # The strategy may take its time, which no writer should wait for.
        _decide.rehearse(settings, [*others, *(new for new in added if new is not None)])
        self._record(lambda ledger: _operations.add_class(ledger, label), call)

    # -- writing -----------------------------------------------------------------------

    def writing(self) -> AbstractContextManager[None]:
        """Return what every operation that writes happens in; nothing by default.

        A subclass may let writers queue here, or tell others when something was written.
        """
        return nullcontext()

    def deciding(self) -> AbstractContextManager[None]:
        """Return what every decision happens in; nothing by default.

        A subclass may let those that ask queue here: a decision that another one overtook has
        to be made again. Those that tell need not wait for it.
        """
        return nullcontext()

    def _record(
        self, plan: Callable[[Ledger], list[Draft]], call: Call | None = None
    ) -> list[Event]:
        """Write what a plan wants to, and return it; or what the call has written before."""
        with self.writing(), self._storage.write(self._stored.key) as turn:
            self._catch_up(turn.events)
            written = first_outcome(turn, call)
            if not written:
                with self._mutex:
                    drafts = plan(self._ledger)
                written = turn.append(signed(drafts, call))
        # Only what is committed enters the ledger.
        self._fold(written)
        return written
