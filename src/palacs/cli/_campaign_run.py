"""``palacs campaign run``: ask, have a source acquire, and tell, until there is enough.

One line per event goes to standard output; how far it is and how it ended, to standard error.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Literal

import typer

from palacs.cli._campaign_io import reporting
from palacs.cli._campaign_notes import AttrOption, read_attrs
from palacs.cli._campaign_options import Address, AsJson
from palacs.cli._light_start import import_decisions
from palacs.cli._printable import printable, say
from palacs.cli._rooms import DEFAULT_URL, cp, sources
from palacs.extras import need

run_app = typer.Typer()

_INTERRUPTED = 128
_NOTHING_TO_ASK = 4

Which = Annotated[
    str,
    typer.Argument(
        help="The campaign, or http://HOST:PORT/campaigns/NAME of a studio.", show_default=False
    ),
]
Workers = Annotated[
    Literal["threads", "processes", "dask"], typer.Option("--workers", help="Who acquires.")
]


@run_app.command()
def run(
    name: Which,
    program: Annotated[
        str | None,
        typer.Option("--exec", help="A program: prints numbers or names a file. {label}, {id}."),
    ] = None,
    python: Annotated[
        str | None, typer.Option("--python", help="Your function: FILE.py:NAME or MODULE:NAME.")
    ] = None,
    folder: Annotated[
        str | None, typer.Option("--folder", help="Files that appear in FOLDER/CLASS/.")
    ] = None,
    http: Annotated[
        str | None, typer.Option("--http", help="An address to which requests are posted.")
    ] = None,
    replay: Annotated[
        str | None,
        typer.Option("--replay", help="A data set, by name, or FILE:COLUMN with the class."),
    ] = None,
    source: Annotated[
        str | None, typer.Option("--source", help="NAME:REST of any source, installed ones too.")
    ] = None,
    until: Annotated[
        list[str] | None,
        typer.Option(
            "--until",
            help="40 (instances), 30min, cost=12 or advised; may be repeated, the first one ends "
            "it. [until nothing may be asked for]",
        ),
    ] = None,
    parallel: Annotated[int, typer.Option("--parallel", help="Acquisitions at a time.")] = 1,
    workers: Workers = "threads",
    address: Annotated[
        str | None, typer.Option("--address", help="With --workers dask: tcp://HOST:PORT.")
    ] = None,
    timeout: Annotated[
        float | None, typer.Option("--timeout", help="Seconds an attempt may take.")
    ] = None,
    retries: Annotated[int, typer.Option("--retries", help="Further tries after a failure.")] = 2,
    extractor: Annotated[
        str | None,
        typer.Option("--with", help="The extractor of recordings: its name, or FILE.py:NAME."),
    ] = None,
    attr: AttrOption = None,
    storage: Address = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Ask, have a source acquire, and tell, until there is enough.

    What the source cannot bring is failed with the reason. Ctrl-C leaves no request open.
    """
    given = {
        "exec": program,
        "python": python,
        "folder": folder,
        "http": http,
        "replay": replay,
        "source": source,
    }
    with reporting(), _stoppable():
        chosen = _source(given)
        with _workers(workers, address) as who, _campaign(name, storage) as campaign:
            found = campaign.run(
                chosen,
                until=until,
                parallel=parallel,
                workers=who,
                timeout=timeout,
                retries=retries,
                extractor=extractor,
                attrs=read_attrs(attr),
                on_asked=lambda r: _line(as_json, "asked", r.id, r.label),
                on_told=lambda i: _line(as_json, "told", i.id, i.label),
                on_failed=lambda r, why: _line(as_json, "failed", r.id, r.label, why),
            )
        say(str(found), err=True)
        if found.told or found.added:
            return
        if found.failed:
            raise typer.Exit(1)
        if found.exhausted:
            raise typer.Exit(_NOTHING_TO_ASK)


def _source(given: dict[str, str | None]) -> Any:
    chosen = {kind: text for kind, text in given.items() if text is not None}
    if len(chosen) != 1:
        options = ", ".join(f"--{kind}" for kind in given)
        raise ValueError(f"give one source, got {len(chosen)}: one of {options}.")
    kind, text = chosen.popitem()
    return sources.source_from(text if kind == "source" else f"{kind}:{text}")


@contextmanager
def _campaign(name: str, storage: str) -> Iterator[cp.AskAndTell]:
    if name.startswith(("http://", "https://")):
        yield sources.RemoteCampaign(name)
        return
    import_decisions()
    with cp.load_campaign(name, storage=storage) as campaign:
        yield campaign


@contextmanager
def _workers(name: str, address: str | None) -> Iterator[Any]:
    if name != "dask":
        yield name
        return
    need("dask", "palacs campaign run --workers dask")
    from distributed import Client

    with Client(address) if address else Client(dashboard_address=None) as client:
        yield client


@contextmanager
def _stoppable() -> Iterator[None]:
    """Let an end from outside be as orderly as Ctrl-C."""
    came = signal.SIGINT

    def stop(number: int, frame: Any) -> None:
        nonlocal came
        came = signal.Signals(number)
        raise KeyboardInterrupt

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    except KeyboardInterrupt:
        say("interrupted; what was under way is recorded as failed.", err=True)
        raise typer.Exit(_INTERRUPTED + came) from None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _line(as_json: bool, event: str, id_: str, label: Any, reason: str = "") -> None:
    if as_json:
        text = json.dumps({"event": event, "id": id_, "label": label, "reason": reason})
    else:
        text = "\t".join([event, id_, str(label), *([reason] if reason else [])])
    # Not click's echo, which would write into the bar; at once, for whoever reads a pipe.
    print(printable(text), flush=True)
