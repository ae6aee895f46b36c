"""Checking what comes in, before anything is written.

Labels, feature vectors and numbers arrive from instruments, files and people. Each function
either returns the one form the record keeps, or raises an error that names the value and
says what to do.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt

from palacs.campaign._campaign_errors import DoesNotFit
from palacs.storage import Label

Vector = npt.NDArray[np.float64]

MOST_FEATURES = 1_000_000
LONGEST_LEASE_S = 100 * 365.25 * 86400
LARGEST = 1e300  # beyond this the width of a feature's range is no longer a float64


def check_name(name: Any, what: str = "campaign name") -> str:
    """Return the name of a campaign or the id of an instance: 1 to 200 printable characters."""
    if not isinstance(name, str) or not name.strip() or not name.isprintable() or len(name) > 200:
        raise ValueError(f"{what} {brief(name)} is not usable; give 1 to 200 printable characters.")
    return name


def check_label(label: Any) -> Label:
    """Return a class label as plain ``str`` or ``int``."""
    if isinstance(label, (np.str_, str)):
        text = str(label)
        if not text.strip() or not text.isprintable() or len(text) > 200:
            raise ValueError(
                f"class label {brief(text)} is not usable; give 1 to 200 printable characters."
            )
        return text
    if isinstance(label, (int, np.integer)) and not isinstance(label, (bool, np.timedelta64)):
        if not -(2**63) <= int(label) < 2**63:
            raise ValueError(f"class label {brief(label)} is too large; use text instead.")
        return int(label)
    raise ValueError(
        f"class label {brief(label)} is neither text nor an integer; convert it first."
    )


def check_classes(classes: Iterable[Any]) -> tuple[Label, ...]:
    """Return at least two different labels of one type, in the order given."""
    if isinstance(classes, str):
        raise ValueError(
            f"classes={brief(classes)} is one text; give a list such as ['rest', 'left']."
        )
    if not isinstance(classes, Iterable):
        raise ValueError(f"classes={brief(classes)} is no list; give one such as ['rest', 'left'].")
    labels = tuple(check_label(label) for label in classes)
    if len(set(labels)) != len(labels):
        twice = next(label for label in labels if labels.count(label) > 1)
        raise ValueError(f"class {twice!r} is named twice; give each class once.")
    if len({type(label) for label in labels}) > 1:
        raise ValueError(f"classes {brief(list(labels))} mix text and integers; use one of them.")
    if len(labels) < 2:
        raise ValueError(
            f"classes={list(labels)!r} leaves nothing to choose; give at least two classes."
        )
    return labels


_BEFORE_TELLING = "repeat the recording, fail the request, or fill in missing values before telling"


def check_vector(x: Any, n_features: int | None = None, remedy: str = _BEFORE_TELLING) -> Vector:
    """Return a feature vector of shape (n_features,), finite, as float64.

    Minus zero becomes zero, so that the same values always have the same bytes.
    """
    array = _array(x, "x", "a list of numbers")
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"x has shape {array.shape}; give one instance as a flat list of numbers.")
    vector = _as_numbers(array, "x")
    bad = ~(np.abs(vector) <= LARGEST)
    if bad.any():
        place = int(np.argmax(bad))
        raise ValueError(
            f"x[{place}]={vector[place]} is not a usable number, which is at most {LARGEST:g}; "
            f"{remedy}."
        )
    if n_features is not None and vector.size != n_features:
        raise DoesNotFit(
            f"x has {vector.size} features, but this campaign's instances have {n_features}; where "
            "those in the record are the wrong ones, retract them first."
        )
    return vector + 0.0


def _array(given: Any, name: str, wanted: str) -> npt.NDArray[Any]:
    if np.ma.isMaskedArray(given) and np.ma.getmaskarray(given).any():
        place = int(np.argmax(np.ma.getmaskarray(given)))
        raise ValueError(
            f"{name}[{place}] is masked, so its value is missing; fail the request, or fill it in "
            "before telling."
        )
    try:
        return np.asarray(given)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise ValueError(f"{name}={brief(given)} is not {wanted}: {error}.") from error


def _as_numbers(array: npt.NDArray[Any], name: str) -> Vector:
    """Return real numbers as float64; dates, text, complex and missing values are none."""
    if array.dtype.kind in "biuf":
        with np.errstate(over="ignore"):
            return array.astype(np.float64)
    numbers = [_real(value, f"{name}[{place}]") for place, value in enumerate(array.flat)]
    return np.array(numbers, dtype=np.float64).reshape(array.shape)


def _real(value: Any, name: str) -> float:
    # Decimal is a number that Python does not call real, a duration of NumPy's is none.
    if isinstance(value, (Real, Decimal)) and not isinstance(value, np.timedelta64):
        try:
            return float(value)
        except (OverflowError, ValueError):
            pass  # too large, or a signalling NaN
    raise ValueError(
        f"{name}={brief(value)} is a {type(value).__name__}, not a usable number, so this is not a "
        "list of numbers; convert or fill in what is missing before telling."
    )


def check_bounds(bounds: Any) -> list[list[float]] | None:
    """Return declared bounds as ``[[low, high], ...]``; one pair stands for all features."""
    if bounds is None:
        return None
    pairs = np.atleast_2d(_as_numbers(_array(bounds, "bounds", "pairs of numbers"), "bounds"))
    if pairs.ndim != 2 or pairs.shape[1] != 2 or len(pairs) == 0:
        raise ValueError(
            f"bounds have shape {pairs.shape}; give (low, high), or one such pair per feature."
        )
    if not (np.abs(pairs) <= LARGEST).all() or not (pairs[:, 0] < pairs[:, 1]).all():
        raise ValueError(f"bounds={brief(bounds)} need finite low < high in every pair.")
    return [[float(low), float(high)] for low, high in pairs]


def check_n_features(n_features: Any, bounds: list[list[float]] | None) -> int | None:
    """Return a declared number of features that fits the bounds; ``None`` leaves it open."""
    if n_features is None:
        return None
    declared = check_count(n_features, "n_features")
    if declared > MOST_FEATURES:
        raise ValueError(f"n_features={declared} is more than the {MOST_FEATURES:,} there may be.")
    if bounds is not None and len(bounds) not in (1, declared):
        raise ValueError(
            f"bounds have {len(bounds)} pairs for n_features={declared}; give one pair for all "
            "features or one for each."
        )
    return declared


def check_budget(budget: Any) -> int | None:
    """Return a budget: ``None`` or a positive number of instances."""
    if budget is None:
        return None
    return check_count(budget, "budget", maximum=10**12)


def check_count(value: Any, name: str, *, minimum: int = 1, maximum: int = 10**1000) -> int:
    """Return a whole number of at least `minimum` and at most `maximum`."""
    # Said as `palacs.checks` does, which takes a second to load and cannot show everything.
    whole = isinstance(value, Integral) and not isinstance(value, (bool, np.timedelta64))
    if not whole or value < minimum:
        raise ValueError(
            f"{name} must be a whole number of at least {minimum}, got {brief(value)}."
        )
    if value > maximum:
        raise ValueError(f"{name}={brief(value)} is too large; at most {maximum:,} can be used.")
    return int(value)


def check_seed(seed: Any) -> int:
    """Return a seed: a whole number that is not negative."""
    return check_count(seed, "seed", minimum=0, maximum=2**256)


def stored_lease(lease: Any) -> float | None:
    """Return a lease as a record has it; older ones could be longer."""
    return check_lease(lease, longest=1e10)


def check_lease(lease: Any, *, longest: float = LONGEST_LEASE_S) -> float | None:
    """Return a lease in seconds; ``None`` never expires."""
    if lease is None:
        return None
    seconds = lease.total_seconds() if isinstance(lease, timedelta) else lease
    number = isinstance(seconds, Real) and not isinstance(seconds, (bool, np.timedelta64))
    if not number:
        raise ValueError(f"lease={brief(lease)} must be a number of seconds, a timedelta or None.")
    if not 0 < seconds <= longest:
        raise ValueError(
            f"lease={brief(lease)} must be positive and at most 100 years, "
            f"{LONGEST_LEASE_S:.0f} seconds; None means it never expires."
        )
    return float(seconds)


def check_amount(value: Any, name: str) -> float | None:
    """Return a cost or duration: None or a finite number that is not negative."""
    if value is None:
        return None
    number = isinstance(value, Real) and not isinstance(value, (bool, np.timedelta64))
    if not number or not 0 <= value <= LARGEST:
        raise ValueError(
            f"{name} must be a finite number, not negative, got {brief(value)}; at most "
            f"{LARGEST:g} can be used."
        )
    return float(value)


def check_reason(reason: Any) -> str:
    """Return a reason: any text up to 10,000 characters."""
    if not isinstance(reason, str) or len(reason) > 10_000:
        raise ValueError(f"reason={brief(reason)} must be text of at most 10,000 characters.")
    return reason


def to_bytes(vector: Vector) -> bytes:
    """Return the stored form of a vector: little-endian float64."""
    return vector.astype("<f8").tobytes()


def from_bytes(raw: bytes) -> Vector:
    """Return the vector of a stored form, shape (n_features,)."""
    if len(raw) == 0 or len(raw) % 8:
        raise ValueError(f"a stored instance has {len(raw)} bytes, which is no float64 vector.")
    return np.frombuffer(raw, dtype="<f8").astype(np.float64)


def brief(value: Any) -> str:
    """Return a value as an error shows it: short, whatever it is.

    Examples
    --------
    >>> brief([0.5]), len(brief("x" * 10**6)), brief(10**5000)
    ('[0.5]', 60, 'an int too large to show')
    """
    try:
        text = repr(value)
    except (ValueError, RecursionError):
        return f"an {type(value).__name__} too large to show"
    return text if len(text) <= 60 else text[:57] + "..."
