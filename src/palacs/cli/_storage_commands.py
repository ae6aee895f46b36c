"""``palacs storage``: looking after the file or database that holds campaigns."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from palacs.cli._campaign_io import print_json, reporting
from palacs.cli._campaign_options import Address, AsJson, done
from palacs.cli._printable import say
from palacs.cli._rooms import DEFAULT_URL, cp, st
from palacs.cli._slow_progress import slow_progress

storage_app = typer.Typer(
    no_args_is_help=True, add_completion=False, help="Look after the file or database."
)


@storage_app.command()
def upgrade(storage: Address = DEFAULT_URL, as_json: AsJson = False) -> None:
    """Bring a storage made by an older palacs to the newest schema."""
    with reporting():
        before, after = st.upgrade_storage(storage)
        where = st.without_password(storage)
        if as_json:
            print_json({"storage": where, "before": before, "after": after})
        elif before == after:
            say(f"{where} already has the newest schema ({after})")
        else:
            say(f"upgraded {where} from schema {before} to {after}")


@storage_app.command()
def info(storage: Address = DEFAULT_URL, as_json: AsJson = False) -> None:
    """Show a storage's campaigns and how many events each has."""
    with reporting(), st.open_storage(storage) as opened:
        rows = [{"name": c.name, "events": c.head} for c in opened.campaigns()]
        if as_json:
            print_json({"storage": opened.url, "campaigns": rows})
        else:
            for row in rows:
                say(f"{row['name']}\t{row['events']} events")


Backup = Annotated[Path, typer.Argument(help="The backup, a SQLite file.", show_default=False)]


@storage_app.command()
def backup(file: Backup, storage: Address = DEFAULT_URL, as_json: AsJson = False) -> None:
    """Write everything as it is now to a new file, while others go on working."""
    with reporting(), slow_progress("backup") as progress:
        st.backup_storage(storage, file, progress=progress)
        done({"backup": str(file), "of": st.without_password(storage)}, as_json)


@storage_app.command()
def restore(file: Backup, storage: Address = DEFAULT_URL, as_json: AsJson = False) -> None:
    """Bring a backup back, to a new file or an empty database; nothing is overwritten."""
    with reporting(), slow_progress("restore") as progress:
        where = st.restore_storage(file, storage, progress=progress)
        done({"restored": str(file), "to": where}, as_json)


@storage_app.command()
def move(
    source: Annotated[str, typer.Argument(metavar="FROM", help="Address it has now.")],
    target: Annotated[str, typer.Argument(metavar="TO", help="Where nothing is kept yet.")],
    as_json: AsJson = False,
) -> None:
    """Move everything to another database; the old one stays, for reading only."""
    with reporting(), slow_progress("move") as progress:
        where = st.move_storage(source, target, progress=progress)
        done({"moved": st.without_password(source), "to": where}, as_json)


GiveUpLog = Annotated[
    bool,
    typer.Option("--give-up-log", help="Go on without what a damaged -wal file hides."),
]


@storage_app.command()
def check(
    storage: Address = DEFAULT_URL, give_up_log: GiveUpLog = False, as_json: AsJson = False
) -> None:
    """Read everything and say what is wrong with it, a line each; exit status 1 if anything is."""
    with reporting():
        kept = st.give_up_log(storage) if give_up_log else None
        if kept is not None:
            say(f"the damaged log was set aside as {kept}", err=True)
        _check(storage, as_json)


def _check(storage: str, as_json: bool) -> None:
    with st.open_storage(storage) as opened:
        wrong = opened.verify() + _unreadable(opened)
        if as_json:
            print_json({"storage": opened.url, "ok": not wrong, "wrong": wrong})
        for line in [] if as_json else wrong or [f"{opened.url}\tall is as it was written"]:
            say(line)
        if wrong:
            raise typer.Exit(1)


def _unreadable(storage: st.Storage) -> list[str]:
    """Say which campaigns hold events that contradict each other."""
    found = []
    for stored in storage.campaigns():
        try:
            cp.Campaign(storage, stored)
        except st.StorageError as error:
            found.append(f"campaign {stored.name!r}: {' '.join(str(error).split())}")
    return found


@storage_app.command()
def stats(storage: Address = DEFAULT_URL, as_json: AsJson = False) -> None:
    """Say how much is kept, and which open request has waited longest."""
    with reporting(), st.open_storage(storage) as opened:
        stored = opened.campaigns()
        with slow_progress("stats") as progress:
            campaigns = []
            for campaign in stored:
                campaigns.append(cp.Campaign(opened, campaign))
                progress(len(campaigns), len(stored))
        waiting = [(each.name, request) for each in campaigns for request in each.pending()[:1]]
        oldest = min(waiting, key=lambda pair: pair[1].asked_at, default=None)
        largest = max(stored, key=lambda campaign: campaign.head, default=None)
        found = {
            "storage": opened.url,
            "bytes": opened.size(),
            "campaigns": len(stored),
            "events": sum(campaign.head for campaign in stored),
            "instances": sum(len(each.snapshot().codes) for each in campaigns),
            "largest": None if largest is None else f"{largest.name} ({largest.head} events)",
            "oldest open request": None
            if oldest is None
            else f"{oldest[1].id} of {oldest[0]}, asked {oldest[1].asked_at:%Y-%m-%d %H:%M}",
        }
        if as_json:
            print_json({key.replace(" ", "_"): value for key, value in found.items()})
            return
        for key, value in found.items():
            say(f"{key}\t{'none' if value is None else value}")
