"""The drawing race in a real browser, drawn with real strokes of the mouse."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from .hand import strokes_of
from .visitor import Visitor, visiting


@pytest.fixture
def visitor(browser: Browser, shared_studio: Any) -> Iterator[Visitor]:
    with visiting(browser, shared_studio) as guest:
        yield guest


@pytest.fixture
def page(shared_studio: Any, visitor: Visitor) -> Page:
    shared_studio.post("/demo/digits/start", {"afresh": True})
    opened = visitor.open("/draw")
    expect(opened.locator("[data-digit]")).not_to_be_empty()
    expect(opened.get_by_role("button", name="Draw it for me")).to_be_enabled()
    return opened


def draw(page: Page, digit: str) -> None:
    """Draw with the mouse, stroke by stroke."""
    canvas = page.locator("[data-canvas]")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    assert box is not None
    for stroke in strokes_of(digit):
        points = [
            (box["x"] + x * box["width"] / 100, box["y"] + y * box["height"] / 100)
            for x, y in stroke
        ]
        page.mouse.move(*points[0])
        page.mouse.down()
        for point in points[1:]:
            page.mouse.move(*point)
        page.mouse.up()


def asked(page: Page) -> str:
    return page.locator("[data-digit]").inner_text()


def drawings(page: Page) -> Any:
    return page.locator("[data-gallery] li")


def test_drawn_digits_bring_the_race_on(shared_studio: Any, page: Page) -> None:
    lane = page.locator("[data-asked]")
    expect(lane).to_have_text("–")
    for number in range(1, 6):
        draw(page, asked(page))
        page.get_by_role("button", name="Done").click()
        expect(drawings(page)).to_have_count(number)
        expect(page.get_by_role("button", name="Draw it for me")).to_be_enabled()
    assert float(lane.inner_text().removesuffix("%")) < 60
    expect(page.locator("[aria-roledescription=chart] .line.asked")).to_have_count(1)
    expect(page.locator("[data-acquired]")).to_have_text("5")
    expect(page.locator("[data-why]")).to_contain_text("is asked for")
    name = page.get_by_role("link", name="Open the bench").get_attribute("href")
    assert shared_studio.get(f"{name}/status")["instances"] == 10


def test_the_classifier_sees_what_was_drawn(shared_studio: Any, page: Page) -> None:
    digit = asked(page)
    draw(page, digit)
    page.keyboard.press("Enter")
    expect(drawings(page)).to_have_count(1)
    expect(page.locator("[data-verdict]")).to_have_text(f"The first {digit} it has ever seen.")
    name = str(page.get_by_role("link", name="Open the bench").get_attribute("href"))
    name = name.removeprefix("/campaigns/")
    (told,) = shared_studio.get(f"/demo/digits/{name}/progress")["drawings"]
    from palacs.studio._strokes import to_digit

    expected = to_digit(strokes_of(digit))
    assert sum(abs(a - b) for a, b in zip(told["x"], expected, strict=True)) < 0.1 * expected.sum()


def test_without_drawing_by_keys_alone_to_the_finish_and_its_card(page: Page) -> None:
    page.keyboard.press("d")
    expect(page.get_by_role("button", name="Done")).to_be_enabled()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Done")).to_be_disabled()
    page.keyboard.press("d")
    expect(page.get_by_role("button", name="Done")).to_be_enabled()
    page.keyboard.press("Enter")
    expect(drawings(page)).to_have_count(1)
    expect(page.get_by_role("button", name="Undo")).to_be_enabled()
    page.keyboard.press("u")
    expect(drawings(page)).to_have_count(0)
    expect(page.get_by_role("button", name="Draw it for me")).to_be_enabled()
    page.get_by_role("button", name="Let a program draw the rest").click()
    expect(drawings(page)).to_have_count(30)
    sentence = page.locator("[data-outcome]")
    expect(sentence).to_have_text(re.compile("saved you|lost|tie|by the very last"))
    lanes = [page.locator(f"[data-{side}]").inner_text() for side in ("asked", "equal")]
    errors = [float(text.removesuffix("%")) for text in lanes]
    if errors[0] != errors[1]:
        assert ("palacs lost" in sentence.inner_text()) == (errors[0] > errors[1])
    expect(page.get_by_role("link", name="Save as PNG")).to_have_attribute(
        "href", re.compile("^blob:")
    )
    saved = {}
    for kind in ("png", "svg"):
        with page.expect_download() as saving:
            page.get_by_role("link", name=f"Save as {kind.upper()}").click()
        assert saving.value.suggested_filename == f"palacs-race.{kind}"
        saved[kind] = Path(saving.value.path()).read_bytes()
    assert saved["png"].startswith(b"\x89PNG")
    assert saved["svg"].startswith(b"<svg")
    assert b"A program drew 30 for the visitor" in saved["svg"]


def test_a_page_that_is_loaded_again_is_in_its_own_race(shared_studio: Any, page: Page) -> None:
    bench = page.get_by_role("link", name="Open the bench")
    own = str(bench.get_attribute("href"))
    shared_studio.post("/demo/digits/start", {"afresh": True})  # by somebody else
    page.reload()
    expect(bench).to_have_attribute("href", own)


def test_a_finger_draws_too(browser: Browser, shared_studio: Any) -> None:
    shared_studio.post("/demo/digits/start", {"afresh": True})
    phone = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
    with visiting(browser, shared_studio, **phone) as guest:
        page = guest.open("/draw")
        expect(page.get_by_role("button", name="Draw it for me")).to_be_enabled()
        session = page.context.new_cdp_session(page)
        box = page.locator("[data-canvas]").bounding_box()
        assert box is not None
        for stroke in strokes_of(asked(page)):
            points = [
                {"x": box["x"] + x * box["width"] / 100, "y": box["y"] + y * box["height"] / 100}
                for x, y in stroke
            ]
            session.send(
                "Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": points[:1]}
            )
            for point in points[1:]:
                session.send(
                    "Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [point]}
                )
            session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        assert page.evaluate("window.scrollY") == 0, "drawing must not scroll the page"
        page.get_by_role("button", name="Done").click()
        expect(drawings(page)).to_have_count(1)
