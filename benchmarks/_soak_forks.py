"""Campaigns opened in a parent and used by forked children and the parent at once.

Two threads of the parent go on writing while it forks, so that locks are held at that moment.
Some children close the campaign, some open it a second time beside the inherited one, some fork
again, and some just end.
"""

from __future__ import annotations

import random
import tempfile
import threading
from functools import partial
from pathlib import Path

from _soak_diary import CLASSES, Diary, does_not_go_on, examine, take_a_turn
from _soak_processes import fork, in_a_fresh_process, wait_for
from _soak_tally import Advance, Tally, database_of
from palacs.campaign import Campaign, create_campaign, load_campaign

CHILDREN, TURNS = 8, 5
_HABITS = ("ends", "closes", "opens", "forks")


def forks(url: str, rounds: int, advance: Advance, *, seed: int = 0, name: str = "forks") -> Tally:
    """Fork eight children per round from a parent that has the campaign open and uses it."""
    create_campaign(name, CLASSES, strategy="uniform", storage=url, seed=seed).close()
    with tempfile.TemporaryDirectory() as folder:
        arguments = (url, name, Path(folder), rounds, seed)
        children, broken = in_a_fresh_process(_rounds, *arguments, advance=advance)
        with load_campaign(name, storage=url) as campaign:
            bad = broken + does_not_go_on(campaign)
            tried = Tally("fork", database_of(url), f"{children} children", broken=bad)
            return examine(campaign, Path(folder), tried)


def _rounds(
    advance: Advance, url: str, name: str, notes: Path, rounds: int, seed: int
) -> tuple[int, int]:
    broken, children = 0, 0
    for number in range(rounds):
        rng = random.Random(f"{seed} {number}")
        with load_campaign(name, storage=url) as campaign:
            started, bad = _one_round(campaign, notes, f"round{number}", rng)
        children, broken = children + started, broken + bad
        advance(1)
    return children, broken


def _one_round(campaign: Campaign, notes: Path, name: str, rng: random.Random) -> tuple[int, int]:
    take_a_turn(campaign, Diary(notes, f"{name}-parent"), rng)
    enough = threading.Event()
    failed: list[BaseException] = []
    threads = [
        threading.Thread(target=_until, args=(enough, failed, campaign, Diary(notes, worker)))
        for worker in (f"{name}-thread0", f"{name}-thread1")
    ]
    for thread in threads:
        thread.start()
    children = []
    for number in range(CHILDREN):
        habit = _HABITS[number % len(_HABITS)]
        diary = Diary(notes, f"{name}-child{number}")
        child_rng = random.Random(rng.random())
        children.append(fork(partial(_child, campaign, diary, child_rng, habit)))
        enough.wait(rng.uniform(0, 0.02))
    bad = wait_for(children)
    enough.set()
    for thread in threads:
        thread.join()
    grandchildren = CHILDREN // len(_HABITS)
    return CHILDREN + grandchildren, bad + len(failed)


def _until(
    enough: threading.Event, failed: list[BaseException], campaign: Campaign, diary: Diary
) -> None:
    rng = random.Random(diary.worker)
    try:
        while not enough.is_set():
            take_a_turn(campaign, diary, rng)
    except BaseException as error:
        failed.append(error)
        raise


def _child(campaign: Campaign, diary: Diary, rng: random.Random, habit: str) -> None:
    for turn in range(TURNS):
        take_a_turn(campaign, diary, rng)
        if turn == 1 and habit == "forks":
            again = Diary(diary.folder, f"{diary.worker}-again")
            if wait_for([fork(partial(_child, campaign, again, rng, "ends"))]):
                raise RuntimeError("a grandchild ended badly")
        if turn == 1 and habit == "opens":
            with load_campaign(campaign.name, storage=campaign.storage.url) as second:
                take_a_turn(second, diary, rng)
    if habit == "closes":
        campaign.close()
