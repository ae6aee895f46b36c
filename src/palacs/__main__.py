"""``python -m palacs`` is the command ``palacs``."""

from palacs.cli import main

main()
