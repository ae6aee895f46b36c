"""Several windows and people on one campaign, in a real browser: each has requests of their own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from palacs.campaign import create_campaign, import_campaign

from .visitor import Visitor, expect_live, visiting


@pytest.fixture
def visitor(browser: Browser, shared_studio: Any) -> Iterator[Visitor]:
    with visiting(browser, shared_studio) as guest:
        yield guest


def rows(studio: Any, name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = studio.get(f"/campaigns/{name}/history")["rows"]
    return found


def shown(page: Page) -> str:
    """Press Space once the page is live, and return the word it brings."""
    expect_live(page)
    page.keyboard.press("Space")
    expect(page.locator("[data-word]")).to_have_class("word asked")
    return page.locator("[data-word]").inner_text()


def test_two_phones_have_requests_of_their_own(
    browser: Browser, shared_studio: Any, visitor: Visitor
) -> None:
    shared_studio.post("/campaigns", {"name": "phones", "classes": ["a", "b"], "seed": 1})
    with visiting(browser, shared_studio) as other:
        first, second = (guest.open("/campaigns/phones/cue") for guest in (visitor, other))
        assert {shown(first), shown(second)} == {"a", "b"}
        first.keyboard.press("Space")
        expect(first.locator("[data-awaiting] li")).to_have_count(1)
        expect(second.locator("[data-awaiting]")).to_be_hidden()
        second.keyboard.press("u")
        expect(second.locator("[data-message]")).to_have_text("There is nothing of yours to undo.")
        states = [bool(row["performed_at"]) for row in rows(shared_studio, "phones")]
        assert states == [True, False, False]
        # Loaded again, and closed and opened again, a window finds its own request.
        mine = second.locator("[data-word]").inner_text()
        second.reload()
        expect(second.locator("[data-word]")).to_have_text(mine)
        second.close()
        again = other.open("/campaigns/phones/cue")
        expect(again.locator("[data-word]")).to_have_text(mine)
        again.keyboard.press("Space")
        expect(again.locator("[data-awaiting] li")).to_have_count(1)
        again.keyboard.press("u")
        expect(again.locator("[data-message]")).to_contain_text("taken back before its data")
        assert [row["state"] for row in rows(shared_studio, "phones")][:2] == ["pending", "failed"]


def test_a_word_on_the_screen_is_not_taken_back_by_an_older_answer(
    shared_studio: Any, visitor: Visitor
) -> None:
    shared_studio.post("/campaigns", {"name": "older", "classes": ["a", "b"], "seed": 1})
    page = visitor.open("/campaigns/older/cue")
    expect_live(page)
    expect(page.locator("[data-prompt]")).to_have_text("Press space to begin")
    late: list[Any] = []
    page.route("**/api/v1/campaigns/older/cue", lambda way: late.append((way, way.fetch())))
    shared_studio.post("/campaigns/older/add", {"label": "a", "x": [1.0]})
    while not late:
        page.wait_for_timeout(20)
    page.keyboard.press("Space")
    expect(page.locator("[data-word]")).to_have_class("word asked")
    page.evaluate(
        """() => { globalThis.words = [];
        const word = document.querySelector("[data-word]");
        new MutationObserver(() => globalThis.words.push(word.textContent))
          .observe(word, { childList: true, attributes: true }); }"""
    )
    while late:
        way, answer = late.pop()
        with page.expect_event("requestfinished"):
            way.fulfill(response=answer)
        page.wait_for_timeout(100)
    page.unroute("**/api/v1/campaigns/older/cue")
    assert "Ready" not in page.evaluate("() => globalThis.words")


def test_what_a_script_asked_for_is_shown_by_one_window(
    shared_studio: Any, visitor: Visitor
) -> None:
    shared_studio.post("/campaigns", {"name": "by script", "classes": ["a", "b"], "seed": 1})
    (request,) = shared_studio.post("/campaigns/by%20script/ask")["requests"]
    first = visitor.open("/campaigns/by%20script/cue")
    expect(first.locator("[data-word]")).to_have_text(request["label"])
    second = visitor.open("/campaigns/by%20script/cue")
    expect_live(second)
    expect(second.locator("[data-word]")).to_have_text("Ready")
    first.keyboard.press("Space")
    expect(first.locator("[data-awaiting] li")).to_have_count(1)


def test_space_counts_when_it_is_time_and_wherever_the_focus_is(
    shared_studio: Any, visitor: Visitor
) -> None:
    shared_studio.post("/campaigns", {"name": "space", "classes": ["a", "b"], "seed": 1})
    page = visitor.open("/campaigns/space/cue")
    expect_live(page)
    page.get_by_label("Countdown").select_option("2")
    shown(page)
    expect(page.locator("[data-stage]")).to_have_class("cue waiting")
    page.keyboard.press("Space")
    expect(page.locator("[data-message]")).to_have_text("Not yet: wait for the countdown.")
    assert [row["performed_at"] for row in rows(shared_studio, "space")] == [None]
    expect(page.locator("[data-countdown]")).to_have_text("Now")
    page.get_by_label("Countdown").select_option("0")
    awaiting = page.locator("[data-awaiting] li")
    controls = [page.get_by_label(name) for name in ("Sound", "Countdown")]
    for number, control in enumerate([*controls, page.get_by_role("button", name="Full screen")]):
        control.click()
        page.keyboard.press("Escape")  # the list of the countdown closes
        control.focus()
        page.keyboard.down("Space")
        page.keyboard.down("Space")  # held down, it repeats
        page.keyboard.up("Space")
        expect(awaiting).to_have_count(number + 1)
    expect(page.get_by_label("Sound")).to_be_checked()
    assert [bool(row["performed_at"]) for row in rows(shared_studio, "space")] == [True] * 3 + [
        False
    ]


ODD = ["S07", "S07/cue", ".", "..", "~.", "a%2Fb", "a/b", "100 % #?"]


def create_oddly(studio: Any, name: str) -> None:
    """Create a campaign; names that are refused today may be in older records."""
    if name not in (".", ".."):
        studio.post("/campaigns", {"name": name, "classes": ["a", "b"]})
        return
    older = studio.folder / "older.json"
    with create_campaign("older", ["a", "b"], storage="memory") as campaign:
        campaign.export(older)
    import_campaign(older, name=name, storage=studio.storage).close()


def test_every_name_has_an_address_of_its_own(shared_studio: Any, visitor: Visitor) -> None:
    for name in ODD:
        create_oddly(shared_studio, name)
    page = visitor.open("/")
    for name in ODD:
        page.goto(shared_studio.base_url)
        page.locator("a.campaign").filter(has=page.get_by_text(name, exact=True)).click()
        expect(page.locator("h1")).to_have_text(name)
        expect_live(page)
        page.get_by_role("link", name="Cue", exact=True).click()
        expect(page.locator("h1")).to_have_text(f"Cue of the campaign {name}")
        expect_live(page)
        page.keyboard.press("Space")
        expect(page.locator("[data-word]")).to_have_class("word asked")
        page.get_by_role("link", name="Bench").click()
        expect(page.locator("h1")).to_have_text(name)
    assert shared_studio.get("/campaigns/S07%2Fcue")["name"] == "S07/cue"
    status, answer = shared_studio.call("GET", "/campaigns/a/b/status")
    assert (status, "%2F" in answer["error"]["message"]) == (404, True)
    for name in ODD:
        address = json.loads(page.evaluate(f"JSON.stringify(encodeURIComponent({name!r}))"))
        dots = "~" if name.strip("~") in (".", "..") else ""
        assert shared_studio.get(f"/campaigns/{dots}{address}/status")["states"]["pending"] == 1


def test_seven_windows_of_one_browser_all_work(shared_studio: Any, visitor: Visitor) -> None:
    names = ["seven", "other", "third"]
    for name in names:
        shared_studio.post("/campaigns", {"name": name, "classes": ["a", "b"], "seed": 1})
    windows = [visitor.open(f"/campaigns/{names[i % 3]}/cue") for i in range(7)]
    for page in windows:
        shown(page)
    for page in windows:
        page.keyboard.press("Space")
        expect(page.locator("[data-awaiting] li")).to_have_count(1)
    assert sum(len(rows(shared_studio, name)) for name in names) == 14
    # The window that listens for all of them goes; the others still hear of everything.
    windows[0].close()
    told = rows(shared_studio, "other")[0]
    shared_studio.post("/campaigns/other/tell", {"id": told["id"], "x": [1.0]})
    expect(windows[1].locator("[data-awaiting]")).to_be_hidden()
