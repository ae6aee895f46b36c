"""Snapshots of what a campaign's events add up to: a cache beside the record, never more.

A part is handed out only where its checksum holds and its place in the record does: the chain
it was made at, extended by the events since, must be the record's. It is written only by
somebody who has seen the last event, and not while anybody else writes; an erasure empties it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import sqlalchemy as sa

from palacs.storage import _chain
from palacs.storage._following import Seen, end_of, last_of
from palacs.storage._schema import events, snapshots
from palacs.storage._turn import SnapshotPart, checksum

_HERE = snapshots.c.campaign_id == sa.bindparam("key")
_PART = sa.select(snapshots).where(_HERE, snapshots.c.part == sa.bindparam("of"))
_KEPT = sa.select(snapshots.c.part, snapshots.c.checksum).where(_HERE)
_DROP = sa.delete(snapshots).where(_HERE, snapshots.c.part == sa.bindparam("of"))
_DIGESTS = (
    sa.select(events.c.digest)
    .where(events.c.campaign_id == sa.bindparam("key"), events.c.seq > sa.bindparam("after"))
    .order_by(events.c.seq)
)


def load(
    connection: sa.Connection, key: int, part: str, known: bytes | None
) -> tuple[SnapshotPart, Seen | None] | None:
    """Return a part that there is no doubt about, and how far the chain was followed for it."""
    row = connection.execute(_PART, {"key": key, "of": part}).first()
    if row is None or not isinstance(row.data, bytes):
        return None
    if checksum(row.data) != (row.checksum if known is None else known):
        return None
    if known is None and not _stands(connection, key, row.seq, row.chain):
        return None
    seen = Seen(row.seq, row.chain) if known is None else None
    return SnapshotPart(row.seq, row.format, row.data), seen


def _stands(connection: sa.Connection, key: int, seq: int, chain: bytes) -> bool:
    end = end_of(connection, key)
    if end is None or end.head < seq or last_of(connection, key) != end.head:
        return False
    for digest in connection.execute(_DIGESTS, {"key": key, "after": seq}).scalars():
        chain = _chain.extended(chain, digest)
    return bool(chain == end.chain)


def save(
    connection: sa.Connection,
    key: int,
    end: tuple[int, bytes],
    form: str,
    parts: Mapping[str, bytes],
    keep: Collection[str] | None,
) -> None:
    """Write parts that stand at the end of the record; see `Storage.save_snapshot`."""
    seq, chain = end
    gone = set(parts)
    if keep is not None:
        gone |= set(kept(connection, key)) - set(keep)
    for part in gone:
        connection.execute(_DROP, {"key": key, "of": part})
    for part, data in parts.items():
        row = {"campaign_id": key, "part": part, "seq": seq, "chain": chain, "format": form}
        whole = {**row, "checksum": checksum(data), "data": data}
        connection.execute(sa.insert(snapshots), whole)


def kept(connection: sa.Connection, key: int) -> dict[str, bytes]:
    """Return the checksums of the parts that are there, by name."""
    return {row.part: row.checksum for row in connection.execute(_KEPT, {"key": key})}
