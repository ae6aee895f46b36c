"""What reading tables needs beyond the base installation."""

from __future__ import annotations

from typing import Any

from palacs.extras import need


def import_pandas(what: str) -> Any:
    """Import pandas, or say which extra brings it."""
    need("tables", what)
    import pandas

    return pandas
