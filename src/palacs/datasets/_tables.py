"""Your own data: a table in a file becomes a `Dataset`, or an error that says what to mend.

Every problem that would surface later as a wrong number or a puzzling traceback (row numbers among
the features, text, missing values, one class only) is named here, before anything runs. pandas is
needed for text and Parquet only and is imported when they are read.
"""

from __future__ import annotations

import gzip
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palacs.datasets._dataset import Dataset
from palacs.datasets._table_columns import Raw
from palacs.datasets._table_frames import raws_from_frame
from palacs.datasets._table_labels import is_missing
from palacs.datasets._table_needs import import_pandas
from palacs.datasets._table_numbers import (
    MISSING,
    TwoReadings,
    exact_floats,
    is_number,
    read_numbers,
    without_gaps,
)
from palacs.datasets._table_options import TableOptions
from palacs.datasets._table_rows import Origin, make_dataset
from palacs.datasets._table_text import SEPARATORS, Cells, decode, read_cells
from palacs.datasets._table_words import listing
from palacs.extras import need

_TEXT = (".csv", ".tsv", ".txt")
SUFFIXES = (*_TEXT, *(f"{suffix}.gz" for suffix in _TEXT), ".parquet", ".npz")
_REMEDIES = {
    **dict.fromkeys((".xls", ".xlsx", ".ods"), " Save the sheet as CSV."),
    **dict.fromkeys((".sav", ".arff", ".mat", ".feather", ".rds", ".dta"), " Save it as CSV."),
    **dict.fromkeys((".dat", ".data"), " If it is text, rename it to .txt."),
    **dict.fromkeys((".zip", ".7z", ".tar"), " Unpack it first."),
}
_OWN = "your own file"
# Rows below the names that may hold units, long names or a survey's keys.
_UNITS = 3


def read_table(
    path: str | Path,
    target: str | None = None,
    *,
    groups: str | None = None,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    impute: str | None = None,
    encode: str | None = None,
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
) -> Dataset:
    r"""Read a data set from a text, Parquet or NPZ file.

    Separator and encoding are found; lines before the names, a row of units, empty rows and
    columns are left out. So are row numbers and ids, dates, columns that are the same everywhere
    and columns that say the class in other words: they would make an error that nobody will see
    again. What was done with each column is in the result's ``reading``.

    Parameters
    ----------
    path : str or Path
        The file. Text (``.csv``, ``.tsv``, ``.txt``) has a line of names and may be compressed
        (``.csv.gz``). NPZ holds an array ``X`` of shape (n_instances, n_features) and the
        classes in another one.
    target : str, optional
        The column that holds the class; rows without one are left out. For NPZ the array with
        the classes, shape (n_instances,), ``"y"`` unless given.
    groups : str, optional
        The column, or array, that says who or what an instance belongs to, such as its subject:
        no feature, but kept together by every split.
    drop, keep : sequence of str
        Columns to leave out; columns that are features though they look like an id.
    impute : {"mean", "median", "most-frequent", "drop-rows"}, optional
        What to do about missing values; without it they are refused. Filling in looks at all
        rows of a column, those that a trial tests on included, and at no class. In text
        columns it is the most frequent.
    encode : {"one-hot", "ordinal"}, optional
        How to turn text into numbers; without it text is refused. Ordinal numbers the texts in
        alphabetical order.
    sep : str, optional
        What separates the columns, if that cannot be told from the file.
    decimal : {".", ","}, optional
        What stands before decimals. Commas in numbers are refused unless it is given; the
        other mark may then stand between thousands.
    encoding : str, optional
        Of the text, such as ``"cp1252"``, if it is found wrongly.

    Returns
    -------
    Dataset
        With classes in numerical order where all class names are numbers, else in alphabetical
        order.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file cannot be used as it is: unknown suffix, empty, no such target column, text
        among the features, missing or infinite values, fewer than two classes.
    ImportError
        If pandas, or pyarrow for Parquet, is not installed.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "smells.csv"
    >>> _ = path.write_text("s1;s2;smell\n0,1;2;mint\n0,4;3;rose\n0,2;2;mint\n")
    >>> smells = read_table(path, target="smell", decimal=",")
    >>> smells
    Dataset('smells', 3 instances, 2 features, 2 classes)
    >>> smells.class_counts
    {'mint': 2, 'rose': 1}
    """
    options = TableOptions(drop, keep, impute, encode, sep, decimal, encoding)
    path = Path(path)
    suffix = _check_path(path)
    where = str(path)
    if suffix == ".npz":
        options.refuse_for_numbers(where)
        raws, remarks, target = *_read_npz(path, target or "y", groups), target or "y"
    elif suffix == ".parquet":
        options.refuse_for_numbers(where)
        raws, remarks, target = _read_parquet(path, target, groups)
    else:
        raws, remarks, target = _read_text(path, target, groups, options)
    origin = Origin(where, path.name[: -len(suffix)], _OWN, "unknown", tuple(remarks))
    return make_dataset(raws, target, groups, options, origin)


