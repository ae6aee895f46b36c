"""What annotators bring: recordings made with a phone, and what became of what they did.

Small recordings are kept inside the record; larger ones in a folder beside it, which only this user
can read, under names of ours.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import Annotated, Any

from fastapi import APIRouter, File, Form, Query, Request, UploadFile
from pydantic import BaseModel, Field

from palacs.campaign import (
    CampaignError,
    Recording,
    UnknownEntry,
    acting_holder,
    bring_recording,
)
from palacs.storage import StorageError, StorageOutcomeUnknown
from palacs.studio._api_record import object_of, suggested_name
from palacs.studio._campaigns import StudioCampaign
from palacs.studio._deps import TheCampaign, TheOp
from palacs.studio._error_answers import Refused, refusing
from palacs.studio._models import Label

router = APIRouter(tags=["people"])

_MOST_MINE = 20
_INSIDE = 262_144


class Brought(BaseModel):
    """What became of a recording."""

    id: str
    label: Label
    state: Annotated[str, Field(description="delivered, or awaiting its features.")]
    why: Annotated[str, Field(description="Why its features are still to come; else empty.")]


class Mine(BaseModel):
    """What became of a request of one's own."""

    id: str
    label: Label
    state: str
    recorded: bool


class MineList(BaseModel):
    """What one holder did, the latest first."""

    mine: list[Mine]


@router.post("/campaigns/{name}/recording", response_model=Brought)
def bring(
    request: Request,
    campaign: TheCampaign,
    id: Annotated[str, Query(min_length=1, max_length=200, description="The request.")],
    file: Annotated[UploadFile, File(description="A photo, sound, video or table.")],
    attrs: Annotated[str, Form(description="What to note, as a JSON object.")] = "{}",
    op: TheOp = None,
) -> dict[str, Any]:
    """Bring a recording for a request: the extractor in force makes its features, or it waits."""
    content = file.file.read()
    if not content:
        raise Refused(f"the file {file.filename!r:.60} is empty; choose another.")
    folder: Path | None = request.app.state.recordings
    with refusing():
        label = campaign.request(id).label
        noted = object_of(attrs) or None
        with _keeping(folder, campaign, id, content, file.filename or "") as kept:
            told, why = bring_recording(campaign, id, kept, attrs=noted, op=op)
    state = "awaiting" if told is None else "delivered"
    hidden = why.replace(f"{folder}{os.sep}", "")
    return {"id": id, "label": label if told is None else told.label, "state": state, "why": hidden}


@contextmanager
def _keeping(
    folder: Path | None, campaign: StudioCampaign, id_: str, content: bytes, name: str
) -> Iterator[Recording]:
    """Yield the recording, kept inside where it is small, else as a file, unless it is refused."""
    suffix = PurePath(name).suffix.lower()
    suffix = suffix if re.fullmatch(r"\.[a-z0-9]{1,8}", suffix) else ".bin"
    if len(content) <= _INSIDE:
        yield Recording.keep(content, f"{suggested_name(id_)}{suffix}")
        return
    if folder is None:
        raise Refused(
            f"a storage in memory keeps recordings of up to {_INSIDE:,} bytes, and this one has "
            f"{len(content):,}; send a smaller one."
        )
    digest = hashlib.sha256(content).hexdigest()
    place = folder / suggested_name(campaign.name)
    path = place / f"{suggested_name(id_)}-{digest[:16]}{suffix}"
    known = path.exists()
    try:
        for each in (folder, place):
            each.mkdir(mode=0o700, parents=True, exist_ok=True)
        _write(path, content)
    except OSError as error:
        raise Refused(
            f"the recording cannot be kept ({error.strerror}), and nothing was written; start the "
            "studio with --recordings and a folder that has room.",
            507,
            "storage-full",
        ) from error
    try:
        yield Recording(str(path), len(content), digest)
    except Exception as error:
        # Where the outcome is not known, it may be in the record; or somebody was faster with it.
        unknown = isinstance(error, StorageOutcomeUnknown)
        if not known and not unknown and not _is_recorded(campaign, id_, path):
            path.unlink(missing_ok=True)
        raise


def _is_recorded(campaign: StudioCampaign, id_: str, path: Path) -> bool:
    """Whether the record speaks of a file; also where that cannot be found out."""
    try:
        found = campaign.recording(id_)
    except UnknownEntry:
        return False
    except (CampaignError, StorageError):
        return True
    return found is not None and found.where == str(path)


def _write(path: Path, content: bytes) -> None:
    """Write a file whole or not at all, whatever happens meanwhile."""
    part = path.with_name(f".{secrets.token_hex(8)}")
    try:
        with os.fdopen(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


@router.get("/campaigns/{name}/mine", response_model=MineList)
def mine(campaign: TheCampaign) -> dict[str, Any]:
    """Return what the holder did last, and what became of it."""
    return {"mine": campaign.done_by(acting_holder() or "", _MOST_MINE)}
