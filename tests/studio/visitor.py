"""A person with a browser: opens pages, and remembers everything the browser complained about."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, expect

expect.set_options(timeout=60_000)


class Visitor:
    """One browser profile on one studio."""

    def __init__(self, context: BrowserContext, studio: Any) -> None:
        self._context = context
        self._studio = studio
        self.complaints: list[str] = []
        self.foreign: list[str] = []
        context.set_default_timeout(60_000)
        context.on("console", self._heard)
        context.on("weberror", lambda error: self.complaints.append(str(error.error)))
        context.on("request", self._asked)

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def _asked(self, request: Request) -> None:
        if not request.url.startswith((f"{self._studio.base_url}/", "data:", "blob:")):
            self.foreign.append(request.url)

    def launch(self) -> None:
        """Open the launch link in a tab and close it again."""
        page = self._context.new_page()
        page.goto(self._studio.launch_url)
        page.close()

    def open(self, path: str = "/") -> Page:
        """Open a page of the studio in a new tab, with the token."""
        page = self._context.new_page()
        if not self._context.cookies():
            page.goto(self._studio.launch_url)
        page.goto(self._studio.base_url + path)
        return page


@contextmanager
def visiting(browser: Browser, studio: Any, **options: Any) -> Iterator[Visitor]:
    """Visit a studio; in the end nothing may have been complained about or fetched elsewhere."""
    context = browser.new_context(**options)
    visitor = Visitor(context, studio)
    try:
        yield visitor
    finally:
        context.close()
    assert visitor.complaints == [], f"the browser's console must stay empty: {visitor.complaints}"
    assert visitor.foreign == [], "nothing may be fetched from anywhere else"


def bench_of(name: str) -> str:
    """Path of a campaign's bench."""
    return f"/campaigns/{name}"


def expect_live(page: Page) -> None:
    """Wait until the page follows its campaign."""
    expect(page.locator("[data-connection]")).to_have_attribute("data-state", "live")


def answer(page: Page, numbers: str) -> None:
    """Answer the current request on the bench and wait for the next one."""
    before = page.locator("[data-next]").get_attribute("data-key")
    page.get_by_label("Numbers of this instance").fill(numbers)
    page.get_by_role("button", name="Tell").click()
    expect(page.locator("[data-next]")).not_to_have_attribute("data-key", before or "")
    expect(page.locator("[data-answer]")).to_be_visible()


def counts(page: Page) -> dict[str, int]:
    """Return the instances of each class, as the bench shows them."""
    rows = page.locator("[data-class]")
    return {
        str(row.get_attribute("data-class")): int(row.locator("[data-count]").inner_text())
        for row in rows.all()
    }
