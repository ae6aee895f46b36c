"""All commands under one roof.

Each lives in a module of its own, which is imported when the command is called: help, the
version and a shell loop wait for no other. A command whose extra is not installed is still
listed; it says how to install it.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

from palacs._version import __version__
from palacs.cli._light_start import importing
from palacs.extras import missing, remedy

# Typer has no other word for this; it reaches every command below.
HELP_OPTIONS = {"help_option_names": ["-h", "--help"]}


class Row(NamedTuple):
    """Where a command is, which extra it needs, and its help in a line.

    The line stands here too, since a module that is not imported cannot say it; a test holds it
    against the module's own.
    """

    module: str
    attribute: str
    extra: str
    help: str


COMMANDS = {
    "reproduce": Row(
        "_reproduce",
        "reproduce_command",
        "experiments",
        "Reproduce the paper's tables and figures, and compare them with its numbers.",
    ),
    "compare": Row(
        "_compare",
        "compare_command",
        "experiments",
        "Compare strategies on your data: which one wins, how surely, and whether it is worth it.",
    ),
    "datasets": Row(
        "_datasets",
        "datasets_command",
        "cli",
        "List the built-in data sets with their shapes and class sizes.",
    ),
    "strategies": Row(
        "_strategies_command",
        "strategies_command",
        "cli",
        "List the strategies that every other command takes by name.",
    ),
    "campaign": Row(
        "_campaign_commands",
        "app",
        "campaign",
        "Durable ask-and-tell: which class to acquire next.",
    ),
    "storage": Row(
        "_storage_commands", "storage_app", "campaign", "Look after the file or database."
    ),
    "studio": Row(
        "_studio", "studio_app", "studio", "Run campaigns in the browser, live, and over REST."
    ),
    "demo": Row("_demo", "demo_app", "lsl", "Try a whole experiment without any hardware."),
    "doctor": Row(
        "_doctor",
        "doctor_command",
        "cli",
        "Say what is installed and reachable, and what to do about what is not.",
    ),
}


class _Commands(TyperGroup):
    """The commands, by their lines; one that is called is imported."""

    def __init__(self, **attrs: Any) -> None:
        super().__init__(**attrs)
        for name, row in COMMANDS.items():
            hint = f"Not installed; run: {remedy(row.extra)}".replace("[", r"\[")  # no markup
            self.add_command(TyperCommand(name, help=hint if missing(row.extra) else row.help))

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        return name, command if command is None else load_command(str(name)), rest


def load_command(name: str) -> Any:
    """Import a command's module and return the command, or say which extra it needs."""
    row = COMMANDS[name]
    absent = missing(row.extra)
    if absent:
        typer.echo(
            f"palacs {name} needs {absent[0]!r}, which is not installed; run: {remedy(row.extra)}",
            err=True,
        )
        raise typer.Exit(1)
    with importing():
        found = getattr(import_module(f"palacs.cli.{row.module}"), row.attribute)
    app = found
    if not isinstance(found, typer.Typer):
        app = typer.Typer(add_completion=False)
        app.command(name)(found)
    command = typer.main.get_command(app)
    command.name = name
    return command


def build_app() -> typer.Typer:
    """Return the command line."""
    app = typer.Typer(
        cls=_Commands,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings=HELP_OPTIONS,
        help="Active class selection: which class should I collect next?",
    )
    app.callback()(_options)
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"palacs {__version__}")
        raise typer.Exit


def _options(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version."
    ),
) -> None:
    """Hold the options that come before a command."""
