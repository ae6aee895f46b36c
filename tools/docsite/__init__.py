"""What makes the documentation site out of the code: reference pages, made blocks, formulas.

`blocks` and what it calls need palacs alone, so that the tests read what the site will say without
building it; `sphinx_extension` is the only module that knows Sphinx.
"""
