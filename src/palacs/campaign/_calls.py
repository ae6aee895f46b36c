"""An operation as its caller knows it: by an id, so that repeating it is harmless.

The outcome of a call can be unknown, for example when a connection breaks after the record was
written and before the answer arrived. A caller that gave the call an id repeats it: events with
this id are the first outcome, and nothing is written again. A fingerprint of what was asked for
tells a repetition from an id that is used twice by mistake.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass, replace
from hashlib import sha256
from typing import Any

import numpy as np

from palacs.campaign._author import acting_holder, author, is_confined
from palacs.campaign._campaign_errors import Conflict
from palacs.campaign._values import check_name
from palacs.storage import (
    Draft,
    Event,
    StorageOutcomeUnknown,
    StorageUnavailable,
    Transaction,
)

_FINGERPRINT = "call"  # in the payload of the first event


@dataclass(frozen=True, slots=True)
class Call:
    """One operation that its caller can repeat.

    Attributes
    ----------
    op : str
        The caller's id.
    fingerprint : str
        The same for the same operation with the same arguments.
    """

    op: str
    fingerprint: str


def call_of(op: Any, *content: Any) -> Call | None:
    """Return a call by its id and its content; ``None`` where the caller gave no id."""
    if op is None:
        return None
    checked = check_name(op, "operation id")
    if is_confined():
        # Their ids are their own: the outcome of another's call is not for them.
        content = (*content, acting_holder())
    return Call(checked, sha256(_plain(content).encode("utf-8")).hexdigest()[:16])


def follow_up(what: str, op: str | None) -> str | None:
    """Return the id of a second call that belongs to a call, as different as that one's.

    Examples
    --------
    >>> follow_up("next", "k1"), len(follow_up("next", "k" * 200))
    ('next k1', 69)
    """
    if op is None:
        return None
    whole = f"{what} {op}"
    return whole if len(whole) <= 200 else f"{what} {sha256(op.encode('utf-8')).hexdigest()}"


def first_outcome(turn: Transaction, call: Call | None) -> list[Event]:
    """Return the events that the call wrote already; raise where they are of another one."""
    found = [] if call is None else turn.operation(call.op)
    if not found:
        return []
    if any(event.erased for event in found):
        # What it was about is gone, so that nobody can tell a repetition from something new.
        raise Conflict(
            f"what operation {found[0].op!r} brought was erased since (event {found[0].seq}), so "
            "its outcome cannot be given again; to do something new, give it an id of its own."
        )
    check_same(found[0], call)
    return found


@contextmanager
def kept(op: str | None) -> Iterator[None]:
    """Say that an operation was kept where its answer could not be had any more."""
    try:
        yield
    except StorageUnavailable as error:
        repeat = "look at the history" if op is None else f"repeat it with the same id ({op!r})"
        raise StorageOutcomeUnknown(
            f"the operation was kept, but its outcome could not be read: {error} Do not do it "
            f"anew; {repeat}."
        ) from error


def check_same(first: Event, call: Call | None) -> None:
    """Raise `Conflict` unless an event, the first of its operation, was written by this call."""
    if call is not None and first.payload.get(_FINGERPRINT) == call.fingerprint:
        return
    raise Conflict(
        f"operation {first.op!r} was something else before (event {first.seq}, {first.kind}); "
        "give every operation an id of its own, and the same one only to repeat it."
    )


def signed(drafts: Sequence[Draft], call: Call | None) -> list[Draft]:
    """Return the events to write, with who writes them and the id of the call that does."""
    who = author()
    if call is None or not drafts:
        return [replace(draft, author=who) for draft in drafts]
    first = replace(drafts[0], payload={**drafts[0].payload, _FINGERPRINT: call.fingerprint})
    return [replace(draft, op=call.op, author=who) for draft in (first, *drafts[1:])]


def _plain(value: Any) -> str:
    """Return text that is the same for the same content."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray):
        return value.astype("<f8").tobytes().hex()
    if is_dataclass(value) and not isinstance(value, type):
        return _plain({f.name: getattr(value, f.name) for f in fields(value)})
    if isinstance(value, Mapping):
        return f"{{{','.join(sorted(f'{_plain(k)}:{_plain(v)}' for k, v in value.items()))}}}"
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return f"[{','.join(map(_plain, value))}]"
    return ascii(value)