def suffix_of(path: Path) -> str | None:
    """Return the longest of `SUFFIXES` that `path` ends in, or None."""
    fitting = [suffix for suffix in SUFFIXES if path.name.lower().endswith(suffix)]
    return max(fitting, key=len, default=None)


def _check_path(path: Path) -> str:
    suffix = suffix_of(path)
    if suffix is None:
        remedy = _REMEDIES.get(path.suffix.lower(), "")
        raise ValueError(
            f"{path}: cannot tell the format from the name; use one of {', '.join(SUFFIXES)}."
            f"{remedy}"
        )
    if not path.exists():
        raise FileNotFoundError(f"There is no file {path} (looked in {path.absolute().parent}).")
    if not path.is_file():
        raise ValueError(f"{path} is a folder; name a file in it.")
    if path.stat().st_size == 0:
        raise ValueError(f"{path} is empty.")
    return suffix


def _read_text(
    path: Path, target: str | None, groups: str | None, options: TableOptions
) -> tuple[list[Raw], list[str], str]:
    where = str(path)
    content = path.read_bytes()
    if path.name.lower().endswith(".gz"):
        try:
            content = gzip.decompress(content)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise ValueError(f"{where} cannot be read as .gz: {error}") from error
    text, encoding = decode(content, options.encoding, where)
    if not text.strip():
        raise ValueError(f"{where} is empty.")
    cells, target, sep = read_cells(text, where, target, options.sep)
    found = {mark: word for word, mark in SEPARATORS.items()}[sep]
    if options.sep is None and sep != ",":
        cells.remarks.insert(0, f"The columns are separated by {found}s.")
    if options.encoding is None and not encoding.startswith("utf-8"):
        cells.remarks.insert(0, f"The text was read as {encoding}.")
    _leave_out_units(cells, (target, groups), options.decimal)
    _empty_unlabelled(cells, target)
    return _numbers(cells, (target, groups), options.decimal, where), cells.remarks, target


def _numbers(
    cells: Cells, as_text: Sequence[str | None], decimal: str | None, where: str
) -> list[Raw]:
    """Turn cells into numbers where a column holds nothing else; classes and groups stay text."""
    raws = []
    for name, column in zip(cells.names, cells.columns, strict=True):
        numbers = None
        if name not in as_text:
            try:
                numbers = read_numbers(column, decimal)
            except TwoReadings as error:
                raise ValueError(
                    f"{where}: in column {name!r} {error}; say which, for the whole file."
                ) from error
        if name in as_text:
            raws.append(Raw(name, [cell or None for cell in column]))
        elif numbers is None:
            raws.append(Raw(name, *without_gaps(column)))
        else:
            raws.append(Raw(name, numbers.values, numbers.how))
    return raws


def _empty_unlabelled(cells: Cells, target: str) -> None:
    """Empty rows without a class, which are left out later: a note below makes no number text."""
    labels = cells.columns[cells.names.index(target)]
    cells.columns = [
        ["" if is_missing(label) else cell for cell, label in zip(column, labels, strict=True)]
        for column in cells.columns
    ]


