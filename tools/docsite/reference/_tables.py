"""The tables of palacs that have one line for each thing: strategies, data sets, extras and kin."""

from __future__ import annotations

from dataclasses import fields

from docsite.markdown import cell, code, plain, table
from palacs.conditions import Conditions
from palacs.datasets import DATASETS
from palacs.extractors import EXTRACTORS
from palacs.extras import EXTRAS
from palacs.sources import SOURCES
from palacs.strategies import DEFAULT_STRATEGY, available


def strategies() -> str:
    """Return all strategies of palacs by name, what they do, and their class."""
    rows = []
    for info in available().values():
        room, name = info.strategy.__module__.rsplit("._", 1)[0], info.strategy.__name__
        if not room.startswith("palacs."):
            continue  # installed beside it; its own documents describe it
        fixed = ", ".join(f"{key}={value!r}" for key, value in info.params.items())
        told = f"{info.summary}{' (the default)' if info.name == DEFAULT_STRATEGY else ''}"
        python = f"{{py:class}}`~palacs.strategies.{name}`" + (f" with {code(fixed)}" * bool(fixed))
        rows.append((code(info.name), cell(info.title), plain(told), python))
    return table(["name", "title", "asks for", "Python"], rows)


def conditions() -> str:
    """Return the fields of `Conditions`, which are the keys of a conditions file."""
    texts = Conditions.help_texts()
    rows = [
        (code(each.name), plain(texts[each.name]), "yes" * bool(each.metadata.get("by_label")))
        for each in fields(Conditions)
    ]
    return table(["field", "says", "by class"], rows)


def extras() -> str:
    """Return the extras: how to install each, what it enables and brings."""
    rows = [
        (
            code(f"pip install 'palacs[{name}]'"),
            plain(extra.enables),
            ", ".join(code(module) for module in extra.modules),
            ", ".join(code(other) for other in extra.includes),
        )
        for name, extra in EXTRAS.items()
    ]
    return table(["install", "enables", "imports", "includes"], rows)


def sources() -> str:
    """Return the sources by the name that stands before the colon."""
    return table(
        ["source", "asks"], [(code(f"{n}:"), plain(s.summary)) for n, s in SOURCES.items()]
    )


def extractors() -> str:
    """Return the extractors that come with palacs."""
    return table(["extractor", "makes"], [(code(row.name), plain(row.about)) for row in EXTRACTORS])


def datasets() -> str:
    """Return the built-in data sets: what they are, where they come from, what they need."""
    rows = [
        (
            code(info.name),
            plain(info.title),
            plain(info.origin),
            "" if info.budget is None else str(info.budget),
            code(info.extra or ""),
        )
        for info in DATASETS.values()
    ]
    return table(["name", "is", "from", "the paper's budget", "extra"], rows)
