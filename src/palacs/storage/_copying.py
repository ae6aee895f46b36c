"""A whole storage somewhere else: backup, restore and move.

Rows travel as they are, with their keys and whatever proves that nobody changed them, so that a
copy is the same record and not a retelling of it. What is copied is one moment of a storage in
which others may be writing; what is made appears at once under its name, or not at all.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa

from palacs.storage._opening import storage_at
from palacs.storage._schema import REVISIONS, campaigns, events
from palacs.storage._sealing import COPY, MOVED, refusal_of, seal, seal_of, unseal
from palacs.storage._sql import SQLStorage
from palacs.storage._sqlite import SQLiteStorage
from palacs.storage._sqlite_handle import beside
from palacs.storage._storage import Storage
from palacs.storage._storage_errors import (
    StorageDamaged,
    StorageError,
    StorageExists,
    StorageNotFound,
)

Progress = Callable[[int, int], None]
"""Told how much is done, and of how much."""

_ROWS_AT_ONCE = 1000


def backup_storage(
    storage: str | Storage | None,
    path: str | Path,
    *,
    progress: Progress | None = None,
) -> Path:
    """Write a storage as it is at this moment to a SQLite file, while others go on writing.

    The file is a storage of its own: open it as ``sqlite:///FILE``, or bring it back with
    `restore_storage`. It is read back before it gets its name.

    Parameters
    ----------
    storage : str, Storage or None
        As in `open_storage`; a SQLite file may also be of an older schema.
    path : str or Path
        The file to make; it must not be there yet.
    progress : callable or None
        Called now and then with what is done and how much there is.

    Returns
    -------
    Path

    Raises
    ------
    StorageExists
        There is such a file; it was left untouched.

    Examples
    --------
    >>> import tempfile
    >>> from palacs.storage import MemoryStorage, backup_storage, open_storage
    >>> folder = tempfile.TemporaryDirectory()
    >>> file = backup_storage(MemoryStorage(), f"{folder.name}/backup.db")
    >>> open_storage(f"sqlite:///{file}").campaigns()
    []
    >>> folder.cleanup()
    """
    path = Path(path)
    with _given(storage) as source, _appearing(path) as draft:
        if isinstance(source, SQLiteStorage):
            _require_known(source)
            with source.frozen() as connection:
                source.copy_pages(connection, draft, progress)
        else:
            source.check()
            with source.frozen() as connection, _file(draft) as target:
                _copy_rows(connection, target, progress, seal_of(connection))
        _read_back(draft)
    return path


def restore_storage(
    path: str | Path,
    storage: str | None = None,
    *,
    progress: Progress | None = None,
) -> str:
    """Bring a backup back, to an address where nothing is kept yet.

    Parameters
    ----------
    path : str or Path
        A file that `backup_storage` made.
    storage : str or None
        Where to, as in `open_storage`: a file that is not there, or a database without campaigns.
    progress : callable or None
        As in `backup_storage`.

    Returns
    -------
    str
        The address, without its password.

    Raises
    ------
    StorageExists
        Something is kept there; nothing was overwritten.
    """
    with _file(Path(path)) as source, _sql(storage_at(storage)) as target:
        _require_known(source)
        with source.frozen() as connection:
            if isinstance(target, SQLiteStorage):
                with _appearing(target.path) as draft:
                    source.copy_pages(connection, draft, progress)
                    _read_back(draft)
            else:
                source.check()
                _copy_rows(connection, target, progress, seal_of(connection))
        return target.url


def move_storage(source: str, target: str, *, progress: Progress | None = None) -> str:
    """Move all campaigns to another database, each event as it is; all of them or none.

    Nobody can write meanwhile: writers wait, as they do for each other. Afterwards the old
    storage can be read, but refuses every event and says where to go instead. At no moment can
    both be written; where a move was interrupted, moving again between the same two finishes it.

    Parameters
    ----------
    source, target : str
        Addresses as in `open_storage`; nothing may be kept at the second.
    progress : callable or None
        As in `backup_storage`.

    Returns
    -------
    str
        The new address, without its password.
    """
    with _given(source) as old, _sql(storage_at(target)) as new:
        old.check()
        with old.alone() as connection:
            sealed = seal_of(connection)
            unfinished = _is_copy_of(new, old)
            if sealed is not None and not (sealed == MOVED + _anywhere(new) and unfinished):
                raise refusal_of(sealed, old.url) or StorageError(sealed)
            if unfinished:
                _require_equal(connection, new)
            else:
                _make_copy(connection, new, COPY + _anywhere(old), progress)
            if sealed is None:
                seal(connection, MOVED + _anywhere(new))
        # Killed before this, neither or only the old one can be written: moving again ends it.
        with new.alone() as connection:
            unseal(connection)
        return new.url


def _anywhere(storage: SQLStorage) -> str:
    """Return an address that means the same in every folder, without a password."""
    if not isinstance(storage, SQLiteStorage):
        return storage.url
    return f"sqlite:///{storage.path.resolve()}"


def _make_copy(
    connection: sa.Connection, new: SQLStorage, sealed: str, progress: Progress | None
) -> None:
    if not isinstance(new, SQLiteStorage):
        _copy_rows(connection, new, progress, sealed)
        return
    with _appearing(new.path) as draft:
        with _file(draft) as made:
            _copy_rows(connection, made, progress, sealed)
        _read_back(draft)


def _is_copy_of(new: SQLStorage, old: SQLStorage) -> bool:
    """Say whether a move from the same storage was interrupted after it had made the copy."""
    try:
        new.schema()
    except StorageNotFound:
        return False
    with new.frozen() as connection:
        return seal_of(connection) == COPY + _anywhere(old)


def _require_equal(connection: sa.Connection, new: SQLStorage) -> None:
    query = sa.select(campaigns).order_by(campaigns.c.id)
    with new.frozen() as copy:
        if copy.execute(query).all() != connection.execute(query).all():
            raise StorageExists(
                f"{new.url} holds what a move that was interrupted copied, and more was recorded "
                "since; nothing was written. Remove that copy, or choose another place, and move "
                "again."
            )


@contextmanager
def _given(storage: str | Storage | None) -> Iterator[SQLStorage]:
    if isinstance(storage, Storage):
        yield _sql(storage)
        return
    with _sql(storage_at(storage)) as found:
        yield found


def _sql(storage: Storage) -> SQLStorage:
    if not isinstance(storage, SQLStorage):
        raise StorageError(
            f"{storage.url} is kept by {storage.package}, which brings its own means of backup; "
            "palacs campaign export writes single campaigns."
        )
    return storage


def _require_known(source: SQLStorage) -> None:
    # Pages are copied whatever they hold: before an upgrade is when a backup is wanted most.
    if source.schema() not in REVISIONS:
        source.check()


def _file(path: Path) -> SQLiteStorage:
    return SQLiteStorage(sa.URL.create("sqlite", database=str(path)))


def _copy_rows(
    connection: sa.Connection, target: SQLStorage, progress: Progress | None, sealed: str | None
) -> None:
    """Make an empty storage, fill it and seal it with a message if there is one; all or nothing."""
    total = int(connection.execute(sa.select(sa.func.count()).select_from(events)).scalar_one())
    done = 0
    with target.making() as into:
        if into.execute(sa.select(campaigns.c.id).limit(1)).first() is not None:
            raise StorageExists(
                f"{target.url} holds campaigns already; nothing was written. Choose an empty "
                "database."
            )
        for table in (campaigns, events):
            query = sa.select(table).order_by(*table.primary_key)
            found = connection.execute(query.execution_options(yield_per=_ROWS_AT_ONCE))
            for rows in found.mappings().partitions():
                into.execute(sa.insert(table), [dict(row) for row in rows])
                done += len(rows) if table is events else 0
                if progress is not None:
                    progress(done, total)
        target.after_copy(into)
        if sealed is not None:
            seal(into, sealed)


def _read_back(path: Path) -> None:
    """Refuse a copy that does not hold what it should; one of an older schema has no chain."""
    with _file(path) as made:
        wrong = made.verify() if made.schema() == REVISIONS[-1] else []
    if wrong:
        raise StorageDamaged(f"what was copied is damaged, so no copy was made: {wrong[0]}")


@contextmanager
def _appearing(path: Path) -> Iterator[Path]:
    """Yield a name to write to; the file gets its own name when it is complete.

    A hard link fails where the name is taken, which no check beforehand can promise.
    """
    if path.exists():
        raise StorageExists(f"{str(path)!r} is already there; nothing was overwritten.")
    _refuse_a_log_left_behind(path)
    if not path.resolve().parent.is_dir():
        raise StorageNotFound(
            f"the folder {str(path.resolve().parent)!r} does not exist; make it first."
        )
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
    try:
        yield draft
        _name(draft, path)
    finally:
        for suffix in ("", "-wal", "-shm", "-journal"):
            draft.with_name(draft.name + suffix).unlink(missing_ok=True)


def _refuse_a_log_left_behind(path: Path) -> None:
    """Raise where SQLite would play the log of a file that is gone into the new one."""
    for suffix in ("-wal", "-journal", "-shm"):
        log = beside(path, suffix)
        if log.exists():
            raise StorageExists(
                f"{str(log)!r} is the log of a file that is gone and would be played into the new "
                "one; nothing was written. Put it where that file is now, beside it and named "
                f"after it, or remove it; or choose another name than {path.name!r}."
            )


def _name(draft: Path, path: Path) -> None:
    _refuse_a_log_left_behind(path)
    try:
        try:
            os.link(draft, path)
        except FileExistsError:
            raise
        except OSError:
            # A file system without hard links, such as a memory stick's: take the name first.
            path.open("xb").close()
            draft.replace(path)
    except FileExistsError as error:
        raise StorageExists(
            f"{str(path)!r} appeared meanwhile; nothing was overwritten."
        ) from error
    folder = os.open(path.resolve().parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
