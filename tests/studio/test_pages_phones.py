"""People with phones in a real browser: by links, at an address without TLS, 360 px wide."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, FilePayload, Page, expect

from .conftest import NETWORK_HOST
from .visitor import expect_live

PHOTO = FilePayload(name="IMG.jpg", mimeType="image/jpeg", buffer=b"\xff\xd8" + bytes(300_000))
TABLE = FilePayload(name="trial.csv", mimeType="text/csv", buffer=b"0.5,1.5" + b" " * 300_000)


@pytest.fixture(scope="module")
def lab(new_studio: Callable[..., Any]) -> Any:
    address = f"http://{NETWORK_HOST}:{{port}}"
    studio = new_studio("--host", "127.0.0.2", "--public-url", address)
    for name in ("field", "seats"):
        studio.post("/campaigns", {"name": name, "classes": ["cat", "dog"], "seed": 1})
    return studio


def link(studio: Any, role: str, campaign: str, name: str) -> str:
    """Return the address that lets somebody in."""
    made = studio.post("/links", {"role": role, "campaign": campaign, "name": name})
    assert made["url"].startswith(f"http://{NETWORK_HOST}:{studio.port}/?token=")
    return str(made["url"])


@contextmanager
def phone(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": 360, "height": 740}, has_touch=True)
    context.set_default_timeout(30_000)
    errors: list[str] = []
    context.on("weberror", lambda error: errors.append(str(error.error)))
    yield context
    context.close()
    assert errors == []


def opened(context: BrowserContext, address: str) -> Page:
    page = context.new_page()
    page.goto(address)
    expect_live(page)
    return page


def given(page: Page) -> str:
    """Begin, and return the word that was asked for."""
    page.get_by_role("button", name="Give me something to do").click()
    expect(page.locator("[data-word]")).not_to_be_empty()
    return page.locator("[data-word]").inner_text()


def test_two_phones_bring_what_is_theirs_and_a_broken_upload_is_there_once(
    browser: Browser, lab: Any
) -> None:
    with phone(browser) as first, phone(browser) as second:
        anna = opened(first, link(lab, "annotator", "field", "Anna"))
        ben = opened(second, link(lab, "annotator", "field", "Ben"))
        assert anna.url.endswith("/campaigns/field/annotate")
        assert anna.evaluate("isSecureContext") is False
        assert anna.evaluate("document.documentElement.scrollWidth") <= 360
        assert {given(anna), given(ben)} == {"cat", "dog"}
        small = anna.evaluate(
            """() => [...document.querySelectorAll("button, .way")]
            .filter((one) => one.offsetHeight && Math.min(one.offsetHeight, one.offsetWidth) < 44)
            .map((one) => one.textContent)"""
        )
        assert small == []
        # Anna's connection breaks in the middle of an upload, and comes back.
        network = first.new_cdp_session(anna)
        slow = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": 30_000}
        network.send("Network.enable")
        network.send("Network.emulateNetworkConditions", {"offline": False, **slow})
        with anna.expect_request("**/recording?id=*"):
            anna.locator("#file").set_input_files([TABLE])
        network.send("Network.emulateNetworkConditions", {"offline": True, **slow})
        expect(anna.get_by_role("alert").filter(has_text="nothing is saved twice")).to_be_visible()
        fast = {**slow, "uploadThroughput": -1}
        network.send("Network.emulateNetworkConditions", {"offline": False, **fast})
        anna.get_by_role("button", name="Try again").click()
        expect(anna.locator("[data-message]")).to_contain_text("recorded. Thank you.")
        expect(anna.locator("[data-state=delivered]")).to_have_count(1)
        ben.locator("#photo").set_input_files([PHOTO])
        expect(ben.locator("[data-message]")).to_contain_text("Its numbers come later")
        expect(ben.locator("[data-mine]")).to_contain_text("kept, to be read later")
        expect(ben.locator("[data-did]")).to_have_count(1)
        rows = lab.get("/campaigns/field/history")["rows"]
        assert [row["state"] for row in rows].count("delivered") == 1
        # Undo is for one's own.
        ben.get_by_role("button", name="Undo the last").click()
        expect(ben.locator("[data-message]")).to_contain_text("taken back")
        expect(anna.locator("[data-state=delivered]")).to_have_count(1)
        persons = {row["asked_by"] for row in lab.get("/campaigns/field/history")["rows"]}
        assert persons == {"Anna", "Ben"}


def test_without_locks_windows_keep_seats_apart_and_pass_them_on(
    browser: Browser, lab: Any
) -> None:
    with phone(browser) as context:
        address = link(lab, "annotator", "seats", "Cleo")
        first = opened(context, address)
        assert first.evaluate("navigator.locks === undefined")
        word = given(first)
        second = opened(context, address)
        assert given(second) != word
        first.reload()
        expect(first.locator("[data-word]")).to_have_text(word)
        first.close()
        # The code is scanned again: a new window, and the request that was left.
        expect(opened(context, address).locator("[data-word]")).to_have_text(word)


def test_a_link_in_a_mail_lets_in_and_leaves_neither_address_nor_referrer(
    browser: Browser, lab: Any
) -> None:
    with phone(browser) as context:
        address = link(lab, "participant", "field", "Dora")
        secret = address.partition("token=")[2]
        page = context.new_page()
        page.route(
            "http://mail.example/",
            lambda route: route.fulfill(
                body=f'<a href="{address}">your link</a>', content_type="text/html"
            ),
        )
        page.goto("http://mail.example/")
        referrers: list[str] = []
        page.on("request", lambda request: referrers.append(request.headers.get("referer", "")))
        page.get_by_text("your link").click()
        expect_live(page)
        assert page.url == f"http://{NETWORK_HOST}:{lab.port}/campaigns/field/cue"
        assert not any(secret in referrer for referrer in referrers)
        (kept,) = [one for one in context.cookies() if "palacs" in one["name"]]
        assert secret not in kept["value"]
        assert lab.token not in kept["value"]
        expect(page.get_by_role("link", name="Bench")).to_have_count(0)
        # The launch token is not taken where others could read it.
        page.goto(f"http://{NETWORK_HOST}:{lab.port}/?token={lab.token}")
        expect(page.locator("body")).to_contain_text("not encrypted")


def test_the_people_page_makes_a_link_with_a_code_and_revokes_it(
    browser: Browser, lab: Any
) -> None:
    with phone(browser) as context, phone(browser) as other:
        page = context.new_page()
        page.goto(lab.launch_url)
        page.goto(f"{lab.base_url}/campaigns/field/people")
        page.get_by_label("Name").fill("Emil")
        page.get_by_text("Viewer").click()
        page.get_by_role("button", name="Make a link").click()
        expect(page.get_by_alt_text("QR code of the link")).to_be_visible()
        address = page.get_by_label("The link", exact=True).input_value()
        assert page.evaluate("document.querySelector('[data-qr]').naturalWidth") > 100
        guest = opened(other, address)
        assert guest.url.endswith("/campaigns/field")
        expect(guest.get_by_role("link", name="People")).to_have_count(0)
        page.get_by_role("button", name="Revoke the link of Emil").click()
        expect(page.locator("[data-people]")).to_contain_text("revoked")
        again = guest.reload()
        assert again is not None
        assert again.status == 401
