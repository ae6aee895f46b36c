"""What changing a campaign's course writes, as a function of the ledger.

Budget, lease, conditions, strategy and names of classes, a request's lease, and whether
anything new begins at all: each is an event with its reason, and what came before it keeps the
meaning it had.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from palacs.campaign import _operations, _values
from palacs.campaign._campaign_errors import Conflict, DoesNotFit
from palacs.campaign._ledger import Ledger
from palacs.campaign._settings import Settings
from palacs.storage import Draft


def check_why(reason: Any) -> str:
    """Return the reason for a change of course, which has to be given."""
    why = _values.check_reason(reason)
    if not why.strip():
        raise ValueError("a change of course needs a reason; say why, for those who read it later.")
    return why


def change(ledger: Ledger, new: Mapping[str, Any], reason: str) -> list[Draft]:
    """Change settings; what is so already is left out."""
    _operations.require_open(ledger, "its settings stay")
    before = ledger.settings.to_payload()
    different = {key: value for key, value in new.items() if before.get(key) != value}
    return [Draft("changed", payload={**different, "reason": reason})] if different else []


def after(ledger: Ledger, drafts: Sequence[Draft]) -> Settings:
    """Return the settings that events would leave in force, with all classes there would be."""
    trial = Ledger.begin(replace(ledger.settings, classes=tuple(ledger.classes)))
    trial.seq = ledger.seq
    for draft in drafts:
        trial.apply(draft.numbered(trial.seq + 1, 0.0))
    return trial.settings


def rename_class(ledger: Ledger, old: Any, new: Any, reason: str) -> list[Draft]:
    """Give a class another name; its requests and instances stay its own."""
    _operations.require_open(ledger, "its classes keep their names")
    old, wanted = _values.check_label(old), _values.check_label(new)
    if old not in ledger.classes and ledger.renamed.get(old) == wanted:
        return []
    known = ledger.classes[ledger.code(old)]
    if wanted == known:
        return []
    if wanted in ledger.classes:
        raise Conflict(f"class {wanted!r} is already in this campaign; choose another name.")
    if type(wanted) is not type(known):
        raise DoesNotFit(f"class {wanted!r} must be {type(known).__name__} like the others.")
    payload: dict[str, Any] = {"to": wanted, "reason": reason}
    if ledger.conditions is not None:
        names = {label: wanted if label == known else label for label in ledger.classes}
        payload["conditions"] = ledger.conditions.relabelled(names).to_dict()
    return [Draft("class_renamed", label=known, payload=payload)]


def renew(ledger: Ledger, id_: str, reason: str) -> list[Draft]:
    """Let the lease of an open request start anew."""
    entry = _operations.find_kept(ledger, id_)
    if entry.asked is None:
        raise Conflict(f"{id_!r} is an unsolicited instance, not a request.")
    for over, what in ((entry.told_at, "told"), (entry.failed_at, "reported as failed")):
        if over is not None:
            raise Conflict(f"request {id_!r} was already {what}; there is nothing to wait for.")
    payload = {"lease": ledger.settings.lease, "reason": reason}
    return [Draft("renewed", id_, entry.asked, payload=payload)]


def close(ledger: Ledger, reason: str, *, archived: bool = False) -> list[Draft]:
    """Let nothing new begin; archived, it also leaves the list of campaigns."""
    if ledger.phase == "archived" or (ledger.phase == "closed" and not archived):
        return []
    return [Draft("closed", payload={"archived": archived, "reason": reason})]


def reopen(ledger: Ledger, reason: str) -> list[Draft]:
    """Let new requests begin again."""
    return [] if ledger.phase == "open" else [Draft("reopened", payload={"reason": reason})]
