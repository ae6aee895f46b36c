"""What Sphinx is taught: blocks that code makes, a page for each room, formulas as MathML.

MathML is part of HTML: browsers set it without a script or a font from elsewhere, so that the site
opens from a folder, and docutils writes it from the formulas.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.typing import ExtensionMetadata

from docsite import blocks, rooms
from docsite.made import ScriptFailed

_log = logging.getLogger(__name__)


def _fill_in(app: Sphinx, name: str, source: list[str]) -> None:
    page = Path(app.env.doc2path(name))
    if page.suffix != ".md":
        return
    try:
        source[0] = blocks.filled(source[0], page)
    except ScriptFailed as failed:
        _log.warning("%s", failed, location=name)  # an error, by -W; the other pages are built too


def _with_blocks(app: Sphinx, env: Any, *_: object) -> list[str]:
    """Return pages to read again though they are the same: the code behind them may not be."""
    pages = {name: Path(env.doc2path(name)) for name in env.found_docs}
    texts = {name: page.read_text(encoding="utf-8") for name, page in pages.items()}
    return [name for name, text in texts.items() if blocks.BLOCK.search(text)]


def _write_rooms(app: Sphinx, config: object) -> None:
    rooms.write_pages()


def _skip(app: Sphinx, what: str, name: str, found: object, skip: bool, options: object) -> bool:
    """Leave out what a class has from elsewhere: scikit-learn and Python describe it."""
    where = getattr(getattr(found, "fget", found), "__module__", None) or ""
    return skip or not where.startswith("palacs")


def _inline_formula(html: Any, node: nodes.math) -> None:
    html.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def _displayed_formula(html: Any, node: nodes.math_block) -> None:
    html.body.append(html.starttag(node, "div", CLASS="math", TABINDEX="0"))
    html.body.append(tex2mathml(node.astext(), as_block=True) + "</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register it all with Sphinx."""
    app.connect("config-inited", _write_rooms)  # before Sphinx looks which pages there are
    app.connect("autodoc-skip-member", _skip)
    app.connect("env-get-outdated", _with_blocks)
    app.connect("source-read", _fill_in)
    app.add_html_math_renderer("mathml", (_inline_formula, None), (_displayed_formula, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
