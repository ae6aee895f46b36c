"""The bench at any size, and for anybody: many classes, tables, instruments, languages, keys."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Browser, FilePayload, Page, Response, Route, expect

from palacs.campaign import Recording, bring_recording, create_campaign, load_campaign

from .visitor import Visitor, expect_live, visiting


@pytest.fixture
def visitor(browser: Browser, shared_studio: Any) -> Iterator[Visitor]:
    with visiting(browser, shared_studio) as guest:
        yield guest


def many(studio: Any, name: str, n_classes: int, n: int) -> None:
    """Make a campaign of many classes, pairs of which are confused."""
    labels = [f"sign {code:04d}" for code in range(n_classes)]
    codes = np.arange(n) % n_classes
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(0, 0.3, (n, 6)) + codes[:, None] // 2)
    frame.insert(0, "label", [labels[code] for code in codes])
    strategy, storage = "uniform", studio.storage
    create_campaign(name, labels, strategy=strategy, storage=storage, seed=0).add_table(frame)


def test_two_thousand_classes_open_in_small_answers(shared_studio: Any, visitor: Visitor) -> None:
    many(shared_studio, "two-thousand", 2000, 3000)
    page = visitor.open("/reports")
    sizes: dict[str, int] = {}

    def note(answer: Response) -> None:
        if "/api/v1/" in answer.url and "/events" not in answer.url:
            sizes[answer.url] = len(answer.body())

    page.on("response", note)
    page.goto(f"{shared_studio.base_url}/campaigns/two-thousand")
    expect(page.locator("[data-class]")).to_have_count(10)
    expect(page.locator("[data-summary]")).to_contain_text("3,000 acquired · 2,000 classes")
    expect(page.locator("[data-confusions] li")).to_have_count(10)
    expect(page.locator("[data-confusion] rect.cell").first).to_be_attached()
    expect(page.locator("[data-utilities] li")).to_have_count(10)
    expect(page.locator("[data-map] .mark")).to_have_count(2000)
    assert len(sizes) >= 7
    assert max(sizes.values()) < 1_000_000, sizes


def test_many_classes_are_searched_and_the_matrix_is_zoomed(
    shared_studio: Any, visitor: Visitor
) -> None:
    many(shared_studio, "fifty", 50, 300)
    page, held = visitor.open("/reports"), list[Route]()
    page.route(re.compile("part=evidence"), lambda route: held.append(route))
    page.goto(f"{shared_studio.base_url}/campaigns/fifty")
    rows, counted = page.locator("[data-class]"), page.locator("[data-class-count]")
    expect(counted).to_have_text("10 of 50, the fewest first until recall is worked out")
    for _ in range(2):  # before there is evidence, and with it
        expect(rows).to_have_count(10)
        page.get_by_label("Search").fill("0049")
        expect(rows).to_have_count(1)
        page.get_by_label("Search").fill("")
        page.unroute_all()  # what was held goes on
        expect(counted).to_have_text("10 of 50")
    page.get_by_label("First").select_option("as declared")
    expect(rows.first).to_have_attribute("data-class", "sign 0000")
    page.get_by_role("button", name="Show more classes").click()
    expect(rows).to_have_count(50)
    where = page.locator("[data-confusion] [role=status]").first
    expect(where).to_have_text("Each cell sums 2 by 2 classes.")
    matrix = page.locator("[data-confusion] svg")
    matrix.focus()
    for key in ("ArrowRight", "Enter"):
        page.keyboard.press(key)
    expect(where).to_contain_text("Classes 1 to 4, taken for 1 to 4, of 50")
    page.keyboard.press("Escape")
    expect(where).to_have_text("Each cell sums 2 by 2 classes.")
    page.locator("[data-confusions] button").first.click()
    expect(where).to_contain_text("taken for")
    page.get_by_role("button", name="Show the whole matrix").click()
    expect(where).to_have_text("Each cell sums 2 by 2 classes.")


def test_what_is_printed_for_instruments_runs(shared_studio: Any, visitor: Visitor) -> None:
    name = 'nose "3", it\'s 100 %'
    shared_studio.post("/campaigns", {"name": name, "classes": ["a b", "c"], "n_features": 3})
    page = visitor.open("/")
    page.get_by_role("link", name=name).click()
    last = page.locator("[data-last-tell]")
    expect(last).to_have_text("Nothing was told yet.")
    env = {**os.environ, "PALACS_STUDIO_TOKEN": shared_studio.token}
    for told, (language, runner) in enumerate(
        (("python", [sys.executable, "-c"]), ("curl", ["sh", "-euc"])), 1
    ):
        page.get_by_label("Language").select_option(language)
        program = page.locator("[data-program] code").inner_text()
        assert "0.1" in program
        subprocess.run([*runner, program], env=env, check=True, timeout=60, capture_output=True)
        expect(page.locator("[data-summary]")).to_contain_text(f"{told} acquired")
    expect(last).to_contain_text("s ago: ")
    page.get_by_label("Language").select_option("matlab")
    expect(page.locator("[data-program]")).to_contain_text('webwrite(campaign + "/tell"')
    before = last.inner_text()
    expect(last).not_to_have_text(before)  # it goes on by itself
    with load_campaign(name, storage=shared_studio.storage) as campaign:
        assert campaign.labelled_set()[0].tolist() == [[0.1, 0.2, 0.3]] * 2


def test_a_table_comes_in_whole_and_the_labelled_set_goes_out(
    shared_studio: Any, visitor: Visitor
) -> None:
    shared_studio.post("/campaigns", {"name": "tabled", "classes": ["rest", "left"], "seed": 1})
    page = visitor.open("/campaigns/tabled")
    expect_live(page)

    def send(content: str) -> None:
        file = FilePayload(name="lab.csv", mimeType="text/csv", buffer=content.encode())
        page.get_by_label("Choose a table").set_input_files([file])

    head = "label,x0,x1,x2,x3,x4\n"
    send(f"{head}rest,1,2,3,4,5\nfeet,1,2,3,4,5\n")
    wrong = page.locator("[data-table-error]")
    expect(wrong).to_contain_text("The table lab.csv: row 3: 'feet' is no class of this campaign")
    visitor.complaints.clear()
    assert shared_studio.get("/campaigns/tabled/status")["instances"] == 0
    send(f"{head}rest,1,2,3,4,5.5\nleft,1,2,3,4,0.25\n")
    expect(page.locator("[data-table-told]")).to_contain_text("2 instances of 2 classes recorded")
    expect(wrong).to_be_hidden()
    page.get_by_role("button", name="All 5 values of").first.click()
    expect(page.locator("[data-all-values]")).to_have_text("1, 2, 3, 4, 0.25")
    page.get_by_role("button", name="Close", exact=True).last.click()
    expect(page.locator("[data-stopping]")).to_contain_text("No advice to stop")
    with page.expect_download() as download:
        page.get_by_role("link", name="Labelled set (CSV)").click()
    assert download.value.suggested_filename == "tabled-labelled.csv"
    assert download.value.path().read_text() == (
        "x0,x1,x2,x3,x4,label\n1.0,2.0,3.0,4.0,5.5,rest\n1.0,2.0,3.0,4.0,0.25,left\n"
    )


def test_recordings_that_wait_are_shown_and_extracted(shared_studio: Any, visitor: Visitor) -> None:
    file = io.BytesIO()
    np.savez(file, epoch=np.random.default_rng(0).normal(size=(1, 400)))
    with create_campaign("waiting", ["left", "right"], storage=shared_studio.storage) as campaign:
        for kept in (
            Recording.keep(file.getvalue(), "good.npz"),
            Recording.keep(b"?", "bad.npz"),
        ):
            bring_recording(campaign, campaign.ask(), kept)
        page = visitor.open("/campaigns/waiting")
        note, rows = page.locator("[data-recorded-note]"), page.locator("[data-recorded-request]")
        expect(note).to_contain_text("2 recordings wait for features, and no extractor is in force")
        expect(rows).to_have_count(2)
        expect(page.get_by_role("button", name="Extract")).to_have_count(0)
        campaign.extract("mel-bands(rate=100)", reason="now there is one")
        expect(note).to_contain_text("in force is palacs.extractors.MelBands(rate=100)")
        page.get_by_role("button", name="Extract all").click()
        expect(page.locator("[data-recorded-told]")).to_have_text("1 instance recorded.")
        expect(page.locator("[data-recorded-error]")).to_contain_text("bad.npz")
        expect(rows).to_have_count(1)
        assert [row["file"] for row in campaign.recordings_waiting()] == ["bad.npz"]
    visitor.complaints.clear()  # the browser notes the one that was refused


def test_numbers_typed_for_a_request_that_is_over_are_not_the_next_ones(
    shared_studio: Any, visitor: Visitor
) -> None:
    shared_studio.post("/campaigns", {"name": "overtaken", "classes": ["left", "right"], "seed": 1})
    first, second = shared_studio.post("/campaigns/overtaken/ask", {"n": 2})["requests"]
    page = visitor.open("/campaigns/overtaken")
    expect(page.locator("[data-next]")).to_contain_text(first["id"])
    numbers = page.get_by_label("Numbers of this instance")
    numbers.fill("1, 2")
    shared_studio.post("/campaigns/overtaken/tell", {"id": first["id"], "x": [5, 6]})
    expect(page.locator("[data-next]")).to_contain_text(second["id"])
    numbers.press("Enter")
    error = page.locator("[data-error]").first
    expect(error).to_contain_text(f"{first['id']}, for which this was meant, is answered or over")
    assert shared_studio.get("/campaigns/overtaken/status")["instances"] == 1
    numbers.press("Enter")
    expect(page.locator("[data-told]")).to_contain_text(f"{second['id']}: 2 features: 1, 2")


def test_a_budget_that_was_typed_stays_while_others_tell(
    shared_studio: Any, visitor: Visitor
) -> None:
    shared_studio.post("/campaigns", {"name": "typed", "classes": ["left", "right"], "budget": 50})
    page = visitor.open("/campaigns/typed")
    expect_live(page)
    page.locator("#course-budget").fill("80")
    page.locator("#course-reason").fill("more")
    shared_studio.post("/campaigns/typed/add", {"x": [1, 2], "label": "left"})
    expect(page.locator("[data-summary]")).to_contain_text("1 of 50 acquired")
    page.get_by_role("button", name="Change the budget").click()
    expect(page.locator("[data-summary]")).to_contain_text("1 of 80 acquired")
    expect(page.locator("#course-budget")).to_have_value("80")


def test_who_is_on_a_button_or_link_stays_there_while_others_tell(
    shared_studio: Any, visitor: Visitor
) -> None:
    shared_studio.post("/campaigns", {"name": "still", "classes": ["21", "1"], "seed": 1})
    told = {"x": [1, 2], "label": "1"}
    first = shared_studio.post("/campaigns/still/add", told)["instance"]["id"]
    page = visitor.open("/campaigns/still")
    for n, name in enumerate((f"Retract {first}", "Pause 1"), 2):
        button = page.get_by_role("button", name=name, exact=True)
        button.focus()
        shared_studio.post("/campaigns/still/add", told)
        expect(page.locator("[data-summary]")).to_contain_text(f"{n} acquired")
        expect(page.locator("[data-row]")).to_have_count(n)
        expect(button).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Resume 1", exact=True)).to_be_focused()
    page = visitor.open("/")
    link = page.locator("a.campaign[href='/campaigns/still']")
    link.focus()
    shared_studio.post("/campaigns/still/add", told)
    expect(link).to_contain_text("4 acquired")
    expect(link).to_be_focused()


def test_a_campaign_is_created_with_everything(shared_studio: Any, visitor: Visitor) -> None:
    page = visitor.open("/")
    given = {
        "Name": "everything",
        "Classes": "left, right",
        "Cost budget optional": "99.5",
        "Lease optional": "0",
        "Seed optional": "7",
        "Groups optional": "subject",
        "Names of the features optional": "alpha, beta",
        "Attributes optional": "device: cap 3",
        "Cost of an instance": "left: 2\nright: 1.5",
        "How often classes occur in use": "left: 0.25\nright: 0.75",
        "Cost of a mistake": "left as right: 5\nright as left: 1",
        "Instances at most": "left: forty",
        "In a row at most": "3",
        "Each at least once in": "9",
    }
    page.get_by_text("More settings").click()
    for label, text in given.items():
        page.get_by_label(label, exact=True).fill(text)
    page.get_by_role("button", name="Create").click()
    error = page.locator("[data-create] [data-error]")
    expect(error).to_have_text("“forty” is not a number.")
    expect(page.get_by_label("Instances at most")).to_be_focused()
    page.get_by_label("Instances at most").fill("left: 40")
    page.get_by_role("button", name="Create").click()
    page.wait_for_url("**/campaigns/everything")
    settings = shared_studio.get("/campaigns/everything")["settings"]
    assert (settings["seed"], settings["lease"], settings["budget_cost"]) == (7, None, 99.5)
    assert (settings["groups"], settings["attrs"]) == (["subject"], {"device": "cap 3"})
    assert settings["features"] == {"names": ["alpha", "beta"]}
    assert settings["conditions"] == {
        "costs": {"left": 2.0, "right": 1.5},
        "proportions": {"left": 0.25, "right": 0.75},
        "mistakes": {"left": {"right": 5.0}, "right": {"left": 1.0}},
        "caps": {"left": 40},
        "max_repeat": 3,
        "at_least_every": 9,
    }


def test_campaigns_are_searched_titled_and_archived(shared_studio: Any, visitor: Visitor) -> None:
    for name in ("needle 1", "needle 2"):
        shared_studio.post("/campaigns", {"name": name, "classes": ["rest", "left"]})
    page = visitor.open("/")
    found = page.locator("[data-campaigns] .campaign")
    page.get_by_label("Search").fill("NEEDLE")
    expect(found).to_have_count(2)
    page.get_by_role("button", name="Manage needle 1").click()
    page.get_by_label("Title").fill("The day after")
    page.locator("#manage-budget").fill("12")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("[data-manage] [data-error]")).to_contain_text("Say why")
    page.get_by_label("Why it changes").fill("people mixed them up")
    page.get_by_role("button", name="Save").click()
    expect(found.filter(has_text="The day after")).to_contain_text("0 of 12")
    expect(found.filter(has_text="The day after")).to_contain_text("needle 1")
    page.get_by_role("button", name="Manage needle 2").click()
    page.get_by_label("Why it changes").fill("over")
    page.get_by_role("button", name="Archive").click()
    expect(found).to_have_count(1)
    page.get_by_label("Also those archived").check()
    expect(found).to_have_count(2)
    found.filter(has_text="The day after").click()
    expect(page.get_by_role("heading", name="The day after")).to_be_visible()


def test_numbers_and_dates_are_written_as_the_reader_does(
    browser: Browser, shared_studio: Any
) -> None:
    shared_studio.post("/campaigns", {"name": "deutsch", "classes": ["rest", "left"], "seed": 1})
    with load_campaign("deutsch", storage=shared_studio.storage) as campaign:
        for i in range(4):
            campaign.add([1234.5 + i, 0.25], ("rest", "left")[i % 2])
    with visiting(browser, shared_studio, locale="de-DE") as guest:
        page = guest.open("/campaigns/deutsch")
        rows = page.locator("[data-history] tbody tr")
        expect(rows.first.locator(".values")).to_have_text("1240; 0,25")
        expect(page.locator("[data-class='rest']")).to_contain_text("50\u00a0%")
        page.goto(f"{shared_studio.base_url}/")
        page.get_by_label("Name", exact=True).fill("halb")
        page.get_by_label("Classes", exact=True).fill("a, b")
        page.get_by_label("From").fill("0,5")
        page.get_by_label("To", exact=True).fill("1.500")
        page.get_by_role("button", name="Create").click()
        expect(page.locator("main")).to_contain_text("“1.500” is not a number.")
        page.get_by_label("To", exact=True).fill("1,5")
        page.get_by_role("button", name="Create").click()
        page.wait_for_url("**/campaigns/halb")
    assert shared_studio.get("/campaigns/halb")["settings"]["bounds"] == [[0.5, 1.5]]


def _visible(page: Page, selector: str) -> bool:
    """Whether the ground of something differs from the page's."""
    ground = "e => getComputedStyle(e).backgroundColor"
    shown = page.locator(selector).first.evaluate(ground)
    return bool(shown != page.locator("body").evaluate(ground) and "0, 0, 0, 0" not in shown)


