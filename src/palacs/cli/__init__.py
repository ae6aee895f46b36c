"""The command line: parse, call, print.

Each command lives in a module of its own, and one whose extra is missing says so only when it
is used: a machine without pandas or SQLAlchemy still has the commands it can run.
"""

from __future__ import annotations

import sys

from palacs.cli._light_start import importing

_INSTALL_HINT = "pip install 'palacs[all]'"


def main() -> None:
    """Entry point of the ``palacs`` command."""
    try:
        from palacs.cli._app import build_app
    except ModuleNotFoundError as error:
        print(
            f"palacs: this command needs {error.name!r}, which is not installed; "
            f"run: {_INSTALL_HINT}",
            file=sys.stderr,
        )
        raise SystemExit(1) from None
    with importing():
        app = build_app(next((word for word in sys.argv[1:] if not word.startswith("-")), None))
    app()
