"""Backup, restore and move: the same record elsewhere, while others write, and all or nothing."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from palacs.campaign import create_campaign, load_campaign
from palacs.storage import (
    MemoryStorage,
    StorageExists,
    StorageNotFound,
    StorageReadOnly,
    backup_storage,
    move_storage,
    open_storage,
    restore_storage,
)

NewUrl = Callable[[], str]

_WRITER = """
import sys
from palacs.campaign import load_campaign
name, url = sys.argv[1:]
campaign = load_campaign(name, storage=url)
print("ready", flush=True)
while True:
    campaign.add([1.0, 2.0, 3.0], "a")
    print(campaign.history_length(), flush=True)
"""


@contextmanager
def writers(url: str, count: int) -> Iterator[list[subprocess.Popen[str]]]:
    """Processes that add instances without end, each to a campaign of its own."""
    for i in range(count):
        create_campaign(f"w{i}", classes=["a", "b"], storage=url).close()
    started = [
        subprocess.Popen(
            [sys.executable, "-c", _WRITER, f"w{i}", url],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        for i in range(count)
    ]
    try:
        for process in started:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        yield started
    finally:
        for process in started:
            process.send_signal(signal.SIGKILL)
            process.wait()


def filled(url: str) -> None:
    for name, labels in (("words", ["rest", "left"]), ("numbers", [1, 2, 3])):
        with create_campaign(name, classes=labels, storage=url, seed=1) as campaign:
            for i in range(4):
                campaign.tell(campaign.ask(), [i / 3, 0.1 + i], cost=0.1, duration=1e-300)
            campaign.fail(campaign.ask(), 'naïve "reason"; \\ \U0001f600')


def rows_of(url: str) -> dict[str, list[Any]]:
    """Every column of every row, as the database has it."""
    engine = sa.create_engine(url)
    found = {}
    with engine.connect() as connection:
        for table in ("palacs_campaigns", "palacs_events"):
            rows = connection.execute(sa.text(f"SELECT * FROM {table} ORDER BY 1, 2")).mappings()
            found[table] = [
                {k: bytes(v) if isinstance(v, memoryview) else v for k, v in row.items()}
                for row in rows
            ]
    engine.dispose()
    return found


def test_a_backup_under_eight_writers_is_one_moment_of_each_campaign(
    url: str, tmp_path: Path
) -> None:
    with writers(url, 8):
        for i in range(3):
            before = {c.name: c.head for c in open_storage(url).campaigns()}
            backup_storage(url, tmp_path / f"backup-{i}.db")
            after = {c.name: c.head for c in open_storage(url).campaigns()}
            kept = open_storage(f"sqlite:///{tmp_path}/backup-{i}.db")
            assert {c.name for c in kept.campaigns()} == set(before)
            for stored in kept.campaigns():
                assert before[stored.name] <= stored.head <= after[stored.name]
                events = kept.events(stored.key)
                assert [event.seq for event in events] == list(range(1, stored.head + 1))
                live = open_storage(url)
                assert events == live.events(live.find(stored.name).key, limit=stored.head)
            time.sleep(0.2)
    assert max(after.values()) > min(before.values())


def test_a_backup_comes_back_and_goes_on(
    url: str, new_sqlite: NewUrl, new_postgresql: NewUrl, tmp_path: Path
) -> None:
    filled(url)
    backup_storage(url, tmp_path / "backup.db")
    for new in (new_sqlite(), new_postgresql()):
        restore_storage(tmp_path / "backup.db", new)
        assert rows_of(new) == rows_of(url)
        with load_campaign("numbers", storage=new) as campaign:
            assert campaign.replay().ok
            campaign.tell(campaign.ask(), [0.5, 0.5])
        create_campaign("later", classes=["a", "b"], storage=new).close()


def test_a_restore_overwrites_nothing(
    new_sqlite: NewUrl, new_postgresql: NewUrl, tmp_path: Path
) -> None:
    first = new_sqlite()
    filled(first)
    backup_storage(first, tmp_path / "backup.db")
    for taken in (new_sqlite(), new_postgresql()):
        create_campaign("mine", classes=["a", "b"], storage=taken).close()
        before = rows_of(taken)
        with pytest.raises(StorageExists, match="nothing was"):
            restore_storage(tmp_path / "backup.db", taken)
        assert rows_of(taken) == before
    foreign = tmp_path / "notes.txt"
    foreign.write_text("mine")
    with pytest.raises(StorageExists, match="already there"):
        restore_storage(tmp_path / "backup.db", f"sqlite:///{foreign}")
    with pytest.raises(StorageExists, match="already there"):
        backup_storage(first, foreign)
    assert foreign.read_text() == "mine"
    with pytest.raises(StorageNotFound):
        restore_storage(tmp_path / "missing.db", new_sqlite())


@pytest.mark.parametrize("suffix", ["-wal", "-journal", "-shm"])
def test_the_log_of_a_file_that_is_gone_is_not_played_into_a_restored_one(
    new_sqlite: NewUrl, tmp_path: Path, suffix: str
) -> None:
    filled(first := new_sqlite())
    backup = backup_storage(first, tmp_path / "backup.db")
    log = tmp_path / f"lab.db{suffix}"
    log.write_bytes(b"left behind")
    for make in (
        lambda: restore_storage(backup, f"sqlite:///{tmp_path / 'lab.db'}"),
        lambda: backup_storage(first, tmp_path / "lab.db"),
        lambda: move_storage(first, f"sqlite:///{tmp_path / 'lab.db'}"),
    ):
        with pytest.raises(StorageExists, match=f"lab.db{suffix}.*nothing was written"):
            make()
    assert log.read_bytes() == b"left behind"
    assert not (tmp_path / "lab.db").exists()
    log.unlink()
    restore_storage(backup, f"sqlite:///{tmp_path / 'lab.db'}")


def test_what_is_no_storage_is_not_restored(tmp_path: Path, new_sqlite: NewUrl) -> None:
    (tmp_path / "text.db").write_text("no database at all")
    with pytest.raises(Exception, match="not a SQLite database"):
        restore_storage(tmp_path / "text.db", new_sqlite())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["text.db"]


def test_there_and_back_again_keeps_every_bit(new_sqlite: NewUrl, new_postgresql: NewUrl) -> None:
    home, server, back = new_sqlite(), new_postgresql(), new_sqlite()
    filled(home)
    everything = rows_of(home)
    move_storage(home, server)
    assert rows_of(server) == everything
    move_storage(server, back)
    assert rows_of(back) == everything
    with load_campaign("words", storage=back) as campaign:
        assert campaign.replay().ok
        campaign.tell(campaign.ask(), [0.5, 0.5])


def test_what_was_moved_can_be_read_and_says_where_it_went(url: str, new_sqlite: NewUrl) -> None:
    filled(url)
    working = load_campaign("words", storage=url)
    new, elsewhere = new_sqlite(), new_sqlite()
    move_storage(url, new)
    for attempt in (
        lambda: working.add([0.1, 0.2], "rest"),
        lambda: create_campaign("more", classes=["a", "b"], storage=url),
        lambda: move_storage(url, elsewhere),
    ):
        with pytest.raises(StorageReadOnly, match=r"was moved .* use sqlite:///.*\.db"):
            attempt()
    assert not Path(str(sa.make_url(elsewhere).database)).exists()
    assert working.status().instances == 4
    working.close()


def test_nothing_acknowledged_is_lost_by_a_move_under_writers(
    url: str, new_sqlite: NewUrl, new_postgresql: NewUrl
) -> None:
    new = new_postgresql() if url.startswith("sqlite") else new_sqlite()
    with writers(url, 4) as started:
        for process in started:
            assert process.stdout is not None
            assert process.stdout.readline() == "1\n"
        move_storage(url, new)
        # The writers find out by themselves: their next instance is refused.
        acknowledged = []
        for process in started:
            assert process.stdout is not None
            acknowledged.append(int(["1", *process.stdout.read().split()][-1]))
    for i, count in enumerate(acknowledged):
        with load_campaign(f"w{i}", storage=new) as campaign:
            assert campaign.history_length() == count


_MOVER = """
import os, sys
from palacs.storage import move_storage
def progress(done, total):
    if done == total:
        os.kill(os.getpid(), 9)
