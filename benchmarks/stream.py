"""Epochs from a stream that starts again, stutters and loses samples: are the right ones told.

Every sample carries its number, and every recording that a campaign was told is read again and
checked to the sample. ``python benchmarks/stream.py`` records 500 epochs with ten restarts, then
the same with stamps that jitter; it fails where one was told with wrong samples, or a request was
lost.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from pyxdf import load_xdf

from _numbered_stream import NumberedStream
from palacs.campaign import Instance, create_campaign
from palacs.lsl import EpochSettings, lsl_now, stay_on_this_machine
from palacs.sources import LabStream

EPOCHS = EpochSettings(0.01, 0.11, pad=0.02)
RATE = 1000.0
# Beyond half a period: what comparing two clocks leaves open.
CLOCKS_S = 0.0002


@dataclass
class Tally:
    """What became of the requests of one campaign."""

    told: int = 0
    wrong: int = 0
    lost: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    off: list[float] = field(default_factory=list)
    late: list[float] = field(default_factory=list)
    connections: int = 0
    seconds: float = 0.0


def record(
    epochs: int, restarts: int, *, jitter: float = 0.0, seed: int = 0, name: str = "numbers"
) -> Tally:
    """Have a campaign record epochs while the stream is disturbed, and check each one."""
    tally, told, begun = Tally(), list[Instance](), lsl_now()
    campaign = create_campaign(
        name, ["a", "b", "c"], strategy="uniform", storage="memory", extractor=np.ravel
    )
    with (
        tempfile.TemporaryDirectory() as folder,
        NumberedStream(name, RATE, jitter) as stream,
        LabStream(folder, f"name={name}", EPOCHS, rest=(0.0, 0.0)) as lab,
    ):
        disturb = _disturber(stream, epochs, restarts, seed)

        def on_told(instance: Instance) -> None:
            told.append(instance)
            tally.late.append(lsl_now() - float(instance.attrs["lsl_ended"]) - EPOCHS.pad)
            disturb(len(told))

        def on_failed(_: object, reason: str) -> None:
            tally.reasons[_kind(reason)] += 1

        lab.reader.wait_until_ready(1.0)
        campaign.run(lab, until=epochs, on_told=on_told, on_failed=on_failed, give_up=50)
        tally.connections = lab.reader.restarts
        for instance in told:
            _check(instance, stream, tally, tolerance=CLOCKS_S + jitter)
    tally.told, tally.seconds = len(told), lsl_now() - begun
    # Whatever was neither told nor failed.
    tally.lost = campaign.history_length() - tally.told - sum(tally.reasons.values())
    return tally


def _disturber(
    stream: NumberedStream, epochs: int, restarts: int, seed: int
) -> Callable[[int], None]:
    """Return what is called after each epoch, and disturbs one of the next ones."""
    rng = random.Random(seed)
    every = max(1, epochs // (restarts + 1))

    def disturb(told: int) -> None:
        after = rng.uniform(0.0, 0.12)
        if told % every == 0 and told // every <= restarts:
            threading.Timer(after, stream.restart, [rng.choice([0.0, 0.05, 0.3])]).start()
        elif told % every == every // 3:
            threading.Timer(after, stream.stutter, [0.3]).start()
        elif told % every == 2 * every // 3:
            stream.lose(rng.randint(1, 3), after)

    return disturb


def _check(instance: Instance, stream: NumberedStream, tally: Tally, tolerance: float) -> None:
    """Read a recording that was told, and compare its numbers with what they should be."""
    assert instance.recording is not None
    path = Path(instance.recording.where)
    (cut, raw, _), _ = load_xdf(path, synchronize_clocks=False, dejitter_timestamps=False)
    begin = float(instance.attrs["lsl_onset"]) + EPOCHS.start
    numbers, inside = raw["time_series"][:, 0], cut["time_series"][:, 0]
    pad, n = round(EPOCHS.pad * RATE), round((EPOCHS.stop - EPOCHS.start) * RATE)
    whole = len(numbers) == n + 2 * pad and (np.diff(numbers) == 1).all()
    off = stream.time_of(float(inside[0])) - begin
    right = whole and np.array_equal(numbers[pad:-pad], inside)
    told = np.array_equal(instance.x, cut["time_series"].T.ravel())
    tally.wrong += not (right and told and abs(off) <= 0.5 / RATE + tolerance)
    tally.off.append(off)


def _kind(reason: str) -> str:
    for words in ("broke off", "missing", "went back", "no stream", "reach back"):
        if words in reason:
            return words
    return reason


def show(title: str, tally: Tally) -> bool:
    """Print a tally; say whether every promise was kept."""
    late, off = np.array(tally.late) * 1e3, np.array(tally.off) * 1e3
    reasons = ", ".join(f"{n} {why}" for why, n in tally.reasons.most_common()) or "none"
    print(f"\n{title}: {tally.told} epochs told in {tally.seconds:.0f} s")
    print(f"  told with wrong samples   {tally.wrong}")
    print(f"  requests lost             {tally.lost}")
    print(f"  failed, and asked again   {sum(tally.reasons.values())} ({reasons})")
    print(f"  times it was found again  {tally.connections}")
    print(
        f"  first sample beside the onset, ms   mean {off.mean():+.3f}, sd {off.std():.3f}, "
        f"largest {np.abs(off).max():.3f} (half a period: {500 / RATE:g})"
    )
    print(
        f"  from the last sample to told, ms    median {np.median(late):.1f}, "
        f"95 % {np.percentile(late, 95):.1f}, longest {late.max():.0f}"
    )
    return tally.wrong == 0 and tally.lost == 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=500)
    parser.add_argument("--restarts", type=int, default=10)
    chosen = parser.parse_args()
    stay_on_this_machine(f"benchmark-{os.getpid()}")
    kept = show("stamps as they should be", record(chosen.epochs, chosen.restarts))
    few = max(20, chosen.epochs // 5), max(2, chosen.restarts // 5)
    kept &= show("stamps that jitter by 1 ms", record(*few, jitter=0.001, name="jitter"))
    raise SystemExit(0 if kept else 1)


if __name__ == "__main__":
    main()
