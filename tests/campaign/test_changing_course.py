"""Changing course in the middle: what was asked keeps its meaning, what comes next has the new."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from palacs import Conditions
from palacs.campaign import (
    BudgetExhausted,
    Campaign,
    CampaignClosed,
    Conflict,
    NothingToAsk,
    UnknownClass,
    create_campaign,
    import_campaign,
    load_campaign,
)
from palacs.storage import MemoryStorage


@pytest.fixture
def clock() -> list[float]:
    return [1_800_000_000.0]


@pytest.fixture
def campaign(clock: list[float]) -> Campaign:
    storage = MemoryStorage(clock=lambda: clock[0])
    return create_campaign(
        "lab", classes=["rest", "left", "feet"], storage=storage, budget=6, lease=60, seed=3
    )


def again(campaign: Campaign) -> Campaign:
    """Return what another process would see."""
    return load_campaign(campaign.name, storage=campaign.storage)


def tell_some(campaign: Campaign, n: int) -> None:
    for i in range(n):
        request = campaign.ask()
        campaign.tell(request, [len(str(request.label)) + 0.1 * i, float(i)])


# -- settings --------------------------------------------------------------------------


def test_a_larger_budget_lets_a_campaign_go_on(campaign: Campaign) -> None:
    tell_some(campaign, 6)
    with pytest.raises(BudgetExhausted):
        campaign.ask()
    campaign.change(budget=8, reason="two more participants")
    assert again(campaign).status().remaining == 2
    assert campaign.status().budget == 8
    tell_some(campaign, 2)
    with pytest.raises(BudgetExhausted, match="budget of 8"):
        campaign.ask()
    assert campaign.replay().ok


def test_a_budget_below_what_is_in_ends_the_asking(campaign: Campaign) -> None:
    tell_some(campaign, 4)
    campaign.change(budget=3, reason="the amplifier is needed elsewhere")
    assert campaign.status().remaining == 0
    campaign.change(budget=None, reason="it came back")
    assert campaign.status().remaining is None
    campaign.ask()


def test_a_lease_holds_for_requests_made_later(campaign: Campaign, clock: list[float]) -> None:
    before = campaign.ask()
    campaign.change(lease=timedelta(hours=2), reason="participants come back after lunch")
    after = again(campaign).ask()
    assert before.expires_at is not None
    assert after.expires_at is not None
    assert after.expires_at - before.expires_at == timedelta(hours=2) - timedelta(minutes=1)
    clock[0] += 61
    assert [request.id for request in campaign.pending()] == [after.id]


def test_each_request_is_checked_with_the_settings_then_in_force(campaign: Campaign) -> None:
    tell_some(campaign, 3)
    campaign.change(
        strategy="uniform",
        conditions=Conditions(costs={"rest": 1, "left": 5}, max_repeat=1),
        budget=20,
        budget_cost=100,
        reason="as agreed on Tuesday",
    )
    tell_some(campaign, 4)
    campaign.change(conditions=None, strategy="random", reason="as agreed on Friday")
    tell_some(campaign, 4)
    assert [e.payload["reason"] for e in campaign.events() if e.kind == "changed"] == [
        "as agreed on Tuesday",
        "as agreed on Friday",
    ]
    found = again(campaign).replay()
    assert found.ok
    assert found.checked == 11
    assert found.largest_difference == 0
    requests = [event.entry for event in campaign.events() if event.kind == "asked"]
    assert "because" in again(campaign).why(requests[4]).sentence
    assert again(campaign).snapshot().conditions is None
    assert again(campaign).stopping().reason


def test_what_is_so_already_writes_nothing(campaign: Campaign) -> None:
    campaign.change(budget=7, lease=60, reason="once")
    written = len(campaign.events())
    campaign.change(budget=7, reason="twice")
    assert len(campaign.events()) == written
    assert dict(campaign.events()[-1].payload) == {"budget": 7, "reason": "once"}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"budget": 0}, "budget"),
        ({"budget": 5.5}, "budget"),
        ({"lease": -1}, "lease"),
        ({"strategy": "divination"}, "divination"),
        ({"conditions": {"costs": {"nobody": 1}}}, "nobody"),
        ({"conditions": {"colour": 1}}, "colour"),
        ({"seed": 4}, "'seed' cannot be changed"),
        ({}, "nothing to change"),
        ({"budget": 9, "reason": " "}, "needs a reason"),
    ],
)
def test_what_cannot_be_changed_is_refused_and_leaves_no_event(
    campaign: Campaign, wrong: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        campaign.change(**{"reason": "because", **wrong})
    assert len(campaign.events()) == 1


def test_a_decision_under_way_is_made_again_when_the_course_changes(campaign: Campaign) -> None:
    """No request is written by rules that no longer hold."""
    other = again(campaign)
    stop = threading.Event()

    def keep_changing() -> None:
        strategies = ["uniform", "random"]
        for i in range(30):
            other.change(strategy=strategies[i % 2], budget=100 + i, reason=f"round {i}")
        stop.set()

    thread = threading.Thread(target=keep_changing)
    thread.start()
    while not stop.is_set():
        campaign.fail(campaign.ask())
    thread.join()
    found = again(campaign).replay()
    assert found.ok
    assert found.checked > 0


# -- names of classes ------------------------------------------------------------------


def test_a_class_keeps_everything_but_its_name(campaign: Campaign) -> None:
    campaign.change(conditions=Conditions(costs={"left": 3}, caps={"left": 4}), reason="prices")
    tell_some(campaign, 4)
    waiting = campaign.ask()
    campaign.pause("left")
    before = campaign.status()
    campaign.rename_class("left", "left hand", "the protocol says it so")
    for seen in (campaign, again(campaign)):
        after = seen.status()
        assert [row.label for row in after.classes] == ["rest", "left hand", "feet"]
        assert [(r.asked, r.got, r.pending, r.paused, r.utility) for r in after.classes] == [
            (r.asked, r.got, r.pending, r.paused, r.utility) for r in before.classes
        ]
        assert after.spent == before.spent
        assert "left" not in set(seen.history()["asked"]) | set(seen.history()["label"])
        assert "left hand" in set(seen.history()["asked"])
        conditions = seen.snapshot().conditions
        assert conditions is not None
        assert conditions.caps == {"left hand": 4}
    assert {event.label for event in campaign.events() if event.kind == "told"} >= {"left"}
    campaign.resume("left hand")
    campaign.tell(waiting.id, [1.0, 1.0])
    campaign.add([1.0, 2.0], "left hand")
    assert again(campaign).replay().ok


def test_the_old_name_is_answered_with_the_new_one(campaign: Campaign) -> None:
    campaign.rename_class("left", "left hand", "clearer")
    campaign.rename_class("left", "left hand", "repeated")
    assert len(campaign.events()) == 2
    with pytest.raises(UnknownClass, match="renamed to 'left hand'"):
        campaign.add([1.0], "left")


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ("left", "feet", Conflict),
        ("up", "down", UnknownClass),
        ("left", 7, ValueError),
        ("left", "", ValueError),
    ],
)
def test_a_name_that_is_taken_or_unusable_is_refused(
    campaign: Campaign, old: Any, new: Any, error: type[Exception]
) -> None:
    with pytest.raises(error):
        campaign.rename_class(old, new, "because")
    assert len(campaign.events()) == 1


def test_a_renamed_campaign_comes_back_from_a_file(campaign: Campaign, tmp_path: Any) -> None:
    tell_some(campaign, 3)
    campaign.rename_class("left", "left hand", "clearer")
    campaign.change(budget=10, reason="more")
    tell_some(campaign, 2)
    for suffix in ("json", "csv", "parquet"):
        file = campaign.export(tmp_path / f"lab.{suffix}")
        back = import_campaign(file, storage="memory")
        assert back.events() == campaign.events()
        assert back.status() == campaign.status()
        assert back.replay().ok


# -- leases ----------------------------------------------------------------------------


def test_a_request_can_be_renewed_also_after_it_ended(
    campaign: Campaign, clock: list[float]
) -> None:
    request = campaign.ask()
    clock[0] += 50
    renewed = campaign.renew(request, "the participant is late")
    assert renewed.expires_at is not None
    assert renewed.expires_at.timestamp() == clock[0] + 60
    clock[0] += 100
    assert campaign.pending() == []
    again(campaign).renew(request.id)
    assert [open_.id for open_ in campaign.pending()] == [request.id]
    campaign.tell(request, [1.0, 2.0])
    with pytest.raises(Conflict, match="already told"):
        campaign.renew(request)
    failed = campaign.ask()
    campaign.fail(failed)
    with pytest.raises(Conflict, match="failed"):
        campaign.renew(failed)


# -- closing ---------------------------------------------------------------------------


def test_a_closed_campaign_begins_nothing_but_takes_what_was_asked_for(
    campaign: Campaign,
) -> None:
    first, second, third = campaign.ask_many(3)
    done = campaign.tell(first, [0.0, 1.0])
    campaign.close_campaign("the study is complete")
    for seen in (campaign, again(campaign)):
        assert seen.status().phase == "closed"
        assert "closed" in seen.why().sentence
    begin: list[Callable[[], object]] = [
        campaign.ask,
        lambda: campaign.ask_many(2),
        lambda: campaign.add([1.0, 2.0], "left"),
        lambda: campaign.add_class("right"),
        lambda: campaign.change(budget=9, reason="more"),
        lambda: campaign.rename_class("left", "l", "short"),
    ]
    for attempt in begin:
        with pytest.raises(CampaignClosed, match=r"closed.*reopen"):
            attempt()
    with pytest.raises(NothingToAsk):
        again(campaign).ask()
    campaign.tell(second, [2.0, 1.0])
    campaign.renew(third)
    campaign.performed(third)
    campaign.fail(third, "no signal")
    campaign.retract(done, "moved")
    campaign.reopen("one is missing")
    assert again(campaign).status().phase == "open"
    campaign.ask()
    assert campaign.replay().ok


def test_closing_twice_writes_once_and_archiving_closes(campaign: Campaign) -> None:
    campaign.close_campaign("done")
    campaign.close_campaign("done")
    campaign.archive("two years ago")
    campaign.archive("two years ago")
    campaign.close_campaign("done")
    assert [event.kind for event in campaign.events()] == ["created", "closed", "closed"]
    assert again(campaign).status().phase == "archived"
    with pytest.raises(CampaignClosed, match="archived"):
        campaign.ask()
    campaign.reopen("a reviewer asked for more")
    assert campaign.status().phase == "open"


def test_a_repeated_call_changes_the_course_once(campaign: Campaign) -> None:
    request = campaign.ask()
    for _ in range(2):
        campaign.change(budget=9, reason="more", op="one")
        campaign.rename_class("left", "l", "short", op="two")
        campaign.renew(request, op="three")
        campaign.close_campaign("done", op="four")
        campaign.archive("old", op="five")
        campaign.reopen("more", op="six")
    kinds = [event.kind for event in again(campaign).events()]
    assert kinds[2:] == ["changed", "class_renamed", "renewed", "closed", "closed", "reopened"]
    with pytest.raises(Conflict, match="something else before"):
        campaign.change(budget=10, reason="more", op="one")


# -- continuing another one ------------------------------------------------------------


def test_a_campaign_begins_with_the_instances_of_another(campaign: Campaign, url: str) -> None:
    tell_some(campaign, 4)
    campaign.retract(campaign.tell(campaign.ask(), [9.0, 9.0]), "moved")
    campaign.add([7.0, 7.0], "feet", attrs={"subject": "s07"}, duration=3.5)
    campaign.rename_class("left", "left hand", "clearer")
    campaign.close_campaign("year one is over")
    with create_campaign("year two", continue_from=campaign, storage=url, budget=3) as second:
        assert second.classes == ["rest", "left hand", "feet"]
        X, y = second.labelled_set()
        before = campaign.labelled_set()
        assert (before[0] == X).all()
        assert (y == before[1]).all()
        assert second.status().remaining == 3
        last = [e for e in second.events() if e.kind == "added"][-1]
        assert last.duration == 3.5
        attrs = second.instance(last.entry or "").attrs
        assert attrs["subject"] == "s07"
        assert attrs["origin"]["campaign"] == "lab"
        assert attrs["origin"]["storage"] == "memory"
        assert campaign.instance(attrs["origin"]["id"]).x.tolist() == [7.0, 7.0]
        tell_some(second, 3)
        assert second.replay().ok
        with create_campaign("year three", continue_from="year two", storage=url) as third:
            assert third.status().instances == 8
            first = third.instance(third.events()[1].entry or "")
            assert first.attrs["origin"]["campaign"] == "year two"
            assert '"lab"' in first.attrs["origin"]["before"][0]
            assert second.erase({"subject": "s07"}, "withdrawn") == 1
            assert third.erase({"subject": "s07"}, "withdrawn") == 1


def test_instances_of_other_classes_are_not_taken_over(campaign: Campaign) -> None:
    tell_some(campaign, 3)
    with pytest.raises(ValueError, match="cannot be continued"):
        create_campaign("b", ["up", "down"], continue_from=campaign, storage="memory")
    with pytest.raises(ValueError, match="at least two"):
        create_campaign("b", storage="memory")


def test_a_campaign_can_be_continued_year_after_year() -> None:
    storage = MemoryStorage()
    campaign = create_campaign("year 0", ["a", "b"], storage=storage)
    campaign.add([1.0, 2.0], "a")
    for year in range(1, 31):
        campaign = create_campaign(f"year {year}", continue_from=campaign, storage=storage)
    (origin,) = campaign.history()["attrs.origin"]
    steps = [json.loads(step)["campaign"] for step in origin["before"]]
    assert origin["campaign"] == "year 29"
    assert steps == [*(f"year {year}" for year in range(28, 8, -1)), "year 0"]
