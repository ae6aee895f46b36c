"""One word for any data: a built-in name, a file, or a data set on OpenML.

This is what the command line hands over when a user names data; each kind of word fails with a
message about that kind.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from palacs.datasets._built_in import DATASETS, is_known, load, suggestion
from palacs.datasets._dataset import Dataset, Seed
from palacs.datasets._table_groups import take_groups, with_groups
from palacs.datasets._tables import (
    SUFFIXES,
    check_target,
    dataset_from_frame,
    import_pandas,
    read_table,
    suffix_of,
)

_OPENML = "openml:"


def load_any(
    spec: str | os.PathLike[str],
    target: str | None = None,
    *,
    groups: str | None = None,
    random_state: Seed = None,
) -> Dataset:
    """Load a built-in data set, a file, or a data set on OpenML.

    Parameters
    ----------
    spec : str or path
        A name of `available()`, the path of a CSV, TSV, Parquet or NPZ file, or ``openml:ID``.
    target : str, optional
        The column that holds the class. Needed for CSV, TSV and Parquet; OpenML knows its own;
        built-in data sets have none.
    groups : str, optional
        The column that says who or what an instance belongs to, such as its subject; built-in
        data sets know theirs.
    random_state : int, Generator or None
        Seed of a synthetic data set's sample.

    Returns
    -------
    Dataset

    Raises
    ------
    ValueError
        If `spec` is neither, or the data cannot be used as they are.
    OSError
        If a file is missing, or OpenML cannot be reached.

    Examples
    --------
    >>> load_any("iris")
    Dataset('iris', 150 instances, 4 features, 3 classes)
    """
    word = os.fspath(spec)
    if word.casefold().startswith(_OPENML):
        return _load_openml(word, target, groups)
    if is_known(word):
        for what, column in (("classes", target), ("groups", groups)):
            if column is not None:
                raise ValueError(
                    f"{word!r} is a built-in data set and knows its {what}; leave out the column "
                    f"{column!r}. For a file of that name give its path with suffix."
                )
        return load(word, random_state=random_state)
    path = Path(word)
    if suffix_of(path) is not None or path.exists() or path.suffix or len(path.parts) > 1:
        return read_table(path, target, groups=groups)
    raise ValueError(
        f"{word!r} is neither a built-in data set nor a file.{suggestion(word)} Give one of "
        f"{', '.join(DATASETS)}, a file ({', '.join(SUFFIXES)}), or openml:ID."
    )


def _load_openml(word: str, target: str | None, groups: str | None) -> Dataset:
    number = word[len(_OPENML) :].strip()
    if not (number.isascii() and number.isdigit() and int(number) > 0):
        raise ValueError(f"{word!r}: after openml: comes the data set's number, e.g. openml:54.")
    import_pandas(f"Loading {word}")
    bunch = _fetch(word, int(number), target)
    if target is None and len(bunch.target_names) == 1:
        target = str(bunch.target_names[0])
    column = check_target(target, bunch.frame.columns, word)
    details = bunch.details
    frame, belongs = take_groups(bunch.frame, groups, column, word)
    dataset = dataset_from_frame(
        frame,
        column,
        where=word,
        name=str(details.get("name", word)),
        source=str(bunch.url),
        license=str(details.get("licence", "unknown")),
    )
    return with_groups(dataset, groups, belongs)


def _fetch(word: str, data_id: int, target: str | None) -> Any:
    from sklearn.datasets import fetch_openml

    # None makes every column a plain one, so that OpenML's own target can become a feature.
    target_column = "default-target" if target is None else None
    try:
        return fetch_openml(data_id=data_id, target_column=target_column, as_frame=True)
    except OSError as error:
        raise ConnectionError(
            f"{word} cannot be fetched from OpenML ({error}). Check the network connection, or "
            "download the data as CSV and give the file instead."
        ) from error
    except ValueError as error:
        raise ValueError(f"{word} cannot be used: {error}") from error
