"""The drawing demo in a real browser, drawn with real strokes of the mouse."""

from __future__ import annotations

from collections.abc import Iterator
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
    expect(opened.get_by_role("button", name="Skip")).to_be_enabled()
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


def test_drawn_digits_raise_the_accuracy(shared_studio: Any, page: Page) -> None:
    accuracy = page.locator("[data-accuracy]")
    expect(accuracy).to_have_text("–")
    seen = []
    for number in range(1, 7):
        draw(page, asked(page))
        page.get_by_role("button", name="Done").click()
        expect(drawings(page)).to_have_count(number)
        expect(page.get_by_role("button", name="Skip")).to_be_enabled()
        seen.append(int(accuracy.inner_text().removesuffix(" %")))
    assert seen[0] == 10
    assert seen[-1] > 25
    expect(page.locator("[data-curve] .line.main")).to_have_count(1)
    expect(page.locator("[data-digit-row]")).to_have_count(10)
    expect(page.locator("[data-hard] td:text-is('first')")).to_have_count(4)
    name = page.get_by_role("link", name="Open the bench").get_attribute("href")
    assert shared_studio.get(f"{name}/status")["instances"] == 6


def test_the_classifier_sees_what_was_drawn(shared_studio: Any, page: Page) -> None:
    digit = asked(page)
    draw(page, digit)
    page.keyboard.press("Enter")
    expect(drawings(page)).to_have_count(1)
    expect(page.locator("[data-verdict]")).to_have_text(f"The first {digit} it has ever seen.")
    name = page.get_by_role("link", name="Open the bench").get_attribute("href")
    (row,) = [
        r for r in shared_studio.get(f"{name}/history?features=true")["rows"] if r["x0"] is not None
    ]
    from palacs.studio._strokes import to_digit

    told = [row[f"x{i}"] for i in range(64)]
    expected = to_digit(strokes_of(digit))
    assert sum(abs(a - b) for a, b in zip(told, expected, strict=True)) < 0.1 * expected.sum()


def test_skip_clear_and_undo(page: Page) -> None:
    first = asked(page)
    page.keyboard.press("s")
    expect(page.locator("[data-verdict]")).to_have_text("Skipped.")
    expect(page.get_by_role("button", name="Skip")).to_be_enabled()
    expect(page.get_by_role("button", name="Done")).to_be_disabled()
    draw(page, asked(page))
    expect(page.get_by_role("button", name="Done")).to_be_enabled()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Done")).to_be_disabled()
    draw(page, first)
    page.get_by_role("button", name="Done").click()
    expect(drawings(page)).to_have_count(1)
    page.get_by_role("button", name="Undo").click()
    expect(drawings(page)).to_have_count(0)
    expect(page.locator("[data-accuracy]")).to_have_text("–")


def test_a_finger_draws_too(browser: Browser, shared_studio: Any) -> None:
    shared_studio.post("/demo/digits/start", {"afresh": True})
    phone = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
    with visiting(browser, shared_studio, **phone) as guest:
        page = guest.open("/draw")
        expect(page.get_by_role("button", name="Skip")).to_be_enabled()
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
