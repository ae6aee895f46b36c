"""How the pages look and who can use them: light, dark, phone, screen reader, no token.

Screenshots of every page go to build/screenshots, for people to look at.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import axe_playwright_python
import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Browser, Page, expect

from palacs.campaign import create_campaign
from palacs.plots import class_color

from .hand import strokes_of
from .visitor import expect_live, visiting

ROOT = Path(__file__).parents[2]
SHOTS = ROOT / "build" / "screenshots"
STATIC = ROOT / "src" / "palacs" / "studio" / "static"
PAGES = {
    "home": ("/", ".campaign"),
    "bench": ("/campaigns/motor-imagery", "[data-map] .mark"),
    "bench-fifty": ("/campaigns/fifty", "[data-confusion] rect.cell"),
    "cue-countdown": ("/campaigns/motor-imagery/cue", ".cue.waiting .word.asked"),
    "cue": ("/campaigns/motor-imagery/cue", ".word.asked"),
    "inside-2d": ("/campaigns/motor-imagery/inside", "[data-panel=density] image"),
    "inside-1d": ("/campaigns/e-nose/inside", "[data-panel=density] path.line"),
    "session": ("/campaigns/motor-imagery/session", "[data-begin]"),
    "inside-many": ("/campaigns/gestures/inside", "[data-panel=density] image"),
    "people": ("/campaigns/motor-imagery/people", "[data-people]"),
    "annotate": ("/campaigns/motor-imagery/annotate", "[data-begin]:visible, [data-ways]:visible"),
    "bench-1d": ("/campaigns/e-nose", "[data-map] .mark"),
    "reports": ("/reports", ".campaign"),
    "draw": ("/draw", "[data-gallery] canvas"),
    "watch": ("/watch", "[data-counts] li"),
    "api": ("/api/v1/docs", "h1"),
}
LOOKS: dict[str, dict[str, Any]] = {
    "light": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True},
    "dark-phone": {"viewport": {"width": 360, "height": 740}, "color_scheme": "dark"},
}
AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def lab(new_studio: Any) -> Iterator[Any]:
    """A studio in which people have been working."""
    studio = new_studio()
    shake = random.Random(0)
    centres = {"rest": (2, 3), "left": (6, 6), "right": (7, 6), "feet": (5, 9)}
    _acquire(
        studio,
        "motor-imagery",
        list(centres),
        24,
        lambda c: [shake.gauss(m, 0.9) for m in centres[c]],
    )
    waiting = studio.post("/campaigns/motor-imagery/ask", {"n": 2})["requests"]
    studio.post("/campaigns/motor-imagery/performed", {"id": waiting[0]["id"]})
    _table(studio, "fifty", 50, 150)
    places = {"easy": 1.0, "left": 5.0, "right": 6.0}
    _acquire(studio, "e-nose", list(places), 15, lambda c: [shake.gauss(places[c], 0.6)])
    _acquire(
        studio,
        "gestures",
        ["fist", "palm"],
        6,
        lambda c: [shake.gauss(len(c), 1) for _ in range(5)],
    )
    demo = studio.post("/demo/digits/start")
    for _ in range(12):
        request = studio.post(f"/demo/digits/{demo['name']}/next")["next"]
        body = {"id": request["id"], "strokes": strokes_of(request["label"], shake.randrange(2))}
        studio.post(f"/demo/digits/{demo['name']}/drawing", body)
    report = studio.folder / "results" / "paper" / "report.html"
    report.parent.mkdir(parents=True)
    report.write_text("<!doctype html><title>Report</title><h1>A report</h1>")
    yield studio
    studio.stop()


def _table(studio: Any, name: str, classes: int, n: int) -> None:
    """Make a campaign of many classes, whose instances come in one table."""
    labels = [f"sign {code:04d}" for code in range(classes)]
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(n, 5)) + np.arange(n)[:, None] % classes)
    frame.insert(0, "label", [labels[i % classes] for i in range(n)])
    create_campaign(name, labels, storage=studio.storage, seed=0).add_table(frame)
    studio.get(f"/campaigns/{name}/insight")  # compiled before anybody waits for it


def _acquire(studio: Any, name: str, classes: list[str], n: int, source: Any) -> None:
    body = {
        "name": name,
        "classes": classes,
        "seed": 1,
        "budget": 60,
        "strategy": "pal-acs",
        "params": {"bandwidth": 0.08},
    }
    studio.post("/campaigns", body)
    for _ in range(n):
        (request,) = studio.post(f"/campaigns/{name}/ask")["requests"]
        x = source(request["label"])
        studio.post(f"/campaigns/{name}/tell", {"id": request["id"], "x": x})


@pytest.mark.parametrize("look", LOOKS)
def test_every_page_is_drawn_without_complaint_fits_and_is_for_everybody(
    browser: Browser, lab: Any, look: str
) -> None:
    SHOTS.mkdir(parents=True, exist_ok=True)
    options = LOOKS[look]
    width = options["viewport"]["width"]
    # Of nobody, so that this browser's cue shows it.
    lab.post("/campaigns/motor-imagery/ask")
    wrong: list[str] = []
    with visiting(browser, lab, **options) as visitor:
        page = visitor.open("/")
        for name, (path, ready) in PAGES.items():
            seconds = 10 if name == "cue-countdown" else 0
            page.evaluate(f"localStorage.setItem('palacs-cue-countdown', {seconds})")
            page.goto(lab.base_url + path)
            expect(page.locator(ready).first).to_be_attached()
            if page.locator("[data-connection]:visible").count():
                expect_live(page)
            if look != "dark-phone":
                page.screenshot(path=SHOTS / f"{name}-{look}.png", full_page="cue" not in name)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, name
            theme = page.evaluate("document.documentElement.dataset.theme")
            assert theme == options.get("color_scheme", "light")
            wrong += check_reading(page, name, width < 400, _COLOURS if "dark" in look else {})
    assert wrong == [], "\n".join(wrong)


# What the light pages were checked for already is the same in the dark, apart from colours.
_COLOURS = {"runOnly": ["color-contrast"]}
_JUDGE = """async (which) => {
  const { violations } = await axe.run(document, { resultTypes: ["violations"], ...which });
  return violations.flatMap(({ id, help, nodes }) => nodes.map((node) =>
    `${id}: ${help}: ${node.html.slice(0, 160)} ${node.any[0]?.message ?? ""}`));
}"""
_SMALL = """() => {
  const within = (e) => {
    const label = e.closest("label");
    const box = (label ?? e).getBoundingClientRect();
    return box.width >= 44 && box.height >= 44;
  };
  // A link in a sentence is as high as its line, which guidelines allow.
  const inText = (e) => e.matches("p a, li > a:not(.campaign), td a, code a");
  const controls = "button, a, input:not([type=hidden]), select, textarea, summary";
  return [...document.querySelectorAll(controls)]
    .filter((e) => e.checkVisibility() && !e.closest(".unseen, .skip") && !inText(e) && !within(e))
    .map((e) => `${e.outerHTML.slice(0, 120)} ${JSON.stringify(e.getBoundingClientRect())}`);
}"""


def check_reading(page: Page, name: str, phone: bool, rules: dict[str, Any]) -> list[str]:
    """Say what is wrong for whoever reads, hears or taps it: axe's rules, targets, headings."""
    page.evaluate(AXE)
    wrong = [f"{name}: {said}" for said in page.evaluate(_JUDGE, rules)]
    if phone:
        wrong += [f"{name}: less than 44 pixels: {said}" for said in page.evaluate(_SMALL)]
    assert page.locator("h1").count() == 1, f"{name} has one main heading"
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_text("Skip to the content")
    if name in ("bench", "cue", "draw"):
        live = page.locator("[aria-live]:not([aria-live=off])")
        assert live.count() >= 1, f"{name} says aloud what is asked for next"
    return wrong


