"""The storage contract in SQL, shared by every database.

Subclasses say how to connect, how to take a campaign's lock and what their driver's errors
mean; the statements are the same. Each write block is one transaction: lock, look, append,
commit, so a killed process leaves either all of it or nothing.
"""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Self

import sqlalchemy as sa
from sqlalchemy import exc

from palacs.storage import _chain, _snapshots
from palacs.storage._addresses import parse, shown
from palacs.storage._clocks import plausible
from palacs.storage._drafts import Draft, Event
from palacs.storage._following import End, Seen, end_of, last_of, read_events, verify
from palacs.storage._forking import watch
from palacs.storage._schema import REVISIONS, campaigns
from palacs.storage._schema_versions import inspect, migrate
from palacs.storage._sealing import refusal_of
from palacs.storage._sql_turn import SQLTransaction
from palacs.storage._storage import Clock, Storage
from palacs.storage._storage_errors import (
    CampaignExists,
    CampaignNotFound,
    StorageConflict,
    StorageDamaged,
    StorageError,
    StorageNotFound,
    StorageOutcomeUnknown,
    StorageUnavailable,
)
from palacs.storage._turn import SnapshotPart, StoredCampaign, Transaction

_ANY_CAMPAIGN = sa.select(campaigns.c.id).limit(1)


