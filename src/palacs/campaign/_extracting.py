"""The extractor in force: which one makes features of recordings, and changing it.

Changing it gives every instance a new vector in one event, so that nothing is recorded twice
because a feature changed. Requests made before keep the vectors they were decided by. Code of
somebody's own is never loaded because a record names it: whoever tells recordings gives it.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from palacs.campaign import _course, _operations
from palacs.campaign._calls import Call, call_of
from palacs.campaign._campaign_errors import CampaignError, Conflict, DoesNotFit
from palacs.campaign._changing import ChangingCampaign
from palacs.campaign._extraction import (
    Extraction,
    Member,
    Progress,
    Recordings,
    check_against_record,
    fitted_again,
    members_of,
)
from palacs.campaign._ledger import Ledger
from palacs.campaign._naming import in_order
from palacs.campaign._operations import Answer, Extracted
from palacs.campaign._recordings import bytes_of
from palacs.campaign._values import check_vector
from palacs.storage import Draft, Event, Storage, StoredCampaign

if TYPE_CHECKING:
    from palacs.extractors import Extractor

AnswerPlan = Callable[[Ledger, Sequence[Answer]], list[Draft]]

_MOST_TRIES = 50  # each extracts what came in meanwhile
_PAGE = 2_000


class ExtractingCampaign(ChangingCampaign, ABC):
    """The part of a campaign that makes features of recordings."""

    def __init__(self, storage: Storage, stored: StoredCampaign, *, owns: bool = False) -> None:
        super().__init__(storage, stored, owns=owns)
        self._own: Extractor | None = None
        # One that is ready, by the event that brought it and what was erased until then.
        self._ready: tuple[tuple[int, int], Extractor] | None = None

    @property
    def extractor(self) -> str | None:
        """The extractor in force, with its parameters; ``None`` where features are told."""
        self._refresh()
        known = self._ledger.settings.extractor
        return None if known is None else str(known["version"])

    def extract(
        self,
        extractor: Any,
        reason: str,
        *,
        folder: str | Path | None = None,
        progress: Progress | None = None,
        op: str | None = None,
    ) -> int:
        r"""Give every instance a new vector by another extractor, which is in force from then on.

        All of them change at once or none does. Recordings are held against their SHA-256
        first; an instance without one, or whose recording is missing or changed, is named, and
        nothing is written. Bounds, names and units declared for other features are given up.

        Parameters
        ----------
        extractor : str, transformer, callable or Extractor
            As `palacs.extractors.extractor_from` takes it. One that has to be fitted is fitted
            on the labelled set.
        reason : str
            Why; kept in the record.
        folder : str, Path or None
            Where recordings that are not at their place are looked for, by name.
        progress : callable or None
            Called with how many instances are extracted, and of how many.
        op : str or None
            Your id for this call, see `Campaign`.

        Returns
        -------
        int
            How many instances have a vector by this extractor now.

        Examples
        --------
        >>> import palacs
        >>> from palacs.campaign import Recording
        >>> c = palacs.create_campaign("demo", ["rest", "left"], storage="memory")
        >>> epoch = Recording.keep(b"1,2\n3,5\n4,9", "epoch.csv")
        >>> instance = c.add([0.5], "rest", recording=epoch)
        >>> c.extract(lambda epoch: epoch.max(axis=1), reason="peaks tell more")
        1
        >>> c.instance(instance.id).x
        array([4., 9.])
        """
        from palacs.extractors import extractor_from

        made, why = extractor_from(extractor), _course.check_why(reason)
        call = call_of(op, "extract", made.version, why)
        before = [] if call is None else self._record(lambda _: [], call)
        if before:
            return int(before[0].payload["instances"])
        place = None if folder is None else Path(folder)
        work = Extraction(made, Recordings(self.recording, place), progress)
        self._require_open()
        for _ in range(_MOST_TRIES):
            written = self._extracted(work, why, call)
            if written is not None:
                break
        else:
            raise CampaignError(
                "instances came in faster than they could be extracted, and nothing was written; "
                "extract when less is told."
            )
        self._own = made
        if written:
            self._ready = (written[0].seq, self._ledger.n_erased), work.extractor
        with self._mutex:
            return len(self._ledger.labelled)

    def use_extractor(self, extractor: Any) -> None:
        """Give the code of the extractor in force, where the record alone cannot find it.

        Parameters
        ----------
        extractor : str, transformer, callable or Extractor
            The same as was given to `extract` or `create_campaign`, in whichever process.

        Raises
        ------
        Conflict
            It is another one than the one in force; `extract` changes that.
        """
        from palacs.extractors import extractor_from

        made, known = extractor_from(extractor), self.extractor
        if made.version != known:
            raise Conflict(
                f"the extractor in force is {known or 'none'}, and this is {made.version}; "
                "change to it with extract."
            )
        self._own, self._ready = made, None

    # -- changing it -------------------------------------------------------------------

    def _require_open(self) -> None:
        self._refresh()
        with self._mutex:
            _operations.require_open(self._ledger, "its features stay")

    def _extracted(self, work: Extraction, why: str, call: Call | None) -> list[Event] | None:
        """Extract and write it; None where somebody told or retracted something meanwhile."""
        self._refresh()
        with self._mutex:
            members = members_of(self._ledger)
        work.go_on(members)
        overtaken = False

        def plan(ledger: Ledger) -> list[Draft]:
            nonlocal overtaken
            _operations.require_open(ledger, "its features stay")
            now = members_of(ledger)
            overtaken = not work.covers(now)
            return [] if overtaken or work.changes_nothing(ledger) else work.drafts(now, why)

        written = self._record(plan, call)
        return None if overtaken else written

    # -- using it ----------------------------------------------------------------------

    def _record_answers(
        self, answers: Sequence[Answer], plan: AnswerPlan, call: Call | None
    ) -> list[Event]:
        """Write answers; features are extracted first, outside the turn, where one has none."""
        plan = in_order(plan)
        if all(given.x is not None for given in answers):
            return self._record(lambda ledger: plan(ledger, answers), call)
        written = [] if call is None else self._record(lambda _: [], call)
        while not written:
            event, whole = self._with_features(answers)
            overtaken = False

            def unless_overtaken(
                ledger: Ledger, whole: Sequence[Answer] = whole, event: int = event
            ) -> list[Draft]:
                nonlocal overtaken
                overtaken = _event_of(ledger) != event
                return [] if overtaken else plan(ledger, whole)

            written = self._record(unless_overtaken, call)
            if not overtaken:
                break
        return written

    def _with_features(self, answers: Sequence[Answer]) -> tuple[int, list[Answer]]:
        """Return answers with their features, and the event that brought the extractor."""
        self._refresh()
        with self._mutex:
            event = _event_of(self._ledger)
            if self._ledger.settings.extractor is None:
                raise DoesNotFit(
                    "x is missing, and no extractor is in force that would make it from the "
                    "recording; give x, or set one first, as in "
                    'extract("band-power(rate=250)", reason="...").'
                )
        ready = self._in_force()
        return event, [given if given.x is not None else _made(ready, given) for given in answers]

    def _in_force(self) -> Extractor:
        """Return the extractor in force, fitted as it was, and held against the record."""
        with self._mutex:
            known = dict(self._ledger.settings.extractor or {})
            key = _event_of(self._ledger), self._ledger.n_erased
        if self._ready is not None and self._ready[0] == key:
            return self._ready[1]
        ready = self._found(known)
        if key[0]:
            ready = self._as_recorded(ready, key[0])
        else:
            self._hold_against(ready, self._first_extracted())
        self._ready = key, ready
        return ready

    def _found(self, known: dict[str, Any]) -> Extractor:
        from palacs.extractors import extractor_from, is_shipped

        version, given = known["version"], known.get("given")
        if self._own is not None and self._own.version == version:
            return self._own
        if given is None or not is_shipped(given):
            by = "" if given is None else f" (it was given as {given!r})"
            raise CampaignError(
                f"the extractor in force, {version}, is code of somebody's own{by}, which is not "
                "loaded because a record names it; give it to use_extractor, or --with it."
            )
        found = extractor_from(given)
        if found.version != version:
            raise CampaignError(
                f"the extractor in force is {version}, but {given!r} is {found.version} here; "
                "extract again, so that all features are made the same way."
            )
        return found

    def _as_recorded(self, extractor: Extractor, event: int) -> Extractor:
        """Fit an extractor as it was, and see whether it still makes the same features."""
        recordings = Recordings(self.recording)
        head = self._storage.events(self._stored.key, event - 1, limit=1)[0]
        n = int(head.payload["instances"])
        if not n:
            return extractor
        if not extractor.fitted:
            self._hold_against(extractor, self._storage.events(self._stored.key, event, limit=1)[0])
            return extractor
        vectors = self._storage.events(self._stored.key, event, limit=n)
        on = [e for e in vectors if not e.payload.get("late")]
        if any(e.erased for e in on):
            raise CampaignError(
                f"the extractor {extractor.version} was fitted on data that were erased since; "
                "extract again, which fits it on what is left."
            )
        members = [self._member(e) for e in on]
        recordings.check(members)
        fitted = fitted_again(extractor, members, recordings)
        check_against_record(fitted, on, recordings)
        return fitted

    def _hold_against(self, extractor: Extractor, event: Event | None) -> None:
        """See whether a fixed extractor makes the features that were recorded with an event."""
        recordings = Recordings(self.recording)
        if event is None or event.erased or not recordings.are_there([self._member(event)]):
            return
        check_against_record(extractor, [event], recordings)

    def _first_extracted(self) -> Event | None:
        """Return the first event whose features an extractor made; None where there is none."""
        after = 0
        while page := self._storage.events(self._stored.key, after, limit=_PAGE):
            after = page[-1].seq
            made = (event for event in page if event.payload.get("extracted"))
            if (first := next(made, None)) is not None:
                return first
        return None

    def _member(self, event: Event) -> Member:
        assert event.entry is not None
        assert event.label is not None
        return Member(event.entry, event.label, self.recording(event.entry))


def _event_of(ledger: Ledger) -> int:
    """Return the event that brought the extractor in force; 0 for one from the beginning."""
    return int((ledger.settings.extractor or {}).get("event", 0))


def _made(extractor: Extractor, given: Answer) -> Answer:
    """Return an answer with the features of its recording."""
    from palacs.extractors import read_recording

    assert given.recording is not None
    content, name = bytes_of(given.recording)
    x = check_vector(extractor.extract([read_recording(content, name)])[0])
    known = {field.name: getattr(given, field.name) for field in fields(given)}
    return Extracted(**{**known, "x": x})
