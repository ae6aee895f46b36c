"""What routes depend on: the configuration, the storage and the campaign in the address."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Header, Path, Request

from palacs.storage import Storage
from palacs.studio._campaigns import CampaignBook, StudioCampaign
from palacs.studio._config import StudioConfig


def config_of(request: Request) -> StudioConfig:
    """Return the configuration of the studio that a request reached."""
    config: StudioConfig = request.app.state.config
    return config


def book_of(request: Request) -> CampaignBook:
    """Return the open campaigns of the studio that a request reached."""
    book: CampaignBook = request.app.state.book
    return book


def storage_of(request: Request) -> Storage:
    """Return the storage of the studio that a request reached."""
    return book_of(request).storage


def campaign_of(
    request: Request, name: Annotated[str, Path(description="The campaign's name.")]
) -> StudioCampaign:
    """Return a campaign by name, or raise ``CampaignNotFound``, which becomes a 404."""
    return book_of(request).get(name)


TheConfig = Annotated[StudioConfig, Depends(config_of)]
TheBook = Annotated[CampaignBook, Depends(book_of)]
TheCampaign = Annotated[StudioCampaign, Depends(campaign_of)]
TheOp = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        max_length=200,
        description="Your id for this call: repeated with it, it gives its first outcome.",
    ),
]
