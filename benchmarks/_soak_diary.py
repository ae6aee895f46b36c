"""Workers that keep a diary of what was acknowledged, and the record held against it.

Every operation carries an id of its own. A worker notes what came back in a file, synchronised
to disk, before it goes on; afterwards each note must be in the record exactly once, with its
values, and no operation may be there twice, whether it was noted or not.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from _soak_tally import Tally
from palacs.campaign import Campaign, Instance, Request
from palacs.storage import Event, StorageOutcomeUnknown, StorageUnavailable

CLASSES = ("rest", "left", "right", "feet")
MOST_TRIES = 500  # of one operation, before its worker gives up


class Diary:
    """What one worker was told, in a file of its own.

    Parameters
    ----------
    folder : Path
        Where all workers of a situation keep theirs.
    worker : str
        Its name, used once.
    """

    def __init__(self, folder: Path, worker: str) -> None:
        self.folder = folder
        self.worker = worker
        self._number = 0
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        self._file = os.open(folder / f"{worker}.notes", flags)

    def do(self, kind: str, call: Callable[[str], Any], x: list[float] | None = None) -> Any:
        """Do one operation, again with the same id where the storage was out of reach.

        Parameters
        ----------
        kind : str
            Of the event that it writes.
        call : callable
            Takes the operation's id.
        x : list of float or None
            The values the event has to have.
        """
        self._number += 1
        op = f"{self.worker}-{self._number}"
        result = self.insist(lambda: call(op), op)
        entry = result.id if isinstance(result, Request | Instance) else None
        self._note({"op": op, "kind": kind, "entry": entry, "x": x})
        return result

    def insist(self, call: Callable[[], Any], op: str | None = None) -> Any:
        """Call until the storage can be reached, and note each refusal."""
        for _ in range(MOST_TRIES):
            try:
                return call()
            except StorageUnavailable as error:
                last = error
                self.refused(error, op)
                time.sleep(0.002)
        raise RuntimeError(f"{self.worker} was refused {MOST_TRIES} times: {last}") from last

    def refused(self, error: Exception, op: str | None = None) -> None:
        """Note that something was refused with a clear error."""
        kept = "unknown" if isinstance(error, StorageOutcomeUnknown) else "no"
        self._note({"refused": op, "kept": kept, "at": time.time()})

    def _note(self, what: dict[str, Any]) -> None:
        os.write(self._file, (json.dumps(what) + "\n").encode())
        os.fsync(self._file)


def take_a_turn(campaign: Campaign, diary: Diary, rng: random.Random) -> None:
    """Ask, and do one of the things that can come of it."""
    request: Request = diary.do("asked", lambda op: campaign.ask(op=op))
    x = [rng.gauss(0, 1), rng.gauss(0, 1)]
    chance = rng.random()
    if chance < 0.1:
        diary.do("failed", lambda op: campaign.fail(request, "refused", op=op))
        return
    if chance < 0.2:
        diary.do("performed", lambda op: campaign.performed(request, op=op))
    diary.do("told", lambda op: campaign.tell(request, x, op=op), x)
    if chance > 0.9:  # what a worker does that is not sure it was heard, and has no ids
        diary.insist(lambda: campaign.tell(request.id, x))
    elif chance > 0.85:
        diary.do("retracted", lambda op: campaign.retract(request, "noise", op=op))
    elif chance > 0.75:
        label = rng.choice(CLASSES)
        diary.do("added", lambda op: campaign.add(x, label, op=op), x)


def examine(campaign: Campaign, folder: Path, tried: Tally) -> Tally:
    """Return what was tried with its counts: the record compared with what workers noted."""
    notes = [note for file in folder.glob("*.notes") for note in _read(file)]
    noted = [note for note in notes if "op" in note]
    events: dict[str, list[Event]] = defaultdict(list)
    for event in campaign.events():
        if event.op is not None:
            events[event.op].append(event)
    told = [note for note in noted if note["x"] is not None and note["op"] in events]
    altered = {n["op"] for n in noted if n["op"] in events and not _is(events[n["op"]][0], n)}
    altered |= {n["op"] for n in told if campaign.instance(n["entry"]).x.tolist() != n["x"]}
    replayed = campaign.replay()
    return replace(
        tried,
        acknowledged=len(noted),
        recorded=len(events),
        lost=sum(1 for note in noted if note["op"] not in events),
        doubled=sum(1 for found in events.values() if len(found) > 1),
        altered=len(altered),
        refused=len(notes) - len(noted),
        broken=tried.broken + _untrue(notes, events),
        replayed=replayed.checked,
        mismatches=len(replayed.mismatches),
    )


def does_not_go_on(campaign: Campaign) -> int:
    """Return 1 unless the campaign can be continued."""
    before = campaign.status().instances
    campaign.tell(campaign.ask(), [0.0, 0.0])
    return int(campaign.status().instances != before + 1)


def _read(file: Path) -> list[dict[str, Any]]:
    # The last line may be torn where its worker was killed.
    lines = file.read_text().splitlines()
    return [json.loads(line) for line in lines if line.endswith("}")]


def _untrue(notes: list[dict[str, Any]], events: dict[str, list[Event]]) -> int:
    """Return how many refusals said that nothing was kept although it was."""
    untrue, unknown = 0, set()
    for note in notes:
        op = note.get("refused")
        if note.get("kept") == "unknown":
            unknown.add(op)
        elif op in events and op not in unknown:
            untrue += events[op][0].at < note["at"]
    return untrue


def _is(event: Event, note: dict[str, Any]) -> bool:
    if event.kind != note["kind"] or note["entry"] not in (None, event.entry):
        return False
    return note["x"] is None or _floats(event.x) == note["x"]


def _floats(raw: bytes | None) -> list[float]:
    values: list[float] = np.frombuffer(raw or b"", dtype="<f8").tolist()
    return values
