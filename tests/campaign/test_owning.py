"""Two people work on one campaign: each on requests of their own, and each undoes their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from palacs.campaign import Campaign, Conflict, acting_as, create_campaign, load_campaign


@pytest.fixture
def campaign() -> Campaign:
    return create_campaign("shared", ["left", "right"], storage="memory", lease=60, seed=1)


def test_what_one_page_asked_for_is_not_performed_by_another(campaign: Campaign) -> None:
    with acting_as("Anna", holder="phone 1"):
        request = campaign.ask()
    assert request.holder == "phone 1"
    with acting_as("Ben", holder="phone 2"):
        for act in (campaign.performed, campaign.fail, lambda r: campaign.tell(r, [1.0])):
            with pytest.raises(Conflict, match="belongs to another page"):
                act(request)
    assert campaign.status().states["pending"] == 1
    campaign.tell(request, [1.0])  # a script acts for nobody


def test_an_instrument_tells_what_a_page_performed(campaign: Campaign) -> None:
    with acting_as("Anna", holder="phone 1"):
        request = campaign.ask()
        campaign.performed(request, attrs={"cue_onset": 12.5})
    with acting_as("Ben", holder="bench"):
        with pytest.raises(Conflict, match="belongs to another"):
            campaign.performed(request)
        instance = campaign.tell(request, [1.0])
    assert instance.attrs == {"cue_onset": 12.5}


def test_undo_takes_back_ones_own(campaign: Campaign) -> None:
    with acting_as(None, holder="phone 1"):
        mine = campaign.tell(campaign.ask(), [0.0])
    with acting_as(None, holder="phone 2"):
        theirs = campaign.tell(campaign.ask(), [1.0])
        open_ = campaign.ask()
        campaign.performed(open_)
    undone = campaign.undo(by="phone 1")
    assert undone is not None
    assert undone.id == mine.id
    assert campaign.undo(by="phone 1") is None
    assert campaign.undo(by="phone 3") is None
    first, second = campaign.undo(by="phone 2"), campaign.undo()
    assert first is not None
    assert second is not None
    assert [first.id, second.id] == [open_.id, theirs.id]


def test_a_request_of_nobody_is_claimed_once(campaign: Campaign) -> None:
    request = campaign.ask()
    assert request.holder is None
    with acting_as(None, holder="phone 1"):
        assert campaign.claim(request).holder == "phone 1"
        seq = campaign.snapshot().seq
        assert campaign.claim(request).holder == "phone 1"
        assert campaign.snapshot().seq == seq
    with acting_as(None, holder="phone 2"):
        with pytest.raises(Conflict, match="belongs to another"):
            campaign.claim(request)
        assert campaign.claim(request, take_over=True).holder == "phone 2"
    with acting_as(None, holder="phone 1"), pytest.raises(Conflict, match="belongs to another"):
        campaign.performed(request)
    with pytest.raises(ValueError, match="act as a holder"):
        campaign.claim(request)


def test_what_was_performed_cannot_be_claimed(campaign: Campaign) -> None:
    request = campaign.ask()
    campaign.performed(request)
    with acting_as(None, holder="phone 1"), pytest.raises(Conflict, match="already performed"):
        campaign.claim(request, take_over=True)


def test_a_page_that_went_away_leaves_its_request_after_the_lease(campaign: Campaign) -> None:
    campaign.change(lease=1e-6, reason="pages come and go")
    with acting_as(None, holder="gone"):
        request = campaign.ask()
    with acting_as(None, holder="phone 2"):
        claimed = campaign.claim(request)
    assert claimed.holder == "phone 2"


def test_a_holder_is_remembered_by_whoever_opens_the_record(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/lab.db"
    with create_campaign("kept", ["a", "b"], storage=url) as first, acting_as(None, holder="me"):
        request = first.ask()
    with load_campaign("kept", storage=url) as again:
        assert again.request(request.id).holder == "me"
