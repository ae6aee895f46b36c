"""``palacs studio``: the pages and the REST interface, on this machine or on a network."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from html import escape
from pathlib import Path
from typing import Annotated

import typer

from palacs.cli._campaign_io import reporting
from palacs.cli._campaign_options import Address
from palacs.cli._rooms import DEFAULT_PORT, DEFAULT_URL, studio
from palacs.cli._studio_links import Links, link, links, unlink

TOKEN_VARIABLE = "PALACS_STUDIO_TOKEN"
# Where `reproduce` and `compare` write unless told otherwise.
REPORT_FOLDERS = (Path("results"), Path("comparison"))
LOOPBACK = "127.0.0.1"
HERE, EVERYWHERE = (LOOPBACK, "localhost"), ("0.0.0.0", "::")
_INTERRUPTED = 130  # what a shell shows for Ctrl+C
_REDIRECT = """<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0;url={url}"><title>palacs studio</title>
<p><a href="{url}">palacs studio</a></p>
"""

studio_app = typer.Typer(add_completion=False, invoke_without_command=True)
for _command in (link, links, unlink):
    studio_app.command()(_command)


@studio_app.callback()
def studio_command(
    context: typer.Context,
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="0 takes a free one.")
    ] = DEFAULT_PORT,
    storage: Address = DEFAULT_URL,
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
    host: Annotated[
        str,
        typer.Option(
            "--host",
            help="Let others on the network in, by links: an address of this machine, or 0.0.0.0.",
        ),
    ] = LOOPBACK,
    public_url: Annotated[
        str | None,
        typer.Option("--public-url", help="Where others reach it: https://lab.example."),
    ] = None,
    certificate: Annotated[
        Path | None, typer.Option("--certificate", help="For TLS: a PEM file, with --key.")
    ] = None,
    key: Annotated[Path | None, typer.Option("--key", help="Of the certificate.")] = None,
    proxy: Annotated[
        bool,
        typer.Option("--proxy", help="Believe X-Forwarded-Host and -Proto of a proxy in front."),
    ] = False,
    links_file: Links = None,
    recordings: Annotated[
        Path | None,
        typer.Option(
            "--recordings", help="The folder that keeps uploaded recordings. [beside the storage]"
        ),
    ] = None,
    listen: Annotated[
        str | None,
        typer.Option(
            "--listen",
            help="For containers: 0.0.0.0, with the port published on 127.0.0.1 outside.",
        ),
    ] = None,
) -> None:
    """Run campaigns in the browser, live, and over REST.

    The address that is printed lets a browser in. Its token is new each time, unless the
    environment variable PALACS_STUDIO_TOKEN gives one. Only this machine is answered, unless
    --host or --public-url says otherwise.
    """
    if context.invoked_subcommand is not None:
        return
    stopped = False
    with reporting():
        config = studio.StudioConfig(
            storage=storage,
            reports=_folders(reports),
            markers=markers,
            links=links_file,
            recordings=recordings,
            public_url=public_url,
            certificate=certificate,
            key=key,
            proxy=proxy,
        )
        studio.check_certificate(config)
        token = os.environ.get(TOKEN_VARIABLE)
        if token:
            config = replace(config, token=token)
        with ExitStack() as stack:
            listener = stack.enter_context(studio.bind(port, listen or host))
            bound = _at(replace(config, port=listener.getsockname()[1]), host)
            beside = None
            if (listen or host) not in (*HERE, *EVERYWHERE):
                beside = stack.enter_context(studio.bind(bound.port))
            page = None if no_browser else stack.enter_context(_private_page(bound.launch_url))
            ready = partial(_announce, bound, page)
            try:
                studio.serve(bound, listener=listener, beside=beside, ready=ready)
            except KeyboardInterrupt:
                stopped = True
    if stopped:
        _leave()


def _leave() -> None:
    """End as Ctrl+C does, without waiting for what is still computed: nobody will see it."""
    here = threading.main_thread()
    if any(each is not here and not each.daemon for each in threading.enumerate()):
        # All that was acknowledged is in the storage, and what is not is not written by halves.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(_INTERRUPTED)
    raise typer.Exit(_INTERRUPTED)


def _at(config: studio.StudioConfig, host: str) -> studio.StudioConfig:
    """Return the configuration with the address that others reach it at."""
    if config.public_url is not None or host in HERE:
        return config
    address = studio.reachable_address(host)
    scheme = "http" if config.certificate is None else "https"
    named = f"[{address}]" if ":" in address else address
    return replace(config, public_url=f"{scheme}://{named}:{config.port}")


def _announce(config: studio.StudioConfig, page: str | None) -> None:
    typer.echo(f"palacs studio: {config.launch_url}\nStop it with Ctrl+C.")
    if config.public_url is not None:
        typer.echo(_warning(config), err=True)
    if warning := studio.certificate_warning(config):
        typer.echo(warning, err=True)
    if config.markers:
        typer.echo(
            f"Markers go out as the lab stream {studio.STREAM!r}; each says how uncertain its time "
            "is: the clock of the page and one frame of its screen. What the screen itself takes "
            "to show a frame is not known here."
        )
    if page is not None:
        # Some browsers return only when they are closed; the studio must not wait for them.
        threading.Thread(target=webbrowser.open, args=(page,), daemon=True).start()


def _warning(config: studio.StudioConfig) -> str:
    reached = f"Others on the network reach this studio at {config.public_origin}"
    if config.encrypted:
        return (
            f"{reached}: whoever has a link can do what it allows, whoever has the address above "
            "can do everything."
        )
    return (
        f"{reached}, which is not encrypted: whoever is on the same network can read and change "
        "what is sent, links and recordings included, and use a link they saw until it ends. The "
        "address above works on this machine only. To encrypt, give --certificate and --key, or "
        "put a proxy with TLS in front and give its address with --public-url."
    )


@contextmanager
def _private_page(url: str) -> Iterator[str]:
    """Yield the address of a page that leads to `url` and that this user alone can read.

    A browser is opened by a command, whose arguments every user of the machine can see.
    """
    with tempfile.TemporaryDirectory(prefix="palacs-") as folder:
        page = Path(folder) / "studio.html"
        page.write_text(_REDIRECT.format(url=escape(url)), encoding="utf-8")
        yield page.as_uri()


def _folders(given: list[Path] | None) -> tuple[Path, ...]:
    """Return the folders to look for reports in; those that were named must exist."""
    for folder in given or ():
        if not folder.is_dir():
            raise ValueError(f"--reports {str(folder)!r} is no folder; check the path.")
    return tuple(given or REPORT_FOLDERS)
