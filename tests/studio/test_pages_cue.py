"""The cue and the look inside, in a real browser: what the participant sees, and why."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from .visitor import Visitor, expect_live, visiting


@pytest.fixture
def visitor(browser: Browser, shared_studio: Any) -> Iterator[Visitor]:
    with visiting(browser, shared_studio) as guest:
        yield guest


def states(studio: Any, name: str) -> list[str]:
    rows = studio.get(f"/campaigns/{name}/history")["rows"]
    return [
        "awaiting" if r["state"] == "pending" and r["performed_at"] else r["state"] for r in rows
    ]


def word(page: Page) -> Any:
    return page.locator("[data-word]")


def test_the_cue_needs_no_mouse(shared_studio: Any, visitor: Visitor) -> None:
    name = "keys"
    classes = ["rest", "left", "right"]
    shared_studio.post("/campaigns", {"name": name, "classes": classes, "seed": 3})
    page = visitor.open(f"/campaigns/{name}/cue")
    expect_live(page)
    expect(word(page)).to_have_text("Ready")
    page.keyboard.press("Space")
    expect(word(page)).not_to_have_text("Ready")
    first = shared_studio.get(f"/campaigns/{name}/insight")["asked"]
    expect(word(page)).to_have_text(first["label"])
    page.keyboard.press("Space")
    expect(page.locator("[data-awaiting]")).to_contain_text(first["label"])
    others = "|".join(label for label in classes if label != first["label"])
    expect(word(page)).to_have_text(re.compile(f"^({others})$"))
    second = word(page).inner_text()
    page.keyboard.press("f")
    expect(page.locator("[data-message]")).to_have_text(f"{second}: noted as failed")
    assert states(shared_studio, name) == ["awaiting", "failed", "pending"]
    # The instrument delivers the numbers of the first, and the cue stops waiting for them.
    shared_studio.post(f"/campaigns/{name}/tell", {"id": first["id"], "x": [0.5]})
    expect(page.locator("[data-awaiting]")).to_be_hidden()
    page.keyboard.press("u")
    expect(page.locator("[data-message]")).to_have_text(f"{first['label']}: taken back")
    assert states(shared_studio, name) == ["retracted", "failed", "pending"]


def test_tab_reaches_every_control_of_the_cue(shared_studio: Any, visitor: Visitor) -> None:
    shared_studio.post("/campaigns", {"name": "tabs", "classes": ["a", "b"]})
    shared_studio.post("/campaigns/tabs/ask")
    page = visitor.open("/campaigns/tabs/cue")
    expect(page.get_by_role("button", name="Failed")).to_be_enabled()
    reached = []
    for _ in range(10):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate("document.activeElement.innerText || document.activeElement.type")
        )
        ring = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert ring == "solid", f"{reached[-1]} shows no focus"
    text = " ".join(reached)
    for control in ("Performed", "Failed", "Undo", "checkbox", "Full screen", "Bench"):
        assert control in text
    # Enter means the control that has the focus.
    page.get_by_label("Sound").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_label("Sound")).to_be_checked()
    assert states(shared_studio, "tabs") == ["pending"]


def test_undo_takes_back_a_performance_whose_data_never_came(
    shared_studio: Any, visitor: Visitor
) -> None:
    shared_studio.post("/campaigns", {"name": "back", "classes": ["a", "b"]})
    page = visitor.open("/campaigns/back/cue")
    expect_live(page)
    page.keyboard.press("u")
    expect(page.locator("[data-message]")).to_have_text("There is nothing of yours to undo.")
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Failed")).to_be_enabled()
    page.keyboard.press("Space")
    expect(page.locator("[data-awaiting]")).to_be_visible()
    page.keyboard.press("u")
    expect(page.locator("[data-message]")).to_contain_text("taken back before its data arrived")
    assert states(shared_studio, "back") == ["failed", "pending"]


def test_the_word_can_be_read_across_a_room(shared_studio: Any, visitor: Visitor) -> None:
    long = "imagine squeezing a soft ball with the left hand"
    for name, classes in (
        ("few letters", ["on", "off"]),
        ("many letters", [long, f"{long} again"]),
    ):
        shared_studio.post("/campaigns", {"name": name, "classes": classes})
        path = f"/campaigns/{name.replace(' ', '%20')}"
        shared_studio.post(f"{path}/ask")
        page = visitor.open(f"{path}/cue")
        expect(word(page)).to_have_class("word asked")
        # The letters are fitted to the screen once they are laid out.
        page.wait_for_function(
            """() => {
                const box = document.querySelector(".word").getBoundingClientRect();
                return box.height > 720 / 3 && box.left >= 0 && box.right <= 1280;
            }"""
        )


def test_the_countdown_counts_and_is_remembered(shared_studio: Any, visitor: Visitor) -> None:
    shared_studio.post("/campaigns", {"name": "count", "classes": ["a", "b"]})
    page = visitor.open("/campaigns/count/cue")
    expect_live(page)
    assert page.get_by_label("Countdown").input_value() == "0"
    assert not page.get_by_label("Sound").is_checked()
    page.get_by_label("Countdown").select_option("2")
    page.get_by_label("Sound").check()
    page.get_by_role("button", name="Begin").click()
    timer = page.locator("[data-countdown]")
    expect(timer).to_have_text("2")
    expect(page.locator("[data-stage]")).to_have_class("cue waiting")
    expect(timer).to_have_text("Now")
    page.reload()
    expect(page.get_by_label("Countdown")).to_have_value("2")


def test_the_budget_ends_the_cue(shared_studio: Any, visitor: Visitor) -> None:
    shared_studio.post("/campaigns", {"name": "small", "classes": ["a", "b"], "budget": 1})
    (request,) = shared_studio.post("/campaigns/small/ask")["requests"]
    page = visitor.open("/campaigns/small/cue")
    expect(word(page)).to_have_text(request["label"])
    shared_studio.post("/campaigns/small/tell", {"id": request["id"], "x": [1.0]})
    expect(word(page)).to_have_text("Done")
    expect(page.locator("[data-prompt]")).to_contain_text("budget of 1")


def fill(studio: Any, name: str, n_features: int, n: int) -> None:
    shake = random.Random(0)
    studio.post("/campaigns", {"name": name, "classes": ["low", "high"], "seed": 0})
    for i in range(n):
        label = "low" if i % 2 else "high"
        x = [shake.gauss(float(i % 2), 0.4) for _ in range(n_features)]
        studio.post(f"/campaigns/{name}/add", {"x": x, "label": label})


def test_look_inside_one_feature_is_live(shared_studio: Any, visitor: Visitor) -> None:
    fill(shared_studio, "curves", 1, 6)
    page = visitor.open("/campaigns/curves/inside")
    density = page.locator("[data-panel=density]")
    expect(density.locator("path.line")).to_have_count(2)
    expect(density.locator(".mark")).to_have_count(6)
    expect(page.locator("[data-panel=gain] path.dashed")).to_have_count(1)
    expect(page.locator("[data-panel='class low'] .sum")).to_contain_text("Σ =")
    expect(page.locator(".card.chosen")).to_have_count(1)
    shared_studio.post("/campaigns/curves/add", {"x": [0.5], "label": "low"})
    expect(density.locator(".mark")).to_have_count(7)


def test_look_inside_two_features_draws_fields(shared_studio: Any, visitor: Visitor) -> None:
    fill(shared_studio, "fields", 2, 8)
    page = visitor.open("/campaigns/fields/inside")
    for panel in ("density", "gain", "weighted", "class low", "class high"):
        expect(page.locator(f"[data-panel='{panel}'] image")).to_have_count(1)
    expect(page.locator("[data-panel=density] .mark")).to_have_count(8)


def test_look_inside_says_when_it_cannot(shared_studio: Any, visitor: Visitor) -> None:
    shared_studio.post("/campaigns", {"name": "none", "classes": ["a", "b"]})
    page = visitor.open("/campaigns/none/inside")
    expect(page.locator("[data-message]")).to_contain_text("first instance")
