"""Full, read-only, truncated and foreign databases: a clear error, and nothing damaged."""

from __future__ import annotations

import ctypes
import os
import resource
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa

from palacs.campaign import Campaign, create_campaign, load_campaign
from palacs.storage import (
    ForeignStorage,
    StorageDamaged,
    StorageError,
    StorageFull,
    StorageNotFound,
    StorageReadOnly,
    open_storage,
)


def _filled(url: str, n: int = 30) -> Campaign:
    campaign = create_campaign("lab", ["a", "b"], strategy="uniform", storage=url, seed=0)
    rng = np.random.default_rng(0)
    for _ in range(n):
        campaign.tell(campaign.ask(), rng.normal(size=64))
    return campaign


def _run(script: str, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **options)


# -- full ------------------------------------------------------------------------------

_TELL_UNTIL_FULL = """
import resource, sys
from palacs.campaign import load_campaign
from palacs.storage import StorageFull
campaign = load_campaign("lab", storage=sys.argv[1])
campaign.tell(campaign.ask(), [0.5] * 64)
limit = int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
acknowledged = 1
try:
    for _ in range(10_000):
        campaign.tell(campaign.ask(), [0.5] * 64)
        acknowledged += 1
except StorageFull as error:
    print(acknowledged, error)
"""


def test_a_file_that_may_not_grow_is_a_clear_error_and_everything_told_is_kept(
    new_sqlite,
) -> None:
    url = new_sqlite()
    campaign = _filled(url)
    before = campaign.status().instances
    ran = _run(_TELL_UNTIL_FULL, url, str(256 * 1024))
    acknowledged, _, message = ran.stdout.partition(" ")
    assert ran.returncode == 0, ran.stderr
    assert "may be full" in message
    with load_campaign("lab", storage=url) as again:
        assert again.status().instances == before + int(acknowledged)
        again.tell(again.ask(), np.zeros(64))
        assert again.replay().ok
    _assert_sound(url)


def test_a_full_database_is_a_clear_error_and_it_goes_on_when_there_is_room(new_sqlite) -> None:
    url = new_sqlite()
    campaign = _filled(url)
    storage: Any = campaign.storage
    with storage._writing() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
    told = campaign.status().instances

    def tell_until_full() -> None:
        nonlocal told
        for _ in range(1000):
            campaign.tell(campaign.ask(), np.zeros(64))
            told += 1

    with pytest.raises(StorageFull, match="free some disk space"):
        tell_until_full()
    with storage._writing() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count = 1000000")
    assert campaign.status().instances == told
    campaign.tell(campaign.ask(), np.zeros(64))
    assert campaign.replay().ok
    campaign.close()
    _assert_sound(url)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits another process")
def test_a_server_without_room_is_a_clear_error_and_it_goes_on_when_there_is_room(
    new_postgresql,
) -> None:
    campaign = create_campaign("lab", ["a", "b"], strategy="uniform", storage=new_postgresql())
    rng = np.random.default_rng(0)
    storage: Any = campaign.storage
    with storage._writing() as connection:
        backend = connection.exec_driver_sql("SELECT pg_backend_pid()").scalar_one()
    # Just above the size of PostgreSQL's own log files, which must not fail.
    _limit_file_size(backend, 17 * 2**20)
    told = 0

    def tell_until_full() -> None:
        nonlocal told
        for _ in range(200):
            campaign.tell(campaign.ask(), rng.normal(size=60_000))
            told += 1

    with pytest.raises(StorageFull, match="no room left"):
        tell_until_full()
    _limit_file_size(backend, resource.RLIM_INFINITY)
    assert told > 10
    assert campaign.status().instances == told
    campaign.tell(campaign.ask(), rng.normal(size=60_000))
    assert campaign.status().instances == told + 1
    campaign.close()


