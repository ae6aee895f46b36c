"""A record that is not what was written is refused: flipped bits, lost ends, exchanged files."""

from __future__ import annotations

import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import sqlalchemy as sa

from palacs.campaign import Campaign, create_campaign, load_campaign
from palacs.storage import StorageDamaged, StorageError, open_storage
from palacs.storage._chain import anchor, extended

FLIPS = 400


def _filled(url: str, n: int = 25) -> Campaign:
    campaign = create_campaign(
        "lab", ["left", "right"], strategy="uniform", storage=url, seed=0, attrs={"room": "12"}
    )
    rng = np.random.default_rng(0)
    for i in range(n):
        attrs = {"subject": f"p{i % 3}"}
        campaign.tell(campaign.ask(), rng.normal(size=8), cost=1.5, attrs=attrs)
    return campaign


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A closed file with a campaign."""
    path = tmp_path / "lab.db"
    _filled(f"sqlite:///{path}").close()
    return path


def test_no_flipped_bit_makes_another_campaign(file: Path, tmp_path: Path) -> None:
    with load_campaign("lab", storage=f"sqlite:///{file}") as whole:
        events, instances = whole.events(), whole.labelled_set()[0]
    content = file.read_bytes()
    chance = random.Random(13)
    outcomes = {"same": 0, "refused": 0}
    for i in range(FLIPS):
        damaged = bytearray(content)
        place = chance.randrange(8 * len(content))
        damaged[place // 8] ^= 1 << (place % 8)
        copy = tmp_path / f"{i}.db"
        copy.write_bytes(damaged)
        try:
            with load_campaign("lab", storage=f"sqlite:///{copy}") as campaign:
                assert campaign.events() == events, f"bit {place}"
                assert np.array_equal(campaign.labelled_set()[0], instances)
            outcomes["same"] += 1
        except StorageError:
            outcomes["refused"] += 1
        copy.unlink()
    # The others hit free space, indexes and rules, which say nothing about the campaign.
    assert outcomes["refused"] > FLIPS / 10


@pytest.fixture
def sql(file: Path) -> Iterator[sqlite3.Connection]:
    """The file as somebody edits it who has taken the guards away."""
    raw = sqlite3.connect(file, isolation_level=None)
    for guard in ("palacs_no_update", "palacs_no_delete"):
        raw.execute(f"DROP TRIGGER {guard}")
    yield raw
    raw.close()


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM palacs_events WHERE seq = (SELECT max(seq) FROM palacs_events)",
        "DELETE FROM palacs_events WHERE seq = 7",
        "UPDATE palacs_campaigns SET head = head - 1",
        "UPDATE palacs_campaigns SET head = head + 1",
        "UPDATE palacs_campaigns SET chain = zeroblob(32)",
        "UPDATE palacs_campaigns SET chain = NULL",
        "UPDATE palacs_campaigns SET created_at = 5",
        "UPDATE palacs_events SET label = '\"left\"' WHERE kind = 'told'",
        "UPDATE palacs_events SET cost = 99 WHERE kind = 'told'",
        "UPDATE palacs_events SET x = zeroblob(64) WHERE kind = 'told'",
        "UPDATE palacs_events SET x = 'text' WHERE seq = 5",
        "UPDATE palacs_events SET salt = 17 WHERE seq = 5",
        "UPDATE palacs_events SET digest = NULL WHERE seq = 5",
        "UPDATE palacs_events SET digest = NULL, salt = NULL WHERE seq = 5",
        "UPDATE palacs_events SET at = 'noon' WHERE seq = 5",
        'UPDATE palacs_events SET attrs = \'{"subject":"p9"}\' WHERE seq = 5',
        "UPDATE palacs_events SET entry = entry || 'x' WHERE seq = 5",
    ],
)
def test_an_edited_record_is_refused_and_checking_says_so(
    file: Path, sql: sqlite3.Connection, change: str
) -> None:
    with open_storage(f"sqlite:///{file}") as sound:
        assert sound.verify() == []
    sql.execute(change)
    with pytest.raises(StorageDamaged, match="palacs storage check"):
        load_campaign("lab", storage=f"sqlite:///{file}")
    with open_storage(f"sqlite:///{file}") as storage:
        [finding] = storage.verify()
        assert finding.startswith("campaign 'lab': ")


def test_a_record_whose_end_went_missing_is_not_written_to(
    file: Path, sql: sqlite3.Connection
) -> None:
    with open_storage(f"sqlite:///{file}") as storage:
        key = storage.find("lab").key
        sql.execute("DELETE FROM palacs_events WHERE seq = (SELECT max(seq) FROM palacs_events)")
        with pytest.raises(StorageDamaged, match="should end at event"), storage.write(key):
            pass


@pytest.mark.parametrize("back", [1, 20])
def test_a_record_that_went_back_in_time_is_noticed_by_who_saw_more(
    file: Path, sql: sqlite3.Connection, back: int
) -> None:
    with load_campaign("lab", storage=f"sqlite:///{file}") as campaign:
        # As when an older copy is put in its place: shorter, but whole in itself.
        sql.execute(f"DELETE FROM palacs_events WHERE seq > {len(campaign.events()) - back}")
        rows = sql.execute("SELECT digest FROM palacs_events ORDER BY seq").fetchall()
        [(name, at)] = sql.execute("SELECT name, created_at FROM palacs_campaigns")
        chain = anchor(name, at)
        for (digest,) in rows:
            chain = extended(chain, digest)
        sql.execute("UPDATE palacs_campaigns SET head = ?, chain = ?", (len(rows), chain))
        assert campaign.storage.verify() == []
        for action in (campaign.status, campaign.ask):
            with pytest.raises(StorageDamaged, match="cut off or exchanged"):
                action()


def test_an_edited_record_is_refused_on_a_server_too(new_postgresql) -> None:
    url = new_postgresql()
    _filled(url, n=5).close()
    engine = sa.create_engine(url)
    with engine.begin() as raw:
        raw.exec_driver_sql("ALTER TABLE palacs_events DISABLE TRIGGER USER")
        raw.exec_driver_sql("UPDATE palacs_events SET cost = 99 WHERE kind = 'told'")
    engine.dispose()
    with pytest.raises(StorageDamaged, match="not what was written"):
        load_campaign("lab", storage=url)
    with open_storage(url) as storage:
        assert len(storage.verify()) == 1


# -- the files themselves --------------------------------------------------------------


@pytest.mark.parametrize("what", ["removed", "replaced", "log removed", "index removed"])
def test_a_file_that_was_taken_away_is_not_written_to(file: Path, what: str) -> None:
    script = """
