"""Checking and writing the values that conditions are made of; every error names the value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from palacs._mistakes import check_mistakes
from palacs._validation import Features


def plain_labels(classes: npt.ArrayLike) -> list[Any]:
    """Return labels as Python values."""
    labels: list[Any] = np.asarray(classes).tolist()
    return labels


def check_mapping(given: Any, name: str) -> dict[Any, Any]:
    """Return a mapping by Python labels, not empty."""
    if not isinstance(given, Mapping) or not given:
        raise ValueError(f"{name} must map labels to values, got {given!r}.")
    return {
        label.item() if isinstance(label, np.generic) else label: v for label, v in given.items()
    }


def check_number(value: Any, name: str, *, or_zero: bool = False) -> float:
    """Return a finite positive number, or zero where that is allowed."""
    usable = isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)
    if not usable or value < 0 or (value == 0 and not or_zero):
        bound = "not negative" if or_zero else "positive"
        raise ValueError(f"{name} must be a finite number, {bound}, got {value!r}.")
    return float(value)


def check_numbers(given: Any, name: str, *, or_zero: bool = False) -> dict[Any, float]:
    """Return label -> number, each checked."""
    return {
        label: check_number(value, f"{name}[{label!r}]", or_zero=or_zero)
        for label, value in check_mapping(given, name).items()
    }


def plain_mistakes(given: Any) -> Any:
    """Return costs of mistakes as nested dictionaries or tuples, checked."""
    if isinstance(given, Mapping):
        return {
            truth: check_numbers(row, f"mistakes[{truth!r}]", or_zero=True)
            for truth, row in check_mapping(given, "mistakes").items()
        }
    matrix = check_mistakes(given, len(given) if hasattr(given, "__len__") else 0)
    return tuple(tuple(row) for row in matrix.tolist())


def places_of(named: Iterable[Any], labels: list[Any], name: str) -> dict[Any, int]:
    """Return the position among the classes of each label that is named."""
    places = {label: place for place, label in enumerate(labels)}
    for label in named:
        if label not in places:
            raise ValueError(
                f"{name} name {label!r}, which is not one of the classes {labels[:8]}; correct it "
                "or add the class."
            )
    return places


def spread(given: Mapping[Any, float], labels: list[Any], name: str) -> Features:
    """Return one number per class: those named, and their average for the others."""
    values = np.full(len(labels), sum(given.values()) / len(given))
    places = places_of(given, labels, name)
    for label, value in given.items():
        values[places[label]] = value
    return values


def to_pairs(given: Mapping[Any, Any]) -> Any:
    """Return an object where all labels are text, else pairs: JSON knows no other keys."""
    if all(isinstance(label, str) for label in given):
        return dict(given)
    return [[label, value] for label, value in given.items()]


def from_pairs(given: Any) -> Any:
    """Undo `to_pairs`."""
    pairs = isinstance(given, list) and all(isinstance(p, list) and len(p) == 2 for p in given)
    return dict(given) if pairs else given


def mistakes_from_pairs(given: Any) -> Any:
    """Undo `to_pairs` for costs of mistakes."""
    # A matrix is a list of rows of numbers; pairs hold a label and a row of pairs.
    if isinstance(given, Mapping):
        return {truth: from_pairs(row) for truth, row in given.items()}
    if isinstance(given, list) and all(
        isinstance(p, list) and len(p) == 2 and isinstance(p[1], (list, Mapping)) for p in given
    ):
        return {truth: from_pairs(row) for truth, row in given}
    return given
