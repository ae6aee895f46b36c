"""The last step of reading a table: classes and groups are taken out, the rest becomes features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from palacs.datasets._dataset import Column, Dataset, Reading
from palacs.datasets._table_columns import Features, Raw, make_features
from palacs.datasets._table_labels import is_missing, label_text, look_alike, name_classes
from palacs.datasets._table_options import TableOptions
from palacs.datasets._table_words import free_name, listing


class Origin(NamedTuple):
    """Where a table comes from; ``where`` opens every complaint."""

    where: str
    name: str
    source: str
    license: str
    remarks: tuple[str, ...] = ()


def make_dataset(
    raws: Sequence[Raw],
    target: str,
    groups: str | None,
    options: TableOptions,
    origin: Origin,
) -> Dataset:
    """Turn columns into a data set; whatever is in the way is told with a remedy."""
    where = origin.where
    raws, remarks = _named(raws, (target, groups), list(origin.remarks))
    names = [raw.name for raw in raws]
    _check_groups_column(names, groups, target, where)
    options.check_columns(names, (target, groups), where)
    labels = next(raw for raw in raws if raw.name == target).values
    if not len(labels):
        raise ValueError(f"{where} has a header but no rows.")
    if len(names) - (groups is not None) < 2:
        raise ValueError(f"{where} has no column but the target {target!r}; add features.")
    labelled = np.array([not is_missing(label) for label in labels], dtype=np.bool_)
    raws = [raw.only(labelled) for raw in raws]
    kept = [label for label, there in zip(labels, labelled, strict=True) if there]
    class_names, y = name_classes(kept, target, where)
    others = [raw for raw in raws if raw.name not in (target, groups)]
    features = make_features(others, y, options, where)
    _refuse_infinite(features, where)
    belongs = _groups(raws, groups, where)
    kept = [label for label, row in zip(kept, features.rows, strict=True) if row]
    before = class_names
    class_names, y = name_classes(kept, target, where)
    remarks += _rows_told(len(labels), int(labelled.sum()), len(kept))
    if gone := [name for name in before if name not in class_names]:
        remarks.append(f"With these rows every instance of the class {listing(gone)} was left out.")
    remarks += _repeats_told(features.X, y)
    return Dataset(
        name=origin.name,
        X=np.ascontiguousarray(features.X),
        y=y,
        class_names=class_names,
        feature_names=tuple(features.names),
        description=_description(where, target, groups),
        source=origin.source,
        license=origin.license,
        groups=None if belongs is None else belongs[features.rows],
        reading=Reading(
            _in_order(names, features.columns, (target, class_names), groups), tuple(remarks)
        ),
    )


def _named(
    raws: Sequence[Raw], used: tuple[str, str | None], remarks: list[str]
) -> tuple[list[Raw], list[str]]:
    """Give columns without a name and those of the same name names of their own."""
    taken: set[str] = set()
    named = []
    for place, raw in enumerate(raws, 1):
        # pandas calls row numbers so when it reads them back.
        unnamed = not raw.name or raw.name.startswith("Unnamed:")
        name = raw.name or f"column {place}"
        if name in taken and name in used:
            raise ValueError(f"Two columns are called {name!r}; rename one of them.")
        if name in taken:
            other = free_name(name, {*taken, *(raw.name for raw in raws)})
            remarks.append(f"Another column {name!r} is called {other!r} here.")
            name = other
        taken.add(name)
        named.append(Raw(name, raw.values, raw.how, unnamed))
    return named, remarks


def _check_groups_column(names: Sequence[str], groups: str | None, target: str, where: str) -> None:
    if groups is None:
        return
    if groups == target:
        raise ValueError(f"{where}: {groups!r} holds the classes; groups need another column.")
    if groups not in names:
        raise ValueError(
            f"{where} has no column {groups!r} for the groups. It has {listing(names)}."
        )


def _groups(raws: Sequence[Raw], groups: str | None, where: str) -> NDArray[Any] | None:
    """Return what instances belong to, shape (n_instances,), at least two of it."""
    if groups is None:
        return None
    column = next(raw for raw in raws if raw.name == groups)
    missing = sum(map(is_missing, column.values))
    if missing:
        raise ValueError(
            f"{where}: {groups!r} is empty in {missing} rows; say for every instance what it "
            "belongs to, or leave these rows out."
        )
    names = sorted(set(map(label_text, column.values)))
    if len(names) < 2:
        raise ValueError(
            f"{where}: {groups!r} holds one group only, {names[0]!r}; leaving one out needs at "
            "least two. Add another, or leave the groups out and split by instance."
        )
    return np.asarray([v.item() if isinstance(v, np.generic) else v for v in column.values])


def _refuse_infinite(features: Features, where: str) -> None:
    counts = np.isinf(features.X).sum(axis=0)
    if counts.any():
        pairs = zip(features.names, counts, strict=True)
        bad = [f"{name!r}: {count}" for name, count in pairs if count]
        raise ValueError(
            f"{where} has {int(counts.sum())} infinite values ({listing(bad, quote=False)}). "
            "Drop these rows or replace them by numbers."
        )


def _rows_told(read: int, labelled: int, used: int) -> list[str]:
    counts = {"without a class": read - labelled, "with a missing value": labelled - used}
    return [
        f"{count} {'row' if count == 1 else 'rows'} {why} left out."
        for why, count in counts.items()
        if count
    ]


def _repeats_told(X: NDArray[np.float64], y: NDArray[np.int64]) -> list[str]:
    """Tell of rows that are there more than once: one may be learned from, the other tested on."""
    count = len(y) - len({row.tobytes() for row in np.column_stack([X, y])})
    if not count:
        return []
    rows = "1 row is" if count == 1 else f"{count} rows are"
    return [
        f"{rows} the same as one before in every feature and the class: a trial may learn from one "
        "and be tested on the other; leave copies of an instance out."
    ]


def _description(where: str, target: str, groups: str | None) -> str:
    belongs = "" if groups is None else f", groups in {groups!r}"
    return f"{where}, class in {target!r}{belongs}"


def _in_order(
    names: Sequence[str],
    columns: Sequence[Column],
    classes: tuple[str, tuple[str, ...]],
    groups: str | None,
) -> tuple[Column, ...]:
    told = {column.name: column for column in columns}
    target, class_names = classes
    alike = look_alike(class_names)
    count = f"{len(class_names)} classes"
    told[target] = Column(
        target, "the classes", "class", f"{count}; {alike}" if alike else count, bool(alike)
    )
    if groups is not None:
        told[groups] = Column(groups, "groups", "groups", "none is in both parts of a split")
    return tuple(told[name] for name in names)