class SQLStorage(Storage):
    """A storage in a database that SQLAlchemy can reach.

    Parameters
    ----------
    url : sqlalchemy.URL
        Address of the database.
    clock : callable or None
        Replaces the storage's clock; for tests and simulations.
    """

    schemas = REVISIONS
    shared = False  # whether other programs' tables may live beside ours

    def __init__(self, url: sa.URL, clock: Clock | None = None) -> None:
        self.url = shown(url)
        self._clock = clock
        self._where = url
        self._seen: dict[int, Seen] = {}  # by campaign; each is true for good
        self._begin()
        watch(self)

    def _begin(self) -> None:
        # Readers have connections of their own, so that they never queue behind writers.
        self._writers, self._readers = self._connect(self._where), self._connect(self._where)
        self._process = os.getpid()

    @classmethod
    def from_url(cls, url: str, clock: Clock | None = None) -> Self:
        """Return the storage at an address; nothing is opened yet."""
        return cls(parse(url, cls.address_form), clock)

    @abstractmethod
    def _connect(self, url: sa.URL) -> sa.Engine:
        """Return an engine; nothing is opened yet."""

    @abstractmethod
    def _lock(self, connection: sa.Connection, key: int) -> End | None:
        """Take the campaign's lock; return its end, or None."""

    @abstractmethod
    def _translate(self, error: exc.DBAPIError) -> StorageError:
        """Say what a driver's error means."""

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except exc.DBAPIError as error:
            sealed = refusal_of(str(error.orig), self.url)
            if sealed is not None:
                raise sealed from error
            if not isinstance(error, exc.IntegrityError):
                raise self._translate(error) from error
            raise StorageConflict(
                f"{self.url} refused an event that the record may hold only once: {error.orig}"
            ) from error
        except exc.TimeoutError as error:
            raise StorageUnavailable(
                f"{self.url}: too many threads of this process use it at once and none of its "
                f"connections came free ({error}); try again, with fewer threads."
            ) from error

    @contextmanager
    def _connected(self, *, writes: bool) -> Iterator[sa.Connection]:
        """Lend a connection of this process; its errors leave as ours."""
        self._require_own_process()
        with self._translated(), (self._writers if writes else self._readers).connect() as lent:
            yield lent.execution_options(palacs_write=writes)

    def _require_own_process(self) -> None:
        if self._process != os.getpid():
            self.after_fork()  # by a program that did not tell Python

    @contextmanager
    def _reading(self) -> Iterator[sa.Connection]:
        with self._connected(writes=False) as connection, connection.begin():
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[sa.Connection]:
        with self._connected(writes=True) as connection:
            turn = connection.begin()
            try:
                yield connection
            except BaseException:
                turn.rollback()
                raise
            self._commit(turn)

    def _commit(self, turn: sa.RootTransaction) -> None:
        try:
            turn.commit()
        except exc.DBAPIError as error:
            if not self._leaves_open(error):
                raise
            raise StorageOutcomeUnknown(
                f"{self.url}: the connection broke while the end of the operation was written "
                f"({error.orig}), so it is unknown whether it was kept. Repeat it with the same "
                "operation id, which changes nothing if it was, or look at the history first."
            ) from error

    @abstractmethod
    def _leaves_open(self, error: exc.DBAPIError) -> bool:
        """Say whether a commit that failed like this may have succeeded all the same."""

    def before_fork(self) -> None:
        """Do nothing: a child forgets its parent's connections."""

    def after_fork(self) -> None:
        """Forget the parent's connections; a child must not speak on them."""
        self._begin()

    def schema(self) -> str:
        """Return the version of the schema in the database; write nothing."""
        with self._reading() as connection:
            found = inspect(connection, self.url, shared=self.shared)
        if found is None:
            raise StorageNotFound(
                f"{self.url} holds no campaigns yet; create one with: "
                f"palacs campaign create NAME --classes a,b,c --storage {self.url}"
            )
        return found

    def make(self) -> None:
        """Make the tables, unless another process was faster."""
        with self._migrating() as connection:
            # Looked at again under the lock.
            if inspect(connection, self.url, shared=self.shared) is None:
                migrate(connection)

    def migrate(self) -> None:
        """Bring an older schema to the newest, in one transaction."""
        with self._migrating() as connection:
            migrate(connection)

    @contextmanager
    def _migrating(self) -> Iterator[sa.Connection]:
        with self._writing() as connection:
            yield connection

    def create(self, name: str, drafts: Sequence[Draft]) -> StoredCampaign:
        """Make a campaign together with its first events."""
        try:
            with self._writing() as connection:
                now = self._now(connection)
                created = drafts[0].at if drafts and drafts[0].at is not None else now
                chain = _chain.anchor(name, created)
                row = sa.insert(campaigns).values(
                    name=name, created_at=created, head=0, chain=chain
                )
                key = connection.execute(row).inserted_primary_key
                assert key is not None
                end = End(0, chain, name, created)
                turn = SQLTransaction(connection, key[0], end, Seen(0, chain), now)
                turn.append(drafts)
                made = StoredCampaign(key[0], name, created, turn.head, turn.chain)
            self._remember(made.key, turn.seen)
            return made
        except StorageConflict as error:
            if any(found.name == name for found in self.campaigns()):
                raise CampaignExists(
                    f"campaign {name!r} is already in {self.url}; load it with "
                    f"palacs.load_campaign({name!r}, ...) or choose another name."
                ) from error
            raise

    def find(self, name: str) -> StoredCampaign:
        """Return the campaign called `name`."""
        with self._reading() as connection:
            query = sa.select(campaigns).where(campaigns.c.name == name)
            row = connection.execute(query).first()
            if row is None:
                names = connection.execute(sa.select(campaigns.c.name).limit(5)).scalars().all()
        if row is None:
            known = ", ".join(map(repr, names)) or "none yet"
            raise CampaignNotFound(f"no campaign {name!r} in {self.url}; there are: {known}.")
        return _stored(row)

    def campaigns(self) -> list[StoredCampaign]:
        """Return all campaigns, oldest first."""
        with self._reading() as connection:
            rows = connection.execute(sa.select(campaigns).order_by(campaigns.c.id)).all()
        return [_stored(row) for row in rows]

    def events(self, key: int, after: int = 0, limit: int | None = None) -> list[Event]:
        """Return events of campaign `key` numbered above `after`, in order."""
        seen = self._seen.get(key)  # before the moment that is read
        with self._reading() as connection:
            end = end_of(connection, key)
            if end is None:
                return []
            end.require_all_of(seen)
            until = end.head if limit is None else min(end.head, after + limit)
            if after >= until:
                return []
            found, seen = read_events(connection, key, end, (after, until), seen)
        self._remember(key, seen)
        return found

    def _remember(self, key: int, seen: Seen | None) -> None:
        before = self._seen.get(key)
        if seen is not None and (before is None or before.seq < seen.seq):
            self._seen[key] = seen

    @contextmanager
    def write(self, key: int) -> Iterator[Transaction]:
        """Take the writer's turn on campaign `key`; leaving the block commits it."""
        seen = self._seen.get(key)
        with self._writing() as connection:
            end = self._lock(connection, key)
            if end is None:
                raise CampaignNotFound(f"no campaign with key {key} in {self.url}.")
            end.require_all_of(seen)
            now, last = self._now_and_last(connection, key)
            end.require_last(last)
            turn = SQLTransaction(connection, key, end, seen, now)
            yield turn
        self._remember(key, turn.seen)

    # -- snapshots -----------------------------------------------------------------------

    def load_snapshot(self, key: int, part: str, known: bytes | None = None) -> SnapshotPart | None:
        """Return a part of a campaign's snapshot, or None where there is none or any doubt."""
        with self._reading() as connection:
            found = _snapshots.load(connection, key, part, known)
        if found is None:
            return None
        loaded, seen = found
        self._remember(key, seen)
        return loaded

    def save_snapshot(
        self,
        key: int,
        seq: int,
        form: str,
        parts: Mapping[str, bytes],
        *,
        keep: Collection[str] | None = None,
    ) -> bool:
        """Write parts of a snapshot, unless the record has moved on or somebody is writing."""
        # Under the lock: what an erasure took out must not come back.
        with self._writing_at_once() as connection:
            end = self._lock(connection, key)
            if end is None or end.head != seq:
                return False
            _snapshots.save(connection, key, (end.head, end.chain), form, parts, keep)
        return True

    def snapshot_parts(self, key: int) -> dict[str, bytes]:
        """Return the checksums of the parts of a campaign's snapshot, by name."""
        with self._reading() as connection:
            return _snapshots.kept(connection, key)

    @contextmanager
    def _writing_at_once(self) -> Iterator[sa.Connection]:
        """Write without queueing: raise where another writer is at it."""
        with self._writing() as connection:
            yield connection

    def verify(self) -> list[str]:
        """Read everything there is and return what is wrong with it, one sentence each."""
        found = self._verify_database()
        try:
            known = self.campaigns()
        except StorageError as error:
            return [*found, str(error)]
        for campaign in known:
            try:
                with self.frozen() as connection:
                    verify(connection, campaign.key)
            except StorageDamaged as error:
                found.append(f"campaign {campaign.name!r}: {error}")
        return found

    def _verify_database(self) -> list[str]:
        return []

    def now(self) -> float:
        """Return the clock that leases are measured with, in seconds since the epoch."""
        if self._clock is not None:
            return plausible(self._clock())
        with self._reading() as connection:
            return self._now(connection)

    def _now(self, connection: sa.Connection) -> float:
        return plausible(self._server_now(connection) if self._clock is None else self._clock())

    def _now_and_last(self, connection: sa.Connection, key: int) -> tuple[float, int]:
        return self._now(connection), last_of(connection, key)

    @abstractmethod
    def _server_now(self, connection: sa.Connection) -> float:
        """Return the time all users of this database agree on."""

    def close(self) -> None:
        """Give back connections; the storage can be used again afterwards."""
        if self._process == os.getpid():
            self._writers.dispose()
            self._readers.dispose()

    # -- the whole storage, for copies -------------------------------------------------

    @contextmanager
    def frozen(self) -> Iterator[sa.Connection]:
        """Show one moment of everything, whoever writes meanwhile."""
        with self._reading() as connection:
            # The moment is that of the first statement.
            connection.execute(_ANY_CAMPAIGN).first()
            yield connection

    @contextmanager
    def alone(self) -> Iterator[sa.Connection]:
        """Keep everybody from writing, in any campaign; the others wait."""
        with self._writing() as connection:
            yield connection

    @contextmanager
    def making(self) -> Iterator[sa.Connection]:
        """Make the storage if it is not there and fill it, in one transaction."""
        with self._migrating() as connection:
            found = inspect(connection, self.url, shared=self.shared)
            if found is None:
                migrate(connection)
            else:
                self._require_newest(found)
            yield connection

    @abstractmethod
    def after_copy(self, connection: sa.Connection) -> None:
        """Let new campaigns get keys beyond those that were copied."""


def _stored(row: sa.Row[Any]) -> StoredCampaign:
    return StoredCampaign(row.id, row.name, row.created_at, row.head, row.chain)
