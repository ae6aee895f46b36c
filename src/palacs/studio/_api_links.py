"""Links over REST: letting others in, to one campaign or to the whole studio, and out again."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

import segno
from fastapi import APIRouter, Request
from pydantic import BaseModel, Field, StrictStr

from palacs.studio._deps import TheBook, TheCampaign, TheConfig, TheOp, TheVisitor
from palacs.studio._error_answers import Refused, refusing
from palacs.studio._links import DEFAULT_DAYS, MOST_DAYS, Link, LinkBook
from palacs.studio._models import PRINTABLE, Body, Id, Name, never
from palacs.studio._roles import OWN_ONLY, Role, Visitor

router = APIRouter(tags=["people"])


class NewCampaignLink(Body):
    """Whom to let in to a campaign."""

    role: Role
    name: Annotated[
        StrictStr,
        Field(
            min_length=1,
            max_length=100,
            json_schema_extra=PRINTABLE,
            description="Of the person; kept with everything they write.",
        ),
    ]
    days: Annotated[
        float, Field(strict=True, gt=0, le=MOST_DAYS, description="After which it ends.")
    ] = DEFAULT_DAYS


class NewLink(NewCampaignLink):
    """Whom to let in."""

    model_config = never(
        {
            "properties": {"role": {"enum": sorted(OWN_ONLY)}, "campaign": {"type": "null"}},
            "required": ["role"],
        }
    )

    campaign: Annotated[Name, Field(description="Else to the whole studio.")] | None = None


class RevokedLink(Body):
    """A link that ends now."""

    id: Id


class LinkOut(BaseModel):
    """Somebody who was let in."""

    id: str
    role: Role
    campaign: str | None
    name: str
    made_at: str
    expires_at: str
    state: Annotated[str, Field(description="open, expired or revoked.")]
    by: Annotated[str | None, Field(description="The link it was made with, and ends with.")]


class LinkList(BaseModel):
    """Those who were let in, the latest first."""

    links: list[LinkOut]
    address: Annotated[str, Field(description="Where links lead.")]
    network: Annotated[bool, Field(description="Whether others on the network get there.")]
    encrypted: Annotated[bool, Field(description="Whether nobody can read it on the way.")]


class LinkMade(LinkOut):
    """A new link; its address is known to nobody from then on."""

    url: str
    qr: Annotated[str, Field(description="The address as a QR code: a data URI of SVG.")]


class LinkEnded(BaseModel):
    """What revoking a link ended."""

    id: str
    ended: Annotated[int, Field(description="With those that were made with it.")]


@router.get("/links", response_model=LinkList)
def list_links(request: Request, config: TheConfig) -> dict[str, Any]:
    """List everybody who was let in."""
    return _listed(request, config, None)


@router.post("/links", status_code=201, response_model=LinkMade)
def make_link(
    request: Request, book: TheBook, visitor: TheVisitor, body: NewLink, op: TheOp = None
) -> dict[str, Any]:
    """Let somebody in, to one campaign or to the whole studio."""
    if body.campaign is not None:
        book.get(body.campaign)
    return _made(request, visitor, body, body.campaign, op)


@router.post("/links/revoke", response_model=LinkEnded)
def revoke_link(request: Request, body: RevokedLink) -> dict[str, Any]:
    """Let a link end now, and those that were made with it."""
    return _ended(_links(request), body.id)


@router.get("/campaigns/{name}/links", response_model=LinkList)
def list_campaign_links(
    request: Request, config: TheConfig, campaign: TheCampaign
) -> dict[str, Any]:
    """List those who were let in to a campaign."""
    return _listed(request, config, campaign.name)


@router.post("/campaigns/{name}/links", status_code=201, response_model=LinkMade)
def make_campaign_link(
    request: Request,
    campaign: TheCampaign,
    visitor: TheVisitor,
    body: NewCampaignLink,
    op: TheOp = None,
) -> dict[str, Any]:
    """Let somebody in to a campaign."""
    return _made(request, visitor, body, campaign.name, op)


@router.post("/campaigns/{name}/links/revoke", response_model=LinkEnded)
def revoke_campaign_link(
    request: Request, campaign: TheCampaign, body: RevokedLink
) -> dict[str, Any]:
    """Let a link to this campaign end now, and those that were made with it."""
    links = _links(request)
    if body.id not in {link.id for link in links.all(campaign.name)}:
        raise _unknown(body.id)
    return _ended(links, body.id)


def _links(request: Request) -> LinkBook:
    links: LinkBook = request.app.state.links
    return links


def _listed(request: Request, config: TheConfig, campaign: str | None) -> dict[str, Any]:
    links = _links(request)
    return {
        "links": [_shown(links, link) for link in links.all(campaign)],
        "address": config.public_origin,
        "network": config.public_url is not None,
        "encrypted": config.encrypted,
    }


def _made(
    request: Request,
    visitor: Visitor,
    body: NewCampaignLink,
    campaign: str | None,
    op: str | None,
) -> dict[str, Any]:
    links = _links(request)
    with refusing():
        link, secret = links.make(
            body.role, campaign, body.name, days=body.days, maker=visitor.link, op=op
        )
    url = f"{request.app.state.config.public_origin}/?token={secret}"
    return {**_shown(links, link), "url": url, "qr": qr_code(url)}


def _ended(links: LinkBook, id_: str) -> dict[str, Any]:
    try:
        return {"id": id_, "ended": links.revoke(id_)}
    except KeyError:
        raise _unknown(id_) from None


def _unknown(id_: str) -> Refused:
    return Refused(f"there is no link {id_[:40]!r} here; the list names them.", 404, "not-found")


def _shown(links: LinkBook, link: Link) -> dict[str, Any]:
    return {
        "id": link.id,
        "role": link.role,
        "campaign": link.campaign,
        "name": link.name,
        "made_at": _iso(link.made_at),
        "expires_at": _iso(link.expires_at),
        "state": links.state(link),
        "by": link.maker,
    }


def _iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat()


def qr_code(url: str) -> str:
    """Return an address as a QR code, black on white whatever the theme: a data URI of SVG."""
    code = segno.make(url, error="m", micro=False)
    return str(code.svg_data_uri(scale=6, border=4, light="white", svgclass=None, lineclass=None))
