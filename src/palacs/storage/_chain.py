"""The chain of digests: what shows that a record is still the one that was written.

The digest of an event is ``SHA-256(seal + what stays)``, its seal ``SHA-256(salt + the rest)``,
and a campaign's chain ``SHA-256(chain before + digest)``, from its name and creation time on.
Values are written as Python's ASCII form of a tuple, which no other values share; the vector
follows with its length in front. Erasing an event replaces its salt by its seal: the chain and
what stays can still be verified, and without the salt the numbers cannot be guessed back.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

STAYS = ("seq", "at", "kind", "entry", "label", "op")
"""Columns of an event that are there for good."""

ERASABLE = ("x", "payload", "cost", "duration", "author", "attrs")
"""Columns of an event that can be erased."""

CHAINED = (*STAYS, *ERASABLE, "salt")
"""What a digest is made of, in this order."""

SALT_BYTES, SEAL_BYTES = 16, 32


def new_salt() -> bytes:
    """Return what makes the digest of a short event impossible to guess."""
    return os.urandom(SALT_BYTES)


def digest_of(values: Sequence[Any]) -> bytes:
    """Return the digest of an event.

    Parameters
    ----------
    values : sequence
        Its columns as they are stored, in the order of ``CHAINED``; an erased event's salt is
        as long as a seal and is one.
    """
    seq, at, kind, entry, label, op, *rest, salt = values
    seal = salt if len(salt) == SEAL_BYTES else sealed(rest, salt)
    stays = ascii((seq, at + 0.0, kind, entry, label, op))  # SQLite keeps no negative zero
    return sha256(seal + stays.encode()).digest()


def sealed(rest: Sequence[Any], salt: bytes) -> bytes:
    """Return the seal of an event: the digest of its columns in ``ERASABLE``."""
    x, payload, cost, duration, author, attrs = rest
    cost = None if cost is None else cost + 0.0
    duration = None if duration is None else duration + 0.0
    size = None if x is None else len(x)
    front = ascii((size, payload, cost, duration, author, attrs)).encode()
    return sha256(salt + front + (x or b"")).digest()


def anchor(name: str, created_at: float) -> bytes:
    """Return the chain of a campaign without events."""
    return sha256(ascii((name, created_at + 0.0)).encode()).digest()


def extended(chain: bytes, digest: bytes) -> bytes:
    """Return the chain with one more event."""
    return sha256(chain + digest).digest()
