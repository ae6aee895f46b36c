"""What ``make soak`` tries at length, in small: nothing acknowledged is lost or doubled."""

from __future__ import annotations

import importlib
import sqlite3
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import sqlalchemy as sa

from palacs.campaign import create_campaign
from palacs.storage import StorageOutcomeUnknown, StorageUnavailable


@pytest.fixture(scope="module")
def soak(benchmark_module: Callable[[str], ModuleType]) -> ModuleType:
    """The same as ``make soak``, found under its own name by the processes it starts."""
    return benchmark_module("soak")


def _advance(_done: float) -> None:
    """Show no progress."""


def _kept_every_promise(tally: Any) -> None:
    assert tally.ok, tally
    assert tally.recorded >= tally.acknowledged > 0
    assert tally.replayed > 0


def test_forty_kills_lose_nothing(url: str, soak: ModuleType) -> None:
    tally = soak.kills(url, 40, _advance)
    _kept_every_promise(tally)
    assert tally.acknowledged > 40
    if url.startswith("sqlite"):
        file = sqlite3.connect(str(sa.make_url(url).database))
        assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        file.close()


def test_forked_children_and_their_parent_write_at_once(url: str, soak: ModuleType) -> None:
    _kept_every_promise(soak.forks(url, 1, _advance))


def test_clocks_may_jump_by_years(url: str, soak: ModuleType) -> None:
    tally = soak.clocks(url, 20, _advance)
    _kept_every_promise(tally)
    assert tally.refused > 0, "the budget was never reached, so nothing was tried"


def test_a_connection_may_be_cut_in_the_middle_of_a_commit(
    new_postgresql: Any, soak: ModuleType
) -> None:
    tally = soak.cuts(new_postgresql(), 8, _advance)
    _kept_every_promise(tally)
    assert tally.refused > 0
    for where in ("before", "in", "after"):
        assert f"{where} COMMIT" in tally.detail


def test_a_flipped_bit_is_harmless_or_refused(soak: ModuleType) -> None:
    tallies = soak.flips(40, _advance)
    assert [tally.database for tally in tallies] == ["sqlite", "sqlite's log", "exports"]
    for tally in tallies:
        assert tally.ok, tally
        assert tally.refused > 0


def test_made_up_input_is_counted(soak: ModuleType) -> None:
    [tally] = soak.fuzz(25, _advance, only="instance_file")
    assert tally.ok, tally
    assert tally.done == "25 examples"


def test_what_is_lost_doubled_or_altered_is_counted(soak: ModuleType, tmp_path: Path) -> None:
    campaign = create_campaign("c", ["a", "b"], strategy="uniform", storage="memory")
    diaries = importlib.import_module("_soak_diary")
    diary = diaries.Diary(tmp_path, "worker")
    request = diary.do("asked", lambda op: campaign.ask(op=op))
    diary.do("told", lambda op: campaign.tell(request, [1.0], op=op), [1.0])
    tried = soak.Tally("trying", "memory", "twice")
    assert diaries.examine(campaign, tmp_path, tried).ok
    diary.do("told", lambda _: campaign.instance(request.id), [1.0])  # never came in
    diary.do("added", lambda op: campaign.add([2.0], "a", op=op), [3.0])
    campaign.tell_many([(each, [4.0]) for each in campaign.ask_many(2)], op="both")
    found = diaries.examine(campaign, tmp_path, tried)
    assert (found.acknowledged, found.recorded) == (4, 4)
    assert (found.lost, found.altered, found.doubled) == (1, 1, 1)
    diary.refused(StorageUnavailable("nothing was kept"), "worker-1")
    assert diaries.examine(campaign, tmp_path, tried).broken == 1
    diary.refused(StorageOutcomeUnknown("who knows"), "worker-2")
    assert diaries.examine(campaign, tmp_path, tried).broken == 1


def test_the_counts_are_one_table(soak: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    good = soak.Tally("fork", "sqlite", "20 children", acknowledged=1234, recorded=1235)
    bad = soak.Tally("connection cut", "postgresql", "7 cuts", lost=1, detail="7 in COMMIT")
    assert good.ok
    assert not bad.ok
    soak.show([(good, 1.0), (bad, 2.0)], soak.Console())
    shown = capsys.readouterr().out
    assert "acknowledged" in shown
    assert "1,234" in shown
    assert "connection cut, postgresql: 7 in COMMIT" in shown
