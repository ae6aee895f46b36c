"""Single flipped bits in copies of a real file: it loads as it was, or is refused.

Every copy is opened as a user would: load the campaign, read its record, ask and tell. So is a
file whose log was left by a killed process, with a bit of that log flipped. What loads
differently was not noticed; what raises anything but a clear error was not foreseen.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import tempfile
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path

from _soak_diary import CLASSES, Diary, take_a_turn
from _soak_processes import fork, in_a_fresh_process
from _soak_tally import Advance, Tally
from palacs.campaign import Campaign, create_campaign, import_campaign, load_campaign
from palacs.storage import Event, StorageError

TURNS = 60
EXPORTS = ("json", "csv", "parquet")


def flips(n: int, advance: Advance, *, seed: int = 0) -> list[Tally]:
    """Flip `n` bits of a SQLite file, of a log left behind and of exports, one per copy."""
    with tempfile.TemporaryDirectory() as folder:
        tallies: list[Tally] = in_a_fresh_process(_flips, folder, n, seed, advance=advance)
    return tallies


def _flips(advance: Advance, folder: str, n: int, seed: int) -> list[Tally]:
    home, rng = Path(folder), random.Random(seed)
    file = home / "flips.db"
    os.waitpid(fork(partial(_fill_and_die, file, rng)), 0)
    left = [home / "left.db-wal", home / "left.db"]
    for part in left:
        shutil.copyfile(file.with_suffix(part.suffix), part)
    with load_campaign("flips", storage=_url(file)) as campaign:
        events = campaign.events()
        exports = [campaign.export(home / f"flips.{suffix}") for suffix in EXPORTS]
    warnings.simplefilter("ignore")  # what pandas thinks of a damaged file
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for i in range(n):
        for what, parts, look in (
            ("sqlite", [file], _open),
            ("sqlite's log", left, _open),
            ("exports", [exports[i % len(exports)]], _import),
        ):
            found[what][_flip(parts, rng, partial(look, events=events))] += 1
            advance(1)
    return [_tally(what, counts) for what, counts in found.items()]


def _fill_and_die(file: Path, rng: random.Random) -> None:
    """Write a record and be killed, so that its log stays beside the file."""
    campaign = create_campaign("flips", CLASSES, strategy="uniform", storage=_url(file))
    diary = Diary(file.parent, "flips")
    for _ in range(TURNS):
        take_a_turn(campaign, diary, rng)
    os.kill(os.getpid(), signal.SIGKILL)


def _tally(database: str, found: Counter[str]) -> Tally:
    return Tally(
        "bits flipped",
        database,
        f"{found.total():,} flips, {found['harmless']:,} harmless",
        lost=found["lost"],
        doubled=found["doubled"],
        altered=found["altered"],
        refused=found["refused"],
        broken=found["broken"],
    )


def _flip(parts: list[Path], rng: random.Random, look: Callable[[Path], str]) -> str:
    """Flip one bit of the first of some files and return what comes of opening the last."""
    home = parts[0].parent
    for old in home.glob("copy*"):
        old.unlink()
    copies = [home / f"copy{part.suffix}" for part in parts]
    for part, copy in zip(parts, copies, strict=True):
        shutil.copyfile(part, copy)
    place, bit = rng.randrange(copies[0].stat().st_size), rng.randrange(8)
    with copies[0].open("r+b") as file:
        file.seek(place)
        value = file.read(1)[0]
        file.seek(place)
        file.write(bytes([value ^ 1 << bit]))
    try:
        return look(copies[-1])
    except Exception as error:
        print(f"bit {bit} of byte {place} of {parts[0].name}: {type(error).__name__}: {error}")
        return "broken"


def _open(copy: Path, events: list[Event]) -> str:
    try:
        with load_campaign("flips", storage=_url(copy)) as campaign:
            found = _compared(campaign, events)
            if found == "harmless":
                campaign.tell(campaign.ask(), [0.0, 0.0])
                found = _compared(campaign, events, more=2)
    except StorageError:
        return "refused"
    return found


def _import(copy: Path, events: list[Event]) -> str:
    try:
        return _compared(import_campaign(copy, storage="memory"), events)
    except ValueError:
        return "refused"


def _compared(campaign: Campaign, events: list[Event], more: int = 0) -> str:
    found = campaign.events()
    if len(found) != len(events) + more:
        return "lost" if len(found) < len(events) + more else "doubled"
    same = found[: len(events)] == events and campaign.name == "flips"
    return "harmless" if same else "altered"


def _url(file: Path) -> str:
    return f"sqlite:///{file}"
