"""The command line: parse, call, print.

Each command lives in a module of its own, and one whose extra is missing says so only when it
is used: a machine without pandas or SQLAlchemy still has the commands it can run.
"""

from __future__ import annotations

import logging
import sys

from palacs.extras import need

__all__ = ["main"]


def main() -> None:
    """Entry point of the ``palacs`` command."""
    try:
        need("cli", "palacs: this command")
    except ModuleNotFoundError as error:
        print(error, file=sys.stderr)
        raise SystemExit(1) from None
    from palacs.cli._app import build_app

    # What the rooms have to say meanwhile, such as that they compile.
    told = logging.StreamHandler()
    told.setFormatter(logging.Formatter("palacs: %(message)s"))
    logging.getLogger("palacs").addHandler(told)
    logging.getLogger("palacs").setLevel(logging.INFO)
    build_app()()
