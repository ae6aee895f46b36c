"""Who may call what: one table of all routes, and the people it speaks of.

A row is a method and the template of a route, with the roles that may use it. The guard looks here
before any route sees a request; a route that has no row is the experimenter's of the whole studio
alone. Whoever was let in for one campaign passes rows with ``{name}`` for that campaign only, and
rows without it only where they are marked as being about no campaign at all.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass
from typing import NamedTuple

from palacs.studio._campaign_paths import name_in


class Role(enum.StrEnum):
    """What somebody was let in for."""

    PARTICIPANT = "participant"
    ANNOTATOR = "annotator"
    VIEWER = "viewer"
    EXPERIMENTER = "experimenter"


MEANINGS = {
    Role.PARTICIPANT: "sees the cue of one campaign and answers requests of their own",
    Role.ANNOTATOR: "has a queue of their own: performs, records, uploads and undoes that",
    Role.VIEWER: "reads everything and changes nothing",
    Role.EXPERIMENTER: "does everything",
}
# They are kept to requests of their own, and to one campaign.
OWN_ONLY = frozenset({Role.PARTICIPANT, Role.ANNOTATOR})


@dataclass(frozen=True, slots=True)
class Visitor:
    """Whom a request comes from.

    Parameters
    ----------
    role : Role
    campaign : str or None
        The only one that is there for them; None is the whole studio.
    link : str or None
        The id of the link they came by; None is the launch token.
    name : str or None
        Of the person the link was made for.
    """

    role: Role = Role.EXPERIMENTER
    campaign: str | None = None
    link: str | None = None
    name: str | None = None

    @property
    def own_only(self) -> bool:
        """Whether they are kept to requests of their own."""
        return self.role in OWN_ONLY

    def sees(self, campaign: str) -> bool:
        """Whether a campaign is there for them."""
        return self.campaign is None or self.campaign == campaign

    def holder(self, given: str | None) -> str | None:
        """Return the holder that acts: nobody who came by a link acts for one of another link.

        Examples
        --------
        >>> anna = Visitor(Role.ANNOTATOR, "demo", "k7", "Anna")
        >>> anna.holder("phone"), anna.holder("k7.phone"), anna.holder("k8.phone")
        ('k7.phone', 'k7.phone', 'k7.k8.phone')
        """
        if self.link is None:
            return given
        if not given or given == self.link:
            return self.link
        mine = given.startswith(f"{self.link}.")
        return (given if mine else f"{self.link}.{given}")[:200]


class Row(NamedTuple):
    """Who may call a route; `anywhere` marks one that is about no campaign at all."""

    roles: frozenset[Role]
    anywhere: bool = False


def _row(roles: str, *, anywhere: bool = False) -> Row:
    return Row(frozenset(Role(role) for role in roles.split()), anywhere)


_ALL = _row("participant annotator viewer experimenter", anywhere=True)
_PERFORM = _row("participant annotator experimenter")
_ANNOTATE = _row("annotator experimenter")
_READ = _row("viewer experimenter")
_READ_ANYWHERE = _row("viewer experimenter", anywhere=True)
_WRITE = _row("experimenter")

_API = "/api/v1"
_OF_CAMPAIGN = f"{_API}/campaigns/{{name}}"

TABLE: dict[str, Row] = {
    # Pages; "/" leads those of one campaign to the page that is theirs.
    "GET /": _ALL,
    "GET /draw": _WRITE,
    "GET /watch": _READ_ANYWHERE,
    "GET /reports": _READ,
    "GET /people": _WRITE,
    "GET /campaigns/{name}": _READ,
    "GET /campaigns/{name}/inside": _READ,
    "GET /campaigns/{name}/people": _WRITE,
    "GET /campaigns/{name}/cue": _PERFORM,
    "GET /campaigns/{name}/session": _PERFORM,
    "GET /campaigns/{name}/annotate": _ANNOTATE,
    # About no campaign at all; the streams of others are left out of /events.
    f"GET {_API}/clock": _ALL,
    f"GET {_API}/events": _ALL,
    f"GET {_API}/strategies": _READ_ANYWHERE,
    f"GET {_API}/watch": _READ_ANYWHERE,
    f"GET {_API}/docs": _READ_ANYWHERE,
    f"GET {_API}/openapi.json": _READ_ANYWHERE,
    # The whole studio.
    f"GET {_API}/campaigns": _READ,
    f"POST {_API}/campaigns": _WRITE,
    f"GET {_API}/reports": _READ,
    f"GET {_API}/reports/{{id}}": _READ,
    f"GET {_API}/links": _WRITE,
    f"POST {_API}/links": _WRITE,
    f"POST {_API}/links/revoke": _WRITE,
    # What is performed.
    f"GET {_OF_CAMPAIGN}/cue": _PERFORM,
    f"POST {_OF_CAMPAIGN}/next": _PERFORM,
    f"POST {_OF_CAMPAIGN}/performed": _PERFORM,
    f"POST {_OF_CAMPAIGN}/fail": _PERFORM,
    f"POST {_OF_CAMPAIGN}/undo": _PERFORM,
    f"GET {_OF_CAMPAIGN}/session": _PERFORM,
    f"POST {_OF_CAMPAIGN}/session/report": _PERFORM,
    f"POST {_OF_CAMPAIGN}/painted": _PERFORM,
    f"GET {_OF_CAMPAIGN}/events": _row("participant annotator viewer experimenter"),
    # What is brought.
    f"POST {_OF_CAMPAIGN}/claim": _ANNOTATE,
    f"POST {_OF_CAMPAIGN}/tell": _ANNOTATE,
    f"POST {_OF_CAMPAIGN}/upload": _ANNOTATE,
    f"POST {_OF_CAMPAIGN}/recording": _ANNOTATE,
    f"GET {_OF_CAMPAIGN}/mine": _ANNOTATE,
    f"POST {_OF_CAMPAIGN}/tell-many": _ANNOTATE,
    # What is read.
    f"GET {_OF_CAMPAIGN}": _READ,
    f"GET {_OF_CAMPAIGN}/status": _READ,
    f"GET {_OF_CAMPAIGN}/history": _READ,
    f"GET {_OF_CAMPAIGN}/export": _READ,
    f"GET {_OF_CAMPAIGN}/recording": _READ,
    f"GET {_OF_CAMPAIGN}/recordings": _READ,
    f"GET {_OF_CAMPAIGN}/noted": _READ,
    f"GET {_OF_CAMPAIGN}/pending": _READ,
    f"GET {_OF_CAMPAIGN}/stopping": _READ,
    f"GET {_OF_CAMPAIGN}/insight": _READ,
    f"GET {_OF_CAMPAIGN}/inside": _READ,
    f"GET {_OF_CAMPAIGN}/classes": _READ,
    f"GET {_OF_CAMPAIGN}/confusion": _READ,
    f"GET {_OF_CAMPAIGN}/instance": _READ,
    f"GET {_OF_CAMPAIGN}/labelled-set": _READ,
    f"GET {_OF_CAMPAIGN}/record": _READ,
    f"POST {_OF_CAMPAIGN}/predict": _READ,
    # What is decided and written down.
    f"POST {_OF_CAMPAIGN}/ask": _WRITE,
    f"POST {_OF_CAMPAIGN}/add": _WRITE,
    f"POST {_OF_CAMPAIGN}/table": _WRITE,
    f"POST {_OF_CAMPAIGN}/retract": _WRITE,
    f"POST {_OF_CAMPAIGN}/pause": _WRITE,
    f"POST {_OF_CAMPAIGN}/resume": _WRITE,
    f"POST {_OF_CAMPAIGN}/classes": _WRITE,
    f"POST {_OF_CAMPAIGN}/change": _WRITE,
    f"POST {_OF_CAMPAIGN}/rename-class": _WRITE,
    f"POST {_OF_CAMPAIGN}/renew": _WRITE,
    f"POST {_OF_CAMPAIGN}/close": _WRITE,
    f"POST {_OF_CAMPAIGN}/reopen": _WRITE,
    f"POST {_OF_CAMPAIGN}/archive": _WRITE,
    f"POST {_OF_CAMPAIGN}/session/command": _WRITE,
    # Letting others in.
    f"GET {_OF_CAMPAIGN}/links": _WRITE,
    f"POST {_OF_CAMPAIGN}/links": _WRITE,
    f"POST {_OF_CAMPAIGN}/links/revoke": _WRITE,
    # The drawing demo.
    f"POST {_API}/demo/digits/start": _WRITE,
    f"POST {_API}/demo/digits/{{name}}/drawing": _WRITE,
    f"POST {_API}/demo/digits/{{name}}/next": _WRITE,
    f"POST {_API}/demo/digits/{{name}}/undo": _WRITE,
    f"GET {_API}/demo/digits/{{name}}/progress": _READ,
    f"GET {_API}/demo/digits/{{name}}/drawn-for-you": _READ,
}
"""Every route that somebody with a link can get to, with the roles that may use it."""


def _pattern(template: str) -> re.Pattern[str]:
    parts = re.split(r"{(\w+)}", template)
    return re.compile(
        "".join(
            re.escape(part) if i % 2 == 0 else f"(?P<{part}>[^/]+)" for i, part in enumerate(parts)
        )
    )


_PATTERNS = [(row, _pattern(route)) for route, row in TABLE.items()]


def may(visitor: Visitor, method: str, path: str) -> bool:
    """Whether somebody may send a request; `path` has names in one part, as they were sent.

    Examples
    --------
    >>> anna = Visitor(Role.ANNOTATOR, "demo", "k7", "Anna")
    >>> may(anna, "POST", "/api/v1/campaigns/demo/next")
    True
    >>> may(anna, "POST", "/api/v1/campaigns/other/next"), may(anna, "GET", "/api/v1/campaigns")
    (False, False)
    """
    if visitor == Visitor(name=visitor.name, link=visitor.link):
        return True
    called = f"{'GET' if method == 'HEAD' else method} {path}"
    for row, pattern in _PATTERNS:
        found = pattern.fullmatch(called)
        if found:
            name = found.groupdict().get("name")
            there = row.anywhere if name is None else visitor.sees(name_in(name))
            return visitor.role in row.roles and (visitor.campaign is None or there)
    return False


PAGES = {
    Role.PARTICIPANT: "/cue",
    Role.ANNOTATOR: "/annotate",
    Role.VIEWER: "",
    Role.EXPERIMENTER: "",
}
"""What follows a campaign's address on the page where a role begins."""
