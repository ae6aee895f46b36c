"""What a laboratory notes, over REST and on the bench."""

from __future__ import annotations

import base64
import itertools
import random
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from palacs.campaign import load_campaign

from .visitor import Visitor, answer, expect_live, visiting

_numbers = itertools.count()


@pytest.fixture
def lab(shared_studio: Any) -> str:
    """A campaign of a laboratory; its name."""
    name = f"lab-{next(_numbers)}"
    features = {"names": ["alpha", "beta"], "units": "µV²", "sampling_rate": 256.0}
    body = {"name": name, "classes": ["rest", "left"], "seed": 1, "features": features}
    shared_studio.post("/campaigns", {**body, "attrs": {"device": "cap 3"}, "groups": "subject"})
    return name


def tell(studio: Any, lab: str, x: list[float], **notes: Any) -> dict[str, Any]:
    request = studio.ask(lab)
    told: dict[str, Any] = studio.post(
        f"/campaigns/{lab}/tell", {"id": request["id"], "x": x, **notes}
    )["instance"]
    return told


def test_what_is_noted_over_rest_comes_back_over_rest(shared_studio: Any, lab: str) -> None:
    settings = shared_studio.get(f"/campaigns/{lab}")["settings"]
    assert settings["features"]["units"] == ["µV²", "µV²"]
    assert settings["groups"] == ["subject"]
    asked = shared_studio.post(f"/campaigns/{lab}/ask", {"attrs": {"session": 2}})["requests"][0]
    assert asked["attrs"] == {"device": "cap 3", "session": 2}
    recording = {"uri": "s3://lab/1.edf", "size": 3, "sha256": "ab" * 32}
    body = {"id": asked["id"], "x": [0.1, 0.2], "attrs": {"subject": "s01"}, "recording": recording}
    told = shared_studio.post(f"/campaigns/{lab}/tell", body)["instance"]
    assert told["attrs"] == {"device": "cap 3", "session": 2, "subject": "s01"}
    assert told["recording"] == {"where": "s3://lab/1.edf", "size": 3, "sha256": "ab" * 32}
    failed = shared_studio.ask(lab)
    shared_studio.post(f"/campaigns/{lab}/fail", {"id": failed["id"], "attrs": {"tired": True}})
    rows = shared_studio.get(f"/campaigns/{lab}/history?features=true")["rows"]
    assert rows[0]["attrs"] == told["attrs"]
    assert rows[0]["recording"] == "s3://lab/1.edf"
    assert (rows[0]["alpha"], rows[0]["beta"]) == (0.1, 0.2)
    assert rows[1]["attrs"] == {"device": "cap 3", "tired": True}


def test_the_person_of_a_request_is_on_the_record(shared_studio: Any, lab: str) -> None:
    body = {"label": "rest", "x": [0.1, 0.2], "attrs": {"subject": "s01"}}
    for person in ("Anna Å", "Ben"):
        header = {"Palacs-Person": quote(person)}
        shared_studio.call("POST", f"/campaigns/{lab}/add", body, headers=header)
    shared_studio.post(f"/campaigns/{lab}/add", body)
    rows = shared_studio.get(f"/campaigns/{lab}/history")["rows"]
    assert [row["told_by"] for row in rows][:2] == ["Anna Å", "Ben"]
    assert rows[2]["told_by"] not in ("Anna Å", "Ben")
    header = {"Palacs-Person": "%0D"}
    status, told = shared_studio.call("POST", f"/campaigns/{lab}/add", body, headers=header)
    assert (status, told["error"]["kind"]) == (422, "invalid")


def test_a_recording_is_told_over_rest_for_the_extractor_in_force(
    shared_studio: Any, lab: str
) -> None:
    epoch = "\n".join(f"{number % 7},{number % 5}" for number in range(40))
    kept = {"name": "trial.csv", "content": base64.b64encode(epoch.encode()).decode()}
    body = {"label": "rest", "recording": kept, "attrs": {"subject": "s01"}}
    status, told = shared_studio.call("POST", f"/campaigns/{lab}/add", body)
    assert (status, told["error"]["kind"]) == (409, "invalid")
    assert "no extractor is in force" in told["error"]["message"]
    with load_campaign(lab, storage=shared_studio.storage) as campaign:
        campaign.extract("band-power(rate=10, bands=((1, 4),))", "from recordings")
    added = shared_studio.post(f"/campaigns/{lab}/add", body)["instance"]
    assert len(added["x"]) == 2
    found = shared_studio.get(f"/campaigns/{lab}")
    assert "BandPower" in found["status"]["extractor"]
    far = {**body, "recording": {"uri": "file:///etc/hostname", "sha256": "ab" * 32}}
    status, told = shared_studio.call("POST", f"/campaigns/{lab}/add", far)
    assert "is not read here; send its content" in told["error"]["message"]


def test_a_small_recording_travels_with_its_numbers(shared_studio: Any, lab: str) -> None:
    content = bytes(range(256))
    kept = {"name": "trial.bin", "content": base64.b64encode(content).decode()}
    told = tell(shared_studio, lab, [0.1, 0.2], attrs={"subject": "s01"}, recording=kept)
    assert told["recording"]["kept"] is True
    assert shared_studio.get(f"/campaigns/{lab}/recording?id={told['id']}") == content
    none = tell(shared_studio, lab, [0.1, 0.2], attrs={"subject": "s01"})
    status, answer = shared_studio.call("GET", f"/campaigns/{lab}/recording?id={none['id']}")
    assert (status, answer["error"]["kind"]) == (404, "not-found")


