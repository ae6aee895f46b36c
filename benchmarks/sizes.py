"""How large an environment with each extra is: megabytes of the packages it takes.

Counted are the files of everything an extra needs, as installed here, with what those need;
palacs itself and pip are left out.

    python benchmarks/sizes.py
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))[
    "project"
]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]


def packages(wanted: Iterable[str], found: set[str] | None = None) -> set[str]:
    """Return every package that requirements lead to."""
    found = set() if found is None else found
    for text in wanted:
        requirement = Requirement(text)
        if requirement.name == "palacs":
            for extra in requirement.extras:
                packages(EXTRAS[extra], found)
            continue
        name = requirement.name.lower().replace("_", "-")
        if requirement.marker and not requirement.marker.evaluate({"extra": ""}):
            continue
        for extra in requirement.extras:  # psycopg[binary]
            packages([f"{name}-{extra}"], found)
        if name not in found:
            try:
                needs = distribution(name).requires or []
            except PackageNotFoundError:
                continue
            found.add(name)
            packages(needs, found)
    return found


def megabytes(names: Iterable[str]) -> float:
    files = (file for name in names for file in distribution(name).files or [])
    paths = (Path(str(file.locate())) for file in files)
    return sum(path.stat().st_size for path in paths if path.is_file()) / 1e6


def main() -> None:
    base = packages(PROJECT["dependencies"])
    print(f"{'palacs':24} {megabytes(base):6.0f} MB")
    for extra in EXTRAS:
        if extra not in ("test", "bench", "dev"):
            all_of = base | packages(EXTRAS[extra])
            print(f"palacs[{extra}]".ljust(24), f"{megabytes(all_of):6.0f} MB")


if __name__ == "__main__":
    main()
