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
from palacs.datasets._table_frames import raws_from_frame
from palacs.datasets._table_needs import import_pandas
from palacs.datasets._table_options import TableOptions
from palacs.datasets._table_rows import Origin, make_dataset
from palacs.datasets._tables import SUFFIXES, read_table, suffix_of

_OPENML = "openml:"


def load_any(
    spec: str | os.PathLike[str],
    target: str | None = None,
    *,
    groups: str | None = None,
    random_state: Seed = None,
    **reading: Any,
) -> Dataset:
    """Load a built-in data set, a file, or a data set on OpenML.

    Parameters
    ----------
    spec : str or path
        A name of `available()`, the path of a text, Parquet or NPZ file, or ``openml:ID``.
    target : str, optional
        The column that holds the class. Needed for text and Parquet; OpenML knows its own;
        built-in data sets have none.
    groups : str, optional
        The column that says who or what an instance belongs to, such as its subject; built-in
        data sets know theirs.
    random_state : int, Generator or None
        Seed of a synthetic data set's sample.
    **reading
        How to read a table: ``drop``, ``keep``, ``impute``, ``encode``, ``sep``, ``decimal`` and
        ``encoding`` of `read_table`.

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
        return _load_openml(word, target, groups, TableOptions(**reading))
    if is_known(word):
        _refuse_reading(word, {"classes": target, "groups": groups}, reading)
        return load(word, random_state=random_state)
    path = Path(word)
    if suffix_of(path) is not None or path.exists() or path.suffix or len(path.parts) > 1:
        return read_table(path, target, groups=groups, **reading)
    raise ValueError(
        f"{word!r} is neither a built-in data set nor a file.{suggestion(word)} Give one of "
        f"{', '.join(DATASETS)}, a file ({', '.join(SUFFIXES)}), or openml:ID."
    )


def _refuse_reading(word: str, columns: dict[str, str | None], reading: dict[str, Any]) -> None:
    for what, column in columns.items():
        if column is not None:
            raise ValueError(
                f"{word!r} is a built-in data set and knows its {what}; leave out the column "
                f"{column!r}. For a file of that name give its path with suffix."
            )
    given = [name for name, value in reading.items() if value not in (None, (), [])]
    if given:
        raise ValueError(
            f"{word!r} is a built-in data set and needs no {', '.join(given)}; leave it out. For a "
            "file of that name give its path with suffix."
        )


def _load_openml(
    word: str, target: str | None, groups: str | None, options: TableOptions
) -> Dataset:
    number = word[len(_OPENML) :].strip()
    if not (number.isascii() and number.isdigit() and int(number) > 0):
        raise ValueError(f"{word!r}: after openml: comes the data set's number, e.g. openml:54.")
    options.refuse_for_numbers(word)
    import_pandas(f"Loading {word}")
    bunch = _fetch(word, int(number), target)
    if target is None and len(bunch.target_names) == 1:
        target = str(bunch.target_names[0])
    raws, target = raws_from_frame(bunch.frame, target, word)
    details = bunch.details
    name, license = str(details.get("name", word)), str(details.get("licence", "unknown"))
    return make_dataset(raws, target, groups, options, Origin(word, name, str(bunch.url), license))


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
