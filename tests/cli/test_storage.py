"""Looking after a storage from a shell: backup, restore, check, move, stats."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from palacs.campaign import create_campaign, load_campaign
from palacs.cli._app import build_app

app = build_app()
Palacs = Callable[..., Result]


@pytest.fixture
def palacs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Palacs:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PALACS_STORAGE", raising=False)

    def run(*arguments: str, code: int = 0) -> Result:
        result = CliRunner().invoke(app, ["storage", *arguments])
        assert result.exit_code == code, (result.output, result.exception)
        return result

    for name in ("one", "two"):
        with create_campaign(name, ["a", "b"], storage="sqlite:///palacs.db") as campaign:
            for i in range(3):
                campaign.add([float(i), 2.0], "a")
            campaign.ask()
    return run


def test_a_backup_is_restored_moved_and_checked(
    palacs: Palacs, new_postgresql: Callable[[], str]
) -> None:
    assert palacs("backup", "monday.db").stderr == ""
    assert "nothing was overwritten" in palacs("backup", "monday.db", code=6).stderr
    palacs("restore", "monday.db", "--storage", "sqlite:///again.db")
    palacs("restore", "monday.db", code=6)
    palacs("restore", "nowhere.db", "--storage", "sqlite:///more.db", code=3)
    server = new_postgresql()
    moved = json.loads(palacs("move", "sqlite:///again.db", server, "--json").stdout)
    assert moved["moved"] == "sqlite:///again.db"
    for address in ("sqlite:///palacs.db", "sqlite:///monday.db", server):
        assert "as it was written" in palacs("check", "--storage", address).stdout
    with load_campaign("two", storage=server) as campaign:
        assert campaign.status().instances == 3


def test_a_change_by_hand_is_found_in_the_campaign_it_was_made_in(palacs: Palacs) -> None:
    file = sqlite3.connect("palacs.db")
    file.execute("DROP TRIGGER palacs_no_update")
    file.execute(
        "UPDATE palacs_events SET label = '\"b\"' WHERE kind = 'added' AND seq = 3 "
        "AND campaign_id = (SELECT id FROM palacs_campaigns WHERE name = 'two')"
    )
    file.commit()
    file.close()
    found = palacs("check", code=1).stdout.splitlines()
    assert found
    assert all("'two'" in line for line in found)
    answer = json.loads(palacs("check", "--json", code=1).stdout)
    assert answer["ok"] is False
    assert "damaged" in palacs("backup", "bad.db", code=5).stderr
    assert not Path("bad.db").exists()


def test_stats_say_how_much_there_is(palacs: Palacs, new_postgresql: Callable[[], str]) -> None:
    found = json.loads(palacs("stats", "--json").stdout)
    assert (found["campaigns"], found["events"], found["instances"]) == (2, 10, 6)
    assert found["bytes"] > 10_000
    assert found["largest"] == "one (5 events)"
    assert " of one, asked 20" in found["oldest_open_request"]
    assert "instances\t6" in palacs("stats").stdout
    server = new_postgresql()
    palacs("backup", "copy.db")
    palacs("restore", "copy.db", "--storage", server)
    assert json.loads(palacs("stats", "--storage", server, "--json").stdout)["bytes"] > 10_000
