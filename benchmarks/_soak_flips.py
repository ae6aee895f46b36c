"""Single flipped bits in copies of a real file: it loads as it was, or is refused.

Every copy is opened as a user would: load the campaign, read its record, ask and tell. What
loads differently was not noticed; what raises anything but a clear error was not foreseen.
"""

from __future__ import annotations

import random
import shutil
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from _soak_diary import CLASSES, Diary, take_a_turn
from _soak_processes import in_a_fresh_process
from _soak_tally import Advance, Tally
from palacs.campaign import Campaign, create_campaign, import_campaign, load_campaign
from palacs.storage import Event, StorageError

TURNS = 60
EXPORTS = ("json", "csv", "parquet")


def flips(n: int, advance: Advance, *, seed: int = 0) -> list[Tally]:
    """Flip `n` bits of a SQLite file and `n` of exports, one per copy."""
    with tempfile.TemporaryDirectory() as folder:
        tallies: list[Tally] = in_a_fresh_process(_flips, folder, n, seed, advance=advance)
    return tallies


def _flips(advance: Advance, folder: str, n: int, seed: int) -> list[Tally]:
    home, rng = Path(folder), random.Random(seed)
    file = home / "flips.db"
    with create_campaign("flips", CLASSES, strategy="uniform", storage=_url(file)) as campaign:
        diary = Diary(home, "flips")
        for _ in range(TURNS):
            take_a_turn(campaign, diary, rng)
        events = campaign.events()
        exports = [campaign.export(home / f"flips.{suffix}") for suffix in EXPORTS]
    warnings.simplefilter("ignore")  # what pandas thinks of a damaged file
    of_file = Counter(_flip(file, home, rng, events, _open, advance) for _ in range(n))
    of_exports = Counter(
        _flip(exports[i % len(exports)], home, rng, events, _import, advance) for i in range(n)
    )
    return [
        _tally("sqlite", of_file),
        _tally("exports", of_exports),
    ]


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


def _flip(
    original: Path,
    home: Path,
    rng: random.Random,
    events: list[Event],
    look: Callable[[Path, list[Event]], str],
    advance: Advance,
) -> str:
    """Flip one bit of a copy and return what came of it."""
    copy = home / f"copy{original.suffix}"
    for left in home.glob("copy*"):
        left.unlink()
    shutil.copyfile(original, copy)
    place, bit = rng.randrange(copy.stat().st_size), rng.randrange(8)
    with copy.open("r+b") as file:
        file.seek(place)
        value = file.read(1)[0]
        file.seek(place)
        file.write(bytes([value ^ 1 << bit]))
    advance(1)
    try:
        return look(copy, events)
    except Exception as error:
        print(f"bit {bit} of byte {place} of {original.name}: {type(error).__name__}: {error}")
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
