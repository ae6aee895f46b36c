"""The chain of digests: what shows that a record is still the one that was written.

The digest of an event is ``SHA-256(seal + what stays)``, its seal ``SHA-256(salt + the rest)``,
and a campaign's chain ``SHA-256(chain before + digest)``, from its name and creation time on.
Erasing an event replaces its salt by its seal: the chain and what stays can still be verified,
and without the salt the numbers cannot be guessed back.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from hashlib import sha256
from struct import Struct
from typing import Any

STAYS = ("seq", "at", "kind", "entry", "label", "op")
"""Columns of an event that are there for good."""

ERASABLE = ("x", "payload", "cost", "duration", "author", "attrs")
"""Columns of an event that can be erased."""

SALT_BYTES, SEAL_BYTES = 16, 32

_pack_length = Struct("<Q").pack
_pack_integer = Struct("<q").pack
_pack_double = Struct("<d").pack


def new_salt() -> bytes:
    """Return what makes the digest of a short event impossible to guess."""
    return os.urandom(SALT_BYTES)


def sealed(salt: bytes, row: Mapping[str, Any]) -> bytes:
    """Return the seal of an event: the digest of its erasable columns as they are stored."""
    return sha256(salt + _encoded(row, ERASABLE)).digest()


def digest_of(row: Mapping[str, Any]) -> bytes:
    """Return the digest of an event, from its columns as they are stored.

    Parameters
    ----------
    row : mapping
        With ``salt``; an erased event's is as long as a seal and is one.
    """
    salt: bytes = row["salt"]
    seal = salt if len(salt) == SEAL_BYTES else sealed(salt, row)
    return sha256(seal + _encoded(row, STAYS)).digest()


def anchor(name: str, created_at: float) -> bytes:
    """Return the chain of a campaign without events."""
    return sha256(_encoded({"name": name, "at": created_at}, ("name", "at"))).digest()


def extended(chain: bytes, digest: bytes) -> bytes:
    """Return the chain with one more event."""
    return sha256(chain + digest).digest()


def _encoded(row: Mapping[str, Any], names: tuple[str, ...]) -> bytes:
    """Return bytes that no other values have: each with its length in front."""
    parts = []
    for name in names:
        value = row[name]
        if value is None:
            parts.append(b"-")
            continue
        if name == "seq":
            raw = _pack_integer(value)
        elif isinstance(value, float | int):
            raw = _pack_double(value + 0.0)  # SQLite keeps no negative zero
        else:
            raw = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
        parts += [b"+", _pack_length(len(raw)), raw]
    return b"".join(parts)
