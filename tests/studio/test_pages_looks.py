"""How the pages look and who can use them: light, dark, phone, screen reader, no token.

Screenshots of every page go to build/screenshots, for people to look at.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from palacs.plots import class_color

from .hand import strokes_of
from .visitor import expect_live, visiting

ROOT = Path(__file__).parents[2]
SHOTS = ROOT / "build" / "screenshots"
STATIC = ROOT / "src" / "palacs" / "studio" / "static"
PAGES = {
    "home": ("/", ".campaign"),
    "bench": ("/campaigns/motor-imagery", "[data-map] circle.mark"),
    "cue": ("/campaigns/motor-imagery/cue", ".word.asked"),
    "inside-2d": ("/campaigns/motor-imagery/inside", "[data-panel=density] image"),
    "inside-1d": ("/campaigns/e-nose/inside", "[data-panel=density] path.line"),
    "inside-many": ("/campaigns/gestures/inside", "[data-message]:not([hidden])"),
    "bench-1d": ("/campaigns/e-nose", "[data-map] circle.mark"),
    "reports": ("/reports", ".campaign"),
    "draw": ("/draw", "[data-gallery] canvas"),
    "api": ("/api/v1/docs", "h1"),
}
LOOKS: dict[str, dict[str, Any]] = {
    "light": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True},
}


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
def test_every_page_is_drawn_without_complaint_and_fits(
    browser: Browser, lab: Any, look: str
) -> None:
    SHOTS.mkdir(parents=True, exist_ok=True)
    options = LOOKS[look]
    width = options["viewport"]["width"]
    # Of nobody, so that this browser's cue shows it.
    lab.post("/campaigns/motor-imagery/ask")
    with visiting(browser, lab, **options) as visitor:
        page = visitor.open("/")
        for name, (path, ready) in PAGES.items():
            page.goto(lab.base_url + path)
            expect(page.locator(ready).first).to_be_attached()
            if page.locator("[data-connection]:visible").count():
                expect_live(page)
            page.screenshot(path=SHOTS / f"{name}-{look}.png", full_page=name != "cue")
            assert page.evaluate("document.documentElement.scrollWidth") <= width, name
            theme = page.evaluate("document.documentElement.dataset.theme")
            assert theme == options.get("color_scheme", "light")
            check_reading(page, name)


_UNNAMED = """() => {
  const named = (e) => e.getAttribute("aria-label") || e.textContent.trim()
    || (e.tagName === "IMG" && e.hasAttribute("alt"))
    || [...(e.labels ?? [])].some((label) => label.textContent.trim());
  const controls = "input, select, textarea, button, a, canvas, svg[role], img";
  return [...document.querySelectorAll(controls)]
    .filter((e) => e.checkVisibility() && !named(e)).map((e) => e.outerHTML);
}"""
_FAINT = """() => {
  const linear = (v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const light = (colour) => colour.match(/[\\d.]+/g).slice(0, 3).map((v) => linear(v / 255))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (e) => {
    for (; e; e = e.parentElement) {
      const { backgroundColor: colour, backgroundImage: image } = getComputedStyle(e);
      if (image !== "none") return null;
      if (colour !== "rgba(0, 0, 0, 0)") return colour.startsWith("rgb(") ? colour : null;
    }
    return "rgb(255, 255, 255)";
  };
  const texts = [...document.querySelectorAll("main *, header *, footer *")].filter((e) =>
    e.checkVisibility() && !e.closest(":disabled, svg, .unseen")
    && [...e.childNodes].some((node) => node.nodeType === 3 && node.data.trim()));
  return texts.flatMap((e) => {
    const [front, back] = [getComputedStyle(e).color, ground(e)];
    if (!back || !front.startsWith("rgb(")) return [];
    const [high, low] = [light(front), light(back)].sort((a, b) => b - a);
    const ratio = (high + 0.05) / (low + 0.05);
    return ratio < 4.5 ? [`${ratio.toFixed(2)} ${e.outerHTML.slice(0, 120)}`] : [];
  });
}"""


def check_reading(page: Page, name: str) -> None:
    """Whatever one reads or hears: headings, names of controls, contrast."""
    assert page.locator("html").get_attribute("lang") == "en"
    assert page.locator("h1").count() == 1, f"{name} has one main heading"
    assert page.locator("main").count() == 1
    assert page.evaluate(_UNNAMED) == [], f"{name} has controls without a name"
    assert page.evaluate(_FAINT) == [], f"{name} has text of too little contrast"
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_text("Skip to the content")
    if name in ("bench", "cue", "draw"):
        live = page.locator("[aria-live]:not([aria-live=off])")
        assert live.count() >= 1, f"{name} says aloud what is asked for next"


def test_charts_answer_to_the_keyboard_and_have_a_table(browser: Browser, lab: Any) -> None:
    with visiting(browser, lab) as visitor:
        page = visitor.open("/campaigns/motor-imagery")
        chart = page.locator("[data-map] svg")
        expect(page.locator("[data-map] circle.mark")).to_have_count(24)
        chart.focus()
        page.keyboard.press("ArrowRight")
        tip = page.locator("[data-map] .tip")
        expect(tip).to_be_visible()
        first = tip.inner_text()
        page.keyboard.press("ArrowRight")
        expect(tip).not_to_have_text(first)
        page.locator("[data-map] circle.mark.latest").hover()
        expect(tip).to_contain_text("the latest")
        page.locator("[data-map] summary").click()
        expect(page.locator("[data-map] tbody tr")).to_have_count(24)


def test_the_map_of_many_features_is_projected_as_one_likes(browser: Browser, lab: Any) -> None:
    with visiting(browser, lab) as visitor:
        page = visitor.open("/campaigns/gestures")
        points = page.locator("[data-map] circle.mark")
        expect(points).to_have_count(6)
        before = [point.get_attribute("cx") for point in points.all()]
        page.get_by_label("How the map is made").select_option("t-SNE")
        expect(points.first).not_to_have_attribute("cx", before[0] or "", timeout=60_000)
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