move_storage(*sys.argv[1:], progress=progress)
"""


@pytest.mark.parametrize("way", ["to the server", "to a file"])
def test_a_move_that_is_killed_leaves_all_at_home(
    way: str, new_sqlite: NewUrl, new_postgresql: NewUrl, warm
) -> None:
    home, new = new_sqlite(), new_postgresql()
    if way == "to a file":
        home, new = new, home
    filled(home)
    before = rows_of(home)
    assert warm(_MOVER, home, new).returncode == -signal.SIGKILL
    assert rows_of(home) == before
    with pytest.raises(StorageNotFound):
        open_storage(new)
    load_campaign("words", storage=home).add([0.1, 0.2], "rest")
    move_storage(home, new)
    assert len(rows_of(new)["palacs_events"]) == len(before["palacs_events"]) + 1


_KILLED_AT = """
import os, sys
from palacs.storage import _copying
home, new, place = sys.argv[1:]
seal = _copying.seal
def sealing(connection, message):
    if place == "before the old one is sealed" and message.startswith(_copying.MOVED):
        os.kill(os.getpid(), 9)
    seal(connection, message)
_copying.seal = sealing
_copying.unseal = lambda _: os.kill(os.getpid(), 9)
_copying.move_storage(home, new)
"""


@pytest.mark.parametrize("way", ["to the server", "to a file"])
def test_wherever_a_move_is_killed_one_at_most_can_be_written_and_moving_again_ends_it(
    way: str, new_sqlite: NewUrl, new_postgresql: NewUrl, warm
) -> None:
    def killed(home: str, new: str, place: str) -> None:
        assert warm(_KILLED_AT, home, new, place).returncode == -signal.SIGKILL

    home, new = new_sqlite(), new_postgresql()
    if way == "to a file":
        home, new = new, home
    filled(home)
    before = rows_of(home)
    for place in ("before the old one is sealed", "before the copy is set free"):
        killed(home, new, place)
        assert rows_of(new) == before
        with pytest.raises(StorageReadOnly, match="copy of a move that was not finished"):
            load_campaign("words", storage=new).add([0.1, 0.2], "rest")
    with pytest.raises(StorageReadOnly, match="was moved"):
        load_campaign("words", storage=home).add([0.1, 0.2], "rest")
    move_storage(home, new)
    assert rows_of(new) == before
    load_campaign("words", storage=new).add([0.1, 0.2], "rest")
    with pytest.raises(StorageReadOnly, match="was moved"):
        move_storage(home, new)


def test_a_copy_that_fell_behind_is_not_taken_for_the_record(new_sqlite: NewUrl, warm) -> None:
    home, new = new_sqlite(), new_sqlite()
    filled(home)
    place = "before the old one is sealed"
    warm(_KILLED_AT, home, new, place)
    load_campaign("words", storage=home).add([0.1, 0.2], "rest")
    with pytest.raises(StorageExists, match="more was recorded since"):
        move_storage(home, new)
    load_campaign("words", storage=home).add([0.1, 0.2], "rest")


def test_a_copy_of_what_was_moved_is_sealed_like_it(
    new_sqlite: NewUrl, new_postgresql: NewUrl, tmp_path: Path
) -> None:
    home, server, there = new_sqlite(), new_postgresql(), new_sqlite()
    filled(home)
    move_storage(home, server)
    move_storage(server, there)
    for i, (source, target) in enumerate(((home, new_postgresql()), (server, new_sqlite()))):
        backup = backup_storage(source, tmp_path / f"{i}.db")
        restore_storage(backup, target)
        assert rows_of(target) == rows_of(there)
        for sealed in (f"sqlite:///{backup}", target):
            with pytest.raises(StorageReadOnly, match="was moved"):
                load_campaign("words", storage=sealed).add([0.1, 0.2], "rest")


def test_without_hard_links_a_name_that_is_taken_is_not_overwritten(
    new_sqlite: NewUrl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, target = new_sqlite(), tmp_path / "backup.db"
    filled(home)

    def no_links(_source: Path, path: Path) -> None:
        if taken:
            path.write_text("somebody was faster")
        raise PermissionError(1, "no hard links on this file system")

    monkeypatch.setattr(os, "link", no_links)
    taken = True
    with pytest.raises(StorageExists, match="appeared meanwhile"):
        backup_storage(home, target)
    assert target.read_text() == "somebody was faster"
    target.unlink()
    taken = False
    backup_storage(home, target)
    assert rows_of(f"sqlite:///{target}") == rows_of(home)


def test_memory_can_be_backed_up_too(tmp_path: Path) -> None:
    memory = MemoryStorage()
    create_campaign("note", classes=["a", "b"], storage=memory).add([1.0], "a")
    backup_storage(memory, tmp_path / "note.db")
    with load_campaign("note", storage=f"sqlite:///{tmp_path}/note.db") as campaign:
        assert campaign.status().instances == 1


def test_a_file_of_an_older_schema_can_be_backed_up_before_it_is_upgraded(
    tmp_path: Path,
) -> None:
    fixture = Path(__file__).parent / "fixtures" / "schema-0001.sqlite"
    old = tmp_path / "old.db"
    old.write_bytes(fixture.read_bytes())
    backup_storage(f"sqlite:///{old}", tmp_path / "backup.db")
    assert rows_of(f"sqlite:///{tmp_path}/backup.db") == rows_of(f"sqlite:///{old}")


def test_a_backup_leaves_no_drafts_behind(tmp_path: Path, new_postgresql: NewUrl) -> None:
    url = new_postgresql()
    filled(url)
    folder = tmp_path / "backups"
    folder.mkdir()
    backup_storage(url, folder / "one.db")

    def interrupted(_done: int, _total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        backup_storage(url, folder / "two.db", progress=interrupted)
    assert os.listdir(folder) == ["one.db"]


def test_a_moved_file_is_found_from_every_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    create_campaign("study", ["a", "b"], storage="sqlite:///old.db").close()
    move_storage("sqlite:///old.db", "sqlite:///new.db")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    campaign = load_campaign("study", storage="sqlite:///../old.db")
    with pytest.raises(StorageReadOnly, match=re.escape(f"use sqlite:///{tmp_path}/new.db")):
        campaign.pause("a")


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_what_is_made_is_for_its_owner_alone_and_what_is_there_stays(tmp_path: Path) -> None:
    old = tmp_path / "old.db"
    old.touch(0o644)
    old.chmod(0o644)
    for name in ("new", "old"):
        with create_campaign("demo", ["a", "b"], storage=f"sqlite:///{tmp_path}/{name}.db"):
            backup_storage(f"sqlite:///{tmp_path}/{name}.db", tmp_path / f"{name}-copy.db")
            for beside in ("", "-wal", "-shm"):
                mode = (tmp_path / f"{name}.db{beside}").stat().st_mode & 0o777
                assert mode == (0o600 if name == "new" else 0o644)
    move_storage(f"sqlite:///{old}", f"sqlite:///{tmp_path}/moved.db")
    for made in ("new-copy", "old-copy", "moved"):
        assert (tmp_path / f"{made}.db").stat().st_mode & 0o777 == 0o600
