"""A quick start: a shell loop waits for every command's imports.

scikit-learn imports pandas, scipy.stats and more for functions that no decision calls; together
they take longer than everything else a command does. They are stood in for while it is imported,
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

_HEAVY = ("pandas", "numpy.f2py", "numpy.testing", "scipy.special", "scipy.stats")


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
    with importing():
        missing = [name for name in _HEAVY if name not in sys.modules and find_spec(name)]
        for name in missing:
            sys.modules[name] = StandIn(name)
            _hang_into_package(name, sys.modules[name])
        try:
            import_module("sklearn.utils")
        finally:
            # From here on an import finds the module itself.
            for name in missing:
                if isinstance(sys.modules.get(name), StandIn):
                    del sys.modules[name]
                    _hang_into_package(name, None)
        import_module("palacs.strategies")


def _hang_into_package(name: str, module: ModuleType | None) -> None:
    """Set or take away the attribute of its package that an import would have set."""
    package, _, last = name.rpartition(".")
    if package and module is not None:
        setattr(sys.modules[package], last, module)
    elif package:
        vars(sys.modules[package]).pop(last, None)
