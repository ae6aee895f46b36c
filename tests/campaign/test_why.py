"""A campaign says itself why it asks, in Python as on the bench."""

from __future__ import annotations

import math

import pytest

from palacs import Conditions
from palacs.campaign import Campaign, UnknownEntry, create_campaign


@pytest.fixture
def campaign() -> Campaign:
    return create_campaign(
        "c", ["a", "b"], strategy="uniform", storage="memory", seed=0, budget=3, lease=None
    )


def test_what_would_come_next_is_what_comes(campaign: Campaign) -> None:
    campaign.add([0.0], "a")
    why = campaign.why()
    assert why.label == "b"
    assert why.utilities == {"a": 0.0, "b": math.inf}
    assert why.sentence.startswith("b would be asked for next because there is no instance of it")
    request = campaign.ask()
    assert request.label == "b"
    assert campaign.why(request).sentence == why.sentence.replace(
        "would be asked for next", "is asked for"
    )


def test_a_request_keeps_its_reason(campaign: Campaign) -> None:
    for label in ("a", "b", "a"):
        campaign.add([0.0], label)
    request = campaign.ask()
    assert campaign.why(request.id).sentence == (
        "b is asked for because it has the fewest instances (1, with those under way)."
    )
    for _ in range(5):
        campaign.add([0.0], "b")
    assert "fewest instances (1," in campaign.why(request).sentence
    assert campaign.why().label == "a"


def test_where_nothing_may_be_asked_for_it_says_why(campaign: Campaign) -> None:
    campaign.ask_many(3)
    why = campaign.why()
    assert why.label is None
    assert all(math.isnan(utility) for utility in why.utilities.values())
    assert why.sentence == (
        "Nothing more is asked for because the budget of 3 is used up, with 3 requests still "
        "under way."
    )


def test_under_a_limit_the_batch_explains_each_of_its_requests() -> None:
    campaign = create_campaign(
        "c",
        ["a", "b", "c"],
        strategy="uniform",
        storage="memory",
        seed=1,
        conditions=Conditions(max_repeat=1),
    )
    for label in ("a", "b", "c"):
        campaign.add([0.0], label)
    requests = campaign.ask_many(4)
    before = "c"
    for request in requests:
        assert f"{before} is ruled out by a limit" in campaign.why(request).sentence
        before = str(request.label)


def test_an_id_that_is_no_request_is_refused(campaign: Campaign) -> None:
    campaign.add([0.0], "a", id="mine")
    for id_ in ("mine", "nobody"):
        with pytest.raises(UnknownEntry, match=id_):
            campaign.why(id_)
