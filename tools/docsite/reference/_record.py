"""The record of a campaign: every kind of event, and the files that hold it, shown by a real one.

A small campaign is run in which everything happens once; what it wrote is what the page shows.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from docsite.markdown import code, plain, table
from palacs.campaign import Campaign, Recording, create_campaign
from palacs.storage import EVENT_FIELDS, EVENT_KINDS, EVENT_MEANINGS, Event

_WHO = {"host": "lab-pc", "process": 4711, "person": "p1"}  # not the machine that builds the site
_FROM = 1_767_225_600.0  # 2026 begins


@contextmanager
def campaign_in_which_everything_happens() -> Iterator[Campaign]:
    """Run a campaign whose record has every kind of event."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        opened = create_campaign("subject-07", ["rest", "left"], storage="memory", seed=0)
        with opened as campaign:
            _happens(campaign, folder)
            yield campaign


def _happens(campaign: Campaign, folder: Path) -> None:
    for number, subject in enumerate(("s01", "s02", "s01", "s01")):
        file = folder / f"trial-{number}.npy"
        np.save(file, np.linspace(0.0, 1.0 + number, 500).reshape(1, -1))
        recording = Recording.of(file)
        request = campaign.ask()
        campaign.performed(request)
        campaign.tell(
            request, [0.5], recording=recording, attrs={"subject": subject}, cost=1.0, duration=4.0
        )
    campaign.renew(campaign.ask(), "the participant needs a break")
    campaign.fail(campaign.ask(), "the electrode came off")
    extra = campaign.add([0.4], "left", attrs={"subject": "s01"})
    campaign.retract(extra, "moved")
    campaign.pause("rest")
    campaign.resume("rest")
    campaign.add_class("right")
    campaign.rename_class("right", "feet", "feet are easier to imagine")
    campaign.change(reason="longer session", budget=40)
    campaign.extract("band-power(rate=250)", "all bands")
    campaign.erase({"subject": "s02"}, "the participant withdrew")
    campaign.close_campaign("the budget is used up")
    campaign.reopen("one more sitting")


def events() -> str:
    """Return a section for each kind of event, with one as JSON holds it."""
    with campaign_in_which_everything_happens() as campaign:
        written = [event for event in campaign.events() if not event.erased]
    shown = {event.kind: event for event in reversed(written)}  # the first of each kind
    parts = [
        table(["kind", "says"], [(code(k), plain(EVENT_MEANINGS[k])) for k in EVENT_KINDS]),
        "Every event has these fields, in this order; those that say nothing are null: "
        + ", ".join(map(code, EVENT_FIELDS))
        + ". Below, only the first shows its author.",
    ]
    parts += [_section(kind, shown[kind]) for kind in EVENT_KINDS]
    return "\n\n".join(parts)


def _section(kind: str, event: Event) -> str:
    return f"## {code(kind)}\n\n{_sentence(kind)}\n\n```json\n{_as_json(event)}\n```"


def _sentence(kind: Any) -> str:
    meaning = plain(EVENT_MEANINGS[kind])
    return f"{meaning[0].upper()}{meaning[1:]}."


def _as_json(event: Event) -> str:
    said = {name: value for name, value in event.as_dict().items() if value not in (None, {})}
    said["at"] = _FROM + event.seq
    author = dict(said.pop("author"))
    if event.kind == EVENT_KINDS[0]:
        said["author"] = {key: _WHO[key] for key in author}
    if event.x is not None:
        said["x"] = np.frombuffer(event.x, "<f8").round(4).tolist()
    return json.dumps(_without_machine(said), indent=2, ensure_ascii=False)


def _without_machine(value: Any) -> Any:
    """Leave out what differs from one build to the next: folders and times."""
    if isinstance(value, dict):
        kept = {key: _without_machine(each) for key, each in value.items()}
        if "where" in kept:
            kept["where"] = "recordings/" + Path(kept["where"]).name
        return kept | ({"decided_at": _FROM} if "decided_at" in kept else {})
    return value


def exports() -> str:
    """Return what an exported file holds: the head of JSON, the columns of a table."""
    with campaign_in_which_everything_happens() as campaign, TemporaryDirectory() as name:
        whole = json.loads(campaign.export(Path(name) / "c.json").read_text(encoding="utf-8"))
        file = campaign.export(Path(name) / "c.csv")
        with file.open(encoding="utf-8-sig", newline="") as lines:
            columns = next(csv.reader(lines))
    head = ", ".join(code(key) for key in whole)
    grouped = [
        (kind, list(names)) for kind, names in groupby(columns, lambda n: n.partition(".")[0])
    ]
    cells = [code(f"{kind}.NAME" if "." in names[0] else kind) for kind, names in grouped]
    return (
        f"**JSON** is one object with {head}; `events` is a list of [events](events.md).\n\n"
        f"**CSV and Parquet** have one row per request or unsolicited instance, with the columns "
        f"{', '.join(cells)}."
    )
