"""Every check of what somebody passes in: a message names the value and the remedy.

Also the one place that knows scikit-learn's private validation of parameters; estimators describe
theirs with the constraints exported here.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from functools import cache, lru_cache
from math import isfinite
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse
from sklearn.base import (
    RegressorMixin,
    is_classifier,
    is_clusterer,
    is_outlier_detector,
    is_regressor,
)
from sklearn.utils import check_array
from sklearn.utils._param_validation import (
    HasMethods,
    Interval,
    InvalidParameterError,
    StrOptions,
    make_constraint,
)

__all__ = [
    "BANDWIDTH_OR_AUTO",
    "Bandwidth",
    "ClassifierWith",
    "Codes",
    "Features",
    "InvalidParameterError",
    "StrOptions",
    "Whole",
    "check_bandwidth",
    "check_bandwidth_or_auto",
    "check_codes",
    "check_count",
    "check_features",
    "check_label_items",
    "check_mapping",
    "check_number",
    "check_numbers",
    "parameters_allowed",
    "stays_single",
]

Features = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]


class Whole(Interval):
    """A whole number from ``low`` on, up to ``high`` where given: no True, no 3.0."""

    def __init__(self, low: int, high: int | None = None) -> None:
        super().__init__(Integral, low, high, closed="left" if high is None else "both")

    def is_satisfied_by(self, val: Any) -> bool:
        """Whether the value is allowed; True is no number here."""
        return not isinstance(val, (bool, np.bool_)) and bool(super().is_satisfied_by(val))


class _Number(Interval):
    """A number from ``low`` to ``high``: no True."""

    def __init__(self, low: float, high: float) -> None:
        super().__init__(Real, low, high, closed="both")

    def is_satisfied_by(self, val: Any) -> bool:
        """Whether the value is allowed; True is no number here."""
        return not isinstance(val, (bool, np.bool_)) and bool(super().is_satisfied_by(val))


class ClassifierWith(HasMethods):
    """A classifier with these methods: an object, not its class; nothing of another kind."""

    def __init__(self, *methods: str) -> None:
        super().__init__(list(methods))

    def is_satisfied_by(self, val: Any) -> bool:
        """Whether the value is allowed."""
        if isinstance(val, (type, RegressorMixin)):
            return False
        if hasattr(val, "__sklearn_tags__"):
            if is_classifier(val):
                # Whatever else it can do, a classifier predicts, some once they are fitted.
                return all(hasattr(val, method) for method in self.methods if method != "predict")
            if is_regressor(val) or is_clusterer(val) or is_outlier_detector(val):
                return False
        return bool(super().is_satisfied_by(val))

    def __str__(self) -> str:
        """Say what is allowed."""
        return f"a classifier with {' and '.join(self.methods)} (made, not only its class)"


# Between these its square is still a number.
BANDWIDTHS = _Number(1e-100, 1e100)
Bandwidth = float | Literal["auto"]
# What an estimator's parameter ``bandwidth`` may be.
BANDWIDTH_OR_AUTO = [BANDWIDTHS, StrOptions({"auto"})]


# Where there are more rows and columns than these, doubling their memory would be noticed.
_FEW_ROWS, _FEW_COLUMNS = 4_000, 24


def stays_single(X: npt.NDArray[Any]) -> bool:
    """Say whether float32 features (n, d) stay what they are: where there are many of them."""
    large = X.ndim == 2 and X.shape[0] > _FEW_ROWS and X.shape[1] > _FEW_COLUMNS
    return bool(X.dtype == np.float32 and large)


def check_features(
    X: npt.ArrayLike, name: str = "X", *, allow_empty: bool = False, single: bool = False
) -> Features:
    """Return X as a C-ordered float64 array of shape (n, d), all finite.

    With ``single``, many float32 numbers stay float32.
    """
    if issparse(X):
        raise ValueError(f"{name} is sparse; palacs takes dense arrays: {name}.toarray().")
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        place = np.argwhere(np.ma.getmaskarray(X))[0].tolist()
        raise ValueError(
            f"{name} has a masked value at {place}; fill it ({name}.filled), or leave its instance "
            "out."
        )
    try:
        X = np.asarray(X)
    except ValueError:
        raise ValueError(
            f"{name} has rows of different lengths; give every instance the same features."
        ) from None
    if X.dtype.kind in "US":
        raise ValueError(
            f"{name} holds the text {X.flat[0].item()!r}; features are numbers: encode text "
            "first (sklearn.preprocessing.OneHotEncoder)."
        )
    if allow_empty and X.shape[:1] == (0,):
        return np.zeros((0, X.shape[1] if X.ndim == 2 else 0))
    if X.ndim != 2:
        raise ValueError(
            f"{name} has shape {X.shape}; give one row of features per instance, shape "
            "(n_instances, n_features)."
        )
    checked: Features
    # check_array takes as long as a usual decision.
    kept = np.float32 if single and stays_single(X) else np.float64
    if X.dtype == kept and X.flags.c_contiguous and X.size:
        checked = X
    else:
        checked = check_array(X, dtype=kept, order="C", ensure_all_finite=False, input_name=name)
    finite = np.isfinite(checked)
    if not finite.all():
        row, column = (int(i) for i in np.argwhere(~finite)[0])
        raise ValueError(
            f"{name} holds {checked[row, column]} in row {row}, column {column}; "
            "remove or repair that instance first (palacs accepts finite numbers only)."
        )
    return checked


def check_codes(y: npt.ArrayLike, n_rows: int, n_classes: int) -> Codes:
    """Return y as int64 class codes of shape (n_rows,), each in 0, ..., n_classes - 1."""
    codes = np.asarray(y)
    if codes.shape != (n_rows,):
        raise ValueError(
            f"y has shape {codes.shape}, but X has {n_rows} rows; give one class code per row."
        )
    if n_rows == 0:
        return np.zeros(0, dtype=np.int64)
    if codes.dtype.kind not in "iu":
        raise ValueError(
            f"y holds {codes.dtype} values; give whole class codes from 0 to {n_classes - 1} "
            "(numpy.unique(labels, return_inverse=True) makes them)."
        )
    if codes.min() < 0 or codes.max() >= n_classes:
        wrong = codes[(codes < 0) | (codes >= n_classes)][0]
        raise ValueError(
            f"y holds class code {wrong}; with n_classes={n_classes} the codes run from 0 to "
            f"{n_classes - 1}."
        )
    return codes.astype(np.int64, copy=False)


def check_bandwidth(bandwidth: Any) -> float:
    """Return the bandwidth as a positive float."""
    if isinstance(bandwidth, bool) or not isinstance(bandwidth, (int, float, np.number)):
        raise ValueError(f"bandwidth must be a number, got {bandwidth!r}; the paper's is 0.05.")
    if float(bandwidth) not in BANDWIDTHS:
        raise ValueError(
            f"bandwidth must be positive and finite, got {bandwidth!r}; the paper's is 0.05 for "
            "features scaled to [0, 1]."
        )
    return float(bandwidth)


def check_bandwidth_or_auto(bandwidth: Any) -> Bandwidth:
    """Return the bandwidth as a positive float, or "auto" as it is."""
    if isinstance(bandwidth, str):
        if bandwidth != "auto":
            raise ValueError(
                f'bandwidth must be a number or "auto", got {bandwidth!r}; the paper\'s is 0.05.'
            )
        return "auto"
    return check_bandwidth(bandwidth)


def check_count(value: Any, name: str, *, minimum: int = 1) -> int:
    """Return a whole number of at least ``minimum``."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < minimum:
        raise ValueError(f"{name} must be a whole number of at least {minimum}, got {value!r}.")
    return int(value)


