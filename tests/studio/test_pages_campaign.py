"""A campaign in a real browser: created, answered, followed, undone, and surviving a crash."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, FilePayload, expect

from palacs.strategies import DEFAULT_STRATEGY

from .visitor import Visitor, answer, bench_of, counts, expect_live, visiting


@pytest.fixture
def visitor(browser: Browser, shared_studio: Any) -> Iterator[Visitor]:
    with visiting(browser, shared_studio) as guest:
        yield guest


def new_campaign(studio: Any, name: str, classes: list[str] | None = None, **settings: Any) -> str:
    body = {"name": name, "classes": classes or ["rest", "left", "right"], "seed": 1, **settings}
    studio.post("/campaigns", body)
    return f"/campaigns/{name}"


def test_create_a_campaign_and_answer_five_requests(shared_studio: Any, visitor: Visitor) -> None:
    page = visitor.open("/")
    page.get_by_label("Name", exact=True).fill("five answers")
    page.get_by_label("Classes", exact=True).fill("rest, left")
    page.get_by_label("Strategy").select_option("pal-acs")
    expect(page.locator("#strategy-help")).to_contain_text("accuracy")
    page.get_by_role("textbox", name="Budget optional", exact=True).fill("20")
    page.get_by_role("button", name="Create").click()
    page.wait_for_url("**/campaigns/five%20answers")
    expect_live(page)
    page.get_by_role("button", name="Ask for the next").click()
    line = page.locator("[data-accuracy] .line.main")
    expect(page.locator("[data-answer]")).to_be_visible()
    for number in range(5):
        answer(page, f"{0.1 * number}, {number % 2}")
        expect(page.locator("[data-map] .mark")).to_have_count(number + 1)
    expect(line).to_have_attribute("d", re.compile("L"))  # the curve goes on
    assert sum(counts(page).values()) == 5
    expect(page.locator("[data-map] .halo")).to_have_count(1)
    expect(page.locator("[data-confusion] rect.cell")).to_have_count(4)
    expect(page.locator("[data-utilities] li")).to_have_count(2)
    expect(page.locator("[data-why]")).to_contain_text("because")
    expect(page.locator("[data-summary]")).to_contain_text("5 of 20 acquired")
    assert shared_studio.get("/campaigns/five%20answers/status")["instances"] == 5


def test_the_form_suggests_the_strategy_that_programs_get_too(
    shared_studio: Any, visitor: Visitor
) -> None:
    page = visitor.open("/")
    expect(page.get_by_label("Strategy")).to_have_value(DEFAULT_STRATEGY)
    page.get_by_label("Name", exact=True).fill("as suggested")
    page.get_by_label("Classes", exact=True).fill("rest, left")
    page.get_by_role("button", name="Create").click()
    page.wait_for_url("**/campaigns/as%20suggested")
    made = shared_studio.get("/campaigns/as%20suggested")
    assert made["settings"]["strategy"]["name"] == DEFAULT_STRATEGY


def test_what_is_wrong_with_a_new_campaign_is_said_in_place(
    shared_studio: Any, visitor: Visitor
) -> None:
    new_campaign(shared_studio, "taken-name")
    page = visitor.open("/")
    error = page.locator("[data-create] [data-error]")
    page.get_by_role("button", name="Create").click()
    expect(error).to_have_text("Give the campaign a name.")
    page.get_by_label("Name", exact=True).fill("taken-name")
    page.get_by_label("Classes", exact=True).fill("alone")
    page.get_by_role("button", name="Create").click()
    expect(error).to_contain_text("at least two classes")
    expect(page.get_by_label("Classes", exact=True)).to_be_focused()
    page.get_by_label("Classes", exact=True).fill("one, two")
    page.get_by_role("textbox", name="Budget optional", exact=True).fill("many")
    page.get_by_role("button", name="Create").click()
    expect(error).to_contain_text("“many” is not a whole number")
    page.get_by_role("textbox", name="Budget optional", exact=True).fill("")
    page.get_by_role("button", name="Create").click()
    expect(error).to_contain_text("taken-name")
    expect(page.get_by_label("Name", exact=True)).to_have_attribute("aria-invalid", "true")
    # The browser reports the refusal itself, and nothing else.
    assert len(visitor.complaints) == 1
    assert "409" in visitor.complaints.pop()


_SCRIPT = """
import sys
from palacs.campaign import load_campaign
campaign = load_campaign(sys.argv[2], storage=sys.argv[1])
campaign.tell(campaign.pending()[0], [0.25, 0.75])
"""


def test_what_a_script_tells_appears_at_once(shared_studio: Any, visitor: Visitor) -> None:
    path = new_campaign(shared_studio, "scripted")
    (request,) = shared_studio.post(f"{path}/ask")["requests"]
    page = visitor.open(bench_of("scripted"))
    expect(page.locator(f"[data-request='{request['id']}']")).to_be_visible()
    command = [sys.executable, "-c", _SCRIPT, shared_studio.storage, "scripted"]
    subprocess.run(command, check=True, timeout=60)
    row = page.locator(f"[data-class='{request['label']}'] [data-count]")
    expect(row).to_have_text("1", timeout=2_000)
    expect(page.locator(f"[data-row='{request['id']}']")).to_contain_text("delivered")
    expect(page.locator(f"[data-request='{request['id']}']")).to_have_count(0)


def test_two_browsers_on_one_campaign_stay_in_step(
    browser: Browser, shared_studio: Any, visitor: Visitor
) -> None:
    path = new_campaign(shared_studio, "in-step")
    with visiting(browser, shared_studio) as other:
        mine, theirs = visitor.open(bench_of("in-step")), other.open(bench_of("in-step"))
        for page in (mine, theirs):
            expect_live(page)
            page.get_by_role("button", name="Ask for the next").click()
            expect(page.locator("[data-answer]")).to_be_visible()
        keys = [page.locator("[data-next]").get_attribute("data-key") for page in (mine, theirs)]
        assert keys[0] != keys[1], "each has a request of its own"
        for numbers, page in (("0 1", mine), ("5 5", theirs), ("9 9", mine)):
            answer(page, numbers)
        expect(theirs.locator("[data-map] .mark")).to_have_count(3)
        expect(mine.locator("[data-map] .mark")).to_have_count(3)
        assert counts(mine) == counts(theirs)
        # A page that went away leaves its request to whoever takes it over.
        left = (mine.locator("[data-next]").get_attribute("data-key") or "").split()[0]
        mine.close()
        theirs.get_by_role("button", name=f"Take over {left}").click()
        expect(theirs.locator("[data-next]")).to_have_attribute("data-key", f"{left} false")
        theirs.get_by_label("Numbers of this instance").fill("3 3")
        theirs.get_by_role("button", name="Tell").click()
        expect(theirs.locator(f"[data-row='{left}']")).to_contain_text("delivered")
    assert shared_studio.get(f"{path}/status")["instances"] == 4


def test_a_killed_server_loses_nothing_and_the_page_comes_back(
    browser: Browser, studio: Any
) -> None:
    new_campaign(studio, "crash")
    with visiting(browser, studio) as guest:
        page = guest.open(bench_of("crash"))
        page.get_by_role("button", name="Ask for the next").click()
        expect(page.locator("[data-answer]")).to_be_visible()
        answer(page, "0.1 0.2")
        asked = page.locator("[data-next]").get_attribute("data-key")
        studio.kill()
        pill = page.locator("[data-connection]")
        expect(pill).to_have_attribute("data-state", "lost")
        page.get_by_label("Numbers of this instance").fill("0.3 0.4")
        page.get_by_role("button", name="Tell").click()
        expect(page.locator("form + .row ~ [data-error]")).to_contain_text("nothing is saved twice")
        studio.start()
        # The cookie means nothing to the new one; the launch link, opened once, brings all back.
        expect(page.locator("[data-notice]")).to_contain_text("Open the address that it printed")
        guest.launch()
        expect(pill).to_have_attribute("data-state", "live", timeout=30_000)
        assert page.locator("[data-next]").get_attribute("data-key") == asked
        expect(page.get_by_label("Numbers of this instance")).to_have_value("0.3 0.4")
        answer(page, "0.3 0.4")
        assert sum(counts(page).values()) == 2
        assert studio.get("/campaigns/crash/status")["instances"] == 2
        assert guest.complaints, "the browser noticed that the server was gone"
        assert all("ERR_" in text or "401" in text for text in guest.complaints), guest.complaints
        guest.complaints.clear()


def test_a_file_dropped_on_the_bench_answers_the_request(
    shared_studio: Any, visitor: Visitor
) -> None:
    path = new_campaign(shared_studio, "dropped")
    (request,) = shared_studio.post(f"{path}/ask")["requests"]
    page = visitor.open(bench_of("dropped"))
    expect(page.locator("[data-answer]")).to_be_visible()
    page.evaluate(
        """() => {
          const transfer = new DataTransfer();
          transfer.items.add(new File(["0.5;1.5\\n"], "trial.csv", { type: "text/csv" }));
          const drop = new DragEvent("drop", { dataTransfer: transfer, bubbles: true });
          document.querySelector("[data-drop]").dispatchEvent(drop);
        }"""
    )
    expect(page.locator(f"[data-row='{request['id']}']")).to_contain_text("delivered")
    expect(page.locator("[data-answer]")).to_be_visible()
    chosen = FilePayload(name="next.json", mimeType="application/json", buffer=b"[2.5, 3]")
    key = page.locator("[data-next]")
    second = key.get_attribute("data-key") or ""
    page.get_by_label("Choose a file").set_input_files([chosen])
    expect(page.locator("[data-map] .mark")).to_have_count(2)
    rows = shared_studio.get(f"{path}/history?features=true")["rows"]
    assert [(row["x0"], row["x1"]) for row in rows[:2]] == [(0.5, 1.5), (2.5, 3.0)]
    # Another class that was chosen holds for a file as well.
    expect(key).not_to_have_attribute("data-key", second)
    expect(page.locator("[data-answer]")).to_be_visible()
    asked = page.get_by_label("It is a").locator("option:checked").inner_text()
    other = next(label for label in ("rest", "left", "right") if label != asked)
    page.get_by_label("It is a").select_option(label=other)
    page.get_by_label("Choose a file").set_input_files([chosen])
    expect(page.locator("[data-map] .mark")).to_have_count(3)
    third = shared_studio.get(f"{path}/history")["rows"][2]
    assert (third["asked"], third["label"]) == (asked, other)


def test_numbers_that_are_none_are_refused_in_place(shared_studio: Any, visitor: Visitor) -> None:
    path = new_campaign(shared_studio, "typo")
    shared_studio.post(f"{path}/ask")
    page = visitor.open(bench_of("typo"))
    for typed, says in (
        ("0.5 l.5", "'l.5' at position 1 is not a number"),
        ("", "no numbers found"),
        ("0,5;1,25", "'0,5;1,25' can be read as 0, 5, 1, 25 or as 0.5, 1.25"),
        ("0,5", "can be read as 0, 5 or as 0.5"),
    ):
        page.get_by_label("Numbers of this instance").fill(typed)
        page.get_by_role("button", name="Tell").click()
        expect(page.locator(".next [data-error]")).to_contain_text(says)
        visitor.complaints.clear()
    assert shared_studio.get(f"{path}/status")["instances"] == 0


def test_the_bench_says_how_typed_numbers_were_understood(
    shared_studio: Any, visitor: Visitor
) -> None:
    path = new_campaign(shared_studio, "echoed")
    (request,) = shared_studio.post(f"{path}/ask")["requests"]
    page = visitor.open(bench_of("echoed"))
    page.get_by_label("Numbers of this instance").fill("0.5;1.250 -3e2")
    page.get_by_role("button", name="Tell").click()
    told = page.locator("[data-told]")
    expect(told).to_have_text(f"{request['id']}: 3 features: 0.5, 1.25, -300")


def test_performed_shows_as_awaiting_data_and_can_still_be_answered(
    shared_studio: Any, visitor: Visitor
) -> None:
    path = new_campaign(shared_studio, "awaited")
    (request,) = shared_studio.post(f"{path}/ask")["requests"]
    page = visitor.open(bench_of("awaited"))
    page.get_by_role("button", name="Performed").click()
    entry = page.locator(f"[data-request='{request['id']}']")
    expect(entry).to_contain_text("awaiting data")
    expect(entry).to_contain_text("left")
    lease = entry.locator("[data-expires]")
    expect(lease).not_to_have_text(lease.inner_text(), timeout=3_000)
    page.get_by_role("button", name=f"Answer {request['id']}").click()
    expect(page.get_by_label("Numbers of this instance")).to_be_focused()
    page.get_by_label("Numbers of this instance").fill("1 2")
    page.keyboard.press("Enter")
    expect(page.locator(f"[data-row='{request['id']}']")).to_contain_text("delivered")


def test_retract_pause_add_a_class_and_export(shared_studio: Any, visitor: Visitor) -> None:
    path = new_campaign(shared_studio, "tools")
    for x in ([0.0, 0.0], [1.0, 0.0], [0.0, 1.0]):
        (request,) = shared_studio.post(f"{path}/ask")["requests"]
        shared_studio.post(f"{path}/tell", {"id": request["id"], "x": x})
    page = visitor.open(bench_of("tools"))
    page.get_by_role("button", name=f"Retract {request['id']}").click()
    page.get_by_label("Reason").fill("moved too early")
    page.get_by_role("button", name="Retract", exact=True).last.click()
    row = page.locator(f"[data-row='{request['id']}']")
    expect(row).to_contain_text("retracted moved too early")
    assert sum(counts(page).values()) == 2
    page.get_by_role("button", name="Pause left").click()
    expect(page.get_by_role("button", name="Resume left")).to_be_focused()
    expect(page.locator("[data-utilities]")).to_contain_text("paused")
    page.get_by_role("button", name="Resume left").click()
    expect(page.get_by_role("button", name="Pause left")).to_be_visible()
    page.get_by_label("One more class").fill("feet")
    page.get_by_role("button", name="Add").click()
    expect(page.locator("[data-class='feet']")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV", exact=True).click()
    assert download.value.suggested_filename == "tools.csv"
