"""Connections to a PostgreSQL server cut at random moments; workers repeat with the same id."""

from __future__ import annotations

import random
import tempfile
import threading
from functools import partial
from pathlib import Path

from _soak_diary import CLASSES, Diary, does_not_go_on, examine, take_a_turn
from _soak_processes import PATIENCE_S, fork, in_a_fresh_process, wait_for
from _soak_proxy import CuttingProxy
from _soak_tally import Advance, Tally
from palacs.campaign import Campaign, create_campaign, load_campaign

WORKERS = 6
IN_COMMIT = 0.1  # of all COMMITs, so often the connection is cut there
LONGEST_WAIT_S = 0.1  # between two cuts anywhere


def cuts(url: str, turns: int, advance: Advance, *, seed: int = 0, name: str = "cuts") -> Tally:
    """Let six workers take `turns` turns each through a proxy that cuts their connections."""
    create_campaign(name, CLASSES, strategy="uniform", storage=url, seed=seed).close()
    enough = threading.Event()
    with tempfile.TemporaryDirectory() as folder:
        notes = Path(folder)
        with CuttingProxy(url, in_commit=IN_COMMIT, seed=seed) as proxy:
            cutter = threading.Thread(target=_cut_until, args=(enough, proxy, seed))
            cutter.start()
            try:
                arguments = (proxy.url, name, notes, turns, seed)
                broken = in_a_fresh_process(_workers, *arguments, advance=advance)
            finally:
                enough.set()
                cutter.join()
        how = ", ".join(f"{n} {kind}" for kind, n in sorted(proxy.cuts.items()))
        done = f"{proxy.cuts.total():,} cuts"
        with load_campaign(name, storage=url) as campaign:
            bad = broken + does_not_go_on(campaign)
            tried = Tally("connection cut", "postgresql", done, broken=bad, detail=how)
            return examine(campaign, notes, tried)


def _cut_until(enough: threading.Event, proxy: CuttingProxy, seed: int) -> None:
    rng = random.Random(f"cuts {seed}")
    while not enough.wait(rng.uniform(0, LONGEST_WAIT_S)):
        proxy.cut_one()


def _workers(advance: Advance, url: str, name: str, notes: Path, turns: int, seed: int) -> int:
    children = [
        fork(partial(_work, url, name, Diary(notes, f"cut{seed}-{number}"), turns, advance))
        for number in range(WORKERS)
    ]
    return wait_for(children, PATIENCE_S + turns)


def _work(url: str, name: str, diary: Diary, turns: int, advance: Advance) -> None:
    rng = random.Random(diary.worker)
    campaign: Campaign = diary.insist(lambda: load_campaign(name, storage=url))
    for _ in range(turns):
        take_a_turn(campaign, diary, rng)
        advance(1)
    campaign.close()
