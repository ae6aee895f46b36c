"""What is erased is gone: from the answers, from free pages, from logs; the rest is guarded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa

from palacs.storage import Draft, Storage, StorageUnavailable, open_storage


def _filled(storage: Storage, n: int = 60) -> tuple[int, list[bytes]]:
    """Return the key of a campaign and the vectors told in it, in order; some are long."""
    rng = np.random.default_rng(13)
    vectors = [rng.normal(size=2000 if i % 7 == 0 else 8).tobytes() for i in range(n)]
    key = storage.create("c", [Draft("created")]).key
    for i, x in enumerate(vectors):
        attrs = {"subject": f"person-{i % 5}"}
        with storage.write(key) as turn:
            turn.append([Draft("told", f"r{i}", "a", x, 1.0, 2.0, attrs=attrs)])
    return key, vectors


def _erase(storage: Storage, key: int) -> list[int]:
    """Erase everything of one person; return the places of the vectors."""
    mine = [e.seq for e in storage.events(key) if (e.attrs or {}).get("subject") == "person-3"]
    with storage.write(key) as turn:
        turn.erase(mine, Draft("erased", payload={"entries": len(mine)}))
    storage.purge()
    return [seq - 2 for seq in mine]


def _traces(content: bytes, vectors: list[bytes]) -> list[bool]:
    # A page may hold a part of a vector only: any aligned run of four numbers gives it away.
    return [
        any(vector[i : i + 32] in content for i in range(0, len(vector) - 31, 32))
        for vector in vectors
    ]


def test_nothing_of_it_is_left_in_the_file_or_its_log(new_sqlite) -> None:
    url = new_sqlite()
    file = Path(str(sa.make_url(url).database))
    with open_storage(url, create=True) as storage:
        key, vectors = _filled(storage)
        everything = b"".join(path.read_bytes() for path in file.parent.glob(f"{file.name}*"))
        assert all(_traces(everything, vectors))
        assert b"person-3" in everything
        gone = _erase(storage, key)
        # The storage is still open: nothing waits for it to be closed.
        left = b"".join(path.read_bytes() for path in file.parent.glob(f"{file.name}*"))
    assert _traces(left, vectors) == [i not in gone for i in range(len(vectors))]
    assert b"person-3" not in left
    assert b"person-2" in left


def test_nothing_of_it_is_left_in_the_servers_tables(new_postgresql) -> None:
    url = new_postgresql()
    with open_storage(url, create=True) as storage:
        key, vectors = _filled(storage)
        before = _tables_on_disk(url)
        # What is long is compressed or kept elsewhere, yet kept as it is where random.
        assert all(_traces(before, vectors))
        gone = _erase(storage, key)
    left = _tables_on_disk(url)
    assert _traces(left, vectors) == [i not in gone for i in range(len(vectors))]
    assert b"person-3" not in left


def _tables_on_disk(url: str) -> bytes:
    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql("CHECKPOINT")
        folder = connection.exec_driver_sql("SHOW data_directory").scalar_one()
        number = connection.exec_driver_sql(
            "SELECT oid FROM pg_database WHERE datname = current_database()"
        ).scalar_one()
    engine.dispose()
    files = (Path(folder) / "base" / str(number)).iterdir()
    return b"".join(path.read_bytes() for path in files if path.is_file())


def test_an_erased_event_can_neither_come_back_nor_be_changed(url: str) -> None:
    with open_storage(url, create=True) as storage:
        key, _ = _filled(storage, n=10)
        _erase(storage, key)
        before = storage.events(key)
        engine = sa.create_engine(url)
        for change in ("x = digest", "label = '1'", "payload = '{}'", "salt = NULL", "at = 0"):
            with pytest.raises(sa.exc.DBAPIError, match="append-only"), engine.begin() as raw:
                raw.exec_driver_sql(f"UPDATE palacs_events SET {change}")
        engine.dispose()
        assert storage.events(key) == before


def test_erasing_twice_is_harmless(url: str) -> None:
    with open_storage(url, create=True) as storage:
        key, _ = _filled(storage, n=10)
        _erase(storage, key)
        erased = [event.seq for event in storage.events(key) if event.erased]
        before = storage.events(key)
        with storage.write(key) as turn:
            turn.erase(erased, Draft("erased"))
        assert storage.events(key)[:-1] == before


def test_purging_while_somebody_reads_for_too_long_says_so(new_sqlite) -> None:
    url = new_sqlite() + "?timeout=0.2"
    reader: Any = open_storage(url, create=True)
    with reader, open_storage(url) as storage:
        key, _ = _filled(storage, n=10)
        with reader._reading() as connection:
            connection.exec_driver_sql("SELECT count(*) FROM palacs_events").scalar_one()
            with pytest.raises(StorageUnavailable, match="locked"):
                _erase(storage, key)
        storage.purge()
