"""What was done with each column of a table, for a report's last section and its first lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from palacs.datasets import Dataset

if TYPE_CHECKING:
    from palacs.experiments.report._page import Section

_SCALED = (
    "Every feature was scaled to [0, 1] by its smallest and largest value. These, and whatever was "
    "filled in for missing values, are of all instances, tested ones included; no class was looked "
    "at for it."
)
_MOST = 200


def column_sentences(dataset: Dataset) -> list[str]:
    """Say which features should be looked at before the answer is believed."""
    if dataset.reading is None:
        return []
    return [
        f"Look at the column {column.name!r}: {column.note}."
        for column in dataset.reading.columns
        if column.warning and column.use in ("feature", "class")
    ][:5]


def data_section(dataset: Dataset) -> Section:
    """Return the section on the data: where it is from, and what became of each column."""
    from palacs.experiments.report._page import Section, plain_table

    if dataset.reading is None:
        return Section("The data", [dataset.description, _SCALED])
    columns = dataset.reading.columns
    frame = pd.DataFrame(
        [(c.name, c.holds, c.use, c.note) for c in columns[:_MOST]],
        columns=["column", "holds", "used as", "what was noticed or done"],
    )
    more = f", the first {_MOST} of {len(columns)}" if len(columns) > _MOST else ""
    table = plain_table(frame, f"What became of each column{more}.")
    text = [dataset.description, *dataset.reading.remarks, _SCALED]
    return Section("The data", text, [table])
