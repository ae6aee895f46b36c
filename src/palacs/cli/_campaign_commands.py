"""``palacs campaign`` and ``palacs storage``: durable ask-and-tell from a shell.

Thin: parse, call, print. Every command takes ``--storage`` (or PALACS_STORAGE) and
``--json``; see `palacs.cli._campaign_io.EXIT_CODES` for what scripts can branch on.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from palacs import campaign as cp
from palacs import storage as st
from palacs.cli._campaign_io import (
    EXIT_CODES,
    echo_vector,
    label_from_text,
    parse_bounds,
    parse_params,
    print_history,
    print_json,
    print_replay,
    print_status,
    read_vector,
    reporting,
)
from palacs.cli._conditions_file import read_conditions

app = typer.Typer(
    no_args_is_help=True,
    help=f"Durable ask-and-tell: which class to acquire next.\n\n{EXIT_CODES}",
)
storage_app = typer.Typer(no_args_is_help=True, help="Look after the file or database.")

# Numbers such as -0.5 look like options; commands that take numbers have no short ones.
_NUMBERS = {"ignore_unknown_options": True}

Name = Annotated[str, typer.Argument(help="The campaign.", show_default=False)]
Id = Annotated[str, typer.Argument(help="Id of the request.", show_default=False)]
Address = Annotated[
    str,
    typer.Option(
        "--storage",
        envvar="PALACS_STORAGE",
        help="sqlite:///FILE.db or postgresql+psycopg://USER@HOST/DATABASE.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Numbers = Annotated[
    list[str] | None,
    typer.Argument(help="Feature values; - reads standard input.", show_default=False),
]
File = Annotated[
    Path | None, typer.Option("--file", help="Read the values from a CSV, JSON or NPY file.")
]
Reason = Annotated[str, typer.Option("--reason", help="Why; kept in the record.")]
Cost = Annotated[float | None, typer.Option("--cost", help="What it cost.")]
Duration = Annotated[float | None, typer.Option("--duration", help="Seconds it took.")]


@app.command()
def create(
    name: Name,
    classes: Annotated[str, typer.Option("--classes", help="Labels, separated by commas.")],
    strategy: Annotated[
        str | None, typer.Option("--strategy", help="A name from palacs strategies.")
    ] = None,
    params: Annotated[
        str, typer.Option("--params", help="The strategy's parameters, as a JSON object.")
    ] = "{}",
    budget: Annotated[int | None, typer.Option("--budget", help="Instances at most.")] = None,
    lease: Annotated[
        float, typer.Option("--lease", help="Seconds a request stays pending; 0 is forever.")
    ] = 3600.0,
    bounds: Annotated[
        str | None, typer.Option("--bounds", help="LOW:HIGH for all features, or one per feature.")
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="For reproducible requests.")] = None,
    conditions: Annotated[
        Path | None, typer.Option("--conditions", help="A JSON file, see palacs.Conditions.")
    ] = None,
    budget_cost: Annotated[
        float | None, typer.Option("--budget-cost", help="Money or minutes at most.")
    ] = None,
    storage: Address = st.DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Start a campaign."""
    with reporting():
        from palacs import strategies

        campaign = cp.create_campaign(
            name,
            [label.strip() for label in classes.split(",")],
            strategy=strategies.make(
                strategy or strategies.DEFAULT_STRATEGY, **parse_params(params)
            ),
            storage=storage,
            budget=budget,
            lease=None if lease == 0 else lease,
            bounds=None if bounds is None else parse_bounds(bounds),
            seed=seed,
            conditions=None if conditions is None else read_conditions(conditions),
            budget_cost=budget_cost,
        )
        where = campaign.storage.url
        if as_json:
            print_json({"name": name, "storage": where, **campaign.settings.to_payload()})
        else:
            typer.echo(f"created {name!r} in {where}; next: palacs campaign ask {name}")