def _limit_file_size(process: int, limit: int) -> None:
    # Only a process of the same user may do this, and the server never runs as root.
    child = os.fork()
    if child == 0:
        code = 1
        try:
            owner = os.stat(f"/proc/{process}")
            if os.geteuid() == 0:
                os.setresgid(owner.st_gid, owner.st_gid, owner.st_gid)
                os.setresuid(owner.st_uid, owner.st_uid, owner.st_uid)
            resource.prlimit(process, resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
            code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


# -- read-only -------------------------------------------------------------------------

_READ_THEN_WRITE = """
import sys
from palacs.campaign import load_campaign
from palacs.storage import StorageReadOnly
try:
    campaign = load_campaign("lab", storage=sys.argv[1])
    print("read", campaign.status().instances)
    campaign.ask()
except StorageReadOnly as error:
    print("refused", error)
"""


def _without_superpowers() -> None:
    # Permissions do not bind root; give up the capability that says so before the exec.
    if os.geteuid() == 0:
        cap_dac_override, pr_capbset_drop = 1, 24
        assert ctypes.CDLL(None).prctl(pr_capbset_drop, cap_dac_override, 0, 0, 0) == 0


@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_read_only_file_or_folder_is_a_clear_error_and_stays_as_it_was(
    tmp_path: Path, what: str
) -> None:
    folder = tmp_path / "lab"
    folder.mkdir()
    file = folder / "lab.db"
    _filled(f"sqlite:///{file}").close()
    before = file.read_bytes()
    file.chmod(0o444)
    if what == "folder":
        folder.chmod(0o555)
    ran = _run(_READ_THEN_WRITE, f"sqlite:///{file}", preexec_fn=_without_superpowers)
    folder.chmod(0o755)
    assert ran.returncode == 0, ran.stderr
    assert "refused" in ran.stdout
    assert "lab.db" in ran.stdout
    assert ("read 30" in ran.stdout) == (what == "file")
    assert file.read_bytes() == before


def test_a_read_only_server_can_be_read_and_says_so_when_written(new_postgresql) -> None:
    url = new_postgresql()
    _filled(url, n=3).close()
    _on_server(
        url, f"ALTER DATABASE {sa.make_url(url).database} SET default_transaction_read_only=on"
    )
    with load_campaign("lab", storage=url) as campaign:
        assert campaign.status().instances == 3
        with pytest.raises(StorageReadOnly, match="may not write"):
            campaign.ask()
        assert campaign.status().states["pending"] == 0


def _on_server(url: str, statement: str) -> None:
    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(statement)
    engine.dispose()


# -- truncated -------------------------------------------------------------------------


@pytest.mark.parametrize("part", [0.02, 0.3, 0.5, 0.9, 0.9999])
def test_a_truncated_file_is_a_clear_error_and_is_not_touched(new_sqlite, part: float) -> None:
    url = new_sqlite()
    _filled(url).close()
    file = Path(str(sa.make_url(url).database))
    whole = file.read_bytes()
    file.write_bytes(whole[: int(len(whole) * part)])
    left = file.read_bytes()
    with pytest.raises((StorageDamaged, ForeignStorage), match=r"truncated|not a SQLite database"):
        load_campaign("lab", storage=url)
    with pytest.raises((StorageDamaged, ForeignStorage)):
        create_campaign("new", ["a", "b"], storage=url)
    assert file.read_bytes() == left


def test_an_emptied_file_holds_no_campaigns_and_is_not_touched_by_looking(new_sqlite) -> None:
    url = new_sqlite()
    _filled(url).close()
    file = Path(str(sa.make_url(url).database))
    file.write_bytes(b"")
    with pytest.raises(StorageNotFound, match="holds no campaigns yet"):
        load_campaign("lab", storage=url)
    assert file.read_bytes() == b""


def test_a_record_with_a_gap_is_recognised(new_sqlite) -> None:
    url = new_sqlite()
    _filled(url).close()
    file = sqlite3.connect(str(sa.make_url(url).database))
    file.execute("DROP TRIGGER palacs_no_delete")
    file.execute("DELETE FROM palacs_events WHERE seq = 7")
    file.commit()
    file.close()
    with pytest.raises(StorageDamaged, match="event 7 is missing"):
        load_campaign("lab", storage=url)


# -- foreign ---------------------------------------------------------------------------


def test_a_text_file_is_refused_and_stays_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    text = "Subject 7 was late.\n" * 200
    file.write_text(text)
    for attempt in (_load, _create):
        with pytest.raises(ForeignStorage, match="not a SQLite database"):
            attempt(f"sqlite:///{file}")
    assert file.read_text() == text


def test_another_programs_file_is_refused_and_stays_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "other.db"
    other = sqlite3.connect(file)
    other.execute("CREATE TABLE patients (name TEXT)")
    other.commit()
    other.close()
    before = file.read_bytes()
    for attempt in (_load, _create):
        with pytest.raises(ForeignStorage, match=r"another program \(patients\)"):
            attempt(f"sqlite:///{file}")
    assert file.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other.db"]


def test_another_programs_tables_of_our_names_are_refused(new_postgresql) -> None:
    url = new_postgresql()
    _on_server(url, "CREATE TABLE palacs_events (something integer)")
    for attempt in (_load, _create):
        with pytest.raises(ForeignStorage, match="palacs_events"):
            attempt(url)


def test_a_servers_database_can_be_shared_with_another_program(new_postgresql) -> None:
    url = new_postgresql()
    _on_server(url, "CREATE TABLE patients (name text)")
    _on_server(url, "CREATE TABLE alembic_version (version_num text)")
    with _filled(url, n=2) as campaign:
        assert campaign.status().instances == 2


def test_a_missing_database_on_the_server_is_named(postgresql_server: str) -> None:
    url = sa.make_url(postgresql_server).set(database="nowhere").render_as_string(False)
    with pytest.raises(StorageNotFound, match="nowhere"):
        open_storage(url, create=True)


def _load(url: str) -> object:
    return load_campaign("lab", storage=url)


def _create(url: str) -> object:
    return create_campaign("lab", ["a", "b"], storage=url)


def _assert_sound(url: str) -> None:
    file = sqlite3.connect(str(sa.make_url(url).database))
    assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    file.close()


def test_every_storage_error_is_one_family() -> None:
    for kind in (StorageFull, StorageReadOnly, StorageDamaged, ForeignStorage, StorageNotFound):
        assert issubclass(kind, StorageError)
