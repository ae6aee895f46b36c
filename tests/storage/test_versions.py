"""Records made by older versions stay readable; those made by newer ones are left alone."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from palacs.campaign import load_campaign
from palacs.storage import (
    ForeignStorage,
    StorageNotFound,
    StorageOutdated,
    StorageTooNew,
    open_storage,
    upgrade_storage,
)
from palacs.storage._chain import CHAINED, anchor, digest_of, extended
from palacs.storage._postgresql import PostgreSQLStorage
from palacs.storage._schema import REVISIONS, VERSION_TABLE, metadata
from palacs.storage._schema_versions import migrate_to

FIXTURES = Path(__file__).parent / "fixtures"
FIRST = FIXTURES / "schema-0001.sqlite"


def _left_by(schema: str, request: pytest.FixtureRequest, folder: Path) -> str:
    """Return the address of a storage as an older palacs left it."""
    made = FIXTURES / f"schema-{schema}.sqlite"
    if request.param == "sqlite":
        copy = folder / "old.db"
        shutil.copy(made, copy)
        return f"sqlite:///{copy}"
    url: str = request.getfixturevalue("new_postgresql")()
    storage = PostgreSQLStorage.from_url(url)
    with storage._migrating() as connection:
        migrate_to(connection, schema)
    file = sqlite3.connect(made)
    file.row_factory = sqlite3.Row
    with storage._writing() as connection:
        for table in ("palacs_campaigns", "palacs_events"):
            for row in map(dict, file.execute(f"SELECT * FROM {table}")):
                values = ", ".join(f":{column}" for column in row)
                connection.execute(sa.text(f"INSERT INTO {table} VALUES ({values})"), row)
    file.close()
    storage.close()
    return url


@pytest.fixture(params=["sqlite", "postgresql"])
def first_schema(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Address of a storage as the first version of palacs left it."""
    return _left_by("0001", request, tmp_path)


