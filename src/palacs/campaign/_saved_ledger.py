"""A ledger put away beside the events, so that the next process need not fold them all again.

It is a cache: the storage hands it out only where it fits the record, whatever is doubtful is
not used, and the events are read instead. Three kinds of parts: the ledger itself, the closed
entries, and the feature vectors in blocks that are fetched when somebody looks at them.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator
from dataclasses import fields
from functools import cache, partial
from itertools import pairwise
from typing import Any

import numpy as np

from palacs._version import __version__
from palacs.campaign._entries import Entries, Entry, PackedEntries, from_row, to_row
from palacs.campaign._ledger import Ledger
from palacs.campaign._plain_values import from_plain, to_plain
from palacs.campaign._row_store import Matrix, RowStore, StoredBlock
from palacs.campaign._settings import Settings
from palacs.storage import Storage, StorageUnavailable, checksum

_LEDGER, _ENTRIES, _ROWS = "ledger", "entries", "x"
_APART = ("entries", "labelled", "settings", "totals", "_open", "_conditions", "_to_be")
_PER_TURN = 2**23  # bytes written at a time, so that nobody waits long
_PAGE = 2000


def worth_saving(seq: int, folded: int) -> bool:
    """Say whether so many events had to be folded that the next process should not have to."""
    return folded > max(2000, seq // 20)


@cache
def _form() -> str:
    # A snapshot of another palacs, or of one whose ledger keeps other things, is not used.
    kept = [*sorted(vars(Ledger())), *(field.name for field in fields(Entry))]
    return f"3 {__version__} {zlib.crc32(' '.join(kept).encode()):08x}"


def save_ledger(storage: Storage, key: int, ledger: Ledger) -> bool:
    """Put a ledger away, unless the record has moved on; say whether that was done."""
    if ledger.extracting:
        return False
    blocks, names = [], {_LEDGER, _ENTRIES}
    waiting: dict[str, bytes] = {}
    there = storage.snapshot_parts(key)
    for name, stored, data in _blocks_of(ledger):
        names.add(name)
        blocks.append([*stored.shape, stored.known.hex(), stored.seq])
        if there.get(name) == stored.known:
            continue
        waiting[name] = stored.fetch().tobytes() if data is None else data
        if sum(map(len, waiting.values())) >= _PER_TURN:
            if not storage.save_snapshot(key, ledger.seq, _form(), waiting):
                return False
            waiting = {}
    entries = _packed(ledger.entries.packed())
    waiting[_ENTRIES] = entries
    waiting[_LEDGER] = json.dumps(
        {
            "plain": to_plain({k: v for k, v in vars(ledger).items() if k not in _APART}),
            "settings": ledger.settings.to_payload(),
            "totals": to_plain(vars(ledger.totals)),
            "open": [to_row(entry) for entry in ledger.open_requests()],
            "labelled": to_plain(ledger.labelled.saved()),
            "blocks": blocks,
            "entries": checksum(entries).hex(),
        }
    ).encode()
    return storage.save_snapshot(key, ledger.seq, _form(), waiting, keep=names)


def load_ledger(storage: Storage, key: int) -> Ledger | None:
    """Take a ledger out again; None where none was put away or anything about it is doubtful."""
    part = storage.load_snapshot(key, _LEDGER)
    if part is None or part.format != _form():
        return None
    try:
        saved = json.loads(part.data)
        packed = storage.load_snapshot(key, _ENTRIES, bytes.fromhex(saved["entries"]))
        if packed is None:
            return None
        ledger = _restored(saved, _unpacked(packed.data), _stored_blocks(storage, key, saved))
    except (KeyError, TypeError, ValueError, struct.error, zlib.error):
        return None
    return ledger if ledger.seq == part.seq else None


def _restored(saved: dict[str, Any], packed: PackedEntries, store: RowStore) -> Ledger:
    ledger = Ledger.begin(Settings.from_payload(saved["settings"]))
    vars(ledger).update(from_plain(saved["plain"]))
    vars(ledger.totals).update(from_plain(saved["totals"]))
    ledger.entries = Entries(packed)
    ledger.labelled.restore(store, from_plain(saved["labelled"]))
    for row in saved["open"]:
        ledger.reopen(from_row(row))
    return ledger


# -- entries ---------------------------------------------------------------------------


def _packed(entries: PackedEntries) -> bytes:
    sizes = [len(block) for block in entries.blocks]
    head = struct.pack(f"<QQ{len(sizes)}Q", len(entries), len(sizes), *sizes)
    index = entries.hashes.astype("<u8").tobytes() + entries.numbers.astype("<i8").tobytes()
    return b"".join([head, index, *entries.blocks])


def _unpacked(data: bytes) -> PackedEntries:
    n, n_blocks = struct.unpack_from("<QQ", data)
    sizes = struct.unpack_from(f"<{n_blocks}Q", data, 16)
    at = 16 + 8 * n_blocks
    hashes = np.frombuffer(data, "<u8", n, at).astype(np.uint64)
    numbers = np.frombuffer(data, "<i8", n, at + 8 * n).astype(np.int64)
    ends = np.cumsum([at + 16 * n, *sizes]).tolist()
    blocks = [data[start:end] for start, end in pairwise(ends)]
    return PackedEntries(n, blocks, hashes, numbers)


# -- feature vectors -------------------------------------------------------------------


def _blocks_of(ledger: Ledger) -> Iterator[tuple[str, StoredBlock, bytes | None]]:
    """Yield the name of each block, what to know about it, and its bytes where they are here."""
    for first, block in ledger.labelled.store.blocks():
        if isinstance(block, StoredBlock):
            yield f"{_ROWS}{first}", block, None
            continue
        data = block.astype("<f8").tobytes()
        seq = ledger.event_of_row(first)
        shape = (block.shape[0], block.shape[1])
        yield f"{_ROWS}{first}", StoredBlock(shape, checksum(data), seq, block.copy), data


def _stored_blocks(storage: Storage, key: int, saved: dict[str, Any]) -> RowStore:
    blocks, first = [], 0
    for rows, width, known, seq in saved["blocks"]:
        shape, known = (int(rows), int(width)), bytes.fromhex(known)
        fetch = partial(_fetch, storage, key, f"{_ROWS}{first}", known, (seq, shape))
        blocks.append(StoredBlock(shape, known, seq, fetch))
        first += shape[0]
    return RowStore(blocks)


def _fetch(
    storage: Storage, key: int, name: str, known: bytes, place: tuple[int, tuple[int, int]]
) -> Matrix:
    seq, shape = place
    part = storage.load_snapshot(key, name, known)
    data = _from_events(storage, key, seq, shape) if part is None else part.data
    if checksum(data) != known:
        raise StorageUnavailable(
            f"what {storage.url} holds changed while this process was reading it; load the "
            "campaign again."
        )
    return np.frombuffer(data, dtype="<f8").reshape(shape).astype(np.float64, copy=False)


def _from_events(storage: Storage, key: int, seq: int, shape: tuple[int, int]) -> bytes:
    found: list[bytes] = []
    while page := storage.events(key, seq - 1, limit=_PAGE):
        found += [event.x for event in page if event.x is not None]
        seq = page[-1].seq + 1
        if len(found) >= shape[0]:
            break
    return b"".join(found[: shape[0]])
