"""An event is a draft with a number, and nothing of it is listed twice."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.dialects import sqlite

from palacs.campaign import create_campaign
from palacs.storage import (
    EVENT_FIELDS,
    EVENT_KINDS,
    ONCE,
    Draft,
    Event,
    MemoryStorage,
    StorageDamaged,
    open_storage,
)
from palacs.storage._rows import BY_OPERATION
from palacs.storage._schema import events

times = st.floats(0, 4e9)
drafts = st.builds(
    Draft,
    kind=st.sampled_from(EVENT_KINDS),
    entry=st.none() | st.text(),
    label=st.none() | st.text() | st.integers(),
    x=st.none() | st.binary(),
    cost=st.none() | st.floats(0, 1e9),
    duration=st.none() | st.floats(0, 1e9),
    payload=st.dictionaries(st.text(), st.integers()),
    at=st.none() | times,
    op=st.none() | st.text(),
    author=st.none() | st.dictionaries(st.text(), st.text()),
    attrs=st.none() | st.dictionaries(st.text(), st.integers()),
)


@given(drafts, st.integers(1, 10**9), times)
def test_a_numbered_draft_keeps_what_it_says_and_its_own_time(
    draft: Draft, seq: int, now: float
) -> None:
    event = draft.numbered(seq, now)
    assert (event.seq, event.at) == (seq, now if draft.at is None else draft.at)
    for field in fields(Draft):
        if field.name != "at":
            assert getattr(event, field.name) == getattr(draft, field.name)
    assert Event(**event.as_dict()) == event


@given(drafts, times)
def test_an_event_that_is_written_again_keeps_its_time_and_gets_a_new_number(
    draft: Draft, now: float
) -> None:
    event = draft.numbered(5, now)
    assert event.numbered(1, now=-1.0).at == event.at
    assert event.numbered(1, now=-1.0).seq == 1


def test_the_table_has_a_column_for_every_field_and_the_campaign() -> None:
    assert {column.name for column in events.columns} == {
        "campaign_id",
        "salt",
        "digest",
        *EVENT_FIELDS,
    }


def test_the_fields_are_exported_in_the_order_they_always_had(tmp_path: Path) -> None:
    campaign = create_campaign("c", ["a", "b"], storage="memory")
    campaign.add([0.0], "a")
    content = json.loads(campaign.export(tmp_path / "out.json").read_text())
    # "label" stands before "cost", and the vector comes last: files in use look like this.
    order = ["seq", "at", "kind", "entry", "label", "cost", "duration", "payload"]
    order += ["op", "author", "attrs", "x"]
    assert [list(row) for row in content["events"]] == [order] * 2


def test_what_happens_once_are_kinds_of_events() -> None:
    assert {kind for kinds in ONCE for kind in kinds} <= set(EVENT_KINDS)


@pytest.mark.parametrize("kind", ["forgotten", "_fold", "Asked", ""])
def test_a_kind_only_a_newer_palacs_knows_is_stored_but_not_guessed_at(kind: str) -> None:
    storage = MemoryStorage()
    campaign = create_campaign("c", ["a", "b"], storage=storage)
    key = storage.find("c").key
    with storage.write(key) as turn:
        turn.append([Draft(kind)])  # type: ignore[arg-type]
    assert storage.events(key)[-1].kind == kind
    with pytest.raises(StorageDamaged, match=f"of kind '{kind}' is not known to this palacs"):
        campaign.status()


def test_what_an_operation_wrote_is_found_by_its_index(tmp_path: Path) -> None:
    open_storage(f"sqlite:///{tmp_path}/lab.db", create=True).close()
    with sqlite3.connect(tmp_path / "lab.db") as db:
        query = str(BY_OPERATION.compile(dialect=sqlite.dialect()))
        plan = db.execute(f"EXPLAIN QUERY PLAN {query}", (1, "an id")).fetchall()
    assert "palacs_operations" in str(plan), "a long record is not gone through"