def test_charts_answer_to_the_keyboard_and_have_a_table(browser: Browser, lab: Any) -> None:
    with visiting(browser, lab) as visitor:
        page = visitor.open("/campaigns/motor-imagery")
        chart = page.locator("[data-map] svg")
        expect(page.locator("[data-map] .mark")).to_have_count(24)
        chart.focus()
        page.keyboard.press("ArrowRight")
        tip = page.locator("[data-map] .tip")
        expect(tip).to_be_visible()
        first = tip.inner_text()
        page.keyboard.press("ArrowRight")
        expect(tip).not_to_have_text(first)
        page.locator("[data-map] .mark.latest").hover()
        expect(tip).to_contain_text("the latest")
        page.locator("[data-map] summary").click()
        expect(page.locator("[data-map] tbody tr")).to_have_count(24)


def test_the_map_of_many_features_is_projected_as_one_likes(browser: Browser, lab: Any) -> None:
    with visiting(browser, lab) as visitor:
        page = visitor.open("/campaigns/gestures")
        points = page.locator("[data-map] .mark")
        expect(points).to_have_count(6)
        before = [point.get_attribute("d") for point in points.all()]
        page.get_by_label("How the map is made").select_option("t-SNE")
        expect(points.first).not_to_have_attribute("d", before[0] or "", timeout=60_000)
        expect(points).to_have_count(6)


