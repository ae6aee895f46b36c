"""Pages with the blocks filled in that code makes: ``{made} NAME`` and ``{reference} NAME``."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from docsite import made, reference

BLOCK = re.compile(
    r"^```\{(?P<kind>made|reference)\} (?P<name>[\w-]+)\n(?::alt: (?P<alt>.+)\n)?```$", re.MULTILINE
)


@cache
def _state() -> str:
    return made.state_of_code()


def filled(text: str, page: Path) -> str:
    """Return the page's text with what its blocks stand for.

    Parameters
    ----------
    text : str
        The page as it is written.
    page : Path
        Where it lies.
    """

    def what_it_stands_for(found: re.Match[str]) -> str:
        if found["kind"] == "made":
            return made.block(found["name"], found["alt"] or "", page, _state())
        return reference.PARTS[found["name"]]()

    return BLOCK.sub(what_it_stands_for, text)
