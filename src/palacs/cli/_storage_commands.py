"""``palacs storage``: looking after the file or database that holds campaigns."""

from __future__ import annotations

import typer

from palacs import storage as st
from palacs.cli._campaign_io import print_json, reporting
from palacs.cli._campaign_options import Address, AsJson

storage_app = typer.Typer(no_args_is_help=True, help="Look after the file or database.")


@storage_app.command()
def upgrade(storage: Address = st.DEFAULT_URL, as_json: AsJson = False) -> None:
    """Bring a storage made by an older palacs to the newest schema."""
    with reporting():
        before, after = st.upgrade_storage(storage)
        where = st.without_password(storage)
        if as_json:
            print_json({"storage": where, "before": before, "after": after})
        elif before == after:
            typer.echo(f"{where} already has the newest schema ({after})")
        else:
            typer.echo(f"upgraded {where} from schema {before} to {after}")


@storage_app.command()
def info(storage: Address = st.DEFAULT_URL, as_json: AsJson = False) -> None:
    """Show a storage's campaigns and how many events each has."""
    with reporting(), st.open_storage(storage) as opened:
        rows = [{"name": c.name, "events": c.head} for c in opened.campaigns()]
        if as_json:
            print_json({"storage": opened.url, "campaigns": rows})
        else:
            for row in rows:
                typer.echo(f"{row['name']}\t{row['events']} events")
