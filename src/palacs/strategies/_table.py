"""The one table of strategies: API, command line, pages and docs all read it.

A third party adds a strategy through an entry point of the group ``palacs.strategies`` that
points to a `StrategyInfo`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib.metadata import entry_points
from inspect import Parameter, signature
from types import MappingProxyType
from typing import Any

from palacs.strategies._balanced_gain import BalancedGain
from palacs.strategies._base import Strategy
from palacs.strategies._counts import ProportionalSelection, RandomSelection, UniformSelection
from palacs.strategies._lomasky import (
    AccuracyImprovement,
    InverseAccuracy,
    Redistricting,
    Risk,
    Sensitivity,
)
from palacs.strategies._palacs import PALACS
from palacs.strategies._spare_settled import SpareSettled

ENTRY_POINT_GROUP = "palacs.strategies"
# What campaigns and comparisons use unless told otherwise; benchmarks/strategies.py says why.
DEFAULT_STRATEGY = "spare-settled"


@dataclass(frozen=True)
class StrategyInfo:
    """One row of the table of strategies.

    Parameters
    ----------
    name : str
        As typed on the command line.
    title : str
        As printed in tables; the paper's spelling where it has one.
    strategy : type[Strategy]
    summary : str
        One line for lists and help texts.
    params : dict
        Parameters that this name fixes.
    colour : str
        As "#rrggbb", the same wherever the strategy is drawn; empty gives one by its title.
    """

    name: str
    title: str
    strategy: type[Strategy]
    summary: str
    params: Mapping[str, Any] = field(default_factory=dict)
    colour: str = ""


_BUILT_IN = (
    StrategyInfo(
        "pal-acs",
        "PAL-ACS",
        PALACS,
        "where one more instance raises accuracy most",
        colour="#d1560a",
    ),
    StrategyInfo(
        "spare-settled",
        "Spare settled",
        SpareSettled,
        "equal counts, but few for classes that are settled",
        colour="#a3123f",
    ),
    StrategyInfo(
        "balanced-gain",
        "Balanced gain",
        BalancedGain,
        "equal counts, bent to where one more instance is worth more",
        colour="#5b2a9d",
    ),
    StrategyInfo(
        "random", "Random", RandomSelection, "each class with equal probability", colour="#7a7f87"
    ),
    StrategyInfo(
        "uniform", "Uniform", UniformSelection, "keeps the class counts equal", colour="#b3568e"
    ),
    StrategyInfo(
        "proportional",
        "Proportional",
        ProportionalSelection,
        "keeps the class counts in given proportions",
        colour="#c58a00",
    ),
    StrategyInfo(
        "inverse",
        "Inverse",
        InverseAccuracy,
        "the less accurate a class, the more often",
        colour="#1273b5",
    ),
    StrategyInfo(
        "inverse-no-repeat",
        "Inverse (no repeat)",
        InverseAccuracy,
        "Inverse, never the same class twice in a row",
        {"allow_repeat": False},
        colour="#4b4fa8",
    ),
    StrategyInfo(
        "improvement",
        "Improvement",
        AccuracyImprovement,
        "the more a class's accuracy rose, the more often",
        colour="#3a9fd6",
    ),
    StrategyInfo(
        "redistricting",
        "Redistricting",
        Redistricting,
        "the more predictions of a class flipped, the more often",
        colour="#0b9b74",
    ),
    StrategyInfo(
        "risk",
        "Risk",
        Risk,
        "the more the error reacts to a class, the more often",
        colour="#8f3b2e",
    ),
    StrategyInfo(
        "sensitivity",
        "Sensitivity",
        Sensitivity,
        "the more decisions react to a class, the more often",
        colour="#6b8e23",
    ),
)


@cache
def available() -> Mapping[str, StrategyInfo]:
    """Return all strategies by command-line name: the built-in ones, then third parties'.

    Examples
    --------
    >>> from palacs.strategies import available
    >>> available()["pal-acs"].title
    'PAL-ACS'
    """
    table = {info.name: info for info in _BUILT_IN}
    for point in entry_points(group=ENTRY_POINT_GROUP):
        info = point.load()
        if not isinstance(info, StrategyInfo):
            raise TypeError(
                f"entry point {point.value!r} gives a {type(info).__name__}; it must point to a "
                "palacs.strategies.StrategyInfo."
            )
        if info.name in table:
            raise ValueError(
                f"entry point {point.value!r} brings a strategy named {info.name!r}, which is "
                "taken; rename it."
            )
        table[info.name] = info
    return MappingProxyType(table)


def find(name: str) -> StrategyInfo:
    """Return the table's row for a strategy's name, as people type it.

    Examples
    --------
    >>> from palacs.strategies import find
    >>> find("Spare settled").name, find("PAL_ACS").name, find("SpareSettled").name
    ('spare-settled', 'pal-acs', 'spare-settled')
    """
    table = available()
    info = table.get(name) or _spellings().get(_plain(name))
    if info is None:
        close = get_close_matches(_plain(name), _spellings(), n=1)
        hint = f"did you mean {_spellings()[close[0]].name!r}? " if close else ""
        raise ValueError(f"there is no strategy {name!r}; {hint}available: {', '.join(table)}.")
    return info


@cache
def _spellings() -> Mapping[str, StrategyInfo]:
    """Return the rows by names, titles and classes without case, blanks and signs."""
    rows = available().values()
    names = [(info.name, info) for info in rows] + [(info.title, info) for info in rows]
    names += [(info.strategy.__name__, info) for info in rows if not info.params]
    # An earlier spelling comes before a later one that looks alike.
    return {_plain(spelling): info for spelling, info in reversed(names)}


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.casefold())


def make(name: str, /, **params: Any) -> Strategy:
    """Make a strategy by its command-line name.

    Raises
    ------
    ValueError
        There is no such strategy or parameter, or a parameter without a default is missing.

    Examples
    --------
    >>> from palacs.strategies import make
    >>> make("inverse-no-repeat", folds=5)
    InverseAccuracy(allow_repeat=False, folds=5)
    """
    info = find(name)
    given = {**info.params, **params}
    known = signature(info.strategy).parameters
    for key in given:
        if key not in known:
            listed = ", ".join(known)
            raise ValueError(f"strategy {name!r} has no parameter {key!r}; it has: {listed}.")
    for key, parameter in known.items():
        if parameter.default is Parameter.empty and key not in given:
            raise ValueError(f"strategy {name!r} needs the parameter {key!r}; give it a value.")
    return info.strategy(**given)


def name_of(strategy: Strategy) -> str:
    """Return the command-line name under which a strategy is listed."""
    params = strategy.get_params(deep=False)
    rows = [info for info in available().values() if info.strategy is type(strategy)]
    # The name that fixes most parameters is the most specific.
    for info in sorted(rows, key=lambda info: -len(info.params)):
        if all(params[key] == value for key, value in info.params.items()):
            return info.name
    raise ValueError(
        f"{type(strategy).__name__} is not in the table of strategies; list it through the "
        f"entry point group {ENTRY_POINT_GROUP!r}."
    )
