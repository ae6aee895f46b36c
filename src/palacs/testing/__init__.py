"""Contract suites: what every strategy, storage and source promises, as checks anyone can run.

Neither pytest nor any extra is needed for strategies; the suites for storages and sources are
imported when they are first used. A third-party strategy is checked in one line:

>>> from palacs.strategies import UniformSelection
>>> from palacs.testing import check_strategy
>>> check_strategy(UniformSelection())
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from palacs.extras import need
from palacs.testing._strategies import StrategyCheck, check_strategy, strategy_checks

if TYPE_CHECKING:
    from palacs.testing._sources import check_source
    from palacs.testing._storages import STORAGE_CHECKS, check_storage

__all__ = [
    "STORAGE_CHECKS",
    "StrategyCheck",
    "check_source",
    "check_storage",
    "check_strategy",
    "strategy_checks",
]


def __getattr__(name: str) -> Any:
    homes = {
        "STORAGE_CHECKS": "_storages",
        "check_storage": "_storages",
        "check_source": "_sources",
    }
    if name not in homes:
        raise AttributeError(f"module 'palacs.testing' has no attribute {name!r}")
    need("campaign", f"palacs.testing.{name}")
    return getattr(import_module(f"palacs.testing.{homes[name]}"), name)
