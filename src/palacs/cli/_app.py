"""All commands under one roof.

A command whose extra is not installed is still listed; it says how to install it.
"""

from __future__ import annotations

from importlib import import_module

import typer

from palacs import __version__

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Active class selection: which class should I collect next?",
)

# name, module, attribute, extra
_COMMANDS = (
    ("reproduce", "_reproduce", "reproduce_command", "experiments"),
    ("compare", "_compare", "compare_command", "experiments"),
    ("datasets", "_datasets", "datasets_command", "experiments"),
    ("strategies", "_strategies", "strategies_command", "cli"),
    ("campaign", "_campaign", "app", "campaign"),
    ("storage", "_campaign", "storage_app", "campaign"),
    ("studio", "_studio", "studio_command", "studio"),
)


def _mount(name: str, module: str, attribute: str, extra: str) -> None:
    try:
        command = getattr(import_module(f"palacs.cli.{module}"), attribute)
    except ModuleNotFoundError as error:
        _mount_hint(name, str(error.name), extra)
        return
    if isinstance(command, typer.Typer):
        app.add_typer(command, name=name)
    else:
        app.command(name)(command)


def _mount_hint(name: str, missing: str, extra: str) -> None:
    remedy = f"pip install 'palacs[{extra}]'"
    anything = {"ignore_unknown_options": True, "allow_extra_args": True}

    def hint() -> None:
        typer.echo(
            f"palacs {name} needs {missing!r}, which is not installed; run: {remedy}", err=True
        )
        raise typer.Exit(1)

    app.command(name, help=f"Not installed; run: {remedy}", context_settings=anything)(hint)


for _command in _COMMANDS:
    _mount(*_command)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"palacs {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version."
    ),
) -> None:
    """Hold the options that come before a command."""
