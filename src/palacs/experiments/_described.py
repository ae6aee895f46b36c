"""What a folder's settings say about a model: enough to notice that it is another one.

scikit-learn's own words are cut where they are long, and say nothing of the code behind a class
or function of one's own, which may be edited between two runs.
"""

from __future__ import annotations

import hashlib
import re
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from palacs.experiments import paper
from palacs.experiments._as_given import AsGiven
from palacs.strategies import PALACS

_DIGITS = 12
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def describe(estimator: BaseEstimator) -> str:
    """Describe an estimator, with all parameters that differ from the defaults.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> describe(KNeighborsClassifier(n_neighbors=3))
    'sklearn.neighbors._classification.KNeighborsClassifier(n_neighbors=3)'
    """
    if isinstance(estimator, AsGiven):
        return ("" if estimator.given.scaled else "not scaled: ") + describe(estimator.model)
    # scikit-learn prints the parameters that differ from the defaults, nested ones too.
    text = _as_first_recorded(estimator) if type(estimator) is PALACS else repr(estimator)
    text = _ADDRESS.sub("", " ".join(f"{type(estimator).__module__}.{text}".split()))
    parts = list(_parts(estimator))
    if "..." in text:
        text += f" in full {_digest(_in_full(parts))}"
    own = sorted({code for _, value in parts if (code := _own_code(value))})
    return public_names(text + "".join(f" code {_digest(code)}" for code in own))


def public_names(text: str) -> str:
    """Name this package's classes without private modules, which may move.

    Examples
    --------
    >>> public_names("palacs.strategies._palacs.PALACS(bandwidth='auto')")
    "palacs.strategies.PALACS(bandwidth='auto')"
    """
    return re.sub(r"\b(palacs(?:\.[a-z]\w*)*)(?:\._\w+)+\.(?=[A-Z])", r"\1.", text)


def _as_first_recorded(strategy: PALACS) -> str:
    """Describe PAL-ACS as folders do since 0.05 was its default bandwidth, or none would go on."""
    defaults = {**PALACS().get_params(deep=False), "bandwidth": paper.BANDWIDTH}
    params = sorted(strategy.get_params(deep=False).items())
    changed = [f"{key}={value!r}" for key, value in params if value != defaults[key]]
    return f"PALACS({', '.join(changed)})"


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
    homes = (*map(Path, sysconfig.get_paths().values()), Path(__file__).parent.parent)
    return not file.is_file() or any(file.resolve().is_relative_to(h.resolve()) for h in homes)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:_DIGITS]
