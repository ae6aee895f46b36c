"""Which room of palacs stands on which floor, read from the imports themselves.

A room imports only from the floors below it, and only public names. ``python tools/floors.py``
prints what breaks that; ``--write`` draws the picture in CONTRIBUTING.md anew.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from textwrap import wrap

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "palacs"
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
OPENING, CLOSING = "<!-- floors: make format draws this -->", "<!-- end of floors -->"

# Lowest first. Rooms of one line do not import each other; a later line may import an earlier one.
FLOORS: dict[str, tuple[tuple[str, ...], ...]] = {
    "the mathematics": (
        ("checks", "compiled", "extras", "objects", "views"),
        ("ties", "stream"),
        ("arrays",),
        ("gain", "kernel"),
        ("classifier",),
    ),
    "what is known, what is wanted": (("evidence", "conditions"),),
    "the decision": (("strategies",),),
    "material": (("extractors", "lsl", "plots", "progress", "storage"), ("datasets",)),
    "work": (("cluster", "experiments", "campaign"), ("sources",)),
    "doors": (("studio",), ("cli",)),
}
# Holds the contracts of every room, so it may import any public name, and nobody imports it.
BESIDE = "testing"
# What the floors up to the decision need; the rest of Python's packages are extras.
LIGHT = ("numpy", "scipy", "sklearn", "threadpoolctl", "numba", "llvmlite")
LIGHT_FLOORS = ("the mathematics", "what is known, what is wanted", "the decision")
# Each is the business of one place only.
KEPT_BY = {"matplotlib": "palacs.plots", "sklearn.utils._param_validation": "palacs.checks"}

_LINES = [line for floor in FLOORS.values() for line in floor]
RANKS = {room: rank for rank, line in enumerate(_LINES) for room in line}
RANKS[BESIDE] = len(_LINES)


@dataclass(frozen=True)
class Import:
    """One imported thing: by which module, where, and its full name (``palacs.gain.perf_gain``)."""

    module: str
    line: int
    target: str

    def __str__(self) -> str:
        return f"{self.module}:{self.line} imports {self.target}"


@dataclass(frozen=True)
class House:
    """The modules of a package, by dotted name, as syntax trees; its own ``__init__`` too."""

    modules: dict[str, ast.Module]

    @classmethod
    def read(cls, package: Path = PACKAGE) -> House:
        """Read every module below a folder."""
        modules = {}
        for path in sorted(package.rglob("*.py")):
            parts = path.relative_to(package.parent).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            modules[name] = ast.parse(path.read_text(encoding="utf-8"), str(path))
        return cls(modules)

    @property
    def rooms(self) -> list[str]:
        """The rooms there are: modules and packages directly below, private ones left out."""
        names = {name.split(".")[1] for name in self.modules if "." in name}
        return sorted(name for name in names if not name.startswith("_"))

    def imports(self) -> Iterator[Import]:
        """Yield every import of a room's modules, those for type checkers included."""
        for module, tree in self.modules.items():
            if "." in module:
                for node in ast.walk(tree):
                    yield from self._read(module, node)

    def _read(self, module: str, node: ast.AST) -> Iterator[Import]:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(module, node.lineno, alias.name)
        elif isinstance(node, ast.ImportFrom):
            source = node.module or ""
            if node.level:
                raise ValueError(f"{module}:{node.lineno} imports relatively; write the full name.")
            for alias in node.names:
                yield Import(module, node.lineno, self._home(f"{source}.{alias.name}"))

    def _home(self, target: str) -> str:
        """Resolve what the package's own ``__init__`` hands on to the room it comes from."""
        package, _, name = target.partition(".")
        if package == "palacs" and name in self.homes and name not in self.rooms:
            return f"{self.homes[name]}.{name}"
        return target

    @cached_property
    def homes(self) -> dict[str, str]:
        """The module that each name of the package's own ``__init__`` comes from."""
        return {
            alias.asname or alias.name: node.module
            for node in ast.walk(self.modules["palacs"])
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("palacs.")
            for alias in node.names
            if node.module
        }

    def promises(self, module: str, name: str) -> bool:
        """Say whether a module's ``__all__`` holds a name; without one, all but ``_names`` are."""
        for node in self.modules[module].body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                return name in ast.literal_eval(node.value)
        return not name.startswith("_")


