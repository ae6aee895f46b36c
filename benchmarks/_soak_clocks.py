"""Processes whose clocks jump back and forth, by seconds to years, on one campaign.

Who is pending, and with it what the budget allows, is a function of the record and the clock of
the one who looks. Afterwards every request must have been within the budget by its own clock,
and the campaign must load under any clock, replay, and come back from an export.
"""

from __future__ import annotations

import random
import tempfile
import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from _soak_diary import CLASSES, Diary, examine
from _soak_processes import PATIENCE_S, fork, in_a_fresh_process, wait_for
from _soak_tally import Advance, Tally, database_of
from palacs.campaign import (
    BudgetExhausted,
    Campaign,
    Request,
    create_campaign,
    import_campaign,
    load_campaign,
)
from palacs.storage import Event, open_storage

WORKERS = 4
BUDGET, LEASE_S = 12, 30.0
YEAR_S = 365.25 * 24 * 3600
_FURTHEST_YEARS = 20.0


@dataclass
class JumpingClock:
    """The machine's clock, and how far off it is now."""

    rng: random.Random
    off: float = 0.0
    jumps: int = 0

    def __call__(self) -> float:
        """Return the time."""
        return time.time() + self.off

    def jump(self) -> None:
        """Be set to another time: right, or off by one second up to many years."""
        self.jumps += 1
        size = (_FURTHEST_YEARS * YEAR_S) ** self.rng.random()
        self.off = self.rng.choice((0.0, size, -size))


def clocks(url: str, turns: int, advance: Advance, *, seed: int = 0, name: str = "clocks") -> Tally:
    """Let four workers take `turns` turns each; their clocks jump between operations."""
    create_campaign(
        name, CLASSES, strategy="uniform", storage=url, seed=seed, budget=BUDGET, lease=LEASE_S
    ).close()
    with tempfile.TemporaryDirectory() as folder:
        arguments = (url, name, Path(folder), turns, seed)
        broken = in_a_fresh_process(_workers, *arguments, advance=advance)
        broken += _out_of_step(url, name)
        with load_campaign(name, storage=url) as campaign:
            broken += _over_budget(campaign) + _not_exported(campaign, Path(folder))
            done = f"{2 * WORKERS * turns:,} jumps"
            tried = Tally("clock jumps", database_of(url), done, broken=broken)
            return examine(campaign, Path(folder), tried)


def _workers(advance: Advance, url: str, name: str, notes: Path, turns: int, seed: int) -> int:
    children = [
        fork(partial(_work, url, name, Diary(notes, f"clock{seed}-{number}"), turns, advance))
        for number in range(WORKERS)
    ]
    return wait_for(children, PATIENCE_S + turns)


def _work(url: str, name: str, diary: Diary, turns: int, advance: Advance) -> None:
    rng = random.Random(diary.worker)
    clock = JumpingClock(rng)
    with open_storage(url, clock=clock) as storage:
        campaign = load_campaign(name, storage=storage)
        desk = _Desk()
        for _ in range(turns):
            clock.jump()
            try:
                desk.open.append(diary.do("asked", lambda op: campaign.ask(op=op)))
            except BudgetExhausted as error:
                diary.refused(error)
                _make_room(campaign, desk, diary)
            clock.jump()
            if desk.open and rng.random() < 0.8:
                _answer(campaign, desk, diary, rng)
            advance(1)


@dataclass
class _Desk:
    """A worker's requests that are open, and those it has told."""

    open: list[Request] = field(default_factory=list)
    told: list[Request] = field(default_factory=list)


def _make_room(campaign: Campaign, desk: _Desk, diary: Diary) -> None:
    """Give a place in the budget back."""
    if desk.told:
        request = desk.told.pop()
        diary.do("retracted", lambda op: campaign.retract(request, "", op=op))
    elif desk.open:
        request = desk.open.pop()
        diary.do("failed", lambda op: campaign.fail(request, "", op=op))


def _answer(campaign: Campaign, desk: _Desk, diary: Diary, rng: random.Random) -> None:
    """Do something with a request that may have expired, or be of the future."""
    request = desk.open.pop(rng.randrange(len(desk.open)))
    chance = rng.random()
    x = [rng.gauss(0, 1), rng.gauss(0, 1)]
    if chance < 0.2:
        diary.insist(lambda: campaign.renew(request))
        desk.open.append(request)
    elif chance < 0.4:
        diary.do("failed", lambda op: campaign.fail(request, "", op=op))
    else:
        diary.do("told", lambda op: campaign.tell(request, x, op=op), x)
        desk.told.append(request)


@dataclass
class _Room:
    """What counts towards the budget, folded from events apart from the campaign's own way."""

    ends: dict[str, float] = field(default_factory=dict)
    delivered: set[str] = field(default_factory=set)

    def taken(self, at: float) -> int:
        return len(self.delivered) + sum(1 for end in self.ends.values() if end > at)

    def fold(self, event: Event) -> None:
        id_ = event.entry or ""
        if event.kind in ("asked", "renewed"):
            self.ends[id_] = event.at + LEASE_S
        elif event.kind in ("told", "failed"):
            del self.ends[id_]
            if event.kind == "told":
                self.delivered.add(id_)
        elif event.kind == "retracted":
            self.delivered.discard(id_)


def _over_budget(campaign: Campaign) -> int:
    """Return how many requests were made although the budget was used up by their own clock."""
    room, over = _Room(), 0
    for event in campaign.events():
        over += event.kind == "asked" and room.taken(event.at) >= BUDGET
        room.fold(event)
    return over


def _out_of_step(url: str, name: str) -> int:
    """Return under how many clocks the campaign does not load, or its numbers do not add up."""
    wrong = 0
    for years in (-_FURTHEST_YEARS, -1.0, 0.0, 1.0, _FURTHEST_YEARS):
        at = time.time() + years * YEAR_S
        with open_storage(url, clock=partial(float, at)) as storage:
            campaign = load_campaign(name, storage=storage)
            room = _Room()
            for event in campaign.events():
                room.fold(event)
            remaining = max(0, BUDGET - room.taken(at))
            states = campaign.history()["state"].value_counts().to_dict()
            pending = sum(1 for end in room.ends.values() if end > at)
            wrong += campaign.status().remaining != remaining
            wrong += states.get("pending", 0) != pending or len(campaign.pending()) != pending
    return wrong


def _not_exported(campaign: Campaign, folder: Path) -> int:
    """Return how many kinds of export do not bring the record back."""
    wrong = 0
    for suffix in ("json", "csv", "parquet"):
        back = import_campaign(campaign.export(folder / f"out.{suffix}"), storage="memory")
        wrong += back.events() != campaign.events() or not back.replay().ok
    return wrong
