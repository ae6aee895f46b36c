"""A campaign and tables: many instances brought in at once, and the labelled set taken out.

A table is written whole or not at all: every row is checked first, and what is wrong is said with
its row.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from palacs.campaign import _operations, _values
from palacs.campaign._attrs import check_attrs
from palacs.campaign._calls import call_of
from palacs.campaign._campaign_errors import CampaignClosed, CampaignError, UnknownClass
from palacs.campaign._cells import neutralise
from palacs.campaign._features import feature_columns
from palacs.campaign._ledger import Ledger
from palacs.campaign._operations import Answer
from palacs.campaign._owning import OwningCampaign
from palacs.campaign._table_file import Problems, Row, read_table
from palacs.storage import Draft, Event, Label

if TYPE_CHECKING:
    import pandas as pd

_NUMBER = re.compile(r"[-+]?[0-9]+(\.[0-9]+)?")


class TabledCampaign(OwningCampaign):
    """The part of a campaign that reads and writes tables of instances."""

    def add_table(
        self,
        table: pd.DataFrame | bytes | str | Path,
        *,
        name: str | None = None,
        attrs: Mapping[str, Any] | None = None,
        op: str | None = None,
    ) -> list[str]:
        r"""Record many instances from a table, all or none.

        Parameters
        ----------
        table : DataFrame, bytes, str or Path
            A data frame, the content of a CSV file, or the path of one. Its columns are
            ``label`` and the features; where wanted also ``request_id``, the request that an
            instance answers, ``id``, an id of your own, ``cost``, ``duration`` and
            ``attrs.NAME``. What the first table calls the features is what they are called;
            later ones are put in that order, and other names are refused.
        name : str or None
            What messages call it; by default its file's name.
        attrs : mapping or None
            What to note with all of them; what a row says stands above it.
        op : str or None
            Your id for this call, see `Campaign`.

        Returns
        -------
        list of str
            The ids of the instances, in the order of the table.

        Raises
        ------
        ValueError
            Some rows cannot be used; the message names them, and nothing was written.

        Examples
        --------
        >>> import palacs
        >>> c = palacs.create_campaign("demo", ["rest", "left"], storage="memory")
        >>> len(c.add_table(b"label,x0,x1\nrest,0.1,0.2\nleft,0.9,0.8"))
        2
        >>> c.add_table(b"label,x0,x1\nrest,0.1,0.2\nfeet,0.9,0.8", name="mine.csv")
        Traceback (most recent call last):
        ...
        ValueError: mine.csv: row 3: 'feet' is no class of this campaign; add it first. Nothing was
        written.
        """
        content, own_name = _content(table)
        called = name or own_name
        found = read_table(content, called, self.feature_names)
        rows, noted = found.rows, check_attrs(attrs)
        answers = [
            replace(given, names=found.names)
            for given in _answers(rows, noted, self.classes, called)
        ]
        call = call_of(op, "add_table", found.content(), noted)
        ids: list[str] = []

        def plan(ledger: Ledger, given: Sequence[Answer]) -> list[Draft]:
            ids[:] = _ids(ledger, rows)
            return _drafts(ledger, rows, given, ids, called)

        written = self._record_answers(answers, plan, call)
        return ids or _entries(written)

    def labelled_table(self) -> pd.DataFrame:
        """Return the labelled set as a plain table: the features, then ``label``.

        Its rows are in acquisition order; `add_table` reads it.

        Examples
        --------
        >>> import palacs
        >>> c = palacs.create_campaign("demo", ["rest", "left"], storage="memory")
        >>> instance = c.add([0.5, 2.0], "rest")
        >>> c.labelled_table()
            x0   x1 label
        0  0.5  2.0  rest
        """
        import pandas as pd

        X, y = self.labelled_set()
        names = feature_columns(self.settings.names, X.shape[1])
        return pd.DataFrame(X, columns=names).assign(label=pd.Series(y.tolist(), dtype=object))

    def export_labelled_set(self, path: str | Path) -> Path:
        """Write the labelled set to a CSV file, features and label; no cell is a formula.

        A class or a feature called ``-1`` is a number to a spreadsheet, and is written as it is.
        """
        wanted, frame = Path(path), self.labelled_table()
        frame["label"] = frame["label"].map(_no_formula)
        frame.rename(columns=_no_formula).to_csv(wanted, index=False)
        return wanted


def _content(table: Any) -> tuple[bytes | str, str]:
    if isinstance(table, bytes):
        return table, "the table"
    if isinstance(table, (str, Path)):
        return Path(table).read_bytes(), Path(table).name
    if not hasattr(table, "to_csv"):
        raise ValueError(
            f"{_values.brief(table)} is no table; give a data frame, or a CSV file's path or bytes."
        )
    return str(table.to_csv(index=False)), "the table"


def _no_formula(text: Any) -> Any:
    return text if _NUMBER.fullmatch(str(text)) else neutralise(text)


def _answers(
    rows: Sequence[Row], attrs: Mapping[str, Any] | None, classes: Sequence[Label], name: str
) -> list[Answer]:
    """Check all rows as far as that is possible without the record."""
    known = _readings(classes)
    problems, found = Problems(name), []
    for row in rows:
        try:
            label = None if row.label is None else _one_reading(row.label, known)
            noted = {**(attrs or {}), **row.notes.get("attrs", {})}
            notes = {key: value for key, value in row.notes.items() if key != "attrs"}
            if row.id is not None:
                _values.check_name(row.id, "instance id")
            if row.id is not None and row.request is not None:
                raise ValueError("it has both a request_id and an id; leave one of them empty")
            found.append(_operations.answer(row.x, label, **notes, attrs=noted or None))
        except ValueError as error:
            problems.note(row.number, str(error))
    seen: set[str] = set()
    for row in rows:
        one = row.request or row.id
        if one is not None and one in seen:
            problems.note(row.number, f"{one!r} is in an earlier row too")
        seen.add(one or "")
    problems.refuse()
    return found


def _readings(classes: Sequence[Label]) -> dict[str, list[Label]]:
    """Return which classes a cell may mean: as they are, or with an apostrophe as exported."""
    found: dict[str, list[Label]] = {str(label): [label] for label in classes}
    for label in classes:
        written = neutralise(str(label))
        if written != str(label):
            found.setdefault(written, []).append(label)
    return found


def _one_reading(cell: str, known: Mapping[str, list[Label]]) -> Label:
    # Blanks around it are the table's, unless a class has them.
    labels = known.get(cell) or known.get(cell.strip())
    if labels is None:
        raise ValueError(
            f"{_values.brief(cell.strip())} is no class of this campaign; add it first"
        )
    if len(labels) > 1:
        raise ValueError(
            f"{_values.brief(cell)} can be read as the class {labels[0]!r}, or as {labels[1]!r} "
            "with the apostrophe that keeps it from being a formula; rename one of the two classes"
        )
    return labels[0]


def _ids(ledger: Ledger, rows: Sequence[Row]) -> list[str]:
    first = ledger.seq + 1
    return [
        row.request or row.id or _operations.new_id("u", first + place)
        for place, row in enumerate(rows)
    ]


def _drafts(
    ledger: Ledger, rows: Sequence[Row], answers: Sequence[Answer], ids: Sequence[str], name: str
) -> list[Draft]:
    problems, drafts = Problems(name), list[Draft]()
    n_features = ledger.labelled.n_features
    for row, given, id_ in zip(rows, answers, ids, strict=True):
        try:
            _values.check_vector(given.vector, n_features)
            write = _operations.add if row.request is None else _operations.tell
            drafts += write(ledger, id_, given)
        except CampaignClosed:
            raise
        except (ValueError, CampaignError, UnknownClass) as error:
            problems.note(row.number, str(error))
    problems.refuse()
    return drafts


def _entries(written: Sequence[Event]) -> list[str]:
    return [event.entry for event in written if event.entry is not None]
