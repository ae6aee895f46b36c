"""What holding events against their digests costs, in time of the processor.

Time of the processor and not of the clock: whatever else the machine does is not counted.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from palacs.storage import Draft, open_storage
from palacs.storage._chain import digest_of, extended, new_salt

N_EVENTS, N_FEATURES, ROUNDS = 10_000, 64, 5


def digests(folder: Path) -> str:
    """Return a line about reading events, and what of it are digests and the chain."""
    rng = np.random.default_rng(0)
    drafts = [
        Draft("added", f"u{i}", "left", rng.normal(size=N_FEATURES).tobytes())
        for i in range(N_EVENTS)
    ]
    with open_storage(f"sqlite:///{folder}/digests.db", create=True) as storage:
        key = storage.create("digests", drafts).key
        reading = _processor_us(lambda: storage.events(key))
    values = (1, 1.5e9, "added", "u1", '"left"', None, drafts[0].x, "{}", None, None, None, None)
    salted = (*values, new_salt())

    def all_digests() -> None:
        for _ in range(N_EVENTS):
            extended(bytes(32), digest_of(salted))

    share = _processor_us(all_digests)
    return (
        f"reading an event of {N_FEATURES} features takes {reading:.1f} µs of the processor, "
        f"{share:.1f} µs of it digests"
    )


def _processor_us(action: Callable[[], object]) -> float:
    found = []
    for _ in range(ROUNDS):
        start = time.process_time()
        action()
        found.append(1e6 * (time.process_time() - start) / N_EVENTS)
    return min(found)