import os, shutil, sys
from pathlib import Path
from palacs.campaign import load_campaign
from palacs.storage import StorageError
file, what = Path(sys.argv[1]), sys.argv[2]
campaign = load_campaign("lab", storage=f"sqlite:///{file}")
campaign.add([0.0] * 8, "left")
copy = file.with_name("copy.db")
if what == "removed":
    file.unlink()
elif what == "replaced":
    shutil.copy(file, copy)
    os.replace(copy, file)
else:
    file.with_name(file.name + {"log": "-wal", "index": "-shm"}[what.split()[0]]).unlink()
for _ in range(2):
    try:
        campaign.add([1.0] * 8, "left")
        print("written")
    except StorageError as error:
        print(type(error).__name__, "Nothing was written" in str(error))
"""
    ran = subprocess.run(
        [sys.executable, "-c", script, str(file), what], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines() == ["StorageUnavailable True"] * 2


def test_where_there_can_be_no_log_nothing_is_made_or_written(file: Path) -> None:
    # A file system without shared memory, as network drives are: SQLite's own stand-in for it.
    script = """
import ctypes, ctypes.util, sys, _sqlite3
library = ctypes.CDLL(_sqlite3.__file__)
library.sqlite3_vfs_find.restype = ctypes.c_void_p
plain = ctypes.c_void_p(library.sqlite3_vfs_find(b"unix-dotfile"))
assert plain.value and library.sqlite3_vfs_register(plain, 1) == 0
from palacs.campaign import create_campaign
from palacs.storage import StorageError
for name in sys.argv[1:]:
    try:
        create_campaign("new", ["a", "b"], storage=f"sqlite:///{name}")
        print("made")
    except StorageError as error:
        print(type(error).__name__, error)
"""
    new = file.with_name("new.db")
    ran = subprocess.run(
        [sys.executable, "-c", script, str(new)], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert "StorageUnavailable SQLite cannot keep a write-ahead log" in ran.stdout
    assert "it answers 'delete'" in ran.stdout


def test_a_file_in_another_journal_mode_gets_its_log_back(file: Path) -> None:
    raw = sqlite3.connect(file)
    assert raw.execute("PRAGMA journal_mode = DELETE").fetchone() == ("delete",)
    raw.close()
    with load_campaign("lab", storage=f"sqlite:///{file}") as campaign:
        campaign.add([0.0] * 8, "left")
        assert file.with_name("lab.db-wal").exists()


def test_a_log_of_another_database_is_refused(file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    with load_campaign("lab", storage=f"sqlite:///{file}") as campaign:
        before = campaign.events()
    with _filled(f"sqlite:///{other}", n=40):
        log = other.with_name("other.db-wal").read_bytes()
    assert len(log) > 4096
    shutil.copy(file, tmp_path / "alone.db")
    (tmp_path / "alone.db-wal").write_bytes(log)
    try:
        with load_campaign("lab", storage=f"sqlite:///{tmp_path}/alone.db") as found:
            events = found.events()
    except StorageError:
        return
    with open_storage(f"sqlite:///{tmp_path}/alone.db") as storage:
        # SQLite takes a whole database from a log; then it is that other one, whole.
        assert events == before or storage.verify() == []
