"""One instance per class is how every trial begins: scikit-learn's doubt about it is no news."""

from __future__ import annotations

import warnings

_DOUBT = "The number of unique classes is greater than 50%"


def expect_few_per_class() -> None:
    """Silence that doubt in this process, and nothing else.

    Not around each fit: leaving such a block makes Python forget which warnings it has shown.
    """
    if not any(getattr(entry[1], "pattern", None) == _DOUBT for entry in warnings.filters):
        warnings.filterwarnings("ignore", message=_DOUBT, category=UserWarning)
