"""The contract of a strategy, continued: which data it copes with, and which it refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from palacs.testing._subject import Subject, three_classes


def check_a_class_with_one_instance(subject: Subject) -> None:
    """Check that a class with one instance, one of each class, and one instance in all work."""
    X, y = three_classes()
    lonely = np.r_[np.flatnonzero(y == "a")[:1], np.flatnonzero(y != "a")]
    _assert_answers(subject, X[lonely], y[lonely], ["a", "b", "c"])
    one_each = [int(np.flatnonzero(y == label)[0]) for label in "abc"]
    _assert_answers(subject, X[one_each], y[one_each], ["a", "b", "c"])
    single = subject.make(["a", "b"], seed=0).query(
        X[:1], ["a"], classes=["a", "b"], pending=["b"], batch_size=2
    )
    assert set(single.tolist()) <= {"a", "b"}


def check_constant_features(subject: Subject) -> None:
    """Check that features that never change, some or all of them, work."""
    X, y = three_classes()
    _assert_answers(subject, np.column_stack([X, np.full(len(X), 7.0)]), y, ["a", "b", "c"])
    _assert_answers(subject, np.zeros_like(X), y, ["a", "b", "c"])


def check_duplicated_points(subject: Subject) -> None:
    """Check that the same instance many times, within a class and across classes, works."""
    X, y = three_classes()
    _assert_answers(subject, np.tile(X, (3, 1)), np.tile(y, 3), ["a", "b", "c"])
    _assert_answers(subject, np.repeat(X[:8], 3, axis=0), np.tile(["a", "b", "c"], 8), [*"abc"])


def check_far_and_unscaled_features(subject: Subject) -> None:
    """Check that features of any finite size, where nothing is near anything, work."""
    X, y = three_classes()
    for scale, shift in ((1e9, 0.0), (1.0, 1e9), (1e150, 0.0), (1e-150, 0.0)):
        _assert_answers(subject, X * scale + shift, y, ["a", "b", "c"])


def check_a_thousand_classes(subject: Subject) -> None:
    """Check that a thousand classes, with one instance each and some with two, work."""
    rng = np.random.default_rng(21)
    y = np.r_[rng.permutation(1000), np.arange(20)]
    _assert_answers(subject, rng.random((1020, 2)), y, np.arange(1000), batch_size=1)


def check_ten_thousand_features(subject: Subject) -> None:
    """Check that many more features than instances, up to ten thousand, work."""
    rng = np.random.default_rng(22)
    for n_features in (40, 10_000):
        X, y = rng.random((12, n_features)), np.arange(12) % 3
        _assert_answers(subject, X, y, np.arange(3))


def check_bad_input_is_refused(subject: Subject) -> None:
    """Check that what cannot be decided on is a ValueError that says why, never an answer."""
    X, y = three_classes()
    with_nan, with_inf = X.copy(), X.copy()
    with_nan[3, 1], with_inf[3, 1] = np.nan, np.inf
    cases: dict[str, tuple[Any, Any, dict[str, Any]]] = {
        "NaN in X": (with_nan, y, {}),
        "infinity in X": (with_inf, y, {}),
        "X of one dimension": (X[:, 0], y, {}),
        "X of three dimensions": (X[None], y, {}),
        "fewer labels than rows": (X, y[:-1], {}),
        "no instance and no classes": ([], [], {}),
        "a single class": (X, np.full(len(X), "a"), {}),
        "a missing label": (X, [None, *y[1:]], {}),
        "an unknown label": (X, y, {"classes": ["a", "b", "d"]}),
        "a class named twice": (X, y, {"classes": ["a", "b", "c", "c"]}),
        "a candidate that is no class": (X, y, {"candidates": ["d"]}),
        "no candidates": (X, y, {"candidates": []}),
        "something pending that is no class": (X, y, {"pending": ["d"]}),
        "a batch of 0": (X, y, {"batch_size": 0}),
        "a batch of 1.5": (X, y, {"batch_size": 1.5}),
    }
    strategy = subject.make(["a", "b", "c"], seed=0)
    for what, (features, labels, options) in cases.items():
        try:
            answer = strategy.query(features, labels, **options)
        except ValueError:
            continue
        raise AssertionError(f"{what} is answered with {answer}, it should be refused")


def _assert_answers(
    subject: Subject,
    X: npt.ArrayLike,
    y: npt.ArrayLike,
    classes: npt.ArrayLike,
    *,
    batch_size: int = 3,
) -> None:
    known = np.asarray(classes)
    picks, utilities = subject.make(known, seed=0).query(
        X, y, classes=known, batch_size=batch_size, return_utilities=True
    )
    assert picks.shape == (batch_size,)
    assert np.isin(picks, known).all(), f"{picks} are not all classes"
    assert utilities.shape == known.shape
    assert np.isfinite(utilities).all(), f"utilities hold {utilities[~np.isfinite(utilities)][:3]}"


DATA_CHECKS: tuple[Callable[[Subject], None], ...] = (
    check_a_class_with_one_instance,
    check_constant_features,
    check_duplicated_points,
    check_far_and_unscaled_features,
    check_a_thousand_classes,
    check_ten_thousand_features,
    check_bad_input_is_refused,
)
