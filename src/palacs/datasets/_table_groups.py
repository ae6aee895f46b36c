"""The column of a table that says who or what an instance belongs to, such as its subject.

It is no feature: a split keeps what belongs together on one side.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from palacs.datasets._dataset import Dataset

if TYPE_CHECKING:
    import pandas as pd


def take_groups(
    frame: pd.DataFrame, groups: str | None, target: str, where: str
) -> tuple[pd.DataFrame, NDArray[Any] | None]:
    """Return the table without its column of groups, and that column (n_instances,)."""
    if groups is None:
        return frame, None
    if groups == target:
        raise ValueError(f"{where}: {groups!r} holds the classes; groups need another column.")
    if groups not in frame.columns:
        names = ", ".join(repr(str(column)) for column in frame.columns[:10])
        raise ValueError(f"{where} has no column {groups!r} for the groups. It has {names}.")
    column = frame[groups]
    missing = int(column.isna().sum())
    if missing:
        raise ValueError(
            f"{where}: {groups!r} is empty in {missing} rows; say for every instance what it "
            "belongs to, or leave these rows out."
        )
    return frame.drop(columns=[groups]), np.asarray(column.tolist())


def with_groups(dataset: Dataset, groups: str | None, belongs: NDArray[Any] | None) -> Dataset:
    """Return the data set with its groups (n_instances,), at least two."""
    if belongs is None:
        return dataset
    description = f"{dataset.description}, groups in {groups!r}"
    grouped = replace(dataset, groups=belongs, description=description)
    names = np.unique(belongs).tolist()
    if len(names) < 2:
        raise ValueError(
            f"{dataset.name}: {groups!r} holds one group only, {names[0]!r}; leaving one out needs "
            "at least two. Add another, or leave the groups out and split by instance."
        )
    return grouped
