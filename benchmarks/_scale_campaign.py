"""A campaign of 100,000 embeddings of 768 numbers and 1,000 classes: what asking it takes.

The file is made first; then a process of its own loads it, asks and tells. What is warm is said:
the first ask of a process works everything out, every later one what changed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from palacs.campaign import create_campaign
from palacs.storage import Draft, open_storage

_BATCH = 5_000
_CHILD = r"""
import json, os, resource, sys, time
import numpy as np
from palacs.campaign import load_campaign

def clock():
    return time.perf_counter(), time.process_time()

def since(start):
    now = clock()
    return now[0] - start[0], now[1] - start[1]

def peak():
    return int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) / 2**20

url, times, n_features = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = np.random.default_rng(1)
told = {}
start = clock()
campaign = load_campaign("c", storage=url)
told["load"] = since(start)
start = clock()
campaign.status()
told["status"] = since(start)
start = clock()
request = campaign.ask()
told["first ask"] = since(start)
asks, tells = [], []
for _ in range(times):
    start = clock()
    campaign.tell(request, rng.standard_normal(n_features))
    tells.append(since(start))
    start = clock()
    request = campaign.ask()
    asks.append(since(start))
told["tell"] = np.median(tells, axis=0).tolist()
told["later ask"] = np.median(asks, axis=0).tolist()
told["slowest later ask"] = max(asks)
campaign.retract(campaign.add(rng.standard_normal(n_features), campaign.classes[0]).id)
start = clock()
campaign.ask()
told["ask after a retraction"] = since(start)
print(json.dumps({"times": told, "peak": peak()}))
"""


def made(folder: Path, n_classes: int, n: int, n_features: int) -> str:
    """Return the address of a campaign with so many instances; it is made once."""
    file = folder / f"scale-{n_classes}-{n}-{n_features}.db"
    url = f"sqlite:///{file}"
    if file.exists():
        return url
    classes = [f"class-{c}" for c in range(n_classes)]
    create_campaign("c", classes, storage=url, seed=0).close()
    rng = np.random.default_rng(0)
    centres = 0.7 * rng.standard_normal((n_classes, n_features))
    with open_storage(url) as storage:
        key = storage.find("c").key
        for first in range(0, n, _BATCH):
            drafts = []
            for i in range(first, min(n, first + _BATCH)):
                c = i % n_classes
                x = centres[c] + rng.standard_normal(n_features)
                drafts.append(Draft("added", f"u{i}", classes[c], x.tobytes()))
            with storage.write(key) as turn:
                turn.append(drafts)
    return url


def report(folder: Path, n_classes: int, n: int, n_features: int, *, times: int = 10) -> None:
    """Print what a process takes: from the events, and once more from its snapshot."""
    start = time.perf_counter()
    url = made(folder, n_classes, n, n_features)
    data = n * n_features * 8 / 2**30
    print(
        f"\na campaign of {n:,} x {n_features} ({data:.2f} GiB), {n_classes:,} classes; "
        f"made in {time.perf_counter() - start:.0f} s; {os.cpu_count()} cores",
        flush=True,
    )
    for process in ("first process", "second process"):
        done = subprocess.run(
            [sys.executable, "-c", _CHILD, url, str(times), str(n_features)],
            capture_output=True,
            text=True,
            check=True,
        )
        found = json.loads(done.stdout)
        print(
            f"  {process}: peak {found['peak']:.2f} GiB, {found['peak'] - data:.2f} beyond the data"
        )
        for what, (wall, cpu) in found["times"].items():
            print(f"    {what:<24} {wall:8.3f} s, processor {cpu:8.3f} s", flush=True)
