"""Ask/tell round trips per second, palacs beside Optuna, on the same SQLite disk.

Both write to a SQLite file on the same file system, one process, one round trip at a time:
ask, then tell. palacs synchronises fully and stores 64 features per instance; Optuna runs
with its own defaults and stores one categorical parameter (which of ten classes) and one
value. The strategy's own cost is shown apart: ``random`` costs next to nothing, so its row
is the cost of the record; the row of ``pal-acs`` adds the decision itself.

With ``--scale``, what long records cost instead: commands, loading and exporting.

    python benchmarks/campaign.py
    python benchmarks/campaign.py --scale [--million]
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from _campaign_digests import digests
from _campaign_scale import report
from palacs.campaign import Campaign, create_campaign, load_campaign
from palacs.campaign._decide import decide
from palacs.storage import Draft, open_storage

if TYPE_CHECKING:
    import optuna

CLASSES = tuple(f"class-{i}" for i in range(10))
N_FEATURES = 64
SIZES = (0, 1_000, 10_000)
STRETCHES = 10


def stored_campaign(url: str, strategy: str, n_stored: int) -> Campaign:
    """Return a campaign that already holds `n_stored` instances."""
    create_campaign(strategy, CLASSES, strategy=strategy, storage=url, seed=0).close()
    rng = np.random.default_rng(0)
    with open_storage(url) as storage:
        key = storage.find(strategy).key
        drafts = [
            Draft("added", f"u{i}", CLASSES[i % 10], rng.normal(size=N_FEATURES).tobytes())
            for i in range(n_stored)
        ]
        with storage.write(key) as turn:
            turn.append(drafts)
    return load_campaign(strategy, storage=url)


def stored_study(url: str, n_stored: int) -> optuna.Study:
    """Return a study that already holds `n_stored` trials."""
    import optuna

    study = optuna.create_study(storage=url, sampler=optuna.samplers.RandomSampler(seed=0))
    choice: dict[str, optuna.distributions.BaseDistribution] = {
        "class": optuna.distributions.CategoricalDistribution(CLASSES)
    }
    for i in range(n_stored):
        study.add_trial(
            optuna.trial.create_trial(
                params={"class": CLASSES[i % 10]}, distributions=choice, value=0.0
            )
        )
    return study


def rates(round_trips: dict[str, Callable[[], None]], seconds: float) -> dict[str, float]:
    """Return round trips per second: medians of stretches taken in turn.

    Whatever else the machine does meanwhile then slows all of them alike.
    """
    for round_trip in round_trips.values():
        for _ in range(12):  # first calls compile, connect and ask for classes never seen
            round_trip()
    found: dict[str, list[float]] = {name: [] for name in round_trips}
    for _ in range(STRETCHES):
        for name, round_trip in round_trips.items():
            start, done = time.perf_counter(), 0
            while time.perf_counter() - start < seconds / STRETCHES:
                round_trip()
                done += 1
            found[name].append(done / (time.perf_counter() - start))
    return {name: float(np.median(values)) for name, values in found.items()}


def palacs_round_trip(campaign: Campaign) -> Callable[[], None]:
    """Return a function that asks for an instance and tells one of 64 features."""
    rng = np.random.default_rng(1)

    def round_trip() -> None:
        campaign.tell(campaign.ask(), rng.normal(size=N_FEATURES))

    return round_trip


def optuna_round_trip(study: optuna.Study) -> Callable[[], None]:
    """Return a function that asks for a class and tells one value."""

    def round_trip() -> None:
        trial = study.ask()
        trial.suggest_categorical("class", CLASSES)
        study.tell(trial, 0.0)

    return round_trip


def decision_ms(campaign: Campaign, seconds: float) -> float:
    """Return the milliseconds of one decision by itself."""
    now = campaign.snapshot()
    start, done = time.perf_counter(), 0
    while time.perf_counter() - start < seconds / STRETCHES:
        decide(now, 1)
        done += 1
    return 1e3 * (time.perf_counter() - start) / done


def load_seconds(url: str) -> float:
    """Return the seconds a new process needs to read a campaign."""
    start = time.perf_counter()
    load_campaign("random", storage=url).close()
    return time.perf_counter() - start


def measure(folder: str, n_stored: int, seconds: float) -> str:
    """Return one line of the table."""
    url = f"sqlite:///{folder}/palacs.db"
    plain = stored_campaign(url, "random", n_stored)
    full = stored_campaign(url, "pal-acs", n_stored)
    study = stored_study(f"sqlite:///{folder}/optuna.db", n_stored)
    found = rates(
        {
            "random": palacs_round_trip(plain),
            "pal-acs": palacs_round_trip(full),
            "optuna": optuna_round_trip(study),
        },
        seconds,
    )
    light, heavy = decision_ms(plain, seconds), decision_ms(full, seconds)
    ratio = found["random"] / found["optuna"]
    return (
        f"{n_stored:>7,} {found['random']:>14.0f} {found['pal-acs']:>15.0f}"
        f" {found['optuna']:>8.0f} {ratio:>6.1f}x {1e3 / found['random'] - light:>6.2f} ms"
        f" {light:>6.2f} ms {heavy:>7.2f} ms {load_seconds(url):>5.2f} s"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seconds", type=float, default=3.0, help="per measurement")
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES, help="stored instances")
    parser.add_argument("--folder", help="where the files go; by default a temporary folder")
    parser.add_argument("--scale", action="store_true", help="long records instead")
    parser.add_argument("--million", action="store_true", help="with --scale: a million as well")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        print(digests(Path(folder)), flush=True)
    if options.scale:
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            report(Path(folder), million=options.million)
        return
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    print("round trips per second; the ratio is that of palacs random to Optuna")
    print(
        f"{'stored':>7} {'palacs random':>14} {'palacs pal-acs':>15} {'optuna':>8} {'ratio':>7}"
        f" {'record':>9} {'random':>9} {'pal-acs':>10} {'load':>7}"
    )
    for n_stored in options.sizes:
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            print(measure(folder, n_stored, options.seconds), flush=True)
    print("record: a round trip less the decision; random, pal-acs: one decision by itself")


if __name__ == "__main__":
    main()
