"""Which runs live: each holds a lock on a file of its own, which ends with its process.

A run that was killed leaves requests open. The next one on the same machine finds that nobody
holds the lock any more and fails them. Of a run whose file is not here, on another machine or of
another user, nothing is known: its requests are left alone, and their leases end.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

_RUN = re.compile("run-[0-9a-f]{12}")


def _folder() -> Path:
    home = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    try:
        return Path(home).expanduser() / "palacs" / "runs"
    except RuntimeError:  # nobody's home, as in some containers
        return Path(tempfile.gettempdir()) / f"palacs-{os.getuid()}" / "runs"


def is_run(holder: str) -> bool:
    """Say whether whoever holds a request is a run.

    Examples
    --------
    >>> is_run("run-0123456789ab"), is_run("Anna's phone")
    (True, False)
    """
    return _RUN.fullmatch(holder) is not None


@dataclass
class Mark:
    """A run that lives.

    Attributes
    ----------
    run : str
        Its id.
    left : bool
        Whether it has to leave open requests to the next one.
    """

    run: str
    left: bool = False


@contextmanager
def living() -> Iterator[Mark]:
    """Yield a new run, which lives until the end or the death of this process."""
    mark = Mark(f"run-{secrets.token_hex(6)}")
    path, held = _folder() / mark.run, None
    # Without a place for the mark its requests wait for their leases, should it be killed.
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        held = os.open(path, os.O_CREAT | os.O_RDWR | os.O_EXCL, 0o600)
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    try:
        yield mark
    finally:
        if held is not None:
            if not mark.left:
                path.unlink(missing_ok=True)
            os.close(held)


@contextmanager
def died(run: str) -> Iterator[bool]:
    """Yield whether a run is known to have died; meanwhile nobody else is told so."""
    path = _folder() / run
    try:
        held = os.open(path, os.O_RDWR)
    except OSError:
        yield False
        return
    try:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
            return
        yield True
        path.unlink(missing_ok=True)
    finally:
        os.close(held)
