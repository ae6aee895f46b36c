"""A timed session in a real browser: the timeline runs by itself, and onsets are in the record."""

from __future__ import annotations

import base64
import re
import time
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from palacs.campaign import load_campaign

from .visitor import Visitor, visiting

QUICK = {"fixation": 0.3, "cue": 0.2, "performing": [0.3, 0.4], "rest": 0.2, "block": 2}
NOTE_PHASES = """() => {
  window.seen = [];
  const stage = document.querySelector("[data-stage]");
  const note = () => seen.push(stage.dataset.phase);
  new MutationObserver(note).observe(stage, { attributeFilter: ["data-phase"] });
}"""
DOT = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"


@pytest.fixture
def visitor(browser: Browser, shared_studio: Any) -> Iterator[Visitor]:
    with visiting(browser, shared_studio) as guest:
        yield guest


def new_session(studio: Any, name: str, budget: int | None = None, **timeline: Any) -> str:
    classes = ["left", "right"]
    studio.post("/campaigns", {"name": name, "classes": classes, "seed": 1, "budget": budget})
    session = {**QUICK, **timeline}
    studio.post(f"/campaigns/{name}/change", {"session": session, "reason": "quick"})
    return f"/campaigns/{name}"


def begin(page: Page, button: str = "Begin") -> None:
    expect(page.locator("[data-stage]")).to_have_attribute("data-ready", "")
    page.get_by_label("Full screen").uncheck()
    page.get_by_role("button", name=button).click()


def test_a_session_runs_by_itself_and_notes_when_things_were_seen(
    shared_studio: Any, visitor: Visitor
) -> None:
    path = new_session(shared_studio, "timed", 3, pictures={"left": DOT}, **{"break": 0.2})
    bench = visitor.open(path)
    expect(bench.locator("[data-session-state]")).to_have_text("No session is under way.")
    page = visitor.open(f"{path}/session")
    began = time.time()
    page.evaluate(NOTE_PHASES)
    begin(page)
    expect(bench.locator("[data-session-state]")).to_contain_text("Session · trial")
    expect(page.locator("[data-says]")).to_have_text("Done")
    one = ["fixation", "cue", "performing", "rest"]
    assert page.evaluate("seen") == [*one, *one, "start", *one, "fixation", "start"]
    expect(bench.locator("[data-session-state]")).to_have_text("The session is over.")
    expect(page.locator("[data-hint]")).to_contain_text("budget of 3")
    with load_campaign("timed", storage=shared_studio.storage) as campaign:
        performed = campaign.pending()
    assert len(performed) == 3
    cues = []
    for request in performed:
        onsets = request.attrs["onsets"]
        at = {name: onsets[name] + onsets["offset"] for name in ("fixation", "cue", "rest")}
        assert began < at["fixation"] < at["cue"] < at["rest"] < time.time()
        assert onsets["cue"] - onsets["fixation"] >= 0.28
        assert 0 < onsets["uncertainty"] < 1
        assert request.performed_at is not None
        assert abs(request.performed_at.timestamp() - at["rest"]) < 1
        cues.append(at["cue"])
    assert cues == sorted(cues)


def test_a_dry_run_records_nothing(shared_studio: Any, visitor: Visitor) -> None:
    path = new_session(shared_studio, "dry", block=1, **{"break": None})
    page = visitor.open(f"{path}/session")
    begin(page, "Dry run")
    expect(page.locator("[data-says]")).to_have_text("Break")
    assert shared_studio.get(f"{path}/history")["rows"] == []


def test_a_pause_waits_for_the_trial_and_is_ended_from_the_bench(
    shared_studio: Any, visitor: Visitor
) -> None:
    path = new_session(shared_studio, "paused", block=None, performing=1.5)
    bench = visitor.open(path)
    page = visitor.open(f"{path}/session")
    begin(page)
    stage = page.locator("[data-stage]")
    expect(stage).to_have_attribute("data-phase", "performing")
    page.keyboard.press("Space")  # means nothing while performing
    bench.get_by_role("button", name="Pause the session").click()
    expect(page.locator("[data-says]")).to_have_text("Paused")
    performed = [row["performed_at"] for row in shared_studio.get(f"{path}/history")["rows"]]
    assert performed
    assert all(performed)
    bench.get_by_role("button", name="Let it go on").click()
    expect(stage).not_to_have_attribute("data-phase", "start")


def test_the_timeline_is_set_on_the_bench(shared_studio: Any, visitor: Visitor) -> None:
    shared_studio.post("/campaigns", {"name": "planned", "classes": ["left", "right"]})
    page = visitor.open("/campaigns/planned")
    page.get_by_text("Timeline", exact=True).click()
    page.get_by_label("Begin with").select_option("odours")
    expect(page.get_by_label("Performing")).to_have_value("10")
    page.get_by_label("Performing").fill("6 - 8")
    page.get_by_label("Rest", exact=True).fill("5 - 99999999")
    page.get_by_role("button", name="Save the timeline").click()
    expect(page.locator("[data-session-error]")).to_contain_text("between 0 and 3600")
    visitor.complaints.clear()
    page.get_by_label("Rest", exact=True).fill("5")
    page.get_by_role("button", name="Save the timeline").click()
    expect(page.locator("[data-session-error]")).to_be_hidden()
    expect(page.locator("[data-session-saved]")).to_be_visible()
    kept = shared_studio.get("/campaigns/planned/session")["timeline"]
    assert (kept["performing"], kept["rest"], kept["block"]) == ([6.0, 8.0], 5.0, 12)


