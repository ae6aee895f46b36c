"""A storage as somebody else would write it: one JSON file, replaced as a whole.

It uses public names only. Writers queue for a lock file; readers never wait, because a file
is only ever replaced by a complete one.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from palacs.storage import (
    ERASED,
    ONCE,
    CampaignExists,
    CampaignNotFound,
    Clock,
    Draft,
    Event,
    ForeignStorage,
    Storage,
    StorageConflict,
    StorageNotFound,
    StorageUnavailable,
    StoredCampaign,
    Transaction,
)

PATIENCE_S = 60.0


class FiledTurn(Transaction):
    """A writer's turn on one campaign of the file."""

    def __init__(self, rows: list[dict[str, Any]], now: float) -> None:
        self._rows = rows
        self.head = len(rows)
        self.now = now

    def events(self, after: int) -> list[Event]:
        return [_event(row) for row in self._rows[after:]]

    def append(self, drafts: Sequence[Draft]) -> list[Event]:
        written = []
        for draft in drafts:
            self._refuse_a_second(draft)
            event = draft.numbered(self.head + 1, self.now)
            self._rows.append(_row(event))
            self.head = event.seq
            written.append(event)
        return written

    def erase(self, seqs: Collection[int], tombstone: Draft) -> Event:
        if tombstone.kind != "erased" or not set(seqs) <= set(range(1, self.head + 1)):
            raise ValueError(f"cannot erase {seqs} of {self.head} for {tombstone.kind!r}.")
        for row in (self._rows[seq - 1] for seq in seqs):
            gone = ("x", "cost", "duration", "author", "attrs")
            row.update(dict.fromkeys(gone), payload=dict(ERASED))
        return self.append([tombstone])[0]

    def _refuse_a_second(self, draft: Draft) -> None:
        happened = {row["kind"] for row in self._rows if row["entry"] == draft.entry}
        for kinds in ONCE:
            if draft.entry is not None and draft.kind in kinds and happened & set(kinds):
                raise StorageConflict(f"{draft.entry!r} cannot be {draft.kind}: it is {happened}.")


class FiledStorage(Storage):
    """A storage in one JSON file."""

    address_form = "filed:///FILE.json"
    schemas = ("draft", "1")
    package = "filed-storage"

    def __init__(self, path: Path, clock: Clock | None = None) -> None:
        self.url = f"filed:///{path}"
        self._path = path
        self._clock = clock or time.time

    @classmethod
    def from_url(cls, url: str, clock: Clock | None = None) -> Self:
        path = url.removeprefix("filed:///")
        if path in ("", url):
            raise ValueError(f"{url!r} is no storage address: use {cls.address_form}.")
        return cls(Path(path), clock)

    def schema(self) -> str:
        if not self._path.exists():
            raise StorageNotFound(f"there is no file {str(self._path)!r}; create a campaign first.")
        try:
            return str(self._load()["schema"])
        except (ValueError, KeyError, TypeError) as error:
            raise ForeignStorage(
                f"{str(self._path)!r} is not ours; choose another file."
            ) from error

    def make(self) -> None:
        with self._locked():
            if not self._path.exists():
                self._save({"schema": self.schemas[-1], "campaigns": []})

    def migrate(self) -> None:
        with self._locked():
            self._save({**self._load(), "schema": self.schemas[-1]})

    def create(self, name: str, drafts: Sequence[Draft]) -> StoredCampaign:
        with self._locked():
            content = self._load()
            if any(campaign["name"] == name for campaign in content["campaigns"]):
                raise CampaignExists(f"campaign {name!r} is already in {self.url}; load it.")
            campaign: dict[str, Any] = {"name": name, "created_at": self.now(), "events": []}
            FiledTurn(campaign["events"], campaign["created_at"]).append(drafts)
            content["campaigns"].append(campaign)
            self._save(content)
        return self.find(name)

    def find(self, name: str) -> StoredCampaign:
        for campaign in self.campaigns():
            if campaign.name == name:
                return campaign
        raise CampaignNotFound(f"no campaign {name!r} in {self.url}; check its name.")

    def campaigns(self) -> list[StoredCampaign]:
        return [
            StoredCampaign(key, campaign["name"], campaign["created_at"], len(campaign["events"]))
            for key, campaign in enumerate(self._load()["campaigns"])
        ]

    def events(self, key: int, after: int = 0, limit: int | None = None) -> list[Event]:
        rows = self._load()["campaigns"][key]["events"]
        return [_event(row) for row in rows[after:][:limit]]

    @contextmanager
    def write(self, key: int) -> Iterator[Transaction]:
        with self._locked():
            content = self._load()
            if not 0 <= key < len(content["campaigns"]):
                raise CampaignNotFound(f"no campaign with key {key} in {self.url}; find it again.")
            yield FiledTurn(content["campaigns"][key]["events"], self.now())
            self._save(content)

    def purge(self) -> None:
        """Nothing is left behind: the file was written anew."""

    def now(self) -> float:
        return self._clock()

    def close(self) -> None:
        """Nothing stays open between two calls."""

    @contextmanager
    def _locked(self) -> Iterator[None]:
        deadline = time.monotonic() + PATIENCE_S
        with self._path.with_suffix(".lock").open("a") as lock:
            while True:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() > deadline:
                        raise StorageUnavailable(f"{self.url} is locked; try again.") from None
                    time.sleep(0.005)
            yield

    def _load(self) -> dict[str, Any]:
        content: dict[str, Any] = json.loads(self._path.read_text())
        return content

    def _save(self, content: dict[str, Any]) -> None:
        fresh = self._path.with_suffix(".new")
        with fresh.open("w") as file:
            json.dump(content, file)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self._path)
        folder = os.open(self._path.parent, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)


def _row(event: Event) -> dict[str, Any]:
    return {**event.as_dict(), "x": None if event.x is None else event.x.hex()}


def _event(row: dict[str, Any]) -> Event:
    return Event(**{**row, "x": None if row["x"] is None else bytes.fromhex(row["x"])})
