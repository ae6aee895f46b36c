"""``palacs studio link``, ``links`` and ``unlink``: letting others in, and out again.

They work on the file in which links are kept, so a studio that runs knows them at once.
"""

from __future__ import annotations

import io
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from palacs.cli._campaign_io import print_json, reporting
from palacs.cli._campaign_options import Address, AsJson, Name
from palacs.cli._printable import say
from palacs.cli._rooms import DEFAULT_URL, st, studio

Links = Annotated[
    Path | None,
    typer.Option("--links", help="The file that keeps links. [beside the storage]"),
]
ROLES = "participant, annotator, viewer or experimenter"


def link(
    campaign: Name,
    name: Annotated[str, typer.Option("--name", help="Of the person; kept in the record.")],
    role: Annotated[str, typer.Option("--role", help=f"{ROLES}.".capitalize())] = "annotator",
    days: Annotated[float, typer.Option("--days", help="After which it ends.")] = 7.0,
    url: Annotated[
        str | None,
        typer.Option("--url", help="Where the studio is reached. [where it was started last]"),
    ] = None,
    storage: Address = DEFAULT_URL,
    file: Links = None,
    as_json: AsJson = False,
) -> None:
    """Let somebody in to a campaign: print a link and its QR code."""
    with reporting():
        book = _book(storage, file)
        if role not in list(studio.Role):
            raise ValueError(f"--role {role!r} is not known; there are {ROLES}.")
        with st.open_storage(storage) as opened:
            opened.find(campaign)
        base = url or book.address()
        if base is None:
            raise ValueError("no studio was started here yet; say where it is reached with --url.")
        base = studio.StudioConfig(public_url=base).public_origin
        made, secret = book.make(studio.Role(role), campaign, name, days=days)
        address = f"{base}/?token={secret}"
        if as_json:
            print_json({**_row(book, made), "url": address})
        else:
            say(address)
            say(_qr(address))
            say(f"{made.id}: {made.name}, {made.role} of {campaign}, until {_day(made.expires_at)}")


def links(storage: Address = DEFAULT_URL, file: Links = None, as_json: AsJson = False) -> None:
    """List everybody who was let in."""
    with reporting():
        book = _book(storage, file)
        rows = [_row(book, each) for each in book.all()]
        if as_json:
            print_json({"links": rows})
        for row in () if as_json else rows:
            where = row["campaign"] or "the whole studio"
            say("\t".join((row["id"], row["state"], row["role"], where, row["name"])))


def unlink(
    id: Annotated[str, typer.Argument(help="The link's, as in palacs studio links.")],
    storage: Address = DEFAULT_URL,
    file: Links = None,
) -> None:
    """Let a link end now, and those that were made with it."""
    with reporting():
        try:
            ended = _book(storage, file).revoke(id)
        except KeyError:
            raise ValueError(f"there is no link {id!r}; palacs studio links lists them.") from None
        say(f"{id}\trevoked\t{ended} ended")


def _book(storage: str, file: Path | None) -> studio.LinkBook:
    if file is not None:
        return studio.LinkBook(file)
    with st.open_storage(storage) as opened:
        place = studio.place_of(opened)
    if place is None:
        raise ValueError("a storage in memory ends with its process; links to it are made there.")
    return studio.LinkBook(place)


def _row(book: studio.LinkBook, found: studio.Link) -> dict[str, Any]:
    return {
        "id": found.id,
        "role": str(found.role),
        "campaign": found.campaign,
        "name": found.name,
        "state": book.state(found),
        "expires_at": _day(found.expires_at),
    }


def _day(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="minutes")


def _qr(address: str) -> str:
    import segno

    drawn = io.StringIO()
    segno.make(address, error="m", micro=False).terminal(out=drawn, compact=True)
    return drawn.getvalue()
