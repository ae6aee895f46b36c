"""Clocks jump and disagree; a record stays readable, and leases mean what its clock says."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from palacs.campaign import create_campaign, import_campaign, load_campaign
from palacs.storage import StorageError, open_storage

YEAR = 365.25 * 86400


class Clock:
    """A clock that says what it is told to."""

    def __init__(self, time: float = 1.8e9) -> None:
        self.time = time

    def __call__(self) -> float:
        return self.time


def test_a_clock_that_jumps_changes_who_is_pending_and_nothing_else(url: str) -> None:
    clock = Clock()
    with open_storage(url, create=True, clock=clock) as storage:
        campaign = create_campaign("c", ["a", "b"], strategy="uniform", storage=storage, lease=60)
        requests = campaign.ask_many(2)
        clock.time += 200 * YEAR
        assert campaign.pending() == []
        campaign.tell(requests[0], [1.0])
        clock.time -= 250 * YEAR  # back, to before it began
        assert [request.id for request in campaign.pending()] == [requests[1].id]
        campaign.tell(requests[1], [2.0])
        campaign.add([3.0], "a")
        again = load_campaign("c", storage=storage)
        assert again.labelled_set()[0].ravel().tolist() == [1.0, 2.0, 3.0]
        assert again.status().states["delivered"] == 3
        assert again.history()["told_at"].notna().all()
        assert again.replay().ok


def test_two_clocks_on_one_file_write_one_record(new_sqlite, tmp_path: Path) -> None:
    url = new_sqlite()
    slow, fast = Clock(), Clock(1.8e9 + 5 * YEAR)
    with open_storage(url, create=True, clock=slow) as here, open_storage(url, clock=fast) as there:
        mine = create_campaign("c", ["a", "b"], strategy="uniform", storage=here, lease=60)
        theirs = load_campaign("c", storage=there)
        for i in range(6):
            asked = (mine if i % 2 else theirs).ask()
            (theirs if i % 2 else mine).tell(asked, [float(i)])
        assert mine.labelled_set()[0].tolist() == theirs.labelled_set()[0].tolist()
        assert mine.replay().ok
        for suffix in ("csv", "json", "parquet"):
            path = mine.export(tmp_path / f"out.{suffix}")
            assert import_campaign(path, storage="memory").events() == mine.events()


@pytest.mark.parametrize("says", [math.nan, math.inf, -1.0, 1e12])
def test_a_clock_that_no_calendar_can_show_is_refused_before_anything_is_written(
    url: str, says: float
) -> None:
    clock = Clock()
    with open_storage(url, create=True, clock=clock) as storage:
        campaign = create_campaign("c", ["a", "b"], storage=storage)
        before = campaign.events()
        clock.time = says
        for attempt in (
            lambda: campaign.ask(),
            lambda: campaign.add([1.0], "a"),
            lambda: create_campaign("d", ["a", "b"], storage=storage),
        ):
            with pytest.raises(StorageError, match=r"the clock says .*set it right"):
                attempt()
        clock.time = 1.8e9
        assert campaign.events() == before
        assert [stored.name for stored in storage.campaigns()] == ["c"]


def test_the_longest_lease_far_in_the_future_can_still_be_shown(url: str) -> None:
    with open_storage(url, create=True, clock=Clock(1e11)) as storage:
        campaign = create_campaign("c", ["a", "b"], storage=storage, lease=100 * YEAR)
        request = campaign.ask()
        assert request.expires_at is not None
        assert request.expires_at.year > 5000
        assert campaign.history()["expires_at"].notna().all()
        assert campaign.status().to_json()["states"]["pending"] == 1
