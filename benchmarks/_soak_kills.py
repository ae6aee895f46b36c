"""Workers killed with SIGKILL at random moments, one after the other, each with a replacement."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path

from _soak_diary import CLASSES, Diary, does_not_go_on, examine, take_a_turn
from _soak_processes import warm_up
from _soak_tally import Advance, Tally, database_of
from palacs.campaign import create_campaign, load_campaign

WORKERS = 8
LONGEST_WAIT_S = 0.12


def kills(url: str, n: int, advance: Advance, *, seed: int = 0, name: str = "kills") -> Tally:
    """Let eight workers ask and tell, and kill `n` of them one by one."""
    create_campaign(name, CLASSES, strategy="uniform", storage=url, lease=2.0, seed=seed).close()
    rng = random.Random(seed)
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    with tempfile.TemporaryDirectory() as folder:
        notes = Path(folder)
        nursery = context.Process(target=_nurse, args=(theirs, url, name, notes), daemon=True)
        nursery.start()
        for place in range(WORKERS):
            ours.send((place, place))
        _wait_until_busy(notes, WORKERS)
        for number in range(WORKERS, n):
            time.sleep(rng.uniform(0, LONGEST_WAIT_S))
            ours.send((rng.randrange(WORKERS), number))
            _expect_killed(ours)
            advance(1)
        for place in range(WORKERS):
            ours.send((place, None))
            _expect_killed(ours)
            advance(1)
        nursery.kill()
        nursery.join()
        with load_campaign(name, storage=url) as campaign:
            bad = does_not_go_on(campaign)
            tried = Tally("workers killed", database_of(url), f"{n} kills", broken=bad)
            return examine(campaign, notes, tried)


def _work(url: str, name: str, notes: Path, number: int) -> None:
    """Ask and tell until killed."""
    diary, rng = Diary(notes, f"worker{number}"), random.Random(number)
    with load_campaign(name, storage=url) as campaign:
        while True:
            take_a_turn(campaign, diary, rng)


def _nurse(pipe: Connection, url: str, name: str, notes: Path) -> None:
    """Start and kill workers on command, forking them from a process that is warmed up."""
    warm_up()
    workers: dict[int, int] = {}
    while True:
        place, number = pipe.recv()
        if place in workers:
            os.kill(workers[place], signal.SIGKILL)
            _, status = os.waitpid(workers[place], 0)
            pipe.send(os.waitstatus_to_exitcode(status))
        if number is None:
            del workers[place]
            continue
        workers[place] = os.fork()
        if workers[place] == 0:
            try:
                _work(url, name, notes, number)
            finally:
                os._exit(1)


def _wait_until_busy(notes: Path, workers: int) -> None:
    deadline = time.monotonic() + 120
    while sum(1 for file in notes.iterdir() if file.stat().st_size) < workers:
        if time.monotonic() > deadline:
            raise RuntimeError("the workers did not start within two minutes")
        time.sleep(0.01)


def _expect_killed(pipe: Connection) -> None:
    if not pipe.poll(60):
        raise RuntimeError("the nursery does not answer")
    code = pipe.recv()
    if code != -signal.SIGKILL:
        raise RuntimeError(f"a worker had ended by itself with exit code {code}")
