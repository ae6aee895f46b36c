"""Data that is already in Python: arrays, lists, and data frames of pandas or polars.

Nothing is left out or filled in: what a file's reading would leave out, such as ids, is warned
about. polars is never imported, for its frames are read column by column.
"""

from __future__ import annotations

import textwrap
import warnings
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from palacs.checks import check_features, check_label_items
from palacs.datasets._dataset import Dataset
from palacs.datasets._table_labels import name_classes
from palacs.datasets._table_needs import import_pandas
from palacs.datasets._table_notices import look_at_numbers
from palacs.datasets._table_words import check_target, listing

if TYPE_CHECKING:
    import pandas as pd

_WHERE = "X"
# One column per value; beyond so many it is no category any more.
_MOST_VALUES = 50


def from_arrays(
    X: Any, y: Any, *, groups: Any = None, name: str = "data", one_hot: bool = False
) -> Dataset:
    """Turn features and classes into a `Dataset`, or say what to mend.

    Parameters
    ----------
    X : array-like or data frame of shape (n_instances, n_features)
        Numbers. Of a data frame (pandas, polars) the names of the columns are kept.
    y : array-like, Series or str
        The class of every instance, shape (n_instances,), or the name of a column of ``X``.
    groups : array-like, Series, str or None, default=None
        Who or what an instance belongs to, such as its subject, or the name of a column of ``X``:
        kept together by every split.
    name : str, default="data"
    one_hot : bool, default=False
        Whether columns of text become one column of 0 and 1 per value instead of being refused.

    Returns
    -------
    Dataset
        With classes in numerical order where all class names are numbers, else in alphabetical
        order.

    Raises
    ------
    ValueError
        Missing or infinite values, text among the features, lengths that differ, fewer than two
        classes or groups.

    Examples
    --------
    >>> from palacs.datasets import from_arrays
    >>> from_arrays([[0.1, 2], [0.4, 3], [0.2, 2]], ["mint", "rose", "mint"])
    Dataset('data', 3 instances, 2 features, 2 classes)
    """
    table, labels, belongs = take_columns(X, y, groups)
    _refuse_missing(table)
    table = _as_numbers(table, one_hot)
    features = np.ascontiguousarray(table.to_numpy(dtype=np.float64))
    if not np.isfinite(features).all():
        row, column = np.argwhere(~np.isfinite(features))[0]
        raise ValueError(
            f"{_WHERE} holds {features[row, column]} in row {row}, column "
            f"{table.columns[column]!r}; drop such rows or replace them by numbers."
        )
    check_label_items(labels, "y")
    class_names, codes = name_classes(labels, "y", "your data")
    _warn_of_ids(table, features, codes)
    return Dataset(
        name=name,
        X=features,
        y=codes,
        class_names=class_names,
        feature_names=tuple(table.columns),
        description="Given as arrays.",
        source="your own data",
        license="unknown",
        groups=None if belongs is None else _checked_groups(belongs),
    )


def take_columns(
    X: Any, y: Any, groups: Any = None
) -> tuple[pd.DataFrame, list[Any], list[Any] | None]:
    """Return the features as a pandas frame of its own, the class and the group of each instance.

    Arguments are those of `from_arrays`; values are not looked at.
    """
    if hasattr(X, "collect"):
        raise ValueError("X is a lazy frame; give X.collect().")
    table = _as_frame(X)
    named = [column for column in (y, groups) if isinstance(column, str)]
    if named and not hasattr(X, "columns"):
        raise ValueError(f"{named[0]!r} names a column, but X is no data frame; give the values.")
    for column in named:
        check_target(column, table.columns, _WHERE)
    if len(named) == 2 and y == groups:
        raise ValueError(f"{y!r} holds the classes; groups need another column.")
    for values, what in ((y, "y"), (groups, "groups")):
        _refuse_other_order(X, values, what)
    labels = _values(table, y, "y")
    belongs = None if groups is None else _values(table, groups, "groups")
    features = table.drop(columns=named)
    if features.shape[1] == 0 or len(features) == 0:
        raise ValueError(f"{_WHERE} has {len(features)} rows and no feature; give at least one.")
    return features, labels, belongs


def _refuse_other_order(X: Any, values: Any, name: str) -> None:
    """Refuse a Series with the index of X in another order: it would be taken row by row."""
    mine: Any = getattr(X, "index", None)
    theirs: Any = getattr(values, "index", None)
    if not hasattr(mine, "equals") or not hasattr(theirs, "equals") or mine.equals(theirs):
        return
    if len(mine) == len(theirs) and _in_order(mine).equals(_in_order(theirs)):
        raise ValueError(
            f"{name} has the index of X in another order; give {name}.loc[X.index], or "
            f"{name}.to_numpy() if the order of the rows is meant."
        )


def _in_order(index: Any) -> Any:
    try:
        return index.sort_values()
    except TypeError:  # numbers and text have no order in common
        return index.map(repr).sort_values()


