"""``palacs campaign``, the part that changes a campaign's course, each time with a reason."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from palacs.cli._campaign_io import label_from_text, parse_params, print_json, reporting
from palacs.cli._campaign_notes import read_attrs
from palacs.cli._campaign_options import Address, AsJson, Id, Name, Op, Reason, done
from palacs.cli._conditions_file import read_conditions
from palacs.cli._printable import say
from palacs.cli._rooms import DEFAULT_URL, cp

course_app = typer.Typer()

_NONE = "none"
Number = TypeVar("Number", int, float)

Why = Annotated[str, typer.Option("--reason", help="Why; kept in the record.", show_default=False)]


@course_app.command()
def change(
    name: Name,
    reason: Why,
    budget: Annotated[
        str | None, typer.Option("--budget", help="Instances at most, from the beginning; or none.")
    ] = None,
    budget_cost: Annotated[
        str | None, typer.Option("--budget-cost", help="Money or minutes at most; or none.")
    ] = None,
    lease: Annotated[
        float | None, typer.Option("--lease", help="Seconds a request stays pending; 0 is forever.")
    ] = None,
    conditions: Annotated[
        str | None,
        typer.Option("--conditions", help="A JSON file of conditions; or none."),
    ] = None,
    strategy: Annotated[
        str | None, typer.Option("--strategy", help="A name from palacs strategies.")
    ] = None,
    params: Annotated[
        str, typer.Option("--params", help="With --strategy: its parameters, as a JSON object.")
    ] = "{}",
    title: Annotated[
        str | None, typer.Option("--title", help="Shown to people instead of the name; or none.")
    ] = None,
    op: Op = None,
    storage: Address = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Change budget, lease, conditions, strategy or title from now on."""
    with reporting():
        new: cp.Changes = {}
        if budget is not None:
            new["budget"] = None if budget == _NONE else _number(budget, "--budget", int)
        if budget_cost is not None:
            new["budget_cost"] = (
                None if budget_cost == _NONE else _number(budget_cost, "--budget-cost", float)
            )
        if lease is not None:
            new["lease"] = None if lease == 0 else lease
        if conditions is not None:
            new["conditions"] = None if conditions == _NONE else read_conditions(Path(conditions))
        if title is not None:
            new["title"] = None if title == _NONE else title
        if strategy is not None:
            from palacs import strategies

            new["strategy"] = strategies.make(strategy, **parse_params(params))
        with cp.load_campaign(name, storage=storage) as campaign:
            campaign.change(reason=reason, op=op, **new)
            if as_json:
                print_json({"name": name, **campaign.settings.to_payload()})
            else:
                say(f"{name}\tchanged\t{', '.join(new)}")


def _number(text: str, option: str, kind: type[Number]) -> Number:
    try:
        return kind(text)
    except ValueError:
        raise ValueError(f"{option} {text!r} is no number; give one, or {_NONE}.") from None


@course_app.command("rename-class")
def rename_class(
    name: Name,
    old: str,
    new: str,
    reason: Why,
    op: Op = None,
    storage: Address = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Give a class another name; its requests and instances stay its own."""
    with reporting(), cp.load_campaign(name, storage=storage) as campaign:
        before, after = label_from_text(campaign, old), label_from_text(campaign, new)
        campaign.rename_class(before, after, reason, op=op)
        done({"label": old, "renamed": new}, as_json)


@course_app.command()
def renew(
    name: Name,
    request: Id,
    reason: Reason = "",
    op: Op = None,
    storage: Address = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Let the lease of an open request start anew."""
    with reporting(), cp.load_campaign(name, storage=storage) as campaign:
        renewed = campaign.renew(request, reason, op=op)
        if as_json:
            print_json(renewed.to_json())
        else:
            until = "for ever" if renewed.expires_at is None else f"until {renewed.expires_at:%c}"
            say(f"{renewed.id}\t{renewed.label}\tpending {until}")


@course_app.command()
def close(
    name: Name,
    reason: Why,
    op: Op = None,
    storage: Address = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Let nothing new begin; what was asked for can still be told."""
    with reporting(), cp.load_campaign(name, storage=storage) as campaign:
        campaign.close_campaign(reason, op=op)
        done({"name": name, "phase": campaign.status().phase}, as_json)


@course_app.command()
def reopen(
    name: Name,
    reason: Why,
    op: Op = None,
    storage: Address = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Let a closed or archived campaign go on."""
    with reporting(), cp.load_campaign(name, storage=storage) as campaign:
        campaign.reopen(reason, op=op)
        done({"name": name, "phase": campaign.status().phase}, as_json)


@course_app.command()
def archive(
    name: Name,
    reason: Why,
    op: Op = None,
    storage: Address = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Close the campaign and leave it out of the list."""
    with reporting(), cp.load_campaign(name, storage=storage) as campaign:
        campaign.archive(reason, op=op)
        done({"name": name, "phase": campaign.status().phase}, as_json)


@course_app.command()
def erase(
    name: Name,
    reason: Why,
    attr: Annotated[
        list[str], typer.Option("--attr", help="NAME=VALUE to look for; all of several.")
    ],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask whether it is meant.")] = False,
    op: Op = None,
    storage: Address = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Erase everything about somebody who withdraws, for good; a tombstone stays."""
    with reporting(), cp.load_campaign(name, storage=storage) as campaign:
        wanted = read_attrs(attr) or {}
        n = len(campaign.noted_with(wanted))
        if n and not yes:
            _confirm(f"Erase {n} requests and instances with {', '.join(attr)} from {name}?")
        n = campaign.erase(wanted, reason, op=op)
        done({"name": name, "erased": str(n)}, as_json)
        for other, times in campaign.noted_alike(wanted).items():
            say(f"palacs: {other} is alike and was not erased ({times} times)", err=True)


def _confirm(question: str) -> None:
    if not sys.stdin.isatty():
        raise ValueError("nobody can be asked here whether this is meant; say so with --yes.")
    typer.confirm(f"{question} This cannot be undone.", abort=True)
