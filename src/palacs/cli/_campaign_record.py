"""``palacs campaign``, the part that looks at records and brings them out of and into files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from palacs.cli._campaign_io import (
    print_history,
    print_json,
    print_replay,
    print_status,
    read_vector,
    reporting,
)
from palacs.cli._campaign_notes import AttrOption, print_recordings, read_attrs
from palacs.cli._campaign_options import Address, AsJson, File, Name, Numbers, Op, done
from palacs.cli._printable import say
from palacs.cli._rooms import DEFAULT_URL, cp, st

record_app = typer.Typer()
_MOST_NAMES = 8


@record_app.command("list")
def list_campaigns(
    everything: Annotated[bool, typer.Option("--all", help="Also those archived.")] = False,
    storage: Address = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """List the campaigns in a storage."""
    with reporting(), st.open_storage(storage) as opened:
        found = [cp.Campaign(opened, stored).status() for stored in opened.campaigns()]
        rows = [status for status in found if everything or status.phase != "archived"]
        if as_json:
            print_json([status.to_json() for status in rows])
            return
        for status in rows:
            limit = "" if status.budget is None else f" of {status.budget}"
            delivered = status.states["delivered"]
            cells = [
                status.name,
                status.strategy,
                f"{len(status.classes)} classes",
                f"{delivered}{limit} delivered",
                f"{status.states['pending']} pending",
                *([] if status.phase == "open" else [status.phase]),
            ]
            say("\t".join(cells))


@record_app.command()
def status(name: Name, storage: Address = DEFAULT_URL, as_json: AsJson = False) -> None:
    """Show where the campaign stands, class by class."""
    with reporting(), cp.load_campaign(name, storage=storage) as campaign:
        found = campaign.status()
        if as_json:
            print_json(found.to_json())
        else:
            print_status(found)


@record_app.command(context_settings={"ignore_unknown_options": True})
def predict(
    name: Name,
    numbers: Numbers = None,
    file: File = None,
    storage: Address = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Show what the campaign's model takes an instance for; nothing is recorded."""
    with reporting(), cp.load_campaign(name, storage=storage) as campaign:
        found = campaign.predict(read_vector(numbers or [], file, campaign) or [])
    if as_json:
        print_json(found.to_json())
        return
    chances = dict(zip(found.classes, found.probabilities[0], strict=True))
    for label in sorted(chances, key=lambda each: -chances[each]):
        say(f"{label}\t{chances[label]:.3f}")


@record_app.command()
def history(
    name: Name,
    features: Annotated[bool, typer.Option("--features", help="With --json: values too.")] = False,
    last: Annotated[int | None, typer.Option("--last", min=1, help="Only so many rows.")] = None,
    storage: Address = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Show every request and unsolicited instance."""
    with reporting(), cp.load_campaign(name, storage=storage) as campaign:
        rows = None if last is None else slice(-last, None)
        frame = campaign.history(features=features, rows=rows)
        if as_json:
            print_json(cp.history_to_json(frame))
        else:
            print_history(frame)


@record_app.command()
def stopping(
    name: Name,
    good_enough: Annotated[
        float, typer.Option("--good-enough", help="An error that needs no improvement, as 0.02.")
    ] = 0.0,
    storage: Address = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Say whether to stop asking, and why; nothing is forced.

    In JSON the curve is null where fewer than two classes, or not all that are asked for, have
    instances.
    """
    with reporting(), cp.load_campaign(name, storage=storage) as campaign:
        advice = campaign.stopping(good_enough=good_enough)
        if as_json:
            curve = None if advice.curve is None else advice.curve.to_json()
            print_json({"stop": advice.stop, "reason": advice.reason, "curve": curve})
        else:
            say(f"{'stop' if advice.stop else 'go on'}: {advice.reason}")


@record_app.command("check-recordings")
def check_recordings(
    name: Name,
    folder: Annotated[
        Path | None, typer.Option("--folder", help="Look here for files that were moved.")
    ] = None,
    storage: Address = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Say which recordings are missing, changed or unreachable; URIs are not fetched."""
    with reporting(), cp.load_campaign(name, storage=storage) as campaign:
        if not print_recordings(campaign.check_recordings(folder), as_json=as_json):
            raise typer.Exit(7)


@record_app.command()
def export(
    name: Name,
    path: Annotated[Path, typer.Argument(help="A .csv, .parquet or .json file.")],
    storage: Address = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Write the whole record to a file."""
    with reporting(), cp.load_campaign(name, storage=storage) as campaign:
        done({"exported": str(campaign.export(path))}, as_json)


@record_app.command("add-table")
def add_table(
    name: Name,
    path: Annotated[Path, typer.Argument(help="A CSV file: label, the features, maybe more.")],
    attr: AttrOption = None,
    op: Op = None,
    storage: Address = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Record many instances from a table, all or none.

    What the first table calls the features is what they are called; later ones are put in order.
    """
    with reporting(), cp.load_campaign(name, storage=storage) as campaign:
        ids = campaign.add_table(path, attrs=read_attrs(attr), op=op)
        names = campaign.feature_names or []
        if as_json:
            print_json({"instances": ids, "features": names})
            return
        more = ", ..." if len(names) > _MOST_NAMES else ""
        say(f"{len(ids)} instances\tfeatures {', '.join(names[:_MOST_NAMES])}{more}")


@record_app.command("labelled-set")
def labelled_set(
    name: Name,
    path: Annotated[Path, typer.Argument(help="A .csv file.")],
    storage: Address = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Write the labelled set to a table, features and label; add-table reads it."""
    with reporting(), cp.load_campaign(name, storage=storage) as campaign:
        done({"exported": str(campaign.export_labelled_set(path))}, as_json)


@record_app.command("import")
def import_(
    path: Annotated[Path, typer.Argument(help="A file that export wrote.")],
    name: Annotated[str | None, typer.Option("--name", help="Keep it under this name.")] = None,
    storage: Address = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Bring an exported campaign in, with all of its history."""
    with reporting(), cp.import_campaign(path, name=name, storage=storage) as campaign:
        done({"imported": campaign.name}, as_json)


@record_app.command()
def replay(name: Name, storage: Address = DEFAULT_URL, as_json: AsJson = False) -> None:
    """Recompute every request from what was known when it was made."""
    with reporting(), cp.load_campaign(name, storage=storage) as campaign:
        found = campaign.replay()
        print_replay(found, as_json=as_json)
        if not found.ok:
            raise typer.Exit(7)
