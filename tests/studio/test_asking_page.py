"""The site's page on which the reader asks beside strategies: its sums are those of palacs."""

from __future__ import annotations

import contextlib
import io
import runpy
from pathlib import Path

import axe_playwright_python
import pytest
from playwright.sync_api import Browser, Page, expect

from palacs.experiments import paper_experiment

SCRIPT = Path(__file__).parents[2] / "docs" / "made" / "asking.py"
AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The block as the site's build puts it into its page."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        runpy.run_path(str(SCRIPT))
    file = tmp_path_factory.mktemp("site") / "asking.html"
    head = "<!doctype html><html lang=en><meta charset=utf-8><title>Ask</title><main><h1>Ask</h1>"
    file.write_text(head + said.getvalue(), encoding="utf-8")
    return file


def test_the_page_shows_the_errors_that_palacs_measured(made: Path, page: Page) -> None:
    page.goto(made.as_uri())
    trials = paper_experiment(["3clusters"], ["spare-settled", "uniform"]).run("3Clusters", 1)
    page.get_by_label("Problem").select_option("3Clusters")
    page.get_by_label("Sample").select_option("2")
    for step in (1, 30, 60):
        page.get_by_role("slider").fill(str(step))
        for side, title in (("First", "Spare settled"), ("Second", "Uniform")):
            shown = page.get_by_role("region", name=side).locator(".error")
            expect(shown).to_have_text(f"{100 * trials[title].errors[step - 1]:.1f} %")


def test_a_reader_asks_with_keys_and_takes_back(made: Path, page: Page) -> None:
    page.goto(made.as_uri())
    first = page.get_by_role("region", name="First")
    first.get_by_label("Who asks").select_option("You")
    page.get_by_role("slider").focus()
    page.keyboard.press("2")
    page.keyboard.press("2")
    expect(first.get_by_role("listitem")).to_have_text(
        ["● class 1: 1", "■ class 2: 3", "▲ class 3: 1"]
    )
    page.get_by_role("button", name="Take back").click()
    expect(page.get_by_role("status")).to_contain_text("after 1 instance.")


def test_keys_ask_as_soon_as_the_reader_plays(made: Path, page: Page) -> None:
    page.goto(made.as_uri())
    status = page.get_by_role("status")
    page.keyboard.press("2")  # nobody plays yet
    expect(status).to_contain_text("after 0 instances")
    page.get_by_role("region", name="First").get_by_label("Who asks").focus()
    page.keyboard.type("You")
    page.keyboard.press("2")
    expect(status).to_contain_text("after 1 instance.")
    page.get_by_label("Sample").focus()
    page.keyboard.press("2")  # picks the sample
    expect(status).to_contain_text("after 1 instance.")
    expect(page.get_by_label("Sample")).to_have_value("2")
    page.get_by_role("heading", name="Ask").click()
    page.keyboard.press("Control+2")
    page.keyboard.press("3")
    expect(page.get_by_role("region", name="First").get_by_role("listitem")).to_have_text(
        ["● class 1: 1", "■ class 2: 1", "▲ class 3: 2"]
    )


def test_on_a_phone_the_curves_say_whose_they_are(made: Path, page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 800})
    page.goto(made.as_uri())
    curves = page.get_by_role("img").last
    frame = curves.bounding_box()
    assert frame
    for text in curves.locator("text").all():
        box = text.bounding_box()
        assert box
        assert box["x"] >= frame["x"]
        assert box["x"] + box["width"] <= frame["x"] + frame["width"]
        assert box["y"] + box["height"] <= frame["y"] + frame["height"]


def test_without_scripts_there_is_nothing_that_does_not_work(made: Path, browser: Browser) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(made.as_uri())
        expect(page.locator("noscript")).to_be_visible()
        expect(page.get_by_role("button")).to_have_count(0)
        expect(page.get_by_role("slider")).to_have_count(0)


def test_the_page_can_be_used_by_everybody(made: Path, page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 800})
    page.goto(made.as_uri())
    page.evaluate(AXE)
    wrong = page.evaluate("axe.run(document).then(({ violations }) => violations.map((v) => v.id))")
    assert wrong == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
