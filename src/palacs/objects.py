"""Objects that somebody wrote: found by where they stand, and described so that edits show.

A model, a source or an extractor may stand in a file of the working directory, which need not be
installed: its code travels to other processes with it. What a record says about one has to differ
when its parameters or its code do.
"""

from __future__ import annotations

import hashlib
import re
import sys
import sysconfig
from collections.abc import Iterator
from importlib import import_module, util
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

__all__ = ["describe_object", "object_at", "packed", "seeded"]

_DIGITS = 12
# scikit-learn takes seeds below this.
_SEEDS = 2**32
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def object_at(path: str, what: str = "an object") -> Any:
    """Return what stands at FILE.py:NAME or MODULE:NAME, looked for in the working directory too.

    Parameters
    ----------
    path : str
    what : str
        What is wanted, for the message where it cannot be had.

    Raises
    ------
    ValueError
        There is no such file, module or name, or its code fails; it says which.

    Examples
    --------
    >>> from palacs.objects import object_at
    >>> object_at("math:pi")
    3.141592653589793
    """
    where, _, name = path.rpartition(":")
    try:
        module = _module(where)
    except Exception as error:
        # The file is somebody's own code and may fail in any way.
        kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
        raise ValueError(
            f"cannot read {what} from {path!r} ({kind}{error}); give FILE.py:NAME or MODULE:NAME."
        ) from error
    if hasattr(module, name):
        return getattr(module, name)
    own = [key for key in vars(module) if not key.startswith("_")][:10]
    raise ValueError(f"{path!r}: there is no {name!r}; there is {', '.join(own) or 'nothing'}.")


def describe_object(thing: Any, text: str | None = None) -> str:
    """Describe an object: class, parameters that differ from the defaults, digest of own code.

    Parameters
    ----------
    thing : estimator, function or any object
    text : str or None
        What it calls itself; by default its `repr`, in which scikit-learn prints the parameters
        that differ from the defaults, nested ones too.

    Examples
    --------
    >>> from palacs.objects import describe_object
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> describe_object(KNeighborsClassifier(n_neighbors=3))
    'sklearn.neighbors._classification.KNeighborsClassifier(n_neighbors=3)'
    """
    if isinstance(thing, FunctionType):
        text = f"{thing.__module__}.{thing.__qualname__}" if text is None else text
    else:
        text = f"{type(thing).__module__}.{repr(thing) if text is None else text}"
    text = _ADDRESS.sub("", " ".join(text.split()))
    parts = list(_parts(thing))
    if "..." in text:
        text += f" in full {_digest(_in_full(parts))}"
    own = sorted({code for _, value in parts if (code := _own_code(value))})
    return text + "".join(f" code {_digest(code)}" for code in own)


def seeded(model: Any, seed: int) -> Any:
    """Return an estimator with every seed that was left open set, so that it can be fitted again.

    Examples
    --------
    >>> from palacs.objects import seeded
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> seeded(DecisionTreeClassifier(), 7).random_state
    7
    """
    from sklearn.base import clone

    open_seeds = {
        key: seed % _SEEDS
        for key, value in sorted(model.get_params(deep=True).items())
        if value is None and (key == "random_state" or key.endswith("__random_state"))
    }
    return clone(model).set_params(**open_seeds) if open_seeds else model


def _module(where: str) -> ModuleType:
    file = Path(where if where.endswith(".py") else f"{where.replace('.', '/')}.py")
    if file.is_file():
        return _load(file)
    if where.endswith(".py") or not where:
        raise ValueError(f"there is no file {file} (looked in {file.absolute().parent})")
    _look_in(Path.cwd())
    return import_module(where)


class _AsWritten(SourceFileLoader):
    """Reads a file itself: Python takes its translation of a second ago for that of an edit."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


def _load(file: Path) -> ModuleType:
    """Run a file as a module that travels to other processes by value."""
    # Not its bare name: a file may be called like a module that is there already.
    name, path = f"palacs_model_{file.stem}", str(file.absolute())
    spec = util.spec_from_file_location(name, path, loader=_AsWritten(name, path))
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    _look_in(file.absolute().parent)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    for pickler in _picklers():
        pickler.register_pickle_by_value(module)
    return module


def _picklers() -> list[ModuleType]:
    # joblib, which comes with scikit-learn, brings one or the other.
    names = ("cloudpickle", "joblib.externals.cloudpickle")
    return [import_module(name) for name in names if util.find_spec(name) is not None]


def packed(thing: Any) -> bytes:
    """Return an object as bytes for another process; what somebody wrote travels by value.

    Examples
    --------
    >>> import pickle
    >>> from palacs.objects import packed
    >>> pickle.loads(packed(lambda: 7))()
    7
    """
    found: bytes = _picklers()[0].dumps(thing)
    return found


def _look_in(folder: Path) -> None:
    # Workers take over where modules are looked for. Last: a file here may be called json.py.
    if str(folder) not in sys.path:
        sys.path.append(str(folder))


def _parts(estimator: Any) -> Iterator[tuple[str, Any]]:
    """Yield the estimator and all its parameters, nested ones by their long names."""
    yield "", estimator
    if hasattr(estimator, "get_params"):
        yield from sorted(estimator.get_params(deep=True).items())


def _in_full(parts: list[tuple[str, Any]]) -> bytes:
    """Return the parameters that hold no others, none of them cut short."""
    with np.printoptions(threshold=sys.maxsize):
        leaves = [f"{key}={value!r}" for key, value in parts if not hasattr(value, "get_params")]
    return _ADDRESS.sub("", "\n".join(leaves)).encode()


def _own_code(value: Any) -> bytes:
    """Return the code behind a function or an object's class; nothing of what is installed."""
    made = value if isinstance(value, (type, FunctionType)) else type(value)
    module = sys.modules.get(made.__module__)
    file = getattr(made, "__globals__", vars(module) if module else {}).get("__file__")
    if file is not None:
        return b"" if _installed(Path(file)) else Path(file).read_bytes()
    if isinstance(made, FunctionType):
        code = made.__code__
        return code.co_code + _ADDRESS.sub("", repr((code.co_consts, code.co_names))).encode()
    return b""


def _installed(file: Path) -> bool:
    homes = (*map(Path, sysconfig.get_paths().values()), Path(__file__).parent)
    return not file.is_file() or any(file.resolve().is_relative_to(h.resolve()) for h in homes)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:_DIGITS]
