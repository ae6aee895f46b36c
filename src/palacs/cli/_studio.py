"""``palacs studio``: the pages and the REST interface, on this machine only."""

from __future__ import annotations

import os
import threading
import webbrowser
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from palacs.cli._campaign_io import reporting
from palacs.cli._rooms import DEFAULT_PORT, DEFAULT_URL, studio

TOKEN_VARIABLE = "PALACS_STUDIO_TOKEN"
# Where `reproduce` and `compare` write unless told otherwise.
REPORT_FOLDERS = (Path("results"), Path("comparison"))


def studio_command(
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="On 127.0.0.1; 0 takes a free one.")
    ] = DEFAULT_PORT,
    storage: Annotated[
        str,
        typer.Option(
            "--storage",
            envvar="PALACS_STORAGE",
            help="sqlite:///FILE.db or postgresql+psycopg://USER@HOST/DATABASE.",
        ),
    ] = DEFAULT_URL,
    reports: Annotated[
        list[Path] | None,
        typer.Option(
            "--reports",
            help="Look for reports here; may be repeated. [./results and ./comparison]",
        ),
    ] = None,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Only print the address.")
    ] = False,
    markers: Annotated[
        bool,
        typer.Option("--markers", help="Send a marker (LSL) when a cue is painted: palacs[lsl]."),
    ] = False,
    listen: Annotated[
        str,
        typer.Option(
            "--listen",
            help="For containers: 0.0.0.0, with the port published on 127.0.0.1 outside.",
        ),
    ] = "127.0.0.1",
) -> None:
    """Run campaigns in the browser, live, and over REST.

    The address that is printed lets a browser in. Its token is new each time, unless the
    environment variable PALACS_STUDIO_TOKEN gives one.
    """
    with reporting():
        config = studio.StudioConfig(storage=storage, reports=_folders(reports), markers=markers)
        token = os.environ.get(TOKEN_VARIABLE)
        if token:
            config = replace(config, token=token)
        with studio.bind(port, listen) as listener:
            bound = replace(config, port=listener.getsockname()[1])
            studio.serve(bound, listener=listener, ready=lambda: _announce(bound, no_browser))


def _announce(config: studio.StudioConfig, no_browser: bool) -> None:
    typer.echo(f"palacs studio: {config.launch_url}\nStop it with Ctrl+C.")
    if config.markers:
        typer.echo(
            f"Markers go out as the lab stream {studio.STREAM!r}; each says how uncertain its time "
            "is: the clock of the page and one frame of its screen. What the screen itself takes "
            "to show a frame is not known here."
        )
    if not no_browser:
        # Some browsers return only when they are closed; the studio must not wait for them.
        threading.Thread(target=webbrowser.open, args=(config.launch_url,), daemon=True).start()


def _folders(given: list[Path] | None) -> tuple[Path, ...]:
    """Return the folders to look for reports in; those that were named must exist."""
    for folder in given or ():
        if not folder.is_dir():
            raise ValueError(f"--reports {str(folder)!r} is no folder; check the path.")
    return tuple(given or REPORT_FOLDERS)
