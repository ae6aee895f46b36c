"""Erasing what a campaign holds about somebody who withdraws.

All events of the matching entries lose their numbers, attributes, authors and recordings kept
inside; a tombstone says how many there were and why. What happened when, to which class, and
the chain that proves it, stay.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from palacs.campaign._attrs import attr_text, check_attrs
from palacs.campaign._calls import Call, first_outcome, signed
from palacs.campaign._ledger import Ledger
from palacs.campaign._noted import attrs_of
from palacs.storage import Draft, StorageFull, StorageUnavailable, Transaction


def check_wanted(attrs: Any) -> dict[str, str | None]:
    """Return the attributes that say what to erase, as texts; at least one."""
    wanted = check_attrs(attrs)
    if not wanted:
        raise ValueError("attrs say nothing; name what to look for, such as {'subject': 's07'}.")
    return {key: attr_text(value) for key, value in wanted.items()}


def matching(ledger: Ledger, wanted: Mapping[str, str | None]) -> list[str]:
    """Return the ids of the requests and instances that are noted with all of these."""
    seen: dict[str | None, bool] = {}
    found = []
    for entry in ledger.entries.values():
        if entry.attrs not in seen:
            attrs = attrs_of(entry, ledger.settings)
            seen[entry.attrs] = all(
                key in attrs and attr_text(attrs[key]) == text for key, text in wanted.items()
            )
        if seen[entry.attrs] and not entry.erased:
            found.append(entry.id)
    return found


def alike(ledger: Ledger, wanted: Mapping[str, str | None]) -> dict[str, int]:
    """Return what is noted in another spelling than what is wanted, and how often."""
    looked_for = {(_bare(key), _bare(text)) for key, text in wanted.items()}
    seen: dict[str | None, list[str]] = {}
    found: Counter[str] = Counter()
    for entry in ledger.entries.values():
        if entry.attrs not in seen:
            texts = {k: attr_text(v) for k, v in attrs_of(entry, ledger.settings).items()}
            seen[entry.attrs] = [
                f"{key}={text!r}"
                for key, text in texts.items()
                if (_bare(key), _bare(text)) in looked_for and (key, text) not in wanted.items()
            ]
        if not entry.erased:
            found.update(seen[entry.attrs])
    return dict(found)


def _bare(text: str | None) -> str | None:
    """Return what is left of a name without what people write differently."""
    if text is None:
        return None
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    letters = "".join(c for c in plain if unicodedata.category(c)[0] in "LN")
    return re.sub(r"(?<!\d)0+(?=\d)", "", letters) if letters else text


@contextmanager
def not_cleaned() -> Iterator[None]:
    """Say what is done and what is not where the storage could not be cleaned after an erasure."""
    try:
        yield
    except (StorageFull, StorageUnavailable) as error:
        raise type(error)(
            "the record no longer holds what was erased, but its traces could not be removed from "
            f"the storage: {error} Then erase the same once more, which removes them."
        ) from error


def erase(turn: Transaction, ids: list[str], reason: str, call: Call | None) -> int:
    """Erase entries in a writer's turn; return how many."""
    before = first_outcome(turn, call)
    if before:
        return int(before[0].payload["entries"])
    if not ids:
        return 0
    wanted = set(ids)
    seqs = [event.seq for event in turn.events(0) if event.entry in wanted]
    payload = {"entries": len(ids), "events": len(seqs), "reason": reason}
    [tombstone] = signed([Draft("erased", payload=payload)], call)
    turn.erase(seqs, tombstone)
    return len(ids)
