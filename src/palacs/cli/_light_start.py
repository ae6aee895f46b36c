"""A quick start: a shell loop waits for every command's imports.

scikit-learn imports pandas and scipy.stats for functions that no decision calls; together they
take longer than everything else a command does. Both are stood in for while it is imported,
and loaded if somebody does need them.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

_HEAVY = ("pandas", "scipy.stats")


@contextmanager
def importing() -> Iterator[None]:
    """Look for no garbage among what is imported: modules stay until the end."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


class StandIn(ModuleType):
    """A module that is loaded when something in it is first looked at."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        if self.__name__ not in sys.modules:
            with importing():
                import_module(self.__name__)
        return getattr(sys.modules[self.__name__], name)


def import_decisions() -> None:
    """Import what a decision needs, and leave out what it does not."""
    missing = [name for name in _HEAVY if name not in sys.modules and find_spec(name)]
    for name in missing:
        sys.modules[name] = StandIn(name)
    with importing():
        try:
            import_module("sklearn.utils")
        finally:
            # From here on an import finds the module itself.
            for name in missing:
                if isinstance(sys.modules.get(name), StandIn):
                    del sys.modules[name]
        import_module("palacs.strategies")