@pytest.fixture(params=["sqlite", "postgresql"])
def second_schema(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Address of a storage with costs, as it was before events were chained."""
    return _left_by("0002", request, tmp_path)


def test_the_first_schema_is_opened_upgraded_and_continued(first_schema: str) -> None:
    with pytest.raises(StorageOutdated, match="palacs storage upgrade --storage"):
        load_campaign("subject-07", storage=first_schema)

    assert upgrade_storage(first_schema) == ("0001", REVISIONS[-1])

    with load_campaign("subject-07", storage=first_schema) as campaign:
        history = campaign.history()
        assert history["state"].value_counts().to_dict() == {
            "delivered": 12,
            "pending": 2,
            "failed": 1,
            "retracted": 1,
        }
        assert campaign.classes == ["rest", "left", "right", "feet", "tongue"]
        assert campaign.settings.budget == 40
        assert campaign.labelled_set()[0].shape == (12, 3)
        assert campaign.replay().ok
        request = campaign.ask()
        assert request.label == "tongue"
        campaign.tell(request, [0.5, 0.5, 0.5], cost=2.0, duration=30.0)
        assert campaign.history()["cost"].dropna().tolist() == [2.0]
        assert campaign.replay().ok


def test_the_second_schema_is_opened_upgraded_and_continued(second_schema: str) -> None:
    with pytest.raises(StorageOutdated, match="palacs storage upgrade --storage"):
        load_campaign("subject-08", storage=second_schema)
    assert upgrade_storage(second_schema) == ("0002", REVISIONS[-1])
    with load_campaign("subject-08", storage=second_schema) as campaign:
        status = campaign.status()
        assert (status.instances, status.spent, status.n_features) == (9, 13.5, 2)
        assert campaign.replay().ok
        campaign.tell(campaign.ask(), [0.5, 0.5], cost=2.0)
        assert campaign.status().spent == 15.5


@pytest.mark.parametrize("schema", REVISIONS[:-1])
def test_what_was_recorded_before_is_chained_by_the_upgrade(tmp_path: Path, schema: str) -> None:
    copy = tmp_path / "old.db"
    shutil.copy(FIXTURES / f"schema-{schema}.sqlite", copy)
    upgrade_storage(f"sqlite:///{copy}")
    file = sqlite3.connect(copy)
    file.row_factory = sqlite3.Row
    [campaign] = file.execute("SELECT * FROM palacs_campaigns").fetchall()
    chain = anchor(campaign["name"], campaign["created_at"])
    rows = file.execute("SELECT * FROM palacs_events ORDER BY seq").fetchall()
    for row in map(dict, rows):
        assert row["digest"] == digest_of([row[name] for name in CHAINED])
        chain = extended(chain, row["digest"])
    assert campaign["chain"] == chain
    assert len({row["salt"] for row in rows}) == campaign["head"]
    file.close()


def test_looking_at_an_older_file_does_not_change_it(tmp_path: Path) -> None:
    copy = tmp_path / "old.db"
    shutil.copy(FIRST, copy)
    with pytest.raises(StorageOutdated):
        open_storage(f"sqlite:///{copy}", create=True)
    assert copy.read_bytes() == FIRST.read_bytes()


def test_upgrading_twice_does_nothing_the_second_time(first_schema: str) -> None:
    upgrade_storage(first_schema)
    assert upgrade_storage(first_schema) == (REVISIONS[-1], REVISIONS[-1])


def test_an_upgrade_that_fails_leaves_the_older_schema(first_schema: str) -> None:
    engine = sa.create_engine(first_schema)
    with engine.begin() as connection:
        # Someone added the second of the two columns by hand: the migration trips over it.
        connection.execute(sa.text("ALTER TABLE palacs_events ADD COLUMN duration FLOAT"))
    with pytest.raises(Exception, match="duration"):
        upgrade_storage(first_schema)
    with engine.begin() as connection:
        assert connection.execute(sa.text(f"SELECT * FROM {VERSION_TABLE}")).scalar() == "0001"
        columns = {c["name"] for c in sa.inspect(connection).get_columns("palacs_events")}
    engine.dispose()
    assert "cost" not in columns


def test_a_newer_schema_is_refused_and_left_alone(url: str) -> None:
    open_storage(url, create=True).close()
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        connection.execute(sa.text(f"UPDATE {VERSION_TABLE} SET version_num = '9999'"))
    for attempt in (open_storage, upgrade_storage):
        with pytest.raises(StorageTooNew, match=r"9999.*pip install --upgrade palacs"):
            attempt(url)
    with engine.begin() as connection:
        assert connection.execute(sa.text(f"SELECT * FROM {VERSION_TABLE}")).scalar() == "9999"
    engine.dispose()


def test_upgrading_a_file_that_is_not_there_or_not_ours_changes_nothing(tmp_path: Path) -> None:
    with pytest.raises(StorageNotFound, match="there is no file"):
        upgrade_storage(f"sqlite:///{tmp_path}/typo.db")
    assert list(tmp_path.iterdir()) == []
    other = tmp_path / "other.db"
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE patients (name TEXT)")
    connection.close()
    before = other.read_bytes()
    with pytest.raises(ForeignStorage, match="patients"):
        upgrade_storage(f"sqlite:///{other}")
    assert other.read_bytes() == before


def test_there_is_nothing_to_upgrade_in_an_empty_database(new_postgresql) -> None:
    with pytest.raises(StorageNotFound, match="no palacs storage to upgrade"):
        upgrade_storage(new_postgresql())


def test_the_queries_are_written_against_what_the_migrations_make(url: str) -> None:
    storage: Any = open_storage(url, create=True)
    with storage._reading() as connection:
        from alembic.autogenerate import compare_metadata

        context = MigrationContext.configure(
            connection,
            opts={
                "version_table": VERSION_TABLE,
                # The uniqueness rules are partial indexes, which only migrations declare.
                "include_object": lambda _o, _n, kind, _r, _c: kind != "index",
            },
        )
        assert compare_metadata(context, metadata) == []
    storage.close()


def test_the_list_of_versions_is_the_list_of_migrations() -> None:
    config = Config()
    config.set_main_option("script_location", "palacs.storage:migrations")
    scripts = ScriptDirectory.from_config(config).walk_revisions()
    assert [script.revision for script in scripts] == list(reversed(REVISIONS))
