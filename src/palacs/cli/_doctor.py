"""``palacs doctor``: what is installed and reachable, and what to do about what is not.

Each finding is a line: what it is about, how it stands, and the remedy where there is one. Only
a problem makes the exit status 1; what is merely not installed is no problem.
"""

from __future__ import annotations

import os
import platform
import re
import webbrowser
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import typer

from palacs._version import __version__
from palacs.cli._campaign_io import print_json
from palacs.cli._printable import say
from palacs.cli._rooms import DEFAULT_URL, st
from palacs.extras import EXTRAS, missing, remedy

State = Literal["ok", "absent", "problem"]


class Finding(NamedTuple):
    """One line of the report."""

    about: str
    state: State
    said: str
    remedy: str = ""


def doctor_command(
    storage: Annotated[
        str,
        typer.Option("--storage", envvar="PALACS_STORAGE", help="Look at this storage."),
    ] = DEFAULT_URL,
    compile_: Annotated[
        bool, typer.Option("--compile", help="Compile now what decisions need, for later.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say what is installed and reachable, and what to do about what is not."""
    if compile_:
        from palacs.strategies import compile_ahead

        compile_ahead()
    found = [*_python(), *_extras(), *_dependencies(), *_cache(), *_storage(storage), *_machine()]
    if as_json:
        print_json([finding._asdict() for finding in found])
    else:
        for finding in found:
            _print(finding)
    if any(finding.state == "problem" for finding in found):
        raise typer.Exit(1)


_MARKS: dict[State, str] = {"ok": "ok", "absent": "-", "problem": "!!"}


def _print(finding: Finding) -> None:
    line = f"{_MARKS[finding.state]:2}  {finding.about:18} {finding.said}"
    say(line + (f"; {finding.remedy}" if finding.remedy else ""))


def _python() -> Iterator[Finding]:
    yield Finding("palacs", "ok", f"{__version__} in {Path(__file__).parents[1]}")
    yield Finding("python", "ok", f"{platform.python_version()} on {platform.platform()}")


def _extras() -> Iterator[Finding]:
    for name, extra in EXTRAS.items():
        about = f"extra {name}"
        absent = missing(name)
        if not absent:
            yield Finding(about, "ok", extra.enables)
        else:
            lacks = f"{extra.enables}: {', '.join(absent)} not installed"
            yield Finding(about, "absent", lacks, f"run: {remedy(name)}")


def _dependencies() -> Iterator[Finding]:
    """Hold what is installed against our lower bounds."""
    try:
        wanted = requires("palacs") or []
    except PackageNotFoundError:
        yield Finding("dependencies", "absent", "palacs runs from its sources; bounds unknown")
        return
    fitting = []
    for name, least in dict(_bounds(wanted)).items():
        try:
            has = version(name)
        except PackageNotFoundError:
            continue
        fitting.append(f"{name} {has}")
        if _numbers(has) < _numbers(least):
            fitting.pop()
            fix = f"run: pip install --upgrade '{name}>={least}'"
            yield Finding(name, "problem", f"{has} is older than {least}", fix)
    yield Finding("dependencies", "ok", ", ".join(fitting))


def _bounds(wanted: list[str]) -> Iterator[tuple[str, str]]:
    """Yield names and lower bounds of what users install, not developers."""
    for text in wanted:
        bound = re.match(r"([\w.-]+)(?:\[\w+\])?>=([\d.]+)", text)
        extra = re.search(r"extra == ['\"](\w+)['\"]", text)
        if bound and (extra is None or extra[1] in EXTRAS):
            yield bound[1], bound[2]


def _numbers(text: str) -> tuple[int, ...]:
    """Return a version's numbers.

    Examples
    --------
    >>> _numbers("3.1.0rc1") < _numbers("3.10")
    True
    """
    return tuple(int(number) for number in re.findall(r"\d+", re.split(r"[a-z+]", text)[0]))


def _cache() -> Iterator[Finding]:
    try:
        from numba import config

        from palacs.compiled import distrusted, folder, kept_functions, places
    except (ImportError, OSError) as error:
        fix = "run: pip install --upgrade --force-reinstall palacs"
        yield Finding("compiled", "problem", f"the compiler cannot be loaded ({error})", fix)
        return
    if config.DISABLE_JIT:
        said = "NUMBA_DISABLE_JIT is set: Python runs everything, slowly"
        yield Finding("compiled", "absent", said, "unset it to have machine code")
        return
    left_alone = distrusted()
    if left_alone is not None:
        said = f"NUMBA_CACHE_DIR={left_alone} is left alone: others may put machine code there"
        yield Finding("compiled", "problem", said, "set it to a folder that only you can write to")
    if not places():
        yield Finding(
            "compiled",
            "problem",
            "nothing can be kept: every process compiles anew",
            "set NUMBA_CACHE_DIR to a folder that can be written",
        )
        return
    files = [file for place in places() for file in place.iterdir()]
    size = sum(file.stat().st_size for file in files) / 1e6
    warm = any("needs_of" in name for name in kept_functions())
    named = [f"{place}" if place == folder() else f"{place} (read-only)" for place in places()]
    where = f"{len(kept_functions())} functions, {size:.1f} MB, in {' and '.join(named)}"
    if warm:
        yield Finding("compiled", "ok", where)
    else:
        hint = "to have decisions compiled before they are needed, run: palacs doctor --compile"
        yield Finding("compiled", "absent", where, hint)


def _storage(address: str) -> Iterator[Finding]:
    if missing("campaign"):
        yield Finding("storage", "absent", "campaigns are not installed")
        return
    shown = st.without_password(address)
    try:
        with st.open_storage(address) as opened:
            campaigns = len(opened.campaigns())
            said = f"{shown}: schema {opened.schema()}, {campaigns} campaigns"
            yield Finding("storage", "ok", said)
    except st.StorageNotFound as error:
        yield _not_there(address, shown, error)
    except (st.StorageError, ValueError, OSError, ImportError) as error:
        yield Finding("storage", "problem", " ".join(str(error).split()))


def _not_there(address: str, shown: str, error: Exception) -> Finding:
    """Say whether a campaign could be created there."""
    from sqlalchemy import make_url

    file = make_url(address).database if address.startswith("sqlite:") else None
    if file is None:
        return Finding("storage", "absent", " ".join(str(error).split()))
    folder = Path(file).resolve().parent
    if os.access(folder, os.W_OK | os.X_OK):
        hint = "palacs campaign create makes it"
        return Finding("storage", "absent", f"{shown} is not there yet", hint)
    lacks = "may not be written to" if folder.is_dir() else "does not exist"
    said = f"{shown} is not there, and cannot be made: the folder {str(folder)!r} {lacks}"
    return Finding("storage", "problem", said, "mend that, or give another place with --storage")


def _machine() -> Iterator[Finding]:
    try:
        yield Finding("browser", "ok", str(getattr(webbrowser.get(), "name", "found")))
    except webbrowser.Error:
        hint = "palacs studio --no-browser prints the address to open elsewhere"
        yield Finding("browser", "absent", "none found", hint)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    yield Finding("processor", "ok", f"{cores} cores for palacs compare; no GPU is needed")
