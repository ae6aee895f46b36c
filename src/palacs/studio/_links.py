"""The links by which others are let in: kept beside the campaigns, their secrets as hashes only.

They are no part of the record: whoever is given a record, or a backup of it, gets no key with it,
and a record that is imported opens no door. The file is looked at for every request, so that two
studios on one storage, and the command line beside them, mean the same links at any moment.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from palacs.campaign import DoesNotFit
from palacs.storage import ForkSafeLock, Storage
from palacs.studio._roles import OWN_ONLY, Role, Visitor

DAY_S = 86_400.0
DEFAULT_DAYS = 7.0
MOST_DAYS = 366.0
_MOST_LINKS = 10_000
_PATIENCE_S = 10.0
_DEEPEST = 20
_MOST_TOLD = 1000

_TABLES = """
CREATE TABLE IF NOT EXISTS links (
    id TEXT PRIMARY KEY, secret BLOB NOT NULL UNIQUE, role TEXT NOT NULL, campaign TEXT,
    name TEXT NOT NULL, made_at REAL NOT NULL, expires_at REAL NOT NULL, revoked_at REAL,
    maker TEXT
);
CREATE TABLE IF NOT EXISTS places (what TEXT PRIMARY KEY, address TEXT NOT NULL);
"""


class NoLinks(Exception):
    """The file in which links are kept cannot be used; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Link:
    """Somebody who was let in.

    Attributes
    ----------
    id : str
        By which it is listed and revoked; it is no secret.
    role : Role
    campaign : str or None
        The only one it leads to; None is the whole studio.
    name : str
        Of the person, kept with everything they write.
    made_at, expires_at : float
        Seconds since the epoch.
    revoked_at : float or None
    maker : str or None
        The link of whoever made it, with which it ends; None is the launch token.
    """

    id: str
    role: Role
    campaign: str | None
    name: str
    made_at: float
    expires_at: float
    revoked_at: float | None = None
    maker: str | None = None

    def state(self, now: float) -> str:
        """Return ``"open"``, ``"expired"`` or ``"revoked"``."""
        if self.revoked_at is not None:
            return "revoked"
        return "open" if now < self.expires_at else "expired"

    @property
    def visitor(self) -> Visitor:
        """Whom it lets in."""
        return Visitor(self.role, self.campaign, self.id, self.name)


def place_of(storage: Storage, what: str = "links") -> Path | None:
    """Return where what belongs to a storage is kept; None where it lasts as long as the studio.

    Beside a SQLite file, so that everybody who works on that means the same; for a database on a
    server, in this user's own folder for such things.
    """
    if storage.url == "memory":
        return None
    path = getattr(storage, "path", None)
    if isinstance(path, Path):
        return path.absolute().with_name(f"{path.name}.{what}")
    home = Path(os.environ.get("XDG_STATE_HOME") or "~/.local/state").expanduser()
    digest = hashlib.sha256(storage.url.encode()).hexdigest()[:16]
    return home / "palacs" / f"{digest}.{what}"


