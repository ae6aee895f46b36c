"""Every command of ``palacs`` with its arguments and options, asked of the commands themselves."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

from docsite.markdown import code, plain, table
from palacs.cli._app import COMMANDS, load_command


def walk() -> Iterator[tuple[str, Any]]:
    """Yield every command and group by what is typed, such as ``palacs campaign ask``."""
    for name in COMMANDS:
        yield from _under(f"palacs {name}", load_command(name))


def _under(typed: str, command: Any) -> Iterator[tuple[str, Any]]:
    yield typed, command
    for name, inner in getattr(command, "commands", {}).items():
        if not inner.hidden:
            yield from _under(f"{typed} {name}", inner)


def commands() -> str:
    """Return a section for each command."""
    return "\n\n".join(_section(typed, command) for typed, command in walk())


def _section(typed: str, command: Any) -> str:
    level = "#" * len(typed.split())
    context = command.make_context(typed, [], resilient_parsing=True)
    usage = command.get_usage(context).partition(": ")[2]
    about = inspect.cleandoc(command.help or "").replace("\b", "")
    parts = [f"{level} {typed}", *map(plain, about.split("\n\n")), f"```text\n{usage}\n```"]
    rows = [_row(each, context) for each in command.params if not getattr(each, "hidden", False)]
    if rows:
        parts.append(table(["argument or option", "meaning"], rows))
    inside = getattr(command, "commands", {})
    if inside:
        parts.append(
            "Commands: " + ", ".join(code(name) for name, c in inside.items() if not c.hidden) + "."
        )
    return "\n\n".join(parts)


def _row(parameter: Any, context: Any) -> tuple[str, str]:
    record = parameter.get_help_record(context)
    if record is None:
        return code(parameter.human_readable_name), plain(getattr(parameter, "help", "") or "")
    return code(record[0]), plain(record[1])
