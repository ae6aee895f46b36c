"""A call whose outcome is unknown is repeated with its id, and nothing happens twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from palacs.campaign import (
    BudgetExhausted,
    Campaign,
    Conflict,
    Request,
    create_campaign,
    import_campaign,
    load_campaign,
)
from palacs.storage import CampaignExists, MemoryStorage, open_storage


@pytest.fixture
def campaign(any_url: str) -> Iterator[Campaign]:
    storage = open_storage(any_url, create=True)
    campaign = create_campaign("c", ["a", "b"], strategy="uniform", storage=storage, budget=3)
    campaign.add([0.0, 0.0], "a", id="mine")
    yield campaign
    storage.close()


CALLS: dict[str, Callable[[Campaign, Request, str], Any]] = {
    "ask": lambda c, _, op: c.ask(op=op).id,
    "ask_many": lambda c, _, op: [request.id for request in c.ask_many(2, op=op)],
    "tell": lambda c, r, op: c.tell(r, [1.0, 2.0], op=op).id,
    "tell_many": lambda c, r, op: [i.id for i in c.tell_many([(r, [1.0, 2.0])], op=op)],
    "add": lambda c, _, op: c.add([1.0, 2.0], "b", op=op).id,
    "fail": lambda c, r, op: c.fail(r, "gone", op=op),
    "performed": lambda c, r, op: c.performed(r, op=op),
    "retract": lambda c, _, op: c.retract("mine", "noise", op=op),
    "undo": lambda c, _, op: getattr(c.undo("oops", op=op), "id", None),
    "pause": lambda c, _, op: c.pause("a", op=op),
    "resume": lambda c, _, op: c.resume("b", op=op),
    "add_class": lambda c, _, op: c.add_class("c", op=op),
}


@pytest.mark.parametrize("name", CALLS)
def test_repeating_a_call_gives_its_first_outcome_and_writes_nothing(
    campaign: Campaign, name: str
) -> None:
    request = campaign.ask()
    campaign.pause("b")
    before = len(campaign.events())
    first = CALLS[name](campaign, request, "op-1")
    assert {event.op for event in campaign.events(before)} == {"op-1"}
    if name == "pause":
        campaign.resume("a")  # repeating is not doing it again
    if name == "undo":
        campaign.add([3.0, 4.0], "b")
    after = campaign.events()
    assert CALLS[name](campaign, request, "op-1") == first
    again = load_campaign("c", storage=campaign.storage)
    assert CALLS[name](again, request, "op-1") == first
    assert campaign.events() == after


def test_an_ask_that_used_up_the_budget_can_be_repeated(campaign: Campaign) -> None:
    first = campaign.ask_many(5, op="all of it")
    assert len(first) == 3
    with pytest.raises(BudgetExhausted):
        campaign.ask()
    assert campaign.ask_many(5, op="all of it") == first


def test_the_same_id_for_something_else_is_a_conflict(campaign: Campaign) -> None:
    campaign.add([1.0, 2.0], "b", op="mine")
    before = campaign.events()
    for other in (
        lambda: campaign.add([1.0, 2.5], "b", op="mine"),
        lambda: campaign.add([1.0, 2.0], "a", op="mine"),
        lambda: campaign.add([1.0, 2.0], "b", op="mine", cost=1.0),
        lambda: campaign.ask(op="mine"),
        lambda: campaign.pause("a", op="mine"),
        lambda: campaign.add_class("c", op="mine"),
    ):
        with pytest.raises(Conflict, match=r"'mine' was something else before .*added"):
            other()
    assert campaign.events() == before


@pytest.mark.parametrize("bad", ["", "a\nb", "x" * 201, 5, "half \ud800"])
def test_an_id_that_cannot_be_kept_is_refused(campaign: Campaign, bad: Any) -> None:
    before = campaign.events()
    with pytest.raises(ValueError, match="operation id"):
        campaign.ask(op=bad)
    assert campaign.events() == before


def test_repeating_works_after_an_export_and_import(campaign: Campaign, tmp_path: Path) -> None:
    request = campaign.ask(op="first")
    for suffix in ("csv", "json", "parquet"):
        path = campaign.export(tmp_path / f"out.{suffix}")
        back = import_campaign(path, storage="memory")
        assert back.ask(op="first") == request


def test_creating_again_with_the_same_id_returns_the_campaign() -> None:
    storage = MemoryStorage()
    made = create_campaign("c", ["a", "b"], storage=storage, op="make")
    made.add([1.0], "a")
    again = create_campaign("c", ["a", "b"], storage=storage, op="make")
    assert again.events() == made.events()
    with pytest.raises(CampaignExists):
        create_campaign("c", ["a", "b"], storage=storage)
    with pytest.raises(CampaignExists):
        create_campaign("c", ["a", "b"], storage=storage, op="other")
    with pytest.raises(Conflict, match="'make' was something else"):
        create_campaign("c", ["a", "b", "c"], storage=storage, op="make")


def test_eight_processes_that_repeat_one_call_write_it_once(url: str, in_processes: Any) -> None:
    create_campaign("c", ["a", "b"], strategy="uniform", storage=url, budget=1).close()

    def ask(url: str) -> str:
        from palacs.campaign import load_campaign

        with load_campaign("c", storage=url) as campaign:
            return campaign.ask(op="once").id

    assert len(set(in_processes(ask, [(url,)] * 8))) == 1
    with load_campaign("c", storage=url) as campaign:
        assert [event.kind for event in campaign.events()] == ["created", "asked"]