@app.command()
def stopping(
    name: Name,
    good_enough: Annotated[
        float, typer.Option("--good-enough", help="An error that needs no improvement, as 0.02.")
    ] = 0.0,
    storage: Address = st.DEFAULT_URL,
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
            typer.echo(f"{'stop' if advice.stop else 'go on'}: {advice.reason}")


@app.command("list")
def list_campaigns(storage: Address = st.DEFAULT_URL, as_json: AsJson = False) -> None:
    """List the campaigns in a storage."""
    with reporting(), st.open_storage(storage) as opened:
        rows = [cp.Campaign(opened, stored).status() for stored in opened.campaigns()]
        if as_json:
            print_json([status.to_json() for status in rows])
            return
        for status in rows:
            limit = "" if status.budget is None else f" of {status.budget}"
            delivered = status.states["delivered"]
            typer.echo(
                f"{status.name}\t{status.strategy}\t{len(status.classes)} classes\t"
                f"{delivered}{limit} delivered\t{status.states['pending']} pending"
            )


@app.command()
def ask(
    name: Name,
    count: Annotated[
        int | None, typer.Option("--count", help="Ask for several at once; prints a list.")
    ] = None,
    storage: Address = st.DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Say which class to acquire next.

    In JSON a utility is null where it is no finite number: the class is paused, or has no
    instance yet and comes first.
    """
    with reporting(), cp.load_campaign(name, storage=storage) as campaign:
        requests = campaign.ask_many(1 if count is None else count)
        if as_json:
            rows = [request.to_json() for request in requests]
            print_json(rows[0] if count is None else rows)
            return
        for request in requests:
            typer.echo(f"{request.id}\t{request.label}")


@app.command(context_settings=_NUMBERS)
def tell(
    name: Name,
    request: Id,
    numbers: Numbers = None,
    label: Annotated[
        str | None, typer.Option("--label", help="The class it has, if not the one asked for.")
    ] = None,
    file: File = None,
    cost: Cost = None,
    duration: Duration = None,
    storage: Address = st.DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Record the instance a request brought."""
    with reporting():
        x = read_vector(numbers or [], file)
        with cp.load_campaign(name, storage=storage) as campaign:
            known = None if label is None else label_from_text(campaign, label)
            instance = campaign.tell(request, x, known, cost=cost, duration=duration)
            _print_instance(instance, as_json)


@app.command(context_settings=_NUMBERS)
def add(
    name: Name,
    numbers: Numbers = None,
    # Typer marks a required option by an ellipsis, which is no str.
    label: Annotated[str, typer.Option("--label", help="Its class.", show_default=False)] = ...,  # type: ignore[assignment]
    id_: Annotated[
        str | None, typer.Option("--id", help="Your own id, which makes repeating harmless.")
    ] = None,
    file: File = None,
    cost: Cost = None,
    duration: Duration = None,
    storage: Address = st.DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Record an unsolicited instance."""
    with reporting():
        x = read_vector(numbers or [], file)
        with cp.load_campaign(name, storage=storage) as campaign:
            known = label_from_text(campaign, label)
            instance = campaign.add(x, known, id=id_, cost=cost, duration=duration)
            _print_instance(instance, as_json)


def _print_instance(instance: cp.Instance, as_json: bool) -> None:
    if as_json:
        print_json(instance.to_json())
    else:
        typer.echo(f"{instance.id}\t{instance.label}\t{echo_vector(instance.x)}")


@app.command()
def fail(
    name: Name,
    request: Id,
    reason: Reason = "",
    storage: Address = st.DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Record that a request will bring no instance."""
    with reporting(), cp.load_campaign(name, storage=storage) as campaign:
        campaign.fail(request, reason)
        _done({"id": request, "state": "failed"}, as_json)


@app.command()
def performed(
    name: Name, request: Id, storage: Address = st.DEFAULT_URL, as_json: AsJson = False
) -> None:
    """Record that a request was carried out and its data are still to come."""
    with reporting(), cp.load_campaign(name, storage=storage) as campaign:
        campaign.performed(request)
        _done({"id": request, "state": "performed"}, as_json)


@app.command()
def retract(
    name: Name,
    instance: Annotated[str, typer.Argument(help="Id of the instance.", show_default=False)],
    reason: Reason = "",
    storage: Address = st.DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Take an instance out of the labelled set; the history keeps it."""
    with reporting(), cp.load_campaign(name, storage=storage) as campaign:
        campaign.retract(instance, reason)
        _done({"id": instance, "state": "retracted"}, as_json)


@app.command()
def undo(
    name: Name, reason: Reason = "", storage: Address = st.DEFAULT_URL, as_json: AsJson = False
) -> None:
    """Take back what was done last: an instance, or a performance whose data never came."""
    with reporting(), cp.load_campaign(name, storage=storage) as campaign:
        undone = campaign.undo(reason)
        if undone is None:
            _done({"state": "nothing to undo"}, as_json)
        else:
            state = "retracted" if isinstance(undone, cp.Instance) else "failed"
            _done({"id": undone.id, "state": state}, as_json)


@app.command()
def pause(
    name: Name, label: str, storage: Address = st.DEFAULT_URL, as_json: AsJson = False
) -> None:
    """Stop requesting a class."""
    with reporting(), cp.load_campaign(name, storage=storage) as campaign:
        campaign.pause(label_from_text(campaign, label))
        _done({"label": label, "state": "paused"}, as_json)


@app.command()
def resume(
    name: Name, label: str, storage: Address = st.DEFAULT_URL, as_json: AsJson = False
) -> None:
    """Request a paused class again."""
    with reporting(), cp.load_campaign(name, storage=storage) as campaign:
        campaign.resume(label_from_text(campaign, label))
        _done({"label": label, "state": "resumed"}, as_json)


@app.command("add-class")
def add_class(
    name: Name, label: str, storage: Address = st.DEFAULT_URL, as_json: AsJson = False
) -> None:
    """Declare one more class."""
    with reporting(), cp.load_campaign(name, storage=storage) as campaign:
        campaign.add_class(label_from_text(campaign, label))
        _done({"label": label, "state": "added"}, as_json)


def _done(what: dict[str, str], as_json: bool) -> None:
    if as_json:
        print_json(what)
    else:
        typer.echo("\t".join(what.values()))


@app.command()
def status(name: Name, storage: Address = st.DEFAULT_URL, as_json: AsJson = False) -> None:
    """Show where the campaign stands, class by class."""
    with reporting(), cp.load_campaign(name, storage=storage) as campaign:
        found = campaign.status()
        if as_json:
            print_json(found.to_json())
        else:
            print_status(found)


@app.command()
def history(
    name: Name,
    features: Annotated[bool, typer.Option("--features", help="With --json: values too.")] = False,
    last: Annotated[int | None, typer.Option("--last", min=1, help="Only so many rows.")] = None,
    storage: Address = st.DEFAULT_URL,
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


@app.command()
def export(
    name: Name,
    path: Annotated[Path, typer.Argument(help="A .csv, .parquet or .json file.")],
    storage: Address = st.DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Write the whole record to a file."""
    with reporting(), cp.load_campaign(name, storage=storage) as campaign:
        _done({"exported": str(campaign.export(path))}, as_json)


@app.command("import")
def import_(
    path: Annotated[Path, typer.Argument(help="A file that export wrote.")],
    name: Annotated[str | None, typer.Option("--name", help="Keep it under this name.")] = None,
    storage: Address = st.DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Bring an exported campaign in, with all of its history."""
    with reporting(), cp.import_campaign(path, name=name, storage=storage) as campaign:
        _done({"imported": campaign.name}, as_json)


@app.command()
def replay(name: Name, storage: Address = st.DEFAULT_URL, as_json: AsJson = False) -> None:
    """Recompute every request from what was known when it was made."""
    with reporting(), cp.load_campaign(name, storage=storage) as campaign:
        found = campaign.replay()
        print_replay(found, as_json=as_json)
        if not found.ok:
            raise typer.Exit(7)


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
