"""The words of the pages: no synonyms of ours, and no numbers that come from nowhere.

The list has what others call the things that palacs has one word for. What stands in code, in a
link's address, in the title of somebody's work or between quotation marks is theirs.
"""

from __future__ import annotations

import re
from itertools import pairwise

from markdown_it import MarkdownIt

# What is written elsewhere, and what it is called here.
SYNONYMS = {
    r"oracles?": "source",
    r"data ?points?": "instance",
    r"training (?:examples?|samples?|instances?|sets?)": "labelled set",
    r"label(?:l)?ed (?:data|examples?|samples?)": "labelled set",
    r"labeled": "labelled",
    r"query strateg(?:y|ies)": "strategy",
    r"acquisition functions?": "utility",
    r"pseudo instances?": "pseudo-instance",
    r"kernel frequency estimates?": "kernel frequency",
    r"class distributions?": "proportions",
    r"(?:sub)?categor(?:y|ies)": "class",
    r"datasets?": "data set",
}
_STRAY = re.compile(rf"\b(?:{'|'.join(SYNONYMS)})\b", re.IGNORECASE)

_MEASURED = re.compile(r"(?<![\w.])\d[\d.,]* ?%|\b\d[\d.,]* (?:ms|s|MB|GB)\b")
_SOURCE = re.compile(
    r"`(?:python|palacs|make) [^`]+`|```(?:\{made\}|python|sh|console)|\[measured\]\(",
    re.IGNORECASE,
)


def prose(text: str) -> str:
    """Return what a page says in words: without code, addresses, titles and quotations."""
    found = []
    for token in MarkdownIt().enable("table").parse(text):
        for child in token.children or ():
            if child.type in ("em_open", "em_close"):
                found.append("\0")
            elif child.type in ("text", "softbreak"):
                found.append(child.content or " ")
        found.append("\n")
    return re.sub('\0[^\0]*\0|"[^"]*"|“[^”]*”', " ", "".join(found))


def strays(text: str) -> list[str]:
    """Return the words of a page that are not ours.

    Examples
    --------
    >>> strays("A dataset of *Labeled data*.")
    ['dataset']
    """
    return sorted({found.lower() for found in _STRAY.findall(prose(text))})


def from_nowhere(text: str) -> list[str]:
    """Return the measured numbers of a page that names no command, runs nothing and leads nowhere.

    Examples
    --------
    >>> from_nowhere("It is 12 % faster."), from_nowhere("It is 12 % faster (`make bench`).")
    (['12 %'], [])
    """
    return [] if _SOURCE.search(text) else _MEASURED.findall(prose(text))


def anchors(text: str) -> set[str]:
    """Return the anchors of a page's headings, as GitHub and the site make them.

    Examples
    --------
    >>> anchors("# One & two: `three`")
    {'one--two-three'}
    """
    tokens = MarkdownIt().parse(text)
    titles = [
        "".join(child.content for child in inline.children or ())
        for opening, inline in pairwise(tokens)
        if opening.type == "heading_open"
    ]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
