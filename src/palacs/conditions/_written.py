"""Conditions as JSON, and back; a subclass is named so that a record finds it again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from importlib.metadata import entry_points
from typing import Any

from palacs.conditions._by_label import from_pairs, mistakes_from_pairs, to_pairs
from palacs.conditions._dirichlet import DirichletGuess

ENTRY_POINT_GROUP = "palacs.conditions"
_KIND = "kind"
# In the metadata of a field that maps labels: JSON keeps no labels but text as keys.
BY_LABEL = {"by_label": True}


def by_label(kind: type[Any]) -> list[str]:
    """Return the fields of some conditions that map labels to values."""
    return [each.name for each in fields(kind) if each.metadata.get("by_label")]


def write_conditions(conditions: Any, base: type[Any]) -> dict[str, Any]:
    """Return the fields that are set as JSON values."""
    plain: dict[str, Any] = {}
    if type(conditions) is not base:
        plain[_KIND] = type(conditions).__name__
    for each in fields(conditions):
        value = getattr(conditions, each.name)
        if value is None:
            continue
        if isinstance(value, DirichletGuess):
            plain["dirichlet"] = to_pairs(value.concentration)
        elif each.name == "mistakes" and isinstance(value, Mapping):
            plain["mistakes"] = to_pairs({label: to_pairs(row) for label, row in value.items()})
        elif isinstance(value, Mapping):
            plain[each.name] = to_pairs(value)
        else:
            plain[each.name] = [list(row) for row in value] if each.name == "mistakes" else value
    return plain


def read_conditions(plain: Mapping[str, Any], base: type[Any]) -> Any:
    """Return the conditions that JSON values describe, checked."""
    if not isinstance(plain, Mapping):
        raise ValueError(f"conditions must be an object of fields, got {plain!r}.")
    kind = _kind_of(plain, base)
    known = [each.name for each in fields(kind)]
    unknown = set(plain) - {*known, "dirichlet", _KIND}
    if unknown:
        raise ValueError(
            f"conditions name {sorted(map(str, unknown))[0]!r}, which is no field; the fields "
            f"are {', '.join(known)}, and dirichlet for uncertain proportions."
        )
    values = {name: plain[name] for name in known if plain.get(name) is not None}
    for name in by_label(kind):
        if name in values:
            values[name] = from_pairs(values[name])
    if "mistakes" in values:
        values["mistakes"] = mistakes_from_pairs(values["mistakes"])
    if plain.get("dirichlet") is not None:
        if "proportions" in values:
            raise ValueError(
                "conditions give both proportions and dirichlet; give known numbers or an "
                "uncertain guess, not both."
            )
        values["proportions"] = DirichletGuess(from_pairs(plain["dirichlet"]))
    return kind(**values)


def _kind_of(plain: Mapping[str, Any], base: type[Any]) -> type[Any]:
    """Return the class that wrote the conditions: ours, or one an entry point names."""
    name = plain.get(_KIND)
    if name is None or name == base.__name__:
        return base
    for point in entry_points(group=ENTRY_POINT_GROUP):
        if point.name == name:
            found = point.load()
            if isinstance(found, type) and issubclass(found, base):
                return found
            raise TypeError(
                f"entry point {point.value!r} gives {found!r}; it must point to a subclass of "
                "palacs.Conditions."
            )
    raise ValueError(
        f"the conditions are of the kind {name!r}, which is not installed; install the package "
        f"that brings it (entry point group {ENTRY_POINT_GROUP!r})."
    )