def _checked_groups(belongs: list[Any]) -> Any:
    check_label_items(belongs, "groups")
    if len(set(belongs)) < 2:
        raise ValueError(
            f"groups holds one group only, {belongs[0]!r}; leaving one out needs at least two. Add "
            "another, or leave groups out and split by instance."
        )
    return np.array(belongs)


def _warn_of_ids(table: pd.DataFrame, features: Any, codes: Any) -> None:
    for place, name in enumerate(table.columns):
        notice = look_at_numbers(name, features[:, place], codes)
        if notice.leave_out and np.ptp(features[:, place]):
            warnings.warn(
                f"column {name!r} looks like {notice.holds} ({notice.note}): a model would learn "
                "what no new instance has. Drop it, unless it is a feature.",
                stacklevel=4,
            )


def _as_frame(X: Any) -> pd.DataFrame:
    pandas = import_pandas("Taking arrays")
    frame: pd.DataFrame
    if hasattr(X, "columns"):
        # A column at a time: polars needs pyarrow for more than that.
        table = X if isinstance(X, pandas.DataFrame) else {c: X[c].to_numpy() for c in X.columns}
        frame = pandas.DataFrame(table).reset_index(drop=True)
        frame.columns = frame.columns.map(str)
        twice = frame.columns[frame.columns.duplicated()]
        if len(twice):
            raise ValueError(f"{_WHERE} has two columns {twice[0]!r}; rename one.")
        return frame.infer_objects()
    rows = _rows(X)
    frame = pandas.DataFrame(rows, columns=[f"x{i + 1}" for i in range(rows.shape[1])])
    return frame.infer_objects() if rows.dtype.kind == "O" else frame


def _rows(X: Any) -> Any:
    try:
        # As objects, or NumPy would write the numbers of mixed rows as text.
        rows = X if isinstance(X, np.ndarray) else np.array(X, dtype=object)
    except ValueError:
        rows = np.zeros(0)
    if rows.ndim == 2 and rows.size and rows.dtype.kind in "biufO":
        return rows
    return check_features(X)


def _values(table: pd.DataFrame, given: Any, name: str) -> list[Any]:
    """Return one value per instance, from a column or as they were given."""
    if isinstance(given, str):
        return list(table[given].tolist())
    for how in ("to_list", "tolist"):
        if hasattr(given, how):
            given = getattr(given, how)()
            break
    if not isinstance(given, Sequence) or any(isinstance(item, list) for item in given):
        shown = textwrap.shorten(repr(given), 80, placeholder=" ...")
        raise ValueError(f"{name} must be a flat list of labels, one per instance, got {shown}.")
    if len(given) != len(table):
        raise ValueError(
            f"{name} has {len(given)} entries for {len(table)} instances; give one for each."
        )
    return list(given)


def _refuse_missing(table: pd.DataFrame) -> None:
    counts = table.isna().sum()
    gaps = [f"{column!r}: {count}" for column, count in counts.items() if count]
    if gaps:
        raise ValueError(
            f"{_WHERE} has {int(counts.sum())} missing values ({listing(gaps, quote=False)}). Drop "
            "these rows or columns, or fill them in first, e.g. with sklearn.impute.SimpleImputer."
        )


def _as_numbers(table: pd.DataFrame, one_hot: bool) -> pd.DataFrame:
    text = {name: column for name, column in table.items() if _kind(column) not in "biuf"}
    if not text:
        return table
    # Dates and lists are nothing that one column of 0 and 1 per value would say.
    other = {name: column for name, column in text.items() if not _is_text(column)}
    if other or not one_hot:
        name, column = next(iter((other or text).items()))
        remedy = "or turn them into numbers" if other else "turn them into numbers, e.g. with "
        remedy += "" if other else "pandas.get_dummies, or give a model that deals with text"
        raise ValueError(
            f"{_WHERE} has features that are not numbers: {listing(list(map(str, other or text)))} "
            f"(e.g. {column.iloc[0]!r}). Drop these columns, {remedy}."
        )
    for name, column in text.items():
        if column.nunique() > _MOST_VALUES:
            raise ValueError(
                f"{_WHERE}: {name!r} holds {column.nunique()} different texts, too many for "
                "categories; drop it or turn it into numbers."
            )
    import pandas

    made = pandas.get_dummies(table, columns=list(text), dtype=float, prefix_sep="=")
    twice = made.columns[made.columns.duplicated()]
    if len(twice):
        raise ValueError(f"{_WHERE}: two columns would be called {twice[0]!r}; rename one.")
    return made


def _is_text(column: pd.Series[Any]) -> bool:
    return _kind(column) == "O" and all(isinstance(value, Hashable) for value in column)


def _kind(column: pd.Series[Any]) -> str:
    """Return NumPy's letter for numbers and dates, "O" for text and categories."""
    kind = str(getattr(column.dtype, "kind", "O"))
    return kind if kind in "biufmMc" else "O"
