"""Watch it work: trials as experiments play them, and the page that steps through them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from palacs.datasets import load
from palacs.evidence import default_model, normalise
from palacs.experiments import Split, run_trial
from palacs.strategies import available, make
from palacs.studio._watch import PROBLEMS, REQUESTS, WATCHED, deal, trial

from .visitor import Visitor, visiting


@pytest.mark.parametrize("strategy", ["spare-settled", "uniform"])
def test_a_watched_trial_is_the_one_that_experiments_play(strategy: Any) -> None:
    seen = trial("3Clusters", strategy, 4)
    dataset = load("3Clusters", random_state=4)
    queues, X_test, y_test = deal(normalise(dataset.X), dataset.y)
    first = np.concatenate([[0], np.cumsum([len(queue) for queue in queues])]).astype(np.int64)
    start = np.array(seen["labels"][: len(queues)])
    split = Split(np.concatenate(queues), first, start, X_test, y_test)
    played = run_trial(
        split, make(strategy, random_state=4), default_model(), REQUESTS, fused=False
    )
    assert seen["labels"][len(queues) :] == played.requested.tolist()
    assert seen["errors"][1:] == pytest.approx(played.errors.tolist())


def test_two_strategies_start_from_the_same_instances() -> None:
    one, other = (trial("Rings", name, 0) for name in ("spare-settled", "uniform"))
    assert one["points"][:4] == other["points"][:4]
    assert one["regions"][0] == other["regions"][0]
    assert one["labels"] != other["labels"]


def test_everything_that_can_be_chosen_is_there(shared_studio: Any) -> None:
    assert set(WATCHED) <= set(available())
    assert {load(problem, random_state=0).n_features for problem in PROBLEMS} == {2}
    seen = shared_studio.get("/watch?problem=Modes&strategy=uniform&seed=3")
    assert len(seen["errors"]) == len(seen["regions"]) == REQUESTS + 1
    for wrong in ("problem=Moons", "strategy=mine", "seed=-1", "seed=1000"):
        assert shared_studio.call("GET", f"/watch?{wrong}")[0] == 422


@pytest.fixture
def visitor(browser: Browser, shared_studio: Any) -> Iterator[Visitor]:
    with visiting(browser, shared_studio, reduced_motion="no-preference") as guest:
        yield guest


@pytest.fixture
def page(visitor: Visitor) -> Page:
    opened = visitor.open("/watch")
    expect(opened.locator("[data-status]")).to_contain_text("One instance of every class")
    return opened


def acquired(page: Page, side: str) -> int:
    """How many instances a side has, of all classes."""
    texts = page.locator(f"[data-side={side}] [data-counts] li").all_inner_texts()
    return sum(int(text.split("×")[1]) for text in texts)


def test_steps_scrubs_and_plays(page: Page) -> None:
    status, scrub = page.locator("[data-status]"), page.get_by_role("slider", name="Requests")
    before = page.locator("[data-side=asked] canvas").screenshot()
    page.get_by_role("button", name="Step").press("Enter")
    expect(status).to_contain_text("Request 1 of 60: Spare settled asked for")
    assert acquired(page, "asked") == acquired(page, "equal") == 4
    assert page.locator("[data-side=asked] canvas").screenshot() != before
    page.get_by_role("button", name="Back").press("Enter")
    expect(status).to_contain_text("One instance of every class")
    scrub.focus()
    page.keyboard.press("End")
    expect(status).to_contain_text("Request 60 of 60")
    assert acquired(page, "equal") == 63
    curves = page.locator("[aria-roledescription=chart] path.line")
    expect(curves).to_have_count(2)
    page.keyboard.press("ArrowLeft")
    expect(status).to_contain_text("Request 59 of 60")
    page.get_by_role("button", name="Play").click()
    expect(status).to_contain_text("Request 60 of 60")
    expect(page.get_by_role("button", name="Play")).to_be_visible()


def test_problems_strategies_and_samples_are_chosen(page: Page) -> None:
    status = page.locator("[data-status]")
    page.get_by_label("Problem").select_option("Rings")
    expect(page.locator("[data-side=equal] [data-counts] li")).to_have_count(4)
    page.get_by_role("combobox", name="Second strategy").select_option("random")
    page.get_by_role("button", name="Step").click()
    expect(status).to_contain_text(re.compile("Random asked for class"))
    label = page.locator("[data-side=asked] canvas").get_attribute("aria-label")
    assert label is not None
    assert "of class 4" in label
    page.get_by_role("button", name="Another sample").click()
    expect(status).to_contain_text("Request 1 of 60")
