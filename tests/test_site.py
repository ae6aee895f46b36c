"""The documentation site leaves nothing out, and says it in our words; Sphinx is not needed here.

`make docs` builds it, with every warning an error. What would be missing without a warning, or
is quicker to find without a build, is looked for here.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from dataclasses import fields
from fnmatch import fnmatch
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from markdown_it import MarkdownIt

from docsite import blocks, rooms, words
from docsite.reference import PARTS
from docsite.reference._commands import walk
from docsite.reference._routes import operations, schema
from floors import BESIDE, FLOORS
from palacs.conditions import Conditions
from palacs.datasets import DATASETS
from palacs.extractors import EXTRACTORS
from palacs.extras import EXTRAS
from palacs.sources import SOURCES
from palacs.storage import EVENT_FIELDS, EVENT_KINDS, EVENT_MEANINGS
from palacs.strategies import available

DOCS = Path(__file__).parent.parent / "docs"
PAGES = {
    path.relative_to(DOCS).with_suffix("").as_posix(): path.read_text(encoding="utf-8")
    for path in sorted(DOCS.rglob("*.md"))
}


def _commands() -> list[str]:
    said = []
    for typed, command in walk():
        said.append(f"# {typed}\n")
        said += [option for p in command.params for option in p.opts if option.startswith("--")]
    return said


def _routes() -> list[str]:
    whole = schema()
    said = [f"`{method} {path.removeprefix('/api/v1')}`" for method, path, _ in operations(whole)]
    objects = whole["components"]["schemas"].items()
    return said + [f"### `{name}`" for name, part in objects if part.get("properties")]


MUST_SAY: dict[str, Callable[[], list[str]]] = {
    "commands": _commands,
    "conditions": lambda: [each.name for each in fields(Conditions)],
    "datasets": lambda: list(DATASETS),
    "events": lambda: [*EVENT_FIELDS, *(f"## `{kind}`" for kind in EVENT_KINDS)],
    "extractors": lambda: [info.name for info in EXTRACTORS],
    "extras": lambda: [f"palacs[{name}]" for name in EXTRAS],
    "results": lambda: ["`trials.parquet`", "`verdict.json`", "`win_ratio`", "`report.html`"],
    "routes": _routes,
    "sources": lambda: list(SOURCES),
    "strategies": lambda: [
        info.title
        for info in available().values()
        if info.strategy.__module__.startswith("palacs.")
    ],
}


@pytest.mark.parametrize("name", MUST_SAY)
def test_the_reference_leaves_nothing_out(name: str) -> None:
    text, wanted = PARTS[name](), MUST_SAY[name]()
    assert wanted
    assert [each for each in wanted if each not in text] == []


def test_every_part_of_the_reference_stands_on_a_page() -> None:
    placed = [
        found["name"]
        for name, text in PAGES.items()
        for found in blocks.BLOCK.finditer(text)
        if found["kind"] == "reference" and name.startswith("reference/")
    ]
    assert sorted(placed) == sorted(PARTS)


def test_every_kind_of_event_has_a_meaning() -> None:
    assert tuple(EVENT_MEANINGS) == EVENT_KINDS


def test_every_name_that_a_room_promises_is_described_once() -> None:
    standing = {room for lines in FLOORS.values() for line in lines for room in line} | {BESIDE}
    shown = [room for names in rooms.rooms().values() for room in names]
    assert sorted(shown) == sorted(standing - set(rooms.WITHOUT_NAMES))
    described = {
        f"palacs.{room}.{name}"
        for room in shown
        for name in re.findall(r"^\.\. (?:auto\w+|py:data):: (\w+)$", rooms.page(room), re.M)
    }
    for room in ("", *shown):
        module = importlib.import_module(f"palacs.{room}".rstrip("."))
        for name in rooms.names_of(module):
            home = rooms.home_of(module, name)
            assert f"palacs.{home}.{name}" in described, f"{module.__name__}.{name}"


def test_every_page_can_be_reached_from_the_first() -> None:
    reached, waiting = set(), ["index"]
    while waiting:
        name = waiting.pop()
        if name in reached or name not in PAGES:
            continue
        reached.add(name)
        waiting += _leads_to(name)
    assert sorted(PAGES.keys() - reached) == []


def _leads_to(name: str) -> list[str]:
    lines = [
        re.sub(r".*<(.+)>", r"\1", line.strip())
        for token in MarkdownIt().parse(PAGES[name])
        if token.type == "fence" and token.info == "{toctree}"
        for line in token.content.splitlines()
        if line.strip() and not line.startswith(":")
    ]
    folder = DOCS / Path(name).parent
    paths = [(folder / line).resolve().relative_to(DOCS).as_posix() for line in lines]
    return [page for page in PAGES for path in paths if page != name and fnmatch(page, path)]


def test_what_the_build_runs_is_there() -> None:
    for name, text in PAGES.items():
        found = list(blocks.BLOCK.finditer(text))
        asked = re.findall(r"^```\{(?:made|reference)\}", text, re.MULTILINE)
        assert len(found) == len(asked), f"{name}: a block is not written as it should be"
        for block in found:
            script = DOCS / "made" / f"{block['name']}.py"
            known = script.exists() if block["kind"] == "made" else block["name"] in PARTS
            assert known, f"{name}: {block['name']}"


def test_links_to_headings_lead_to_one() -> None:
    for name, text in PAGES.items():
        for target, anchor in re.findall(r"\]\(([^()\s#:]*)#([\w-]+)\)", text):
            file = (DOCS / name).parent / target if target else DOCS / f"{name}.md"
            assert anchor in words.anchors(file.read_text(encoding="utf-8")), f"{name}: #{anchor}"


def test_links_elsewhere_are_addresses() -> None:
    for name, text in PAGES.items():
        inside = [child for token in MarkdownIt().parse(text) for child in token.children or ()]
        for target in [str(child.attrs["href"]) for child in inside if "href" in child.attrs]:
            address = urlsplit(target)
            if address.scheme or address.netloc:
                assert (address.scheme, "." in address.netloc) == ("https", True), (
                    f"{name}: {target}"
                )


def test_pages_use_our_words() -> None:
    found = {name: words.strays(text) for name, text in PAGES.items()}
    assert {name: strays for name, strays in found.items() if strays} == {}


def test_a_page_with_numbers_says_what_made_them() -> None:
    # A decision names bounds and sizes that were chosen, not measured.
    found = {
        name: words.from_nowhere(text)
        for name, text in PAGES.items()
        if not name.startswith("decisions/")
    }
    assert {name: numbers for name, numbers in found.items() if numbers} == {}


def test_a_number_from_nowhere_is_found() -> None:
    assert words.from_nowhere("It is 12 % faster and takes 0.3 s.") == ["12 %", "0.3 s"]
    assert words.from_nowhere("It is 12 % faster (`make bench`).") == []


def test_a_stray_word_is_found_in_prose_but_not_in_code() -> None:
    assert words.strays("Ask the oracle for data points.") == ["data points", "oracle"]
    assert words.strays("Call `oracle()`.\n\n```python\noracle = 1\n```\n") == []
