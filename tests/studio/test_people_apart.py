"""People who work side by side, by links: keys, files and ends do not get mixed up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from palacs.campaign import Conflict, Recording, bring_recording, create_campaign
from palacs.storage import MemoryStorage
from palacs.studio import StudioConfig, create_app
from palacs.studio._api_bring import _keeping
from palacs.studio._api_record import object_of
from palacs.studio._campaigns import CampaignBook
from palacs.studio._error_answers import Refused
from palacs.studio._links import LinkBook
from palacs.studio._roles import Role

from .test_people import call, let_in


@pytest.fixture(scope="module")
def lab(first_studio: Any) -> Any:
    first_studio.post("/campaigns", {"name": "apart", "classes": ["a", "b"], "seed": 1})
    return first_studio


def test_the_key_of_one_person_gives_another_nothing(lab: Any) -> None:
    anna, ben = let_in(lab, "annotator", "apart"), let_in(lab, "annotator", "apart")
    key = {"Idempotency-Key": "1"}
    asked = call(lab, anna, "POST", "/campaigns/apart/next", {}, **key)[1]["asked"]
    assert call(lab, anna, "POST", "/campaigns/apart/next", {}, **key)[1]["asked"] == asked
    status, answer = call(lab, ben, "POST", "/campaigns/apart/next", {}, **key)
    assert (status, answer["error"]["kind"]) == (409, "conflict")
    done = {"performed": asked["id"]}
    status, answer = call(lab, ben, "POST", "/campaigns/apart/next", done)
    assert status == 409
    assert "take it over" not in answer["error"]["message"]  # which is not for them


def test_long_keys_that_differ_at_their_end_are_different_calls(lab: Any) -> None:
    anna, seen = let_in(lab, "annotator", "apart"), []
    done: dict[str, Any] = {}
    for number in range(3):
        key = {"Idempotency-Key": "k" * 199 + str(number)}
        asked = call(lab, anna, "POST", "/campaigns/apart/next", done, **key)[1]["asked"]
        seen.append(asked["id"])
        done = {"performed": asked["id"]}
    assert len(set(seen)) == 3


def test_a_call_that_two_studios_had_gives_an_address_that_opens(tmp_path: Path) -> None:
    books = LinkBook(tmp_path / "links"), LinkBook(tmp_path / "links")
    ids = set()
    for book in (*books, *books):
        link, secret = book.make(Role.ANNOTATOR, "apart", "Anna", op="k")
        assert all(each.by_secret(secret) is not None for each in books)
        ids.add(link.id)
    assert len(ids) == 1


def test_a_file_that_somebody_was_faster_to_bring_stays(tmp_path: Path) -> None:
    storage = MemoryStorage()
    create_campaign("demo", ["a", "b"], storage=storage)
    campaign = CampaignBook(storage, lambda _name: None).get("demo")
    request, content = campaign.ask(), b"x" * 300_000

    def bring_slowly() -> None:
        with _keeping(tmp_path, campaign, request.id, content, "a.jpg") as slow:
            with _keeping(tmp_path, campaign, request.id, content, "a.jpg") as kept:
                campaign.tell(request, [0.5], recording=kept)
            campaign.tell(request, [0.25], recording=slow)

    with pytest.raises(Conflict):
        bring_slowly()
    found = campaign.recording(request.id)
    assert found is not None
    assert Path(found.where).read_bytes() == content


def test_recordings_are_kept_under_their_full_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    app = create_app(StudioConfig(storage="memory", recordings=Path("kept")))
    assert app.state.recordings == tmp_path / "kept"


def test_a_link_made_with_a_link_says_when_it_really_ends() -> None:
    book = LinkBook(None)
    maker, _ = book.make(Role.EXPERIMENTER, "demo", "Ex", days=1)
    made, secret = book.make(Role.ANNOTATOR, "demo", "Anna", days=7, maker=maker.id)
    assert made.expires_at == maker.expires_at
    found = book.by_secret(secret)
    assert found is not None
    assert found.expires_at == maker.expires_at


def test_no_link_is_made_that_would_not_open() -> None:
    book, maker = LinkBook(None), None
    for number in range(20):
        link, secret = book.make(Role.EXPERIMENTER, "demo", str(number), maker=maker)
        assert book.by_secret(secret) == link
        maker = link.id
    with pytest.raises(ValueError, match="deep at most"):
        book.make(Role.EXPERIMENTER, "demo", "one more", maker=maker)


@pytest.mark.parametrize("text", ["[1]", '"x"', "null", "3"])
def test_what_is_noted_with_a_file_is_an_object(text: str) -> None:
    with pytest.raises(Refused, match="is no JSON object"):
        object_of(text)


def test_what_an_extractor_cannot_read_is_sent_again_without_harm(tmp_path: Path) -> None:
    campaign = create_campaign(
        "demo", ["a", "b"], storage="memory", extractor="band-power(rate=256)"
    )
    photo = tmp_path / "photo.jpg"
    photo.write_bytes(b"no picture that is known here")
    for given in (Recording.keep(photo.read_bytes(), "photo.jpg"), Recording.of(photo)):
        request = campaign.ask()
        first = bring_recording(campaign, request, given, op=f"up {request.id}")
        assert bring_recording(campaign, request, given, op=f"up {request.id}") == first
        assert first[0] is None
        assert "photo.jpg" in first[1]
        assert " at 0x" not in first[1]
        assert str(tmp_path) not in first[1]
