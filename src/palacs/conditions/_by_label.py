"""Values by class label: laid out in the order of the classes, written as JSON and read back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from palacs.checks import Features, check_mapping, check_numbers
from palacs.gain import check_mistakes


def plain_labels(classes: npt.ArrayLike) -> list[Any]:
    """Return labels as Python values."""
    labels: list[Any] = np.asarray(classes).tolist()
    return labels


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


def check_some(shares: Mapping[Any, float], name: str) -> None:
    """Refuse shares that are all zero."""
    if not any(shares.values()):
        raise ValueError(f"{name}={dict(shares)} are all zero; some class must occur.")


def mistakes_of_labels(given: Any, labels: list[Any]) -> Features:
    """Return costs of mistakes as a matrix (n_classes, n_classes); pairs not named cost 1."""
    matrix = 1.0 - np.eye(len(labels))
    if given is not None and not isinstance(given, Mapping):
        return check_mistakes(given, len(labels))
    rows = given or {}
    places = places_of(
        [*rows, *(label for row in rows.values() for label in row)], labels, "mistakes"
    )
    for truth, row in rows.items():
        for decided, cost in row.items():
            matrix[places[truth], places[decided]] = cost
    return check_mistakes(matrix, len(labels))


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
