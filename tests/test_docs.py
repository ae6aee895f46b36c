"""What README, CONTRIBUTING and docs show runs as printed, and prints what they say.

A page is followed from top to bottom in an empty folder: Python blocks share their names, shell
blocks call the installed ``palacs``. What the reader would replace (an id that was printed, a free
port, an address of PostgreSQL) is replaced here too; the files they bring are in ``BROUGHT``.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token
from sklearn.datasets import load_wine

ROOT = Path(__file__).parent.parent
DOCS = sorted(path for path in (ROOT / "docs").rglob("*.md"))
PAGES = {
    str(path.relative_to(ROOT)): MarkdownIt().parse(path.read_text(encoding="utf-8"))
    for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS)
}
# What stands in braces is said to the site's build, which runs it: see docs/conf.py.
SHOWING = [
    name
    for name, tokens in PAGES.items()
    if any(t.type == "fence" and not t.info.startswith("{") for t in tokens)
]
# All that is not run as printed, with the reason; the marker stands before the block.
MARKED = {
    ("README.md", "not run: this would run these tests again"),
    ("README.md", "run with --trials 1 --datasets 3clusters: 500 trials take a quarter of an hour"),
    ("README.md", "not run: this would install from an index"),
    ("README.md", "run with --trials 4: fifty trials may take minutes"),
    (
        "docs/studio.md",
        "not run: needs a container engine; test_container.py does what the two files say",
    ),
    ("docs/rest.md", "not run: it takes minutes; the tests run it with fewer examples"),
    (
        "docs/sources.md",
        "not run: it takes two minutes; tests/cli/test_demo.py runs it shorter",
    ),
    ("CONTRIBUTING.md", "not run: this would run these tests again"),
}
MARKER = re.compile(r"<!-- ((?:not run|run with ([^:]+)): .+) -->")
RUN_ID = re.compile(r"\br\d+-[0-9a-f]{4}\b")
TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+\+00:00")
POSTGRESQL = "postgresql+psycopg://user@host/lab"
LONGEST_S = 120


def brought() -> dict[str, str]:
    """The files that the documents take for granted: a table, an instance, a recording."""
    X, y = load_wine(return_X_y=True)
    rows = [f"{','.join(map(str, x))},{label}" for x, label in zip(X, y, strict=True)]
    return {
        "my.csv": "\n".join([",".join([*"abcdefghijklm", "label"]), *rows]),
        "x.csv": "0.31 0.77\n",
        "s01-1.edf": "0       X X X X",
        "eeg.json": '{"names": ["mu C3", "mu C4"], "units": "µV²"}',
    }


@dataclass
class Reader:
    """Somebody who follows one page in a folder of their own."""

    folder: Path
    instead: dict[str, str]
    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "__main__"})

    def python(self, code: str, where: str) -> None:
        # An extra that is had on request alone; what develops palacs has it.
        if "import torch" in code and find_spec("torch") is None:
            return
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(compile(self.replaced(code), where, "exec"), self.names)
        printed = " ".join(said.getvalue().split())
        for promised in re.findall(r"print\(.*\)  # (.+)", code):
            assert promised in printed, f"{where}: {promised!r} is not in {printed!r}"

    def sh(self, code: str, where: str) -> None:
        done = self._bash("set -eu\n" + self.replaced(code))
        assert done.returncode == 0, f"{where}: {done.stdout}{done.stderr}"

    def console(self, text: str, where: str) -> None:
        """Type each command after a ``$`` and compare with what the lines below it promise."""
        for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            command, _, promised = part.partition("\n")
            done = self._bash(self.replaced(command))
            said = done.stdout + done.stderr
            assert done.returncode == 0, f"{where}: {command}: {said}"
            if promised.strip():
                assert _looks_like(promised, said), f"{where}: {command} said\n{said}"
            # Who repeats the page copies the id that was printed for them.
            self.instead |= dict(zip(RUN_ID.findall(promised), RUN_ID.findall(said), strict=False))

    def json(self, text: str, where: str) -> None:
        assert json.loads(text), where

    def toml(self, text: str, where: str) -> None:
        assert tomllib.loads(text), where

    def text(self, text: str, where: str) -> None:
        """A picture, nothing to run."""

    def replaced(self, text: str) -> str:
        for old, new in self.instead.items():
            text = text.replace(old, new)
        return text

    def _bash(self, code: str) -> subprocess.CompletedProcess[str]:
        """Run it, then end what it left running in the background."""
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        process = subprocess.Popen(
            ["bash", "-c", code],
            cwd=self.folder,
            env={**os.environ, "PATH": path, "BROWSER": "true", "COLUMNS": "80", "no_proxy": "*"},
            stdin=subprocess.DEVNULL,
            stdout=(self.folder / ".stdout").open("w"),
            stderr=(self.folder / ".stderr").open("w"),
            text=True,
            start_new_session=True,
        )
        try:
            process.wait(timeout=LONGEST_S)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        said = [(self.folder / name).read_text(encoding="utf-8") for name in (".stdout", ".stderr")]
        return subprocess.CompletedProcess(code, process.returncode, *said)


def _looks_like(promised: str, said: str) -> bool:
    """Tell whether it is the same but for ids, times and what ``...`` stands for."""
    pattern = re.escape(" ".join(TIME.sub("TIME", RUN_ID.sub("ID", promised)).split()))
    plain = " ".join(TIME.sub("TIME", RUN_ID.sub("ID", said)).split())
    return re.fullmatch(pattern.replace(re.escape("..."), ".*"), plain) is not None


def blocks(name: str) -> Iterator[tuple[Token, re.Match[str] | None]]:
    """Yield the fenced blocks of a page with the marker before each."""
    marker = None
    for token in PAGES[name]:
        if token.type == "fence" and not token.info.startswith("{"):
            yield token, marker
        if token.type in ("fence", "html_block"):
            marker = MARKER.search(token.content) if token.type == "html_block" else None


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reader:
    monkeypatch.chdir(tmp_path)
    for name in ("PALACS_STORAGE", "PALACS_STUDIO_TOKEN", "PALACS_PERSON"):
        monkeypatch.delenv(name, raising=False)
    for name, content in brought().items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    (tmp_path / "archive").mkdir()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    return Reader(tmp_path, {"8765": port, "palacs studio": f"palacs studio --port {port}"})


@pytest.mark.parametrize("name", SHOWING)
def test_every_block_of_the_page_runs(
    name: str, reader: Reader, request: pytest.FixtureRequest
) -> None:
    if POSTGRESQL in (ROOT / name).read_text(encoding="utf-8"):
        reader.instead[POSTGRESQL] = request.getfixturevalue("new_postgresql")()
    for token, marker in blocks(name):
        assert token.map
        where = f"{name}:{token.map[0] + 1}"
        assert token.info in ("python", "sh", "console", "json", "toml", "text"), where
        if marker and marker[1].startswith("not run"):
            continue
        code = f"{token.content.rstrip()} {marker[2]}\n" if marker else token.content
        getattr(reader, token.info)(code, where)


def test_what_is_not_run_as_printed_is_listed_here() -> None:
    marked = {(name, marker[1]) for name in SHOWING for _, marker in blocks(name) if marker}
    assert marked == MARKED


def test_only_formulas_are_indented_instead_of_fenced() -> None:
    indented = {
        name for name, tokens in PAGES.items() if any(t.type == "code_block" for t in tokens)
    }
    assert indented <= {"docs/theory.md"}


@pytest.mark.parametrize("name", PAGES)
def test_every_local_link_leads_somewhere(name: str) -> None:
    inside = [child for token in PAGES[name] for child in token.children or ()]
    targets = [child.attrs.get("href", child.attrs.get("src")) for child in inside]
    for target in filter(None, targets):
        if not re.match(r"https?:|mailto:|#", str(target)):
            assert ((ROOT / name).parent / str(target).split("#")[0]).exists(), f"{name}: {target}"
