"""All commands under one roof.

A command whose extra is not installed is still listed; it says how to install it. Only the
command that was called is imported: a shell loop should not wait for pandas to tell a number.
"""

from __future__ import annotations

from importlib import import_module

import typer

from palacs._version import __version__

# name, module, attribute, extra
_COMMANDS = (
    ("reproduce", "_reproduce", "reproduce_command", "experiments"),
    ("compare", "_compare", "compare_command", "experiments"),
    ("datasets", "_datasets", "datasets_command", "experiments"),
    ("strategies", "_strategies_command", "strategies_command", "cli"),
    ("campaign", "_campaign_commands", "app", "campaign"),
    ("storage", "_storage_commands", "storage_app", "campaign"),
    ("studio", "_studio", "studio_command", "studio"),
)


def build_app(called: str | None = None) -> typer.Typer:
    """Return the command line, with only the command that was called if its name is known."""
    app = typer.Typer(
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        help="Active class selection: which class should I collect next?",
    )
    app.callback()(_options)
    wanted = [command for command in _COMMANDS if command[0] == called] or _COMMANDS
    for name, module, attribute, extra in wanted:
        _mount(app, name, f"palacs.cli.{module}:{attribute}", extra)
    return app


def _mount(app: typer.Typer, name: str, path: str, extra: str) -> None:
    module, attribute = path.split(":")
    try:
        command = getattr(import_module(module), attribute)
    except ModuleNotFoundError as error:
        _mount_hint(app, name, str(error.name), extra)
        return
    if isinstance(command, typer.Typer):
        app.add_typer(command, name=name)
    else:
        app.command(name)(command)


def _mount_hint(app: typer.Typer, name: str, missing: str, extra: str) -> None:
    remedy = f"pip install 'palacs[{extra}]'"
    anything = {"ignore_unknown_options": True, "allow_extra_args": True}

    def hint() -> None:
        typer.echo(
            f"palacs {name} needs {missing!r}, which is not installed; run: {remedy}", err=True
        )
        raise typer.Exit(1)

    app.command(name, help=f"Not installed; run: {remedy}", context_settings=anything)(hint)


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
