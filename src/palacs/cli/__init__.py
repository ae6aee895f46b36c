"""The command line: parse, call, print.

Each command lives in a module of its own, and one whose extra is missing says so only when it
is used: a machine without pandas or SQLAlchemy still has the commands it can run.
"""

from __future__ import annotations

import logging
import sys

from palacs.extras import missing, remedy

__all__ = ["main"]

# Extras that bring the command line too, by the command they are for; a test holds them against
# the table of commands, which cannot be read without it.
BRINGS = {
    "reproduce": "experiments",
    "compare": "experiments",
    "campaign": "campaign",
    "storage": "campaign",
    "studio": "studio",
    "demo": "lsl",
}


class _Told(logging.Handler):
    """Says it on standard error as that is now: a progress bar may stand there."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print a line."""
        print(f"palacs: {record.getMessage()}", file=sys.stderr)


def main() -> None:
    """Entry point of the ``palacs`` command."""
    absent = missing("cli")
    if absent:
        run = remedy(BRINGS.get("".join(sys.argv[1:2]), "cli"))
        lacks = f"palacs: this command needs {absent[0]!r}, which is not installed; run: {run}"
        print(lacks, file=sys.stderr)
        raise SystemExit(1)
    from palacs.cli._app import build_app

    # What the rooms have to say meanwhile, such as that they compile.
    logging.getLogger("palacs").addHandler(_Told())
    logging.getLogger("palacs").setLevel(logging.INFO)
    build_app()()
