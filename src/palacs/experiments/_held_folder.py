"""One run at a time writes into a results folder; a second one is told so before it plays."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold a folder, made if it does not exist, until the end or the death of this process.

    Raises
    ------
    BlockingIOError
        If another run holds it.
    """
    with suppress(FileExistsError):  # a file, which is refused when it is used
        folder.mkdir(parents=True, exist_ok=True)
    try:
        place = os.open(folder, os.O_RDONLY)
    except OSError:
        yield  # one that cannot be read may still be written to
        return
    try:
        try:
            fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BlockingIOError(
                f"another run is writing into {folder}; wait until it has ended, and the same "
                "command goes on from there, or use another folder with --out."
            ) from None
        except OSError:
            pass  # some network drives know no locks
        yield
    finally:
        os.close(place)
