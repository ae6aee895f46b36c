"""One small typed object for every data set, wherever its instances come from.

The values are raw: scaling is a choice of the experiment, not of the data. Whoever builds a
`Dataset` hands over arrays that fit together; the constructor refuses anything else.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Codes = NDArray[np.int64]
Seed = int | np.random.Generator | None


@dataclass(frozen=True)
class Column:
    """What became of one column of a table.

    Attributes
    ----------
    name : str
    holds : str
        What it seems to hold, in a word or two: numbers, text, dates, row numbers.
    use : {"feature", "class", "groups", "left out"}
    note : str
        What was noticed or done, if anything.
    warning : bool
        Whether that should be looked at.
    """

    name: str
    holds: str
    use: Literal["feature", "class", "groups", "left out"]
    note: str = ""
    warning: bool = False


@dataclass(frozen=True)
class Reading:
    """How a table became a data set.

    Attributes
    ----------
    columns : tuple of Column
        In the order of the file.
    remarks : tuple of str
        What was made of the file as a whole, in sentences.
    """

    columns: tuple[Column, ...]
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Dataset:
    """Instances, their classes, and where they come from.

    Parameters
    ----------
    name : str
        Spelled as in the paper where the paper has it, e.g. ``"3Clusters"``.
    X : ndarray of shape (n_instances, n_features), float64
        Raw feature values, not normalised.
    y : ndarray of shape (n_instances,), int64
        Class of each instance as its position in `class_names`.
    class_names : tuple of str
        One name per class. Every class has at least one instance.
    feature_names : tuple of str
        One name per column of `X`.
    description, source, license : str
        What the instances are, where they were obtained, on which terms.
    groups : ndarray of shape (n_instances,) or None
        Who or what an instance belongs to (a person id), where the data set knows it.
    reading : Reading or None
        What was done with each column, where it was read from a table.

    Examples
    --------
    >>> from palacs.datasets import load
    >>> vehicle = load("vehicle")
    >>> vehicle
    Dataset('Vehicle', 846 instances, 18 features, 4 classes)
    >>> vehicle.class_counts
    {'opel': 212, 'saab': 217, 'bus': 218, 'van': 199}
    """

    name: str
    X: Array
    y: Codes
    class_names: tuple[str, ...]
    feature_names: tuple[str, ...]
    description: str
    source: str
    license: str
    groups: NDArray[Any] | None = None
    reading: Reading | None = None

    def __post_init__(self) -> None:
        if self.X.ndim != 2 or self.X.dtype != np.float64:
            raise ValueError(
                f"{self.name}: X must be a float64 array of shape (n_instances, n_features), "
                f"got {self.X.dtype} of shape {self.X.shape}."
            )
        n_instances, n_features = self.X.shape
        if self.y.shape != (n_instances,) or self.y.dtype != np.int64:
            raise ValueError(
                f"{self.name}: y must be an int64 array of shape ({n_instances},) to match X, "
                f"got {self.y.dtype} of shape {self.y.shape}."
            )
        if len(self.feature_names) != n_features:
            raise ValueError(
                f"{self.name}: {len(self.feature_names)} feature names for {n_features} "
                "features; give one name per column of X."
            )
        if not np.array_equal(np.unique(self.y), np.arange(len(self.class_names))):
            raise ValueError(
                f"{self.name}: y must use every code from 0 to {len(self.class_names) - 1}, one "
                f"per class name, got the codes {np.unique(self.y).tolist()}."
            )
        if self.groups is not None and self.groups.shape != (n_instances,):
            raise ValueError(
                f"{self.name}: groups must have shape ({n_instances},) to match X, "
                f"got {self.groups.shape}."
            )

    @property
    def n_instances(self) -> int:
        """Number of instances."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.X.shape[1])

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.class_names)

    @property
    def class_counts(self) -> dict[str, int]:
        """How many instances each class has, in class order."""
        counts = np.bincount(self.y, minlength=self.n_classes)
        return dict(zip(self.class_names, counts.tolist(), strict=True))

    @property
    def labels(self) -> NDArray[np.str_]:
        """The class name of every instance, shape (n_instances,)."""
        return np.asarray(self.class_names)[self.y]

    def __len__(self) -> int:
        return self.n_instances

    def __repr__(self) -> str:
        return (
            f"Dataset({self.name!r}, {self.n_instances} instances, "
            f"{self.n_features} features, {self.n_classes} classes)"
        )


def split_by_group(
    dataset: Dataset,
    test_groups: Iterable[Any] | None = None,
    *,
    test_share: float = 0.3,
    random_state: Seed = None,
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Split so that no group, such as a person, is in both training and test instances.

    Instances of one person resemble each other; testing on a person who was trained on
    promises an error that a new person will not see.

    Parameters
    ----------
    dataset : Dataset
        A data set with `groups`.
    test_groups : iterable of group ids, optional
        The groups to test on. Without it, `test_share` of the groups are drawn at random.
    test_share : float, default=0.3
        Share of the groups to draw, rounded, at least one and never all of them.
    random_state : int, Generator or None
        Seed of the draw.

    Returns
    -------
    train, test : ndarray of int, shapes (n_train,) and (n_test,)
        Positions of the instances, ascending.

    Examples
    --------
    >>> from palacs.datasets import load, split_by_group
    >>> watch = load("smartwatch")
    >>> train, test = split_by_group(watch, test_groups=[9, 10])
    >>> sorted(set(watch.groups[test].tolist()))
    [9, 10]
    """
    if dataset.groups is None:
        raise ValueError(
            f"{dataset.name} has no groups to split by; split it by instance instead, e.g. with "
            "sklearn.model_selection.train_test_split."
        )
    known = np.unique(dataset.groups)
    if test_groups is None:
        chosen = _draw_groups(known, test_share, random_state)
    else:
        chosen = np.asarray(list(test_groups))
        unknown = [group for group in chosen.tolist() if group not in known.tolist()]
        if unknown or chosen.size == 0:
            raise ValueError(
                f"test_groups={chosen.tolist()} must name at least one group of {dataset.name}; "
                f"its groups are {known.tolist()}."
            )
    is_test = np.isin(dataset.groups, chosen)
    if is_test.all():
        raise ValueError(
            f"test_groups={chosen.tolist()} leaves no group of {dataset.name} to train on; "
            f"leave out at least one of {known.tolist()}."
        )
    return np.flatnonzero(~is_test), np.flatnonzero(is_test)


def _draw_groups(known: NDArray[Any], test_share: float, random_state: Seed) -> NDArray[Any]:
    if not 0 < test_share < 1:
        raise ValueError(f"test_share={test_share} must lie between 0 and 1, e.g. 0.3.")
    if len(known) < 2:
        raise ValueError(
            f"Splitting by group needs at least two groups, got {known.tolist()}; "
            "split by instance instead."
        )
    n_test = min(max(1, round(test_share * len(known))), len(known) - 1)
    drawn: NDArray[Any] = np.random.default_rng(random_state).choice(known, n_test, replace=False)
    return drawn
