"""A page for each room of palacs with every name that it promises, for autodoc to fill."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path
from types import ModuleType
from typing import get_origin

from floors import FLOORS

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "reference" / "python"
WITHOUT_NAMES = ("stream",)  # compiled functions that others compile in; no names to call


def rooms() -> dict[str, list[str]]:
    """Return the rooms by floor, the doors first: who reads starts there."""
    floors = {floor: [room for line in lines for room in line] for floor, lines in FLOORS.items()}
    shown = {
        floor: [room for room in names if room not in WITHOUT_NAMES]
        for floor, names in floors.items()
    }
    return {**dict(reversed(shown.items())), "beside the house": ["testing"]}


def page(room: str) -> str:
    """Return a room's page: what it is for, a list of what it promises, and its own names."""
    name = f"palacs.{room}" if room else "palacs"
    module = importlib.import_module(name)
    title = f"``{name}``"
    rows = "\n".join(_row(module, each) for each in names_of(module))
    own = [each for each in names_of(module) if home_of(module, each) == room]
    described = "\n".join(_described(module, each) for each in own)
    return (
        f"{title}\n{'=' * len(title)}\n\n.. automodule:: {name}\n   :no-members:\n\n"
        f".. currentmodule:: {name}\n\n.. list-table::\n   :widths: auto\n\n{rows}\n\n{described}"
    )


_OPTIONS = {
    "class": "   :members:\n   :inherited-members:\n",
    "data": "   :no-value:\n",
    "exception": "",
    "function": "",
}


def _described(module: ModuleType, name: str) -> str:
    kind = kind_of(module, name)
    if get_origin(getattr(module, name)) is not None:
        return f".. py:data:: {name}\n"  # an alias, in which autodoc would describe an array
    return f".. auto{kind}:: {name}\n{_OPTIONS[kind]}"


def _row(module: ModuleType, name: str) -> str:
    found = getattr(module, name)
    says = (inspect.getdoc(found) or "") if kind_of(module, name) != "data" else ""
    line = " ".join(says.partition("\n\n")[0].split())
    where = f"palacs.{home_of(module, name)}" if home_of(module, name) else module.__name__
    return f"   * - :py:obj:`{name} <{where}.{name}>`\n     - {line}"


def names_of(module: ModuleType) -> list[str]:
    """Return what a room promises, but for its version and what is not palacs's own."""
    promised = dict.fromkeys([*module.__all__, *getattr(module, "_HOMES", ())])
    names = [name for name in promised if not name.startswith("__")]
    own = [name for name in names if home_of(module, name) is not None]
    return sorted(own, key=lambda name: kind_of(module, name) == "data")  # constants last


def home_of(module: ModuleType, name: str) -> str | None:
    """Return the room in which a name is described, None for one from outside palacs."""
    room = module.__name__.partition(".")[2]
    if kind_of(module, name) == "data":
        return room
    where = str(getattr(module, name).__module__).split(".")
    if where[0] != "palacs":
        return None
    return room if where[1] in WITHOUT_NAMES else where[1]


def kind_of(module: ModuleType, name: str) -> str:
    """Return by which of autodoc's directives a name is described."""
    found = getattr(module, name)
    if get_origin(found) is not None or not callable(found):
        return "data"
    if not isinstance(found, type):
        return "function"
    return "exception" if issubclass(found, BaseException) else "class"


def write_pages() -> None:
    """Write the pages, leaving alone those that are as they should be."""
    FOLDER.mkdir(exist_ok=True)
    wanted = {"palacs": page("")}
    wanted |= {room: page(room) for names in rooms().values() for room in names}
    parts = ["Python", "======", "", "What every room promises, by floor.", ""]
    parts += [".. toctree::", "   :maxdepth: 1", "", "   palacs", ""]
    for floor, names in rooms().items():
        parts += [f".. rubric:: {floor[0].upper()}{floor[1:]}", ""]
        parts += [".. toctree::", "   :maxdepth: 1", "", *(f"   {room}" for room in names), ""]
    wanted["index"] = "\n".join(parts)
    for name, text in wanted.items():
        path = FOLDER / f"{name}.rst"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
