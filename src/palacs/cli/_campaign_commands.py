"""``palacs campaign``: durable ask-and-tell from a shell.

Thin: parse, call, print. Every command takes ``--storage`` (or PALACS_STORAGE) and
``--json``; see `palacs.cli._campaign_io.EXIT_CODES` for what scripts can branch on.
"""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Annotated

import typer

from palacs.cli._campaign_course import course_app
from palacs.cli._campaign_extract import extract_app
from palacs.cli._campaign_io import (
    EXIT_CODES,
    echo_vector,
    label_from_text,
    parse_bounds,
    parse_params,
    print_json,
    read_vector,
    reporting,
)
from palacs.cli._campaign_notes import (
    AttrOption,
    KeepOption,
    RecordingOption,
    WithOption,
    read_attrs,
    read_features,
    read_recording,
)
from palacs.cli._campaign_options import (
    Address,
    AsJson,
    Cost,
    Duration,
    File,
    Id,
    Name,
    Numbers,
    Op,
    Reason,
    done,
)
from palacs.cli._campaign_record import record_app
from palacs.cli._campaign_run import run_app
from palacs.cli._conditions_file import read_conditions
from palacs.cli._light_start import import_decisions
from palacs.cli._printable import say
from palacs.cli._rooms import DEFAULT_URL, cp

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help=f"Durable ask-and-tell: which class to acquire next.\n\n{EXIT_CODES}",
)


@app.callback()
def who(
    context: typer.Context,
    person: Annotated[
        str | None,
        typer.Option(
            "--person", envvar="PALACS_PERSON", help="Who does it, else the system's user."
        ),
    ] = None,
) -> None:
    """Hold what comes before a command."""
    if person:
        with reporting():
            context.with_resource(cp.acting_as(person))


# Numbers such as -0.5 look like options; commands that take numbers have no short ones.
_NUMBERS = {"ignore_unknown_options": True}


@app.command()
def create(
    name: Name,
    classes: Annotated[
        str | None, typer.Option("--classes", help="Labels, separated by commas.")
    ] = None,
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
    n_features: Annotated[
        int | None, typer.Option("--n-features", help="How many every instance has.")
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="For reproducible requests.")] = None,
    conditions: Annotated[
        Path | None, typer.Option("--conditions", help="A JSON file, see palacs.Conditions.")
    ] = None,
    budget_cost: Annotated[
        float | None, typer.Option("--budget-cost", help="Money or minutes at most.")
    ] = None,
    attr: AttrOption = None,
    features: Annotated[
        str | None,
        typer.Option(
            "--features",
            help="Names by commas, or a .json: names, units, sampling_rate, pipeline.",
        ),
    ] = None,
    extractor: Annotated[
        str | None,
        typer.Option(
            "--extractor", help="What makes features of recordings: band-power, FILE.py:NAME, ..."
        ),
    ] = None,
    groups: Annotated[
        str | None,
        typer.Option("--groups", help="Attributes instances belong to, such as subject,session."),
    ] = None,
    continue_from: Annotated[
        str | None,
        typer.Option("--continue-from", help="Begin with the instances of this campaign."),
    ] = None,
    from_storage: Annotated[
        str | None, typer.Option("--from-storage", help="Where that one is, if elsewhere.")
    ] = None,
    op: Op = None,
    storage: Address = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Start a campaign."""
    with reporting():
        from palacs import strategies

        origin = None
        if continue_from is not None:
            origin = cp.load_campaign(continue_from, storage=from_storage or storage)
        campaign = cp.create_campaign(
            name,
            None if classes is None else [label.strip() for label in classes.split(",")],
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
            n_features=n_features,
            attrs=read_attrs(attr),
            features=read_features(features),
            groups=None if groups is None else [name.strip() for name in groups.split(",")],
            extractor=extractor,
            continue_from=origin,
            op=op,
        )
        where = campaign.storage.url
        if as_json:
            print_json({"name": name, "storage": where, **campaign.settings.to_payload()})
        else:
            usual = storage in (DEFAULT_URL, os.environ.get("PALACS_STORAGE"))
            then = ["palacs", "campaign", "ask", name, *([] if usual else ["--storage", where])]
            say(f"created {name!r} in {where}; next: {shlex.join(then)}")


@app.command()
def ask(
    name: Name,
    count: Annotated[
        int | None, typer.Option("--count", help="Ask for several at once; prints a list.")
    ] = None,
    attr: AttrOption = None,
    op: Op = None,
    storage: Address = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Say which class to acquire next.

    In JSON a utility is null where it is no finite number: the class is paused, or has no
    instance yet and comes first.
    """
    import_decisions()
    with reporting(), cp.load_campaign(name, storage=storage) as campaign:
        requests = campaign.ask_many(1 if count is None else count, attrs=read_attrs(attr), op=op)
        if as_json:
            rows = [request.to_json() for request in requests]
            print_json(rows[0] if count is None else rows)
            return
        for request in requests:
            say(f"{request.id}\t{request.label}")


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
    attr: AttrOption = None,
    recording: RecordingOption = None,
    keep_recording: KeepOption = False,
    with_: WithOption = None,
    op: Op = None,
    storage: Address = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Record the instance a request brought; without numbers, by the recording."""
    with reporting(), cp.load_campaign(name, storage=storage) as campaign:
        x = read_vector(numbers or [], file, campaign, recording)
        if with_ is not None:
            campaign.use_extractor(with_)
        known = None if label is None else label_from_text(campaign, label)
        instance = campaign.tell(
            request,
            x,
            known,
            cost=cost,
            duration=duration,
            attrs=read_attrs(attr),
            recording=read_recording(recording, keep_recording),
            op=op,
        )
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
    attr: AttrOption = None,
    recording: RecordingOption = None,
    keep_recording: KeepOption = False,
    with_: WithOption = None,
    op: Op = None,
    storage: Address = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Record an unsolicited instance; without numbers, by the recording."""
    with reporting(), cp.load_campaign(name, storage=storage) as campaign:
        x = read_vector(numbers or [], file, campaign, recording)
        if with_ is not None:
            campaign.use_extractor(with_)
        known = label_from_text(campaign, label)
        instance = campaign.add(
            x,
            known,
            id=id_,
            cost=cost,
            duration=duration,
            attrs=read_attrs(attr),
            recording=read_recording(recording, keep_recording),
            op=op,
        )
        _print_instance(instance, as_json)


