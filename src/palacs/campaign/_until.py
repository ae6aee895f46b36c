"""When a run has enough: after so many instances, so long, so much money, or on advice.

Whatever comes first ends it: nothing more is asked for, and what is under way is waited for.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from palacs.campaign._asking import AskAndTell
from palacs.campaign._run import Run
from palacs.campaign._values import brief, check_amount, check_count

Condition = Callable[[Run], Any]
"""Given how far a run is: true, or a text that says why, where that is enough."""

_UNITS = {"s": 1, "min": 60, "h": 3600, "d": 86400}
_DURATION = re.compile(rf"(\d+(?:\.\d+)?)\s*({'|'.join(_UNITS)})")
_HELP = (
    "give a number of instances, a time such as '30min', 'cost=50', 'advised', a timedelta, a "
    "function of the run, or a list of these"
)


@dataclass
class Limits:
    """What ends a run.

    Attributes
    ----------
    count : int or None
        Instances that are wanted; known in advance, so that no more are asked for.
    conditions : list of callable
        What has to be looked at again and again.
    expected : int or None
        Instances that the campaign's own budget leaves.
    """

    count: int | None = None
    conditions: list[Condition] = field(default_factory=list)
    expected: int | None = None

    def reached(self, run: Run) -> str:
        """Say why it is enough; empty where it is not."""
        if self.count is not None and run.told >= self.count:
            return f"{self.count} were wanted"
        for condition in self.conditions:
            found = condition(run)
            if found:
                return found if isinstance(found, str) else "its condition holds"
        return ""

    def share(self, run: Run) -> float | None:
        """Return how much of it is done, from 0 to 1; None where nobody can say."""
        shares = [one.share(run) for one in self.conditions if hasattr(one, "share")]
        counts = [n for n in (self.count, self.expected) if n is not None]
        shares += [run.told / max(1, n) for n in counts]
        return min(1.0, max(shares)) if shares else None

    def room(self, run: Run) -> int | None:
        """Return how many more may be asked for; None is no limit."""
        return None if self.count is None else self.count - run.told - run.open


def check_until(until: Any) -> list[Any]:
    """Return what ends a run as a list of numbers, times, texts and functions; or refuse it."""
    if until is None:
        return []
    if isinstance(until, (list, tuple)):
        return [one for part in until for one in check_until(part)]
    if isinstance(until, timedelta):
        if until <= timedelta(0):
            raise ValueError(f"until={until!r} is over before it begins; {_HELP}.")
        return [until]
    if isinstance(until, str):
        return [_from_text(until)]
    return [until if callable(until) else check_count(until, "until", minimum=0)]


def _from_text(text: str) -> Any:
    plain = text.strip()
    if plain.isdecimal():
        return check_count(int(plain), "until", minimum=0)
    if plain == "advised":
        return plain
    if duration := _DURATION.fullmatch(plain):
        seconds = float(duration[1]) * _UNITS[duration[2]]
        if 0 < seconds < timedelta.max.total_seconds():
            return timedelta(seconds=seconds)
    name, found, amount = plain.partition("=")
    if name.strip() == "cost" and found:
        try:
            return ("cost", check_amount(float(amount), "cost"))
        except ValueError:
            pass
    raise ValueError(f"until={brief(text)} cannot be understood; {_HELP}.")


def limits_of(until: Any, campaign: AskAndTell) -> Limits:
    """Return the limits of a run that begins now."""
    limits = Limits(expected=campaign.status().remaining)
    for one in check_until(until):
        if isinstance(one, int):
            limits.count = one if limits.count is None else min(limits.count, one)
        elif isinstance(one, timedelta):
            limits.conditions.append(_Elapsed(one.total_seconds()))
        elif isinstance(one, tuple):
            limits.conditions.append(_Spent(campaign, one[1], campaign.status().spent))
        else:
            limits.conditions.append(_Advised(campaign) if one == "advised" else one)
    return limits


@dataclass
class _Elapsed:
    seconds: float

    def __call__(self, run: Run) -> str:
        return f"{self.seconds:g} s are over" if run.seconds >= self.seconds else ""

    def share(self, run: Run) -> float:
        return run.seconds / self.seconds


@dataclass
class _Spent:
    """What the campaign has spent since the run began, by whoever."""

    campaign: AskAndTell
    amount: float
    begun: float
    seen: int = -1
    spent: float = 0.0

    def __call__(self, run: Run) -> str:
        if run.told != self.seen:
            self.seen, self.spent = run.told, self.campaign.status().spent - self.begun
        return f"{self.spent:g} of {self.amount:g} is spent" if self.spent >= self.amount else ""

    def share(self, run: Run) -> float:
        return self.spent / self.amount if self.amount else 1.0


@dataclass
class _Advised:
    campaign: AskAndTell
    seen: int = -1
    again: float = 0.0

    def __call__(self, run: Run) -> str:
        begun = time.monotonic()
        if run.told == self.seen or begun < self.again:
            return ""
        advice = self.campaign.stopping()
        now = time.monotonic()
        # At most half of the time goes into looking whether to stop.
        self.seen, self.again = run.told, now + (now - begun)
        return f"stopping is advised. {advice.reason}" if advice.stop else ""
