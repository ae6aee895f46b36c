"""What is noted beside the numbers, from a shell: attributes, recordings, features, persons."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from palacs.cli._printable import say
from palacs.cli._rooms import cp

AttrOption = Annotated[
    list[str] | None,
    typer.Option(
        "--attr",
        metavar="NAME=TEXT",
        help="Note this, such as subject=s01; NAME:=JSON for numbers and lists.",
    ),
]
RecordingOption = Annotated[
    str | None,
    typer.Option("--recording", help="Path or URI of the raw material, kept where it is."),
]
WithOption = Annotated[
    str | None,
    typer.Option(
        "--with",
        metavar="EXTRACTOR",
        help="FILE.py:NAME of the extractor in force, where it is your own.",
    ),
]
KeepOption = Annotated[
    bool,
    typer.Option("--keep-recording", help="Keep a recording of at most 256 KiB in the record."),
]


def read_attrs(pairs: Sequence[str] | None) -> dict[str, Any] | None:
    """Return attributes from ``NAME=TEXT`` and ``NAME:=JSON``.

    Examples
    --------
    >>> read_attrs(["subject=01", "session:=2", "note=a=b"])
    {'subject': '01', 'session': 2, 'note': 'a=b'}
    """
    if not pairs:
        return None
    found: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise ValueError(f"--attr {pair!r} must look like subject=s01 or session:=2.")
        key = name.removesuffix(":")
        if key in found:
            raise ValueError(f"--attr {key!r} is given twice; give each name once.")
        found[key] = _json(value, pair) if name.endswith(":") else value
    return found


def _json(text: str, pair: str) -> Any:
    try:
        return json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"--attr {pair!r}: what follows := is no JSON ({error}).") from error


def attrs_line(attrs: Mapping[str, Any]) -> str:
    """Return attributes as they are typed, for a terminal.

    Examples
    --------
    >>> attrs_line({"subject": "s01", "session": 2})
    'subject=s01 session:=2'
    """
    return " ".join(
        f"{name}={value}" if isinstance(value, str) else f"{name}:={json.dumps(value)}"
        for name, value in attrs.items()
    )


def read_recording(text: str | None, keep: bool) -> cp.Recording | None:
    """Return the recording at a path or URI, to be kept inside if asked for."""
    if text is None:
        if keep:
            raise ValueError("--keep-recording needs a --recording to keep.")
        return None
    return cp.Recording.inside(text) if keep else cp.Recording.of(text)


def read_features(text: str | None) -> Sequence[str] | dict[str, Any] | None:
    """Return features from names separated by commas, or from a JSON file."""
    if text is None:
        return None
    if not text.endswith(".json"):
        return [name.strip() for name in text.split(",")]
    try:
        found: dict[str, Any] = json.loads(Path(text).read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"--features {text!r} is no JSON file: {error}.") from error
    return found


def print_recordings(checks: Sequence[cp.RecordingCheck], *, as_json: bool) -> bool:
    """Print what became of recordings; return whether all that could be looked at are intact."""
    counts = dict.fromkeys(("intact", "missing", "changed", "unreachable", "not fetched"), 0)
    for check in checks:
        counts[check.state] += 1
    troubled = [check for check in checks if check.state not in ("intact", "not fetched")]
    if as_json:
        fields = ("id", "where", "state", "detail")
        rows = [{name: getattr(check, name) for name in fields} for check in troubled]
        say(json.dumps({"counts": counts, "troubled": rows}, ensure_ascii=False))
        return not troubled
    for check in troubled:
        say("\t".join(filter(None, (check.id, check.state, check.where, check.detail))))
    say(", ".join(f"{count} {state}" for state, count in counts.items()))
    return not troubled
