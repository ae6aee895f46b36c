"""``palacs campaign extract``: other features from the recordings there are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from palacs.cli._campaign_io import print_json, reporting
from palacs.cli._campaign_options import Address, AsJson, Name, Op, Reason
from palacs.cli._printable import say
from palacs.cli._rooms import DEFAULT_URL, cp

extract_app = typer.Typer()

# A test holds this against palacs.extractors, which a command line need not wait for.
NAMES = "band-power, csp, tangent-space, mel-bands, hog, embedding"

With = Annotated[
    str,
    typer.Option(
        "--with",
        metavar="EXTRACTOR",
        help=f"{NAMES}, with parameters as in 'band-power(rate=250)'; or FILE.py:NAME of a "
        "transformer, a pipeline or a function of one recording.",
        show_default=False,
    ),
]


@extract_app.command()
def extract(
    name: Name,
    with_: With,
    reason: Reason = "",
    folder: Annotated[
        Path | None,
        typer.Option("--folder", help="Where recordings that moved are looked for, by name."),
    ] = None,
    op: Op = None,
    storage: Address = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Make the features of all instances anew from their recordings, all or none."""
    with reporting(), cp.load_campaign(name, storage=storage) as campaign:
        from palacs.progress import progress_bar

        with progress_bar(not as_json) as stage:
            n = campaign.extract(
                with_,
                reason or f"features by {with_}",
                folder=folder,
                progress=None
                if stage is None
                else lambda done, of: stage("extracting", done / of, f"{done} of {of}"),
                op=op,
            )
        found = {"name": name, "instances": n, "extractor": campaign.extractor}
        if as_json:
            print_json({**found, "n_features": campaign.n_features})
        else:
            width = "" if campaign.n_features is None else f"\t{campaign.n_features} features"
            say(f"{name}\t{n} instances{width}\t{campaign.extractor}")
