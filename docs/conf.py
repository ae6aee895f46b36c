"""The documentation site: what Sphinx is told. `make docs` builds it into build/docs.

What the site generates from the code stands in tools/docsite; here are names, theme and rules.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))

import palacs  # noqa: E402 - the line above is for docsite alone, which comes as an extension

project = "palacs"
author = copyright = "The palacs developers"
version = release = palacs.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "docsite.sphinx_extension",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
smartquotes = False  # two dashes are an option, not a rule
exclude_patterns = ["made", "images", "_static"]

# MyST: links to headings as GitHub makes them, formulas between dollars.
myst_enable_extensions = ["dollarmath", "amsmath", "deflist", "attrs_inline", "attrs_block"]
myst_heading_anchors = 4
myst_dmath_double_inline = True

# numpydoc: one page for each room, with all of its names.
autodoc_member_order = "bysource"
autodoc_typehints = "none"
autosummary_generate = False
default_role = "autolink"  # of autosummary: names in docstrings that lead somewhere do
nitpick_ignore_regex = [
    ("py:obj", "[A-Za-z_]+"),  # parameters and fields, which are described where they stand
    ("py:.*", r"(numpy|torch|sklearn|matplotlib|collections)\..+"),  # described elsewhere
]
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

# make docs-links tries addresses elsewhere, not what scripts write into the pages behind them.
linkcheck_anchors = False
linkcheck_ignore = [r"http://127\.0\.0\.1", r"https?://[^/]+\.(example|local)"]
linkcheck_timeout = 20

html_theme = "pydata_sphinx_theme"
html_title = f"palacs {version}"
html_static_path = ["_static"]
html_css_files = ["palacs.css"]
html_math_renderer = "mathml"
html_show_sourcelink = False
html_copy_source = False
html_context = {"default_mode": "auto"}  # as the system has it, until somebody chooses
html_theme_options = {
    "logo": {"text": "palacs"},
    "navbar_align": "left",
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_version_warning_banner": False,
    "navigation_with_keys": False,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