def test_the_choice_of_light_or_dark_is_remembered(browser: Browser, lab: Any) -> None:
    def ground(page: Page) -> Any:
        return page.evaluate("getComputedStyle(document.body).backgroundColor")

    with visiting(browser, lab, color_scheme="dark") as visitor:
        page = visitor.open("/")
        assert ground(page) == "rgb(20, 23, 28)"
        page.get_by_role("button", name="Change between light and dark").click()
        assert ground(page) == "rgb(251, 250, 248)"
        page.goto(lab.base_url + "/draw")
        assert ground(page) == "rgb(251, 250, 248)"


def test_without_the_token_there_is_nothing_but_the_way_in(browser: Browser, lab: Any) -> None:
    context = browser.new_context()
    page = context.new_page()
    for path in ("/", "/draw", "/campaigns/motor-imagery", "/?token=wrong"):
        answer = page.goto(lab.base_url + path)
        assert answer is not None
        assert answer.status == 401
        expect(page.locator("main")).to_contain_text("?token=")
        expect(page.locator("body")).not_to_contain_text("motor-imagery", timeout=1_000)
    page.screenshot(path=SHOTS / "no-token.png")
    page.goto(lab.launch_url)
    expect(page.get_by_text("motor-imagery")).to_be_visible()
    assert page.url == lab.base_url + "/", "the token leaves the address bar"
    context.close()


def test_a_campaign_that_is_not_there_is_said_plainly(browser: Browser, lab: Any) -> None:
    with visiting(browser, lab) as visitor:
        page = visitor.open("/campaigns/nobody")
        expect(page.locator("main")).to_contain_text("nobody")
        expect(page.get_by_role("link", name="To the campaigns")).to_be_visible()
        assert all("404" in text for text in visitor.complaints)
        visitor.complaints.clear()


def test_a_report_opens_in_its_own_tab(browser: Browser, lab: Any) -> None:
    with visiting(browser, lab) as visitor:
        page = visitor.open("/reports")
        with page.context.expect_page() as opened:
            page.get_by_role("link", name="paper").click()
        expect(opened.value.get_by_role("heading", name="A report")).to_be_visible()


def test_names_are_shown_as_text_never_as_markup(browser: Browser, lab: Any) -> None:
    name = '<img src=x onerror="alert(1)"> / & ?#"'
    classes = ["<b>bold</b>", "a & b"]
    lab.post("/campaigns", {"name": name, "classes": classes})
    with visiting(browser, lab) as visitor:
        page = visitor.open("/")
        page.get_by_role("link", name=name).click()
        expect(page.get_by_role("heading", name=name)).to_be_visible()
        page.get_by_role("button", name="Ask for the next").click()
        expect(page.locator("[data-answer]")).to_be_visible()
        expect(page.locator("[data-next]")).to_contain_text(re.compile("<b>bold</b>|a & b"))
        page.get_by_role("link", name="Cue").click()
        expect(page.locator("[data-word]")).to_have_text(re.compile("<b>bold</b>|a & b"))
        page.get_by_role("link", name="Bench").click()
        expect(page.locator("[data-pending]")).to_contain_text("left")


def test_classes_have_the_colours_of_the_pictures() -> None:
    light = (STATIC / "studio.css").read_text().split('[data-theme="dark"]')[0]
    colours = dict(re.findall(r"--class-(\d+): (#[0-9a-f]{6});", light))
    assert [colours[str(code)] for code in range(12)] == [class_color(code) for code in range(12)]


def test_nothing_on_the_pages_comes_from_elsewhere_or_is_inline() -> None:
    sources = [*STATIC.rglob("*.*"), *(STATIC.parent / "templates").rglob("*.html")]
    assert len(sources) > 20
    for source in sources:
        text = source.read_text().replace("http://www.w3.org/2000/svg", "")
        assert "://" not in text, source
        if source.suffix == ".html":
            assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", text), source