def _print_instance(instance: cp.Instance, as_json: bool) -> None:
    if as_json:
        print_json(instance.to_json())
    else:
        say(f"{instance.id}\t{instance.label}\t{echo_vector(instance.x)}")


@app.command()
def fail(
    name: Name,
    request: Id,
    reason: Reason = "",
    attr: AttrOption = None,
    op: Op = None,
    storage: Address = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Record that a request will bring no instance."""
    with reporting(), cp.load_campaign(name, storage=storage) as campaign:
        campaign.fail(request, reason, attrs=read_attrs(attr), op=op)
        done({"id": request, "state": "failed"}, as_json)


@app.command()
def performed(
    name: Name,
    request: Id,
    op: Op = None,
    storage: Address = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Record that a request was carried out and its data are still to come."""
    with reporting(), cp.load_campaign(name, storage=storage) as campaign:
        campaign.performed(request, op=op)
        done({"id": request, "state": "performed"}, as_json)


@app.command()
def retract(
    name: Name,
    instance: Annotated[str, typer.Argument(help="Id of the instance.", show_default=False)],
    reason: Reason = "",
    op: Op = None,
    storage: Address = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Take an instance out of the labelled set; the history keeps it."""
    with reporting(), cp.load_campaign(name, storage=storage) as campaign:
        campaign.retract(instance, reason, op=op)
        done({"id": instance, "state": "retracted"}, as_json)


@app.command()
def undo(
    name: Name,
    reason: Reason = "",
    op: Op = None,
    storage: Address = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Take back what was done last: an instance, or a performance whose data never came."""
    with reporting(), cp.load_campaign(name, storage=storage) as campaign:
        undone = campaign.undo(reason, op=op)
        if undone is None:
            done({"state": "nothing to undo"}, as_json)
        else:
            state = "retracted" if isinstance(undone, cp.Instance) else "failed"
            done({"id": undone.id, "state": state}, as_json)


@app.command()
def pause(
    name: Name,
    label: str,
    op: Op = None,
    storage: Address = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Stop requesting a class."""
    with reporting(), cp.load_campaign(name, storage=storage) as campaign:
        campaign.pause(label_from_text(campaign, label), op=op)
        done({"label": label, "state": "paused"}, as_json)


@app.command()
def resume(
    name: Name,
    label: str,
    op: Op = None,
    storage: Address = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Request a paused class again."""
    with reporting(), cp.load_campaign(name, storage=storage) as campaign:
        campaign.resume(label_from_text(campaign, label), op=op)
        done({"label": label, "state": "resumed"}, as_json)


@app.command("add-class")
def add_class(
    name: Name,
    label: str,
    op: Op = None,
    storage: Address = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Declare one more class."""
    with reporting(), cp.load_campaign(name, storage=storage) as campaign:
        campaign.add_class(label_from_text(campaign, label), op=op)
        done({"label": label, "state": "added"}, as_json)


# The loop; what changes the course; other features; what only looks, and files.
app.add_typer(run_app)
app.add_typer(course_app)
app.add_typer(extract_app)
app.add_typer(record_app)
