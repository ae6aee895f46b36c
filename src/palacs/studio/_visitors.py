"""Who a request comes from: the launch token, a link's secret, or a session that began with one.

A browser sends its cookie to every port of a host, so what is in it must be worth nothing to
others: it is a random number that means somebody to this process only, and to the next one nothing.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets

from palacs.storage import ForkSafeLock
from palacs.studio._links import LinkBook
from palacs.studio._roles import Visitor

_MOST_SESSIONS = 200


class Visitors:
    """Knows people by what they bring.

    Parameters
    ----------
    token : str
        Whoever has it may do everything.
    links : LinkBook
        The others who were let in.

    Examples
    --------
    >>> visitors = Visitors("correct-horse-battery", LinkBook(None))
    >>> owner = visitors.by_secret("correct-horse-battery")
    >>> visitors.by_session(visitors.enter(owner)) == owner
    True
    >>> visitors.by_secret("wrong") is None
    True
    """

    def __init__(self, token: str, links: LinkBook) -> None:
        self._token = token.encode("ascii")
        self._links = links
        self._mutex = ForkSafeLock()
        # By their hashes, so that comparing takes the same time whatever was guessed.
        self._sessions: dict[bytes, str | None] = {}

    def by_secret(self, given: str) -> Visitor | None:
        """Return who has this launch token or this link, if that still stands."""
        if hmac.compare_digest(given.encode("utf-8", "replace"), self._token):
            return Visitor()
        link = self._links.by_secret(given)
        return None if link is None else link.visitor

    def by_session(self, given: str) -> Visitor | None:
        """Return whose session it is, if their link still stands."""
        key = _key(given)
        with self._mutex:
            if key not in self._sessions:
                return None
            link_id = self._sessions[key]
        return Visitor() if link_id is None else self._by_link(link_id)

    def still(self, visitor: Visitor) -> bool:
        """Whether somebody may stay who was let in before."""
        return visitor.link is None or self._by_link(visitor.link) is not None

    def enter(self, visitor: Visitor) -> str:
        """Begin a session and return what stands for it in a cookie."""
        session = secrets.token_urlsafe(32)
        with self._mutex:
            # So many for each, so that nobody crowds out another.
            same = [key for key, link in self._sessions.items() if link == visitor.link]
            for oldest in same[: len(same) + 1 - _MOST_SESSIONS]:
                del self._sessions[oldest]
            self._sessions[_key(session)] = visitor.link
        return session

    def _by_link(self, id_: str) -> Visitor | None:
        link = self._links.by_id(id_)
        return None if link is None else link.visitor


def _key(session: str) -> bytes:
    return hashlib.sha256(session.encode("utf-8", "replace")).digest()
