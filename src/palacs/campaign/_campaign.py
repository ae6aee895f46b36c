"""The campaign: ask which class to acquire next, tell what came back.

Every operation is one transaction on the record (see `palacs.storage`); this process's
ledger follows the record by reading only what is new. Deciding happens outside the writer's
turn: the decision is written only if no other request came in between, otherwise it is made
again, and after two attempts under the lock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy.typing as npt

from palacs.campaign import _decide, _operations, _values
from palacs.campaign._changing import ChangingCampaign
from palacs.campaign._ledger import Ledger
from palacs.campaign._records import Instance, Request
from palacs.campaign._records import id_of as _id_of
from palacs.campaign._snapshot import snapshot_of
from palacs.storage import Draft, Event, EventKind, Label

# A decision stands unless one of these came in after what it knew.
_DECISIVE: frozenset[EventKind] = frozenset(
    {
        "asked",
        "paused",
        "resumed",
        "class_added",
        "class_renamed",
        "changed",
        "closed",
        "reopened",
        "erased",
    }
)
_ATTEMPTS_WITHOUT_LOCK = 2


class Campaign(ChangingCampaign):
    """A durable ask-and-tell run; made by `create_campaign` and `load_campaign`.

    Any number of processes and threads may work on one campaign at a time. What an
    operation has returned from is on stable storage; repeating one is harmless.

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

    # -- ask ---------------------------------------------------------------------------

    def ask(self) -> Request:
        """Request one instance of the class the strategy chooses.

        Raises
        ------
        BudgetExhausted, NothingToAsk
            No class may be requested now.
        """
        return self.ask_many(1)[0]

    def ask_many(self, n: int) -> list[Request]:
        """Request up to `n` instances at once; fewer where the budget ends.

        Each counts as pending for the next one, within the batch and for everybody else,
        until it is told or failed or its lease ends.
        """
        n = _values.check_count(n, "n")
        with self.writing():
            return self._ask(n)

    def _ask(self, n: int) -> list[Request]:
        for _ in range(_ATTEMPTS_WITHOUT_LOCK):
            self._refresh()
            at = self._storage.now()
            drafts, known = self._decide(at, n)
            with self._storage.write(self._stored.key) as turn:
                news = turn.events(known)
                stands = not any(event.kind in _DECISIVE for event in news)
                written = turn.append(drafts) if stands else []
            self._fold(news + written)
            if stands:
                return self._requests(written)
        with self._storage.write(self._stored.key) as turn:
            self._catch_up(turn.events)
            written = turn.append(self._decide(turn.now, n)[0])
        self._fold(written)
        return self._requests(written)

    def _decide(self, at: float, n: int) -> tuple[list[Draft], int]:
        with self._mutex:
            now = snapshot_of(self._ledger, at)
        n = _decide.allowance(now, n)
        decision = _decide.decide(now, n)
        ids = [_operations.new_id("r", now.n_asked + i) for i in range(1, n + 1)]
        return _decide.asked_drafts(decision, now, ids), now.seq

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
        x: npt.ArrayLike,
        label: Label | None = None,
        *,
        cost: float | None = None,
        duration: float | None = None,
    ) -> Instance:
        """Record the instance that a request brought.

        Telling the same again changes nothing; telling other values raises `Conflict`.

        Parameters
        ----------
        request : Request or str
            The request or its id, also after its lease ended.
        x : array-like of shape (n_features,)
            Raw feature values, finite.
        label : str, int or None
            The class the instance has, where it is another than the one asked for.
        cost, duration : float or None
            What it cost and how many seconds it took, where that is known.

        Returns
        -------
        Instance
        """
        id_ = _id_of(request)
        given = _operations.answer(x, label, cost, duration)
        self._record(lambda ledger: _operations.tell(ledger, id_, given))
        return self.instance(id_)

    def tell_many(self, answers: Iterable[Sequence[Any]]) -> list[Instance]:
        """Record several instances, all or none.

        Parameters
        ----------
        answers : iterable of (request, x) or (request, x, label)
            As in `tell`.
        """
        rows = [(_id_of(row[0]), _operations.answer(*_x_and_label(row))) for row in answers]
        ids = [id_ for id_, _ in rows]
        if len(set(ids)) < len(ids):
            raise ValueError("a request is answered twice in one call; give each one once.")

        def plan(ledger: Ledger) -> list[Draft]:
            # The first instance fixes the length for the others, as it would one by one.
            n_features = ledger.labelled.n_features or (rows[0][1].x.size if rows else None)
            for _, given in rows:
                _values.check_vector(given.x, n_features)
            return [d for id_, given in rows for d in _operations.tell(ledger, id_, given)]

        self._record(plan)
        return [self.instance(id_) for id_ in ids]

    def fail(self, request: Request | str, reason: str = "") -> None:
        """Record that a request will bring no instance: it failed or was refused."""
        id_, why = _id_of(request), _values.check_reason(reason)
        self._record(lambda ledger: _operations.fail(ledger, id_, why))

    def performed(self, request: Request | str) -> None:
        """Record that a request was carried out and its data are still to come.

        Its lease starts anew, so that it keeps counting as pending meanwhile.
        """
        id_ = _id_of(request)
        self._record(lambda ledger: _operations.performed(ledger, id_))

    def add(
        self,
        x: npt.ArrayLike,
        label: Label,
        *,
        id: str | None = None,
        cost: float | None = None,
        duration: float | None = None,
    ) -> Instance:
        """Record an unsolicited instance.

        Parameters
        ----------
        x : array-like of shape (n_features,)
            Raw feature values, finite.
        label : str or int
            Its class.
        id : str or None
            Your own id for it, which makes repeating the call harmless; by default a new one.
        cost, duration : float or None
            What it cost and how many seconds it took, where that is known.
        """
        given = _operations.answer(x, label, cost, duration)
        if id is not None:
            id = _values.check_name(id, "instance id")
        chosen = ""

        def plan(ledger: Ledger) -> list[Draft]:
            nonlocal chosen
            chosen = id or _operations.new_id("u", ledger.seq + 1)
            return _operations.add(ledger, chosen, given)

        self._record(plan)
        return self.instance(chosen)

    def retract(self, instance: Instance | Request | str, reason: str = "") -> None:
        """Take an instance out of the labelled set; the history keeps it, with the reason."""
        id_, why = _id_of(instance), _values.check_reason(reason)
        self._record(lambda ledger: _operations.retract(ledger, id_, why))

    def undo(self, reason: str = "") -> Instance | Request | None:
        """Take back what was done last.

        The instance that was recorded last is retracted, or, where a request was performed
        after that and its data have not arrived, this request is failed.

        Parameters
        ----------
        reason : str
            Why; kept in the record.

        Returns
        -------
        Instance, Request or None
            What was taken back; None where there is nothing to undo.
        """
        why = _values.check_reason(reason)
        at = self._storage.now()
        written = self._record(lambda ledger: _operations.undo(ledger, at, why))
        if not written:
            return None
        with self._mutex:
            entry = self._ledger.entries[written[0].entry or ""]
            if entry.told_at is not None:
                return self._ledger.instance(entry)
        return self.request(entry.id)

    # -- classes -----------------------------------------------------------------------

    def pause(self, label: Label) -> None:
        """Stop requesting a class; its instances stay, and more may be told or added."""
        self._record(lambda ledger: _operations.pause(ledger, label))

    def resume(self, label: Label) -> None:
        """Request a paused class again."""
        self._record(lambda ledger: _operations.resume(ledger, label))

    def add_class(self, label: Label) -> None:
        """Declare one more class; having no instance, it is requested first."""

        def plan(ledger: Ledger) -> list[Draft]:
            drafts = _operations.add_class(ledger, label)
            declared = len(ledger.settings.classes)
            added = [draft.label for draft in drafts if draft.label is not None]
            _decide.rehearse(ledger.settings, [*ledger.classes[declared:], *added])
            return drafts

        self._record(plan)

    # -- writing -----------------------------------------------------------------------

    def writing(self) -> AbstractContextManager[None]:
        """Return what every operation that writes happens in; nothing by default.

        A subclass may let writers queue here, or tell others when something was written.
        """
        return nullcontext()

    def _record(self, plan: Callable[[Ledger], list[Draft]]) -> list[Event]:
        with self.writing():
            return self._write(plan)

    def _write(self, plan: Callable[[Ledger], list[Draft]]) -> list[Event]:
        with self._storage.write(self._stored.key) as turn:
            self._catch_up(turn.events)
            with self._mutex:
                drafts = plan(self._ledger)
            written = turn.append(drafts)
        # Only what is committed enters the ledger.
        self._fold(written)
        return written

    def _requests(self, written: Sequence[Event]) -> list[Request]:
        with self._mutex:
            return [
                self._ledger.request(self._ledger.entries[event.entry or ""]) for event in written
            ]


def _x_and_label(row: Sequence[Any]) -> tuple[Any, Any]:
    if not 2 <= len(row) <= 3:
        raise ValueError(f"an answer has {len(row)} parts; give (request, x) or with a label.")
    return row[1], row[2] if len(row) == 3 else None
