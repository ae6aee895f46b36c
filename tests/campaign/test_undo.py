"""Undo takes back what was done last, and nothing else."""

from __future__ import annotations

import pytest

from palacs.campaign import Campaign, Instance, Request, create_campaign
from palacs.storage import MemoryStorage


class Clock:
    now = 1e9

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def campaign(clock: Clock) -> Campaign:
    return create_campaign("c", ["a", "b"], storage=MemoryStorage(clock), seed=0, lease=60.0)


def test_there_is_nothing_to_undo_at_first_or_while_a_request_only_waits(
    campaign: Campaign,
) -> None:
    assert campaign.undo() is None
    campaign.ask()
    assert campaign.undo() is None
    assert len(campaign.pending()) == 1


def test_the_instance_that_was_recorded_last_is_retracted(campaign: Campaign) -> None:
    first, second = campaign.ask_many(2)
    campaign.tell(second, [1.0])
    campaign.tell(first, [2.0])
    undone = campaign.undo("slipped")
    assert isinstance(undone, Instance)
    assert (undone.id, undone.retracted) == (first.id, True)
    assert campaign.history()["reason"].tolist() == ["slipped", None]
    again = campaign.undo()
    assert again is not None
    assert again.id == second.id
    assert campaign.undo() is None


def test_a_performance_whose_data_never_came_is_failed(campaign: Campaign) -> None:
    campaign.add([1.0], "a", id="told")
    request = campaign.ask()
    campaign.performed(request)
    undone = campaign.undo()
    assert isinstance(undone, Request)
    assert undone.id == request.id
    assert campaign.status().states["failed"] == 1
    before = campaign.undo()
    assert before is not None
    assert before.id == "told"


def test_what_was_told_after_a_performance_goes_first(campaign: Campaign) -> None:
    waiting = campaign.ask()
    campaign.performed(waiting)
    # The clock stands still: the order of the record decides, not the time.
    campaign.add([1.0], "b", id="later")
    undone = campaign.undo()
    assert undone is not None
    assert undone.id == "later"
    assert [request.id for request in campaign.pending()] == [waiting.id]


def test_a_performance_that_expired_is_left_alone(campaign: Campaign, clock: Clock) -> None:
    campaign.performed(campaign.ask())
    clock.now += 61.0
    assert campaign.undo() is None
