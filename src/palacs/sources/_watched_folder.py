"""A watched folder: a file that appears in ``left/`` is an instance of left.

A file is taken when it is complete, that is when its size and time have not changed for a moment.
Which files a campaign has already is in its record, by their name and SHA-256, so that none is
taken twice, also after a restart. Files are read, never moved or changed.
"""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from pathlib import Path

from palacs.campaign import Acquired, AskAndTell, NotAcquired, Recording, Request
from palacs.storage import Label

_LOOK_S = 0.1
_UNFINISHED = (".part", ".partial", ".tmp", ".crdownload", ".swp", ".lock")

_Seen = tuple[int, int, int]  # inode, size and time


class WatchedFolder:
    """Takes files from one folder per class, as they appear.

    A file of a class that is asked for answers the request; one of another class is added
    unsolicited, and so is what is there from the start. Hidden files, empty ones and those with
    endings such as ``.part`` or ``.tmp`` are left alone.

    Parameters
    ----------
    folder : str or path
        Holds one folder per class, which are made where they are missing.
    settle : float
        Seconds without a change after which a file is complete; more than the longest pause of
        whoever writes it. Who renames finished files into the folder can choose a short time.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import palacs
    >>> from palacs.sources import WatchedFolder
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> c = palacs.create_campaign("demo", ["left", "right"], storage="memory")
    >>> def record(request):  # stands for the instrument
    ...     _ = (folder / request.label / "1.csv").write_text("0.1 0.2")
    >>> c.run(WatchedFolder(folder, settle=0.05), until=2, on_asked=record).told
    2
    """

    def __init__(self, folder: str | os.PathLike[str], settle: float = 1.0) -> None:
        self.folder, self.settle = Path(folder).absolute(), float(settle)
        self._lock = threading.Lock()
        self._taken: set[tuple[Path, _Seen]] = set()
        self._since: dict[Path, tuple[_Seen, float]] = {}
        self._recorded: dict[tuple[str, str], set[str]] = {}
        self._classes: list[Label] = []
        self._waiting: dict[str, Label] = {}

    def __repr__(self) -> str:
        return f"WatchedFolder({str(self.folder)!r})"

    def open(self, campaign: AskAndTell) -> None:
        """Make the folders, and learn which files the campaign has."""
        self._classes = campaign.classes
        for label in self._classes:
            name = str(label)
            if name in (".", "..") or "/" in name or name.startswith(".") or len(name) > 100:
                raise ValueError(f"class {label!r} cannot be the name of a folder; rename it.")
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        for recording in campaign.recordings():
            place = Path(recording.where)
            key = (place.parent.name, place.name)
            self._recorded.setdefault(key, set()).add(recording.sha256 or "")

    def acquire(self, request: Request) -> Acquired:
        """Wait for the next file of the class."""
        with self._lock:
            self._waiting[request.id] = request.label
        while True:
            with self._lock:
                if request.id not in self._waiting:
                    raise NotAcquired("nobody waits for it any more")
                found = self._next(request.label)
                if found is not None:
                    del self._waiting[request.id]
                    return found
            time.sleep(_LOOK_S)

    def cancel(self, request: Request) -> None:
        """Stop waiting."""
        with self._lock:
            self._waiting.pop(request.id, None)

    def unasked(self) -> list[Acquired]:
        """Return what appeared in folders that nobody waits for."""
        brought = []
        with self._lock:
            idle = [label for label in self._classes if label not in self._waiting.values()]
            for label in idle:
                while (found := self._next(label)) is not None:
                    brought.append(found)
        return brought

    def _next(self, label: Label) -> Acquired | None:
        """Take the oldest file of a class that is complete; None where there is none."""
        now = time.monotonic()
        for seen, path in sorted(self._files(label), key=lambda one: (one[0][2], one[1].name)):
            if (path, seen) in self._taken:
                continue
            known, since = self._since.get(path, (None, now))
            if known != seen:
                self._since[path] = (seen, now)
            elif now - since >= self.settle:
                self._taken.add((path, seen))
                if recording := self._new(path):
                    return Acquired(recording=recording, label=label)
        return None

    def _files(self, label: Label) -> list[tuple[_Seen, Path]]:
        found: list[tuple[_Seen, Path]] = []
        with suppress(FileNotFoundError):  # somebody took the folder or a file away
            self._look(label, found)
        return found

    def _look(self, label: Label, found: list[tuple[_Seen, Path]]) -> None:
        for entry in os.scandir(self.folder / str(label)):
            hidden = entry.name.startswith((".", "~")) or entry.name.endswith(_UNFINISHED)
            if hidden or not entry.is_file():
                continue
            info = entry.stat()
            if info.st_size:
                found.append(((info.st_ino, info.st_size, info.st_mtime_ns), Path(entry.path)))

    def _new(self, path: Path) -> Recording | None:
        """Return a file as a recording, unless the campaign has it."""
        try:
            recording = Recording.of(path)
        except (FileNotFoundError, PermissionError):
            return None  # taken away meanwhile, or not ours to read
        known = self._recorded.get((path.parent.name, path.name), set())
        return None if recording.sha256 in known else recording
