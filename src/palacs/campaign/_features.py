"""What the features are: names, units, sampling rate, and the version of what extracts them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from palacs.campaign._values import check_amount, check_name

# Columns of the history and of exported tables, which a feature must not be mistaken for.
HISTORY_COLUMNS = frozenset(
    (
        *("id", "request_id", "asked", "label", "state", "asked_at", "expires_at", "performed_at"),
        *("told_at", "failed_at", "retracted_at", "reason", "cost", "duration", "utility"),
        *("asked_by", "told_by", "recording", "record"),
    )
)
_FIELDS = ("names", "units", "sampling_rate", "pipeline")


def check_features(features: Any) -> dict[str, Any] | None:
    """Return what is said about the features in its one form, or ``None``.

    Parameters
    ----------
    features : sequence of str, mapping or None
        The names, or any of ``names``, ``units`` (one for each, or one for all),
        ``sampling_rate`` (in Hz) and ``pipeline`` (what extracts them, with its version).

    Examples
    --------
    >>> check_features({"names": ["alpha", "beta"], "units": "µV²", "sampling_rate": 256})
    {'names': ['alpha', 'beta'], 'units': ['µV²', 'µV²'], 'sampling_rate': 256.0}
    """
    if features is None:
        return None
    if not isinstance(features, Mapping):
        features = {"names": features}
    unknown = [str(name) for name in features if name not in _FIELDS]
    if unknown:
        raise ValueError(f"features know no {unknown[0]!r}; give {', '.join(_FIELDS)}.")
    found: dict[str, Any] = {}
    if features.get("names") is not None:
        found["names"] = _names(features["names"])
    if features.get("units") is not None:
        found["units"] = _units(features["units"], found.get("names"))
    if features.get("sampling_rate") is not None:
        found["sampling_rate"] = _rate(features["sampling_rate"])
    if features.get("pipeline") is not None:
        found["pipeline"] = check_name(features["pipeline"], "features['pipeline']")
    return found or None


def check_named(names: Any) -> list[str] | None:
    """Return names of features as a table has them, or ``None``; they may be numbers, as x1 is."""
    if names is None:
        return None
    found = [check_name(name, "feature name") for name in names]
    for name in found:
        if name in HISTORY_COLUMNS or name.startswith("attrs."):
            raise ValueError(
                f"a feature cannot be called {name!r}, which is a column of the history; "
                "rename it, or give the numbers without names."
            )
    if _twins(found):
        twice = next(name for name in found if found.count(name) > 1)
        raise ValueError(f"two features are called {twice!r}; give each its own name.")
    return found


def feature_columns(names: Sequence[str] | None, n_features: int) -> list[str]:
    """Return what the columns of the features are called: their names, else x0, x1, ...

    Instances that were retracted may have had more features than have names.

    Examples
    --------
    >>> feature_columns(["alpha", "x2"], 3), feature_columns(None, 2)
    (['alpha', 'x2', 'x2_'], ['x0', 'x1'])
    """
    found = list(names or ())[:n_features]
    for place in range(len(found), n_features):
        column = f"x{place}"
        while column in (names or ()):
            column += "_"
        found.append(column)
    return found


def _names(names: Any) -> list[str]:
    if isinstance(names, str) or not isinstance(names, Sequence) or not names:
        raise ValueError(f"features['names']={names!r} must be a list, a name for each feature.")
    found = [check_name(name, "feature name") for name in names]
    twice = next((name for name in found if found.count(name) > 1), None) if _twins(found) else None
    if twice is not None:
        raise ValueError(f"two features are called {twice!r}; give each its own name.")
    for place, name in enumerate(found):
        numbered = name[:1] == "x" and name[1:].isdigit() and name != f"x{place}"
        if name in HISTORY_COLUMNS or name.startswith("attrs.") or numbered:
            raise ValueError(
                f"a feature cannot be called {name!r}, which is a column of the history; "
                f"call it {'feature ' + name!r}."
            )
    return found


def _twins(names: list[str]) -> bool:
    return len(set(names)) < len(names)


def _units(units: Any, names: list[str] | None) -> list[str] | str:
    if isinstance(units, str):
        one = check_name(units, "unit")
        return one if names is None else [one] * len(names)
    if not isinstance(units, Sequence) or names is None or len(units) != len(names):
        wanted = "names for the units to belong to" if names is None else f"{len(names)} of them"
        raise ValueError(f"features['units']={units!r} need {wanted}, or give one unit for all.")
    return [check_name(unit, "unit") for unit in units]


def _rate(rate: Any) -> float:
    hertz = check_amount(rate, "features['sampling_rate']")
    if not hertz:
        raise ValueError(f"features['sampling_rate']={rate!r} must be a positive number of Hz.")
    return hertz
