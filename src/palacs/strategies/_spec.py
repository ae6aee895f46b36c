"""Strategies as JSON, so that a record of an experiment or a campaign can rebuild them.

Only names from the table of strategies and estimators of scikit-learn and palacs are rebuilt:
reading a record must not import whatever module its author names.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from palacs.strategies._base import Strategy
from palacs.strategies._table import make, name_of

_TRUSTED_PACKAGES = ("sklearn", "palacs")


def to_spec(strategy: Strategy) -> dict[str, Any]:
    """Describe a strategy as plain JSON values.

    Examples
    --------
    >>> from palacs import PALACS
    >>> from palacs.strategies import to_spec
    >>> to_spec(PALACS(n_pseudo=10, random_state=0))["name"]
    'pal-acs'
    """
    params = strategy.get_params(deep=False)
    return {
        "name": name_of(strategy),
        "params": {key: _encode(value, key) for key, value in params.items()},
    }


def from_spec(spec: Mapping[str, Any]) -> Strategy:
    """Rebuild the strategy that `to_spec` described; without ``params``, with its defaults.

    Examples
    --------
    >>> from palacs.strategies import from_spec
    >>> from_spec({"name": "uniform", "params": {"random_state": 3}})
    UniformSelection(random_state=3)
    """
    name = spec.get("name")
    if not isinstance(name, str):
        raise ValueError(f"the spec {dict(spec)!r} has no 'name'; name a strategy.")
    return make(name, **_decode_params(spec, name))


def _decode_params(spec: Mapping[str, Any], name: str) -> dict[str, Any]:
    params = spec.get("params", {})
    if not isinstance(params, Mapping):
        raise ValueError(f"the params of {name!r} are {params!r}; give an object of parameters.")
    return {key: _decode(value) for key, value in params.items()}


def _encode(value: Any, name: str) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (list, tuple)):
        return [_encode(item, name) for item in value]
    if isinstance(value, np.ndarray):
        return _encode(value.tolist(), name)
    if isinstance(value, Mapping):
        return {"mapping": [[_encode(k, name), _encode(v, name)] for k, v in value.items()]}
    if isinstance(value, BaseEstimator):
        params = value.get_params(deep=False)
        return {
            "estimator": f"{type(value).__module__}:{type(value).__qualname__}",
            "params": {key: _encode(item, key) for key, item in params.items()},
        }
    raise ValueError(
        f"parameter {name}={value!r} cannot be written to a record; use numbers, text, lists, "
        "dictionaries or scikit-learn estimators."
    )


def _decode(value: Any) -> Any:
    if isinstance(value, list):
        return [_decode(item) for item in value]
    if isinstance(value, Mapping):
        if "mapping" in value:
            return {_decode(key): _decode(item) for key, item in value["mapping"]}
        return _decode_estimator(value)
    return value


def _decode_estimator(value: Mapping[str, Any]) -> BaseEstimator:
    if not isinstance(value.get("estimator"), str):
        raise ValueError(
            f"the parameter value {dict(value)!r} has neither 'estimator' nor 'mapping'; write a "
            "dictionary as {'mapping': [[key, value], ...]}."
        )
    module, _, name = value["estimator"].partition(":")
    if module.split(".")[0] not in _TRUSTED_PACKAGES:
        raise ValueError(
            f"the record names the estimator {value['estimator']!r}; only those of "
            f"{' and '.join(_TRUSTED_PACKAGES)} are rebuilt from a record. Pass the strategy in "
            "Python instead."
        )
    estimator = getattr(import_module(module), name, None)
    if not (isinstance(estimator, type) and issubclass(estimator, BaseEstimator)):
        raise ValueError(f"the record names {value['estimator']!r}, which is no estimator.")
    return estimator(**_decode_params(value, name))
