"""The loop around a source: ask, have it acquire, tell; what cannot be had is failed.

One thread asks and tells, others acquire. An answer belongs to the attempt it was made for: one
that comes after its request was given up is dropped, never told as another's. Every operation
carries an id, so that a broken connection is repeated and nothing is recorded twice.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty
from typing import Any, TypeVar

from palacs.campaign._acquired import Acquired, as_source
from palacs.campaign._asking import AskAndTell
from palacs.campaign._author import acting_as
from palacs.campaign._campaign_errors import (
    BudgetExhausted,
    CampaignError,
    Conflict,
    NothingToAsk,
    SourceFailed,
    UnknownEntry,
)
from palacs.campaign._elsewhere import elsewhere
from palacs.campaign._marks import Mark, died, is_run, living
from palacs.campaign._plan import Options, Plan
from palacs.campaign._recordings import Recording
from palacs.campaign._records import Request
from palacs.campaign._run import Run
from palacs.campaign._telling import brief_reason, telling
from palacs.campaign._until import limits_of
from palacs.campaign._workers import BEGUN, Failure, ThreadWorkers
from palacs.progress import Stage, progress_bar
from palacs.storage import StorageError, StorageUnavailable

_TICK_S = 0.25
_SHOW_S = 0.1
_LONGEST_BACKOFF_S = 60.0
_PATIENCE_S = 60.0  # with a storage that does not answer
_BAD = (ValueError, TypeError, OSError)  # what is said about an answer that cannot be recorded

_Result = TypeVar("_Result")
_log = logging.getLogger("palacs.run")


@dataclass
class _Attempt:
    """One request under way; times are those of the monotonic clock."""

    request: Request
    op: str
    tries: int = 0
    since: float = 0.0
    deadline: float | None = None
    due: float | None = None  # when to try again
    lease: float | None = None
    renewals: int = 0
    renew_at: float | None = None

    def next(self) -> float:
        """Return when something has to be done about it."""
        ends = (self.due if self.due is not None else self.deadline, self.renew_at)
        return min((end for end in ends if end is not None), default=float("inf"))

    def hold(self) -> None:
        """Note that its lease has just begun; half of it later it is renewed."""
        self.renew_at = None if self.lease is None else time.monotonic() + self.lease / 2


class _Loop:
    """One run of a source."""

    def __init__(self, campaign: AskAndTell, source: Any, plan: Plan) -> None:
        self.campaign, self.plan = campaign, plan
        self.source = elsewhere(as_source(source), plan.workers)
        self.workers = ThreadWorkers(self.source)
        self.limits = limits_of(plan.until, campaign)
        self.begun = time.monotonic()
        self.told = self.failed = self.added = self.in_a_row = self.calls = 0
        self.flying: dict[int, _Attempt] = {}
        self.tickets = 0
        self.shown = 0.0
        self.run = ""
        self.files: dict[str, str | None] = {}  # recordings outside the record, by place

    def state(self, ended: str = "", exhausted: bool = False) -> Run:
        """Return how far it is."""
        counts = (self.told, self.failed, self.added, len(self.flying))
        seconds = time.monotonic() - self.begun
        return Run(self.campaign.name, *counts, seconds, ended, exhausted)

    def go(self, mark: Mark, stage: Stage | None) -> Run:
        """Run to the end."""
        self.run = mark.run
        try:
            self._settle()
            known = _durably(self.campaign.recordings)
            self.files = {one.where: one.sha256 for one in known if not one.kept}
            self._hook("open", self.campaign)
            while True:
                self._take_unasked()
                enough = self.limits.reached(self.state())
                ended = enough or self._ask()
                if ended and not self.flying:
                    break
                if stage is not None and time.monotonic() - self.shown > _SHOW_S:
                    run, self.shown = self.state(), time.monotonic()
                    stage(run.campaign, self.limits.share(run), run.counts())
                self._wait()
        except BaseException as error:
            mark.left = True  # should this be interrupted as well
            mark.left = not self._abandon(error)
            self._calm_hook("close")
            raise
        final = self.state(ended, exhausted=not enough)
        self._hook("close")
        return final

    # -- asking ------------------------------------------------------------------------

    def _settle(self) -> None:
        """Fail what runs that died have left open."""
        left: dict[str, list[str]] = {}
        for request in self.campaign.pending():
            left.setdefault(request.holder or "", []).append(request.id)
        for run in filter(is_run, left):
            with died(run) as dead, acting_as(None, holder=run):
                for id_ in left[run] if dead else ():
                    why = f"the run that asked for it ({run}) died before it was answered"
                    self._fail_request(id_, why, f"{run}-{id_}-fail")

    def _ask(self) -> str:
        """Keep as many requests under way as may be; return why there are no more."""
        room, wanted = self.plan.parallel - len(self.flying), self.limits.room(self.state())
        room = room if wanted is None else min(room, wanted)
        if room <= 0:
            return ""
        op, attrs = self._op(), self.plan.attrs
        try:
            requests = _durably(lambda: self.campaign.ask_many(room, attrs=attrs, op=op))
        except BudgetExhausted:
            return "the budget is used up"
        except NothingToAsk as error:
            return str(error)
        for request in requests:
            attempt = _Attempt(request, f"{self.run}-{request.id}")
            if request.expires_at is not None:
                attempt.lease = (request.expires_at - request.asked_at).total_seconds()
            attempt.hold()
            self._start(attempt)
        if self.plan.on_asked is not None:
            for request in requests:
                self.plan.on_asked(request)
        return ""

    def _start(self, attempt: _Attempt) -> None:
        attempt.tries, attempt.due, attempt.deadline = attempt.tries + 1, None, None
        self.workers.start(self._fly(attempt), attempt.request)

    def _fly(self, attempt: _Attempt) -> int:
        self.tickets += 1
        self.flying[self.tickets] = attempt
        return self.tickets

    def _op(self) -> str:
        self.calls += 1
        return f"{self.run}-{self.calls}"

    # -- waiting -----------------------------------------------------------------------

    def _wait(self) -> None:
        """Handle the next answer, and what is due meanwhile."""
        now = time.monotonic()
        nearest = min((a.next() for a in self.flying.values()), default=now)
        try:
            answered = self.workers.answers.get(timeout=max(0.0, min(_TICK_S, nearest - now)))
        except Empty:
            pass
        else:
            self._hear(*answered)
        now = time.monotonic()
        for ticket, attempt in list(self.flying.items()):
            if attempt.next() <= now:
                self._attend(ticket, attempt, now)

    def _hear(self, ticket: int, answer: Any) -> None:
        attempt = self.flying.get(ticket)
        if attempt is None:
            _log.info("an answer came after its request was given up; it is dropped")
        elif answer is BEGUN:
            attempt.since = time.monotonic()
            if self.plan.timeout is not None:
                attempt.deadline = attempt.since + self.plan.timeout
        else:
            del self.flying[ticket]
            self._handle(attempt, answer)

    def _attend(self, ticket: int, attempt: _Attempt, now: float) -> None:
        """Try again, give up or renew."""
        if attempt.due is not None and attempt.due <= now:
            del self.flying[ticket]
            self._start(attempt)
        elif attempt.due is None and attempt.deadline is not None and attempt.deadline <= now:
            del self.flying[ticket]
            self._calm_hook("cancel", attempt.request)
            self._fail(attempt, f"no answer within {self.plan.timeout:g} s")
        else:
            attempt.renewals += 1
            op, why = f"{attempt.op}-renew{attempt.renewals}", "still being acquired"
            attempt.hold()
            with suppress(Conflict, UnknownEntry):  # telling it will say what became of it
                _durably(lambda: self.campaign.renew(attempt.request, why, op=op))

    # -- answers -----------------------------------------------------------------------

    def _handle(self, attempt: _Attempt, answer: Any) -> None:
        if not isinstance(answer, Failure):
            self._tell(attempt, answer)
        elif answer.final or attempt.tries > self.plan.retries:
            tries = f" ({attempt.tries} tries)" if attempt.tries > 1 else ""
            self._fail(attempt, f"{answer.reason}{tries}", counts=not answer.exhausted)
            if answer.exhausted:
                label = attempt.request.label
                _durably(lambda: self.campaign.pause(label, op=f"{attempt.op}-pause"))
        else:
            _log.info("%s: %s; it is tried again", attempt.request.id, answer.reason)
            wait = min(self.plan.backoff * 2 ** (attempt.tries - 1), _LONGEST_BACKOFF_S)
            attempt.due = time.monotonic() + wait
            self._fly(attempt)

    def _tell(self, attempt: _Attempt, answer: Any) -> None:
        request, waited = attempt.request, time.monotonic() - attempt.since
        try:
            x, notes = telling(self.campaign, request.label, answer)
            if notes["duration"] is None:
                notes["duration"] = waited
            instance = _durably(
                lambda: self.campaign.tell(request, x, op=f"{attempt.op}-tell", **notes)
            )
        except (Conflict, UnknownEntry) as error:
            self._count_failure(attempt, str(error))
        except (StorageError, CampaignError, ImportError):
            raise  # not about this answer
        except Exception as error:
            # An extractor may stumble over a recording in any way.
            said = str(error) if isinstance(error, _BAD) else f"{type(error).__name__}: {error}"
            self._fail(attempt, said or type(error).__name__)
        else:
            self.told, self.in_a_row = self.told + 1, 0
            self._watch_file(instance.recording)
            if self.plan.on_told is not None:
                self.plan.on_told(instance)

    def _take_unasked(self) -> None:
        """Record what came although nobody had asked for it."""
        unasked: Callable[[], list[Acquired]] | None = getattr(self.source, "unasked", None)
        for brought in unasked() if unasked is not None else ():
            try:
                self._add(brought)
            except _BAD as error:
                _log.warning("not added: %s", error)

    def _add(self, brought: Acquired) -> None:
        label, op = brought.label, self._op()
        if label is None:
            raise ValueError("what nobody asked for has to say its class; give label.")
        x, notes = telling(self.campaign, label, brought)
        notes["attrs"] = {**(self.plan.attrs or {}), **(notes["attrs"] or {})}
        instance = _durably(lambda: self.campaign.add(x, label, op=op, **notes))
        self.added += 1
        self._watch_file(instance.recording)
        if self.plan.on_told is not None:
            self.plan.on_told(instance)

    def _watch_file(self, recording: Recording | None) -> None:
        """Say where a recording took the place of an earlier one, which is lost with that."""
        if recording is None or recording.kept:
            return
        where, sha256 = recording.where, recording.sha256
        if self.files.setdefault(where, sha256) != sha256:
            self.files[where] = sha256
            _log.warning(
                "%s was overwritten: the recording of an earlier instance is gone, and its "
                "features cannot be made anew; write each to a file of its own ({id} is unique).",
                where,
            )

    # -- failing -----------------------------------------------------------------------

    def _fail(self, attempt: _Attempt, reason: str, *, counts: bool = True) -> None:
        self._fail_request(attempt.request.id, reason, f"{attempt.op}-fail")
        self._count_failure(attempt, reason, counts=counts)

    def _fail_request(self, id_: str, reason: str, op: str) -> None:
        why = brief_reason(reason)
        with suppress(Conflict, UnknownEntry):  # somebody else settled it
            _durably(lambda: self.campaign.fail(id_, why, op=op))

    def _count_failure(self, attempt: _Attempt, reason: str, *, counts: bool = True) -> None:
        self.failed, self.in_a_row = self.failed + 1, self.in_a_row + counts
        why = brief_reason(reason)
        if self.plan.on_failed is not None:
            self.plan.on_failed(attempt.request, why)
        if self.in_a_row >= self.plan.give_up:
            raise SourceFailed(
                f"{self.in_a_row} requests in a row brought nothing, so the run ended; the last "
                f"one, for {attempt.request.label!r}, since: {why}",
                self.state("too many failures in a row"),
            )

    def _abandon(self, error: BaseException) -> bool:
        """Fail what is under way, as nobody is going to answer it; say whether that was kept."""
        why = f"the run ended before it was answered ({type(error).__name__})"
        for attempt in self.flying.values():
            self._calm_hook("cancel", attempt.request)
        self.flying.clear()
        try:
            # By the record: what was just asked for may not be known here yet.
            for request in self.campaign.pending():
                if request.holder == self.run:
                    self._fail_request(request.id, why, f"{self.run}-{request.id}-fail")
        except (StorageError, OSError):
            return False  # the next run does it
        return True

    def _calm_hook(self, name: str, *arguments: Any) -> None:
        """Call it where something else has gone wrong, which it must not hide."""
        try:
            self._hook(name, *arguments)
        except Exception as error:
            _log.warning("the source's %s failed: %s: %s", name, type(error).__name__, error)

    def _hook(self, name: str, *arguments: Any) -> None:
        method = getattr(self.source, name, None)
        if method is not None:
            method(*arguments)


def run_source(campaign: AskAndTell, source: Any, options: Options) -> Run:
    """Run a source; see `AskAndTell.run`."""
    unknown = sorted(set(options) - set(Options.__annotations__))
    if unknown:
        raise TypeError(f"run() has no option {unknown[0]!r}; see help(Campaign.run).")
    plan = Plan(**options)
    if plan.extractor is not None:
        _put_in_force(campaign, plan.extractor)
    loop = _Loop(campaign, source, plan)
    with (
        living() as mark,
        acting_as(None, holder=mark.run),
        progress_bar(plan.progress) as stage,
    ):
        return loop.go(mark, stage)


def _put_in_force(campaign: AskAndTell, extractor: Any) -> None:
    extract, use = getattr(campaign, "extract", None), getattr(campaign, "use_extractor", None)
    if extract is None or use is None:
        raise ValueError("the extractor of a campaign that a studio serves is set there.")
    if campaign.extractor is None:
        extract(extractor, reason="a run began with it")
    else:
        use(extractor)


def _durably(call: Callable[[], _Result]) -> _Result:
    """Repeat a call, which carries its id, until the storage has answered."""
    since, wait = time.monotonic(), 0.1
    while True:
        try:
            return call()
        except StorageUnavailable:
            if time.monotonic() - since > _PATIENCE_S:
                raise
            time.sleep(wait)
            wait = min(2 * wait, 5.0)
