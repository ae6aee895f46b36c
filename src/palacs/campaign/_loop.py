"""The loop around a source: ask, have it acquire, tell; what cannot be had is failed.

One thread asks and tells, others acquire. An answer belongs to the attempt it was made for: one
that comes after its request was given up is dropped, never told as another's. Every operation
carries an id, so that a broken connection is repeated and nothing is recorded twice.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty
from typing import Any, TypeVar

from palacs.campaign import _values
from palacs.campaign._acquired import Acquired, acquired_of, as_source
from palacs.campaign._asking import AskAndTell
from palacs.campaign._campaign_errors import (
    Conflict,
    NothingToAsk,
    SourceFailed,
    UnknownEntry,
)
from palacs.campaign._instance_file import read_instance
from palacs.campaign._plan import Options, Plan, Run
from palacs.campaign._records import Request
from palacs.campaign._workers import Failure, ThreadWorkers
from palacs.storage import StorageError, StorageUnavailable

_TICK_S = 0.5
_LONGEST_BACKOFF_S = 60.0
_PATIENCE_S = 60.0  # with a storage that does not answer
_LONGEST_REASON = 1_000

_Result = TypeVar("_Result")


@dataclass
class _Attempt:
    """One request under way."""

    request: Request
    op: str
    tries: int = 0
    since: float = 0.0
    deadline: float | None = None
    due: float | None = None  # when to try again


class _Loop:
    """One run of a source."""

    def __init__(self, campaign: AskAndTell, source: Any, plan: Plan) -> None:
        self.campaign, self.plan = campaign, plan
        self.source = as_source(source)
        self.workers = ThreadWorkers(self.source)
        self.id = f"run-{secrets.token_hex(6)}"
        self.begun = time.monotonic()
        self.told = self.failed = self.in_a_row = self.asked = 0
        self.flying: dict[int, _Attempt] = {}
        self.tickets = 0

    def state(self, ended: str = "") -> Run:
        seconds = time.monotonic() - self.begun
        return Run(self.campaign.name, self.told, self.failed, len(self.flying), seconds, ended)

    def run(self) -> Run:
        try:
            self._tell_source("open", self.campaign)
            while True:
                ended = self._enough() or self._ask()
                if ended and not self.flying:
                    return self.state(ended)
                self._wait()
        except BaseException as error:
            self._abandon(error)
            raise
        finally:
            self.workers.close()
            self._tell_source("close")

    # -- asking ------------------------------------------------------------------------

    def _enough(self) -> str:
        wanted = self.plan.until
        return f"{wanted} were wanted" if wanted is not None and self.told >= wanted else ""

    def _ask(self) -> str:
        """Keep as many requests under way as may be; return why no more are."""
        room = self.plan.parallel - len(self.flying)
        if self.plan.until is not None:
            room = min(room, self.plan.until - self.told - len(self.flying))
        if room <= 0:
            return ""
        self.asked += 1
        op = f"{self.id}-ask{self.asked}"
        try:
            requests = _durably(lambda: self.campaign.ask_many(room, attrs=self.plan.attrs, op=op))
        except NothingToAsk as error:
            return str(error)
        for request in requests:
            self._start(_Attempt(request, f"{self.id}-{request.id}"))
            if self.plan.on_asked is not None:
                self.plan.on_asked(request)
        return ""

    def _start(self, attempt: _Attempt) -> None:
        attempt.tries, attempt.due = attempt.tries + 1, None
        attempt.since = time.monotonic()
        if self.plan.timeout is not None:
            attempt.deadline = attempt.since + self.plan.timeout
        self.tickets += 1
        self.flying[self.tickets] = attempt
        self.workers.start(self.tickets, attempt.request)

    # -- answers -----------------------------------------------------------------------

    def _wait(self) -> None:
        """Handle the next answer, and what is due meanwhile."""
        try:
            ticket, answer = self.workers.answers.get(timeout=self._patience())
        except Empty:
            pass
        else:
            attempt = self.flying.pop(ticket, None)
            # None: its request was given up before it came.
            if attempt is not None:
                self._handle(attempt, answer)
        now = time.monotonic()
        for ticket, attempt in list(self.flying.items()):
            if attempt.due is not None and attempt.due <= now:
                del self.flying[ticket]
                self._start(attempt)
            elif attempt.due is None and attempt.deadline is not None and attempt.deadline <= now:
                del self.flying[ticket]
                self._tell_source("cancel", attempt.request)
                self._fail(attempt, f"no answer within {self.plan.timeout:g} s")

    def _patience(self) -> float:
        ends = [a.due if a.due is not None else a.deadline for a in self.flying.values()]
        nearest = min((end for end in ends if end is not None), default=float("inf"))
        return max(0.0, min(_TICK_S, nearest - time.monotonic()))

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
            wait = min(self.plan.backoff * 2 ** (attempt.tries - 1), _LONGEST_BACKOFF_S)
            attempt.due, attempt.deadline = time.monotonic() + wait, None
            self.tickets += 1
            self.flying[self.tickets] = attempt

    def _tell(self, attempt: _Attempt, answer: Any) -> None:
        request, waited = attempt.request, time.monotonic() - attempt.since
        try:
            brought = acquired_of(answer)
            self._check_class(request, brought)
            x, duration = self._numbers(brought), brought.duration
            instance = _durably(
                lambda: self.campaign.tell(
                    request,
                    x,
                    op=f"{attempt.op}-tell",
                    cost=brought.cost,
                    duration=waited if duration is None else duration,
                    attrs=brought.attrs,
                    recording=brought.recording,
                )
            )
        except (ValueError, TypeError, OSError) as error:
            self._fail(attempt, str(error))
        except (Conflict, UnknownEntry) as error:
            self._count_failure(attempt, str(error))
        else:
            self.told, self.in_a_row = self.told + 1, 0
            if self.plan.on_told is not None:
                self.plan.on_told(instance)

    def _check_class(self, request: Request, brought: Acquired) -> None:
        if brought.label is not None and brought.label != request.label:
            raise ValueError(
                f"the source brought {brought.label!r}, but {request.label!r} was asked for."
            )

    def _numbers(self, brought: Acquired) -> Any:
        """Return the features; without an extractor, those that a file holds."""
        if brought.x is not None:
            return brought.x
        path = Path(str(getattr(brought.recording, "where", brought.recording)))
        names = self.campaign.feature_names
        return read_instance(path.read_bytes(), str(path), self.campaign.n_features, names)

    # -- failing -----------------------------------------------------------------------

    def _fail(self, attempt: _Attempt, reason: str, *, counts: bool = True) -> None:
        why = _brief_reason(reason)
        with suppress(Conflict, UnknownEntry):  # somebody else settled it
            _durably(lambda: self.campaign.fail(attempt.request, why, op=f"{attempt.op}-fail"))
        self._count_failure(attempt, why, counts=counts)

    def _count_failure(self, attempt: _Attempt, reason: str, *, counts: bool = True) -> None:
        self.failed, self.in_a_row = self.failed + 1, self.in_a_row + counts
        if self.plan.on_failed is not None:
            self.plan.on_failed(attempt.request, reason)
        if self.in_a_row >= self.plan.give_up:
            raise SourceFailed(
                f"{self.in_a_row} requests in a row brought nothing, the last one "
                f"({attempt.request.label!r}) since: {reason} Repair the source and run it again.",
                self.state("too many failures in a row"),
            )

    def _abandon(self, error: BaseException) -> None:
        """Fail what is under way: nobody is going to answer it."""
        name = type(error).__name__
        why = (
            "the run was interrupted"
            if isinstance(error, KeyboardInterrupt)
            else (f"the run ended early ({name}: {error})")
        )
        for attempt in self.flying.values():
            self._tell_source("cancel", attempt.request)
            with suppress(Conflict, UnknownEntry, StorageError):
                self.campaign.fail(attempt.request, _brief_reason(why), op=f"{attempt.op}-fail")
        self.flying.clear()

    def _tell_source(self, name: str, *arguments: Any) -> None:
        method = getattr(self.source, name, None)
        if method is not None:
            method(*arguments)


def run_source(campaign: AskAndTell, source: Any, options: Options) -> Run:
    """Run a source; see `AskAndTell.run`."""
    unknown = sorted(set(options) - set(Options.__annotations__))
    if unknown:
        raise TypeError(f"run() has no option {unknown[0]!r}; see help(Campaign.run).")
    return _Loop(campaign, source, Plan(**options)).run()


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


def _brief_reason(reason: str) -> str:
    text = " ".join(reason.split())
    shown = text if len(text) <= _LONGEST_REASON else f"{text[:_LONGEST_REASON]} ..."
    return _values.check_reason("".join(c if c.isprintable() else "?" for c in shown))