CLOCK_THAT_IS_SET = """() => {
  const [plain, fetched] = [window.fetch, { shift: 0 }];
  window.setClock = (seconds) => { fetched.shift = seconds; };
  window.fetch = async (where, how) => {
    const answer = await plain(where, how);
    if (!String(where).endsWith("/clock")) return answer;
    const { at } = await answer.json();
    return new Response(JSON.stringify({ at: at + fetched.shift }));
  };
}"""


def test_a_clock_that_is_set_is_known_in_the_next_trial(
    shared_studio: Any, visitor: Visitor
) -> None:
    path = new_session(shared_studio, "set-clock", 4, block=1, **{"break": None})
    page = visitor.open(f"{path}/session")
    page.evaluate(CLOCK_THAT_IS_SET)
    begin(page)
    expect(page.locator("[data-says]")).to_have_text("Break")
    page.evaluate("setClock(100)")
    page.keyboard.press("Space")
    stage = page.locator("[data-stage]")
    expect(stage).not_to_have_attribute("data-phase", "start")
    expect(stage).to_have_attribute("data-phase", "start")
    rows = shared_studio.get(f"{path}/history")["rows"]
    # On a busy machine the page has asked for the next one already.
    performed = [row["attrs"]["onsets"] for row in rows if row["performed_at"]]
    assert [round(onsets["offset"], -1) for onsets in performed] == [0, 100]


def test_space_on_dry_run_records_nothing_and_a_silent_storage_loses_no_trial(
    shared_studio: Any, visitor: Visitor
) -> None:
    path = new_session(shared_studio, "rehearsed", 1, block=1, **{"break": None})
    page = visitor.open(f"{path}/session")
    expect(page.locator("[data-stage]")).to_have_attribute("data-ready", "")
    page.get_by_label("Full screen").uncheck()
    page.get_by_role("button", name="Dry run").focus()
    page.keyboard.press("Space")
    expect(page.locator("[data-says]")).to_have_text("Break")
    assert shared_studio.get(f"{path}/history")["rows"] == []
    page.reload()
    silent = {"error": {"message": "the storage does not answer", "kind": "storage"}}
    page.route("**/performed", lambda route: route.fulfill(status=503, json=silent), times=1)
    begin(page)
    expect(page.locator("[data-says]")).to_have_text("Break")
    (row,) = shared_studio.get(f"{path}/history")["rows"]
    assert row["attrs"]["onsets"]
    visitor.complaints.clear()


HIDE = """(hidden) => {
  Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


def test_what_was_not_seen_fails_and_a_lost_connection_or_full_screen_loses_nothing(
    shared_studio: Any, visitor: Visitor
) -> None:
    path = new_session(shared_studio, "disturbed", block=None)
    page = visitor.open(f"{path}/session")
    stage, says = page.locator("[data-stage]"), page.locator("[data-says]")
    begin(page)
    expect(stage).to_have_attribute("data-phase", "performing")
    page.evaluate(HIDE, True)
    expect(says).to_have_text("Paused")
    page.evaluate(HIDE, False)
    page.route("**/performed", lambda route: route.abort("internetdisconnected"), times=1)
    page.keyboard.press("Space")
    expect(stage).to_have_attribute("data-phase", "cue")
    page.evaluate("() => document.dispatchEvent(new Event('fullscreenchange'))")
    expect(says).to_have_text("Paused")
    performed: list[Any] = []
    while not performed:  # sent again by and by; the page is answered only while this waits for it
        page.wait_for_timeout(50)
        rows = shared_studio.get(f"{path}/history")["rows"]
        performed = [r for r in rows if r["performed_at"] and r["state"] != "failed"]
    (failed,) = [row for row in rows if row["state"] == "failed"]
    assert failed["reason"] == "the page was not to be seen while performing"
    assert all(row["attrs"]["onsets"]["cue"] > 0 for row in performed)
    visitor.complaints.clear()  # the browser names the connection that was cut


def test_a_pause_that_comes_in_a_break_holds_beyond_it(
    shared_studio: Any, visitor: Visitor
) -> None:
    path = new_session(shared_studio, "held", block=1, **{"break": 2})
    page = visitor.open(f"{path}/session")
    stage = page.locator("[data-stage]")
    seats: list[str] = []
    page.on("request", lambda sent: seats.append(sent.headers.get("palacs-holder", "")))
    begin(page)
    expect(page.locator("[data-says]")).to_have_text("Break")
    holder = next(seat for seat in reversed(seats) if seat)
    shared_studio.post(f"{path}/session/command", {"holder": holder, "command": "pause"})
    expect(page.locator("[data-hint]")).to_have_text("Paused.")
    shared_studio.post(f"{path}/session/command", {"holder": holder, "command": "go on"})
    expect(stage).not_to_have_attribute("data-phase", "start")


def test_a_picture_chosen_on_the_bench_is_what_the_participant_sees(
    shared_studio: Any, visitor: Visitor
) -> None:
    path = new_session(shared_studio, "pictured", 1)
    bench = visitor.open(path)
    bench.get_by_text("Timeline", exact=True).click()
    picture = base64.b64decode(DOT.partition(",")[2])
    for label in ("left", "right"):
        bench.get_by_label(f"Picture of {label}").set_input_files(
            {"name": "dot.gif", "mimeType": "image/gif", "buffer": picture}
        )
    expect(bench.locator("[data-media]").get_by_text("Picture ✓")).to_have_count(2)
    bench.get_by_role("button", name="Save the timeline").click()
    expect(bench.locator("[data-session-saved]")).to_be_visible()
    page = visitor.open(f"{path}/session")
    begin(page)
    expect(page.locator("[data-picture]")).to_have_attribute("src", re.compile("^data:image/webp"))
