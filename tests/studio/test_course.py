"""Changing a campaign's course over REST and on the bench."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from palacs.campaign import load_campaign

from .visitor import Visitor, expect_live, visiting


@pytest.fixture
def visitor(browser: Browser, shared_studio: Any) -> Iterator[Visitor]:
    with visiting(browser, shared_studio) as guest:
        yield guest


def new_campaign(studio: Any, name: str, **settings: Any) -> str:
    studio.post("/campaigns", {"name": name, "classes": ["rest", "left"], "seed": 1, **settings})
    return f"/campaigns/{name}"


def test_settings_change_and_null_is_no_limit(shared_studio: Any) -> None:
    path = new_campaign(shared_studio, "course", budget=3)
    answer = shared_studio.post(
        f"{path}/change", {"budget": None, "strategy": "uniform", "lease": 9.5, "reason": "day 2"}
    )
    assert answer["settings"]["budget"] is None
    assert answer["settings"]["strategy"]["name"] == "uniform"
    assert answer["settings"]["lease"] == 9.5
    with load_campaign("course", storage=shared_studio.storage) as campaign:
        assert campaign.settings.budget is None
    for wrong in ({"budget": 4}, {"budget": 4, "reason": ""}, {"reason": "x"}, {"seed": 1}):
        status, _ = shared_studio.call("POST", f"{path}/change", {"reason": "", **wrong})
        assert status == 422


def test_names_leases_and_phases_change(shared_studio: Any) -> None:
    path = new_campaign(shared_studio, "phases")
    [request] = shared_studio.post(f"{path}/ask")["requests"]
    [renewed] = shared_studio.post(f"{path}/renew", {"id": request["id"]})["requests"]
    assert renewed["expires_at"] > request["expires_at"]
    shared_studio.post(f"{path}/rename-class", {"label": "left", "to": "l", "reason": "short"})
    assert shared_studio.post(f"{path}/close", {"reason": "done"}) == {
        "id": None,
        "label": None,
        "state": "closed",
    }
    status, answer = shared_studio.call("POST", f"{path}/ask", {})
    assert (status, answer["error"]["kind"]) == (409, "campaign-closed")
    shared_studio.post(f"{path}/tell", {"id": request["id"], "x": [1.0]})
    shared_studio.post(f"{path}/archive", {"reason": "old"})

    def names(query: str = "") -> list[str]:
        return [row["name"] for row in shared_studio.get(f"/campaigns{query}")["campaigns"]]

    assert "phases" not in names()
    assert "phases" in names("?archived=true")
    shared_studio.post(f"{path}/reopen", {"reason": "one more"})
    assert "phases" in names()
    assert [c["label"] for c in shared_studio.get(f"{path}/status")["classes"]] == ["rest", "l"]


def test_the_bench_changes_the_budget_closes_and_reopens(
    shared_studio: Any, visitor: Visitor
) -> None:
    path = new_campaign(shared_studio, "bench-course", budget=1)
    shared_studio.post(f"{path}/ask")
    page = visitor.open(path)
    expect_live(page)
    budget, reason = page.get_by_label("Budget"), page.get_by_label("Why it changes")
    expect(budget).to_have_value("1")
    budget.fill("5")
    reason.fill("four more came")
    page.get_by_role("button", name="Change the budget").click()
    expect(page.locator("[data-summary]")).to_contain_text("0 of 5 acquired")
    page.get_by_role("button", name="Close", exact=True).click()
    expect(page.locator("[data-course]")).to_contain_text("open")  # a reason is required
    reason.fill("enough")
    page.get_by_role("button", name="Close", exact=True).click()
    expect(page.locator("[data-course]")).to_contain_text("closed")
    expect(page.locator("[data-summary]")).to_contain_text("closed")
    expect(page.get_by_role("button", name="Change the budget")).to_be_hidden()
    page.get_by_role("button", name="Renew").click()
    reason.fill("not enough")
    page.get_by_role("button", name="Reopen").click()
    expect(page.locator("[data-course]")).to_contain_text("open")
    with load_campaign("bench-course", storage=shared_studio.storage) as campaign:
        kinds = [event.kind for event in campaign.events()]
    assert kinds == ["created", "asked", "changed", "closed", "renewed", "reopened"]
