"""What routes depend on: the configuration, the storage, the campaign, and who acts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated
from urllib.parse import unquote

from fastapi import Depends, Header, Path, Request
from pydantic import AfterValidator

from palacs.campaign import acting_as
from palacs.storage import Storage
from palacs.studio._campaign_paths import name_in
from palacs.studio._campaigns import CampaignBook, StudioCampaign
from palacs.studio._config import StudioConfig
from palacs.studio._error_answers import refusing
from palacs.studio._roles import Visitor
from palacs.studio._security import VISITOR


def config_of(request: Request) -> StudioConfig:
    """Return the configuration of the studio that a request reached."""
    config: StudioConfig = request.app.state.config
    return config


def visitor_of(request: Request) -> Visitor:
    """Return whom a request comes from; nothing gets past the guard without one."""
    visitor: Visitor = request.scope[VISITOR]
    return visitor


def book_of(request: Request) -> CampaignBook:
    """Return the open campaigns that are there for whoever sent a request."""
    book: CampaignBook = request.app.state.book
    return book.seen_by(visitor_of(request))


def storage_of(request: Request) -> Storage:
    """Return the storage of the studio that a request reached."""
    return book_of(request).storage


def campaign_of(
    request: Request, name: Annotated[str, Path(description="The campaign's name.")]
) -> StudioCampaign:
    """Return a campaign by name, or raise ``CampaignNotFound``, which becomes a 404."""
    return book_of(request).get(name_in(name))


# Whatever it stands for when decoded has to be printable.
_ENCODED = {"maxLength": 200, "pattern": r"^([ -$&-~\xa1-\xac\xae-\xff]|%(?![01]|7[Ff]))*$"}


async def acting(
    request: Request,
    palacs_person: Annotated[
        str | None,
        Header(
            description="Who does it, percent-encoded; kept in the record.",
            json_schema_extra=_ENCODED,
        ),
    ] = None,
    palacs_holder: Annotated[
        str | None,
        Header(
            description="The page or program whose requests these are, percent-encoded.",
            json_schema_extra=_ENCODED,
        ),
    ] = None,
) -> AsyncIterator[None]:
    """Let what a request writes be by the person and the holder it names, or those of its link."""
    visitor = visitor_of(request)
    # Not in a thread: what is set there would not reach the route.
    with refusing():
        person, holder = (unquote(who) if who else None for who in (palacs_person, palacs_holder))
        holder = visitor.holder(holder)
        who = acting_as(visitor.name or person, holder=holder, confined=visitor.own_only)
        who.__enter__()
    try:
        yield
    finally:
        who.__exit__(None, None, None)


# Without blanks at its ends, which a header loses on its way.
_SIGN = r"[!-~\xa1-\xac\xae-\xff]"
_IN_A_HEADER = rf"^{_SIGN}([ -~\xa1-\xac\xae-\xff]*{_SIGN})?$"


def _usable(op: str | None) -> str | None:
    # Also where a call turns out to write nothing, so that the schema's word holds.
    if op is not None and not (op.strip() and op.isprintable()):
        raise ValueError("give 1 to 200 printable characters")
    return op


TheVisitor = Annotated[Visitor, Depends(visitor_of)]
TheConfig = Annotated[StudioConfig, Depends(config_of)]
TheBook = Annotated[CampaignBook, Depends(book_of)]
TheCampaign = Annotated[StudioCampaign, Depends(campaign_of)]
TheOp = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        max_length=200,
        json_schema_extra={"minLength": 1, "pattern": _IN_A_HEADER},
        description="Your id for this call: repeated with it, it gives its first outcome.",
    ),
    AfterValidator(_usable),
]
