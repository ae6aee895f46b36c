"""The write-ahead log beside a SQLite file, looked at before SQLite does.

SQLite takes the first frame whose checksum fails for the end of its log, which is right for a
write that was cut off, but after a damaged frame it silently forgets what was committed behind
it. A frame's checksum goes on from that of the frame before, so a frame that goes on from a
commit shows that this commit had been complete. The checksum is linear, so one wrong bit can
be found. The file is only read, also while others write to it.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from palacs.storage._sqlite_handle import beside
from palacs.storage._storage_errors import StorageDamaged, StorageUnavailable

_Words = npt.NDArray[np.uint32]

_HEADER, _FRAME = 32, 24  # bytes in front of all frames, and of each page
_MAGIC, _WORD = 0x377F0682, 0xFFFFFFFF
_SAYS_COMMIT = 1  # the word of a frame that is zero but in a commit
_PAGE_SIZES = tuple(2**power for power in range(9, 17))
_BYTES_AT_ONCE = 2**22
_LOOKS = 100


@dataclass(frozen=True, slots=True)
class LogDamage:
    """Which frame of a log is damaged (0 is what stands in front of all), and what it hides."""

    frame: int
    commits: int


class _Header(NamedTuple):
    page: int
    order: str  # of the bytes of a word, as the checksum takes them
    salts: tuple[int, int]
    checksum: tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Frames:
    """What the frames of a log say; each array has one row per frame."""

    salts: _Words
    commits: npt.NDArray[np.bool_]
    stored: _Words  # the checksum as written
    follows: npt.NDArray[np.bool_]  # whether it goes on from the checksum in front of it


def require_sound_log(file: Path, address: str) -> None:
    """Raise where SQLite would silently forget what was committed to a file's log."""
    log = beside(file, "-wal")
    try:
        damage = damage_of(log)
    except OSError as error:
        raise StorageUnavailable(
            f"{str(log)!r}, the log of {file.name!r}, cannot be read ({error.strerror}); check its "
            "permissions and the disk."
        ) from error
    if damage is None:
        return
    place = f"at its frame {damage.frame}" if damage.frame else "in front of all frames"
    raise StorageDamaged(
        f"{str(log)!r} is damaged {place}, and SQLite would forget what was written after "
        f"that ({damage.commits} transactions) without a word; nothing was changed. Stop all "
        "programs that use the file, then restore a backup, or go on without what is lost: "
        f"palacs storage check --give-up-log --storage {address}"
    )


def set_aside(file: Path) -> Path | None:
    """Keep a copy of a file's log beside it and return where; None where the log is sound."""
    log = beside(file, "-wal")
    if damage_of(log) is None:
        return None
    kept = log.with_name(f"{log.name}.damaged-{secrets.token_hex(4)}")
    with log.open("rb") as source, kept.open("xb") as target:
        shutil.copyfileobj(source, target)
        target.flush()
        os.fsync(target.fileno())
    return kept


def damage_of(log: Path) -> LogDamage | None:
    """Return what is wrong with a log, or None where SQLite will find all that was committed.

    Parameters
    ----------
    log : Path
        The ``-wal`` file; it need not be there.
    """
    before: tuple[bytes, LogDamage] | None = None
    for _ in range(_LOOKS):
        try:
            found = _look(log)
        except FileNotFoundError:
            return None
        if found is None:
            continue  # begun anew while it was read
        header, damage = found
        if damage is None:
            return None
        # A frame that somebody was just writing is whole at the next look.
        if before is not None and before == (header, damage):
            return damage
        before = header, damage
    return None  # somebody is busy writing to it, and SQLite does not read it anew


def _look(log: Path) -> tuple[bytes, LogDamage | None] | None:
    """Read the log once; None where it was begun anew meanwhile."""
    # Closing this file gives up none of SQLite's locks, which are on the two others.
    with log.open("rb", buffering=0) as file:
        raw = file.read(_HEADER)
        if len(raw) < _HEADER:
            return raw, None
        header = _header(raw)
        damage = _behind(file, header) if header is not None else _behind_no_header(file, raw)
        file.seek(0)
        return (raw, damage) if file.read(_HEADER) == raw else None


# -- what stands in front ------------------------------------------------------------------


