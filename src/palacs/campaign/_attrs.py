"""What a laboratory notes beside the numbers: subject, session, device, operator, units.

Attributes are a small JSON object. Those of a campaign hold for all of its instances, those of a
request for what it brings, and what is noted later about one instance stands above both.
"""

from __future__ import annotations

import json
import math
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from palacs.campaign._campaign_errors import DoesNotFit
from palacs.campaign._values import brief

Attrs = dict[str, Any]

MOST_KEYS = 64
LONGEST_KEY = 100
DEEPEST = 3
LARGEST_BYTES = 16_384


def check_attrs(attrs: Any) -> Attrs | None:
    """Return attributes as plain JSON values, or ``None`` where there are none.

    Examples
    --------
    >>> check_attrs({"subject": "s01", "session": 2, "cap": {"channels": ["C3", "C4"]}})
    {'subject': 's01', 'session': 2, 'cap': {'channels': ['C3', 'C4']}}
    """
    if attrs is None:
        return None
    if not isinstance(attrs, Mapping):
        raise ValueError(f"attrs={brief(attrs)} must map names to values: {{'subject': 's01'}}.")
    plain: Attrs = _object(attrs, "attrs", 1)
    size = len(attrs_text(plain).encode("utf-8"))
    if size > LARGEST_BYTES:
        raise ValueError(
            f"attrs take {size} bytes of at most {LARGEST_BYTES}; keep what is longer in a file "
            "and name it as the recording."
        )
    return plain or None


def attrs_text(attrs: Mapping[str, Any]) -> str:
    """Return the one text of some attributes: equal ones have the same."""
    return json.dumps(attrs, sort_keys=True, ensure_ascii=False, allow_nan=False)


def attr_text(value: Any) -> str | None:
    """Return one value as a table shows it: text as it is, all else as JSON.

    Examples
    --------
    >>> attr_text("s01"), attr_text(2), attr_text(["C3", "C4"]), attr_text(None)
    ('s01', '2', '["C3", "C4"]', None)
    """
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def check_key(key: Any, what: str = "attribute") -> str:
    """Return the name of an attribute: 1 to 100 printable characters."""
    if not isinstance(key, str) or not key.strip() or not key.isprintable():
        raise ValueError(f"{what} {brief(key)} is no name; give 1 to {LONGEST_KEY} characters.")
    if len(key) > LONGEST_KEY:
        raise ValueError(f"{what} {brief(key)} is longer than {LONGEST_KEY} characters.")
    return str(key)


def check_groups(groups: Any) -> list[str] | None:
    """Return the attributes that say what an instance belongs to, or ``None``.

    Examples
    --------
    >>> check_groups("subject"), check_groups(["subject", "session"])
    (['subject'], ['subject', 'session'])
    """
    if groups is None:
        return None
    names = [groups] if isinstance(groups, str) else groups
    if not isinstance(names, Sequence) or not names:
        raise ValueError(f"groups={brief(groups)} must name an attribute, such as 'subject'.")
    found = [check_key(name, "group") for name in names]
    if len(set(found)) < len(found):
        raise ValueError(f"groups={found} names an attribute twice.")
    return found


def group_of(attrs: Mapping[str, Any], groups: Sequence[str]) -> str:
    """Return what an instance belongs to, as one text; raise where an attribute is missing.

    Examples
    --------
    >>> group_of({"subject": "s01", "session": 2}, ["subject", "session"])
    's01 / 2'
    """
    missing = [name for name in groups if attrs.get(name) in (None, "")]
    if missing:
        raise DoesNotFit(
            f"this campaign is grouped by {' and '.join(groups)}, but {missing[0]!r} is not "
            f"noted; give attrs={{{missing[0]!r}: ...}} when asking or telling."
        )
    parts = [str(attr_text(attrs[name])) for name in groups]
    # Between several, a slash of their own is doubled: no two lists of parts read alike.
    return " / ".join(part.replace("/", "//") for part in parts) if parts[1:] else parts[0]


def _object(given: Mapping[Any, Any], where: str, depth: int) -> dict[str, Any]:
    if len(given) > MOST_KEYS:
        raise ValueError(f"{where} has {len(given)} names of at most {MOST_KEYS}.")
    return {check_key(k): _plain(v, f"{where}[{k!r}]", depth) for k, v in given.items()}


def _plain(value: Any, where: str, depth: int) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _text(value, where)
    if isinstance(value, (int, float)):
        return _number(value, where)
    if not isinstance(value, (Mapping, list, tuple)):
        kind = type(value).__name__
        raise ValueError(f"{where} is a {kind}; attributes are text, numbers, lists and objects.")
    if depth >= DEEPEST:
        raise ValueError(f"{where} is nested more than {DEEPEST} deep; make it flatter.")
    if isinstance(value, Mapping):
        return _object(value, where, depth + 1)
    return [_plain(one, f"{where}[{i}]", depth + 1) for i, one in enumerate(value)]


def _text(value: str, where: str) -> str:
    bad = next(
        (c for c in value if unicodedata.category(c) in ("Cc", "Cs") and c not in "\n\t"), ""
    )
    if bad:
        raise ValueError(
            f"{where} holds {bad!r}, which files cannot keep; write it in plain characters."
        )
    return str.__str__(value)


def _number(value: float, where: str) -> float:
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise ValueError(f"{where} is too large for a number; write it as text.")
    if not math.isfinite(value):
        raise ValueError(f"{where}={value} is no number that JSON has; leave it out.")
    return value
