"""A quick start: a shell loop waits for every command's imports.

scikit-learn imports pandas, scipy.stats and more for functions that no decision calls; together
they take longer than everything else a command does. They are stood in for while it is imported,
and loaded if somebody does need them.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

# Packages before what is in them: where a package is stood in for, so is what is in it.
_HEAVY = (
    "pandas",
    "numpy.f2py",
    "numpy.testing",
    "scipy.sparse.csgraph",
    "scipy.sparse.linalg",
    "scipy.special",
    "scipy.stats",
    "narwhals",
    "narwhals.stable",
    "narwhals.stable.v2",
    "yaml",
)
# What scikit-learn takes out of them while it is imported, and calls much later.
_FUNCTIONS = {"scipy.sparse.csgraph": ("laplacian",), "scipy.sparse.linalg": ("cg",)}


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
        if name == "__path__" and self.__name__ in _FUNCTIONS:
            raise AttributeError(name)  # `from` asks for it, and needs the function only
        if name == "__version__" and self.__name__ == "pandas":
            return import_module("importlib.metadata").version("pandas")  # older scikit-learn asks
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        if self.__name__ not in sys.modules:
            with importing():
                import_module(self.__name__)
        return getattr(sys.modules[self.__name__], name)


def import_decisions() -> None:
    """Import what a decision needs, and leave out what it does not."""
    # Threads of a library for matrices that wait for work burn processor time before they sleep.
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
    with importing():
        missing = [name for name in _HEAVY if name not in sys.modules and _stand_in(name)]
        try:
            import_module("sklearn.utils")
            import_module("numba")
        finally:
            # From here on an import finds the module itself.
            for name in reversed(missing):
                if isinstance(sys.modules.get(name), StandIn):
                    del sys.modules[name]
                    _hang_into_package(name, None)
        import_module("palacs.strategies")


def _stand_in(name: str) -> bool:
    """Put a module's stand-in where an import looks for it, if the module can be had."""
    package, _, _ = name.rpartition(".")
    if not isinstance(sys.modules.get(package), StandIn) and not _there(name):
        return False
    module = sys.modules[name] = StandIn(name)
    for function in _FUNCTIONS.get(name, ()):
        setattr(module, function, _later(name, function))
    _hang_into_package(name, sys.modules[name])
    return True


def _there(name: str) -> bool:
    with suppress(ModuleNotFoundError):  # its package is not there either
        return find_spec(name) is not None
    return False


def _later(module: str, function: str) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        return getattr(import_module(module), function)(*args, **kwargs)

    return call


def _hang_into_package(name: str, module: ModuleType | None) -> None:
    """Set or take away the attribute of its package that an import would have set."""
    package, _, last = name.rpartition(".")
    if package and module is not None:
        setattr(sys.modules[package], last, module)
    elif package:
        vars(sys.modules[package]).pop(last, None)
