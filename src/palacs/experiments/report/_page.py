"""The report: one self-contained page, readable on any screen, on paper, by ear.

It loads nothing and runs nothing. Whatever comes from data (names, labels, settings) is escaped.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from os import PathLike
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from palacs.experiments.report._page_images import embed
from palacs.experiments.report._page_tables import Table, error_table, plain_table, proportion_table
from palacs.experiments.report._paper_findings import Finding

__all__ = [
    "Picture",
    "ReportContent",
    "Section",
    "Table",
    "error_table",
    "plain_table",
    "proportion_table",
    "write_report",
]


@dataclass(frozen=True)
class Picture:
    """A picture and the words that go with it.

    Parameters
    ----------
    image : str or bytes
        An SVG as `palacs.plots.to_svg` returns it, or PNG bytes.
    caption : str
        What to see in it.
    alt : str, optional
        What it shows, for those who do not see it; the caption by default.
    """

    image: str | bytes
    caption: str
    alt: str = ""


@dataclass(frozen=True)
class Section:
    """A part of the report: text, then tables, then pictures."""

    title: str
    text: Sequence[str] = ()
    tables: Sequence[Table] = ()
    pictures: Sequence[Picture] = ()


@dataclass(frozen=True)
class ReportContent:
    """Everything the report says.

    Parameters
    ----------
    title, subtitle : str
    headlines : sequence of str
        What came out, in sentences, the most important first.
    findings : sequence of Finding
        What should come out, and whether it did.
    sections : sequence of Section
    differences : sequence of str
        Where we differ from the paper, in sentences.
    readings : sequence of (str, str)
        Each point that the paper leaves open, and our reading of it.
    settings, versions : mapping
        What the run was made with: seed, trials, budget; Python and packages.
    commands : sequence of str
        What to type to get this report again.

    Empty parts are left out.
    """

    title: str
    subtitle: str = ""
    headlines: Sequence[str] = ()
    findings: Sequence[Finding] = ()
    sections: Sequence[Section] = ()
    differences: Sequence[str] = ()
    readings: Sequence[tuple[str, str]] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    commands: Sequence[str] = ()


def write_report(path: str | PathLike[str], content: ReportContent) -> Path:
    """Write the report as one HTML page.

    The page replaces an older one only when it is complete.

    Parameters
    ----------
    path : path
    content : ReportContent

    Returns
    -------
    Path
        Where it is.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = write_report(f"{folder}/report.html", ReportContent("Spirals & more"))
    ...     "<h1>Spirals &amp; more</h1>" in page.read_text(encoding="utf-8")
    True
    """
    page = render(content)
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(target.name + ".part")
    unfinished.write_text(page, encoding="utf-8")
    os.replace(unfinished, target)
    return target


def render(content: ReportContent) -> str:
    """Return the report as the text of an HTML page."""
    environment = Environment(
        loader=PackageLoader("palacs.experiments.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    reached = sum(finding.reached for finding in content.findings)
    page: str = environment.get_template("report.html.j2").render(
        content=content, reached=reached, sections=_number(content.sections)
    )
    return page


def _number(
    sections: Sequence[Section],
) -> list[tuple[Section, list[tuple[int, Picture, Markup]]]]:
    """Give every picture its number and make it ready for the page."""
    numbers = count(1)
    numbered = []
    for section in sections:
        pictures = []
        for picture, number in zip(section.pictures, numbers, strict=False):
            alt = picture.alt or picture.caption
            pictures.append((number, picture, embed(picture.image, alt, f"figure{number}")))
        numbered.append((section, pictures))
    return numbered
