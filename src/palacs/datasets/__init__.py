"""Data to try class selection on: the paper's six sets, a few more, and your own files.

`load` gives a built-in data set by name, `load_recordings` what was recorded for one, `read_table`
one from a file, `load_any` either, or one from OpenML, and `from_arrays` one from arrays or data
frames. All return the same small typed object, a `Dataset`, with raw values.
"""

from palacs.datasets._arrays import from_arrays, take_columns
from palacs.datasets._built_in import (
    DATASETS,
    DatasetInfo,
    available,
    find,
    load,
    load_recordings,
)
from palacs.datasets._dataset import Column, Dataset, Reading, split_by_group
from palacs.datasets._recorded import RecordedDataset
from palacs.datasets._resolve import load_any
from palacs.datasets._synthetic import (
    sample_bars,
    sample_line,
    sample_spirals,
    sample_three_clusters,
)
from palacs.datasets._tables import read_table

__all__ = [
    "DATASETS",
    "Column",
    "Dataset",
    "DatasetInfo",
    "Reading",
    "RecordedDataset",
    "available",
    "find",
    "from_arrays",
    "load",
    "load_any",
    "load_recordings",
    "read_table",
    "sample_bars",
    "sample_line",
    "sample_spirals",
    "sample_three_clusters",
    "split_by_group",
    "take_columns",
]
