"""The classes of a table: their names and order, rows without one, names that look alike."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import Any

import numpy as np

from palacs.datasets._dataset import Codes
from palacs.datasets._table_numbers import MISSING
from palacs.datasets._table_words import listing


def name_classes(labels: Sequence[Any], target: str, where: str) -> tuple[tuple[str, ...], Codes]:
    """Name the classes and number them in order; `labels` has shape (n_instances,)."""
    texts = [label_text(label) for label in labels]
    try:
        ordered = sorted(set(texts), key=_place)
    except ValueError:
        ordered = sorted(set(texts))
    if len(ordered) < 2:
        only = f"only the class {ordered[0]!r}" if ordered else "no class at all"
        raise ValueError(
            f"{where} has {only} in {target!r}; choosing between classes needs at least two."
        )
    code_of = {text: code for code, text in enumerate(ordered)}
    return tuple(ordered), np.array([code_of[text] for text in texts], dtype=np.int64)


def _place(text: str) -> tuple[bool, float, str]:
    """Return what numbers are sorted by; a NaN, which is neither below nor above any, is last."""
    value = float(text)
    return isnan(value), 0.0 if isnan(value) else value, text


def label_text(label: Any) -> str:
    """Return a label as text without blanks around it."""
    if isinstance(label, float) and label.is_integer():
        # Class 1 stays "1" when a missing value elsewhere made its column a float.
        return str(int(label))
    if isinstance(label, bytes):
        return label.decode("utf-8", errors="replace")
    return str(label).strip()


def is_missing(label: Any) -> bool:
    """Whether there is no label; a class may be called "None" or "NA"."""
    if label is None or (isinstance(label, (float, np.floating)) and np.isnan(label)):
        return True
    return str(label).strip() in ("", "<NA>", "NaT")


def look_alike(class_names: Sequence[str]) -> str:
    """Say which classes may be one written in two ways, or none at all.

    Examples
    --------
    >>> look_alike(["Mint", "mint", "rose"])
    "'Mint' and 'mint' are two classes"
    """
    said = []
    seen: dict[str, str] = {}
    for name in class_names:
        twin = seen.setdefault(_plain(name), name)
        if twin != name:
            said.append(f"{twin!r} and {name!r} are two classes")
    odd = [name for name in class_names if name.casefold() in MISSING]
    if odd:
        said.append(f"{listing(odd)} counts as a class; empty these cells if it means missing")
    return "; ".join(said)


def _plain(name: str) -> str:
    try:
        return repr(float(name))
    except ValueError:
        return " ".join(name.casefold().replace("_", " ").replace("-", " ").split())
