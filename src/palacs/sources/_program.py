"""A program as a source: it is run for every request, prints numbers or names a file.

No shell is involved, so that a class called ``; rm -rf ~`` is a class. The class is also in the
environment, as PALACS_LABEL, beside PALACS_REQUEST.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import IO, Any

from palacs.campaign import Acquired, AskAndTell, NotAcquired, Request
from palacs.sources._reply import reply_of
from palacs.storage import Label

_MOST_BYTES = 64 << 20
_REASON_BYTES = 500
_INTERPRETERS = re.compile(r"(ba|da|z|k|fi)?sh|python[\d.]*|perl|ruby|node|Rscript|env")


class Program:
    """Runs a program for every request.

    What it prints is the answer: numbers; the name of a file, which is the recording; or a JSON
    object with ``x``, ``recording``, ``cost``, ``duration``, ``attrs``, or ``failed`` with the
    reason. An exit code other than 0 is a failure, tried again; the end of what was written on
    standard error is its reason. Nobody waits for it any more: it is killed, with its children.

    Parameters
    ----------
    command : str or sequence of str
        Split as a shell would; ``{label}`` and ``{id}`` in arguments stand for the class and the
        request.
    folder : str, path or None
        Where it runs; by default the working directory.

    Examples
    --------
    >>> import palacs
    >>> from palacs.sources import Program
    >>> c = palacs.create_campaign("demo", ["1", "2"], storage="memory")
    >>> c.run(Program("echo 0.5 {label}"), until=2).told
    2
    """

    def __init__(
        self, command: str | Sequence[str], folder: str | os.PathLike[str] | None = None
    ) -> None:
        try:
            words = shlex.split(command) if isinstance(command, str) else [str(w) for w in command]
        except ValueError as error:
            raise ValueError(f"the command {command!r} cannot be read: {error}.") from error
        if not words:
            raise ValueError("the command is empty; give one such as './record {label}'.")
        if "{" in words[0]:
            raise ValueError(f"{words[0]!r}: which program is run cannot depend on the request.")
        if _INTERPRETERS.fullmatch(Path(words[0]).name) and any(
            flag.startswith("-") and flag[-1] in "ce" and "{label}" in code
            for flag, code in pairwise(words)
        ):
            raise ValueError(
                f"{Path(words[0]).name} would run the class as code; write $PALACS_LABEL, or read "
                "it from the environment, instead of {label}."
            )
        self.command, self.folder = words, Path(folder) if folder is not None else None
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._lock = threading.Lock()
        self._found()

    def __repr__(self) -> str:
        return f"Program({shlex.join(self.command)!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        # What runs, and the lock around it, stay here; another process starts its own.
        return type(self), (self.command, self.folder)

    def open(self, campaign: AskAndTell) -> None:
        """Refuse classes that the program would take for options."""
        for label in campaign.classes:
            self._words("", label)

    def acquire(self, request: Request) -> Acquired:
        """Run it once."""
        words = self._words(request.id, request.label)
        labelled = {"PALACS_LABEL": str(request.label), "PALACS_REQUEST": request.id}
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            with self._lock:
                # A session of its own: Ctrl-C is for the loop, which ends it with its children.
                process = subprocess.Popen(
                    words,
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=err,
                    cwd=self.folder,
                    env={**os.environ, **labelled},
                    start_new_session=True,
                )
                self._running[request.id] = process
            try:
                code = process.wait()
            finally:
                with self._lock:
                    self._running.pop(request.id, None)
            if code != 0:
                raise OSError(f"{self._name} ended with {_how(code)}{_last_words(err)}")
            return self._answer(_read(out, self._name), request)

    def cancel(self, request: Request) -> None:
        """Kill it, with the children it started."""
        with self._lock:
            process = self._running.get(request.id)
            if process is not None and process.poll() is None:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)

    @property
    def _name(self) -> str:
        return Path(self.command[0]).name

    def _found(self) -> None:
        program, folder = self.command[0], self.folder or Path()
        there = folder / program if os.sep in program else None
        if there is not None and there.exists() and not os.access(there, os.X_OK):
            raise ValueError(f"{program!r} cannot be executed; run: chmod +x {program}")
        if shutil.which(program if there is None else str(there.absolute())) is None:
            raise ValueError(f"there is no program {program!r}; give its path.")

    def _words(self, id_: str, label: Label) -> list[str]:
        words = [self.command[0]]
        for word in self.command[1:]:
            filled = word.replace("{id}", id_).replace("{label}", str(label))
            if filled.startswith("-") and not word.startswith("-"):
                raise ValueError(
                    f"{self._name} would take the class {label!r} for an option; have it read "
                    "the environment variable PALACS_LABEL instead of {label}."
                )
            words.append(filled)
        return words

    def _answer(self, text: str, request: Request) -> Acquired:
        brought = self._in_its_folder(reply_of(text, self._name, request.id))
        if not isinstance(brought.x, str):
            return brought
        named = (self.folder or Path()) / brought.x
        if "\n" not in brought.x and len(brought.x) < 4_096 and named.is_file():
            return Acquired(recording=named)
        if not any(c.isdigit() for c in brought.x) or "/" in brought.x:
            raise NotAcquired(
                f"{self._name} printed {brought.x[:80]!r}, which is neither numbers nor a file."
            )
        return brought

    def _in_its_folder(self, brought: Acquired) -> Acquired:
        """Take a path that it names from where it runs, not from where the loop does."""
        named = brought.recording
        known = dict(named) if isinstance(named, Mapping) else {"path": named}
        path = known.get("path")
        if self.folder is None or not isinstance(path, str) or not path or "://" in path:
            return brought
        return replace(brought, recording={**known, "path": self.folder / path})


def _read(file: IO[bytes], name: str) -> str:
    size = file.seek(0, os.SEEK_END)
    if size > _MOST_BYTES:
        raise NotAcquired(f"{name} printed {size} bytes; have it write a file and print its name.")
    file.seek(0)
    return file.read().decode("utf-8", "replace")


def _how(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"signal {-code}"


def _last_words(file: IO[bytes]) -> str:
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _REASON_BYTES))
    text = " ".join(file.read().decode("utf-8", "replace").split())
    return f": {text}" if text else ""