def _leave_out_units(cells: Cells, as_text: Sequence[str | None], decimal: str | None) -> None:
    """Leave out first rows that hold no numbers where all others do: units, long names."""
    labels = cells.columns[cells.names.index(str(as_text[0]))]
    for count in range(1, _UNITS + 1):
        features = [
            column
            for name, column in zip(cells.names, cells.columns, strict=True)
            if name not in as_text and len(column) > 2 * count and any(column[count:])
        ]
        if set(labels[:count]) & set(labels[count:]) - {""}:
            return  # rows of a class
        first = _not_numbers(features, count, decimal)
        if first:
            rows = "A row" if count == 1 else f"{count} rows"
            cells.remarks.append(f"{rows} of units left out: {listing(first, limit=4)}.")
            cells.columns = [column[count:] for column in cells.columns]
            return


def _not_numbers(columns: list[list[str]], count: int, decimal: str | None) -> list[str]:
    """Return the first cells of columns that hold numbers below them, if none is a number."""
    if all(is_number(column[0], decimal) for column in columns if column[0]):
        return []
    first = []
    for column in columns:
        try:
            if read_numbers(column[count:], decimal) is None:
                continue
        except TwoReadings:
            continue
        if any(is_number(cell, decimal) for cell in column[:count]):
            return []
        first += column[:count]
    if all(cell.casefold() in MISSING for cell in first):
        return []  # gaps, such as n/a or -
    return [cell for cell in first if cell]


def _read_parquet(
    path: Path, target: str | None, groups: str | None
) -> tuple[list[Raw], list[str], str]:
    need("parquet", f"Reading {path}")
    pandas = import_pandas(f"Reading {path}")
    try:
        frame = pandas.read_parquet(path)
    except (ValueError, OSError) as error:
        raise ValueError(f"{path} cannot be read as .parquet: {error}") from error
    raws, target = raws_from_frame(frame, target, str(path), groups)
    return raws, [], target


def _read_npz(path: Path, target: str, groups: str | None) -> tuple[list[Raw], list[str]]:
    where = str(path)
    try:
        with np.load(path, allow_pickle=False) as arrays:
            for wanted in ("X", target, *([] if groups is None else [groups])):
                if wanted not in arrays:
                    raise ValueError(
                        f"{where} has no array {wanted!r}; it has {listing(arrays.files)}. "
                        "Save it with numpy.savez(path, X=X, y=y)."
                    )
            X, labels = arrays["X"], arrays[target]
            belongs = None if groups is None else arrays[groups]
    except (zipfile.BadZipFile, EOFError, zlib.error) as error:
        raise ValueError(f"{where} cannot be read as .npz: {error}") from error
    except ValueError as error:
        if "allow_pickle" not in str(error):
            raise
        raise ValueError(
            f"{where} holds Python objects or is no .npz file; save X as numbers and the classes "
            "as numbers or fixed-width text (y.astype(str)) with numpy.savez."
        ) from error
    _check_npz_arrays(X, labels, target, where)
    columns = [Raw(f"x{i + 1}", exact_floats(X[:, i])) for i in range(X.shape[1])]
    columns.append(Raw(target, labels.tolist()))
    if groups is not None:
        columns.append(Raw(groups, np.asarray(belongs).tolist()))
    return columns, []


def _check_npz_arrays(X: NDArray[Any], labels: NDArray[Any], target: str, where: str) -> None:
    if X.dtype.kind not in "biuf":
        raise ValueError(f"{where}: X has dtype {X.dtype}; features must be numbers.")
    if X.ndim != 2 or X.shape[1] == 0:
        raise ValueError(
            f"{where}: X has shape {X.shape}; it must be (n_instances, n_features), e.g. "
            "X.reshape(len(X), -1)."
        )
    if len(X) == 0:
        raise ValueError(f"{where} has no rows.")
    if labels.shape != (len(X),):
        raise ValueError(
            f"{where}: {target} has shape {labels.shape} but X has {len(X)} rows; "
            "give one class per row."
        )