def check_label_items(items: Iterable[Any], name: str) -> None:
    """Refuse missing labels, and text mixed with numbers."""
    text = number = None
    for item in items:
        # pandas' NA is neither equal nor unequal to itself.
        if item is None or type(item).__name__ == "NAType" or item != item:
            raise ValueError(
                f"{name} holds a missing label ({item!r}); name its class or leave it out."
            )
        if isinstance(item, (str, bytes)):
            text = item
        else:
            number = item
    if text is not None and number is not None:
        raise ValueError(
            f"{name} holds the text {text!r} and the number {number!r}; labels must be all text or "
            "all numbers."
        )


def check_mapping(given: Any, name: str) -> dict[Any, Any]:
    """Return a mapping by Python labels, not empty."""
    if not isinstance(given, Mapping) or not given:
        raise ValueError(f"{name} must map labels to values, got {given!r}.")
    return {
        label.item() if isinstance(label, np.generic) else label: v for label, v in given.items()
    }


def check_number(value: Any, name: str, *, or_zero: bool = False) -> float:
    """Return a finite positive number, or zero where that is allowed."""
    try:
        usable = isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)
    except (OverflowError, TypeError):  # too large; a duration of NumPy's
        usable = False
    if not usable or value < 0 or (value == 0 and not or_zero):
        bound = "not negative" if or_zero else "positive"
        raise ValueError(f"{name} must be a finite number, {bound}, got {value!r}.")
    return float(value)


def check_numbers(given: Any, name: str, *, or_zero: bool = False) -> dict[Any, float]:
    """Return label -> number, each checked."""
    return {
        label: check_number(value, f"{name}[{label!r}]", or_zero=or_zero)
        for label, value in check_mapping(given, name).items()
    }


def parameters_allowed(estimator: Hashable, params: Mapping[str, Any]) -> bool:
    """Whether parameters fit an estimator's constraints, at the pace of a decision."""
    try:
        # The type belongs to the key: 1, 1.0 and True are equal and not all allowed.
        return _remembered(estimator, tuple((k, type(v), v) for k, v in params.items()))
    except TypeError:  # a value that cannot be hashed
        return _satisfied(estimator, params)


@lru_cache(maxsize=256)
def _remembered(estimator: Hashable, params: tuple[tuple[str, type[Any], Any], ...]) -> bool:
    return _satisfied(estimator, {name: value for name, _, value in params})


def _satisfied(estimator: Any, params: Mapping[str, Any]) -> bool:
    return all(
        any(constraint.is_satisfied_by(params[name]) for constraint in constraints)
        for name, constraints in _constraints(estimator).items()
        if name in params
    )


@cache
def _constraints(estimator: Any) -> dict[str, list[Any]]:
    return {
        name: [make_constraint(constraint) for constraint in constraints]
        for name, constraints in estimator._parameter_constraints.items()
        if isinstance(constraints, list)  # else the text "no_validation"
    }
