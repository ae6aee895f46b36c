"""Data frames as columns: the way of Parquet files and of OpenML into a data set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from palacs.datasets._table_columns import Raw
from palacs.datasets._table_labels import is_missing
from palacs.datasets._table_numbers import TwoReadings, exact_floats, read_numbers, without_gaps
from palacs.datasets._table_words import check_target

if TYPE_CHECKING:
    import pandas as pd


def raws_from_frame(
    frame: pd.DataFrame, target: str | None, where: str, groups: str | None = None
) -> tuple[list[Raw], str]:
    """Return the columns of a data frame, and the target's name if it is one of them."""
    names = [str(column) for column in frame.columns]
    found = check_target(target, names, where)
    raws = [Raw(name, _values(frame.iloc[:, i])) for i, name in enumerate(names)]
    as_text = {i for i, name in enumerate(names) if name in (found, groups)}
    # Categories stay what they are, also where they are called by numbers.
    as_text |= {i for i, kind in enumerate(frame.dtypes) if str(kind) == "category"}
    labels = raws[names.index(found)].values
    there = np.array([not is_missing(label) for label in labels], dtype=np.bool_)
    return [
        raw if i in as_text else _written_numbers(raw, there) for i, raw in enumerate(raws)
    ], found


def _written_numbers(raw: Raw, there: NDArray[np.bool_]) -> Raw:
    """Return a column of numbers that were saved as text, or as decimals, as numbers.

    Where the class is not ``there``, shape (n_instances,), nothing is looked at.
    """
    if isinstance(raw.values, np.ndarray):
        return raw
    texts = [text if row else None for text, row in zip(raw.values, there, strict=True)]
    try:
        numbers = read_numbers([text or "" for text in texts])
    except TwoReadings:
        return raw  # told with the other numbers that cannot be read
    if numbers is None:
        return Raw(raw.name, *without_gaps(texts))
    return Raw(raw.name, numbers.values, numbers.how)


def _values(column: pd.Series[Any]) -> Any:
    kind = getattr(column.dtype, "kind", "O")
    if kind == "m":
        return column.dt.total_seconds().to_numpy(dtype=np.float64)
    if kind in "iu" and not column.hasnans:
        return exact_floats(column.to_numpy(dtype=np.int64 if kind == "i" else np.uint64))
    if kind in "biuf":
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    missing = column.isna()
    if missing.all():
        return np.full(len(column), np.nan)
    values = [None if gap else value for value, gap in zip(column.tolist(), missing, strict=True)]
    if all(value is None or isinstance(value, (bool, int, float)) for value in values):
        return np.array([np.nan if value is None else float(value) for value in values])
    # Dates as they print: they are noticed by that.
    return [None if value is None else str(value) for value in values]