def test_own_colours_little_motion_and_no_shortcuts(browser: Browser, shared_studio: Any) -> None:
    shared_studio.post("/campaigns", {"name": "calm", "classes": ["rest", "left"], "seed": 1})
    with load_campaign("calm", storage=shared_studio.storage) as campaign:
        campaign.add([0.5], "rest")
    wishes: dict[str, Any] = {"forced_colors": "active", "reduced_motion": "reduce"}
    with visiting(browser, shared_studio, **wishes) as guest:
        page = guest.open("/campaigns/calm")
        expect(page.locator("[data-map] .mark")).to_have_count(1)
        for what in (".name .dot", ".classes-table .fill"):
            assert _visible(page, what), f"{what} is still to be seen"
        ask = page.get_by_role("button", name="Ask for the next")
        assert ask.evaluate("e => getComputedStyle(e).forcedColorAdjust") == "none", "it is read"
        assert page.locator(".classes-table .fill").first.evaluate(
            "e => getComputedStyle(e).transitionDuration"
        ) in ("0s", "")
        page.goto(f"{shared_studio.base_url}/campaigns/calm/cue")
        expect(page.locator("[data-word]")).to_have_text("Ready")
        page.get_by_label("Keyboard shortcuts").uncheck()
        page.keyboard.press("Space")  # acts on what has the focus: it is checked again
        expect(page.get_by_label("Keyboard shortcuts")).to_be_checked()
        page.get_by_label("Keyboard shortcuts").uncheck()
        page.locator("body").press("u")
        page.reload()
        expect(page.get_by_label("Keyboard shortcuts")).not_to_be_checked()
        expect(page.locator("kbd").first).to_be_hidden()
        expect(page.locator("[data-prompt]")).to_have_text("Press Begin")
        page.locator("body").press("Space")
        page.get_by_role("button", name="Begin").click()
        expect(page.locator(".word.asked")).to_be_visible()
        with load_campaign("calm", storage=shared_studio.storage) as campaign:
            assert [event.kind for event in campaign.events()] == ["created", "added", "asked"]
