"""Your own data: a table in a file becomes a `Dataset`, or an error that says what to mend.

Every problem that would surface later as a wrong number or a puzzling traceback (text among the
features, missing values, one class only) is named here, before anything runs. pandas is needed
for CSV and Parquet only and is imported when they are read.
"""

from __future__ import annotations

import gzip
import warnings
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from palacs.datasets._dataset import Codes, Dataset
from palacs.datasets._table_groups import take_groups, with_groups
from palacs.extras import need

if TYPE_CHECKING:
    import pandas as pd

SUFFIXES = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet", ".npz")
_OWN = "your own file"


def read_table(
    path: str | Path, target: str | None = None, *, groups: str | None = None
) -> Dataset:
    r"""Read a data set from a CSV, TSV, Parquet or NPZ file.

    Parameters
    ----------
    path : str or Path
        The file. CSV and TSV have a header line and may be compressed (``.csv.gz``). NPZ holds
        an array ``X`` of shape (n_instances, n_features) and the classes in another one.
    target : str, optional
        The column that holds the class; all others are features. For NPZ the array with the
        classes, shape (n_instances,), ``"y"`` unless given.
    groups : str, optional
        The column, or array, that says who or what an instance belongs to, such as its subject:
        no feature, but kept together by every split.

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
    >>> _ = path.write_text("s1,s2,smell\n0.1,2,mint\n0.4,3,rose\n0.2,2,mint\n")
    >>> smells = read_table(path, target="smell")
    >>> smells
    Dataset('smells', 3 instances, 2 features, 2 classes)
    >>> smells.class_counts
    {'mint': 2, 'rose': 1}
    """
    path = Path(path)
    suffix = suffix_of(path)
    if suffix is None:
        raise ValueError(
            f"{path}: cannot tell the format from the name; use one of {', '.join(SUFFIXES)}."
        )
    if not path.exists():
        raise FileNotFoundError(f"There is no file {path} (looked in {path.absolute().parent}).")
    if not path.is_file():
        raise ValueError(f"{path} is a folder; name a file in it.")
    if path.stat().st_size == 0:
        raise ValueError(f"{path} is empty.")
    if suffix == ".npz":
        return _read_npz(path, target or "y", groups)
    frame, target = _read_frame(path, suffix, target, groups)
    frame, belongs = take_groups(frame, groups, target, str(path))
    dataset = dataset_from_frame(frame, target, where=str(path), name=path.name[: -len(suffix)])
    return with_groups(dataset, groups, belongs)


def suffix_of(path: Path) -> str | None:
    """Return the longest of `SUFFIXES` that `path` ends in, or None."""
    fitting = [suffix for suffix in SUFFIXES if path.name.lower().endswith(suffix)]
    return max(fitting, key=len, default=None)


def dataset_from_frame(
    frame: pd.DataFrame,
    target: str,
    *,
    where: str,
    name: str,
    source: str = _OWN,
    license: str = "unknown",
) -> Dataset:
    """Check a data frame and turn it into a `Dataset`; `where` opens every complaint.

    Parameters
    ----------
    frame : DataFrame of shape (n_instances, n_features + 1)
        Features and the column `target`.
    target : str
        Name of the class column, known to exist.
    where, name, source, license : str
        What to call the data in errors, and in the result.

    Returns
    -------
    Dataset
    """
    features = frame.drop(columns=[target])
    if len(frame) == 0:
        raise ValueError(f"{where} has a header but no rows.")
    if features.shape[1] == 0:
        raise ValueError(f"{where} has no column but the target {target!r}; add features.")
    _refuse_row_numbers(features.columns, where)
    _refuse_text(features, where)
    _refuse_missing(frame, where)
    X = np.ascontiguousarray(features.to_numpy(dtype=np.float64))
    names = [str(column) for column in features.columns]
    _refuse_infinite(X, names, where)
    class_names, y = _encode(frame[target].tolist(), target, where)
    return Dataset(
        name=name,
        X=X,
        y=y,
        class_names=class_names,
        feature_names=tuple(names),
        description=f"{where}, class in column {target!r}",
        source=source,
        license=license,
    )


