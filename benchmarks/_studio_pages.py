"""What somebody at a browser waits for: pages, the next word, and what another process tells."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from _studio_running import CLASSES, N_FEATURES, TOKEN, Running, row
from palacs.campaign import create_campaign, load_campaign

sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))

NAME = "large"

# From the key to the frame after the one in which the word changed.
WATCH = """() => {
  window.took = [];
  let pressed = 0;
  document.addEventListener("keydown", () => { pressed = performance.now(); }, true);
  new MutationObserver(() => requestAnimationFrame(() => requestAnimationFrame((at) => {
    if (pressed) took.push(at - pressed);
    pressed = 0;
  }))).observe(document.querySelector("[data-word]"), { childList: true });
}"""
COMPARE = """async () => {
  const { Clock } = await import("/static/timing.js");
  const clock = new Clock(async () => (await fetch("/api/v1/clock")).json());
  await clock.compare(20);
  return [clock.offset, clock.uncertainty - clock.frame, clock.frame];
}"""
# When a row of the history was painted, in seconds since 1970.
SEEN = """(id) => new Promise((resolve) => {
  const look = () => document.querySelector(`[data-row="${id}"]`)
    && (observer.disconnect(), requestAnimationFrame(() => resolve(Date.now() / 1000)));
  const observer = new MutationObserver(look);
  observer.observe(document.body, { childList: true, subtree: true });
  look();
})"""
PAINT = """() => {
  const paint = performance.getEntriesByName("first-contentful-paint")[0];
  const all = [...performance.getEntriesByType("navigation"),
               ...performance.getEntriesByType("resource")];
  return [paint ? paint.startTime : null, all.length,
          all.reduce((sum, each) => sum + each.transferSize, 0)];
}"""


def fill(studio: Running, instances: int) -> None:
    """Make a campaign with many instances."""
    chaos = np.random.default_rng(0)
    small = create_campaign("small", CLASSES, storage="memory")
    for i in range(instances):
        small.add(chaos.normal(i % len(CLASSES), 2.0, N_FEATURES), CLASSES[i % len(CLASSES)])
    create_campaign(NAME, continue_from=small, storage=studio.storage, seed=0).close()


@contextmanager
def visiting(studio: Running) -> Iterator[Any]:
    """Open a browser that the studio lets in."""
    from playwright.sync_api import sync_playwright

    import browser

    with sync_playwright() as playwright:
        window = playwright.chromium.launch(
            executable_path=browser.find(), args=["--headless", "--no-sandbox"]
        )
        context = window.new_context()
        context.set_default_timeout(120_000)
        page = context.new_page()
        page.goto(f"{studio.address}/?token={TOKEN}")
        page.close()
        yield context
        window.close()


def pages(studio: Running, context: Any, repeats: int) -> None:
    """Measure first content, requests and bytes of every page, with an empty cache."""
    paths = {
        "campaigns": "/",
        "bench": f"/campaigns/{NAME}",
        "cue": f"/campaigns/{NAME}/cue",
        "inside": f"/campaigns/{NAME}/inside",
        "draw": "/draw",
    }
    for title, path in paths.items():
        painted, sizes = [], (0, 0)
        for _ in range(repeats):
            page = context.new_page()
            network = context.new_cdp_session(page)
            network.send("Network.enable")
            network.send("Network.setCacheDisabled", {"cacheDisabled": True})
            page.goto(studio.address + path)
            page.wait_for_timeout(1500)
            at, requests, bytes_ = page.evaluate(PAINT)
            painted.append(at or np.nan)
            sizes = requests, bytes_
            page.close()
        row(f"{title}: first content ({sizes[0]} requests, {sizes[1] / 1024:.0f} KiB)", painted)


def told_elsewhere(studio: Running, context: Any, times: int) -> None:
    """Measure from when another process was acknowledged until the bench shows it."""
    page = context.new_page()
    page.goto(f"{studio.address}/campaigns/{NAME}")
    page.locator("[data-connection][data-state=live]").wait_for()
    page.wait_for_timeout(3000)
    took = []
    with load_campaign(NAME, storage=studio.storage) as campaign:
        for i in range(times):
            campaign.add([0.5] * N_FEATURES, CLASSES[0], id=f"seen-{i}")
            at = time.time()
            took.append(1000 * (page.evaluate(SEEN, f"seen-{i}") - at))
            page.wait_for_timeout(500)
    page.close()
    row("told in another process, seen on the bench", took)


def words(studio: Running, context: Any, presses: int) -> None:
    """Let somebody perform in a large campaign, a second for each word."""
    page = context.new_page()
    page.goto(f"{studio.address}/campaigns/{NAME}/cue")
    page.locator("[data-connection][data-state=live]").wait_for()
    page.keyboard.press("Space")
    page.locator(".word.asked").wait_for()
    page.wait_for_timeout(5000)
    page.evaluate(WATCH)
    for _ in range(presses):
        page.keyboard.press("Space")
        page.wait_for_timeout(1000)
    row("from the key to the next word painted", page.evaluate("took"))
    offset, uncertainty, frame = page.evaluate(COMPARE)
    page.close()
    print(
        f"the page's clock: {1000 * offset:+.2f} ms from the studio's, known to "
        f"{1000 * uncertainty:.2f} ms; one frame is {1000 * frame:.1f} ms"
    )
