"""Two people work on one campaign: each on requests of their own, and each undoes their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from palacs.campaign import (
    Campaign,
    Conflict,
    Recording,
    acting_as,
    bring_recording,
    create_campaign,
    load_campaign,
)


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


def test_whoever_is_confined_touches_nothing_but_their_own(campaign: Campaign) -> None:
    with acting_as("Anna", holder="phone 1"):
        theirs, told = campaign.ask(), campaign.ask()
        campaign.performed(theirs)
        campaign.tell(told, [1.0])
    free = campaign.ask()
    with acting_as("Ben", holder="phone 2", confined=True):
        mine = campaign.ask()
        for request in (theirs, free):
            for act in (campaign.performed, campaign.fail, lambda r: campaign.tell(r, [1.0])):
                with pytest.raises(Conflict, match="belongs to another"):
                    act(request)
        with pytest.raises(Conflict, match="belongs to another"):
            campaign.retract(told)
        with pytest.raises(Conflict, match="already performed"):
            campaign.claim(theirs, take_over=True)
        assert campaign.claim(free).holder == "phone 2"
        assert campaign.undo(by="phone 1") is None
        campaign.tell(mine, [2.0])
        undone = campaign.undo()
    assert undone is not None
    assert undone.id == mine.id
    assert [row["id"] for row in campaign.done_by("phone 1")] == [told.id, theirs.id]
    with acting_as("Cleo", holder="phone 3", confined=True):
        not_shaken_off = pytest.raises(Conflict, match="belongs to another")
        with acting_as("Dora"), not_shaken_off:
            campaign.fail(theirs)


def test_a_recording_waits_for_an_extractor_and_is_read_then(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path}/lab.db"
    campaign = create_campaign("kept", ["left", "right"], storage=address, seed=1)
    epoch = Recording.keep(b"1,2\n3,5\n4,9", "epoch.wav")
    request = campaign.ask()
    for _ in range(2):
        told, why = bring_recording(campaign, request, epoch, op="one call")
        assert (told, why) == (None, "no extractor is in force yet")
    assert [event.kind for event in campaign.events()].count("performed") == 1
    with pytest.raises(Conflict, match="another recording"):
        bring_recording(campaign, request, Recording.keep(b"other", "epoch.wav"))
    campaign.close()
    again = load_campaign("kept", storage=address)
    kept = again.recording(request.id)
    assert kept is not None
    assert kept.content == epoch.content
    instance = again.tell(request.id, [4.0, 9.0])
    assert instance.recording is not None
    found = again.recording(request.id)
    assert found is not None
    assert found.content == epoch.content  # it came with another event than the numbers


def test_what_the_extractor_in_force_cannot_read_is_kept_with_the_reason() -> None:
    campaign = create_campaign("photos", ["cat", "dog"], storage="memory", seed=1)
    campaign.add([0.5], "cat", recording=Recording.keep(b"1,2\n3,5", "epoch.csv"))
    campaign.extract(lambda epoch: epoch.max(axis=1), reason="peaks tell more")
    told, why = bring_recording(campaign, campaign.ask(), Recording.keep(b"4,5\n6,7", "a.csv"))
    assert (told is not None and told.x.tolist(), why) == ([6.0, 7.0], "")
    request = campaign.ask()
    told, why = bring_recording(campaign, request, Recording.keep(b"???", "photo.xyz"))
    assert told is None
    assert "xyz" in why
    assert campaign.pending()[-1].attrs["not_extracted"] == why
    # Once it can be read, its numbers come from what was kept.
    request = campaign.ask()
    campaign.performed(request, recording=Recording.keep(b"1,1\n8,9", "late.csv"))
    assert campaign.tell(request).x.tolist() == [8.0, 9.0]


def test_a_note_that_comes_with_a_recording_again_is_kept_or_refused() -> None:
    campaign = create_campaign("notes", ["a", "b"], storage="memory")
    request, photo = campaign.ask(), Recording.keep(b"...", "photo.jpg")
    bring_recording(campaign, request, photo, attrs={"subject": "s01"})
    n = len(campaign.events())
    bring_recording(campaign, request, photo, attrs={"subject": "s01"})
    assert len(campaign.events()) == n, "the same again says nothing new"
    bring_recording(campaign, request, photo, attrs={"light": "dim"})
    assert campaign.request(request.id).attrs == {"subject": "s01", "light": "dim"}
    assert campaign.recording(request.id) == photo
    campaign.tell(request, [1.0])
    bring_recording(campaign, request, photo, attrs={"light": "dim"})
    with pytest.raises(Conflict, match="already told with other attributes"):
        bring_recording(campaign, request, photo, attrs={"light": "bright"})
