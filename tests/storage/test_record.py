"""The record cannot be edited, is synchronised fully, and survives forks and restarts."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from palacs.storage import Draft, StorageUnavailable, open_storage


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE palacs_events SET label = '\"b\"'",
        "DELETE FROM palacs_events",
        "DELETE FROM palacs_campaigns",
        "UPDATE palacs_events SET x = NULL",
        "UPDATE palacs_events SET digest = NULL",
        # As erasing does it, but without a tombstone.
        "UPDATE palacs_events SET x = NULL, payload = '{\"erased\":true}', cost = NULL, "
        "duration = NULL, author = NULL, attrs = NULL, salt = digest",
    ],
)
def test_nobody_can_edit_the_record_even_with_plain_sql(url: str, statement: str) -> None:
    with open_storage(url, create=True) as storage:
        campaign = storage.create("c", [Draft("created"), Draft("told", "r1", "a", b"x")])
        before = storage.events(campaign.key)
        engine = sa.create_engine(url)
        if "sqlite" in url:
            sa.event.listen(engine, "connect", _enforce_foreign_keys)
        with pytest.raises(sa.exc.DBAPIError), engine.begin() as connection:
            connection.exec_driver_sql(statement)
        engine.dispose()
        assert storage.events(campaign.key) == before


def _enforce_foreign_keys(connection: object, _record: object) -> None:
    connection.execute("PRAGMA foreign_keys = ON")  # type: ignore[attr-defined]


def test_sqlite_writes_ahead_and_synchronises_fully(new_sqlite) -> None:
    storage: Any = open_storage(new_sqlite(), create=True)
    with storage, storage._reading() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2  # FULL
        assert connection.exec_driver_sql("PRAGMA busy_timeout").scalar() == 60_000


def test_postgresql_commits_synchronously_even_where_the_server_does_not(new_postgresql) -> None:
    url = new_postgresql()
    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        name = sa.make_url(url).database
        connection.exec_driver_sql(f"ALTER DATABASE {name} SET synchronous_commit = off")
    engine.dispose()
    storage: Any = open_storage(url, create=True)
    with storage, storage._reading() as connection:
        assert connection.exec_driver_sql("SHOW synchronous_commit").scalar() == "on"


def test_a_reader_does_not_wait_for_a_writer(url: str) -> None:
    with open_storage(url, create=True) as storage:
        campaign = storage.create("c", [Draft("created")])
        with storage.write(campaign.key) as turn:
            turn.append([Draft("paused")])
            start = time.monotonic()
            assert len(storage.events(campaign.key)) == 1
            assert time.monotonic() - start < 5


def test_a_writer_that_waits_too_long_gets_a_clear_error(new_sqlite) -> None:
    url = new_sqlite()
    with open_storage(url, create=True) as patient, open_storage(url + "?timeout=0.1") as hasty:
        campaign = patient.create("c", [Draft("created")])
        with (
            patient.write(campaign.key),
            pytest.raises(StorageUnavailable, match=r"locked .* for 0\.1 s"),
            hasty.write(campaign.key),
        ):
            pass


def test_a_forked_child_opens_its_own_connections(url: str) -> None:
    with open_storage(url, create=True) as storage:
        campaign = storage.create("c", [Draft("created")])
        child = os.fork()
        if child == 0:
            try:
                with storage.write(campaign.key) as turn:
                    turn.append([Draft("paused")])
                os._exit(0)
            finally:
                os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        with storage.write(campaign.key) as turn:
            turn.append([Draft("resumed")])
        kinds = [event.kind for event in storage.events(campaign.key)]
        assert kinds == ["created", "paused", "resumed"]


def test_processes_that_make_the_same_storage_at_once_all_succeed(url, in_processes) -> None:
    def make(name: str, url: str) -> str:
        from palacs.storage import Draft, open_storage

        with open_storage(url, create=True) as storage:
            return storage.create(name, [Draft("created")]).name

    made = in_processes(make, [(f"w{i}", url) for i in range(8)])
    with open_storage(url) as storage:
        assert sorted(campaign.name for campaign in storage.campaigns()) == sorted(made)


def test_a_mistyped_address_leaves_no_file_behind(tmp_path: Path) -> None:
    from palacs.storage import StorageNotFound

    with pytest.raises(StorageNotFound, match="there is no file"):
        open_storage(f"sqlite:///{tmp_path}/typo.db")
    with pytest.raises(StorageNotFound, match="does not exist"):
        open_storage(f"sqlite:///{tmp_path}/no/folder.db", create=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("address", ["lab.db", "mysql://host/db", "sqlite+aiosqlite:///x.db", "::"])
def test_an_address_of_another_kind_is_refused_with_the_accepted_ones(address: str) -> None:
    with pytest.raises(ValueError, match="use sqlite:///FILE"):
        open_storage(address)


def test_the_environment_names_the_default_storage(new_sqlite, monkeypatch) -> None:
    url = new_sqlite()
    monkeypatch.setenv("PALACS_STORAGE", url)
    with open_storage(create=True) as storage:
        assert storage.url == url


def test_a_password_is_never_shown(new_postgresql) -> None:
    from palacs.storage import StorageError

    with pytest.raises(StorageError) as caught:
        open_storage("postgresql://someone:secret@127.0.0.1:1/nowhere")
    assert "secret" not in str(caught.value)
    assert "cannot be reached" in str(caught.value)
