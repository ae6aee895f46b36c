"""Beginning with another campaign's instances: copied as unsolicited ones, with their origin.

Each keeps what was noted about it, and beside it, as the attribute ``origin``, the campaign, the
storage, the id and the time it comes from.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from palacs.campaign._attrs import check_attrs
from palacs.campaign._extraction import Extraction, Recordings, members_of
from palacs.campaign._ledger import Ledger
from palacs.campaign._naming import naming, order_of
from palacs.campaign._operations import new_id
from palacs.campaign._reader import CampaignReader
from palacs.campaign._records import Instance
from palacs.campaign._values import to_bytes
from palacs.storage import Draft, StorageDamaged

if TYPE_CHECKING:
    from palacs.extractors import Extractor

ORIGIN = "origin"
_MOST_STEPS = 20  # that are remembered, and the first of all


def continuation(
    source: CampaignReader,
    extractor: Extractor | None = None,
    wanted: Sequence[str] | None = None,
) -> list[Draft]:
    """Return the instances in a campaign's labelled set as the first ones of another.

    Parameters
    ----------
    source : CampaignReader
    extractor : Extractor or None
        Makes their features anew from their recordings.
    wanted : sequence of str or None
        The names that were declared for the features; else they keep those they had.
    """
    drafts: list[Draft] = []
    vectors = {} if extractor is None else _vectors(source, extractor)
    names = source.feature_names if extractor is None else None
    order = None if names is None else order_of(names, wanted, f"the campaign {source.name!r}")
    for event in source.events():
        if event.kind not in ("told", "added") or event.erased:
            continue
        instance = source.instance(event.entry or "")
        if instance.retracted:
            continue
        kept = {key: event.payload[key] for key in ("recording",) if key in event.payload}
        drafts.append(
            Draft(
                "added",
                new_id("u", len(drafts) + 2),
                instance.label,
                vectors.get(
                    instance.id, to_bytes(instance.x if order is None else instance.x[order])
                ),
                event.cost,
                event.duration,
                payload=kept,
                attrs=_with_origin(source, instance),
            )
        )
    if drafts and names is not None and wanted is None:
        drafts.insert(0, naming(names, before=0))
    return drafts


def _vectors(source: CampaignReader, extractor: Extractor) -> dict[str, bytes]:
    """Return what an extractor makes of a campaign's recordings, by the ids of their instances."""
    ledger = Ledger()
    for event in source.events():
        ledger.apply(event)
    work = Extraction(extractor, Recordings(source.recording))
    work.go_on(members_of(ledger))
    return work.vectors


def _with_origin(source: CampaignReader, instance: Instance) -> dict[str, Any] | None:
    attrs = dict(instance.attrs)
    origin: dict[str, Any] = {
        "campaign": source.name,
        "storage": source.storage.url,
        "id": instance.id,
        "told_at": instance.told_at.isoformat(),
    }
    if ORIGIN in attrs:
        origin["before"] = _earlier(attrs[ORIGIN])
    return check_attrs({**attrs, ORIGIN: origin})


def _earlier(origin: Any) -> list[str]:
    """Return where an instance was before, one text per campaign, the latest first."""
    if not isinstance(origin, Mapping):
        return [json.dumps(origin)]
    before = origin.get("before", [])
    steps = before if isinstance(before, list) else [before]
    texts = [step if isinstance(step, str) else json.dumps(step) for step in steps]
    last = json.dumps({name: value for name, value in origin.items() if name != "before"})
    return [last, *(texts if len(texts) < _MOST_STEPS else [*texts[: _MOST_STEPS - 1], texts[-1]])]


def check_beginning(drafts: Sequence[Draft]) -> None:
    """Refuse first events that do not go together, such as instances of other classes."""
    trial = Ledger()
    try:
        for seq, draft in enumerate(drafts, start=1):
            trial.apply(draft.numbered(seq, 0.0))
        if trial.settings.groups:
            trial.groups(range(len(trial.labelled)))
    except StorageDamaged as error:
        raise ValueError(f"the campaign cannot be continued with these settings: {error}") from None