def room_of(name: str) -> str | None:
    """Return the room a dotted name belongs to; None outside the house and for its ``__init__``."""
    parts = name.split(".")
    if parts[0] != "palacs" or len(parts) < 2 or parts[1].startswith("_"):
        return None
    return parts[1]


def upward(house: House) -> list[str]:
    """Say which imports lead up, or to a neighbour on the same line."""
    found = []
    for one in house.imports():
        source, target = room_of(one.module), room_of(one.target)
        if source and target and source != target and RANKS[source] <= RANKS[target]:
            found.append(f"{one}: {target} is not below {source}")
    return found


def private(house: House) -> list[str]:
    """Say which imports take from another room what that does not promise."""
    found = []
    for one in house.imports():
        target = room_of(one.target)
        if target is None or target == room_of(one.module):
            continue
        # The longest beginning that is a module; what follows it is the name that is taken.
        module = max(
            (name for name in house.modules if f"{one.target}.".startswith(f"{name}.")), key=len
        )
        hidden = any(part.startswith("_") for part in module.split(".")[2:])
        name = one.target[len(module) + 1 :]
        if hidden or (name and not house.promises(module, name)):
            found.append(f"{one}, which palacs.{target} does not promise")
    return found


def foreign(house: House) -> list[str]:
    """Say who imports a package that its floor does without, or that another place keeps."""
    light = {room for floor in LIGHT_FLOORS for line in FLOORS[floor] for room in line}
    found = []
    for one in house.imports():
        top = one.target.split(".")[0]
        known = top == "palacs" or top in sys.stdlib_module_names or top in LIGHT
        if room_of(one.module) in light and not known:
            found.append(f"{one}; this floor needs {', '.join(LIGHT)} alone")
        for package, keeper in KEPT_BY.items():
            kept = f"{one.target}.".startswith(f"{package}.")
            if kept and not f"{one.module}.".startswith(f"{keeper}."):
                found.append(f"{one}; that is for {keeper} alone")
    return found


def namesakes(house: House) -> list[str]:
    """Say which modules share a basename; a package is called what it is, and so is a migration."""
    named = defaultdict(list)
    for name in house.modules:
        package = any(other.startswith(f"{name}.") for other in house.modules)
        if not package and ".migrations." not in name:
            named[name.rpartition(".")[2]].append(name)
    return [f"{' and '.join(names)} share a name" for names in named.values() if len(names) > 1]


def picture(house: House) -> str:
    """Draw the floors, highest first, each room with those it really imports from."""
    uses: dict[str, set[str]] = defaultdict(set)
    for one in house.imports():
        source, target = room_of(one.module), room_of(one.target)
        if source and target and source != target:
            uses[source].add(target)
    width = max(map(len, RANKS))
    lines = []
    for title, floor in [("beside the house", ((BESIDE,),)), *reversed(FLOORS.items())]:
        lines.append(f"{title}")
        for room in (room for line in reversed(floor) for room in line if room in house.rooms):
            below = sorted(uses[room], key=lambda name: (-RANKS[name], name))
            text = wrap(", ".join(below) or "nothing", 90 - width)
            lines.append(f"  {room:{width}}  ← {text[0]}")
            lines += [f"  {'':{width}}    {rest}" for rest in text[1:]]
    return "\n".join(["```text", *lines, "```"])


def drawn(text: str, house: House) -> str:
    """Return CONTRIBUTING's text with the picture as it is now."""
    before, found, rest = text.partition(OPENING)
    _, ended, after = rest.partition(CLOSING)
    if not (found and ended):
        raise ValueError(f"CONTRIBUTING.md has no place for the picture; add {OPENING}{CLOSING}.")
    return f"{before}{OPENING}\n{picture(house)}\n{CLOSING}{after}"


def main() -> None:
    """Report what breaks the rule; draw the picture if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="draw the picture in CONTRIBUTING.md")
    house = House.read()
    if parser.parse_args().write:
        text = CONTRIBUTING.read_text(encoding="utf-8")
        CONTRIBUTING.write_text(drawn(text, house), encoding="utf-8")
        return
    found = [*upward(house), *private(house), *foreign(house), *namesakes(house)]
    print("\n".join([picture(house), *found]))
    raise SystemExit(1 if found else 0)


if __name__ == "__main__":
    main()