def _header(raw: bytes) -> _Header | None:
    """Return what stands in front of the frames, or None where SQLite would not take it."""
    magic, _, page, _, *rest = np.frombuffer(raw, ">u4").tolist()
    if magic & ~1 != _MAGIC or page not in _PAGE_SIZES:
        return None
    order = "<>"[magic & 1]
    words = np.frombuffer(raw[:24], f"{order}u4").astype(np.uint32)
    if (_weights(24) @ words).tolist() != rest[2:]:
        return None
    return _Header(page, order, (rest[0], rest[1]), (rest[2], rest[3]))


def _behind_no_header(file: Any, raw: bytes) -> LogDamage | None:
    """Look for commits behind a header that SQLite does not take: it would drop all of them."""
    for place in range(8 * _HEADER):
        flipped = bytearray(raw)
        flipped[place // 8] ^= 1 << place % 8
        repaired = _header(bytes(flipped))
        if repaired is not None:
            frames = _read(file, repaired)
            if n := _commits(frames, _run(frames, repaired, 0)):
                return LogDamage(0, n)
    for page in dict.fromkeys((int.from_bytes(raw[8:12], "big"), 4096)):
        for order in "<>" if page in _PAGE_SIZES else "":
            frames = _read(file, _Header(page, order, (0, 0), (0, 0)))
            if n := int(_continued(frames).sum()):
                return LogDamage(0, n)
    return None


# -- frames ----------------------------------------------------------------------------------


def _behind(file: Any, header: _Header) -> LogDamage | None:
    frames = _read(file, header)
    end = _run(frames, header, 0)
    if end == len(frames.commits):
        return None
    here = (frames.salts[end:] == header.salts).all(axis=1)
    continued = np.flatnonzero(_continued(frames)[end:] & here)
    if len(continued):
        return LogDamage(end + 1, _commits(frames, int(end + continued[-1] + 2), start=end))
    n = _commits_behind_a_flip(file, header, frames, end)
    return LogDamage(end + 1, n) if n else None


def _run(frames: _Frames, header: _Header, start: int) -> int:
    """Return where the frames that SQLite takes end, from `start` on."""
    taken = frames.follows[start:] & (frames.salts[start:] == header.salts).all(axis=1)
    bad = np.flatnonzero(~taken)
    return start + (int(bad[0]) if len(bad) else len(taken))


def _commits(frames: _Frames, stop: int, start: int = 0) -> int:
    return int(frames.commits[start:stop].sum())


def _continued(frames: _Frames) -> npt.NDArray[np.bool_]:
    """Say of each frame whether it is a commit that the next one goes on from."""
    found = np.zeros(len(frames.commits), dtype=bool)
    same = (frames.salts[1:] == frames.salts[:-1]).all(axis=1)
    found[:-1] = frames.commits[:-1] & frames.follows[1:] & same
    return found


def _read(file: Any, header: _Header) -> _Frames:
    """Read all frames, some megabytes at a time."""
    size, weights = _FRAME + header.page, _weights(8 + header.page)
    n = (os.fstat(file.fileno()).st_size - _HEADER) // size
    heads = np.zeros((max(n, 0), 6), dtype=np.uint32)
    sums = np.zeros((len(heads), 2), dtype=np.uint32)
    file.seek(_HEADER)
    done, at_once = 0, max(1, _BYTES_AT_ONCE // size)
    while done < n:
        raw = file.read(min(at_once, n - done) * size)
        got = np.frombuffer(raw[: len(raw) // size * size], np.uint8).reshape(-1, size)
        if not len(got):
            break  # cut off meanwhile
        there = slice(done, done + len(got))
        heads[there] = np.ascontiguousarray(got[:, :_FRAME]).view(">u4")
        words = got.view(f"{header.order}u4").astype(np.uint32, copy=False)
        sums[there] = _summed(words[:, :2], weights[:, :2]) + _summed(words[:, 6:], weights[:, 2:])
        done += len(got)
    heads, sums = heads[:done], sums[:done]
    stored = heads[:, 4:]
    before = np.vstack([np.array([header.checksum], dtype=np.uint32), stored[:-1]])[:done]
    expected = sums + before @ _carry(8 + header.page).T
    follows = (expected == stored).all(axis=1) & (heads[:, 0] != 0)
    return _Frames(heads[:, 2:4], heads[:, 1] != 0, stored, follows)


# -- one wrong bit ---------------------------------------------------------------------------


def _commits_behind_a_flip(file: Any, header: _Header, frames: _Frames, at: int) -> int:
    """Return how many commits SQLite would find if one bit of frame `at` were the other way."""
    if frames.follows[at]:
        if _bits_apart(frames.salts[at].tolist(), header.salts) != 1:
            return 0
        return _commits_from(header, frames, at)
    stored = frames.stored[at]
    before = header.checksum if at == 0 else frames.stored[at - 1].tolist()
    words = _words(file, header, at)
    expected = _checksum(words, before)
    found = 0
    place = _flipped_word(words, stored - np.array(expected, dtype=np.uint32))
    if place is not None:
        # The word that says whether it is a commit may be the wrong one.
        found = max(_commits_from(header, frames, at), int(place == _SAYS_COMMIT))
    # The last words of a page change the checksum as a wrong bit of its own does.
    if _bits_apart(expected, stored.tolist()) == 1:
        follows = frames.follows.copy()
        if at + 1 < len(follows):
            # The next frame goes on from the right one.
            after = _checksum(_words(file, header, at + 1), expected)
            follows[at + 1] = after == frames.stored[at + 1].tolist()
        found = max(found, _commits_from(header, replace(frames, follows=follows), at))
    return found


def _commits_from(header: _Header, frames: _Frames, at: int) -> int:
    """Return how many commits SQLite finds from a frame on that it takes."""
    return _commits(frames, _run(frames, header, at + 1), start=at)


def _words(file: Any, header: _Header, at: int) -> _Words:
    """Return what the checksum of a frame is made of."""
    file.seek(_HEADER + at * (_FRAME + header.page))
    raw = file.read(_FRAME + header.page)
    return np.frombuffer(raw[:8] + raw[_FRAME:], f"{header.order}u4").astype(np.uint32)


def _checksum(words: _Words, before: Sequence[int]) -> list[int]:
    start = _carry(4 * len(words)) @ np.array(before, dtype=np.uint32)
    found: list[int] = (_weights(4 * len(words)) @ words + start).tolist()
    return found


def _bits_apart(these: Sequence[int], those: Sequence[int]) -> int:
    return sum((a ^ b).bit_count() for a, b in zip(these, those, strict=True))


def _flipped_word(words: _Words, difference: _Words) -> int | None:
    """Return which word has one wrong bit that explains a wrong checksum, or None."""
    bits = np.uint32(1) << np.arange(32, dtype=np.uint32)
    # Setting a bit adds its value, clearing it takes that away.
    change = np.where(words[:, None] & bits, np.uint32(0) - bits, bits)
    first, second = _weights(4 * len(words))
    fits = (change * first[:, None] == difference[0]) & (change * second[:, None] == difference[1])
    found = np.flatnonzero(fits.any(axis=1))
    return int(found[0]) if len(found) else None


# -- the checksum: s1 += x0 + s2; s2 += x1 + s1, for each pair of words -----------------------


def _summed(words: _Words, weights: _Words) -> _Words:
    # Several times as fast as a product of matrices, which has no fast way for integers.
    found: _Words = np.einsum("ij,kj->ik", words, weights)
    return found


@lru_cache(maxsize=8)
def _weights(size: int) -> _Words:
    """Return what each word of `size` bytes adds to the two sums, shape (2, words)."""
    a, b, c, d = 1, 0, 0, 1  # what the sums after a pair come to at the end
    weights = []
    for _ in range(size // 8):
        weights += [(b, d), (a + b & _WORD, c + d & _WORD)]
        a, b, c, d = (n & _WORD for n in (a + b, a + 2 * b, c + d, c + 2 * d))
    return np.array(weights[::-1], dtype=np.uint32).T.copy()


@lru_cache(maxsize=8)
def _carry(size: int) -> _Words:
    """Return what the two sums become over `size` bytes of zeros, shape (2, 2)."""
    a, b, c, d = 1, 0, 0, 1
    for _ in range(size // 8):
        a, b, c, d = (n & _WORD for n in (a + b, a + 2 * b, c + d, c + 2 * d))
    return np.array([[a, b], [c, d]], dtype=np.uint32)