class LinkBook:
    """Makes, finds and revokes links.

    Parameters
    ----------
    path : Path or None
        The file, made when the first link is; None keeps them in this process.

    Examples
    --------
    >>> book = LinkBook(None)
    >>> link, secret = book.make(Role.ANNOTATOR, "demo", "Anna")
    >>> book.by_secret(secret).name
    'Anna'
    >>> book.revoke(link.id)
    1
    >>> book.by_secret(secret) is None
    True
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._inside: sqlite3.Connection | None = None
        self._mutex, self._making = ForkSafeLock(), ForkSafeLock()
        self._told: dict[str, str] = {}
        if path is None:
            self._inside = sqlite3.connect(":memory:", check_same_thread=False)
            self._inside.executescript(_TABLES)

    # -- changing ----------------------------------------------------------------------

    def make(
        self,
        role: Role,
        campaign: str | None,
        name: str,
        *,
        days: float = DEFAULT_DAYS,
        maker: str | None = None,
        op: str | None = None,
    ) -> tuple[Link, str]:
        """Return a new link and its secret, which is known to nobody from then on.

        Repeated with its `op`, a call returns the link that it made: with its secret, or after a
        restart of the studio with a new one, since the first was not kept.
        """
        if campaign is None and role in OWN_ONLY:
            raise ValueError(f"a link for {role}s leads to one campaign; say which.")
        if not name.strip() or len(name) > 100 or not name.isprintable():
            raise ValueError(f"name={name!r:.60} must have 1 to 100 printable characters.")
        if not 0 < days <= MOST_DAYS:
            raise ValueError(f"days={days:g} must be more than 0 and at most {MOST_DAYS:g}.")
        now, secret = time.time(), secrets.token_urlsafe(24)
        id_ = secrets.token_hex(4) if op is None else _id_of(op, maker)
        link = Link(id_, role, campaign, name.strip(), now, now + days * DAY_S, None, maker)
        if maker is not None:
            link = self._within(link, maker)
        with self._making:
            # Another studio on the same file may have had this call, even at this moment.
            known = None if op is None else self._known(id_)
            if known is not None or not self._insert(link, secret):
                return self._again(known or self._known(id_) or link, link)
            if op is not None:
                self._told[id_] = secret
                while len(self._told) > _MOST_TOLD:
                    del self._told[next(iter(self._told))]
        return link, secret

    def _known(self, id_: str) -> Link | None:
        rows = self._rows(f"{_SELECT} WHERE id = ?", (id_,))
        return _link(rows[0]) if rows else None

    def _insert(self, link: Link, secret: str) -> bool:
        """Write a link down; return whether there was none of its id."""
        with self._open(writes=True) as db:
            (n,) = db.execute("SELECT count(*) FROM links").fetchone()
            if n >= _MOST_LINKS:
                raise ValueError(f"there are {n:,} links; no more are made.")
            row = (link.id, _hashed(secret), str(link.role), link.campaign, link.name, link.made_at)
            written = db.execute(
                "INSERT OR IGNORE INTO links VALUES (?, ?, ?, ?, ?, ?, ?, NULL, ?)",
                (*row, link.expires_at, link.maker),
            )
            return written.rowcount == 1

    def _again(self, known: Link, wanted: Link) -> tuple[Link, str]:
        """Return a link that the same call made before."""
        later = wanted.expires_at - known.expires_at
        lasts_as_long = min(abs(later), abs(later - wanted.made_at + known.made_at)) <= 1.0
        same = replace(wanted, made_at=known.made_at, expires_at=known.expires_at)
        if same != replace(known, revoked_at=None) or not lasts_as_long:
            raise DoesNotFit(
                "this key was another call's before; give every call a key of its own."
            )
        if not self._stands(known):
            raise DoesNotFit(
                f"the link that this call made is {self.state(known)}; make a new one."
            )
        secret = self._told.get(known.id)
        # It ended where another studio gave the link a new one.
        if secret is None or self.by_secret(secret) is None:
            secret = self._told[known.id] = secrets.token_urlsafe(24)
            with self._open(writes=True) as db:
                query = "UPDATE links SET secret = ? WHERE id = ?"
                db.execute(query, (_hashed(secret), known.id))
        return known, secret

    def _within(self, link: Link, maker: str) -> Link:
        """Return a link as it is made with another, with which it ends at the latest."""
        if not self._stands(link):
            raise ValueError(
                f"links made with links are {_DEEPEST} deep at most, and the one they come from "
                "must be open; let somebody else make this one."
            )
        rows = self._rows(f"{_SELECT} WHERE id = ?", (maker,))
        ends = [link.expires_at, *(_link(row).expires_at for row in rows)]
        return replace(link, expires_at=min(ends))

    def revoke(self, id_: str) -> int:
        """Let a link and those made with it end; return how many were open."""
        before = {link.id for link in self.all() if self._stands(link)}
        with self._open(writes=True) as db:
            found = db.execute(
                "UPDATE links SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?",
                (time.time(), id_),
            )
            if not found.rowcount:
                raise KeyError(id_)
        return len(before - {link.id for link in self.all() if self._stands(link)})

    def remember(self, address: str) -> None:
        """Note where the studio that was started last is reached, for new links."""
        with self._open(writes=True) as db:
            db.execute("INSERT OR REPLACE INTO places VALUES ('studio', ?)", (address,))

    # -- looking -----------------------------------------------------------------------

    def address(self) -> str | None:
        """Return where the studio that was started last is reached."""
        rows = self._rows("SELECT address FROM places WHERE what = 'studio'")
        return None if not rows else str(rows[0][0])

    def by_secret(self, secret: str) -> Link | None:
        """Return the open link with a secret."""
        return self._one("secret", _hashed(secret))

    def by_id(self, id_: str) -> Link | None:
        """Return an open link."""
        return self._one("id", id_)

    def all(self, campaign: str | None = None) -> list[Link]:
        """Return all links, or those to one campaign, the latest first."""
        where = "" if campaign is None else "WHERE campaign = ?"
        given = () if campaign is None else (campaign,)
        return [_link(row) for row in self._rows(f"{_SELECT} {where} ORDER BY made_at DESC", given)]

    def state(self, link: Link) -> str:
        """Return whether a link is open, also seen from whoever made it."""
        state = link.state(time.time())
        return "revoked" if state == "open" and not self._stands(link) else state

    def _one(self, column: str, value: Any) -> Link | None:
        rows = self._rows(f"{_SELECT} WHERE {column} = ?", (value,))
        link = _link(rows[0]) if rows else None
        return link if link is not None and self._stands(link) else None

    def _stands(self, link: Link) -> bool:
        now = time.time()
        for _ in range(_DEEPEST):
            if link.state(now) != "open":
                return False
            if link.maker is None:
                return True
            rows = self._rows(f"{_SELECT} WHERE id = ?", (link.maker,))
            if not rows:
                return False
            link = _link(rows[0])
        return False

    def _rows(self, query: str, given: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        # One that was just made, or whose maker was killed, is empty.
        if self.path is not None and not (self.path.exists() and self.path.stat().st_size):
            return []
        with self._open() as db:
            return db.execute(query, given).fetchall()

    @contextmanager
    def _open(self, *, writes: bool = False) -> Iterator[sqlite3.Connection]:
        # One connection for each look: nothing to share between threads or to inherit by a fork.
        if self._inside is not None:
            with self._mutex, self._inside:
                yield self._inside
            return
        assert self.path is not None
        try:
            if writes:
                self._make_file()
            db = sqlite3.connect(self.path, timeout=_PATIENCE_S)
            try:
                with db:
                    if writes:
                        db.executescript(_TABLES)
                    yield db
            finally:
                db.close()
        except (OSError, sqlite3.Error) as error:
            raise NoLinks(
                f"links are kept in {self.path.name!r}, which cannot be used "
                f"({getattr(error, 'strerror', None) or error}); name another file with --links."
            ) from error

    def _make_file(self) -> None:
        assert self.path is not None
        if not self.path.exists():
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            # For its owner alone, from the first moment.
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))


_SELECT = "SELECT id, role, campaign, name, made_at, expires_at, revoked_at, maker FROM links"


def _link(row: tuple[Any, ...]) -> Link:
    id_, role, campaign, name, made_at, expires_at, revoked_at, maker = row
    return Link(id_, Role(role), campaign, name, made_at, expires_at, revoked_at, maker)


def _id_of(op: str, maker: str | None) -> str:
    """Return the id of the link that a call makes, whose key is its maker's own."""
    return hashlib.sha256(f"{maker or ''} {op}".encode("utf-8", "replace")).hexdigest()[:16]


def _hashed(secret: str) -> bytes:
    # As many random bits as it has cannot be tried out, so a slow hash would win nothing.
    return hashlib.sha256(secret.encode("utf-8", "replace")).digest()
