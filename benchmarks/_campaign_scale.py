"""How campaigns take a hundred thousand and a million stored instances of 64 features.

Every number comes from a process of its own on a SQLite file. Commands are timed by the clock
on the wall, from start to end; memory is the peak of the resident set beyond that of the same
command on a campaign with one instance. Exponents are fitted to processor seconds over a series
of doublings, the best of three runs at each size, so that other work on the machine hardly
counts.
"""

from __future__ import annotations

import json
import os
import sqlite3
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from palacs.campaign import create_campaign
from palacs.storage import Draft, open_storage

N_FEATURES = 64
CLASSES = tuple(f"class-{i}" for i in range(10))
DOUBLINGS = (12_500, 25_000, 50_000, 100_000)
_BATCH = 10_000
# The peak of a process itself; what the parent had before it began does not count.
_PEAK = "int(open('/proc/self/status').read().split('VmHWM:')[1].split()[0]) / 1024"
_MAIN = f"""
import atexit, sys
atexit.register(lambda: print({_PEAK}, file=sys.stderr))
from palacs.cli import main
main()
"""

# What a child process does with ``url``; it prints seconds and the peak of its memory.
_CHILD = f"""
import json, sys, time
from palacs.campaign import load_campaign
import palacs.storage._sqlite, palacs.campaign._history
what, url, folder = sys.argv[1:]
if what != "load":
    campaign = load_campaign("c", storage=url)
if what == "tell":
    requests = campaign.ask_many(200)
start, begun = time.perf_counter(), time.process_time()
times = 1
if what == "load":
    campaign = load_campaign("c", storage=url)
elif what == "tell":
    times = len(requests)
    for request in requests:
        campaign.tell(request, [0.5] * 64)
elif what in ("pending", "status"):
    times = 20
    for _ in range(times):
        getattr(campaign, what)()
else:
    campaign.export(folder + "/out." + what)
cpu, wall = time.process_time() - begun, time.perf_counter() - start
print(json.dumps(dict(cpu=cpu / times, wall=wall / times, peak={_PEAK})))
"""


def stored(folder: Path, n: int, *, retracted: float = 0.0, strategy: str | None = None) -> str:
    """Return the address of a campaign with `n` instances, a share of them retracted again."""
    file = folder / f"{n}-{retracted}-{strategy}.db"
    url = f"sqlite:///{file}"
    if file.exists():
        return url
    create_campaign("c", CLASSES, strategy=strategy, storage=url, seed=0).close()
    rng = np.random.default_rng(0)
    with open_storage(url) as storage:
        key = storage.find("c").key
        for first in range(0, n, _BATCH):
            drafts = []
            for i in range(first, min(n, first + _BATCH)):
                x = rng.normal(size=N_FEATURES) + 0.3 * (i % 10)
                drafts.append(Draft("added", f"u{i}", CLASSES[i % 10], x.tobytes()))
                if rng.random() < retracted:
                    drafts.append(Draft("retracted", f"u{i}", payload={"reason": "moved"}))
            with storage.write(key) as turn:
                turn.append(drafts)
    return url


def forget_snapshot(url: str) -> None:
    """Delete the snapshot, so that the events are read."""
    file = sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)
    file.execute("DELETE FROM palacs_snapshots")
    file.close()


def child(what: str, url: str) -> dict[str, float]:
    """Return processor and wall seconds of one operation, and the peak of memory in MB."""
    folder = str(Path(url.removeprefix("sqlite:///")).parent)
    done = subprocess.run(
        [sys.executable, "-c", _CHILD, what, url, folder],
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def command(words: Sequence[str]) -> tuple[float, float, float]:
    """Return wall seconds, processor seconds and peak MB of one command."""
    before, start = os.times(), time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", _MAIN, *words], capture_output=True, text=True, check=True
    )
    wall, after = time.perf_counter() - start, os.times()
    cpu = sum(after[2:4]) - sum(before[2:4])
    return wall, cpu, float(done.stderr.split()[-1])


def exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """Return b of seconds = a * size ** b."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def commands(folder: Path, n: int, repeats: int) -> None:
    """Print how long a command takes and how much memory, beyond that on an empty campaign."""
    raw = n * N_FEATURES * 8 / 2**20
    print(f"\n{n:,} stored instances x {N_FEATURES} features: {raw:.0f} MB of raw numbers")
    url, small = stored(folder, n), stored(folder, 1)
    for words in (["status"], ["list"], ["ask"]):
        name = [] if words == ["list"] else ["c"]
        for where in (url, small):  # the first one compiles, and puts a snapshot beside the events
            command(["campaign", *words, *name, "--storage", where])
        base = min(
            command(["campaign", *words, *name, "--storage", small])[2] for _ in range(repeats)
        )
        found = [command(["campaign", *words, *name, "--storage", url]) for _ in range(repeats)]
        wall, cpu, peak = (list(values) for values in zip(*found, strict=True))
        print(
            f"  palacs campaign {words[0]:<7} {min(wall):5.2f} s at best, "
            f"{statistics.median(wall):5.2f} s median of {repeats}; processor "
            f"{min(cpu):5.2f} s; memory {max(peak) - base:4.0f} MB = "
            f"{(max(peak) - base) / raw:.2f} x raw"
        )


def loading(folder: Path, n: int) -> None:
    """Print how long a process takes to load a campaign, with and without a snapshot."""
    raw = n * N_FEATURES * 8 / 2**20
    url, small = stored(folder, n), stored(folder, 1)
    base = child("load", small)["peak"]
    for how in ("events", "snapshot"):
        if how == "events":
            forget_snapshot(url)
        found = child("load", url)
        print(
            f"  load {n:,} from the {how:<8} {found['wall']:6.2f} s wall, {found['cpu']:6.2f} s "
            f"processor, {found['peak'] - base:5.0f} MB = {(found['peak'] - base) / raw:.2f} x raw"
        )


def series(folder: Path, sizes: Sequence[int] = DOUBLINGS) -> None:
    """Print processor seconds over a series of doublings, and the exponent of each."""
    print("\nprocessor seconds" + " " * 13 + "".join(f"{n:>11,}" for n in sizes) + "   exponent")
    rows = {
        "load": ("load", 0.0, True),
        "load, 30 % retracted": ("load", 0.3, True),
        "load from a snapshot": ("load", 0.0, False),
        "tell": ("tell", 0.0, False),
        "pending": ("pending", 0.0, False),
        "status": ("status", 0.0, False),
        "export json": ("json", 0.0, False),
        "export csv": ("csv", 0.0, False),
    }
    for name, (what, retracted, afresh) in rows.items():
        seconds, peaks = [], []
        for n in sizes:
            url = stored(folder, n, retracted=retracted, strategy="random")
            runs = []
            for _ in range(3):
                if afresh:
                    forget_snapshot(url)
                runs.append(child(what, url))
            seconds.append(min(run["cpu"] for run in runs))
            peaks.append(min(run["peak"] for run in runs))
        line = f"  {name:<28}" + "".join(f"{s:>11.5f}" for s in seconds)
        print(f"{line}   {exponent(sizes, seconds):8.2f}", flush=True)
        if what in ("json", "csv"):
            print("    peak memory, MB" + " " * 11 + "".join(f"{p:>11.0f}" for p in peaks))


def report(folder: Path, *, n: int = 100_000, million: bool = False, repeats: int = 7) -> None:
    """Print everything."""
    commands(folder, n, repeats)
    loading(folder, n)
    series(folder)
    if million:
        print()
        loading(folder, 10 * n)
        commands(folder, 10 * n, 3)
