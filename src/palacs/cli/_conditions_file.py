"""Conditions from a JSON file, for every command that takes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from palacs.conditions import Conditions


def read_conditions(path: Path) -> Conditions:
    """Read conditions from a JSON file."""
    # Only who has conditions waits for them to load.
    from palacs.conditions import Conditions

    try:
        plain = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} is no JSON file ({error}); see palacs.Conditions.") from error
    return Conditions.from_dict(plain)