def import_pandas(what: str) -> Any:
    """Import pandas, or say which extra brings it."""
    need("tables", what)
    import pandas

    return pandas


def check_target(target: str | None, columns: Iterable[Any], where: str) -> str:
    """Return `target` if it is one of `columns`, else say which there are."""
    names = [str(column) for column in columns]
    if target in names:
        return target
    if target is None:
        raise ValueError(
            f"{where}: say which column holds the class (target); it has {_listed(names)}."
        )
    close = get_close_matches(target.casefold(), [name.casefold() for name in names], n=1)
    meant = next((name for name in names if [name.casefold()] == close), None)
    hint = f" Did you mean {meant!r}?" if meant else ""
    if len(names) == 1 and any(mark in names[0] for mark in ";\t|"):
        hint = " Are the columns separated by something else than a comma? Save with commas."
    raise ValueError(f"{where} has no column {target!r}.{hint} It has {_listed(names)}.")


def _read_frame(
    path: Path, suffix: str, target: str | None, groups: str | None
) -> tuple[pd.DataFrame, str]:
    if suffix == ".parquet":
        need("parquet", f"Reading {path}")
    pandas = import_pandas(f"Reading {path}")
    try:
        if suffix == ".parquet":
            frame = pandas.read_parquet(path)
            frame.columns = frame.columns.map(str)
            return frame, check_target(target, frame.columns, str(path))
        return _read_text(path, suffix, target, groups)
    except pandas.errors.EmptyDataError:
        raise ValueError(f"{path} is empty.") from None
    except (pandas.errors.ParserError, pandas.errors.ParserWarning) as error:
        raise ValueError(f"{path}: its rows do not match its header ({error}).") from error
    except (UnicodeDecodeError, EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(f"{path} cannot be read as {suffix}: {error}") from error
    except ValueError as error:
        if type(error).__module__.startswith("pyarrow"):
            raise ValueError(f"{path} cannot be read as {suffix}: {error}") from error
        raise


def _read_text(
    path: Path, suffix: str, target: str | None, groups: str | None
) -> tuple[pd.DataFrame, str]:
    import pandas

    separator = "\t" if suffix.startswith(".tsv") else ","
    header = pandas.read_csv(path, sep=separator, nrows=0, index_col=False)
    target = check_target(target, header.columns, str(path))
    with warnings.catch_warnings():
        # pandas cuts rows that are too long and only warns.
        warnings.simplefilter("error", pandas.errors.ParserWarning)
        frame = pandas.read_csv(path, sep=separator, index_col=False)
    # Once more as text, so that a class called "None" or "NA" stays a class, and subject 07 is 07.
    names = [target] if groups in (None, target) or groups not in frame else [target, groups]
    texts = pandas.read_csv(path, sep=separator, usecols=names, dtype=str, na_filter=False)
    for name in names:
        frame[name] = pandas.Series(
            [text.strip() or None for text in texts[name]], index=frame.index, dtype=object
        )
    return frame, target


def _read_npz(path: Path, target: str, groups: str | None) -> Dataset:
    where = str(path)
    try:
        with np.load(path, allow_pickle=False) as arrays:
            for wanted in ("X", target, *([] if groups is None else [groups])):
                if wanted not in arrays:
                    raise ValueError(
                        f"{where} has no array {wanted!r}; it has {_listed(arrays.files)}. "
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
    names = [f"x{i + 1}" for i in range(X.shape[1])]
    columns = dict(zip(names, np.isnan(X).sum(axis=0).tolist(), strict=True))
    if labels.dtype.kind == "f":
        columns[target] = int(np.isnan(labels).sum())
    elif labels.dtype.kind == "U":
        columns[target] = int((labels == "").sum())
    _complain_missing(columns, where)
    X = np.ascontiguousarray(X, dtype=np.float64)
    _refuse_infinite(X, names, where)
    class_names, y = _encode(labels.tolist(), target, where)
    dataset = Dataset(
        name=path.stem,
        X=X,
        y=y,
        class_names=class_names,
        feature_names=tuple(names),
        description=f"{where}, classes in array {target!r}",
        source=_OWN,
        license="unknown",
    )
    return with_groups(dataset, groups, belongs)


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


def _refuse_row_numbers(columns: Iterable[Any], where: str) -> None:
    unnamed = [str(column) for column in columns if str(column).startswith("Unnamed:")]
    if unnamed:
        raise ValueError(
            f"{where} has a column without a name ({_listed(unnamed)}). Row numbers are no "
            "feature: save the file without them (pandas: to_csv(index=False)), or name the column."
        )


def _refuse_text(features: pd.DataFrame, where: str) -> None:
    text = [
        f"{column!r} (e.g. {_first_text(values.dropna().tolist())!r})"
        for column, values in features.items()
        if not _is_numeric(values)
    ]
    if text:
        raise ValueError(
            f"{where} has features that are not numbers: {_listed(text, quote=False)}. Drop these "
            "columns or turn them into numbers, e.g. with pandas.get_dummies or pandas.to_numeric."
        )


def _is_numeric(values: pd.Series[Any]) -> bool:
    # An empty column is read as objects or floats alike; it is missing values, not text.
    return getattr(values.dtype, "kind", "O") in "biuf" or bool(values.isna().all())


def _first_text(values: Sequence[Any]) -> Any:
    """Return the first value that is the trouble: in 5.1, 4.9, ? it is the question mark."""
    for value in values:
        try:
            float(value)
        except (TypeError, ValueError):
            return value
    return values[0]


def _refuse_missing(frame: pd.DataFrame, where: str) -> None:
    counts = frame.isna().sum()
    _complain_missing({str(column): int(count) for column, count in counts.items()}, where)


def _complain_missing(counts: dict[str, int], where: str) -> None:
    gaps = [f"{column!r}: {count}" for column, count in counts.items() if count]
    if gaps:
        raise ValueError(
            f"{where} has {sum(counts.values())} missing values ({_listed(gaps, quote=False)}). "
            "Drop these rows or columns, or fill them in, e.g. with sklearn.impute.SimpleImputer."
        )


def _refuse_infinite(X: NDArray[np.float64], names: Sequence[str], where: str) -> None:
    counts = np.isinf(X).sum(axis=0)
    if counts.any():
        bad = [f"{name!r}: {count}" for name, count in zip(names, counts, strict=True) if count]
        raise ValueError(
            f"{where} has {int(counts.sum())} infinite values ({_listed(bad, quote=False)}). "
            "Drop these rows or replace them by numbers."
        )


def _encode(labels: Sequence[Any], target: str, where: str) -> tuple[tuple[str, ...], Codes]:
    """Name the classes and number them in order; `labels` has shape (n_instances,)."""
    texts = [_label_text(label) for label in labels]
    try:
        ordered = sorted(set(texts), key=lambda text: (float(text), text))
    except ValueError:
        ordered = sorted(set(texts))
    if len(ordered) < 2:
        raise ValueError(
            f"{where} has only the class {ordered[0]!r} in {target!r}; choosing between classes "
            "needs at least two."
        )
    code_of = {text: code for code, text in enumerate(ordered)}
    return tuple(ordered), np.array([code_of[text] for text in texts], dtype=np.int64)


def _label_text(label: Any) -> str:
    if isinstance(label, float) and label.is_integer():
        # Class 1 stays "1" when a missing value elsewhere made its column a float.
        return str(int(label))
    if isinstance(label, bytes):
        return label.decode("utf-8", errors="replace")
    return str(label)


def _listed(names: Sequence[str], *, quote: bool = True, limit: int = 10) -> str:
    shown = [repr(name) if quote else name for name in names[:limit]]
    more = len(names) - limit
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")