@pytest.mark.parametrize(
    ("notes", "says"),
    [
        ({}, "grouped by subject, but 'subject' is not noted"),
        ({"attrs": {"subject": "s01", "day": {"a": {"b": {}}}}}, "nested more than 3 deep"),
        ({"attrs": {"": 1}}, "is no name"),
        ({"attrs": {"subject": "s01"}, "recording": {"uri": "/etc/passwd"}}, "is no URI"),
        ({"attrs": {"subject": "s01"}, "recording": {}}, "either a uri, or content"),
        ({"attrs": {"subject": "s01"}, "recording": {"content": "?"}}, "no base64"),
        (
            {"attrs": {"subject": "s01"}, "recording": {"content": "YWJj", "sha256": "0" * 64}},
            "is not as described: another SHA-256",
        ),
    ],
)
def test_what_cannot_be_noted_is_refused(
    shared_studio: Any, lab: str, notes: dict[str, Any], says: str
) -> None:
    body = {"label": "rest", "x": [0.1, 0.2], **notes}
    status, told = shared_studio.call("POST", f"/campaigns/{lab}/add", body)
    assert status == (422 if notes else 409)
    assert says in told["error"]["message"]
    assert shared_studio.get(f"/campaigns/{lab}/history")["total"] == 0


def test_the_bench_speaks_of_new_subjects(shared_studio: Any, lab: str) -> None:
    rng = random.Random(0)
    places = {(who, label): rng.uniform(-9, 9) for who in range(6) for label in ("rest", "left")}
    for (who, label), place in places.items():
        for _ in range(5):
            x = [place + rng.random() / 10, place]
            body = {"label": label, "x": x, "attrs": {"subject": f"s{who}"}}
            shared_studio.post(f"/campaigns/{lab}/add", body)
        if (who, label) == (0, "left"):
            early = shared_studio.get(f"/campaigns/{lab}/insight")
            assert early["accuracy"] == []
            assert "all instances belong to 's0'" in early["groups"]["remark"]
    insight = shared_studio.get(f"/campaigns/{lab}/insight")
    assert insight["groups"] == {"names": [f"s{who}" for who in range(6)], "remark": ""}
    # Every subject is consistent, but has places of its own: nothing carries over to a new one.
    assert insight["accuracy"][-1]["accuracy"] < 0.75


# -- the page --------------------------------------------------------------------------


@pytest.fixture
def visitor(browser: Browser, shared_studio: Any) -> Iterator[Visitor]:
    with visiting(browser, shared_studio) as guest:
        yield guest


def start(visitor: Visitor, lab: str) -> Page:
    page = visitor.open(f"/campaigns/{lab}")
    expect_live(page)
    page.get_by_role("button", name="Ask for the next").click()
    expect(page.locator("[data-answer]")).to_be_visible()
    return page


def test_subject_session_and_person_are_typed_once(
    shared_studio: Any, visitor: Visitor, lab: str
) -> None:
    page = start(visitor, lab)
    page.get_by_label("Your name").fill("Anna Å")
    page.get_by_label("Subject", exact=True).fill("s01")
    page.get_by_label("Session", exact=True).fill("2")
    answer(page, "0.1, 0.2")
    expect(page.locator("[data-map] svg")).to_contain_text("alpha")
    page.reload()
    expect_live(page)
    expect(page.locator("[data-answer]")).to_be_visible()
    expect(page.get_by_label("Subject", exact=True)).to_have_value("s01")
    expect(page.get_by_label("Your name")).to_have_value("Anna Å")
    page.locator("#file").set_input_files(
        {"name": "x.csv", "mimeType": "text/csv", "buffer": b"0.5,0.6"}
    )
    expect(page.locator("[data-history] tr.delivered")).to_have_count(2)
    cell = page.locator("[data-history] tr.delivered .noted").first
    expect(cell).to_have_text("device cap 3 · session 2 · subject s01")
    expect(page.locator("[data-history] tr.delivered").first).to_contain_text("Anna Å")
    rows = shared_studio.get(f"/campaigns/{lab}/history")["rows"]
    assert [row["told_by"] for row in rows[:2]] == ["Anna Å", "Anna Å"]
    assert [row["attrs"]["session"] for row in rows[:2]] == ["2", "2"]


def test_a_missing_subject_is_said_beside_the_buttons(
    shared_studio: Any, visitor: Visitor, lab: str
) -> None:
    page = start(visitor, lab)
    expect(page.get_by_label("Subject", exact=True)).to_have_attribute("required", "")
    page.locator("#numbers").fill("0.1, 0.2")
    page.get_by_role("button", name="Tell").click()
    expect(page.locator("[data-next]").locator("..").locator("[data-error]")).to_contain_text(
        "'subject' is not noted"
    )
    visitor.complaints.clear()  # the browser reports every answer 422
    page.get_by_label("Subject", exact=True).fill("s07")
    page.get_by_role("button", name="Tell").click()
    expect(page.locator("[data-groups]")).to_contain_text("All instances belong to 's07'")
    expect(page.locator("#accuracy-title")).to_have_text("Accuracy on a new subject")
