"""Tables over REST: many instances in, the labelled set out, one instance with all its values."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, File, Form, Query, Response, UploadFile

from palacs.studio import _answers as a
from palacs.studio._api_record import object_of, suggested_name
from palacs.studio._deps import TheCampaign, TheOp
from palacs.studio._error_answers import refusing

router = APIRouter(tags=["record"])


@router.post("/campaigns/{name}/table", response_model=a.TableTold)
def add_table(
    campaign: TheCampaign,
    file: Annotated[UploadFile, File(description="CSV: label, the features, maybe more.")],
    attrs: Annotated[str, Form(description="What to note with all, as a JSON object.")] = "{}",
    op: TheOp = None,
) -> dict[str, Any]:
    """Record many instances from a table, all or none; what is wrong is said with its row."""
    with refusing():
        ids = campaign.add_table(
            file.file.read(),
            name=f"the table {file.filename or ''}".strip(),
            attrs=object_of(attrs),
            op=op,
        )
    got = Counter(str(campaign.instance(id_).label) for id_ in ids)
    return {
        "instances": len(ids),
        "classes": dict(got.most_common(50)),
        "n_classes": len(got),
        "features": campaign.feature_names or [],
    }


@router.get(
    "/campaigns/{name}/labelled-set",
    response_class=Response,
    responses={200: {"content": {"text/csv": {}}, "description": "A file."}},
)
def labelled_set(campaign: TheCampaign) -> Response:
    """Return the labelled set as CSV, features and label; no cell is a formula."""
    with tempfile.TemporaryDirectory(prefix="palacs-") as folder:
        content = campaign.export_labelled_set(Path(folder) / "labelled.csv").read_bytes()
    file = f"{suggested_name(campaign.name)}-labelled.csv"
    headers = {"Content-Disposition": f'attachment; filename="{file}"'}
    return Response(content, media_type="text/csv", headers=headers)


@router.get("/campaigns/{name}/instance", response_model=a.Told, response_model_exclude_unset=True)
def instance(
    campaign: TheCampaign,
    id: Annotated[str, Query(min_length=1, max_length=200, description="Its id.")],
) -> dict[str, Any]:
    """Return an instance with all its values."""
    with refusing():
        return {"instance": campaign.instance(id).to_json()}
